/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulated memory: one arena with a directory entry per cache line, home
 * nodes per page, and a registry of named objects.
 *
 * The real code holds pointers into a read-only alias of the arena filled with
 * poison; access hooks translate them to the backing store. So a load or store
 * that escaped instrumentation reads garbage or faults instead of going
 * unnoticed.
 */
#ifndef FUTEXSIM_SIM_MEMORY_H
#define FUTEXSIM_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "line.h"
#include "origin.h"

enum { SIM_PAGE_SHIFT = 12, SIM_FIELDS_MAX = 16, SIM_CATEGORIES_MAX = 8 };

struct sim_field {
	const char *name;
	uint16_t offset, size;
};

/* One kind of object: what reports know about a byte of it. */
struct sim_type {
	const char *name;
	uint8_t category; /* < SIM_CATEGORIES_MAX, meaning is the caller's */
	uint32_t field_count;
	const struct sim_field *fields;
};

struct sim_object {
	size_t offset, stride;
	size_t count;
	size_t bytes;  /* stride * count */
	size_t mask;   /* stride - 1 if that is a power of two, else 0 */
	uint32_t type; /* index into sim_memory.types */
	bool freed;
};

/* Origins are the caller's to set. */
struct sim_block {
	size_t offset, size;
	bool freed;
	struct sim_origin from, gone;
};

struct sim_memory {
	uintptr_t alias; /* first byte of the poisoned alias */
	size_t bytes;    /* of the arena, multiple of 2 MiB */
	char *backing;
	struct sim_line *lines;
	uint32_t line_shift;
	size_t used;
	uint32_t nodes;
	uint8_t *page_home; /* NUMA node per 4 KiB page */
	uint8_t *page_is_user;
	uint64_t user_base, kernel_base; /* simulated addresses of offset 0 */
	struct open_page {
		size_t next, end;
	} * open;                   /* per node: rest of the page small objects go to */
	struct sim_object *objects; /* ascending offset */
	size_t object_count, object_capacity;
	const struct sim_type **types;
	uint32_t type_count;
	struct sim_block *blocks; /* in order of allocation */
	size_t block_count, block_capacity;
	uint32_t *block_at; /* hash of a start: 1 + index; no start is used twice */
	uint32_t block_bits;
};

/*
 * Reserves an arena of at least `bytes`. line_size: power of two, 32..256.
 * layout_seed moves the simulated addresses by whole pages. 0 or -1 (errno).
 */
int sim_memory_init(struct sim_memory *m, size_t bytes, uint32_t line_size, uint32_t nodes,
		    uint64_t layout_seed);
void sim_memory_clean_up(struct sim_memory *m);

enum { SIM_HOME_INTERLEAVE = -2 };
/*
 * Zeroed memory, as an offset into the arena; SIZE_MAX when the arena is full.
 * home: node, or SIM_HOME_INTERLEAVE. align: power of two <= 64 KiB. Objects of
 * a page or more start on a page of their own. `user`: lies in the process's
 * address space and is contiguous there.
 */
size_t sim_memory_alloc(struct sim_memory *m, size_t size, size_t align, int home, bool user);
/* Of the live block that starts there; 0 if there is none. */
size_t sim_memory_size(const struct sim_memory *m, size_t offset);
/* Poisons the block; false when `offset` is no live block's start. */
bool sim_memory_free(struct sim_memory *m, size_t offset);

/* The block that starts there, live or freed; NULL if there never was one. */
struct sim_block *sim_memory_block(const struct sim_memory *m, size_t offset);
/* The block that a byte belongs to; slow. */
struct sim_block *sim_memory_block_around(const struct sim_memory *m, size_t offset);

/* Names elements of a block; false without memory or on overlap. */
bool sim_memory_name(struct sim_memory *m, size_t offset, const struct sim_type *type, size_t count,
		     size_t stride);
/* The object at a byte, or NULL. */
const struct sim_object *sim_memory_object(const struct sim_memory *m, size_t offset);
/* "bucket[17]" or "fph"; "?" for unnamed memory. */
void sim_memory_describe(const struct sim_memory *m, size_t offset, char *buffer, size_t size);
/* Index into the type's fields, or -1. */
int sim_memory_field(const struct sim_memory *m, const struct sim_object *object, size_t offset);

/* The address the simulated machine gives to a byte. */
uint64_t sim_memory_address(const struct sim_memory *m, size_t offset);

static inline size_t sim_memory_offset(const struct sim_memory *m,
				       const volatile void *alias_pointer)
{
	return (uintptr_t)alias_pointer - m->alias;
}

static inline void *sim_memory_pointer(const struct sim_memory *m, size_t offset)
{
	return (void *)(m->alias + offset);
}

#endif
