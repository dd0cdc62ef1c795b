// SPDX-License-Identifier: GPL-3.0-or-later
/* Memory: zeroed, aligned, kept in a list until native_reset(); per-CPU copies. */
#include "native/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NATIVE_PAGE = 4096 };

/* Lies immediately before the memory handed out. */
struct block {
	struct block *next, *previous;
	void *base; /* for free() */
};

struct plat_percpu {
	size_t stride;
	unsigned char *copies;
};

static pthread_mutex_t blocks_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct block blocks = {.next = &blocks, .previous = &blocks};

static size_t round_up(size_t size, size_t align)
{
	return (size + align - 1) / align * align;
}

static void block_insert(struct block *block)
{
	pthread_mutex_lock(&blocks_mutex);
	block->next = blocks.next;
	block->previous = &blocks;
	blocks.next->previous = block;
	blocks.next = block;
	pthread_mutex_unlock(&blocks_mutex);
}

static void block_remove(struct block *block)
{
	pthread_mutex_lock(&blocks_mutex);
	block->next->previous = block->previous;
	block->previous->next = block->next;
	pthread_mutex_unlock(&blocks_mutex);
}

void *plat_alloc(size_t size, size_t align, int node)
{
	size_t head, total;
	unsigned char *base;
	struct block *block;

	(void)node;
	if (align < _Alignof(max_align_t))
		align = _Alignof(max_align_t);
	head = round_up(sizeof(struct block), align);
	if (size > SIZE_MAX / 2 - head - align)
		plat_panic("allocation larger than the address space");
	total = round_up(head + size, align);
	base = aligned_alloc(align, total);
	if (!base)
		plat_panic("out of memory");
	memset(base, 0, total);
	block = (struct block *)(void *)(base + head) - 1;
	block->base = base;
	block_insert(block);
	return base + head;
}

void plat_free(void *p)
{
	struct block *block;

	if (!p)
		return;
	block = (struct block *)p - 1;
	block_remove(block);
	free(block->base);
}

void native_memory_reset(void)
{
	struct block *block = blocks.next;

	while (block != &blocks) {
		struct block *next = block->next;

		free(block->base);
		block = next;
	}
	blocks.next = blocks.previous = &blocks;
}

void *plat_alloc_user(size_t size, int node)
{
	return plat_alloc(size, NATIVE_PAGE, node);
}

/* Reports name lines only in simulated time. */
void plat_name(const void *p, const struct plat_type *type, size_t count, size_t stride)
{
	(void)p;
	(void)type;
	(void)count;
	(void)stride;
}

size_t plat_line_size(void)
{
	return NATIVE_LINE;
}

size_t plat_page_size(void)
{
	return NATIVE_PAGE;
}

uint64_t plat_address(const void *p)
{
	return (uintptr_t)p;
}

struct plat_percpu *plat_percpu_alloc(size_t size, const struct plat_type *type)
{
	struct plat_percpu *percpu = plat_alloc(sizeof(*percpu), NATIVE_LINE, PLAT_NODE_LOCAL);

	(void)type;
	percpu->stride = round_up(size ? size : 1, NATIVE_LINE);
	percpu->copies = plat_alloc(percpu->stride * NATIVE_CPUS, NATIVE_LINE, PLAT_NODE_LOCAL);
	return percpu;
}

void *plat_percpu_ptr(struct plat_percpu *base, unsigned cpu)
{
	if (cpu >= NATIVE_CPUS)
		plat_panic("per-CPU data of a CPU that does not exist");
	native_point();
	return base->copies + base->stride * cpu;
}

void *plat_this_cpu_ptr(struct plat_percpu *base)
{
	return plat_percpu_ptr(base, plat_cpu());
}

void plat_this_cpu_add(struct plat_percpu *base, int32_t delta)
{
	uint32_t *copy = plat_this_cpu_ptr(base);

	*copy += (uint32_t)delta;
}
