// SPDX-License-Identifier: GPL-3.0-or-later
#include "alloc.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void out_of_memory(void)
{
	fputs("futexsim: out of memory\n", stderr);
	_exit(1); /* nothing of ours is buffered */
}

static void *or_die(void *p)
{
	if (!p)
		out_of_memory();
	return p;
}

void *xmalloc(size_t size)
{
	return or_die(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return or_die(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t size)
{
	return or_die(realloc(p, size ? size : 1));
}

char *xstrndup(const char *s, size_t length)
{
	char *copy = xcalloc(length + 1, 1);

	memcpy(copy, s, length);
	return copy;
}

void alloc_for_json(void)
{
	json_set_alloc_funcs(xmalloc, free);
}
