// SPDX-License-Identifier: GPL-3.0-or-later
/* The names scenarios use, as lists for checking and for `futexsim list`. */
#include "scenario.h"

const char *lock_choice(unsigned index)
{
	return index < LOCK_KIND_COUNT ? lock_class_of((enum lock_kind)index)->name : NULL;
}

const char *refcount_choice(unsigned index)
{
	return index < REFCOUNT_KIND_COUNT ? refcount_name((enum refcount_kind)index) : NULL;
}

const char *kernel_choice(unsigned index)
{
	return futex_kernel_name((enum futex_kernel)index);
}

const char *scope_choice(unsigned index)
{
	return futex_scope_name((enum futex_scope)index);
}

const char *empty_check_choice(unsigned index)
{
	return futex_empty_check_name((enum futex_empty_check)index);
}

const char *bucket_choice(unsigned index)
{
	return futex_bucket_name((enum futex_bucket)index);
}

const char *hash_choice(unsigned index)
{
	return futex_hash_name((enum futex_hash_kind)index);
}

const char *program_choice(unsigned index)
{
	return index == 0 ? "perf-bench-hash" : NULL;
}

const char *metric_choice(unsigned index)
{
	static const char *const names[METRIC_COUNT] = {
		[METRIC_OPS_PER_THREAD] = "ops_per_sec_per_thread",
		[METRIC_OPS_TOTAL] = "ops_per_sec_total",
		[METRIC_NS_PER_OP] = "ns_per_op",
	};

	return index < METRIC_COUNT ? names[index] : NULL;
}
