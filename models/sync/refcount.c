// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of the reference counts. */
#include "sync/refcount.h"

static const char *const names[REFCOUNT_KIND_COUNT] = {
	[REFCOUNT_NONE] = "none",     [REFCOUNT_PLAIN_INT] = "plain-int",
	[REFCOUNT_ATOMIC] = "atomic", [REFCOUNT_RCUREF] = "rcuref",
	[REFCOUNT_PERCPU] = "percpu",
};

const char *refcount_name(enum refcount_kind kind)
{
	if ((unsigned)kind >= REFCOUNT_KIND_COUNT)
		plat_panic("refcount_name: no such kind of reference count");
	return names[kind];
}
