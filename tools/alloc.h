/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory for the command: never NULL. Running out ends the program with a
 * message and status 1. Freed with free().
 */
#ifndef FUTEXSIM_TOOLS_ALLOC_H
#define FUTEXSIM_TOOLS_ALLOC_H

#include <stddef.h>

_Noreturn void out_of_memory(void);
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrndup(const char *s, size_t length);

/*
 * Makes jansson allocate the same way: on its own it takes some failed
 * allocations for syntax errors. Call once, before any use of jansson.
 */
void alloc_for_json(void);

#endif
