// SPDX-License-Identifier: GPL-3.0-or-later
/* Parts of a difference: they add up whatever the results are, and name what changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "why.h"

static struct scenario_case cases[2] = {{.id = "a"}, {.id = "b"}};
static struct case_result *results[2];

static int begin(void **state)
{
	(void)state;
	for (int side = 0; side < 2; side++)
		results[side] = calloc(1, sizeof(**results));
	return results[0] && results[1] ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	free(results[0]);
	free(results[1]);
	return 0;
}

static struct why compare(void)
{
	struct why why;

	why_compare(&why, (const struct scenario_case *[]){&cases[0], &cases[1]},
		    (const struct case_result *[]){results[0], results[1]});
	return why;
}

static void add_function(struct case_result *r, const char *name, double share)
{
	struct result_function *f = &r->functions[r->function_count++];

	snprintf(f->name, sizeof(f->name), "%s", name);
	f->self_share = share;
}

static void add_cell(struct case_result *r, const char *line, const char *field, uint8_t function,
		     double ns)
{
	uint8_t index = (uint8_t)r->line_count;

	snprintf(r->lines[index].name, sizeof(r->lines[index].name), "%s", line);
	snprintf(r->lines[index].fields[0].name, sizeof(r->lines[index].fields[0].name), "%s",
		 field);
	r->line_count++;
	r->cells[r->cell_count++] = (struct result_cell){
		index, 0, function, {.wait_ns_per_op = ns / 2, .spin_ns_per_op = ns / 2}};
}

static void assert_sums(const struct why *why)
{
	int64_t sum[2] = {0};

	for (size_t i = 0; i < why->count; i++) {
		sum[0] += why->parts[i].ps[0];
		sum[1] += why->parts[i].ps[1];
	}
	for (int side = 0; side < 2; side++) {
		assert_int_equal(sum[side], why->total[side]);
		assert_in_range(why->total[side] + 1, 1000 * why->results[side]->ns_per_op,
				1000 * why->results[side]->ns_per_op + 2);
	}
}

static const struct why_part *find(const struct why *why, const char *line, const char *function)
{
	for (size_t i = 0; i < why->count; i++)
		if (strcmp(why->parts[i].line, line) == 0 &&
		    strcmp(why->parts[i].function, function) == 0)
			return &why->parts[i];
	return NULL;
}

/* 100 ns: get 60 (40 on the line), rest 40; then get 160 (140 on the line). */
static void test_parts(void **state)
{
	struct why why;
	const struct why_part *part;

	(void)state;
	results[0]->ns_per_op = 100;
	add_function(results[0], "get", 0.6);
	add_function(results[0], "work", 0.4);
	add_cell(results[0], "bucket", "priv", 0, 40);
	results[1]->ns_per_op = 200;
	add_function(results[1], "get", 0.8);
	add_function(results[1], "work", 0.2);
	add_cell(results[1], "bucket[*]", "priv", 0, 140);
	why = compare();
	why_sort(&why, false);
	assert_sums(&why);
	assert_int_equal(why.count, 3); /* and no rest */
	part = &why.parts[0];
	assert_string_equal(part->field, "priv");
	assert_string_equal(part->function, "get");
	assert_int_equal(part->ps[0], 40000);
	assert_int_equal(part->ps[1], 140000);
	part = find(&why, WHY_WORK, "get");
	assert_non_null(part);
	assert_int_equal(part->ps[0], 20000);
	assert_int_equal(part->ps[1], 20000);
	assert_null(find(&why, WHY_OTHER, ""));
	why_free(&why);
}

/* What is in no table is a rest, and shown. */
static void test_rest(void **state)
{
	struct why why;
	const struct why_part *rest;

	(void)state;
	results[0]->ns_per_op = results[1]->ns_per_op = 100;
	add_function(results[0], "get", 1);
	add_function(results[1], "get", 0.75);
	why = compare();
	assert_sums(&why);
	rest = find(&why, WHY_OTHER, "");
	assert_non_null(rest);
	assert_int_equal(rest->ps[0], 0);
	assert_int_equal(rest->ps[1], 25000);
	why_free(&why);
}

static double draw(unsigned *seed)
{
	return rand_r(seed) % 100000 / 7.0;
}

static void draw_result(struct case_result *r, unsigned *seed)
{
	static const char *const names[] = {"a", "b[*]", "c", "d[*]", "e"};
	double time[10], all = 0;

	for (int f = 0; f < 10; f++)
		all += time[f] = draw(seed);
	for (int f = 0; f < 10; f++) {
		char name[8];

		snprintf(name, sizeof(name), "f%d", f);
		add_function(r, name, time[f] / all);
	}
	r->ns_per_op = all;
	for (int i = 0; i < 25; i++)
		add_cell(r, names[i % 5], names[rand_r(seed) % 5], (uint8_t)(rand_r(seed) % 10),
			 draw(seed) / 100);
}

static void test_random(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		unsigned seed = i;
		struct why why;

		for (int side = 0; side < 2; side++) {
			memset(results[side], 0, sizeof(**results));
			draw_result(results[side], &seed);
		}
		why = compare();
		assert_sums(&why);
		assert_null(find(&why, WHY_OTHER, ""));
		why_sort(&why, i % 2);
		assert_sums(&why);
		for (size_t p = 2; p < why.count; p++)
			if (why_same(&why.parts[0], &why.parts[p],
				     i % 2 ? WHY_BY_FUNCTION : WHY_BY_LINE))
				assert_true(why_same(&why.parts[0], &why.parts[p - 1],
						     i % 2 ? WHY_BY_FUNCTION : WHY_BY_LINE));
		why_free(&why);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_parts), TEST(test_rest), TEST(test_random)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
