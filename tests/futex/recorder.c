// SPDX-License-Identifier: GPL-3.0-or-later
/* platform.h for one thread; keeps names and the list of accesses. */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform.h"

enum {
	ALLOCS_MAX = 256,
	NAMES_MAX = 256,
	ACCESSES_MAX = 256,
	USER_ALIGN = 65536,
	RELAXES_MAX = 1000000
};

struct range {
	unsigned char *start;
	size_t size;
};

struct name {
	struct range range;
	const struct plat_type *type;
	size_t stride;
};

static struct {
	struct recorder_machine machine;
	struct range alloc[ALLOCS_MAX];
	unsigned allocs;
	struct name name[NAMES_MAX];
	unsigned names;
	struct access access[ACCESSES_MAX];
	size_t accesses;
	bool recording;
	unsigned work[PLAT_WORK_COUNT];
	unsigned cycles;
	unsigned ops;
	unsigned relaxes;
	void (*while_asleep)(void *arg);
	void *while_asleep_arg;
} rec;

void recorder_reset(const struct recorder_machine *machine)
{
	for (unsigned i = 0; i < rec.allocs; i++)
		free(rec.alloc[i].start);
	memset(&rec, 0, sizeof(rec));
	rec.machine = *machine;
}

void recorder_start(void)
{
	rec.accesses = 0;
	rec.cycles = 0;
	memset(rec.work, 0, sizeof(rec.work));
	rec.recording = true;
}

const struct access *recorder_stop(size_t *count)
{
	rec.recording = false;
	*count = rec.accesses;
	return rec.access;
}

unsigned recorder_work_count(unsigned kind)
{
	return rec.work[kind];
}

unsigned recorder_cycles(void)
{
	return rec.cycles;
}

unsigned recorder_ops(void)
{
	return rec.ops;
}

void recorder_while_asleep(void (*fn)(void *arg), void *arg)
{
	rec.while_asleep = fn;
	rec.while_asleep_arg = arg;
}

static bool contains(const struct range *range, const volatile void *p)
{
	uintptr_t offset = (uintptr_t)p - (uintptr_t)range->start;

	return offset < range->size;
}

static bool is_shared(const volatile void *p)
{
	for (unsigned i = 0; i < rec.allocs; i++)
		if (contains(&rec.alloc[i], p))
			return true;
	return false;
}

static const char *field_at(const struct plat_type *type, size_t offset)
{
	for (unsigned i = 0; i < type->field_count; i++) {
		const struct plat_field *f = &type->fields[i];

		if (offset - f->offset < f->size)
			return f->name;
	}
	plat_panic("access to a part of an object that has no field name");
}

static void describe(const volatile void *p, char *out, size_t size)
{
	for (unsigned i = 0; i < rec.names; i++) {
		const struct name *n = &rec.name[i];
		size_t offset = (uintptr_t)p - (uintptr_t)n->range.start;

		if (!contains(&n->range, p))
			continue;
		if (n->type->field_count == 0)
			snprintf(out, size, "%s", n->type->name);
		else
			snprintf(out, size, "%s.%s", n->type->name,
				 field_at(n->type, offset % n->stride));
		return;
	}
	plat_panic("access to shared memory that has no name");
}

static struct access *append(enum access_kind kind)
{
	if (rec.accesses == ACCESSES_MAX)
		plat_panic("too many accesses");
	rec.access[rec.accesses] = (struct access){.kind = kind};
	return &rec.access[rec.accesses++];
}

void recorder_note(enum access_kind kind, const volatile void *p, int order)
{
	struct access *a;

	if (!rec.recording || (p && !is_shared(p)))
		return;
	a = append(kind);
	a->order = order;
	if (p)
		describe(p, a->name, sizeof(a->name));
}

void recorder_plain(const volatile void *p, size_t size)
{
	if (is_shared(p) || (size && is_shared((const volatile char *)p + size - 1)))
		plat_panic("plain access to shared memory");
}

/* ---- platform.h ---- */

void *plat_alloc(size_t size, size_t align, int node)
{
	size_t whole = (size + align - 1) / align * align;
	unsigned char *p = aligned_alloc(align, whole);

	(void)node;
	if (!p || rec.allocs == ALLOCS_MAX)
		plat_panic("out of memory");
	memset(p, 0, whole);
	rec.alloc[rec.allocs++] = (struct range){p, whole};
	return p;
}

void *plat_alloc_user(size_t size, int node)
{
	return plat_alloc(size, USER_ALIGN, node);
}

void plat_free(void *p)
{
	(void)p; /* recorder_reset() frees all */
}

void plat_name(const void *p, const struct plat_type *type, size_t count, size_t stride)
{
	if (rec.names == NAMES_MAX || !is_shared(p))
		plat_panic("cannot name this");
	rec.name[rec.names++] = (struct name){{(unsigned char *)p, count * stride}, type, stride};
}

size_t plat_line_size(void)
{
	return rec.machine.line_size;
}

size_t plat_page_size(void)
{
	return rec.machine.page_size;
}

uint64_t plat_address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

unsigned plat_cpu(void)
{
	return 0;
}

unsigned plat_cpu_count(void)
{
	return rec.machine.cpus;
}

unsigned plat_node_count(void)
{
	return rec.machine.nodes;
}

unsigned plat_node_of_cpu(unsigned cpu)
{
	return cpu * rec.machine.nodes / rec.machine.cpus;
}

/* One copy is enough for one thread; it stands at the handle itself. */
struct plat_percpu *plat_percpu_alloc(size_t size, const struct plat_type *type)
{
	void *p = plat_alloc(size, plat_line_size(), PLAT_NODE_LOCAL);

	plat_name(p, type, 1, size);
	return p;
}

void *plat_percpu_ptr(struct plat_percpu *base, unsigned cpu)
{
	(void)cpu;
	return base;
}

void *plat_this_cpu_ptr(struct plat_percpu *base)
{
	return base;
}

void plat_this_cpu_add(struct plat_percpu *base, int32_t delta)
{
	if (rec.recording)
		append(ACCESS_PERCPU)->delta = delta;
	*(uint32_t *)base += (uint32_t)delta;
}

void plat_work(enum plat_work kind)
{
	if (rec.recording)
		rec.work[kind]++;
}

void plat_work_cycles(unsigned cycles)
{
	if (rec.recording)
		rec.cycles += cycles;
}

void plat_cpu_relax(void)
{
	if (++rec.relaxes == RELAXES_MAX)
		plat_panic("a single thread would spin forever");
}

#define WAIT_UNTIL_CHANGED(bits)                                                                   \
	uint##bits##_t plat_wait_until_changed##bits(const _Atomic(uint##bits##_t) *p,             \
						     uint##bits##_t seen)                          \
	{                                                                                          \
		uint##bits##_t value = atomic_load_explicit(p, memory_order_acquire);              \
                                                                                                   \
		if (value == seen)                                                                 \
			plat_panic("a single thread would wait forever");                          \
		return value;                                                                      \
	}
WAIT_UNTIL_CHANGED(8)
WAIT_UNTIL_CHANGED(16)
WAIT_UNTIL_CHANGED(32)
WAIT_UNTIL_CHANGED(64)

void plat_lock_wait_begin(void)
{
}

void plat_lock_wait_end(void)
{
}

void plat_rcu_read_lock(void)
{
}

void plat_rcu_read_unlock(void)
{
}

void plat_preempt_disable(void)
{
}

void plat_preempt_enable(void)
{
}

/* ---- Tasks: one at a time ---- */

struct plat_task *plat_current(void)
{
	return (struct plat_task *)(void *)&rec;
}

void plat_task_set_prio(struct plat_task *task, int prio)
{
	(void)task;
	(void)prio;
}

static void let_others_run(void)
{
	void (*fn)(void *arg) = rec.while_asleep;
	bool recording = rec.recording;

	rec.while_asleep = NULL;
	rec.recording = false;
	if (fn)
		fn(rec.while_asleep_arg);
	rec.recording = recording;
}

enum plat_wakeup plat_schedule(const _Atomic(uint32_t) *state, uint64_t deadline_ns,
			       bool interruptible)
{
	(void)interruptible;
	recorder_note(ACCESS_LOAD, state, memory_order_relaxed);
	let_others_run();
	if (atomic_load(state) == 0)
		return PLAT_WOKEN;
	if (deadline_ns == PLAT_NO_DEADLINE)
		plat_panic("a single thread would sleep forever");
	return PLAT_TIMED_OUT;
}

void plat_wake(struct plat_task *task)
{
	if (task != plat_current())
		plat_panic("a task is woken that there is not");
}

bool plat_signal_take(void)
{
	return false;
}

void plat_kernel_enter(void)
{
}

void plat_kernel_exit(void)
{
}

void plat_op_done(void)
{
	rec.ops++;
}

bool plat_stopping(void)
{
	return true;
}

_Noreturn void plat_panic(const char *message)
{
	fprintf(stderr, "recorder: %s\n", message);
	abort();
}
