// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which combinations can be built. Everything is orthogonal except what hangs
 * on the private table's header: it exists from v6.16-rc on, and only it can be
 * counted, resized or pointed back at.
 */
#include "futex/policy.h"

enum { FUTEX_SLOTS_MAX = 1 << 24 };

struct rule {
	const char *key;
	bool (*broken)(const struct futex_policy *policy);
	const char *message;
};

static bool has_header(const struct futex_policy *policy)
{
	return policy->kernel >= FUTEX_KERNEL_V6_16_RC;
}

static bool bad_kernel(const struct futex_policy *p)
{
	return (unsigned)p->kernel >= FUTEX_KERNEL_COUNT;
}

static bool bad_scope(const struct futex_policy *p)
{
	return (unsigned)p->scope >= FUTEX_SCOPE_COUNT;
}

static bool bad_refcount(const struct futex_policy *p)
{
	return (unsigned)p->refcount >= REFCOUNT_KIND_COUNT;
}

static bool bad_empty_check(const struct futex_policy *p)
{
	return (unsigned)p->empty_check >= FUTEX_CHECK_COUNT;
}

static bool bad_lock(const struct futex_policy *p)
{
	return (unsigned)p->lock >= LOCK_KIND_COUNT;
}

static bool bad_bucket(const struct futex_policy *p)
{
	return (unsigned)p->bucket >= FUTEX_BUCKET_COUNT;
}

static bool bad_hash(const struct futex_policy *p)
{
	return (unsigned)p->hash >= FUTEX_HASH_COUNT;
}

static bool bad_slots(const struct futex_policy *p)
{
	uint32_t slots = p->slots;

	return slots != 0 && (slots < 2 || slots > FUTEX_SLOTS_MAX || (slots & (slots - 1)) != 0);
}

static bool private_too_old(const struct futex_policy *p)
{
	return p->scope == FUTEX_SCOPE_PRIVATE && p->kernel < FUTEX_KERNEL_RFC_2024;
}

static bool refcount_without_private(const struct futex_policy *p)
{
	return p->refcount != REFCOUNT_NONE && p->scope != FUTEX_SCOPE_PRIVATE;
}

static bool refcount_without_header(const struct futex_policy *p)
{
	return p->refcount != REFCOUNT_NONE && !has_header(p);
}

static bool resizable_without_header(const struct futex_policy *p)
{
	return p->resizable && p->scope == FUTEX_SCOPE_PRIVATE && !has_header(p);
}

static bool resizable_uncounted(const struct futex_policy *p)
{
	return p->resizable && p->scope == FUTEX_SCOPE_PRIVATE && p->refcount == REFCOUNT_NONE;
}

static bool back_pointer_without_header(const struct futex_policy *p)
{
	return p->back_pointer && !has_header(p);
}

static const struct rule rules[] = {
	{"kernel", bad_kernel, "no such kernel"},
	{"scope", bad_scope, "scope must be global, per-node or private"},
	{"refcount", bad_refcount, "refcount must be none, plain-int, atomic, rcuref or percpu"},
	{"empty_check", bad_empty_check, "empty_check must be none, counter or lock-and-list"},
	{"lock", bad_lock, "no such lock"},
	{"bucket", bad_bucket, "bucket must be packed, aligned or chain-apart"},
	{"hash", bad_hash, "no such hash function"},
	{"slots", bad_slots, "slots must be a power of two from 2 to 16777216"},
	{"scope", private_too_old,
	 "scope private needs kernel rfc-2024 or v6.16-rc and newer; allowed here: global, "
	 "per-node"},
	{"refcount", refcount_without_private,
	 "a refcount needs scope private; allowed here: refcount none"},
	{"refcount", refcount_without_header,
	 "a refcount needs kernel v6.16-rc or newer; allowed here: refcount none"},
	{"resizable", resizable_without_header,
	 "a resizable private table needs kernel v6.16-rc or newer; allowed here: resizable "
	 "false"},
	{"resizable", resizable_uncounted,
	 "a resizable private table needs a refcount; allowed here: resizable false, or refcount "
	 "plain-int, atomic, rcuref, percpu"},
	{"back_pointer", back_pointer_without_header,
	 "back_pointer needs kernel v6.16-rc or newer; allowed here: back_pointer false"},
};

const char *futex_policy_check(const struct futex_policy *policy, const char **key)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].broken(policy)) {
			*key = rules[i].key;
			return rules[i].message;
		}
	}
	return NULL;
}
