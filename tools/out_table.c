// SPDX-License-Identifier: GPL-3.0-or-later
/* The table for people, with what they must know about it below. */
#include <assert.h>
#include <string.h>

#include "grid.h"
#include "outcome.h"

static const struct machine_profile *common_machine(const struct scenario *scenario)
{
	const struct machine_profile *machine = scenario->cases[0].spec.machine;

	for (size_t i = 1; i < scenario->count; i++)
		if (scenario->cases[i].spec.machine != machine)
			return NULL;
	return machine;
}

static void print_title(const struct scenario *scenario, struct text *out)
{
	const struct machine_profile *machine = common_machine(scenario);
	const struct measure_spec *m = &scenario->cases[0].spec.measure;

	text_printf(out, "%s\n", scenario->name);
	if (machine)
		text_printf(out, "machine %s: %s; ", machine->name, machine->label);
	text_printf(out, "seed %llu, times in ns per operation\n\n", (unsigned long long)m->seed);
}

static void add_columns(struct grid *grid)
{
	static const struct {
		const char *title;
		bool right;
	} columns[] = {
		{"case", false}, {"machine", false},     {"policy", false},   {"threads", true},
		{"slots", true}, {"ops/s/thread", true}, {"+-%", true},       {"ns/op", true},
		{"work", true},  {"refcount", true},     {"bucket", true},    {"lock wait", true},
		{"user", true},  {"sleep", true},        {"other", true},     {"keys/bucket", true},
		{"max", true},   {"busy %", true},       {"published", true}, {"error %", true},
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		grid_column(grid, columns[i].title, columns[i].right);
}

static const char *counting(const struct futex_policy *p)
{
	if (p->scope != FUTEX_SCOPE_PRIVATE)
		return "";
	return p->resizable ? refcount_name(p->refcount) : "immutable";
}

static void add_identity(struct grid *grid, const struct scenario_case *c,
			 const struct futex_policy *p, bool machine)
{
	const char *count = counting(p);

	assert(c->spec.machine);
	grid_cell(grid, "%s", c->id);
	grid_cell(grid, "%s", machine ? c->spec.machine->name : "");
	grid_cell(grid, "%s %s%s%s%s", futex_kernel_name(p->kernel), futex_scope_name(p->scope),
		  *count ? " " : "", count, c->spec.workload.shared ? ", shared" : "");
	grid_cell(grid, "%u", c->spec.workload.threads);
	grid_cell(grid, "%u", p->slots);
}

static void add_costs(struct grid *grid, const struct case_result *r)
{
	static const enum cost_category order[] = {COST_WORK, COST_REFCOUNT, COST_BUCKET_LINE,
						   COST_LOCK_WAIT, COST_USER_WORD};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		grid_cell(grid, "%.1f", r->cost_ns_per_op[order[i]]);
	if (r->cost_ns_per_op[COST_SLEEP] > 0)
		grid_cell(grid, "%.1f", r->cost_ns_per_op[COST_SLEEP]);
	else
		grid_cell(grid, "%s", "");
	grid_cell(grid, "%.1f", r->cost_ns_per_op[COST_OTHER]);
}

static void add_expect(struct grid *grid, const struct expect *e, const struct case_result *r)
{
	struct text published = {0};

	if (!e->present) {
		grid_cell(grid, "%s", "");
		grid_cell(grid, "%s", "");
		return;
	}
	text_number(&published, e->value, 9);
	grid_cell(grid, "%s", published.data);
	text_free(&published);
	grid_cell(grid, "%+.1f%s", expect_error_pct(e, r), e->scored ? " " : "*");
}

static void add_row(struct grid *grid, const struct scenario_case *c, const struct case_result *r,
		    bool machine)
{
	double mean = r->ops_per_thread_mean;

	add_identity(grid, c, &r->policy, machine);
	grid_cell(grid, "%.0f", mean);
	grid_cell(grid, "%.2f", mean > 0 ? 100 * r->ops_per_thread_ci / mean : 0);
	grid_cell(grid, "%.1f", r->ns_per_op);
	add_costs(grid, r);
	grid_cell(grid, "%.2f", r->keys_per_bucket_mean);
	grid_cell(grid, "%.0f", r->keys_per_bucket_max);
	grid_cell(grid, "%.2f", 100 * r->busy_probability);
	add_expect(grid, &c->expect, r);
}

static void print_notes(const struct report *report, struct text *out)
{
	const struct scenario *scenario = report->scenario;

	for (size_t i = 0; i < scenario->count; i++) {
		const struct scenario_case *c = &scenario->cases[i];

		if (report->outcomes[i].state != OUTCOME_DONE)
			continue;
		if (c->expect.present && !c->expect.scored && c->expect.why)
			text_printf(out, "* %s is not scored: %s\n", c->id, c->expect.why);
		if (!c->expect.record && c->expect.present &&
		    c->expect.metric != METRIC_OPS_PER_THREAD)
			text_printf(out, "%s: published is %s\n", c->id,
				    metric_choice(c->expect.metric));
	}
}

static void print_warnings(const struct report *report, struct text *out)
{
	const struct scenario *scenario = report->scenario;

	for (size_t i = 0; i < scenario->count; i++) {
		const struct measure_spec *m = &scenario->cases[i].spec.measure;

		if (report->outcomes[i].state != OUTCOME_DONE ||
		    report->outcomes[i].result->precision_reached)
			continue;
		text_printf(out, "warning: %s: precision of ", scenario->cases[i].id);
		text_number(out, 100 * m->precision, 3);
		text_add(out, " % was not reached within ");
		text_number(out, m->max_sim_ms, 6);
		text_add(out, " ms of simulated time\n");
	}
}

static void print_timing(const struct report *report, struct text *out)
{
	double wall_s = 0, accesses = 0, ops = 0;

	for (size_t i = 0; i < report->scenario->count; i++) {
		if (report->outcomes[i].state != OUTCOME_DONE)
			continue;
		wall_s += report->outcomes[i].result->wall_s;
		accesses += (double)report->outcomes[i].result->accesses;
		ops += (double)report->outcomes[i].result->ops;
	}
	if (wall_s > 0)
		text_printf(out, "%.2f s of work: %.1f million accesses/s, %.2f million ops/s\n",
			    wall_s, accesses / wall_s / 1e6, ops / wall_s / 1e6);
}

void print_table(const struct report *report, struct text *out)
{
	const struct scenario *scenario = report->scenario;
	bool several = !common_machine(scenario);
	struct grid grid = {0};
	size_t start;

	print_title(scenario, out);
	add_columns(&grid);
	for (size_t i = 0; i < scenario->count; i++)
		if (report->outcomes[i].state == OUTCOME_DONE)
			add_row(&grid, &scenario->cases[i], report->outcomes[i].result, several);
	grid_print(&grid, out);
	grid_free(&grid);
	start = out->length;
	text_add(out, "\n");
	print_notes(report, out);
	print_warnings(report, out);
	if (report->timing)
		print_timing(report, out);
	if (out->length == start + 1)
		out->data[--out->length] = '\0';
}
