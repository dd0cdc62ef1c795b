/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How well fitted parameters carry over. Per machine a fixed list of parameters
 * (cross_params of the index) is fitted again and again with something left out:
 * one table, whose rows then judge; or one parameter, which keeps its value.
 */
#ifndef FUTEXSIM_TOOLS_CROSS_H
#define FUTEXSIM_TOOLS_CROSS_H

#include "fit.h"

enum cross_kind { LEFT_NOTHING, LEFT_TABLE, LEFT_PARAM };

/* Of absolute errors, percent. */
struct cross_error {
	double mean, worst;
};

struct cross_line {
	enum cross_kind kind;
	const char *name; /* of what was left out */
	struct fit_problem problem;
	struct scenario judges;
	fit_point start, best;
	double misfit;                      /* of the rows fitted to */
	struct cross_error shipped, fitted; /* of the judges */
	bool done;
};

struct cross_machine {
	struct fit_profile profile;
	struct cross_line *line;
	size_t count;
};

struct cross {
	struct cross_machine *machine;
	size_t count;
	unsigned jobs;
	uint64_t seed;
};

/* Plans all lines; `v` has the rows. What it points to belongs to the reader. False after an error.
 */
bool cross_plan(struct reader *reader, const struct tables *tables, const struct validation *v,
		struct cross *cross);

/* False: interrupted, or a case failed (then `error` says which); lines before are done. */
bool cross_run(struct cross *cross, struct text *error);

/* Lines that are done. */
void print_cross(const struct cross *cross, struct text *out);

#endif
