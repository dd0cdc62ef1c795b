/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cases with one thing changed, run beside the case they come from: what would
 * come back without a cost (ablation), and how much a parameter of the machine
 * matters (sensitivity). Same seed, so the same layouts and the same order of
 * random numbers. They are cases like any other and run as such.
 */
#ifndef FUTEXSIM_TOOLS_VARIANTS_H
#define FUTEXSIM_TOOLS_VARIANTS_H

#include "json_writer.h"
#include "outcome.h"

enum variant_kind { VARIANTS_ABLATION, VARIANTS_SENSITIVITY };

/* One per case of the scenario, in the same order. */
struct variant {
	size_t base;      /* index of the case it comes from; its own: nothing is changed */
	const char *name; /* "refcount", "t_rmw" */
	const char *what; /* what was done, for people */
	double sign;      /* sensitivity: -1 if the parameter went down instead of up */
	const struct machine_value *value; /* sensitivity: the parameter as it is */
	unsigned index;                    /* which ablation or parameter */
};

struct variants {
	enum variant_kind kind;
	struct reader *reader;
	struct scenario_case *cases;
	struct variant *list;
	size_t count, capacity;
};

/* ---- Making them (variants.c) --------------------------------------------------- */

/* Replace the scenario's cases by these: each, followed by its variants. */
const struct variants *ablations(struct reader *reader, struct scenario *scenario);
const struct variants *sensitivities(struct reader *reader, struct scenario *scenario);

struct variants *variants_new(struct reader *reader, const struct scenario *scenario,
			      enum variant_kind kind, size_t per_case);
/* A copy of `from`, without `expect`, to be changed. `suffix` of the id: "ablate=refcount". */
struct scenario_case *variants_add(struct variants *v, const struct scenario_case *from,
				   const char *suffix, struct variant variant);
/* The case itself; what follows are its variants. Returns its index. */
size_t variants_add_base(struct variants *v, const struct scenario_case *c);
/* A copy of the case's machine that may be changed. */
struct machine_profile *variants_machine(struct variants *v, struct scenario_case *c);

/* ---- Reporting (out_variants.c, ablate.c) ----------------------------------------- */

/* Throughput against the base in percent, and the half width of its interval. */
struct effect {
	bool known; /* both cases are done */
	double pct, ci;
};
struct effect variant_effect(const struct report *report, size_t index);

/* One sentence on the case with index `base` and its ablations. */
void ablation_verdict(const struct report *report, size_t base, struct text *out);

void print_variants(const struct report *report, struct text *out);
void print_variants_csv(const struct report *report, struct text *out);
/* Member `ablation` or `sensitivity` of a result document. */
void json_put_variants(struct json_writer *w, const struct report *report);

#endif
