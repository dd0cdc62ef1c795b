// SPDX-License-Identifier: GPL-3.0-or-later
/* Processes: creation, before time starts. */
#include <stdlib.h>

#include "futex/internal.h"

static const struct plat_field mm_fields[] = {
	{"mm_count", 0, 4},      {"mm_lock_seq", 124, 4},     {"futex_hash_lock", 128, 32},
	{"futex_phash", 160, 8}, {"futex_phash_new", 168, 8}, {"futex_batches", 176, 8},
	{"futex_rcu", 184, 16},  {"futex_atomic", 200, 8},    {"futex_ref", 208, 8},
};
static const struct plat_type mm_type = {"mm", PLAT_CAT_REFCOUNT, 9, mm_fields};

static const struct plat_field ref_fields[] = {{"count", 0, 4}};
static const struct plat_type ref_type = {"futex_ref", PLAT_CAT_REFCOUNT, 1, ref_fields};

/* v6.17: the block's members, as distances from futex_hash_lock. */
#define BLOCK(member)                                                                              \
	(offsetof(struct mm_struct, member) - offsetof(struct mm_struct, futex_hash_lock))
_Static_assert(offsetof(struct mm_struct, futex_hash_lock) == 128,
	       "a line start, whatever its size");
_Static_assert(BLOCK(futex_phash) == 32, "v6.17 layout");
_Static_assert(BLOCK(futex_phash_new) == 40, "v6.17 layout");
_Static_assert(BLOCK(futex_batches) == 48, "v6.17 layout");
_Static_assert(BLOCK(futex_rcu) == 56, "v6.17 layout");
_Static_assert(BLOCK(futex_atomic) == 72, "v6.17 layout");
_Static_assert(BLOCK(futex_ref) == 80, "v6.17 layout");
_Static_assert(sizeof(struct mm_struct) == 128 + 88, "v6.17 layout");

/* References that a process holds on itself for as long as it lives. */
enum { MM_COUNT_START = 1, FUTEX_ATOMIC_START = 1 };

static void mm_struct_create(struct futex_mm *mm)
{
	struct mm_struct *m = plat_alloc(sizeof(*m), 128, mm->home_node);

	plat_name(m, &mm_type, 1, sizeof(*m));
	plat_write_once(&m->mm_count, MM_COUNT_START);
	if (mm->policy.refcount == REFCOUNT_ATOMIC)
		plat_write_once(&m->futex_atomic, FUTEX_ATOMIC_START);
	if (mm->policy.refcount == REFCOUNT_PERCPU)
		plat_write_once(&m->futex_ref, plat_percpu_alloc(sizeof(uint32_t), &ref_type));
	mm->mm_struct = m;
	mm->mm_address = plat_address(m);
}

static void *handle_alloc(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		plat_panic("out of memory");
	return p;
}

struct futex_mm *futex_mm_create(const struct futex_policy *policy, int home_node)
{
	struct futex_mm *mm = handle_alloc(sizeof(*mm));
	const char *key;
	const char *message = futex_policy_check(policy, &key);

	if (message)
		plat_panic(message);
	if (policy->slots == 0)
		plat_panic("the number of slots is not resolved");
	mm->policy = *policy;
	mm->rules = futex_rules_make(policy);
	mm->lock = policy->lock_always_free ? futex_free_lock : *lock_class_of(policy->lock);
	mm->bucket = futex_bucket_layout(policy);
	mm->home_node = home_node;
	if (mm->lock.setup)
		mm->lock.setup();
	mm_struct_create(mm);
	futex_tables_create(mm);
	return mm;
}

void futex_mm_destroy(struct futex_mm *mm)
{
	while (mm->tasks) {
		struct futex_task *task = mm->tasks;

		mm->tasks = task->next;
		free(task->entry);
		free(task);
	}
	free(mm);
}
