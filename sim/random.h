/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random numbers: GSL's taus2 generator, one stream per owner and purpose, all
 * derived from the scenario's seed; for the machine, whose requests come in
 * global order, a faster one. Integers only, so that every host draws the same.
 */
#ifndef FUTEXSIM_SIM_RANDOM_H
#define FUTEXSIM_SIM_RANDOM_H

#define HAVE_INLINE /* GSL: gsl_rng_get without a call into the library first */
#include <gsl/gsl_rng.h>
#include <stdint.h>

enum sim_purpose { SIM_RANDOM_TRANSFER, SIM_RANDOM_WORKLOAD, SIM_RANDOM_TEST };

/* A 64-bit value that depends on every bit of its inputs (splitmix64 steps). */
uint64_t sim_random_mix(uint64_t seed, uint64_t owner, uint64_t purpose);

/* NULL without memory; free with gsl_rng_free. */
gsl_rng *sim_random_new(uint64_t seed, uint64_t owner, enum sim_purpose purpose);

/*
 * The machine's own stream, drawn from several times per transfer: splitmix64
 * (Steele, Lea, Flood, OOPSLA 2014), a third of the instructions of GSL's
 * shortest generator.
 */
struct sim_stream {
	uint64_t state;
};

static inline uint32_t sim_stream_u32(struct sim_stream *s)
{
	uint64_t x = s->state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((x ^ x >> 31) >> 32);
}

/* Uniform in [0, bound); bound < 2^32. */
static inline uint64_t sim_stream_below(struct sim_stream *s, uint64_t bound)
{
	return (uint64_t)sim_stream_u32(s) * bound >> 32;
}

/* Uniform 32 bits. */
static inline uint32_t sim_random_u32(gsl_rng *r)
{
	return (uint32_t)gsl_rng_get(r);
}

/* Uniform in [0, bound); bound < 2^32. */
static inline uint64_t sim_random_below(gsl_rng *r, uint64_t bound)
{
	return (uint64_t)sim_random_u32(r) * bound >> 32;
}

#endif
