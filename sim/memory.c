/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POISON_CHUNK = 2 << 20, POISON_BYTE = 0xdb };

/* Page size of a simulated page; homes are recorded at 4 KiB granularity. */
static const size_t page = (size_t)1 << SIM_PAGE_SHIFT;

/* Huge pages spare large arenas TLB misses; small ones would only pay for zeroing them. */
static const size_t huge_from = 16 << 20;

/* Fills the alias by mapping one chunk of poison again and again. */
static bool map_poison(struct sim_memory *m)
{
	int fd = memfd_create("poison", MFD_CLOEXEC);
	char *chunk;
	bool ok = fd >= 0 && ftruncate(fd, POISON_CHUNK) == 0;

	if (ok) {
		chunk = mmap(NULL, POISON_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		ok = chunk != MAP_FAILED;
	}
	if (ok) {
		memset(chunk, POISON_BYTE, POISON_CHUNK);
		munmap(chunk, POISON_CHUNK);
	}
	for (size_t at = 0; ok && at < m->bytes; at += POISON_CHUNK)
		ok = mmap((void *)(m->alias + at), POISON_CHUNK, PROT_READ, MAP_SHARED | MAP_FIXED,
			  fd, 0) != MAP_FAILED;
	if (fd >= 0)
		close(fd);
	return ok;
}

static void *reserve(size_t bytes, int protection)
{
	void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccd;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53;
	return x ^ x >> 33;
}

int sim_memory_init(struct sim_memory *m, size_t bytes, uint32_t line_size, uint32_t nodes,
		    uint64_t layout_seed)
{
	memset(m, 0, sizeof(*m));
	m->bytes = (bytes + POISON_CHUNK - 1) & ~(size_t)(POISON_CHUNK - 1);
	m->line_shift = (uint32_t)__builtin_ctz(line_size);
	m->nodes = nodes;
	m->used = page; /* offset 0 stays unused, as address 0 does */
	/* x86-64's and ppc64's user mappings; only whole 64 KiB pages move, as ASLR does. */
	m->user_base = 0x7f0000000000 + ((mix(layout_seed) & 0xffffff) << 16);
	m->kernel_base = 0xffff888000000000 + ((mix(layout_seed + 1) & 0xffff) << 20);
	m->alias = (uintptr_t)reserve(m->bytes, PROT_NONE);
	m->backing = reserve(m->bytes, PROT_READ | PROT_WRITE);
	m->lines = reserve((m->bytes >> m->line_shift) * sizeof(*m->lines), PROT_READ | PROT_WRITE);
	m->page_home = calloc(m->bytes >> SIM_PAGE_SHIFT, 1);
	m->page_is_user = calloc(m->bytes >> SIM_PAGE_SHIFT, 1);
	m->open = calloc(nodes, sizeof(*m->open));
	if (!m->alias || !m->backing || !m->lines || !m->page_home || !m->page_is_user ||
	    !m->open || !map_poison(m)) {
		sim_memory_clean_up(m);
		return -1;
	}
	if (m->bytes >= huge_from) {
		madvise(m->backing, m->bytes, MADV_HUGEPAGE);
		madvise(m->lines, (m->bytes >> m->line_shift) * sizeof(*m->lines), MADV_HUGEPAGE);
	}
	return 0;
}

void sim_memory_clean_up(struct sim_memory *m)
{
	if (m->alias)
		munmap((void *)m->alias, m->bytes);
	if (m->backing)
		munmap(m->backing, m->bytes);
	if (m->lines)
		munmap(m->lines, (m->bytes >> m->line_shift) * sizeof(*m->lines));
	free(m->page_home);
	free(m->page_is_user);
	free(m->open);
	free(m->objects);
	free(m->types);
	free(m->blocks);
	free(m->block_at);
	memset(m, 0, sizeof(*m));
}

/* Whole pages from the end of the used part. */
static size_t take_pages(struct sim_memory *m, size_t size, size_t align, int home, bool user)
{
	size_t start = (m->used + (align > page ? align : page) - 1) &
		       ~((align > page ? align : page) - 1);
	size_t end = (start + size + page - 1) & ~(page - 1);

	if (size > m->bytes || end > m->bytes || end < start)
		return SIZE_MAX;
	for (size_t p = start >> SIM_PAGE_SHIFT; p < end >> SIM_PAGE_SHIFT; p++) {
		m->page_home[p] =
			home == SIM_HOME_INTERLEAVE ? (uint8_t)(p % m->nodes) : (uint8_t)home;
		m->page_is_user[p] = user;
	}
	m->used = end;
	return start;
}

static size_t take_small(struct sim_memory *m, size_t size, size_t align, int home)
{
	struct open_page *open = &m->open[home];
	size_t start = (open->next + align - 1) & ~(align - 1);

	if (!open->end || start + size > open->end) {
		start = take_pages(m, page, page, home, false);
		if (start == SIZE_MAX)
			return SIZE_MAX;
		open->end = start + page;
	}
	open->next = start + size;
	return start;
}

static uint32_t *place_of(const struct sim_memory *m, size_t offset)
{
	uint32_t mask = ((uint32_t)1 << m->block_bits) - 1;
	uint32_t at = (uint32_t)(mix(offset) & mask);

	while (m->block_at[at] && m->blocks[m->block_at[at] - 1].offset != offset)
		at = (at + 1) & mask;
	return &m->block_at[at];
}

/* Twice as many places as blocks. */
static bool grow_blocks(struct sim_memory *m)
{
	uint32_t bits = m->block_bits ? m->block_bits + 1 : 7;
	size_t capacity = (size_t)1 << (bits - 1);
	struct sim_block *blocks = realloc(m->blocks, capacity * sizeof(*blocks));
	uint32_t *places;

	if (!blocks)
		return false;
	m->blocks = blocks;
	places = calloc(2 * capacity, sizeof(*places));
	if (!places)
		return false;
	free(m->block_at);
	m->block_at = places;
	m->block_bits = bits;
	m->block_capacity = capacity;
	for (size_t b = 0; b < m->block_count; b++)
		*place_of(m, m->blocks[b].offset) = (uint32_t)b + 1;
	return true;
}

static bool record_block(struct sim_memory *m, size_t offset, size_t size)
{
	if (m->block_count == m->block_capacity && !grow_blocks(m))
		return false;
	m->blocks[m->block_count] = (struct sim_block){.offset = offset, .size = size};
	*place_of(m, offset) = (uint32_t)++m->block_count;
	return true;
}

size_t sim_memory_alloc(struct sim_memory *m, size_t size, size_t align, int home, bool user)
{
	size_t offset;

	assert(size > 0 && align > 0 && (align & (align - 1)) == 0);
	assert(home == SIM_HOME_INTERLEAVE || (home >= 0 && (uint32_t)home < m->nodes));
	if (user || size >= page || align >= page || home == SIM_HOME_INTERLEAVE)
		offset = take_pages(m, size, align, home, user);
	else
		offset = take_small(m, size, align, home);
	if (offset == SIZE_MAX || !record_block(m, offset, size))
		return SIZE_MAX;
	return offset;
}

struct sim_block *sim_memory_block(const struct sim_memory *m, size_t offset)
{
	uint32_t index = m->block_count ? *place_of(m, offset) : 0;

	return index ? &m->blocks[index - 1] : NULL;
}

struct sim_block *sim_memory_block_around(const struct sim_memory *m, size_t offset)
{
	for (size_t b = 0; b < m->block_count; b++)
		if (offset - m->blocks[b].offset < m->blocks[b].size)
			return &m->blocks[b];
	return NULL;
}

static struct sim_block *live_block(const struct sim_memory *m, size_t offset)
{
	struct sim_block *block = sim_memory_block(m, offset);

	return block && !block->freed ? block : NULL;
}

size_t sim_memory_size(const struct sim_memory *m, size_t offset)
{
	const struct sim_block *block = live_block(m, offset);

	return block ? block->size : 0;
}

bool sim_memory_free(struct sim_memory *m, size_t offset)
{
	struct sim_block *block = live_block(m, offset);
	size_t line_size = (size_t)1 << m->line_shift;

	if (!block)
		return false;
	block->freed = true;
	memset(m->backing + offset, POISON_BYTE, block->size);
	/* Lines wholly inside the block; a line shared with a neighbour stays usable. */
	for (size_t at = (offset + line_size - 1) & ~(line_size - 1);
	     at + line_size <= offset + block->size; at += line_size) {
		struct sim_line *line = &m->lines[at >> m->line_shift];

		line->revoke_at = 0;
		line->flags |= LINE_FREED;
	}
	return true;
}

static int type_index(struct sim_memory *m, const struct sim_type *type)
{
	const struct sim_type **types;

	for (uint32_t t = 0; t < m->type_count; t++)
		if (m->types[t] == type)
			return (int)t;
	types = realloc(m->types, (m->type_count + 1) * sizeof(*types));
	if (!types)
		return -1;
	m->types = types;
	m->types[m->type_count] = type;
	return (int)m->type_count++;
}

/* Is any byte of [offset, end) named? `at`: where an object at `offset` would be inserted. */
static bool overlaps(const struct sim_memory *m, size_t at, size_t offset, size_t end)
{
	const struct sim_object *before = at > 0 ? &m->objects[at - 1] : NULL;

	if (before && before->offset + before->stride * before->count > offset)
		return true;
	return at < m->object_count && m->objects[at].offset < end;
}

bool sim_memory_name(struct sim_memory *m, size_t offset, const struct sim_type *type, size_t count,
		     size_t stride)
{
	int index = type_index(m, type);
	size_t at;

	if (index < 0 || !count || !stride)
		return false;
	if (m->object_count == m->object_capacity) {
		size_t capacity = m->object_capacity ? 2 * m->object_capacity : 64;
		struct sim_object *objects = realloc(m->objects, capacity * sizeof(*objects));

		if (!objects)
			return false;
		m->objects = objects;
		m->object_capacity = capacity;
	}
	for (at = m->object_count; at > 0 && m->objects[at - 1].offset > offset; at--)
		;
	if (overlaps(m, at, offset, offset + stride * count))
		return false;
	memmove(m->objects + at + 1, m->objects + at, (m->object_count - at) * sizeof(*m->objects));
	m->objects[at] = (struct sim_object){.offset = offset,
					     .stride = stride,
					     .count = count,
					     .bytes = stride * count,
					     .mask = (stride & (stride - 1)) == 0 ? stride - 1 : 0,
					     .type = (uint32_t)index};
	m->object_count++;
	return true;
}

const struct sim_object *sim_memory_object(const struct sim_memory *m, size_t offset)
{
	size_t low = 0, high = m->object_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (m->objects[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const struct sim_object *object = &m->objects[low - 1];
	return offset - object->offset < object->bytes ? object : NULL;
}

void sim_memory_describe(const struct sim_memory *m, size_t offset, char *buffer, size_t size)
{
	const struct sim_object *object = sim_memory_object(m, offset);

	if (!object)
		snprintf(buffer, size, "?");
	else if (object->count == 1)
		snprintf(buffer, size, "%s", m->types[object->type]->name);
	else
		snprintf(buffer, size, "%s[%zu]", m->types[object->type]->name,
			 (offset - object->offset) / object->stride);
}

int sim_memory_field(const struct sim_memory *m, const struct sim_object *object, size_t offset)
{
	const struct sim_type *type = m->types[object->type];
	size_t inside = offset - object->offset;

	inside = object->mask ? inside & object->mask : inside % object->stride;
	for (uint32_t f = 0; f < type->field_count; f++)
		if (inside - type->fields[f].offset < type->fields[f].size)
			return (int)f;
	return -1;
}

uint64_t sim_memory_address(const struct sim_memory *m, size_t offset)
{
	return offset + (m->page_is_user[offset >> SIM_PAGE_SHIFT] ? m->user_base : m->kernel_base);
}
