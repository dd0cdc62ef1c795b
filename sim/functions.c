/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "functions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLEE_BITS_AT_START = 2, CALLEE_BITS_MAX = 10 };

static bool allocate_callees(struct sim_context *context, uint32_t bits)
{
	context->callee = calloc((size_t)1 << bits, sizeof(*context->callee));
	context->callee_shift = 32 - bits;
	return context->callee;
}

int sim_contexts_init(struct sim_contexts *t)
{
	memset(t, 0, sizeof(*t));
	t->root.parent = &t->root;
	t->newest = &t->root;
	return allocate_callees(&t->root, CALLEE_BITS_AT_START) ? 0 : -1;
}

void sim_contexts_clean_up(struct sim_contexts *t)
{
	struct sim_context *c = t->newest, *older;

	for (; c && c->older; c = older) {
		older = c->older;
		free(c->callee);
		free(c);
	}
	free(t->root.callee);
	t->root.callee = NULL;
	t->newest = NULL;
}

void sim_contexts_reset(struct sim_contexts *t)
{
	for (struct sim_context *c = t->newest; c; c = c->older)
		c->self = 0;
}

static struct sim_context *add(struct sim_contexts *t, struct sim_context *caller, const void *pc)
{
	struct sim_context *context = calloc(1, sizeof(*context));

	if (!context)
		return NULL;
	if (!allocate_callees(context, CALLEE_BITS_AT_START)) {
		free(context);
		return NULL;
	}
	context->parent = caller;
	context->pc = pc;
	context->next_callee = caller->first_callee;
	caller->first_callee = context;
	context->older = t->newest;
	t->newest = context;
	return context;
}

/* All callees have places of their own? */
static bool settle(struct sim_context *caller)
{
	for (struct sim_context *c = caller->first_callee; c; c = c->next_callee) {
		struct sim_callee *place = sim_callee_of(caller, c->pc);

		if (place->pc)
			return false;
		*place = (struct sim_callee){c->pc, c};
	}
	return true;
}

/* Makes the next look-up of `callee`, and if possible of all others, succeed. */
static bool keep(struct sim_context *caller, struct sim_context *callee)
{
	struct sim_callee *place = sim_callee_of(caller, callee->pc);
	uint32_t bits = 32 - caller->callee_shift;

	for (bool settled = !place->pc; !settled && bits < CALLEE_BITS_MAX;) {
		free(caller->callee);
		if (!allocate_callees(caller, ++bits))
			return false;
		settled = settle(caller);
	}
	*sim_callee_of(caller, callee->pc) = (struct sim_callee){callee->pc, callee};
	return true;
}

struct sim_context *sim_context_find(struct sim_contexts *t, struct sim_context *caller,
				     const void *pc, bool named)
{
	struct sim_context *context = caller->first_callee;

	while (context && context->pc != pc)
		context = context->next_callee;
	if (!context)
		context = add(t, caller, pc);
	if (!context)
		return NULL;
	context->named = named;
	return keep(caller, context) ? context : NULL;
}

static const char *symbol(const void *pc)
{
	Dl_info info;

	return pc && dladdr(pc, &info) ? info.dli_sname : NULL;
}

const char *sim_context_function(const struct sim_context *context)
{
	const char *name = NULL;

	while (!name && context->parent != context) {
		name = context->named ? symbol(context->pc) : NULL;
		context = context->parent;
	}
	return name;
}

void sim_context_chain(const struct sim_context *context, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = 0;
	for (; context->parent != context && used < size; context = context->parent) {
		const char *name = context->named ? symbol(context->pc) : NULL;

		if (name)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s",
						 used ? " < " : "", name);
	}
}

static struct sim_function *entry_of(struct sim_function *out, uint32_t *count, uint32_t max,
				     const char *name)
{
	for (uint32_t f = 0; f < *count; f++)
		if (strcmp(out[f].name, name) == 0)
			return &out[f];
	if (*count == max)
		return NULL;
	out[*count] = (struct sim_function){.name = name};
	return &out[(*count)++];
}

/* Is a function of this name already on the way up from `c`? */
static bool called_above(const struct sim_context *c)
{
	const char *own = c->name;

	for (c = c->parent; c->parent != c; c = c->parent)
		if (c->name && strcmp(c->name, own) == 0)
			return true;
	return false;
}

/* Callees are newer than their callers. */
static void sum_up(struct sim_contexts *t)
{
	for (struct sim_context *c = t->newest; c; c = c->older) {
		c->name = c->named ? symbol(c->pc) : NULL;
		c->own = c->total = c->self;
	}
	for (struct sim_context *c = t->newest; c && c->older; c = c->older) {
		c->parent->total += c->total;
		if (!c->name)
			c->parent->own += c->own;
	}
}

static int by_self(const void *a, const void *b)
{
	const struct sim_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return strcmp(x->name, y->name);
}

uint32_t sim_functions_sum(struct sim_contexts *t, struct sim_function *out, uint32_t max)
{
	uint32_t count = 0;

	sum_up(t);
	for (struct sim_context *c = t->newest; c && c->older; c = c->older) {
		struct sim_function *f =
			c->name && c->total ? entry_of(out, &count, max, c->name) : NULL;

		if (!f)
			continue;
		f->self += c->own;
		if (!called_above(c))
			f->total += c->total;
	}
	qsort(out, count, sizeof(*out), by_self);
	return count;
}
