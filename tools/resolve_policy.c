// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "field.h"
#include "scenario.h"

/* 2^24 buckets of 128 bytes are 2 GiB: more than any rule of any kernel gives. */
enum { SLOTS_MAX = 1 << 24 };

static const char slots_allowed[] = "\"auto\", powers of two 2..16777216";

static bool is_auto(const struct node *node)
{
	const char *word = json_string_value(node->value);

	return word && strcmp(word, "auto") == 0;
}

void check_slots(struct reader *r, const struct node *node)
{
	json_int_t slots = json_integer_value(node->value);

	if (r->failed || is_auto(node))
		return;
	if (!json_is_integer(node->value))
		field_fail(r, node, "is not a number of slots", slots_allowed);
	else if (slots < 2)
		field_fail(r, node, "is too small", slots_allowed);
	else if (slots > SLOTS_MAX)
		field_fail(r, node, "is too large", slots_allowed);
	else if (slots & (slots - 1))
		field_fail(r, node, "is not a power of two", slots_allowed);
}

/* Keys of futex_policy_check() and the setting each stands for. */
static const enum setting policy_settings[] = {
	SETTING_KERNEL,   SETTING_SCOPE,       SETTING_SLOTS,        SETTING_RESIZABLE,
	SETTING_REFCOUNT, SETTING_EMPTY_CHECK, SETTING_BARRIER_A,    SETTING_BARRIER_B,
	SETTING_LOCK,     SETTING_BUCKET,      SETTING_BACK_POINTER, SETTING_HASH,
};

static enum setting setting_of_key(struct reader *r, const char *key)
{
	for (size_t i = 0; i < sizeof(policy_settings) / sizeof(policy_settings[0]); i++) {
		const char *path = setting_path(r, policy_settings[i]);
		const char *dot = strchr(path, '.');

		if (strcmp(dot ? dot + 1 : path, key) == 0)
			return policy_settings[i];
	}
	return SETTING_KERNEL;
}

/* At the key itself if the input sets it, else at the kernel whose preset does. */
static void check_combination(struct reader *r, const struct scenario_case *c)
{
	const char *key = "kernel";
	const char *wrong = futex_policy_check(&c->spec.policy, &key);
	const struct node *node;

	if (!wrong)
		return;
	node = c->settings.by[setting_of_key(r, key)];
	if (!node)
		node = c->settings.by[SETTING_SCOPE];
	if (!node)
		node = c->settings.by[SETTING_KERNEL];
	reader_fail(r, node ? node : c->node, false, "%s", wrong);
}

static void choose_bool(struct reader *r, const struct node *node, bool *value)
{
	if (node)
		*value = field_bool(r, node);
}

static void choose_structure(struct reader *r, const struct settings *s, struct futex_policy *p)
{
	if (s->by[SETTING_SCOPE])
		p->scope = field_choice(r, s->by[SETTING_SCOPE], scope_choice);
	if (s->by[SETTING_SLOTS])
		p->slots = (uint32_t)json_integer_value(s->by[SETTING_SLOTS]->value);
	if (s->by[SETTING_LOCK])
		p->lock = field_choice(r, s->by[SETTING_LOCK], lock_choice);
	if (s->by[SETTING_BUCKET])
		p->bucket = field_choice(r, s->by[SETTING_BUCKET], bucket_choice);
	if (s->by[SETTING_HASH])
		p->hash = field_choice(r, s->by[SETTING_HASH], hash_choice);
	if (s->by[SETTING_EMPTY_CHECK])
		p->empty_check = field_choice(r, s->by[SETTING_EMPTY_CHECK], empty_check_choice);
	choose_bool(r, s->by[SETTING_BARRIER_A], &p->barrier_a);
	choose_bool(r, s->by[SETTING_BARRIER_B], &p->barrier_b);
	choose_bool(r, s->by[SETTING_BACK_POINTER], &p->back_pointer);
}

/*
 * Reference count and resizing belong to the private table. A preset's values
 * for them are dropped when the input chooses another scope; what the input
 * itself says stays, and is checked.
 */
static void choose_private(struct reader *r, const struct settings *s, struct futex_policy *p)
{
	if (p->scope != FUTEX_SCOPE_PRIVATE) {
		p->refcount = REFCOUNT_NONE;
		p->resizable = false;
	}
	if (s->by[SETTING_REFCOUNT])
		p->refcount = field_choice(r, s->by[SETTING_REFCOUNT], refcount_choice);
	choose_bool(r, s->by[SETTING_RESIZABLE], &p->resizable);
}

void resolve_policy(struct reader *r, struct scenario_case *c)
{
	const struct node *kernel = c->settings.by[SETTING_KERNEL];
	enum futex_kernel preset = FUTEX_KERNEL_COUNT - 1; /* the newest */

	if (r->failed)
		return;
	if (kernel)
		preset = field_choice(r, kernel, kernel_choice);
	c->spec.policy = futex_policy_preset(preset, c->spec.machine->ppc);
	choose_structure(r, &c->settings, &c->spec.policy);
	choose_private(r, &c->settings, &c->spec.policy);
	if (!r->failed)
		check_combination(r, c);
}
