/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random numbers: GSL's taus2 generator, one stream per owner and purpose (the
 * machine, whose requests come in global order, owns a single one), all derived
 * from the scenario's seed. Integers only, so that every host draws the same.
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
