/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where glibc puts the arrays that perf's main thread callocs one by one. */
#ifndef FUTEXSIM_WORKLOAD_HEAP_LAYOUT_H
#define FUTEXSIM_WORKLOAD_HEAP_LAYOUT_H

#include <stddef.h>

/* Bytes from a page-aligned region's start to array `index` of `futexes` words. */
size_t heap_layout_offset(unsigned index, unsigned futexes, size_t page_size);

/* Size of a region that holds `arrays` of them. */
size_t heap_layout_size(unsigned arrays, unsigned futexes, size_t page_size);

#endif
