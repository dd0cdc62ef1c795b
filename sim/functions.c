/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "functions.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void sim_contexts_init(struct sim_contexts *t)
{
	memset(t, 0, sizeof(*t));
	t->node[0].parent = &t->node[0];
	t->count = 1;
}

void sim_contexts_reset(struct sim_contexts *t)
{
	for (uint32_t c = 0; c < t->count; c++)
		t->node[c].self = 0;
}

/* The callee's entry, or a free one; NULL when all are taken. */
static struct sim_callee *find_callee(struct sim_context *caller, const void *pc)
{
	for (uint32_t i = 0; i < SIM_CALLEES_MAX; i++) {
		struct sim_callee *callee =
		        &caller->callee[((uintptr_t)pc / 16 + i) % SIM_CALLEES_MAX];

		if (callee->pc == pc || !callee->pc)
			return callee;
	}
	return NULL;
}

struct sim_context *sim_context_add(struct sim_contexts *t, struct sim_context *caller, const void *pc)
{
	struct sim_callee *callee = find_callee(caller, pc);
	struct sim_context *context;

	if (!callee)
		return NULL;
	if (callee->pc)
		return callee->context;
	if (t->count == SIM_CONTEXTS_MAX)
		return NULL;
	context = &t->node[t->count++];
	context->parent = caller;
	context->pc = pc;
	*callee = (struct sim_callee){pc, context};
	return context;
}

static const char *symbol(const void *pc)
{
	Dl_info info;

	return pc && dladdr(pc, &info) ? info.dli_sname : NULL;
}

static struct sim_function *entry_of(struct sim_function *out, uint32_t *count, uint32_t max, const char *name)
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
static bool called_above(const struct sim_context *c, const char *const *name, const struct sim_contexts *t)
{
	const char *own = name[c - t->node];

	for (c = c->parent; c->parent != c; c = c->parent)
		if (name[c - t->node] && strcmp(name[c - t->node], own) == 0)
			return true;
	return false;
}

static int by_self(const void *a, const void *b)
{
	const struct sim_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return strcmp(x->name, y->name);
}

uint32_t sim_functions_sum(const struct sim_contexts *t, struct sim_function *out, uint32_t max)
{
	const char *name[SIM_CONTEXTS_MAX];
	sim_time self[SIM_CONTEXTS_MAX], total[SIM_CONTEXTS_MAX];
	uint32_t count = 0;

	for (uint32_t c = 0; c < t->count; c++) {
		name[c] = symbol(t->node[c].pc);
		self[c] = total[c] = t->node[c].self;
	}
	/* Children were added after their parents. */
	for (uint32_t c = t->count; c-- > 1;) {
		uint32_t parent = (uint32_t)(t->node[c].parent - t->node);

		total[parent] += total[c];
		if (!name[c])
			self[parent] += self[c];
	}
	for (uint32_t c = 1; c < t->count; c++) {
		struct sim_function *f = name[c] && total[c] ? entry_of(out, &count, max, name[c]) : NULL;

		if (!f)
			continue;
		f->self += self[c];
		if (!called_above(&t->node[c], name, t))
			f->total += total[c];
	}
	qsort(out, count, sizeof(*out), by_self);
	return count;
}
