/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who pays, and for what: reports on lines, fields and functions of finished cases. */
#ifndef FUTEXSIM_TOOLS_EXPLAIN_H
#define FUTEXSIM_TOOLS_EXPLAIN_H

#include "csv_writer.h"
#include "grid.h"
#include "json_writer.h"
#include "outcome.h"

/* ---- Counts (counts.c) -------------------------------------------------------- */

/* "smt", "hop1", "dram_remote", ...: keys of the JSON format. */
extern const char *const transfer_class_name[TRANSFER_CLASSES];

uint64_t counts_local(const struct result_counts *c);
uint64_t counts_remote(const struct result_counts *c);
/* Waiting and spinning, ns per operation. */
double counts_ns(const struct result_counts *c);

/* "futex_hash_put"; "[task]" for time outside all functions. */
const char *result_function_name(const struct case_result *r, uint32_t function);

/* ---- Lines and functions ------------------------------------------------------- */

/* Members `lines`, `hot_lines` and `functions` of a result. */
void json_put_lines(struct json_writer *w, const struct case_result *r);
void json_put_functions(struct json_writer *w, const struct case_result *r);

/* One table a finished case: shaped like `perf c2c report`, and like `perf report`. */
void print_lines(const struct report *report, struct text *out);
void print_functions(const struct report *report, struct text *out);
/* One row per case, line, field and function. */
void print_lines_csv(const struct report *report, struct text *out);
void print_functions_csv(const struct report *report, struct text *out);

#endif
