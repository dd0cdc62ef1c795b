// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * SipHash-c-d from its paper (J.-P. Aumasson, D. J. Bernstein: SipHash: a fast
 * short-input PRF, 2012). libsodium has 2-4 only, so that 1-3 is our own.
 */
#include "futex/siphash.h"

#include <endian.h>
#include <string.h>

#include "platform.h"

struct sip_state {
	uint64_t v0, v1, v2, v3;
};

PLAT_INLINE uint64_t rotate_left64(uint64_t value, unsigned bits)
{
	return (value << bits) | (value >> (64 - bits));
}

PLAT_INLINE void sip_round(struct sip_state *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate_left64(s->v1, 13) ^ s->v0;
	s->v3 = rotate_left64(s->v3, 16) ^ s->v2;
	s->v0 = rotate_left64(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = rotate_left64(s->v1, 17) ^ s->v2;
	s->v3 = rotate_left64(s->v3, 21) ^ s->v0;
	s->v2 = rotate_left64(s->v2, 32);
}

PLAT_INLINE void sip_rounds(struct sip_state *s, unsigned count)
{
	while (count--)
		sip_round(s);
}

PLAT_INLINE void sip_compress(struct sip_state *s, uint64_t word, unsigned rounds)
{
	s->v3 ^= word;
	sip_rounds(s, rounds);
	s->v0 ^= word;
}

PLAT_INLINE uint64_t load_little_endian(const uint8_t *bytes, size_t count)
{
	uint64_t word = 0;

	memcpy(&word, bytes, count);
	return le64toh(word);
}

uint64_t siphash_rounds(unsigned c, unsigned d, const void *data, size_t size,
			struct siphash_key key)
{
	const uint8_t *bytes = data;
	struct sip_state s = {
		key.k0 ^ 0x736f6d6570736575u, /* "somepseudorandomlygeneratedbytes" */
		key.k1 ^ 0x646f72616e646f6du,
		key.k0 ^ 0x6c7967656e657261u,
		key.k1 ^ 0x7465646279746573u,
	};
	size_t whole = size & ~(size_t)7;

	for (size_t i = 0; i < whole; i += 8)
		sip_compress(&s, load_little_endian(bytes + i, 8), c);
	sip_compress(&s, load_little_endian(bytes + whole, size - whole) | (uint64_t)size << 56, c);
	s.v2 ^= 0xff;
	sip_rounds(&s, d);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
