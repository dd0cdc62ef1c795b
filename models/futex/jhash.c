// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * lookup3 ("hashword"), written from its description: burtleburtle.net/bob/c/lookup3.c.
 * The kernel's jhash2() (v6.12 include/linux/jhash.h) gives the same values.
 */
#include "futex/jhash.h"

#include "platform.h"

struct jhash_state {
	uint32_t a, b, c;
};

PLAT_INLINE uint32_t rotate_left(uint32_t value, unsigned bits)
{
	return (value << bits) | (value >> (32 - bits));
}

PLAT_INLINE void mix_round(uint32_t *target, uint32_t *source, uint32_t third, unsigned bits)
{
	*target -= *source;
	*target ^= rotate_left(*source, bits);
	*source += third;
}

PLAT_INLINE void mix(struct jhash_state *s)
{
	mix_round(&s->a, &s->c, s->b, 4);
	mix_round(&s->b, &s->a, s->c, 6);
	mix_round(&s->c, &s->b, s->a, 8);
	mix_round(&s->a, &s->c, s->b, 16);
	mix_round(&s->b, &s->a, s->c, 19);
	mix_round(&s->c, &s->b, s->a, 4);
}

PLAT_INLINE void final_step(uint32_t *target, uint32_t source, unsigned bits)
{
	*target ^= source;
	*target -= rotate_left(source, bits);
}

PLAT_INLINE void finalise(struct jhash_state *s)
{
	final_step(&s->c, s->b, 14);
	final_step(&s->a, s->c, 11);
	final_step(&s->b, s->a, 25);
	final_step(&s->c, s->b, 16);
	final_step(&s->a, s->c, 4);
	final_step(&s->b, s->a, 14);
	final_step(&s->c, s->b, 24);
}

uint32_t jhash2(const uint32_t *words, size_t count, uint32_t initval)
{
	uint32_t start = 0xdeadbeefu + ((uint32_t)count << 2) + initval;
	struct jhash_state s = {start, start, start};

	for (; count > 3; count -= 3, words += 3) {
		s.a += words[0];
		s.b += words[1];
		s.c += words[2];
		mix(&s);
	}
	if (count == 0)
		return s.c;
	if (count > 2)
		s.c += words[2];
	if (count > 1)
		s.b += words[1];
	s.a += words[0];
	finalise(&s);
	return s.c;
}
