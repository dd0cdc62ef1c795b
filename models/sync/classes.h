/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of lock, one file each; lock.c gathers them. */
#ifndef FUTEXSIM_SYNC_CLASSES_H
#define FUTEXSIM_SYNC_CLASSES_H

#include "sync/lock.h"

extern const struct lock_class tas_class;
extern const struct lock_class ticket_class;
extern const struct lock_class mcs_class;
extern const struct lock_class qspinlock_class;
extern const struct lock_class ppc_qspinlock_class;

#endif
