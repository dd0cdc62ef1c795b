/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "switching.h"

#include <assert.h>
#include <stdlib.h>

#include "coro.h"
#include "random.h"

static struct {
	struct coro main, *coro;
	struct coro_pool pool;
	uint32_t count, left;
	uint32_t *index;
	gsl_rng *random;
	uint64_t digest;
} s;

/* To a random coroutine, or to main at the end. */
static void go_on(struct coro *self)
{
	struct coro *next;

	if (s.left == 0) {
		coro_switch(self, &s.main);
		return;
	}
	s.left--;
	next = &s.coro[sim_random_below(s.random, s.count)];
	if (next != self)
		coro_switch(self, next);
}

/* Keeps values in frames of several depths and in floating point over switches. */
static uint64_t deep(struct coro *self, uint32_t depth, uint64_t value)
{
	double half = (double)(value & 0xffff) / 2;
	uint64_t below = 0;

	go_on(self);
	if (depth > 0)
		below = deep(self, depth - 1, sim_random_mix(value, depth, 0));
	go_on(self);
	return sim_random_mix(value, below, (uint64_t)(half * 2));
}

static void body(void *arg)
{
	uint32_t index = *(const uint32_t *)arg;
	uint64_t value = index;

	for (;;) {
		value = deep(&s.coro[index], 1 + index % 7, value);
		s.digest = sim_random_mix(s.digest, value, index);
	}
}

uint64_t switching_run(uint32_t count, uint32_t switches)
{
	int failed = coro_pool_init(&s.pool, count);

	assert(!failed);
	(void)failed;
	s.count = count;
	s.left = switches;
	s.digest = 0;
	s.random = sim_random_new(count, switches, SIM_RANDOM_TEST);
	s.coro = calloc(count, sizeof(*s.coro));
	s.index = calloc(count, sizeof(*s.index));
	coro_init_main(&s.main);
	for (uint32_t c = 0; c < count; c++) {
		s.index[c] = c;
		coro_init(&s.coro[c], &s.pool, c, body, &s.index[c]);
	}
	coro_switch(&s.main, &s.coro[0]);
	for (uint32_t c = 0; c < count; c++) {
		if (!coro_stack_intact(&s.coro[c]))
			s.digest = 0;
		coro_clean_up(&s.coro[c]);
	}
	coro_clean_up(&s.main);
	coro_pool_clean_up(&s.pool);
	gsl_rng_free(s.random);
	free(s.coro);
	free(s.index);
	return s.digest;
}
