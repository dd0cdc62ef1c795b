// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Struct pages of user memory, and the references that shared keys take.
 *   until v4.5  page reference, page lock, mm_count (until the operation ends)
 *   since v5.7  page (folio) reference only, dropped as soon as the key is built
 * Sources: kernel v3.12 kernel/futex.c; commits 65d8fc777f6d, 8019ad13ef7f,
 * 4b39f99c222a; kernel v7.3 mm/gup.c.
 */
#include "futex/internal.h"

enum { PAGE_SIZE_STRUCT = 64, PAGE_REFS_START = 1 };

static const struct plat_field page_fields[] = {
	{"flags", 0, 8}, {"mapping", 24, 8}, {"refcount", 52, 4}};
static const struct plat_type page_type = {"page", PLAT_CAT_OTHER, 3, page_fields};

_Static_assert(sizeof(struct page) == PAGE_SIZE_STRUCT, "one page per 64 bytes of mem_map");
_Static_assert(offsetof(struct page, mapping) == 24, "v6.12 layout");
_Static_assert(offsetof(struct page, refcount) == 52, "v6.12 layout");

#define PG_LOCKED         1u
#define PAGE_MAPPING_ANON 1u

static void page_init(struct page *page)
{
	plat_write_once(&page->mapping, PAGE_MAPPING_ANON);
	plat_write_once(&page->refcount, PAGE_REFS_START);
}

void futex_mm_map(struct futex_mm *mm, const void *region, size_t size, int home_node)
{
	uint64_t first = plat_address(region) / plat_page_size();
	uint64_t last = (plat_address(region) + size - 1) / plat_page_size();
	uint64_t pages = last - first + 1;
	struct page *map;

	if (mm->region_count == FUTEX_REGIONS_MAX)
		plat_panic("too many user regions");
	map = plat_alloc(pages * sizeof(struct page), plat_line_size(), home_node);
	plat_name(map, &page_type, pages, sizeof(struct page));
	for (uint64_t i = 0; i < pages; i++)
		page_init(&map[i]);
	mm->region[mm->region_count++] =
		(struct futex_region){.first_page = first, .pages = pages, .map = map};
}

struct futex_region *futex_region_of(struct futex_mm *mm, uint64_t address)
{
	uint64_t number = address / plat_page_size();

	for (unsigned i = 0; i < mm->region_count; i++) {
		struct futex_region *r = &mm->region[i];

		if (number >= r->first_page && number - r->first_page < r->pages)
			return r;
	}
	return NULL;
}

struct page *futex_page_of(struct futex_mm *mm, uint64_t address)
{
	struct futex_region *r = futex_region_of(mm, address);

	return r ? &r->map[address / plat_page_size() - r->first_page] : NULL;
}

PLAT_FN void get_user_pages_fast(struct page *page)
{
	atomic_fetch_add_explicit(&page->refcount, 1, memory_order_seq_cst);
}

PLAT_FN void put_page(struct page *page)
{
	atomic_fetch_sub_explicit(&page->refcount, 1, memory_order_seq_cst);
}

static bool trylock_page(struct page *page)
{
	return !(atomic_fetch_or_explicit(&page->flags, PG_LOCKED, memory_order_acquire) &
		 PG_LOCKED);
}

/* The kernel sleeps here; the simulated thread, which cannot yet, spins. */
static void wait_on_page_locked(struct page *page)
{
	plat_lock_wait_begin();
	do
		plat_wait_until_changed64(&page->flags, PG_LOCKED);
	while (!trylock_page(page));
	plat_lock_wait_end();
}

PLAT_FN void lock_page(struct page *page)
{
	if (!trylock_page(page))
		wait_on_page_locked(page);
}

PLAT_FN void unlock_page(struct page *page)
{
	atomic_fetch_and_explicit(&page->flags, ~(uint64_t)PG_LOCKED, memory_order_release);
}

static void get_mm_count(struct futex_mm *mm)
{
	atomic_fetch_add_explicit(&mm->mm_struct->mm_count, 1, memory_order_relaxed);
	futex_mb_after_atomic(futex_rules_of(mm));
}

static void get_old_key_refs(struct futex_mm *mm, struct page *page)
{
	get_user_pages_fast(page);
	lock_page(page);
	if (!(plat_read_once(&page->mapping) & PAGE_MAPPING_ANON))
		plat_panic("shared futex in memory that is not anonymous");
	get_mm_count(mm);
	unlock_page(page);
	put_page(page);
}

void futex_get_key_refs(struct futex_mm *mm, struct page *page)
{
	if (futex_key_word_first(mm->rules.kernel)) {
		get_old_key_refs(mm, page);
		return;
	}
	get_user_pages_fast(page);
	put_page(page);
}

void futex_drop_key_refs(struct futex_mm *mm)
{
	if (futex_key_word_first(mm->rules.kernel))
		atomic_fetch_sub_explicit(&mm->mm_struct->mm_count, 1, memory_order_seq_cst);
}

void futex_requeue_key_refs(struct futex_mm *mm)
{
	if (futex_key_word_first(mm->rules.kernel))
		get_mm_count(mm);
}
