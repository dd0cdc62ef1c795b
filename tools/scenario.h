/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scenario, read and resolved into cases that experiment_run() can run.
 *
 * Nouns: a *setting* is one of the values a scenario can choose
 * ("workload.threads"); *settings* say for each of them which node of the input
 * decides. Layers lie upon each other, later ones win: kernel preset and
 * defaults, top level, case, sweep point, --set. The preset is that of the kernel
 * that wins, so a case that names a kernel keeps the policy keys of the top
 * level.
 */
#ifndef FUTEXSIM_TOOLS_SCENARIO_H
#define FUTEXSIM_TOOLS_SCENARIO_H

#include "experiment.h"
#include "profile.h"
#include "reader.h"

enum { SCENARIO_CASES_MAX = 10000, THREADS_MAX_ALLOWED = 4096, FUTEXES_MAX = 1 << 20 };

enum setting {
	SETTING_MACHINE,
	SETTING_KERNEL,
	SETTING_SCOPE,
	SETTING_SLOTS,
	SETTING_RESIZABLE,
	SETTING_REFCOUNT,
	SETTING_EMPTY_CHECK,
	SETTING_BARRIER_A,
	SETTING_BARRIER_B,
	SETTING_LOCK,
	SETTING_BUCKET,
	SETTING_BACK_POINTER,
	SETTING_HASH,
	SETTING_PROGRAM,
	SETTING_THREADS,
	SETTING_FUTEXES,
	SETTING_SHARED,
	SETTING_WORKER_ARRAY,
	SETTING_PLACEMENT,
	SETTING_SEED,
	SETTING_LAYOUTS,
	SETTING_PRECISION,
	SETTING_CONFIDENCE,
	SETTING_MAX_SIM_MS,
	SETTING_COUNT
};

struct settings {
	const struct node *by[SETTING_COUNT]; /* NULL: default */
};

enum metric { METRIC_OPS_PER_THREAD, METRIC_OPS_TOTAL, METRIC_NS_PER_OP, METRIC_COUNT };

/* A published value to compare with. */
struct expect {
	bool present;
	enum metric metric;
	double value;
	double stddev_pct;  /* of the published value, over threads; negative: not stated */
	const char *record; /* id, or NULL: then `source` */
	const char *source;
	const char *role; /* "fit" or "predict"; NULL without a record */
	bool scored;
	const char *why; /* may be NULL */
};

struct scenario_case {
	const char *id;
	const struct node *node; /* the case in the input, or the root */
	struct settings settings;
	struct case_spec spec;
	struct expect expect;
};

struct scenario {
	const char *name;
	const char *directory; /* of the file, with "/", or empty */
	struct machine_list machines;
	struct scenario_case *cases;
	size_t count;
};

/* Arguments of --set, "PATH=VALUE", and of --seed (may be NULL). */
struct overrides {
	const char *const *set;
	size_t set_count;
	const char *seed;
};

/* Reads a scenario; what it points to belongs to the reader. False after an error. */
bool read_scenario(struct reader *reader, const char *path, const struct overrides *overrides,
		   struct scenario *scenario);

/* The same from a text; `name` stands in front of errors. */
bool read_scenario_text(struct reader *reader, const char *name, const char *text, size_t length,
			const struct overrides *overrides, struct scenario *scenario);

/* ---- Settings (settings.c) --------------------------------------------------- */

/* Path of a setting: "machine", "policy.slots". */
const char *setting_path(struct reader *reader, enum setting setting);
/* By path; SETTING_COUNT if there is none. */
enum setting setting_by_path(const char *path);
/* "machine, kernel, policy.scope, ...". */
const char *setting_paths(struct reader *reader);
/* The closest path, or NULL. */
const char *setting_suggest(struct reader *reader, const char *path);

/* Checks one value on its own: type, range, spelling. */
void setting_check(struct reader *reader, struct scenario *scenario, enum setting setting,
		   const struct node *node);

/* Lays what `object` (top level or case) chooses over `settings`, checked. */
void settings_overlay(struct reader *reader, struct scenario *scenario, const struct node *object,
		      struct settings *settings);

/* ---- Parts (one file each) ---------------------------------------------------- */

/* Overlays --set and --seed. */
void apply_overrides(struct reader *reader, struct scenario *scenario,
		     const struct overrides *overrides, const struct node *root,
		     struct settings *settings);

/* Multiplies scenario->cases by the sweep. */
void apply_sweep(struct reader *reader, struct scenario *scenario, const struct node *sweep);

void read_expect(struct reader *reader, const struct node *node, struct expect *expect);

/* Fills spec->policy; settings and machine are known. */
void resolve_policy(struct reader *reader, struct scenario_case *c);
void resolve_workload(struct reader *reader, struct scenario_case *c);
void resolve_measure(struct reader *reader, struct scenario_case *c);

/* Value checks used by setting_check. */
void check_slots(struct reader *reader, const struct node *node);
void check_placement(struct reader *reader, const struct node *node);

/* Names for choices; NULL past the end. */
const char *lock_choice(unsigned index);
const char *refcount_choice(unsigned index);
const char *kernel_choice(unsigned index);
const char *scope_choice(unsigned index);
const char *empty_check_choice(unsigned index);
const char *bucket_choice(unsigned index);
const char *hash_choice(unsigned index);
const char *program_choice(unsigned index);
const char *metric_choice(unsigned index);

#endif
