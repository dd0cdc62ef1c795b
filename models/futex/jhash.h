/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lookup3 ("hashword") over 32-bit words, written from its description:
 * burtleburtle.net/bob/c/lookup3.c. The kernel's jhash2() (v6.12
 * include/linux/jhash.h) gives the same values.
 */
#ifndef FUTEXSIM_FUTEX_JHASH_H
#define FUTEXSIM_FUTEX_JHASH_H

#include "platform.h"

struct jhash_state {
	uint32_t a, b, c;
};

PLAT_INLINE struct jhash_state jhash_start(uint32_t count, uint32_t initval)
{
	uint32_t start = 0xdeadbeefu + (count << 2) + initval;

	return (struct jhash_state){start, start, start};
}

PLAT_INLINE uint32_t jhash_rotate(uint32_t value, unsigned bits)
{
	return (value << bits) | (value >> (32 - bits));
}

PLAT_INLINE void jhash_mix_round(uint32_t *target, uint32_t *source, uint32_t third, unsigned bits)
{
	*target -= *source;
	*target ^= jhash_rotate(*source, bits);
	*source += third;
}

PLAT_INLINE struct jhash_state jhash_mix(struct jhash_state s)
{
	jhash_mix_round(&s.a, &s.c, s.b, 4);
	jhash_mix_round(&s.b, &s.a, s.c, 6);
	jhash_mix_round(&s.c, &s.b, s.a, 8);
	jhash_mix_round(&s.a, &s.c, s.b, 16);
	jhash_mix_round(&s.b, &s.a, s.c, 19);
	jhash_mix_round(&s.c, &s.b, s.a, 4);
	return s;
}

PLAT_INLINE uint32_t jhash_final_round(uint32_t target, uint32_t source, unsigned bits)
{
	return (target ^ source) - jhash_rotate(source, bits);
}

PLAT_INLINE uint32_t jhash_final(struct jhash_state s)
{
	s.c = jhash_final_round(s.c, s.b, 14);
	s.a = jhash_final_round(s.a, s.c, 11);
	s.b = jhash_final_round(s.b, s.a, 25);
	s.c = jhash_final_round(s.c, s.b, 16);
	s.a = jhash_final_round(s.a, s.c, 4);
	s.b = jhash_final_round(s.b, s.a, 14);
	return jhash_final_round(s.c, s.b, 24);
}

/* Hash of `count` words (0 is allowed); pure. */
uint32_t jhash2(const uint32_t *words, size_t count, uint32_t initval);

/* The same of two and of four words that need not lie in memory. */
PLAT_INLINE uint32_t jhash2_of_2(uint32_t w0, uint32_t w1, uint32_t initval)
{
	struct jhash_state s = jhash_start(2, initval);

	s.a += w0;
	s.b += w1;
	return jhash_final(s);
}

PLAT_INLINE uint32_t jhash2_of_4(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3,
				 uint32_t initval)
{
	struct jhash_state s = jhash_start(4, initval);

	s.a += w0;
	s.b += w1;
	s.c += w2;
	s = jhash_mix(s);
	s.a += w3;
	return jhash_final(s);
}

#endif
