// SPDX-License-Identifier: GPL-3.0-or-later
/* Predictions of all rows at some points: cases like any others. */
#include <math.h>
#include <stdlib.h>

#include "alloc.h"
#include "fit.h"
#include "jobs.h"

/* Standard deviations in a half width of 95 %. */
static const double sds_in_half_width = 1.96;

static struct machine_profile machine_at(const struct fit_problem *problem, const double *point)
{
	struct machine_profile machine = *problem->machine;

	for (size_t i = 0; i < problem->count; i++) {
		const struct fit_param *p = &problem->param[i];

		machine.param[p->id].value = point[i];
		if (p->tied != PARAM_COUNT)
			machine.param[p->tied].value = point[i];
	}
	return machine;
}

static struct fit_prediction prediction_of(const struct scenario_case *row,
					   const struct outcome *outcome)
{
	const struct case_result *r = outcome->result;
	double predicted;

	if (outcome->state != OUTCOME_DONE)
		return (struct fit_prediction){NAN, 0};
	predicted = expect_predicted(&row->expect, r);
	if (!(predicted > 0 && r->ops_per_thread_mean > 0))
		return (struct fit_prediction){NAN, 0};
	return (struct fit_prediction){log(predicted / row->expect.value),
				       r->ops_per_thread_ci / r->ops_per_thread_mean /
					       sds_in_half_width};
}

static void note_failure(const struct scenario *all, const struct outcome *outcomes,
			 struct text *error)
{
	for (size_t i = 0; i < all->count; i++)
		if (outcomes[i].state == OUTCOME_FAILED && error && !error->length)
			text_printf(error, "case %s: %s", all->cases[i].id, outcomes[i].error);
}

/* One scenario of all rows at all points, so that no process waits for a row of another point. */
bool fit_predict(const struct fit_problem *problem, const struct scenario *rows,
		 const fit_point *points, size_t count, struct fit_prediction *out,
		 struct text *error)
{
	struct machine_profile *machines = xcalloc(count, sizeof(*machines));
	struct scenario all = {.name = rows->name, .count = rows->count * count};
	struct outcome *outcomes = outcomes_new(all.count);
	bool finished;

	all.cases = xcalloc(all.count, sizeof(*all.cases));
	for (size_t i = 0; i < count; i++)
		machines[i] = machine_at(problem, points[i]);
	for (size_t i = 0; i < all.count; i++) {
		all.cases[i] = rows->cases[i % rows->count];
		all.cases[i].spec.machine = &machines[i / rows->count];
	}
	finished = run_cases_quietly(&all, problem->jobs, outcomes);
	for (size_t i = 0; i < all.count && finished; i++)
		out[i] = prediction_of(&all.cases[i], &outcomes[i]);
	note_failure(&all, outcomes, error);
	outcomes_free(outcomes, all.count);
	free(all.cases);
	free(machines);
	return finished;
}

double fit_misfit(const struct fit_prediction *predictions, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += predictions[i].log_ratio * predictions[i].log_ratio;
	return isfinite(sum) ? sum / (double)count : FIT_MISFIT_FAILED;
}

double fit_rms_pct(double misfit)
{
	return 100 * sqrt(misfit);
}
