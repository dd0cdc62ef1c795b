// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_report.h"

#include <string.h>

#include "explain.h"
#include "why.h"

enum exit_status run_report_check(const struct run_report_options *o)
{
	bool tables = o->lines || o->functions;

	if (o->ablate + o->sensitivity + (o->why[0] != NULL) > 1)
		return usage_error("run", "one of --why, --ablate, --sensitivity at a time");
	if (tables && (o->ablate || o->sensitivity))
		return usage_error("run", "--lines and --functions go with plain runs and --why");
	if (o->format == FORMAT_CSV && o->lines + o->functions + (o->why[0] != NULL) > 1)
		return usage_error("run", "CSV is one table: one of --lines, --functions, --why");
	if (o->timing && o->format != FORMAT_JSON &&
	    (o->ablate || o->sensitivity || (o->format == FORMAT_CSV && (tables || o->why[0]))))
		return usage_error("run", "--timing goes with rows of cases, or with JSON");
	return EXIT_DONE;
}

/* ---- Which cases ---------------------------------------------------------------- */

static const struct scenario_case *case_named(struct reader *r, const struct scenario *scenario,
					      const char *id)
{
	const char **ids = reader_alloc(r, scenario->count * sizeof(*ids));

	for (size_t i = 0; i < scenario->count; i++) {
		ids[i] = scenario->cases[i].id;
		if (strcmp(ids[i], id) == 0)
			return &scenario->cases[i];
	}
	reader_fail_file(r, EXIT_USAGE, reader_printf(r, "--why %s", id),
			 "no such case%s; allowed: ids of the scenario's cases",
			 did_you_mean(id, ids, scenario->count));
	return NULL;
}

static void keep_two(struct reader *r, const char *const why[2], struct scenario *scenario)
{
	struct scenario_case *pair = reader_alloc(r, 2 * sizeof(*pair));

	for (int i = 0; i < 2; i++) {
		const struct scenario_case *c = case_named(r, scenario, why[i]);

		if (!c)
			return;
		pair[i] = *c;
	}
	scenario->cases = pair;
	scenario->count = 2;
}

bool run_report_prepare(struct reader *r, const struct run_report_options *o,
			struct scenario *scenario, const struct variants **variants)
{
	if (o->why[0])
		keep_two(r, o->why, scenario);
	else if (o->ablate)
		*variants = ablations(r, scenario);
	else if (o->sensitivity)
		*variants = sensitivities(r, scenario);
	return !r->failed;
}

/* ---- Printing -------------------------------------------------------------------- */

static bool both_done(const struct report *report)
{
	return report->outcomes[0].state == OUTCOME_DONE &&
	       report->outcomes[1].state == OUTCOME_DONE;
}

static void as_csv(const struct report *report, const struct run_report_options *o,
		   struct text *out)
{
	if (report->variants)
		print_variants_csv(report, out);
	else if (report->why)
		print_why_csv(report->why, out);
	else if (o->lines)
		print_lines_csv(report, out);
	else if (o->functions)
		print_functions_csv(report, out);
	else if (!o->why[0])
		print_csv(report, out);
}

static void as_table(const struct report *report, const struct run_report_options *o,
		     struct text *out)
{
	if (report->variants) {
		print_variants(report, out);
		return;
	}
	print_table(report, out);
	if (o->lines)
		print_lines(report, out);
	if (o->functions)
		print_functions(report, out);
	if (report->why)
		print_why(report->why, out);
}

void run_report_print(struct report *report, const struct run_report_options *o, struct text *out)
{
	const struct scenario_case *cases = report->scenario->cases;
	struct why why = {0};

	if (o->why[0] && both_done(report)) {
		why_compare(&why, (const struct scenario_case *[]){&cases[0], &cases[1]},
			    (const struct case_result *[]){report->outcomes[0].result,
							   report->outcomes[1].result});
		report->why = &why;
	}
	if (o->format == FORMAT_JSON)
		print_json(report, out);
	else if (o->format == FORMAT_CSV)
		as_csv(report, o, out);
	else
		as_table(report, o, out);
	report->why = NULL;
	why_free(&why);
}
