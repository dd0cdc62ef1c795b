/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coro.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#ifdef CORO_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef CORO_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if !defined(FUTEXSIM_UCONTEXT) && (defined(__x86_64__) || defined(__aarch64__))
#define CORO_ASSEMBLY 1
#else
#include <stdlib.h>
#include <ucontext.h>
#endif

#if defined(CORO_ASAN) || defined(CORO_TSAN)
enum { STACK_BYTES = 256 * 1024 };
#else
enum { STACK_BYTES = 24 * 1024 };
#endif

/*
 * Colours: stack tops step by 17 cache lines, which spreads the hot top of 80
 * stacks over all 64 sets of a 4 KiB-per-way L1. Stacks follow each other
 * without a gap, so a canary mostly lies on the page of the hot top below it:
 * a sleeping coroutine then keeps one or two pages.
 */
enum { COLOUR_STEP = 17 * 64, STACK_STRIDE = STACK_BYTES + COLOUR_STEP };

/* From here on memory matters more than the host's TLB. */
enum { MANY_STACKS = 8192 };

static const uint64_t canary[4] = {0x5afe57ac5afe57ac, 0x0ddba11c0ddba11c, 0x5afe57ac5afe57ac,
				   0x0ddba11c0ddba11c};

int coro_pool_init(struct coro_pool *pool, uint32_t count)
{
	pool->stride = STACK_STRIDE;
	pool->bytes = pool->stride * count;
	pool->count = count;
	pool->base = mmap(NULL, pool->bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pool->base == MAP_FAILED) {
		pool->base = NULL;
		return -1;
	}
	if (count > MANY_STACKS)
		madvise(pool->base, pool->bytes, MADV_NOHUGEPAGE);
	return 0;
}

void coro_pool_clean_up(struct coro_pool *pool)
{
#ifdef CORO_ASAN
	/* Abandoned frames leave poison that the next user of the addresses would trip over. */
	__asan_unpoison_memory_region(pool->base, pool->bytes);
#endif
	munmap(pool->base, pool->bytes);
	pool->base = NULL;
}

#ifdef CORO_ASAN
static struct coro *asan_previous;
#endif

/* First code on a new stack, and the code after every switch back. */
static void switched_in(struct coro *self)
{
#ifdef CORO_ASAN
	const void *bottom;
	size_t size;
	__sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &size);
	if (asan_previous && !asan_previous->stack) {
		asan_previous->stack = (char *)(uintptr_t)bottom;
		asan_previous->size = size;
	}
#else
	(void)self;
#endif
}

struct coro *coro_starting;

/* Reached by the first switch to a coroutine, never by a call. */
__attribute__((noreturn, used)) static void coro_start(void)
{
	struct coro *self = coro_starting;

	switched_in(self);
	self->entry(self->arg);
	assert(!"a coroutine returned");
	__builtin_unreachable();
}

#ifdef CORO_ASSEMBLY
#if CORO_SANITIZED
void sim_coro_swap(void **save, void *load);
#endif

#if defined(__x86_64__)
/* Saves what the System V ABI lets a callee own; rounding modes are never changed. */
__asm__(".text\n"
	".p2align 4\n"
	".globl sim_coro_swap\n"
	".type sim_coro_swap, @function\n"
	"sim_coro_swap:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	popq %rcx\n"
	"	jmp *%rcx\n"
	".size sim_coro_swap, .-sim_coro_swap\n");

static void prepare(struct coro *c, char *top)
{
	void **sp = (void **)(void *)top;

	*--sp = NULL; /* return address of coro_start: the end of every back trace */
	*--sp = (void *)(uintptr_t)coro_start;
	sp -= 6;
	memset(sp, 0, 6 * sizeof(*sp));
	c->sp = sp;
}

const char *coro_backend(void)
{
	return "x86-64";
}
#else
/* AAPCS64: x19-x30, d8-d15 belong to the callee. */
__asm__(".text\n"
	".p2align 4\n"
	".globl sim_coro_swap\n"
	".type sim_coro_swap, %function\n"
	"sim_coro_swap:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x2, sp\n"
	"	str x2, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size sim_coro_swap, .-sim_coro_swap\n");

static void prepare(struct coro *c, char *top)
{
	uint64_t *sp = (uint64_t *)(void *)(top - 160);

	memset(sp, 0, 160);
	sp[11] = (uint64_t)(uintptr_t)coro_start; /* x30 */
	c->sp = sp;
}

const char *coro_backend(void)
{
	return "aarch64";
}
#endif

#if CORO_SANITIZED
static void swap(struct coro *from, struct coro *to)
{
	sim_coro_swap(&from->sp, to->sp);
}
#endif

static void release_context(struct coro *c)
{
	(void)c;
}

static void prepare_main(struct coro *c)
{
	(void)c;
}
#else
static void prepare(struct coro *c, char *top)
{
	ucontext_t *u = calloc(1, sizeof(*u));

	assert(u);
	getcontext(u);
	u->uc_stack.ss_sp = c->stack;
	u->uc_stack.ss_size = (size_t)(top - c->stack);
	makecontext(u, coro_start, 0);
	c->context = u;
}

static void prepare_main(struct coro *c)
{
	c->context = calloc(1, sizeof(ucontext_t));
	assert(c->context);
}

static void swap(struct coro *from, struct coro *to)
{
	swapcontext(from->context, to->context);
}

static void release_context(struct coro *c)
{
	free(c->context);
	c->context = NULL;
}

const char *coro_backend(void)
{
	return "ucontext";
}
#endif

void coro_init(struct coro *c, struct coro_pool *pool, uint32_t index, void (*entry)(void *),
	       void *arg)
{
	assert(index < pool->count);
	memset(c, 0, sizeof(*c));
	c->stack = pool->base + (size_t)index * pool->stride;
	c->size = pool->stride;
	c->entry = entry;
	c->arg = arg;
	memcpy(c->stack, canary, sizeof(canary));
	prepare(c, c->stack + c->size - 64);
#ifdef CORO_TSAN
	c->fiber = __tsan_create_fiber(0);
#endif
}

void coro_init_main(struct coro *c)
{
	memset(c, 0, sizeof(*c));
	prepare_main(c);
#ifdef CORO_TSAN
	c->fiber = __tsan_get_current_fiber();
#endif
}

void coro_clean_up(struct coro *c)
{
#ifdef CORO_ASAN
	/* Of frames that were never left. */
	if (c->stack)
		__asan_unpoison_memory_region(c->stack, c->size);
#endif
#ifdef CORO_TSAN
	if (c->stack)
		__tsan_destroy_fiber(c->fiber);
#endif
	release_context(c);
}

#if CORO_SANITIZED || !defined(CORO_ASSEMBLY)
void coro_switch(struct coro *from, struct coro *to)
{
	coro_starting = to;
#ifdef CORO_ASAN
	asan_previous = from;
	__sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->size);
#endif
#ifdef CORO_TSAN
	__tsan_switch_to_fiber(to->fiber, 0);
#endif
	swap(from, to);
	switched_in(from);
}
#endif

int coro_stack_intact(const struct coro *c)
{
	return !c->stack || memcmp(c->stack, canary, sizeof(canary)) == 0;
}
