/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SipHash with any number of rounds; the kernel's hsiphash on 64 bits is SipHash-1-3. */
#ifndef FUTEXSIM_FUTEX_SIPHASH_H
#define FUTEXSIM_FUTEX_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t k0, k1;
};

/* SipHash-c-d of `size` bytes (Aumasson and Bernstein, 2012); pure. */
uint64_t siphash_rounds(unsigned c, unsigned d, const void *data, size_t size,
			struct siphash_key key);

#endif
