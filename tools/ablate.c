// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Ablation: one cost switched off at a time. What "off" means:
 *
 *   refcount         the same private table, immutable and not counted
 *   lock wait        bucket locks that are always free: taking one is the RMW it is
 *                    without contention, releasing one a store, and nobody waits.
 *                    Lines still travel between those who meet in a bucket
 *   back pointer     buckets without hb->priv
 *   waiters counter  no counter and no other check: a wake takes the lock
 *   false sharing    packed buckets aligned to lines; perf's worker array of 2013
 *                    replaced by counters on the threads' own lines
 *   remote distance  other sockets as near as the own one, remote memory as near as
 *                    local, no time at home nodes' links
 *   more slots       not a cost, the usual remedy: 16 times as many
 *
 * An ablation that would change nothing about a case is left out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "variants.h"

enum { MORE_SLOTS = 16, SLOTS_MAX = 1 << 24 };

/* False: there is nothing to switch off. `slots` are resolved. */
typedef bool ablation_fn(struct variants *v, struct scenario_case *c);

static bool without_refcount(struct variants *v, struct scenario_case *c)
{
	struct futex_policy *p = &c->spec.policy;

	(void)v;
	if (p->scope != FUTEX_SCOPE_PRIVATE || !p->resizable || p->refcount == REFCOUNT_NONE)
		return false;
	p->refcount = REFCOUNT_NONE;
	p->resizable = false;
	return true;
}

static bool without_lock_wait(struct variants *v, struct scenario_case *c)
{
	(void)v;
	c->spec.policy.lock_always_free = true;
	return c->spec.workload.threads > 1;
}

static bool without_back_pointer(struct variants *v, struct scenario_case *c)
{
	bool had = c->spec.policy.back_pointer;

	(void)v;
	c->spec.policy.back_pointer = false;
	return had;
}

static bool without_waiters(struct variants *v, struct scenario_case *c)
{
	bool had = c->spec.policy.empty_check == FUTEX_CHECK_COUNTER;

	(void)v;
	c->spec.policy.empty_check = FUTEX_CHECK_NONE;
	return had;
}

static bool without_false_sharing(struct variants *v, struct scenario_case *c)
{
	bool packed = c->spec.policy.bucket == FUTEX_BUCKET_PACKED;
	bool array = c->spec.workload.worker_array;

	(void)v;
	if (packed)
		c->spec.policy.bucket = FUTEX_BUCKET_ALIGNED;
	c->spec.workload.worker_array = false;
	return packed || array;
}

static bool without_distance(struct variants *v, struct scenario_case *c)
{
	struct machine_profile *m = variants_machine(v, c);
	struct machine_value *p = m->param;

	if (m->topology.sockets == 1 && machine_node_count(&m->topology) == 1)
		return false;
	p[PARAM_HOP1].value = p[PARAM_HOP2].value = p[PARAM_SOCKET].value;
	p[PARAM_DRAM_REMOTE].value = p[PARAM_DRAM_LOCAL].value;
	p[PARAM_HOME_SERVICE].value = 0;
	return true;
}

static bool with_more_slots(struct variants *v, struct scenario_case *c)
{
	(void)v;
	if (c->spec.policy.slots > SLOTS_MAX / MORE_SLOTS)
		return false;
	c->spec.policy.slots *= MORE_SLOTS;
	return true;
}

static const struct ablation {
	const char *name, *what;
	ablation_fn *apply;
	const char *bound; /* "bound by ..." */
} list[] = {
	{"refcount", "private table not counted", without_refcount, "the refcount line"},
	{"lock wait", "bucket locks always free", without_lock_wait, "waiting for bucket locks"},
	{"back pointer", "buckets without priv", without_back_pointer,
	 "reading the buckets' back pointer (priv)"},
	{"waiters counter", "buckets without waiters", without_waiters,
	 "the buckets' waiters counter"},
	{"false sharing", "one object a line", without_false_sharing,
	 "false sharing of lines by neighbours"},
	{"remote distance", "other sockets as near as the own", without_distance,
	 "the distance between sockets"},
	{"more slots", "16 times as many", with_more_slots, NULL}, /* say_buckets() */
};

enum { ABLATIONS = sizeof(list) / sizeof(list[0]), MORE = ABLATIONS - 1 };

/* The number that the experiment would choose; a changed policy must not change it. */
static void resolve_slots(struct case_spec *spec)
{
	const struct machine_topology *t = &spec->machine->topology;

	if (!spec->policy.slots)
		spec->policy.slots =
			futex_auto_slots(&spec->policy, machine_cpu_count(t), machine_node_count(t),
					 spec->workload.threads);
}

/* "more slots" -> "more-slots" */
static const char *suffix(struct reader *r, const char *name)
{
	char word[64] = "";

	for (size_t i = 0; name[i] && i < sizeof(word) - 1; i++)
		word[i] = name[i] == ' ' ? '-' : name[i];
	return reader_printf(r, "ablate=%s", word);
}

static void add_ablation(struct variants *v, const struct scenario_case *from, size_t base,
			 unsigned index)
{
	const struct ablation *a = &list[index];
	struct scenario_case *c =
		variants_add(v, from, suffix(v->reader, a->name),
			     (struct variant){base, a->name, a->what, 1, NULL, index});
	const char *key;

	resolve_slots(&c->spec);
	if (!a->apply(v, c) || futex_policy_check(&c->spec.policy, &key))
		v->count--;
}

const struct variants *ablations(struct reader *r, struct scenario *scenario)
{
	struct variants *v = variants_new(r, scenario, VARIANTS_ABLATION, ABLATIONS);

	for (size_t i = 0; i < scenario->count; i++) {
		size_t base = variants_add_base(v, &scenario->cases[i]);

		for (unsigned a = 0; a < ABLATIONS; a++)
			add_ablation(v, &scenario->cases[i], base, a);
	}
	scenario->cases = v->cases;
	scenario->count = v->count;
	return v;
}

/* ---- The verdict ------------------------------------------------------------------ */

/* Below these a cost is not worth a word, or not what the case is bound by. */
static const double worth_pct = 5, bound_pct = 10;

struct findings {
	struct effect of[ABLATIONS];
	unsigned order[ABLATIONS]; /* largest first, without "more slots" */
	unsigned count;
};

static void find(const struct report *report, size_t base, struct findings *f)
{
	const struct variants *v = report->variants;

	*f = (struct findings){0};
	for (size_t i = base + 1; i < v->count && v->list[i].base == base; i++) {
		unsigned a = v->list[i].index, at = f->count;

		f->of[a] = variant_effect(report, i);
		if (a == MORE || !f->of[a].known)
			continue;
		for (; at > 0 && f->of[f->order[at - 1]].pct < f->of[a].pct; at--)
			f->order[at] = f->order[at - 1];
		f->order[at] = a;
		f->count++;
	}
}

/*
 * Why buckets cost time: their lines have to be fetched from where they were used
 * last, or a CPU is in the bucket just now. More slots help against both.
 */
struct bucket_cost {
	double moves_ns, wait_ns, op_ns; /* per operation */
	double taken_pct;                /* of operations found the lock taken */
	bool between_cpus;               /* lines mostly come out of another CPU's cache */
};

static bool is_bucket(const struct result_line *line)
{
	return strncmp(line->name, "bucket", strlen("bucket")) == 0;
}

static bool mostly_between_cpus(const uint64_t *transfers)
{
	uint64_t between = 0, all = 0;

	for (enum transfer_class i = 0; i < TRANSFER_CLASSES; i++) {
		all += transfers[i];
		between += i <= TRANSFER_HOP2 ? transfers[i] : 0;
	}
	return 2 * between >= all;
}

/* What a line's transfers take while its lock is waited for is waiting. */
static struct bucket_cost cost_of_buckets(const struct case_result *r)
{
	struct bucket_cost cost = {.wait_ns = r->cost_ns_per_op[COST_LOCK_WAIT],
				   .op_ns = r->ns_per_op,
				   .taken_pct = 100 * r->busy_probability};
	uint64_t transfers[TRANSFER_CLASSES] = {0};

	for (uint32_t l = 0; l < r->line_count; l++) {
		if (!is_bucket(&r->lines[l]))
			continue;
		cost.moves_ns += r->lines[l].counts.wait_ns_per_op;
		for (int i = 0; i < TRANSFER_CLASSES; i++)
			transfers[i] += r->lines[l].counts.transfers[i];
	}
	cost.moves_ns = fmin(cost.moves_ns, r->cost_ns_per_op[COST_BUCKET_LINE]);
	cost.between_cpus = mostly_between_cpus(transfers);
	return cost;
}

static bool bound_by_moves(const struct bucket_cost *b)
{
	return b->moves_ns >= b->wait_ns && b->moves_ns > bound_pct / 100 * b->op_ns;
}

static bool exceeds(const struct effect *e, double pct)
{
	return e->known && e->pct > pct && e->pct > e->ci;
}

/* "+12 %" or, from twice on, "3.4 times". */
static void say_gain(struct text *out, const struct effect *e)
{
	if (e->pct >= 100)
		text_printf(out, "%.1f times the throughput", 1 + e->pct / 100);
	else
		text_printf(out, "%+.0f %%", e->pct);
}

static void say_slots(struct text *out, const struct effect *e)
{
	if (!e->known)
		return;
	if (fabs(e->pct) <= worth_pct || fabs(e->pct) <= e->ci) {
		text_add(out, "; more slots change nothing");
		return;
	}
	text_add(out, "; 16 times as many slots bring ");
	say_gain(out, e);
}

static void say_others(struct text *out, const struct findings *f, unsigned first)
{
	bool any = false;

	for (unsigned i = first; i < f->count; i++) {
		const struct effect *e = &f->of[f->order[i]];

		if (!exceeds(e, worth_pct))
			continue;
		text_printf(out, "%s%s (", any ? ", " : "; also counts: ", list[f->order[i]].name);
		say_gain(out, e);
		text_add(out, ")");
		any = true;
	}
}

static void say_moves(struct text *out, const struct bucket_cost *b)
{
	text_printf(out,
		    "%.0f of %.0f ns per operation, and %.*f %% of operations find a lock "
		    "taken",
		    b->moves_ns, b->op_ns, b->taken_pct < 10, b->taken_pct);
}

static const char *moves_of(const struct bucket_cost *b)
{
	return b->between_cpus ? "bucket lines that move between CPUs"
			       : "bucket lines that are in no near cache";
}

/* What more slots help against. */
static void say_buckets(struct text *out, const struct bucket_cost *b)
{
	if (b->moves_ns >= b->wait_ns) {
		text_printf(out, "bound by %s: ", moves_of(b));
		say_moves(out, b);
	} else {
		text_printf(out,
			    "bound by collisions, two CPUs in one bucket at a time: %.0f %% of "
			    "operations find its lock taken, which costs %.0f of %.0f ns",
			    b->taken_pct, b->wait_ns, b->op_ns);
	}
}

static void say_nothing(struct text *out, const struct findings *f, const struct bucket_cost *b)
{
	const struct effect *most = f->count ? &f->of[f->order[0]] : NULL;

	if (bound_by_moves(b))
		say_buckets(out, b);
	else
		text_add(out, "bound by straight-line work, not by contention");
	if (most)
		text_printf(out, ": no cost switched off brings more than %.1f %%",
			    most->pct > 0 ? most->pct : 0);
	say_slots(out, &f->of[MORE]);
}

/* With what buckets cost, if that is much: a distance, for one, is that of some lines. */
static void say_bound(struct text *out, const struct findings *f, const struct bucket_cost *b)
{
	text_printf(out, "bound by %s: without it ", list[f->order[0]].bound);
	say_gain(out, &f->of[f->order[0]]);
	if (bound_by_moves(b)) {
		text_printf(out, "; %s take ", moves_of(b));
		say_moves(out, b);
	}
}

void ablation_verdict(const struct report *report, size_t base, struct text *out)
{
	struct bucket_cost buckets = cost_of_buckets(report->outcomes[base].result);
	struct findings f;
	const struct effect *most;

	find(report, base, &f);
	most = f.count ? &f.of[f.order[0]] : NULL;
	if (exceeds(&f.of[MORE], bound_pct) && (!most || f.of[MORE].pct > most->pct)) {
		say_buckets(out, &buckets);
		text_add(out, "; 16 times as many slots bring ");
		say_gain(out, &f.of[MORE]);
		say_others(out, &f, 0);
		return;
	}
	if (!most || !exceeds(most, bound_pct)) {
		say_nothing(out, &f, &buckets);
		return;
	}
	say_bound(out, &f, &buckets);
	say_slots(out, &f.of[MORE]);
	say_others(out, &f, 1);
}
