/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that switches a lot, to compare coroutine back ends. */
#ifndef FUTEXSIM_TESTS_SWITCHING_H
#define FUTEXSIM_TESTS_SWITCHING_H

#include <stdint.h>

/* `count` coroutines, `switches` random switches between them; a digest of the order and of values
 * they kept on their stacks and in registers.
 */
uint64_t switching_run(uint32_t count, uint32_t switches);

#endif
