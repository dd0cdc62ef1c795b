/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What instrumented code may and may not do: every atomic at every width
 * against C11 on the host, costs, and the two ways to be caught.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrumented.h"
#include "random.h"
#include "rig.h"
#include "test.h"
#include "trace.h"

static struct machine_profile profile;
static uint32_t *memory;

static const struct plat_field fields[] = {{"lock", 4, 4}};
static const struct plat_type bucket = {"bucket", PLAT_CAT_BUCKET_LINE, 1, fields};

static int begin(void **state)
{
	(void)state;
	profile = test_machine();
	rig_begin(&profile, 2);
	memory = rig_lines(16, 0);
	plat_name(memory, &bucket, 16, 64);
	return 0;
}

static int end(void **state)
{
	(void)state;
	rig_end();
	return 0;
}

static void run(void (*body)(void *arg))
{
	os_task_start(0, body, NULL);
	rig_run();
}

/* ---- Values ------------------------------------------------------------------ */

static gsl_rng *values;

/* Each operation on the arena and, by the host's own atomics, on a copy. */
#define DEFINE_COMPARE(bits)                                                                       \
	static void compare##bits(uint32_t operation, _Atomic(uint##bits##_t) *p,                  \
				  _Atomic(uint##bits##_t) *copy)                                   \
	{                                                                                          \
		uint64_t wide = (uint64_t)sim_random_u32(values) << 32 | sim_random_u32(values);   \
		uint##bits##_t v = (uint##bits##_t)wide, seen, seen_copy;                          \
                                                                                                   \
		seen = seen_copy = sim_random_below(values, 2) ? atomic_load(copy) : v;            \
		switch (operation) {                                                               \
		case 0:                                                                            \
			test_store##bits(p, v);                                                    \
			atomic_store(copy, v);                                                     \
			break;                                                                     \
		case 1:                                                                            \
			assert_true(test_exchange##bits(p, v) == atomic_exchange(copy, v));        \
			break;                                                                     \
		case 2:                                                                            \
			assert_true(test_add##bits(p, v) == atomic_fetch_add(copy, v));            \
			break;                                                                     \
		case 3:                                                                            \
			assert_true(test_sub##bits(p, v) == atomic_fetch_sub(copy, v));            \
			break;                                                                     \
		case 4:                                                                            \
			assert_true(test_and##bits(p, v) == atomic_fetch_and(copy, v));            \
			break;                                                                     \
		case 5:                                                                            \
			assert_true(test_or##bits(p, v) == atomic_fetch_or(copy, v));              \
			break;                                                                     \
		case 6:                                                                            \
			assert_true(test_xor##bits(p, v) == atomic_fetch_xor(copy, v));            \
			break;                                                                     \
		case 7:                                                                            \
			assert_int_equal(test_strong##bits(p, &seen, v),                           \
					 atomic_compare_exchange_strong(copy, &seen_copy, v));     \
			assert_true(seen == seen_copy);                                            \
			break;                                                                     \
		case 8:                                                                            \
			assert_int_equal(test_weak##bits(p, &seen, v),                             \
					 atomic_compare_exchange_strong(copy, &seen_copy, v));     \
			assert_true(seen == seen_copy);                                            \
			break;                                                                     \
		}                                                                                  \
		assert_true(test_load##bits(p) == atomic_load(copy));                              \
	}

DEFINE_COMPARE(8)
DEFINE_COMPARE(16)
DEFINE_COMPARE(32)
DEFINE_COMPARE(64)

static void all_operations(void *arg)
{
	static _Alignas(8) unsigned char copy[64];

	(void)arg;
	memset(copy, 0, sizeof(copy));
	for (uint32_t i = 0; i < 4000; i++) {
		uint32_t at = 8 * (uint32_t)sim_random_below(values, 8), operation = i % 9;
		char *p = (char *)memory + at;
		void *host = copy + at;

		switch (sim_random_below(values, 4)) {
		case 0:
			compare8(operation, (void *)p, host);
			break;
		case 1:
			compare16(operation, (void *)p, host);
			break;
		case 2:
			compare32(operation, (void *)p, host);
			break;
		default:
			compare64(operation, (void *)p, host);
		}
		assert_memory_equal(sim.memory.backing + sim_memory_offset(&sim.memory, memory),
				    copy, sizeof(copy));
	}
}

static void test_atomics_do_what_c11_says(void **state)
{
	(void)state;
	values = sim_random_new(8, 0, SIM_RANDOM_TEST);
	run(all_operations);
	gsl_rng_free(values);
}

static void test_setup_costs_nothing(void **state)
{
	(void)state;
	assert_int_equal(test_add32((void *)memory, 5), 0);
	assert_int_equal(test_load32((void *)memory), 5);
	assert_int_equal(sim.cpus[0].now, 0);
	assert_int_equal(sim.cpus[0].accesses, 0);
}

/* ---- Costs -------------------------------------------------------------------- */

static void private_memory(void *arg)
{
	uint32_t plain[4] = {1, 2, 3, 4};

	(void)arg;
	assert_int_equal(test_private(100), 300);
	assert_int_equal(test_plain_load(&plain[2]), 3);
	test_plain_store(&plain[2], 9);
	assert_int_equal(plain[2], 9);
	test_plain_clear(plain, sizeof(plain));
	assert_int_equal(plain[2], 0);
	assert_int_equal(sim.current->now, 0);
	assert_int_equal(sim.current->accesses, 0);
}

static void test_private_memory_is_free(void **state)
{
	(void)state;
	run(private_memory);
	assert_int_equal(sim.cpus[0].events, 2); /* its start and its end */
}

static sim_time cost_of(void (*operation)(void))
{
	sim_time began = rig_now();

	operation();
	return rig_now() - began;
}

static void one_load(void)
{
	test_load32((void *)memory);
}

static void one_store(void)
{
	test_store8((void *)memory, 1);
}

static void one_rmw(void)
{
	test_or64((void *)memory, 1);
}

static void one_failing_cas(void)
{
	uint16_t expected = 99;

	assert_false(test_strong16((void *)memory, &expected, 3));
}

static void costs(void *arg)
{
	(void)arg;
	assert_int_equal(cost_of(one_rmw), 80 * SIM_NS); /* from memory */
	assert_int_equal(cost_of(one_rmw), 8 * SIM_NS);
	assert_int_equal(cost_of(one_load), 2 * SIM_NS);
	assert_int_equal(cost_of(one_store), 2 * SIM_NS);
	assert_int_equal(cost_of(one_failing_cas), 8 * SIM_NS);
	assert_int_equal(cost_of(test_fence), 9 * SIM_NS);
	assert_int_equal(cost_of(test_acquire_fence), 0);
	assert_int_equal(sim.current->accesses, 5);
}

static void test_costs(void **state)
{
	(void)state;
	run(costs);
	assert_int_equal(sim.cpus[0].cost[PLAT_CAT_BUCKET_LINE], (80 + 8 + 2 + 2 + 8) * SIM_NS);
	assert_int_equal(sim.cpus[0].cost[SIM_COST_WORK], 9 * SIM_NS);
}

/* ---- Tracing ------------------------------------------------------------------- */

static char trace_text[400];

static void write_trace(void *arg, unsigned cpu, enum sim_access_kind kind, const char *object,
			const char *field, int order)
{
	static const char *const kinds[] = {"load", "store", "rmw", "percpu", "fence"};
	size_t used = strlen(trace_text);

	(void)arg;
	snprintf(trace_text + used, sizeof(trace_text) - used, "%u %s %s %s %d\n", cpu, kinds[kind],
		 object ? object : "-", field ? field : "-", order);
}

static void traced(void *arg)
{
	(void)arg;
	test_load32((void *)(memory + 1));
	test_store32((void *)(memory + 16), 1);
	test_add32((void *)(memory + 17), 1);
	test_fence();
	test_private(1);
}

static void test_trace(void **state)
{
	(void)state;
	sim_trace_set(write_trace, NULL);
	trace_text[0] = 0;
	test_load32((void *)memory); /* set-up is not traced */
	run(traced);
	sim_trace_set(NULL, NULL);
	assert_string_equal(trace_text, "0 load bucket[0] lock 2\n"
					"0 store bucket[1] - 3\n"
					"0 rmw bucket[1] lock 5\n"
					"0 fence - - 5\n");
}

/* ---- Caught ---------------------------------------------------------------------- */

/* Runs the body in a child; returns what it wrote to stderr before it aborted. */
static const char *last_words(void (*body)(void *arg))
{
	static char words[4096];
	ssize_t used = 0, got;
	int pipes[2], status;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		signal(SIGABRT, SIG_DFL);
		dup2(pipes[1], STDERR_FILENO);
		os_task_start(0, body, NULL);
		sim_engine_run();
		_exit(0);
	}
	close(pipes[1]);
	while ((got = read(pipes[0], words + used, sizeof(words) - 1 - (size_t)used)) > 0)
		used += got;
	words[used] = 0;
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	return words;
}

static uint32_t *bucket_at(size_t index)
{
	return memory + index * 16;
}

static void plain_load(void *arg)
{
	(void)arg;
	test_plain_load(bucket_at(3));
}

static void plain_store(void *arg)
{
	(void)arg;
	test_plain_store(bucket_at(4), 1);
}

static void volatile_load(void *arg)
{
	(void)arg;
	test_volatile_load((const volatile uint64_t *)(const void *)memory);
}

static void clear(void *arg)
{
	(void)arg;
	test_plain_clear(bucket_at(5), 64);
}

static void test_plain_access_aborts(void **state)
{
	(void)state;
	assert_non_null(
		strstr(last_words(plain_load), "plain load of bucket[3] at code address 0x"));
	assert_non_null(
		strstr(last_words(plain_store), "plain store of bucket[4] at code address 0x"));
	assert_non_null(strstr(last_words(volatile_load), "load of bucket[0]"));
	assert_non_null(strstr(last_words(clear), "of bucket[5]"));
}

static void use_after_free(void *arg)
{
	uint32_t *block = plat_alloc(64, 64, 0);

	(void)arg;
	plat_name(block, &bucket, 1, 64);
	add(block);
	rig_at(1000 * SIM_NS);
	plat_free(block);
	rig_at(1234 * SIM_NS);
	load(block);
}

static void test_use_after_free_is_reported(void **state)
{
	(void)state;
	os_task_start(1, use_after_free, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(sim.failure, "use after free: bucket touched by CPU 1 at 1234000 ps; "
					 "freed by CPU 1 at 1000000 ps");
}

static void never_touched_after_free(void *arg)
{
	uint32_t *block = plat_alloc(64, 64, 0);

	(void)arg;
	plat_free(block);
	add(block);
}

static void test_first_touch_after_free_is_reported(void **state)
{
	(void)state;
	os_task_start(0, never_touched_after_free, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(sim.failure,
			    "use after free: ? touched by CPU 0 at 0 ps; freed by CPU 0 at 0 ps");
}

static void free_at_50(void *arg)
{
	(void)arg;
	rig_at(50 * SIM_NS);
	sim_sync(sim.current, sim.current->now);
	plat_free(memory);
}

static void fetch_from_memory(void *arg)
{
	(void)arg;
	add(memory); /* takes 80 ns */
}

/* A transfer that ends after the memory was freed is a use after free, too. */
static void test_free_under_a_transfer_is_reported(void **state)
{
	(void)state;
	os_task_start(0, fetch_from_memory, NULL);
	os_task_start(1, free_at_50, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(sim.failure, "use after free: bucket[0] touched by CPU 0 at 80000 ps; "
					 "freed by CPU 1 at 50000 ps");
}

static void twice(void *arg)
{
	(void)arg;
	plat_free(memory);
	plat_free(memory);
}

static void test_double_free_is_reported(void **state)
{
	(void)state;
	os_task_start(0, twice, NULL);
	assert_int_equal(sim_engine_run(), -1);
	assert_string_equal(
		sim.failure,
		"freed twice: bucket[0] by CPU 0 at 0 ps; before that by CPU 0 at 0 ps");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_atomics_do_what_c11_says),
		TEST(test_setup_costs_nothing),
		TEST(test_private_memory_is_free),
		TEST(test_costs),
		TEST(test_trace),
		TEST(test_plain_access_aborts),
		TEST(test_use_after_free_is_reported),
		TEST(test_first_touch_after_free_is_reported),
		TEST(test_free_under_a_transfer_is_reported),
		TEST(test_double_free_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
