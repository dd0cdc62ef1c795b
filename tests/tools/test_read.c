// SPDX-License-Identifier: GPL-3.0-or-later
/* Layers, sweeps and --set as the reader resolves them; every allocation of jansson failing once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc.h"
#include "embedded.h"
#include "scenario.h"
#include "validation.h"

static const char layered[] =
	"{ \"name\": \"n\", \"machine\": \"xeon-e5-2650\", \"kernel\": \"v6.16-rc\",\n"
	"  \"policy\": { \"slots\": 64, \"lock\": \"mcs\" },\n"
	"  \"workload\": { \"threads\": 2 },\n"
	"  \"cases\": [ { \"id\": \"a\" },\n"
	"    { \"id\": \"b\", \"kernel\": \"v6.17\", \"policy\": { \"slots\": 128 },\n"
	"      \"workload\": { \"threads\": 3 } } ],\n"
	"  \"sweep\": { \"measure.seed\": [5, 6], \"policy.lock\": [\"tas\", \"ticket\"] } }";

static bool read_input(struct reader *r, struct scenario *s, const char *text,
		       const char *const *set, size_t count)
{
	struct overrides overrides = {set, count, NULL};

	reader_init(r);
	return read_scenario_text(r, "input", text, strlen(text), &overrides, s);
}

static void later_layers_win(void **state)
{
	struct reader r;
	struct scenario s;

	(void)state;
	assert_true(read_input(&r, &s, layered, NULL, 0));
	assert_int_equal(s.count, 8);
	assert_string_equal(s.cases[0].id, "a/measure.seed=5,policy.lock=tas");
	assert_string_equal(s.cases[7].id, "b/measure.seed=6,policy.lock=ticket");
	assert_int_equal(s.cases[0].spec.policy.refcount, REFCOUNT_RCUREF);
	assert_int_equal(s.cases[7].spec.policy.refcount, REFCOUNT_PERCPU);
	assert_int_equal(s.cases[0].spec.policy.slots, 64);
	assert_int_equal(s.cases[7].spec.policy.slots, 128);
	assert_int_equal(s.cases[0].spec.policy.lock, LOCK_TAS);
	assert_int_equal(s.cases[7].spec.policy.lock, LOCK_TICKET);
	assert_int_equal(s.cases[0].spec.workload.threads, 2);
	assert_int_equal(s.cases[7].spec.workload.threads, 3);
	assert_int_equal(s.cases[2].spec.measure.seed, 6);
	assert_ptr_equal(s.cases[0].spec.machine, s.cases[7].spec.machine);
	reader_clean_up(&r);
}

static void set_wins_over_all(void **state)
{
	const char *const set[] = {"policy.slots=16", "policy.slots=\"auto\"", "workload.threads=9",
				   "kernel=v7.2"};
	struct reader r;
	struct scenario s;

	(void)state;
	assert_true(read_input(&r, &s, layered, set, 4));
	for (size_t i = 0; i < s.count; i++) {
		assert_int_equal(s.cases[i].spec.policy.slots, 0);
		assert_int_equal(s.cases[i].spec.policy.kernel, FUTEX_KERNEL_V7_2);
		assert_int_equal(s.cases[i].spec.workload.threads, 9);
		assert_int_equal(s.cases[i].spec.workload.cpus[8], 8);
	}
	reader_clean_up(&r);
}

static void wrong_set_is_usage(void **state)
{
	const char *const no_equals[] = {"policy.slots"}, *const no_path[] = {"policy.slot=5"};
	struct reader r;
	struct scenario s;

	(void)state;
	assert_false(read_input(&r, &s, layered, no_equals, 1));
	assert_int_equal(r.status, EXIT_USAGE);
	assert_string_equal(r.error.data, "--set policy.slots: no \"=\"; allowed: PATH=VALUE");
	reader_clean_up(&r);
	assert_false(read_input(&r, &s, layered, no_path, 1));
	assert_int_equal(r.status, EXIT_USAGE);
	assert_non_null(strstr(r.error.data, "(did you mean \"policy.slots\"?)"));
	reader_clean_up(&r);
}

static void every_setting_has_a_path(void **state)
{
	struct reader r;

	(void)state;
	reader_init(&r);
	for (enum setting s = 0; s < SETTING_COUNT; s++)
		assert_int_equal(setting_by_path(setting_path(&r, s)), s);
	assert_int_equal(setting_by_path("policy"), SETTING_COUNT);
	assert_int_equal(setting_by_path("policy."), SETTING_COUNT);
	assert_int_equal(setting_by_path("policyXslots"), SETTING_COUNT);
	assert_int_equal(setting_by_path(""), SETTING_COUNT);
	reader_clean_up(&r);
}

static void assert_scenario_reads(struct reader *r, const char *path)
{
	const struct embedded_file *file = embedded_find(path);
	const struct overrides none = {0};
	struct scenario s;

	assert_non_null(file);
	if (!read_scenario_text(r, path, file->text, file->length, &none, &s))
		fail_msg("%s", r->error.data);
}

static void shipped_files_are_sound(void **state)
{
	struct reader r;
	const char *name;
	size_t i = 0;

	(void)state;
	reader_init(&r);
	r.no_files = true;
	for (; (name = embedded_name(&r, "scenarios/machines/", i)); i++)
		assert_string_equal(shipped_machine(&r, name)->name, name);
	assert_true(i >= 8);
	for (i = 0; (name = embedded_name(&r, "scenarios/", i)); i++)
		assert_scenario_reads(&r, reader_printf(&r, "scenarios/%s.json", name));
	assert_true(i >= 5);
	reader_clean_up(&r);
}

/* Every row of the index, with the published spread where there is one. */
static void shipped_tables_are_sound(void **state)
{
	const struct names all = {0};
	const struct overrides none = {0};
	struct validation v;
	struct tables tables;
	struct reader r;
	size_t with_spread = 0;

	(void)state;
	reader_init(&r);
	r.no_files = true;
	assert_true(read_tables(&r, &tables));
	assert_true(validation_read(&r, &tables, &all, &none, &v));
	assert_int_equal(v.table_count, tables.count);
	for (size_t i = 0; i < v.table_count; i++)
		assert_true(v.tables[i].spec->target.present);
	for (size_t i = 0; i < v.scenario.count; i++)
		with_spread += v.scenario.cases[i].expect.stddev_pct >= 0;
	assert_int_equal(v.scenario.count, 209); /* of 221 records, 12 have no case */
	assert_int_equal(with_spread, 16); /* the 2025 table of two Xeons, and "all" on POWER */
	reader_clean_up(&r);
}

/* ---- Allocations that fail -------------------------------------------------- */

/* The linker sends the command's calls here (--wrap); jansson allocates through the command. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);

static size_t allocations_left = SIZE_MAX;

static bool may_allocate(void)
{
	if (allocations_left != SIZE_MAX && allocations_left-- == 0) {
		allocations_left = SIZE_MAX;
		return false;
	}
	return true;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *p, size_t size)
{
	return may_allocate() ? __real_realloc(p, size) : NULL;
}

/* Exit status of a process that reads the text with the allocation after `count` failing. */
static int status_with(size_t count, const char *text, const char *const *set, size_t set_count)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct reader r;
		struct scenario s;
		bool done;

		fclose(stderr);
		allocations_left = count;
		done = read_input(&r, &s, text, set, set_count);
		reader_clean_up(&r);
		_exit(done ? EXIT_DONE : 99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void failing_allocations_end_with_status_1(void **state)
{
	static const char text[] =
		"{ \"name\": \"n\", \"machine\": \"spr-vm-2\", \"cases\": [ { \"id\": \"a\" } ],\n"
		"  \"sweep\": { \"workload.placement\": [[0, 1], [1]] } }";
	const char *const set[] = {"policy.slots=auto", "measure.precision=0.5"};
	size_t count = 0;
	int status;

	(void)state;
	while ((status = status_with(count, text, set, 2)) == EXIT_UNFINISHED)
		count++;
	assert_int_equal(status, EXIT_DONE);
	assert_true(count > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_layers_win),
		cmocka_unit_test(set_wins_over_all),
		cmocka_unit_test(wrong_set_is_usage),
		cmocka_unit_test(every_setting_has_a_path),
		cmocka_unit_test(shipped_files_are_sound),
		cmocka_unit_test(shipped_tables_are_sound),
		cmocka_unit_test(failing_allocations_end_with_status_1),
	};

	alloc_for_json();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
