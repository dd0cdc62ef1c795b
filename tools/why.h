/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the difference between two cases comes from. Every operation's time is
 * cut into parts: what a function waits and spins for one field of one kind of
 * line, and, per function, its straight-line work and accesses that hit. Parts
 * are whole picoseconds per operation and add up to the cases' ns per operation
 * exactly, so differences add up to the total difference.
 */
#ifndef FUTEXSIM_TOOLS_WHY_H
#define FUTEXSIM_TOOLS_WHY_H

#include "explain.h"

/* Lines of parts that belong to none. WHY_OTHER: what fitted into no table of a result. */
#define WHY_WORK  "[work and hits]"
#define WHY_OTHER "[other]"

struct why_part {
	const char *line;     /* without "[*]"; or WHY_WORK, WHY_OTHER */
	const char *field;    /* "" for those */
	const char *function; /* "" for WHY_OTHER */
	double ns[2];         /* per operation, in either case */
	int64_t ps[2];        /* the same, rounded */
};

struct why {
	const struct scenario_case *cases[2];
	const struct case_result *results[2];
	struct why_part *parts;
	size_t count;
	int64_t total[2]; /* ps per operation: the sum of the parts */
};

/* Names live as long as the results, the rest until why_free. */
void why_compare(struct why *why, const struct scenario_case *const cases[2],
		 const struct case_result *const results[2]);
void why_free(struct why *why);

/* What two parts have in common to stand below one heading. */
enum why_level { WHY_BY_LINE, WHY_BY_FIELD, WHY_BY_FUNCTION };

/* Sum of ps of all parts that share `part`'s line, line and field, or function. */
void why_sum(const struct why *why, const struct why_part *part, enum why_level level,
	     int64_t sum[2]);
bool why_same(const struct why_part *a, const struct why_part *b, enum why_level level);

/* Largest differences first: of lines, in them of fields; or of functions. */
void why_sort(struct why *why, bool by_function);

void print_why(struct why *why, struct text *out);
void print_why_csv(struct why *why, struct text *out);
/* Member `why` of a result document. */
void json_put_why(struct json_writer *w, struct why *why);

#endif
