/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bob Jenkins' lookup3 over 32-bit words, as the kernel's jhash2(). */
#ifndef FUTEXSIM_FUTEX_JHASH_H
#define FUTEXSIM_FUTEX_JHASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash of `count` words (0 is allowed); pure. */
uint32_t jhash2(const uint32_t *words, size_t count, uint32_t initval);

#endif
