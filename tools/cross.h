/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How well fitted parameters carry over. Per machine, the parameters that its
 * profile calls fitted start from what was known before and are fitted again and
 * again with something left out: one table, whose rows then judge; or one
 * parameter, which keeps its value from before. Nothing of the profile's fitted
 * values is used but as the comparison.
 */
#ifndef FUTEXSIM_TOOLS_CROSS_H
#define FUTEXSIM_TOOLS_CROSS_H

#include "fit.h"

enum cross_kind { LEFT_NOTHING, LEFT_TABLE, LEFT_PARAM, CROSS_KIND_COUNT };
extern const char *const cross_kind_name[CROSS_KIND_COUNT];

struct cross_line {
	enum cross_kind kind;
	const char *name;     /* of what was left out */
	struct scenario rows; /* fitted to */
	struct scenario judges;
	size_t *judge;             /* their indices among the machine's rows */
	bool open[FIT_PARAMS_MAX]; /* may be fitted; after the run: was */
	fit_point best;
	double misfit; /* of the rows fitted to */
	/* Of the judges: with numbers from before any fit, with the profile, with this fit. */
	struct fit_errors unfitted, shipped, refitted;
	bool done;
};

struct cross_machine {
	struct fit_profile profile;
	struct fit_problem problem; /* all fitted parameters; rows: all scored ones */
	fit_point unfitted, shipped;
	struct fit_prediction *at_unfitted, *at_shipped; /* per row; the reader's */
	struct cross_line *line;
	size_t count;
};

struct cross {
	struct cross_machine *machine;
	size_t count;
	unsigned jobs;
	uint64_t seed;
};

/*
 * Plans all lines: of every machine that has rows to fit to and fitted
 * parameters. `v` has the rows. What it points to belongs to the reader. False
 * after an error.
 */
bool cross_plan(struct reader *reader, const struct validation *v, struct cross *cross);

/* False: interrupted, or a case failed (then `error` says which); lines before are done. */
bool cross_run(struct cross *cross, struct text *error);

/* ---- Verdicts (cross_verdict.c) ------------------------------------------------------ */

/* Mean errors over all rows of tables that a line was not fitted to, if enough others were left. */
struct cross_tables {
	size_t tables, rows;
	double unfitted, shipped, refitted;
};
struct cross_tables cross_tables_of(const struct cross_machine *machines, size_t count);

/* On a machine whose first line is done; on all of them, or empty. */
void cross_verdict(const struct cross_machine *machine, struct text *out);
void cross_verdict_all(const struct cross *cross, struct text *out);

/* Lines that are done (out_cross.c, out_cross_data.c). */
void print_cross(const struct cross *cross, struct text *out);
void print_cross_json(const struct cross *cross, struct text *out);
void print_cross_csv(const struct cross *cross, struct text *out);

#endif
