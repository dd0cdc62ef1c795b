// SPDX-License-Identifier: GPL-3.0-or-later
#include "idle.h"

#include "cmocka_all.h"

static void assert_bucket_idle(struct futex_mm *mm, struct futex_hash_bucket *hb)
{
	assert_false(mm->lock.is_locked(hb_lock(mm->rules, hb)));
	assert_true(plist_head_empty(hb_chain(mm->rules, hb)));
	if (mm->policy.empty_check == FUTEX_CHECK_COUNTER)
		assert_int_equal(plat_read_once(hb_waiters(mm->rules, hb)), 0);
}

static void assert_buckets_idle(struct futex_mm *mm, const struct futex_table *table)
{
	for (uint32_t node = 0; table->slots && node < table->nodes; node++)
		for (uint32_t i = 0; i < table->slots; i++)
			assert_bucket_idle(mm, futex_slot(mm->rules, table->base[node], i));
}

static uint32_t percpu_sum(struct futex_mm *mm)
{
	struct plat_percpu *ref = plat_read_once(&mm->mm_struct->futex_ref);
	uint32_t sum = 0;

	for (unsigned cpu = 0; cpu < plat_cpu_count(); cpu++)
		sum += *(uint32_t *)plat_percpu_ptr(ref, cpu);
	return sum;
}

static void assert_references_returned(struct futex_mm *mm)
{
	struct futex_private_hash *fph = plat_read_once(&mm->mm_struct->futex_phash);

	assert_int_equal(plat_read_once(&mm->mm_struct->mm_count), 1);
	if (mm->policy.refcount == REFCOUNT_RCUREF)
		assert_int_equal(plat_read_once(&fph->users), 0);
	if (mm->policy.refcount == REFCOUNT_ATOMIC)
		assert_int_equal(plat_read_once(&mm->mm_struct->futex_atomic), 1);
	if (mm->policy.refcount == REFCOUNT_PERCPU)
		assert_int_equal(percpu_sum(mm), 0);
}

static void assert_page_idle(struct page *page)
{
	assert_int_equal(plat_read_once(&page->refcount), 1);
	assert_int_equal(plat_read_once(&page->flags), 0);
}

static void assert_task_idle(struct futex_mm *mm, const struct futex_task *task)
{
	struct task_struct *p = task->task_struct;

	if (!p)
		return;
	assert_int_equal(plat_read_once(&p->usage), 1);
	assert_int_equal(plat_read_once(&p->__state), TASK_RUNNING);
	assert_null(plat_read_once(&p->wake_q_next));
	assert_false(mm->lock.is_locked(&p->pi_lock));
}

void assert_idle(struct futex_mm *mm)
{
	assert_buckets_idle(mm, &mm->private);
	assert_buckets_idle(mm, &mm->global);
	assert_references_returned(mm);
	for (unsigned i = 0; i < mm->region_count; i++)
		for (uint64_t page = 0; page < mm->region[i].pages; page++)
			assert_page_idle(&mm->region[i].map[page]);
	for (const struct futex_task *task = mm->tasks; task; task = task->next)
		assert_task_idle(mm, task);
}
