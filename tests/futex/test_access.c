// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The accesses of one operation in steady state are those of its hand-written
 * list, one for one. The recorder sees them in one build of this, the simulator in
 * the other. Usage: test_access DIRECTORY-OF-LISTS
 */

#include "cmocka_all.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "access_list.h"
#include "record.h"

enum { LISTS_MAX = 128 };

static struct access_list lists[LISTS_MAX];
static size_t list_count;

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

	assert_non_null(found);
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

	assert_non_null(found);
	for (size_t i = 0; i < count; i++)
		assert_true(access_list_difference(list, found, count, i) != SIZE_MAX);
}

/* What a file must be about for its name: KERNEL-NAME.txt. */
static const struct needed {
	const char *name;
	enum list_op op;
	bool shared;
	unsigned sleepers;
} needed[] = {
	{"wait-private", OP_WAIT, false, 0}, {"wake-private", OP_WAKE, false, 0},
	{"wait-shared", OP_WAIT, true, 0},   {"wake-shared", OP_WAKE, true, 0},
	{"sleep", OP_SLEEP, false, 1},       {"timeout", OP_TIMEOUT, false, 0},
	{"wake-1", OP_WAKE, false, 1},       {"wake-2", OP_WAKE, false, 2},
	{"requeue", OP_REQUEUE, false, 2},
};

static bool is_needed(const struct access_list *list, const struct needed *n)
{
	return list->op == n->op && list->shared == n->shared && list->sleepers == n->sleepers;
}

static bool has_list(enum futex_kernel kernel, const struct needed *n)
{
	char file[64];

	snprintf(file, sizeof(file), "%s-%s.txt", futex_kernel_name(kernel), n->name);
	for (size_t i = 0; i < list_count; i++)
		if (strcmp(lists[i].file, file) == 0 && lists[i].policy.kernel == kernel &&
		    is_needed(&lists[i], n))
			return true;
	fprintf(stderr, "no list %s\n", file);
	return false;
}

static void test_every_generation_has_lists(void **state)
{
	(void)state;
	for (int kernel = 0; kernel < FUTEX_KERNEL_COUNT; kernel++)
		for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
			assert_true(has_list(kernel, &needed[i]));
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
	};

	if (argc != 2) {
		fprintf(stderr, "usage: test_access DIRECTORY\n");
		return 2;
	}
	read_lists(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL) + run_lists();
}
