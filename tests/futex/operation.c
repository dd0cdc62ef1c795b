// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation.h"

#include <errno.h>
#include <limits.h>

#include "platform.h"

enum { SLOTS = 16, WORDS = 64, EXPECTED_NOT = 1234 };

static const struct plat_type futex_type = {"futex", PLAT_CAT_USER_WORD, 0, NULL};

static struct futex_policy resolved(const struct access_list *list)
{
	struct futex_policy policy = list->policy;

	policy.slots = SLOTS;
	return policy;
}

static _Atomic(uint32_t) *create_words(struct futex_mm *mm)
{
	void *region = plat_alloc_user(plat_page_size(), 0);

	plat_name(region, &futex_type, plat_page_size() / 4, 4);
	futex_mm_map(mm, region, plat_page_size(), 0);
	return region;
}

static _Atomic(uint32_t) *word_elsewhere(struct operation *o)
{
	bool shared = o->list->shared;

	for (unsigned i = 1; i < WORDS; i++)
		if (futex_bucket_index(o->mm, o->word + i, shared) !=
		    futex_bucket_index(o->mm, o->word, shared))
			return o->word + i;
	plat_panic("all words are in one bucket");
}

struct operation operation_create(const struct access_list *list)
{
	struct futex_policy policy = resolved(list);
	struct operation o = {.list = list, .mm = futex_mm_create(&policy, 0)};

	o.word = create_words(o.mm) + 5;
	o.other = word_elsewhere(&o);
	o.task = futex_task_create(o.mm, 0);
	o.waker = futex_task_create(o.mm, 0);
	for (unsigned i = 0; i < list->sleepers; i++)
		o.sleeper[i] = futex_task_create(o.mm, 0);
	return o;
}

void operation_destroy(struct operation *operation)
{
	futex_mm_destroy(operation->mm);
}

static unsigned flags_of(const struct operation *o)
{
	return o->list->shared ? FLAGS_SHARED : 0;
}

static int wait_for(const struct operation *o, uint32_t value, uint64_t deadline_ns)
{
	return futex_wait(o->task, o->word, flags_of(o), value, deadline_ns,
			  FUTEX_BITSET_MATCH_ANY);
}

static int requeue_but_one(const struct operation *o)
{
	const uint32_t value = 0;

	return futex_requeue(o->task, o->word, o->other, flags_of(o), 1, INT_MAX, &value);
}

bool operation_run(const struct operation *o)
{
	int sleepers = (int)o->list->sleepers;

	switch (o->list->op) {
	case OP_WAIT:
		return wait_for(o, EXPECTED_NOT, PLAT_NO_DEADLINE) == -EWOULDBLOCK;
	case OP_SLEEP:
		return wait_for(o, 0, PLAT_NO_DEADLINE) == 0;
	case OP_TIMEOUT:
		return wait_for(o, 0, 1) == -ETIMEDOUT;
	case OP_REQUEUE:
		return requeue_but_one(o) == sleepers;
	default:
		return futex_wake(o->task, o->word, flags_of(o), sleepers ? sleepers : 1,
				  FUTEX_BITSET_MATCH_ANY) == sleepers;
	}
}

bool operation_sleep(const struct operation *o, unsigned i)
{
	return futex_wait(o->sleeper[i], o->word, flags_of(o), 0, PLAT_NO_DEADLINE,
			  FUTEX_BITSET_MATCH_ANY) == 0;
}

void operation_wake_all(const struct operation *o)
{
	futex_wake(o->waker, o->word, flags_of(o), INT_MAX, FUTEX_BITSET_MATCH_ANY);
	futex_wake(o->waker, o->other, flags_of(o), INT_MAX, FUTEX_BITSET_MATCH_ANY);
}
