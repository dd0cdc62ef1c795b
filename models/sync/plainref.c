// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A load and a store instead of an atomic: the private hash's reference count as
 * tried in 2025 to see what the atomic costs. Updates get lost when two CPUs
 * meet, so nothing may depend on the value; put never says "last".
 */
#include "sync/refcount.h"

PLAT_FN bool plainref_get(_Atomic(uint32_t) *ref)
{
	uint32_t count = plat_read_once(ref);

	plat_write_once(ref, count + 1);
	return true;
}

PLAT_FN bool plainref_put(_Atomic(uint32_t) *ref)
{
	uint32_t count = plat_read_once(ref);

	plat_write_once(ref, count - 1);
	return false;
}
