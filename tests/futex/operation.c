// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation.h"

#include <errno.h>

#include "platform.h"

enum { SLOTS = 16 };

static const struct plat_type futex_type = {"futex", PLAT_CAT_USER_WORD, 0, NULL};

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

struct operation operation_create(const struct access_list *list)
{
	struct futex_policy policy = resolved(list);
	struct operation operation = {.list = list, .mm = futex_mm_create(&policy, 0)};

	operation.word = create_word(operation.mm);
	operation.task = futex_task_create(operation.mm, 0);
	return operation;
}

void operation_destroy(struct operation *operation)
{
	futex_mm_destroy(operation->mm);
}

bool operation_run(const struct operation *o)
{
	if (o->list->wake)
		return futex_wake(o->task, o->word, 1, o->list->shared) == 0;
	return futex_wait(o->task, o->word, 1234, o->list->shared) == -EWOULDBLOCK;
}
