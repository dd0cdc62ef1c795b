// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Tasks of a process: what others can touch of them. The lines that sleeping needs
 * come with the first sleep.
 */
#include <stdlib.h>

#include "futex/internal.h"

static const struct plat_field task_fields[] = {
	{"__state", 24, 4},      {"usage", 40, 4},    {"on_rq", 104, 8},
	{"normal_prio", 112, 4}, {"pi_lock", 128, 4}, {"wake_q", 136, 8},
};
static const struct plat_type task_type = {"task", PLAT_CAT_OTHER, 6, task_fields};

static const struct plat_field signal_fields[] = {{"signal", 0, 8}};
static const struct plat_type signal_type = {"task", PLAT_CAT_OTHER, 1, signal_fields};

#define AT(member, offset)                                                                         \
	_Static_assert(offsetof(struct task_struct, member) == (offset), "named as such above")
AT(__state, 24);
AT(usage, 40);
AT(on_rq, 104);
AT(normal_prio, 112);
AT(pi_lock, 128);
AT(wake_q_next, 136);

struct futex_q *futex_q_alloc(const struct futex_mm *mm, int node)
{
	struct futex_q *q = plat_alloc(sizeof(*q), plat_line_size(), node);

	plat_name(q, futex_q_is_old(mm->rules) ? &futex_q_type_old : &futex_q_type, 1, sizeof(*q));
	return q;
}

struct futex_task *futex_task_create(struct futex_mm *mm, unsigned cpu)
{
	struct futex_task *task = calloc(1, sizeof(*task));

	if (!task)
		plat_panic("out of memory");
	task->mm = mm;
	task->node = (int)plat_node_of_cpu(cpu);
	task->prio = PLAT_PRIO_NORMAL;
	task->signal = plat_alloc(sizeof(*task->signal), plat_line_size(), task->node);
	plat_name(task->signal, &signal_type, 1, sizeof(*task->signal));
	plat_write_once(&task->signal->signal, mm->signal);
	task->q = futex_q_alloc(mm, task->node);
	task->next = mm->tasks;
	mm->tasks = task;
	return task;
}

void futex_task_set_prio(struct futex_task *task, int prio)
{
	task->prio = prio;
	if (!task->thread)
		return;
	plat_write_once(&task->task_struct->normal_prio, prio);
	plat_task_set_prio(task->thread, prio);
}

void futex_task_bind(struct futex_task *task)
{
	struct task_struct *p = plat_alloc(sizeof(*p), plat_line_size(), task->node);

	plat_name(p, &task_type, 1, sizeof(*p));
	plat_write_once(&p->usage, 1);
	task->thread = plat_current();
	task->task_struct = p;
	plat_write_once(&p->on_rq, task->thread);
	plat_write_once(&p->normal_prio, task->prio);
	if (task->prio != PLAT_PRIO_NORMAL)
		plat_task_set_prio(task->thread, task->prio);
}
