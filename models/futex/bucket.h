/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash bucket: which field is where depends on the policy. rules.h finds them. */
#ifndef FUTEXSIM_FUTEX_BUCKET_H
#define FUTEXSIM_FUTEX_BUCKET_H

#include "futex/policy.h"

struct futex_hash_bucket; /* opaque: its fields are found through the layout */
struct futex_private_hash;

/*
 * Bytes from the start of a bucket. An all-zero bucket is unlocked and empty,
 * so that a fresh table needs no initialisation: an empty chain is NULL here,
 * where the kernel's list head points to itself. Accesses are the same.
 */
struct futex_bucket_layout {
	uint32_t stride;
	uint16_t waiters; /* valid only with the counter check */
	uint16_t lock;
	uint16_t chain; /* first and last element, 16 bytes */
	uint16_t priv;  /* valid only with a back pointer */
	const struct plat_type *type;
};

struct futex_bucket_layout futex_bucket_layout(const struct futex_policy *policy);

#endif
