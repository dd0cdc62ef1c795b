/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fitting machine parameters to published rows. A *problem* is a machine, some
 * of its parameters and some rows; a *point* is a value for each of these
 * parameters, in their order; its *misfit* is the mean squared log ratio of
 * predicted and published values. A *coordinate* is the logarithm of a value or,
 * for shares, its log odds: steps in it mean the same everywhere.
 */
#ifndef FUTEXSIM_TOOLS_FIT_H
#define FUTEXSIM_TOOLS_FIT_H

#include "progress.h"
#include "validation.h"

enum { FIT_PARAMS_MAX = PARAM_COUNT, FIT_DIGITS = 6 };

/* A prediction that failed is this bad: far worse than any finished one. */
#define FIT_MISFIT_FAILED 1e3

struct fit_param {
	enum machine_param id;
	enum machine_param tied; /* has the same value always; PARAM_COUNT: none */
	double start, low, high;
	const char *bounds_from; /* in words */
};

struct fit_problem {
	const struct machine_profile *machine;
	struct fit_param param[FIT_PARAMS_MAX];
	size_t count;
	struct scenario rows;   /* fitted to */
	struct scenario others; /* of the same machine: not used, but could be */
	unsigned jobs;
};

/* ---- The profile and its parameters (fit_params.c, fit_bounds.c) --------------- */

/* A profile by shipped name or by path, with the text it was read from. */
struct fit_profile {
	const struct node *root;
	const struct machine_profile *machine;
};
bool fit_read_profile(struct reader *reader, const char *name, struct fit_profile *profile);

/* "NAME[=LOW:HIGH],...": status 2 or 3 with a message, through `reader` or on stderr. */
enum exit_status fit_choose_params(struct reader *reader, const struct fit_profile *profile,
				   const char *list, struct fit_problem *problem);

/* One parameter more, within the bounds of the profile or else default_bounds(). */
bool fit_add_param(struct reader *reader, const struct fit_profile *profile, enum machine_param id,
		   struct fit_problem *problem);

/* Where a number of this status may lie if its profile gives no range. */
void fit_default_bounds(enum machine_param id, const struct machine_value *value, double *low,
			double *high);
/* Why the physical bounds of a parameter are what they are. */
const char *fit_bounds_reason(enum machine_param id);

/* A share moves in log odds; everything else in logarithms. */
double fit_coordinate(const struct fit_param *param, double value);
/* Rounded to FIT_DIGITS, and possible in a profile. */
double fit_value(const struct fit_param *param, double coordinate);

/* ---- Rows (fit_rows.c) --------------------------------------------------------- */

struct fit_choice {
	struct names tables;    /* of the index; empty: all */
	struct names rows;      /* patterns of record or case; empty: all */
	struct names scenarios; /* in place of the index */
	struct overrides overrides;
};

/*
 * Splits the rows of the machine into those to fit to (role fit, or, in a
 * scenario that the user names, a value without record) and others. Status 2 or 3
 * with a message, through `reader` or on stderr; 3 too if none is left.
 */
enum exit_status fit_read_rows(struct reader *reader, const struct fit_choice *choice,
			       struct fit_problem *problem);

/* The record of a row, or its case. */
const char *fit_row_name(const struct scenario_case *row);

/* ---- Predictions (fit_predict.c) ----------------------------------------------- */

struct fit_prediction {
	double log_ratio; /* ln(predicted / published); NaN: failed */
	double noise;     /* standard deviation of it, as far as one run can tell */
};

typedef double fit_point[FIT_PARAMS_MAX];

/*
 * Predicts all rows at all points, point by point, into `out`. False:
 * interrupted. The first failure of a case goes to `error`, if not NULL.
 */
bool fit_predict(const struct fit_problem *problem, const struct scenario *rows,
		 const fit_point *points, size_t count, struct fit_prediction *out,
		 struct text *error);

double fit_misfit(const struct fit_prediction *predictions, size_t count);
/* Square root of a misfit, as a percentage. */
double fit_rms_pct(double misfit);

/* ---- Search (fit_search.c) ------------------------------------------------------ */

struct fit_limits {
	size_t restarts;    /* minimisations, the first one from the profile's values */
	size_t evaluations; /* points at most, without those of fit_analyse() */
	uint64_t seed;      /* of the spread of the other starting points */
};

enum { FIT_RESTARTS_MAX = 100 };

struct fit_run {
	double misfit;
	bool settled; /* the simplex became small before the evaluations ran out */
};

struct fit_result {
	fit_point start, best;
	double start_misfit, best_misfit;
	struct fit_prediction *at_start, *at_best; /* one per row; owned */
	size_t evaluations;
	struct fit_run run[FIT_RESTARTS_MAX];
	size_t runs;
	bool known; /* the start at least was evaluated */
	bool interrupted;
};

/* False: no row could be predicted at the start; `error` says why. Free it in any case. */
bool fit_search(const struct fit_problem *problem, const struct fit_limits *limits,
		struct fit_result *result, struct text *error);
void fit_result_free(struct fit_result *result);

/*
 * The quick minimiser (fit_descend.c): from `best`, which it improves, over the
 * parameters that are `open`. Those without an effect on the rows keep their value
 * and are closed; the others move no more than the rows ask for. False:
 * interrupted, or a case failed at the start (then `error` says which).
 */
bool fit_descend(const struct fit_problem *problem, const struct scenario *rows, bool *open,
		 double *best, double *misfit, struct text *error);

/* SIGINT and SIGTERM between evaluations only set a flag, from begin to end. */
void fit_signals_begin(void);
void fit_signals_end(void);
bool fit_interrupted(void);

/* ---- What the rows say about the parameters (fit_analyse.c) ---------------------- */

enum fit_weakness_kind {
	WEAK_NO_EFFECT, /* no row depends on the parameter */
	WEAK_DIRECTION, /* rows hardly depend on a combination of parameters */
	WEAK_PAIR,      /* a change of one parameter makes up for one of another */
};

struct fit_weakness {
	enum fit_weakness_kind kind;
	size_t member[FIT_PARAMS_MAX], members;
	double correlation;  /* WEAK_PAIR: of the estimates; > 0: rows do not see both rise */
	double relative;     /* singular value over the largest, WEAK_DIRECTION */
	bool noise;          /* no row follows it beyond its noise */
	fit_point direction; /* unit length, in coordinates */
	double strength;     /* how much the rows change along it: length of d log prediction */
	const struct scenario_case *helper; /* another row that does change; NULL: none */
	double gain;                        /* how much narrower the direction becomes with it */
};

enum { FIT_WEAKNESSES_MAX = 6 };

struct fit_analysis {
	bool known;      /* false: interrupted */
	bool spare_rows; /* more rows than parameters: intervals mean something */
	double low[FIT_PARAMS_MAX], high[FIT_PARAMS_MAX]; /* 95 % intervals, within bounds */
	struct fit_weakness weak[FIT_WEAKNESSES_MAX];
	size_t weak_count;
};

/* Around result->best, from central differences. */
void fit_analyse(const struct fit_problem *problem, const struct fit_result *result,
		 struct fit_analysis *analysis);

/* "at the lower bound", "at the upper bound", or "". */
const char *fit_bound_hit(const struct fit_param *param, double value);

/* ---- Output (fit_report.c, fit_json.c, fit_write.c) ------------------------------ */

/* Of absolute errors, percent. */
struct fit_errors {
	double mean, worst;
};
double fit_error_pct(const struct fit_prediction *prediction);
struct fit_errors fit_errors_of(const struct fit_prediction *predictions, size_t count);

void fit_print_json(const struct fit_problem *problem, const struct fit_result *result,
		    const struct fit_analysis *analysis, struct text *out);

void fit_report(const struct fit_problem *problem, const struct fit_result *result,
		const struct fit_analysis *analysis, struct text *out);

/* What a fitted number was before any fit, as far as its source says so; else what it is. */
double fit_value_before(const struct machine_value *value);

/* The profile's text with the fitted parameters in their places. */
void fit_write_profile(const struct fit_problem *problem, const struct fit_profile *profile,
		       const struct fit_result *result, const struct fit_analysis *analysis,
		       struct text *out);

#endif
