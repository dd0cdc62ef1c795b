/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be chosen about a futex hash: kernel generation plus orthogonal policies. */
#ifndef FUTEXSIM_FUTEX_POLICY_H
#define FUTEXSIM_FUTEX_POLICY_H

#include "platform.h"
#include "sync/lock.h"
#include "sync/refcount.h"

/* Generations; each fixes key layout and order of accesses. */
enum futex_kernel {
	FUTEX_KERNEL_V3_12, /* G0 */
	FUTEX_KERNEL_V3_14, /* G1 */
	FUTEX_KERNEL_V6_15, /* G2 */
	FUTEX_KERNEL_RFC_2024,
	FUTEX_KERNEL_V6_16_RC, /* G3 */
	FUTEX_KERNEL_V6_17,    /* G4 */
	FUTEX_KERNEL_V6_18,    /* G5a */
	FUTEX_KERNEL_V7_2,     /* G5b */
	FUTEX_KERNEL_V7_3,     /* G5c */
	FUTEX_KERNEL_COUNT
};

enum futex_scope {
	FUTEX_SCOPE_GLOBAL,
	FUTEX_SCOPE_PER_NODE,
	FUTEX_SCOPE_PRIVATE,
	FUTEX_SCOPE_COUNT
};
enum futex_empty_check {
	FUTEX_CHECK_NONE,
	FUTEX_CHECK_COUNTER,
	FUTEX_CHECK_LOCK_AND_LIST,
	FUTEX_CHECK_COUNT
};
enum futex_bucket {
	FUTEX_BUCKET_PACKED,
	FUTEX_BUCKET_ALIGNED,
	FUTEX_BUCKET_CHAIN_APART,
	FUTEX_BUCKET_COUNT
};
enum futex_hash_kind {
	FUTEX_HASH_JHASH2,      /* as the generation does it: 4 words, private 2 words */
	FUTEX_HASH_JHASH2_ADDR, /* 2 words (page address) + offset, whatever the table */
	FUTEX_HASH_LONG,
	FUTEX_HASH_XXHASH,
	FUTEX_HASH_CRC32,
	FUTEX_HASH_CRC32C,
	FUTEX_HASH_SIPHASH,
	FUTEX_HASH_HSIPHASH,
	FUTEX_HASH_COUNT
};

struct futex_policy {
	enum futex_kernel kernel;
	enum futex_scope scope;
	uint32_t slots; /* power of two >= 2 (per node for per-node tables); 0 = the generation's
			   size rule */
	bool resizable; /* false: "immutable", get and put make no RMW */
	enum refcount_kind refcount;
	enum futex_empty_check empty_check;
	bool barrier_a;
	bool barrier_b;
	enum lock_kind lock;
	enum futex_bucket bucket;
	bool back_pointer; /* hb->priv */
	enum futex_hash_kind hash;
	/*
	 * RMWs order nothing by themselves (ppc): smp_mb__after_atomic() is then a
	 * full barrier. Follows from the machine; set by the preset, not by scenarios.
	 */
	bool weak_rmw;
	/*
	 * For finding out what waiting costs: bucket locks never exclude anybody. Sound
	 * only while chains stay empty. Not set by presets, nor by scenarios.
	 */
	bool lock_always_free;
};

/* Names as in scenarios; NULL past the end. */
const char *futex_kernel_name(enum futex_kernel kernel);
const char *futex_scope_name(enum futex_scope scope);
const char *futex_empty_check_name(enum futex_empty_check check);
const char *futex_bucket_name(enum futex_bucket bucket);
const char *futex_hash_name(enum futex_hash_kind hash);

/*
 * Defaults of a generation. `ppc`: the machine is ppc64le (its kernels use
 * their own queued lock from v6.2 on). The scope is the generation's default
 * for private futexes; `slots` is 0.
 */
struct futex_policy futex_policy_preset(enum futex_kernel kernel, bool ppc);

/*
 * NULL when the combination can be built, else a sentence that says what is
 * not possible and what is allowed ("refcount rcuref needs scope private").
 * `*key` receives the name of the offending policy key.
 */
const char *futex_policy_check(const struct futex_policy *policy, const char **key);

/*
 * Slots the generation's rule gives: global or per-node tables from the number
 * of possible CPUs and nodes, private tables from the number of threads of the
 * process (the last thread's creation counts those before it) and online CPUs.
 */
uint32_t futex_auto_slots(const struct futex_policy *policy, unsigned cpus, unsigned nodes,
			  unsigned threads);

#endif
