/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time by function: the tree of contexts by itself, then instrumented code in a run. */
#include <string.h>

#include "functions.h"
#include "instrumented.h"
#include "rig.h"
#include "test.h"

static struct sim_contexts contexts;
enum { FUNCTIONS = 1000 };

static char code[16 * FUNCTIONS]; /* addresses that stand for functions */

static int begin(void **state)
{
	(void)state;
	sim_contexts_init(&contexts);
	return 0;
}

static int end(void **state)
{
	(void)state;
	sim_contexts_clean_up(&contexts);
	return 0;
}

static struct sim_context *enter(struct sim_context *caller, uint32_t function)
{
	return sim_context_find(&contexts, caller, &code[(size_t)16 * function], false);
}

static void test_same_chain_same_context(void **state)
{
	struct sim_context *root = &contexts.root, *a = enter(root, 1), *b = enter(a, 2);

	(void)state;
	assert_ptr_equal(root->parent, root);
	assert_ptr_equal(a->parent, root);
	assert_ptr_equal(b->parent, a);
	assert_ptr_equal(enter(root, 1), a);
	assert_ptr_equal(enter(a, 2), b);
	assert_true(enter(root, 2) != b);
}

/* The table of callees grows until each has its place; a full one has the last one met. */
static void test_many_callees(void **state)
{
	struct sim_context *callee[FUNCTIONS];

	(void)state;
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		callee[f] = enter(&contexts.root, f);
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		assert_ptr_equal(enter(&contexts.root, f), callee[f]);
		assert_ptr_equal(sim_callee_of(&contexts.root, callee[f]->pc)->context, callee[f]);
		assert_ptr_equal(sim_callee_of(&contexts.root, callee[f]->pc)->pc, callee[f]->pc);
	}
}

static void test_deep_calls(void **state)
{
	struct sim_context *c = &contexts.root;

	(void)state;
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		c = enter(c, f);
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		c = c->parent;
	assert_ptr_equal(c, &contexts.root);
}

static const struct sim_function *named(const struct sim_function *f, uint32_t count,
					const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(f[i].name, name))
			return &f[i];
	fail_msg("no function called %s", name);
	return NULL;
}

/* f0 = test_outer, f1 = test_inner; recursion counts once in `total`. */
static void test_sums(void **state)
{
	const void *outer = (const void *)(uintptr_t)test_outer;
	const void *inner = (const void *)(uintptr_t)test_inner;
	struct sim_context *root = &contexts.root;
	struct sim_context *a = sim_context_find(&contexts, root, outer, true);
	struct sim_context *b = sim_context_find(&contexts, a, inner, true);
	struct sim_context *unnamed = enter(b, 7);
	struct sim_context *again = sim_context_find(&contexts, unnamed, outer, true);
	struct sim_context *alone = sim_context_find(&contexts, root, inner, true);
	struct sim_function f[4];

	(void)state;
	a->self = 100;
	b->self = 30;
	unnamed->self = 5; /* goes to its caller, test_inner */
	again->self = 1;
	alone->self = 1000;
	assert_int_equal(sim_functions_sum(&contexts, f, 4), 2);
	assert_string_equal(f[0].name, "test_inner"); /* most self time first */
	assert_int_equal(f[0].self, 30 + 5 + 1000);
	assert_int_equal(f[0].total, 30 + 5 + 1 + 1000);
	assert_int_equal(f[1].self, 100 + 1);
	assert_int_equal(f[1].total, 100 + 30 + 5 + 1);
	assert_int_equal(sim_functions_sum(&contexts, f, 1), 1);
	sim_contexts_reset(&contexts);
	assert_int_equal(sim_functions_sum(&contexts, f, 4), 0);
}

static void task(void *arg)
{
	for (int i = 0; i < 10; i++)
		test_outer(arg);
}

/* test_outer makes one RMW and calls test_inner, which makes two. */
static void test_instrumented_code(void **state)
{
	const struct machine_profile profile = test_machine();
	const struct sim_function *outer, *inner;
	struct sim_function f[8];
	uint32_t count;

	(void)state;
	rig_begin(&profile, 1);
	os_task_start(0, task, rig_lines(1, 0));
	rig_run();
	count = sim_functions_sum(&sim.contexts, f, 8);
	assert_int_equal(count, 2);
	outer = named(f, count, "test_outer");
	inner = named(f, count, "test_inner");
	assert_int_equal(inner->total, 20 * (8 * SIM_NS));
	assert_int_equal(inner->self, inner->total);
	/* The very first RMW came from memory. */
	assert_int_equal(outer->self, (9 * 8 + 80) * SIM_NS);
	assert_int_equal(outer->total, sim.cpus[0].now);
	assert_ptr_equal(sim.cpus[0].context, &sim.contexts.root);
	rig_end();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_same_chain_same_context),
		TEST(test_many_callees),
		TEST(test_deep_calls),
		TEST(test_sums),
		TEST(test_instrumented_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
