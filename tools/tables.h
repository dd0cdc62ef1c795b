/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The index of published tables, scenarios/published/tables.json: which records
 * form a table, which scenarios predict them, what is aimed at, and why other
 * records have no case. A *pattern* is a record id in which "*" means anything.
 */
#ifndef FUTEXSIM_TOOLS_TABLES_H
#define FUTEXSIM_TOOLS_TABLES_H

#include "machine/profile.h"
#include "reader.h"

#define TABLES_PATH "scenarios/published/tables.json"

struct names {
	const char **name;
	size_t count;
};

/* Rows of a table that form one curve or one list of competitors. */
struct series_spec {
	const char *id; /* "": the whole table, then without patterns */
	struct names records;
};

/* Over rows that were not fitted, percent; `present` is false without a target. */
struct table_target {
	bool present;
	double mean_pct, worst_pct;
	double difference_points; /* from the reference rows; 0: none */
};

struct table_spec {
	const char *id, *title;
	struct names scenarios;
	struct names records;
	struct names reference; /* rows to compare with, counted elsewhere */
	struct table_target target;
	struct series_spec *series;
	size_t series_count; /* at least 1 */
};

struct unmapped_spec {
	struct names records; /* ids, no patterns */
	const char *why;
};

struct tables {
	struct table_spec *table;
	size_t count;
	struct unmapped_spec *unmapped;
	size_t unmapped_count;
};

/* What it points to belongs to the reader. False after an error. */
bool read_tables(struct reader *reader, struct tables *tables);

/* The same from a text; `name` stands in front of errors. */
bool read_tables_text(struct reader *reader, const char *name, const char *text, size_t length,
		      struct tables *tables);

bool names_match(const struct names *patterns, const char *record);

#endif
