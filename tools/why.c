// SPDX-License-Identifier: GPL-3.0-or-later
#include "why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

enum { PARTS_MAX = 2 * (RESULT_CELLS_MAX + RESULT_FUNCTIONS_MAX + 2) };

/* "bucket[*]" and "bucket" are the same thing on more or fewer lines. */
static bool same_line(const char *a, const char *b)
{
	size_t x = strcspn(a, "["), y = strcspn(b, "[");

	if (!x || !y)
		return strcmp(a, b) == 0;
	return x == y && strncmp(a, b, x) == 0;
}

static struct why_part *part_of(struct why *why, const char *line, const char *field,
				const char *function)
{
	struct why_part *p = why->parts;

	for (; p < why->parts + why->count; p++)
		if (same_line(p->line, line) && strcmp(p->field, field) == 0 &&
		    strcmp(p->function, function) == 0)
			return p;
	*p = (struct why_part){.line = line, .field = field, .function = function};
	why->count++;
	return p;
}

static void add_cells(struct why *why, int side)
{
	const struct case_result *r = why->results[side];

	for (uint32_t i = 0; i < r->cell_count; i++) {
		const struct result_cell *c = &r->cells[i];
		const struct result_line *line = &r->lines[c->line];
		struct why_part *part = part_of(why, line->name, line->fields[c->field].name,
						result_function_name(r, c->function));

		part->ns[side] += counts_ns(&c->counts);
	}
}

/* A function's own time less what it spent on lines. */
static void add_work(struct why *why, int side)
{
	const struct case_result *r = why->results[side];

	for (uint32_t f = 0; f < r->function_count; f++) {
		double ns = r->functions[f].self_share * r->ns_per_op;

		for (uint32_t i = 0; i < r->cell_count; i++)
			if (r->cells[i].function == f)
				ns -= counts_ns(&r->cells[i].counts);
		part_of(why, WHY_WORK, "", r->functions[f].name)->ns[side] += ns;
	}
}

static void add_rest(struct why *why, int side)
{
	double rest = why->results[side]->ns_per_op;

	for (size_t i = 0; i < why->count; i++)
		rest -= why->parts[i].ns[side];
	part_of(why, WHY_OTHER, "", "")->ns[side] = rest;
}

/* Rounds the running sum, so that no rounding error is left over at the end. */
static void round_parts(struct why *why, int side)
{
	int64_t before = 0;
	double sum = 0;

	for (size_t i = 0; i < why->count; i++) {
		sum += why->parts[i].ns[side];
		why->parts[i].ps[side] = llround(1000 * sum) - before;
		before += why->parts[i].ps[side];
	}
	why->total[side] = before;
}

static void drop_empty(struct why *why)
{
	size_t kept = 0;

	for (size_t i = 0; i < why->count; i++)
		if (why->parts[i].ps[0] || why->parts[i].ps[1])
			why->parts[kept++] = why->parts[i];
	why->count = kept;
}

void why_compare(struct why *why, const struct scenario_case *const cases[2],
		 const struct case_result *const results[2])
{
	*why = (struct why){.cases = {cases[0], cases[1]}, .results = {results[0], results[1]}};
	why->parts = xcalloc(PARTS_MAX, sizeof(*why->parts));
	for (int side = 0; side < 2; side++) {
		add_cells(why, side);
		add_work(why, side);
	}
	for (int side = 0; side < 2; side++)
		add_rest(why, side);
	for (int side = 0; side < 2; side++)
		round_parts(why, side);
	drop_empty(why);
}

void why_free(struct why *why)
{
	free(why->parts);
	*why = (struct why){0};
}

bool why_same(const struct why_part *a, const struct why_part *b, enum why_level level)
{
	if (level == WHY_BY_FUNCTION)
		return strcmp(a->function, b->function) == 0;
	return same_line(a->line, b->line) &&
	       (level == WHY_BY_LINE || strcmp(a->field, b->field) == 0);
}

void why_sum(const struct why *why, const struct why_part *part, enum why_level level,
	     int64_t sum[2])
{
	sum[0] = sum[1] = 0;
	for (size_t i = 0; i < why->count; i++) {
		if (!why_same(&why->parts[i], part, level))
			continue;
		sum[0] += why->parts[i].ps[0];
		sum[1] += why->parts[i].ps[1];
	}
}

/* ---- Order ---------------------------------------------------------------------- */

static const struct why *sorted;

static int64_t distance(const int64_t ps[2])
{
	return llabs(ps[1] - ps[0]);
}

static int by_name(const struct why_part *a, const struct why_part *b)
{
	int order = strcmp(a->line, b->line);

	return order != 0 ? order : strcmp(a->field, b->field);
}

static int by_group(const struct why_part *a, const struct why_part *b, enum why_level level)
{
	int64_t x[2], y[2];

	if (why_same(a, b, level))
		return 0;
	why_sum(sorted, a, level, x);
	why_sum(sorted, b, level, y);
	if (distance(x) != distance(y))
		return distance(x) < distance(y) ? 1 : -1;
	if (level == WHY_BY_FUNCTION)
		return strcmp(a->function, b->function);
	return by_name(a, b);
}

static int by_itself(const struct why_part *a, const struct why_part *b)
{
	if (distance(a->ps) != distance(b->ps))
		return distance(a->ps) < distance(b->ps) ? 1 : -1;
	int order = strcmp(a->function, b->function);

	return order != 0 ? order : by_name(a, b);
}

static int by_line(const void *a, const void *b)
{
	int order = by_group(a, b, WHY_BY_LINE);

	if (!order)
		order = by_group(a, b, WHY_BY_FIELD);
	return order ? order : by_itself(a, b);
}

static int by_function(const void *a, const void *b)
{
	int order = by_group(a, b, WHY_BY_FUNCTION);

	return order ? order : by_itself(a, b);
}

/* Sorted apart from what the sums are taken over. */
void why_sort(struct why *why, bool functions)
{
	size_t size = why->count * sizeof(*why->parts);
	struct why before = *why;

	before.parts = xcalloc(why->count + 1, sizeof(*why->parts));
	memcpy(before.parts, why->parts, size);
	sorted = &before;
	qsort(why->parts, why->count, sizeof(*why->parts), functions ? by_function : by_line);
	sorted = NULL;
	free(before.parts);
}
