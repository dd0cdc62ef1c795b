// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Futexes that say on which node their bucket is: commits cec199c5e39b,
 * c042c505210d, 8337204c5889 (v6.16), get_futex_key() of kernel v7.3. With
 * FLAGS_NUMA a futex is two words, the value and then the node; FLAGS_MPOL asks
 * the memory policy of the mapping for a node that is not given.
 */
#include <errno.h>

#include "futex/internal.h"

static const struct plat_field vma_fields[] = {{"vm_policy", 0, 8}};
static const struct plat_type vma_type = {"vma", PLAT_CAT_OTHER, 1, vma_fields};
static const struct plat_field mempolicy_fields[] = {{"mode", 0, 4}, {"node", 4, 4}};
static const struct plat_type mempolicy_type = {"mempolicy", PLAT_CAT_OTHER, 2, mempolicy_fields};

void futex_mm_set_policy(struct futex_mm *mm, const void *region, enum futex_mempolicy mode,
			 int node)
{
	struct futex_region *r = futex_region_of(mm, plat_address(region));
	struct mempolicy *policy;

	if (!r)
		plat_panic("a memory policy for memory that was not mapped");
	policy = plat_alloc(sizeof(*policy), plat_line_size(), mm->home_node);
	plat_name(policy, &mempolicy_type, 1, sizeof(*policy));
	plat_write_once(&policy->mode, mode);
	plat_write_once(&policy->node, node);
	r->vma = plat_alloc(sizeof(*r->vma), plat_line_size(), mm->home_node);
	plat_name(r->vma, &vma_type, 1, sizeof(*r->vma));
	plat_write_once(&r->vma->vm_policy, policy);
}

/* MPOL_PREFERRED: its first node. The others: their home node, if they have one. */
static int node_of_policy(struct mempolicy *policy)
{
	if (!policy || plat_read_once(&policy->mode) == FUTEX_MPOL_DEFAULT)
		return (int)FUTEX_NO_NODE;
	return plat_read_once(&policy->node);
}

/*
 * Without mmap_lock, as its sequence count does not change: nothing here maps
 * memory while it is used. Finding the mapping costs no more than its line.
 */
PLAT_FN int futex_mpol(struct futex_mm *mm, uint64_t address)
{
	struct futex_region *r = futex_region_of(mm, address);
	int node = (int)FUTEX_NO_NODE;

	plat_rcu_read_lock();
	(void)atomic_load_explicit(&mm->mm_struct->mm_lock_seq, memory_order_acquire);
	if (r && r->vma)
		node = node_of_policy(plat_read_once(&r->vma->vm_policy));
	(void)plat_read_once(&mm->mm_struct->mm_lock_seq);
	plat_rcu_read_unlock();
	return node;
}

static bool possible(int node)
{
	return node >= 0 && (unsigned)node < plat_node_count();
}

/* 0, and what the futex says of its node. */
static int read_node(_Atomic(uint32_t) *naddr, int *node)
{
	*node = (int)futex_get_value_locked(naddr);
	return *node == (int)FUTEX_NO_NODE || possible(*node) ? 0 : -EINVAL;
}

/* So that a later wake finds it, wherever it runs. */
PLAT_FN void futex_put_value(uint32_t value, _Atomic(uint32_t) *uaddr)
{
	plat_work(PLAT_WORK_USER_READ);
	plat_write_once(uaddr, value);
}

static int choose_node(struct futex_mm *mm, _Atomic(uint32_t) *uaddr, unsigned flags, int *node)
{
	bool updated = false;
	int ret = 0;

	if (flags & FLAGS_NUMA)
		ret = read_node(uaddr + 1, node);
	if (ret)
		return ret;
	if (*node == (int)FUTEX_NO_NODE && (flags & FLAGS_MPOL)) {
		*node = futex_mpol(mm, plat_address(uaddr));
		updated = true;
	}
	if (!(flags & FLAGS_NUMA))
		return 0;
	if (*node == (int)FUTEX_NO_NODE) {
		*node = (int)plat_node_of_cpu(plat_cpu());
		updated = true;
	}
	if (updated)
		futex_put_value((uint32_t)*node, uaddr + 1);
	return 0;
}

int futex_node_of(struct futex_mm *mm, union futex_rules rules, _Atomic(uint32_t) *uaddr,
		  unsigned flags, uint32_t *node)
{
	size_t size = flags & FLAGS_NUMA ? 2 * sizeof(uint32_t) : sizeof(uint32_t);
	int chosen = (int)FUTEX_NO_NODE;
	int ret;

	if (!futex_has_header(rules) || plat_address(uaddr) % size)
		return -EINVAL;
	if (!uaddr)
		return -EFAULT;
	ret = choose_node(mm, uaddr, flags, &chosen);
	*node = (uint32_t)chosen;
	return ret;
}
