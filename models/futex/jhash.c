// SPDX-License-Identifier: GPL-3.0-or-later
#include "futex/jhash.h"

uint32_t jhash2(const uint32_t *words, size_t count, uint32_t initval)
{
	struct jhash_state s = jhash_start((uint32_t)count, initval);

	for (; count > 3; count -= 3, words += 3) {
		s.a += words[0];
		s.b += words[1];
		s.c += words[2];
		s = jhash_mix(s);
	}
	if (count == 0)
		return s.c;
	if (count > 2)
		s.c += words[2];
	if (count > 1)
		s.b += words[1];
	s.a += words[0];
	return jhash_final(s);
}
