// SPDX-License-Identifier: GPL-3.0-or-later
#include "futex/policy.h"

static const char *const kernel_names[FUTEX_KERNEL_COUNT] = {
	[FUTEX_KERNEL_V3_12] = "v3.12",       [FUTEX_KERNEL_V3_14] = "v3.14",
	[FUTEX_KERNEL_V6_15] = "v6.15",       [FUTEX_KERNEL_RFC_2024] = "rfc-2024",
	[FUTEX_KERNEL_V6_16_RC] = "v6.16-rc", [FUTEX_KERNEL_V6_17] = "v6.17",
	[FUTEX_KERNEL_V6_18] = "v6.18",       [FUTEX_KERNEL_V7_2] = "v7.2",
	[FUTEX_KERNEL_V7_3] = "v7.3",
};
static const char *const scope_names[FUTEX_SCOPE_COUNT] = {"global", "per-node", "private"};
static const char *const check_names[FUTEX_CHECK_COUNT] = {"none", "counter", "lock-and-list"};
static const char *const bucket_names[FUTEX_BUCKET_COUNT] = {"packed", "aligned", "chain-apart"};
static const char *const hash_names[FUTEX_HASH_COUNT] = {
	[FUTEX_HASH_JHASH2] = "jhash2",   [FUTEX_HASH_JHASH2_ADDR] = "jhash2-addr",
	[FUTEX_HASH_LONG] = "hash_long",  [FUTEX_HASH_XXHASH] = "xxhash",
	[FUTEX_HASH_CRC32] = "crc32",     [FUTEX_HASH_CRC32C] = "crc32c",
	[FUTEX_HASH_SIPHASH] = "siphash", [FUTEX_HASH_HSIPHASH] = "hsiphash",
};

static const char *name_at(const char *const *names, unsigned count, unsigned index)
{
	return index < count ? names[index] : NULL;
}

const char *futex_kernel_name(enum futex_kernel kernel)
{
	return name_at(kernel_names, FUTEX_KERNEL_COUNT, kernel);
}

const char *futex_scope_name(enum futex_scope scope)
{
	return name_at(scope_names, FUTEX_SCOPE_COUNT, scope);
}

const char *futex_empty_check_name(enum futex_empty_check check)
{
	return name_at(check_names, FUTEX_CHECK_COUNT, check);
}

const char *futex_bucket_name(enum futex_bucket bucket)
{
	return name_at(bucket_names, FUTEX_BUCKET_COUNT, bucket);
}

const char *futex_hash_name(enum futex_hash_kind hash)
{
	return name_at(hash_names, FUTEX_HASH_COUNT, hash);
}

/*
 * x86: ticket locks until v4.1, queued since v4.2. powerpc: test-and-set until
 * its own queued lock came in v6.2.
 */
static enum lock_kind preset_lock(enum futex_kernel kernel, bool ppc)
{
	if (kernel <= FUTEX_KERNEL_V3_14)
		return ppc ? LOCK_TAS : LOCK_TICKET;
	return ppc ? LOCK_PPC_QSPINLOCK : LOCK_QSPINLOCK;
}

static void preset_private(struct futex_policy *policy)
{
	policy->scope = FUTEX_SCOPE_PRIVATE;
	if (policy->kernel == FUTEX_KERNEL_RFC_2024)
		return;
	policy->resizable = true;
	policy->refcount =
		policy->kernel == FUTEX_KERNEL_V6_16_RC ? REFCOUNT_RCUREF : REFCOUNT_PERCPU;
	/* Gone with commit a734d9fca84e (v7.2). */
	policy->back_pointer = policy->kernel <= FUTEX_KERNEL_V6_18;
}

struct futex_policy futex_policy_preset(enum futex_kernel kernel, bool ppc)
{
	bool old = kernel == FUTEX_KERNEL_V3_12;
	struct futex_policy policy = {
		.kernel = kernel,
		.scope = FUTEX_SCOPE_GLOBAL,
		.refcount = REFCOUNT_NONE,
		.empty_check = old ? FUTEX_CHECK_NONE : FUTEX_CHECK_COUNTER,
		.barrier_a = !old,
		.barrier_b = !old,
		.lock = preset_lock(kernel, ppc),
		.bucket = old ? FUTEX_BUCKET_PACKED : FUTEX_BUCKET_ALIGNED,
		.hash = FUTEX_HASH_JHASH2,
		.weak_rmw = ppc,
	};

	if (kernel >= FUTEX_KERNEL_RFC_2024)
		preset_private(&policy);
	return policy;
}
