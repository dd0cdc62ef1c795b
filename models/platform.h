/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The world as the real code (sync, futex, workload) sees it.
 *
 * This is the only header of ours outside their own folders that real code may
 * include. Two implementations exist: models/os (simulated time) and
 * models/native (threads of the host). In the simulated build the real code is
 * compiled with -fsanitize=thread and every access to shared memory must be an
 * explicit C11 atomic; see "Rules that make it work" in models/README.md.
 */
#ifndef FUTEXSIM_PLATFORM_H
#define FUTEXSIM_PLATFORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Marks a function that reports may name: never inlined, never specialised, and
 * in a section of its own, by which the simulator tells it from helpers. So
 * every compiler at every level produces the same sequence of named calls. Give
 * it external linkage; its name is looked up in the symbol table.
 */
#if defined(__clang__)
#define PLAT_FN __attribute__((noinline, section("plat_fn")))
#else
#define PLAT_FN __attribute__((noinline, noipa, section("plat_fn")))
#endif

/* A helper too small to be named: inlined at every optimisation level. */
#define PLAT_INLINE static inline __attribute__((always_inline))

/*
 * Fields protected by a lock. Simulated: relaxed atomics, so that the access is
 * seen. Native: plain, so that ThreadSanitizer reports when the lock is gone.
 * Declare such a field as PLAT_LOCKED(type).
 */
#ifdef FUTEXSIM_NATIVE
#define PLAT_LOCKED(type)             type
#define plat_locked_read(ptr)         (*(ptr))
#define plat_locked_write(ptr, value) ((void)(*(ptr) = (value)))
#else
#define PLAT_LOCKED(type)             _Atomic(type)
#define plat_locked_read(ptr)         atomic_load_explicit((ptr), memory_order_relaxed)
#define plat_locked_write(ptr, value) atomic_store_explicit((ptr), (value), memory_order_relaxed)
#endif

/* READ_ONCE and WRITE_ONCE of a shared field. */
#define plat_read_once(ptr)         atomic_load_explicit((ptr), memory_order_relaxed)
#define plat_write_once(ptr, value) atomic_store_explicit((ptr), (value), memory_order_relaxed)

/* ---- Memory ------------------------------------------------------------ */

/* Who pays for a line, in the result's cost split. */
enum plat_category {
	PLAT_CAT_OTHER,       /* task-owned lines, table descriptors, ... */
	PLAT_CAT_REFCOUNT,    /* private-hash header, mm counters */
	PLAT_CAT_BUCKET_LINE, /* hash buckets */
	PLAT_CAT_USER_WORD,   /* the futex words themselves */
	PLAT_CAT_LOCK_WAIT,   /* lines that exist only for waiting: queue nodes */
	PLAT_CAT_COUNT
};

struct plat_field {
	const char *name;
	uint16_t offset; /* bytes from the start of the element */
	uint16_t size;
};

/* Describes one kind of object; static storage, one instance per kind. */
struct plat_type {
	const char *name; /* "bucket", "fph", "mm", ... */
	enum plat_category category;
	uint16_t field_count;
	const struct plat_field *fields;
};

#define PLAT_NODE_LOCAL      (-1) /* node of the calling CPU (boot: node 0) */
#define PLAT_NODE_INTERLEAVE (-2) /* pages go round robin over all nodes */

/*
 * Zeroed shared memory with a home node. `align` is a power of two up to the
 * page size. Never returns NULL: running out of memory ends the run with a
 * message. Freed by plat_free, or at the end of the run. Simulated: an access
 * to freed memory ends the run with a message, but for a hit less than the
 * machine's shortest transfer after the free.
 */
void *plat_alloc(size_t size, size_t align, int node);
void plat_free(void *p);

/*
 * Names `count` elements, `stride` bytes apart, from `p` on: "bucket[17]" when
 * count > 1, else just the type's name. Several types may name parts of one
 * allocation (a header, then an array). A byte has at most one name.
 */
void plat_name(const void *p, const struct plat_type *type, size_t count, size_t stride);

/* Cache line size in bytes: what ____cacheline_aligned_in_smp means here. */
size_t plat_line_size(void);
size_t plat_page_size(void);

/*
 * The address the simulated machine gives this byte: base plus seeded layout,
 * never a host pointer. Use it for keys and for lock order. Memory from
 * plat_alloc_user lies in user space, all other in the kernel's half.
 */
uint64_t plat_address(const void *p);

/* As plat_alloc, page aligned, but in the process's address space (heap). */
void *plat_alloc_user(size_t size, int node);

/* ---- CPUs ---------------------------------------------------------------- */

unsigned plat_cpu(void);       /* CPU that runs the caller */
unsigned plat_cpu_count(void); /* CPU numbers are 0 .. count-1 */
unsigned plat_node_count(void);
unsigned plat_node_of_cpu(unsigned cpu);

/*
 * Per-CPU data: one copy of `size` bytes per CPU, each on lines of its own on
 * the CPU's node. The handle is opaque.
 */
struct plat_percpu;
struct plat_percpu *plat_percpu_alloc(size_t size, const struct plat_type *type);
void *plat_percpu_ptr(struct plat_percpu *base, unsigned cpu);
void *plat_this_cpu_ptr(struct plat_percpu *base);
/* this_cpu_add on a uint32_t at the start of the copy: local and unlocked. */
void plat_this_cpu_add(struct plat_percpu *base, int32_t delta);

/* ---- Time ---------------------------------------------------------------- */

/*
 * Straight-line work without shared accesses. Each kind has a cost in core
 * cycles (models/os/work.c, with sources) that the machine scales by its clock,
 * SMT sharing and its own inside/outside factors.
 */
enum plat_work {
	PLAT_WORK_USER_LOOP,   /* the benchmark's own loop and libc's wrapper */
	PLAT_WORK_SYSCALL,     /* kernel entry, exit, dispatch, mitigations */
	PLAT_WORK_ARGS,        /* futex argument handling up to the key */
	PLAT_WORK_KEY,         /* building the key, table and reference look-up */
	PLAT_WORK_KEY_SHARED,  /* extra for shared keys: walking to the page */
	PLAT_WORK_QUEUE_SETUP, /* futex_q set-up and the calls around it */
	PLAT_WORK_LOCK,        /* call overhead of taking the bucket lock */
	PLAT_WORK_USER_READ,   /* user access window: SMAP, fence, read (lock held) */
	PLAT_WORK_UNLOCK,      /* call overhead of releasing it (lock held) */
	PLAT_WORK_COUNT
};
void plat_work(enum plat_work kind);
/* Work measured in core cycles of the reference machine (hash functions). */
void plat_work_cycles(unsigned cycles);

void plat_cpu_relax(void); /* PAUSE, yield, ... */

/*
 * Spin until *p differs from `seen`, then return the new value (loaded with
 * acquire order). Returns at once if it differs already. Simulated: the task is
 * woken by the next write to that *line* by another CPU, re-reads, and goes on
 * waiting if the value is still `seen`.
 */
uint8_t plat_wait_until_changed8(const _Atomic(uint8_t) *p, uint8_t seen);
uint16_t plat_wait_until_changed16(const _Atomic(uint16_t) *p, uint16_t seen);
uint32_t plat_wait_until_changed32(const _Atomic(uint32_t) *p, uint32_t seen);
uint64_t plat_wait_until_changed64(const _Atomic(uint64_t) *p, uint64_t seen);

/*
 * Bracket from the first failed attempt to the acquisition of a lock: all time
 * in between is accounted as lock wait, whatever line it is spent on. Locks do
 * this themselves. Nesting is counted.
 */
void plat_lock_wait_begin(void);
void plat_lock_wait_end(void);

/* ---- Tasks ----------------------------------------------------------------- */

/*
 * A thread of the modelled system, running or not. Simulated: many can share a
 * CPU. Native: a thread of the host. What other CPUs touch of a task (its state,
 * its futex_q) is not here but in memory of plat_alloc that the real code owns.
 */
struct plat_task;

enum { PLAT_CPU_ANY = -1 };
enum { PLAT_PRIO_NORMAL = 120, PLAT_PRIO_RT_END = 100 };

/* The running task; NULL while the system is built. */
struct plat_task *plat_current(void);

/*
 * A new task that will run body(arg) and end when that returns. On `cpu` only, or
 * PLAT_CPU_ANY: where the scheduler puts it and moves it. The caller, if any,
 * pays for clone(). Ended by plat_task_join(), exactly once, which sleeps until
 * the task has returned, and frees it.
 */
struct plat_task *plat_task_create(void (*body)(void *arg), void *arg, int cpu);
void plat_task_join(struct plat_task *task);

/* The CPU that runs it or ran it last. */
unsigned plat_task_cpu(const struct plat_task *task);

/*
 * As the kernel counts: below PLAT_PRIO_RT_END real-time, first in, first out,
 * lower numbers first; else time-shared. Takes effect at the next decision of the
 * CPU's scheduler.
 */
void plat_task_set_prio(struct plat_task *task, int prio);
int plat_task_prio(const struct plat_task *task);

/* ---- Sleeping and waking ----------------------------------------------------- */

#define PLAT_NO_DEADLINE UINT64_MAX

enum plat_wakeup { PLAT_WOKEN, PLAT_TIMED_OUT, PLAT_SIGNALLED };

/*
 * schedule(): leaves the CPU as long as *state, the __state of the caller's own
 * task_struct, is not 0 (TASK_RUNNING). Whoever sets it to 0 calls plat_wake()
 * afterwards. Returns at once if *state is 0 already; no wake-up is lost or left
 * over. With a deadline (plat_clock_ns) or, if interruptible, with a signal
 * pending, it returns too: *state is then as the waker left it, and the caller
 * sets it to 0 itself.
 */
enum plat_wakeup plat_schedule(const _Atomic(uint32_t) *state, uint64_t deadline_ns,
			       bool interruptible);

/*
 * The rest of try_to_wake_up(): puts a task whose state has become 0 on a run
 * queue, at the price of a local or a remote wake-up. Nothing happens if it does
 * not sleep.
 */
void plat_wake(struct plat_task *task);

/* A signal without a handler: pending until plat_signal_take() of the task itself. */
void plat_signal(struct plat_task *task);
bool plat_signal_pending(void);
bool plat_signal_take(void);

/* Since the run began. */
uint64_t plat_clock_ns(void);

/*
 * Brackets what runs in the kernel on behalf of the task: a tick in user mode is a
 * quiescent state of RCU and may preempt. Bookkeeping of the own task.
 */
void plat_kernel_enter(void);
void plat_kernel_exit(void);

/* ---- RCU and preemption -------------------------------------------------------- */

/* Local bookkeeping, no shared access. They nest. */
void plat_rcu_read_lock(void);
void plat_rcu_read_unlock(void);
void plat_preempt_disable(void);
void plat_preempt_enable(void);

/*
 * Runs fn(arg) in a task of the kernel after a grace period. PLAT_RCU_MAY_BE_LAZY:
 * call_rcu(), which kernels with RCU_LAZY can hold back for seconds;
 * PLAT_RCU_HURRY: call_rcu_hurry(). fn must not sleep.
 */
enum plat_rcu_urgency { PLAT_RCU_MAY_BE_LAZY, PLAT_RCU_HURRY };
void plat_call_rcu(void (*fn)(void *arg), void *arg, enum plat_rcu_urgency urgency);
/* Both sleep. */
void plat_synchronize_rcu(void);
void plat_synchronize_rcu_expedited(void);
/* plat_free() after a grace period, batched as kvfree_rcu() is. */
void plat_kvfree_rcu(void *p);

/*
 * get_state_synchronize_rcu(), poll_state_synchronize_rcu(): has a whole grace
 * period passed since the cookie was taken?
 */
uint64_t plat_rcu_get_state(void);
bool plat_rcu_poll_state(uint64_t cookie);

/* ---- The benchmark's view --------------------------------------------------- */

/* One operation of the calling task is complete (throughput and latency). */
void plat_op_done(void);
/* True when the run is over; cheap, no shared access. */
bool plat_stopping(void);
/* For reports and memory colouring: a failed internal check ends the run. */
_Noreturn void plat_panic(const char *message);

#endif
