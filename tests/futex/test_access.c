// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The accesses of one operation in steady state are those of its hand-written
 * list, one for one. Usage: test_access DIRECTORY-OF-LISTS
 */

#include "cmocka_all.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "access_list.h"
#include "futex/futex.h"

enum { LISTS_MAX = 128, SLOTS = 16, WARM_UP = 3 };

static struct access_list lists[LISTS_MAX];
static size_t list_count;

static const struct plat_type futex_type = {"futex", PLAT_CAT_USER_WORD, 0, NULL};

static void operate(const struct access_list *list, struct futex_task *task,
		    _Atomic(uint32_t) *word)
{
	if (list->wake)
		assert_int_equal(futex_wake(task, word, 1, list->shared), 0);
	else
		assert_int_equal(futex_wait(task, word, 1234, list->shared), -EWOULDBLOCK);
}

static struct futex_policy resolved(const struct access_list *list)
{
	struct futex_policy policy = list->policy;

	policy.slots = SLOTS;
	return policy;
}

static _Atomic(uint32_t) *create_word(struct futex_mm *mm)
{
	void *region = plat_alloc_user(plat_page_size(), 0);

	plat_name(region, &futex_type, plat_page_size() / 4, 4);
	futex_mm_map(mm, region, plat_page_size(), 0);
	return (_Atomic(uint32_t) *)region + 5;
}

/* Runs the operation a few times and records the last. */
static const struct access *record(const struct access_list *list, size_t *count)
{
	struct recorder_machine machine = {.line_size = list->ppc ? 128 : 64,
					   .page_size = list->ppc ? 65536 : 4096,
					   .cpus = 4,
					   .nodes = 2};
	struct futex_policy policy = resolved(list);
	const struct access *found;
	struct futex_task *task;
	struct futex_mm *mm;
	_Atomic(uint32_t) *word;

	recorder_reset(&machine);
	mm = futex_mm_create(&policy, 0);
	word = create_word(mm);
	task = futex_task_create(mm, 0);
	for (int i = 0; i < WARM_UP; i++)
		operate(list, task, word);
	recorder_start();
	operate(list, task, word);
	found = recorder_stop(count);
	futex_mm_destroy(mm);
	return found;
}

static void show_difference(const struct access_list *list, const struct access *found,
			    size_t count, size_t at)
{
	fprintf(stderr, "%s: access %zu differs; list:\n", list->file, at + 1);
	for (size_t i = 0; i < list->count; i++)
		access_print(stderr, &list->entry[i].access);
	fprintf(stderr, "recorded:\n");
	for (size_t i = 0; i < count; i++)
		access_print(stderr, &found[i]);
}

static void test_list(void **state)
{
	const struct access_list *list = *state;
	size_t count, at;
	const struct access *found = record(list, &count);

	at = access_list_difference(list, found, count, SIZE_MAX);
	if (at != SIZE_MAX)
		show_difference(list, found, count, at);
	assert_true(at == SIZE_MAX);
}

/* The comparison notices the loss of any one access. */
static void test_every_access_counts(void **state)
{
	const struct access_list *list = *state;
	size_t count;
	const struct access *found = record(list, &count);

	for (size_t i = 0; i < count; i++)
		assert_true(access_list_difference(list, found, count, i) != SIZE_MAX);
}

static bool has_list(enum futex_kernel kernel, bool wake, bool shared)
{
	char file[64];

	snprintf(file, sizeof(file), "%s-%s-%s.txt", futex_kernel_name(kernel),
		 wake ? "wake" : "wait", shared ? "shared" : "private");
	for (size_t i = 0; i < list_count; i++)
		if (strcmp(lists[i].file, file) == 0 && lists[i].policy.kernel == kernel &&
		    lists[i].wake == wake && lists[i].shared == shared)
			return true;
	fprintf(stderr, "no list %s\n", file);
	return false;
}

static void test_every_generation_has_lists(void **state)
{
	(void)state;
	for (int kernel = 0; kernel < FUTEX_KERNEL_COUNT; kernel++)
		for (int i = 0; i < 4; i++)
			assert_true(has_list(kernel, i & 1, i & 2));
}

/* Work is charged where an operation does it. */
static void test_work(void **state)
{
	struct access_list list = {.policy = futex_policy_preset(FUTEX_KERNEL_V6_15, false)};
	size_t count;

	(void)state;
	record(&list, &count);
	for (int kind = PLAT_WORK_SYSCALL; kind < PLAT_WORK_COUNT; kind++)
		assert_int_equal(recorder_work_count(kind), kind != PLAT_WORK_KEY_SHARED);
	assert_int_equal(recorder_cycles(), 29);
	list.wake = true;
	list.shared = true;
	record(&list, &count);
	assert_int_equal(recorder_work_count(PLAT_WORK_KEY_SHARED), 1);
	assert_int_equal(recorder_work_count(PLAT_WORK_LOCK), 0);
	assert_int_equal(recorder_work_count(PLAT_WORK_USER_READ), 0);
}

static int is_list(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".txt") == 0;
}

static void read_lists(const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, is_list, alphasort);

	if (count <= 0 || count > LISTS_MAX) {
		fprintf(stderr, "%s: no lists, or too many\n", directory);
		exit(1);
	}
	for (int i = 0; i < count; i++) {
		if (!access_list_read(&lists[list_count++], directory, entries[i]->d_name))
			exit(1);
		free(entries[i]);
	}
	free(entries);
}

static int run_lists(void)
{
	static struct CMUnitTest tests[2 * LISTS_MAX];

	for (size_t i = 0; i < list_count; i++) {
		tests[2 * i] = (struct CMUnitTest){lists[i].file, test_list, NULL, NULL, &lists[i]};
		tests[2 * i + 1] =
			(struct CMUnitTest){"every access of it counts", test_every_access_counts,
					    NULL, NULL, &lists[i]};
	}
	return _cmocka_run_group_tests("lists", tests, 2 * list_count, NULL, NULL);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_generation_has_lists),
		cmocka_unit_test(test_work),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: test_access DIRECTORY\n");
		return 2;
	}
	read_lists(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL) + run_lists();
}
