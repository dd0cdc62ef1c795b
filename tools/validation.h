/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Predictions against published values, table by table. All rows of all tables
 * are the cases of one scenario, so that they run like any other; a *table* is a
 * range of them, a *series* some rows of a table, in the order of the table.
 */
#ifndef FUTEXSIM_TOOLS_VALIDATION_H
#define FUTEXSIM_TOOLS_VALIDATION_H

#include "accuracy.h"
#include "outcome.h"
#include "tables.h"

/* Published values that differ by less than this are not ranked, percent. */
#define RANK_MIN_PCT 3.0

enum { KNEE_COUNT = 2, KNEE_POINTS_MIN = 4, NO_SERIES = -1 };
/* The shares of the plateau that a knee is given for: a half, nine tenths. */
extern const double knee_share[KNEE_COUNT];

/* Scored rows count; reference rows are counted in another table. */
enum row_kind { ROW_SCORED, ROW_UNEXPLAINED, ROW_REFERENCE, ROW_KIND_COUNT };
extern const char *const row_kind_name[ROW_KIND_COUNT];

struct validation_row {
	const char *scenario, *case_id;
	enum row_kind kind;
	int series; /* index, or NO_SERIES */
};

/* Slots at which a share of the plateau is reached; see curve_knee(). */
struct knee {
	bool published_known, predicted_known;
	double published, predicted;
};

/* From the reference rows with the same slots and threads, in points of percent. */
struct difference {
	size_t rows;
	double sum_points, mean_points;
};

struct series_report {
	const struct series_spec *spec;
	struct rank_summary rank; /* rows counted within the whole validation */
	bool is_sweep;            /* of the slots of a private table; knees count */
	struct knee knee[KNEE_COUNT];
	struct difference difference;
};

struct table_report {
	const struct table_spec *spec;
	const char *machine; /* names, joined */
	size_t first, count; /* rows */
	/* Of scored rows that are finished; `missing` also counts others that are not. */
	size_t rows, fit_rows, predict_rows, missing;
	struct error_summary all, predict;
	struct rank_summary rank; /* within its series */
	bool correlation_known;
	double correlation;
	struct difference difference;
	struct series_report *series;
};

struct validation {
	struct scenario scenario; /* all rows */
	struct validation_row *rows;
	struct outcome *outcomes;
	struct table_report *tables;
	size_t table_count;
	const struct tables *index; /* NULL if not all of it is validated */
	size_t missing;
	struct error_summary all, predict;
	struct rank_summary rank;
};

/*
 * Reads the tables of the index that `only` names, or all if it is empty. What
 * it points to belongs to the reader. False after an error.
 */
bool validation_read(struct reader *reader, const struct tables *tables, const struct names *only,
		     const struct overrides *overrides, struct validation *v);

/* The same of scenarios, by path or shipped name: each is a table without target. */
bool validation_read_scenarios(struct reader *reader, const struct names *paths,
			       const struct overrides *overrides, struct validation *v);

/* Fills the reports from v->outcomes, one per row. */
void validation_assess(struct validation *v);

/* Whether the row has a result. */
bool row_done(const struct validation *v, size_t row);
struct comparison row_comparison(const struct validation *v, size_t row);
/* Half width of the confidence interval, percent of the prediction. */
double row_ci_pct(const struct validation *v, size_t row);

/* Whether a target is met; a table without target or with missing rows meets none. */
bool target_mean_met(const struct table_report *table);
bool target_worst_met(const struct table_report *table);
bool target_difference_met(const struct table_report *table);

/* Finished rows only. */
void print_validation_table(const struct validation *v, struct text *out);
void print_validation_json(const struct validation *v, struct text *out);
void print_validation_csv(const struct validation *v, struct text *out);

#endif
