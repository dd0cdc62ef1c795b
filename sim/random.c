/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random.h"

static uint64_t splitmix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

uint64_t sim_random_mix(uint64_t seed, uint64_t owner, uint64_t purpose)
{
	return splitmix(splitmix(splitmix(seed) ^ owner) ^ purpose);
}

gsl_rng *sim_random_new(uint64_t seed, uint64_t owner, enum sim_purpose purpose)
{
	gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);

	if (r)
		gsl_rng_set(r,
			    (unsigned long)(sim_random_mix(seed, owner, (uint64_t)purpose) >> 32));
	return r;
}
