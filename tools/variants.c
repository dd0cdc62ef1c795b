// SPDX-License-Identifier: GPL-3.0-or-later
#include "variants.h"

#include <assert.h>
#include <math.h>

struct variants *variants_new(struct reader *r, const struct scenario *scenario,
			      enum variant_kind kind, size_t per_case)
{
	struct variants *v = reader_alloc(r, sizeof(*v));

	v->kind = kind;
	v->reader = r;
	v->capacity = scenario->count * (1 + per_case);
	v->cases = reader_alloc(r, v->capacity * sizeof(*v->cases));
	v->list = reader_alloc(r, v->capacity * sizeof(*v->list));
	return v;
}

struct scenario_case *variants_add(struct variants *v, const struct scenario_case *from,
				   const char *suffix, struct variant variant)
{
	struct scenario_case *c = &v->cases[v->count];

	assert(v->count < v->capacity);
	v->list[v->count++] = variant;
	*c = *from;
	c->id = reader_printf(v->reader, "%s/%s", from->id, suffix);
	c->expect.present = false;
	return c;
}

size_t variants_add_base(struct variants *v, const struct scenario_case *from)
{
	size_t index = v->count;

	assert(v->count < v->capacity);
	v->list[index] = (struct variant){.base = index, .name = "", .what = "", .sign = 1};
	v->cases[v->count++] = *from;
	return index;
}

struct machine_profile *variants_machine(struct variants *v, struct scenario_case *c)
{
	struct machine_profile *machine = reader_alloc(v->reader, sizeof(*machine));

	*machine = *c->spec.machine;
	c->spec.machine = machine;
	return machine;
}

/* Intervals of two runs, as if independent: with common random numbers they are less wide. */
struct effect variant_effect(const struct report *report, size_t index)
{
	const struct variant *v = &report->variants->list[index];
	const struct outcome *base = &report->outcomes[v->base], *own = &report->outcomes[index];
	struct effect e = {0};
	double a, b, p, q;

	if (base->state != OUTCOME_DONE || own->state != OUTCOME_DONE)
		return e;
	a = base->result->ops_per_thread_mean;
	b = own->result->ops_per_thread_mean;
	if (!(a > 0))
		return e;
	e.known = true;
	e.pct = 100 * v->sign * (b / a - 1);
	p = base->result->ops_per_thread_ci / a;
	q = b > 0 ? own->result->ops_per_thread_ci / b : 0;
	e.ci = 100 * b / a * sqrt(p * p + q * q);
	return e;
}
