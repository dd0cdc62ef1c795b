// SPDX-License-Identifier: GPL-3.0-or-later
/* Looks up a lock by its kind. */
#include "sync/lock.h"
#include "sync/classes.h"

static const struct lock_class *const classes[LOCK_KIND_COUNT] = {
	[LOCK_TAS] = &tas_class,
	[LOCK_TICKET] = &ticket_class,
	[LOCK_MCS] = &mcs_class,
	[LOCK_QSPINLOCK] = &qspinlock_class,
	[LOCK_PPC_QSPINLOCK] = &ppc_qspinlock_class,
};

const struct lock_class *lock_class_of(enum lock_kind kind)
{
	if ((unsigned)kind >= LOCK_KIND_COUNT)
		plat_panic("lock_class_of: no such kind of lock");
	return classes[kind];
}
