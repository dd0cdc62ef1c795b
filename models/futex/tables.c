// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Allocates the hash tables and their descriptors, each where its generation
 * puts it, and names them.
 */
#include "futex/internal.h"

static const struct plat_field data_fields[] = {{"queues", 0, 8}, {"hashsize", 8, 8}};
static const struct plat_type data_type = {"gd", PLAT_CAT_OTHER, 2, data_fields};
static const struct plat_field data_mask_fields[] = {{"queues", 0, 8}, {"hashmask", 8, 8}};
static const struct plat_type data_mask_type = {"gd", PLAT_CAT_OTHER, 2, data_mask_fields};

static const struct plat_field node_data_fields[] = {
	{"hashmask", 0, 4}, {"hashshift", 4, 4}, {"queues", 8, 8 * FUTEX_NODES_MAX}};
static const struct plat_type node_data_type = {"gd", PLAT_CAT_OTHER, 3, node_data_fields};

/* The word at 0 is the count, or the state of a count that is kept elsewhere. */
static const struct plat_field fph_users_fields[] = {{"users", 0, 4},   {"hash_mask", 4, 4},
						     {"rcu", 8, 16},    {"mm", 24, 8},
						     {"custom", 32, 1}, {"immutable", 33, 1}};
static const struct plat_type fph_users_type = {"fph", PLAT_CAT_REFCOUNT, 6, fph_users_fields};
static const struct plat_field fph_state_fields[] = {{"state", 0, 4},   {"hash_mask", 4, 4},
						     {"rcu", 8, 16},    {"mm", 24, 8},
						     {"custom", 32, 1}, {"immutable", 33, 1}};
static const struct plat_type fph_state_type = {"fph", PLAT_CAT_REFCOUNT, 6, fph_state_fields};

static const struct plat_field signal_fields[] = {{"futex_hash_mask", 0, 4},
						  {"futex_hash_bucket", 8, 8}};
static const struct plat_type signal_type = {"signal", PLAT_CAT_OTHER, 2, signal_fields};

_Static_assert(offsetof(struct futex_private_hash, hash_mask) == 4, "v6.16-rc layout");
_Static_assert(offsetof(struct futex_private_hash, mm) == 24, "v6.16-rc layout");
_Static_assert(offsetof(struct futex_private_hash, custom) == 32, "v6.16-rc layout");
_Static_assert(offsetof(struct futex_private_hash, immutable) == 33, "v6.16-rc layout");
_Static_assert(offsetof(struct signal_struct, futex_hash_bucket) == 8, "adjacent to the mask");
_Static_assert(offsetof(struct futex_node_data, queues) == 8, "named as such above");

static uint32_t log2_up(uint32_t value)
{
	uint32_t bits = 0;

	while ((1ull << bits) < value)
		bits++;
	return bits;
}

static void table_init(struct futex_table *table, uint32_t slots, uint32_t nodes)
{
	table->nodes = nodes;
	table->slots = slots;
	table->slot_bits = log2_up(slots);
	table->total_bits = table->slot_bits + log2_up(nodes);
}

static void name_buckets(const struct futex_mm *mm, const void *base, uint32_t slots)
{
	plat_name(base, mm->bucket.type, slots, mm->bucket.stride);
}

static unsigned char *buckets_alloc(const struct futex_mm *mm, uint32_t slots, size_t align,
				    int node)
{
	unsigned char *base = plat_alloc((size_t)slots * mm->bucket.stride, align, node);

	name_buckets(mm, base, slots);
	return base;
}

/*
 * v3.12: a static array in the kernel image, hence on the boot node. Later, or
 * larger: alloc_large_system_hash(), whose pages are interleaved on machines
 * with several nodes (hashdist, kernel v6.12 mm/mm_init.c; that the boot policy
 * is to interleave is from memory).
 */
static void global_table_alloc(struct futex_mm *mm)
{
	uint32_t slots = mm->global.slots;
	bool in_image = mm->policy.kernel == FUTEX_KERNEL_V3_12 && slots <= 256;

	if (in_image || plat_node_count() == 1)
		mm->global.base[0] = buckets_alloc(mm, slots, plat_line_size(), 0);
	else
		mm->global.base[0] =
			buckets_alloc(mm, slots, plat_page_size(), PLAT_NODE_INTERLEAVE);
}

/* v6.16: one table on every possible node (commit cec199c5e39b). */
static void node_tables_alloc(struct futex_mm *mm)
{
	for (uint32_t node = 0; node < mm->global.nodes; node++)
		mm->global.base[node] =
			buckets_alloc(mm, mm->global.slots, plat_page_size(), (int)node);
}

/* The link-time constants of v3.12 need no descriptor. */
static void data_alloc(struct futex_mm *mm)
{
	bool mask = mm->policy.kernel == FUTEX_KERNEL_V6_15;

	if (mm->policy.kernel == FUTEX_KERNEL_V3_12)
		return;
	mm->data = plat_alloc(sizeof(*mm->data), plat_line_size(), 0);
	plat_name(mm->data, mask ? &data_mask_type : &data_type, 1, sizeof(*mm->data));
	plat_write_once(&mm->data->queues, mm->global.base[0]);
	plat_write_once(&mm->data->hashsize, (uint64_t)mm->global.slots - mask);
}

static void node_data_alloc(struct futex_mm *mm)
{
	struct futex_node_data *data = plat_alloc(sizeof(*data), plat_line_size(), 0);

	plat_name(data, &node_data_type, 1, sizeof(*data));
	plat_write_once(&data->hashmask, mm->global.slots - 1);
	plat_write_once(&data->hashshift, mm->global.slot_bits);
	for (uint32_t node = 0; node < mm->global.nodes; node++)
		plat_write_once(&data->queues[node], mm->global.base[node]);
	mm->node_data = data;
}

/*
 * A policy about a private table leaves the table for shared futexes at its
 * generation's size and split.
 */
static struct futex_policy global_policy(const struct futex_mm *mm)
{
	struct futex_policy policy = mm->policy;

	if (policy.scope != FUTEX_SCOPE_PRIVATE)
		return policy;
	policy.scope = futex_has_header(mm->rules) ? FUTEX_SCOPE_PER_NODE : FUTEX_SCOPE_GLOBAL;
	policy.slots = futex_auto_slots(&policy, plat_cpu_count(), plat_node_count(), 1);
	return policy;
}

static void global_create(struct futex_mm *mm)
{
	struct futex_policy policy = global_policy(mm);
	bool split = policy.scope == FUTEX_SCOPE_PER_NODE;

	if (plat_node_count() > FUTEX_NODES_MAX)
		plat_panic("more NUMA nodes than the futex hash supports");
	table_init(&mm->global, policy.slots, split ? plat_node_count() : 1);
	if (split)
		node_tables_alloc(mm);
	else
		global_table_alloc(mm);
	if (split || futex_has_header(mm->rules))
		node_data_alloc(mm);
	else
		data_alloc(mm);
}

static void set_back_pointers(struct futex_mm *mm, struct futex_private_hash *fph)
{
	union futex_rules rules = futex_rules_of(mm);

	for (uint32_t i = 0; i < mm->private.slots; i++)
		plat_write_once(hb_priv(rules, futex_slot(rules, mm->private.base[0], i)), fph);
}

static bool count_is_elsewhere(const struct futex_mm *mm)
{
	return mm->policy.refcount == REFCOUNT_PERCPU || mm->policy.refcount == REFCOUNT_ATOMIC;
}

/* One reference, of the process itself, is held from the start. */
static void fph_init(struct futex_mm *mm, struct futex_private_hash *fph)
{
	plat_write_once(&fph->hash_mask, mm->private.slots ? mm->private.slots - 1 : 0);
	plat_write_once(&fph->mm, mm->mm_struct);
	plat_write_once(&fph->immutable, !mm->policy.resizable);
	switch (mm->policy.refcount) {
	case REFCOUNT_PLAIN_INT:
		plat_write_once(&fph->users, 1);
		break;
	case REFCOUNT_RCUREF:
		rcuref_init(&fph->users, 1);
		break;
	case REFCOUNT_ATOMIC:
		plat_write_once(&fph->state, FR_ATOMIC);
		break;
	default:
		plat_write_once(&fph->state, FR_PERCPU);
	}
}

/*
 * kvzalloc() of a line of header and the buckets, on the node of the thread that
 * asks, which is main. No slots: the process chose the global table for good.
 */
static void private_hash_create(struct futex_mm *mm)
{
	uint32_t slots = mm->private.slots;
	size_t header = plat_line_size();
	unsigned char *memory =
		plat_alloc(header + (size_t)slots * mm->bucket.stride, header, mm->home_node);
	struct futex_private_hash *fph = (struct futex_private_hash *)memory;

	plat_name(fph, count_is_elsewhere(mm) ? &fph_state_type : &fph_users_type, 1, header);
	fph_init(mm, fph);
	if (slots) {
		mm->private.base[0] = memory + header;
		name_buckets(mm, mm->private.base[0], slots);
		if (mm->policy.back_pointer)
			set_back_pointers(mm, fph);
	}
	plat_write_once(&mm->mm_struct->futex_phash, fph);
}

/* October 2024, patch 2 of 4: a bare array, its address and mask in signal_struct. */
static void signal_hash_create(struct futex_mm *mm)
{
	struct signal_struct *signal = plat_alloc(sizeof(*signal), plat_line_size(), mm->home_node);

	plat_name(signal, &signal_type, 1, sizeof(*signal));
	if (mm->private.slots) {
		mm->private.base[0] =
			buckets_alloc(mm, mm->private.slots, plat_line_size(), mm->home_node);
		plat_write_once(&signal->futex_hash_mask, mm->private.slots - 1);
		plat_write_once(&signal->futex_hash_bucket, mm->private.base[0]);
	}
	mm->signal = signal;
}

void futex_tables_create(struct futex_mm *mm)
{
	bool private = mm->policy.scope == FUTEX_SCOPE_PRIVATE;

	global_create(mm);
	table_init(&mm->private, private ? mm->policy.slots : 0, 1);
	if (futex_has_header(mm->rules))
		private_hash_create(mm);
	else if (mm->policy.kernel == FUTEX_KERNEL_RFC_2024)
		signal_hash_create(mm);
}
