// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Measured with perf 6.1 on glibc 2.36 (`perf bench futex hash -t 40`, the same
 * in every run): the first array at 0x6a0 in its page, then gaps of 4768, 6256,
 * 3 x 4112 and from then on 4576 bytes, for arrays of 1024 words.
 *   4112 = malloc chunk of 4096 bytes: + 8 of header, rounded up to 16
 *    464 = chunk of the new thread's dtv: 16 * (12 TLS modules + 16) + 8, likewise
 * In the first gaps the dtv came from a free chunk, or main allocated more: what
 * a gap has beyond the array's chunk is taken as independent of the array's size.
 * Address space randomisation moves whole pages only.
 */
#include "workload/heap_layout.h"

#include <stdbool.h>

enum {
	FIRST_OFFSET = 0x6a0,
	DTV_CHUNK = 464,
	CHUNK_MIN = 32,
	MMAP_THRESHOLD = 128 * 1024, /* glibc: larger requests are mappings of their own */
	MMAP_HEADER = 16,
};

/* Beyond the array's own chunk: 4768, 6256 and three times 4112 minus 4112. */
static const unsigned early_extra[] = {656, 2144, 0, 0, 0};
enum { EARLY_GAPS = sizeof(early_extra) / sizeof(early_extra[0]) };

static size_t round_up(size_t value, size_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static size_t chunk_size(unsigned futexes)
{
	size_t size = round_up(4 * (size_t)futexes + 8, 16);

	return size < CHUNK_MIN ? CHUNK_MIN : size;
}

static bool is_mapped(unsigned futexes)
{
	return 4 * (size_t)futexes >= MMAP_THRESHOLD;
}

/* What lies between arrays on top of their chunks, summed over `gaps` gaps. */
static size_t extra_before(unsigned gaps)
{
	size_t sum = 0;

	for (unsigned i = 0; i < gaps && i < EARLY_GAPS; i++)
		sum += early_extra[i];
	if (gaps > EARLY_GAPS)
		sum += (size_t)(gaps - EARLY_GAPS) * DTV_CHUNK;
	return sum;
}

size_t heap_layout_offset(unsigned index, unsigned futexes, size_t page_size)
{
	if (is_mapped(futexes))
		return index * round_up(4 * (size_t)futexes + MMAP_HEADER, page_size) + MMAP_HEADER;
	return FIRST_OFFSET + index * chunk_size(futexes) + extra_before(index);
}

size_t heap_layout_size(unsigned arrays, unsigned futexes, size_t page_size)
{
	size_t end = heap_layout_offset(arrays - 1, futexes, page_size) + 4 * (size_t)futexes;

	return round_up(end, page_size);
}
