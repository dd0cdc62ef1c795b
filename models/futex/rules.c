// SPDX-License-Identifier: GPL-3.0-or-later
#include "futex/rules.h"

_Static_assert(FUTEX_KERNEL_COUNT <= 1 << 4 && FUTEX_HASH_COUNT <= 1 << 3, "fit their bits");
_Static_assert(REFCOUNT_KIND_COUNT <= 1 << 3 && FUTEX_CHECK_COUNT <= 1 << 2, "fit their bits");

union futex_rules futex_rules_make(const struct futex_policy *policy)
{
	struct futex_bucket_layout layout = futex_bucket_layout(policy);
	union futex_rules rules = {{
		.waiters = layout.waiters,
		.lock = layout.lock,
		.chain = layout.chain,
		.priv = layout.priv,
		.stride = layout.stride,
		.kernel = policy->kernel,
		.refcount = policy->refcount,
		.empty_check = policy->empty_check,
		.hash = policy->hash,
		.resizable = policy->resizable,
		.barrier_a = policy->barrier_a,
		.barrier_b = policy->barrier_b,
		.back_pointer = policy->back_pointer,
		.weak_rmw = policy->weak_rmw,
	}};

	if (rules.stride != layout.stride || rules.priv != layout.priv)
		plat_panic("a bucket is larger than its layout can say");
	return rules;
}
