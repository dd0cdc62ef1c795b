// SPDX-License-Identifier: GPL-3.0-or-later
#include "access_list.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"load", "store", "rmw", "fence", "percpu"};
static const char *const op_names[] = {"wait", "wake", "sleep", "timeout", "requeue"};
static const char *const order_names[] = {"relaxed", "consume", "acquire",
					  "release", "acq_rel", "seq_cst"};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static int index_of(const char *const *names, int count, const char *word)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], word) == 0)
			return i;
	return -1;
}

/* Position of `word` in an enumeration whose names end with NULL, or -1. */
#define NAMED(name_of, word)                                                                       \
	({                                                                                         \
		int at = 0;                                                                        \
		while (name_of(at) && strcmp(name_of(at), (word)) != 0)                            \
			at++;                                                                      \
		name_of(at) ? at : -1;                                                             \
	})

static int refcount_of(const char *word)
{
	for (int i = 0; i < REFCOUNT_KIND_COUNT; i++)
		if (strcmp(refcount_name(i), word) == 0)
			return i;
	return -1;
}

static int lock_of(const char *word)
{
	for (int i = 0; i < LOCK_KIND_COUNT; i++)
		if (strcmp(lock_class_of(i)->name, word) == 0)
			return i;
	return -1;
}

static int bool_of(const char *word)
{
	static const char *const names[] = {"false", "true"};

	return index_of(names, COUNT(names), word);
}

static bool set_flag(struct futex_policy *p, const char *key, int value)
{
	if (strcmp(key, "resizable") == 0)
		p->resizable = value > 0;
	else if (strcmp(key, "back_pointer") == 0)
		p->back_pointer = value > 0;
	else if (strcmp(key, "barrier_a") == 0)
		p->barrier_a = value > 0;
	else if (strcmp(key, "barrier_b") == 0)
		p->barrier_b = value > 0;
	else
		return false;
	return value >= 0;
}

static bool set_policy(struct futex_policy *p, const char *key, const char *word)
{
	int v;

	if (strcmp(key, "scope") == 0)
		p->scope = v = NAMED(futex_scope_name, word);
	else if (strcmp(key, "empty_check") == 0)
		p->empty_check = v = NAMED(futex_empty_check_name, word);
	else if (strcmp(key, "refcount") == 0)
		p->refcount = v = refcount_of(word);
	else if (strcmp(key, "lock") == 0)
		p->lock = v = lock_of(word);
	else
		return set_flag(p, key, bool_of(word));
	return v >= 0;
}

static bool set_kernel(struct access_list *list, const char *word)
{
	int kernel = NAMED(futex_kernel_name, word);

	if (kernel >= 0)
		list->policy = futex_policy_preset(kernel, false);
	return kernel >= 0;
}

static bool set_ppc(struct access_list *list)
{
	list->ppc = true;
	list->policy = futex_policy_preset(list->policy.kernel, true);
	return true;
}

static bool read_choice(bool *out, const char *word, const char *no, const char *yes)
{
	*out = strcmp(word, yes) == 0;
	return *out || strcmp(word, no) == 0;
}

static bool set_op(struct access_list *list, const char *word)
{
	int op = index_of(op_names, COUNT(op_names), word);

	if (op >= 0)
		list->op = op;
	return op >= 0;
}

static bool set_sleepers(struct access_list *list, const char *word)
{
	list->sleepers = (unsigned)atoi(word);
	return list->sleepers >= 1 && list->sleepers <= SLEEPERS_MAX;
}

/* 1: a line of set-up; 0: not one; -1: a bad one. */
static int read_setup(struct access_list *list, char *const *word, int words)
{
	bool ok;

	if (strcmp(word[0], "set") == 0)
		ok = words == 3 && set_policy(&list->policy, word[1], word[2]);
	else if (words != 2)
		return 0;
	else if (strcmp(word[0], "kernel") == 0)
		ok = set_kernel(list, word[1]);
	else if (strcmp(word[0], "machine") == 0)
		ok = strcmp(word[1], "ppc") == 0 && set_ppc(list);
	else if (strcmp(word[0], "op") == 0)
		ok = set_op(list, word[1]);
	else if (strcmp(word[0], "sleepers") == 0)
		ok = set_sleepers(list, word[1]);
	else if (strcmp(word[0], "key") == 0)
		ok = read_choice(&list->shared, word[1], "private", "shared");
	else
		return 0;
	return ok ? 1 : -1;
}

static bool read_access(struct access_list *list, char *const *word, int words)
{
	struct expected_access *e = &list->entry[list->count];
	int kind = index_of(kind_names, COUNT(kind_names), word[0]);
	int order = words == 3 ? index_of(order_names, COUNT(order_names), word[2]) : 0;

	if (kind < 0 || order < 0 || list->count == ACCESS_LIST_MAX)
		return false;
	if ((kind == ACCESS_FENCE) != (words == 1))
		return false;
	*e = (struct expected_access){.access = {.kind = kind, .order = order},
				      .any_order = words != 3};
	if (kind == ACCESS_PERCPU)
		e->access.delta = atoi(word[1]);
	else if (kind != ACCESS_FENCE)
		snprintf(e->access.name, sizeof(e->access.name), "%s", word[1]);
	list->count++;
	return true;
}

static bool read_line(struct access_list *list, char *line)
{
	char *word[4], *rest = NULL;
	int words = 0;
	int setup;

	line[strcspn(line, "#\n")] = '\0';
	for (char *w = strtok_r(line, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest)) {
		if (words == 4)
			return false;
		word[words++] = w;
	}
	if (words == 0)
		return true;
	setup = read_setup(list, word, words);
	return setup > 0 || (setup == 0 && read_access(list, word, words));
}

bool access_list_read(struct access_list *list, const char *directory, const char *file)
{
	char path[512], line[256];
	unsigned number = 0;
	bool good = true;
	FILE *in;

	memset(list, 0, sizeof(*list));
	snprintf(list->file, sizeof(list->file), "%s", file);
	snprintf(path, sizeof(path), "%s/%s", directory, file);
	in = fopen(path, "r");
	if (!in) {
		perror(path);
		return false;
	}
	while (good && fgets(line, sizeof(line), in)) {
		number++;
		good = read_line(list, line);
	}
	fclose(in);
	if (!good)
		fprintf(stderr, "%s:%u: cannot be understood\n", path, number);
	return good && list->count > 0;
}

static bool matches(const struct expected_access *e, const struct access *a)
{
	return e->access.kind == a->kind && e->access.delta == a->delta &&
	       strcmp(e->access.name, a->name) == 0 &&
	       (e->any_order || e->access.order == a->order);
}

size_t access_list_difference(const struct access_list *list, const struct access *found,
			      size_t count, size_t skip)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		if (i == skip)
			continue;
		if (at == list->count || !matches(&list->entry[at], &found[i]))
			return i;
		at++;
	}
	return at == list->count ? SIZE_MAX : count;
}

void access_print(FILE *out, const struct access *a)
{
	if (a->kind == ACCESS_PERCPU)
		fprintf(out, "percpu %+d\n", a->delta);
	else if (a->kind == ACCESS_FENCE)
		fprintf(out, "fence\n");
	else
		fprintf(out, "%s %s %s\n", kind_names[a->kind], a->name, order_names[a->order]);
}
