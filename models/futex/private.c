// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * References on the private hash: kernel v6.16-rc (commits 80367ad01d93,
 * bd54df5ea7ca), v6.17 (56180dd20c19), v6.18 (4cb5ac2626b5). The reference keeps
 * a resize from replacing the hash; a get fails only on a hash that died in one.
 */
#include "futex/internal.h"

/* v6.17 pins the state by an RCU section, v6.18 by switching preemption off. */
PLAT_INLINE bool uses_rcu_section(union futex_rules rules)
{
	return rules.kernel <= FUTEX_KERNEL_V6_17;
}

static void ref_section_begin(union futex_rules rules)
{
	if (uses_rcu_section(rules))
		plat_rcu_read_lock();
	else
		plat_preempt_disable();
}

static void ref_section_end(union futex_rules rules)
{
	if (uses_rcu_section(rules))
		plat_rcu_read_unlock();
	else
		plat_preempt_enable();
}

static uint32_t ref_state(union futex_rules rules, struct futex_private_hash *fph)
{
	if (uses_rcu_section(rules))
		return atomic_load_explicit(&fph->state, memory_order_acquire);
	return plat_read_once(&fph->state);
}

PLAT_FN bool futex_ref_get(union futex_rules rules, struct futex_private_hash *fph)
{
	struct mm_struct *m = plat_read_once(&fph->mm);
	bool alive = true;

	ref_section_begin(rules);
	if (ref_state(rules, fph) == FR_PERCPU)
		plat_this_cpu_add(plat_read_once(&m->futex_ref), 1);
	else
		alive = atomicref_get(&m->futex_atomic);
	ref_section_end(rules);
	return alive;
}

PLAT_FN bool futex_ref_put(union futex_rules rules, struct futex_private_hash *fph)
{
	struct mm_struct *m = plat_read_once(&fph->mm);
	bool last = false;

	ref_section_begin(rules);
	if (ref_state(rules, fph) == FR_PERCPU)
		plat_this_cpu_add(plat_read_once(&m->futex_ref), -1);
	else
		last = atomicref_put(&m->futex_atomic);
	ref_section_end(rules);
	return last;
}

/*
 * v6.16-rc asks the header each time; later kernels have no such flag, where
 * `resizable: false` asks the same question of the same place.
 */
static bool is_immutable(union futex_rules rules, struct futex_private_hash *fph)
{
	if (rules.kernel != FUTEX_KERNEL_V6_16_RC && rules.resizable)
		return false;
	return plat_read_once(&fph->immutable);
}

PLAT_FN bool futex_private_hash_get(union futex_rules rules, struct futex_private_hash *fph)
{
	if (rules.refcount == REFCOUNT_NONE || is_immutable(rules, fph))
		return true;
	switch (rules.refcount) {
	case REFCOUNT_RCUREF:
		return rcuref_get(&fph->users);
	case REFCOUNT_PLAIN_INT:
		return plainref_get(&fph->users);
	default:
		return futex_ref_get(rules, fph);
	}
}

static bool put_reference(union futex_rules rules, struct futex_private_hash *fph)
{
	switch (rules.refcount) {
	case REFCOUNT_RCUREF:
		return rcuref_put(&fph->users);
	case REFCOUNT_PLAIN_INT:
		return plainref_put(&fph->users);
	default:
		return futex_ref_put(rules, fph);
	}
}

PLAT_FN void futex_private_hash_put(union futex_rules rules, struct futex_private_hash *fph)
{
	if (rules.refcount == REFCOUNT_NONE || is_immutable(rules, fph))
		return;
	/* The plain count loses updates by design: what it says is worth nothing. */
	if (put_reference(rules, fph) && rules.refcount != REFCOUNT_PLAIN_INT)
		plat_panic("the last reference of a living private hash was dropped");
}

PLAT_FN struct futex_private_hash *futex_private_hash(struct futex_mm *mm, union futex_rules rules)
{
	struct futex_private_hash *fph;

	if (!futex_has_header(rules))
		return NULL;
	plat_rcu_read_lock();
	fph = plat_read_once(&mm->mm_struct->futex_phash);
	if (!futex_private_hash_get(rules, fph))
		plat_panic("the private hash died without a resize");
	plat_rcu_read_unlock();
	return fph;
}
