// SPDX-License-Identifier: GPL-3.0-or-later
/* The fitted profile: the text that was read, with some objects replaced. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "fit.h"
#include "json_place.h"
#include "json_writer.h"

/* The reader's limit for sources, less room for what stands around the lists. */
enum { SOURCE_BYTES = 4096, RECORDS_BYTES = 2200, NAME_BYTES = 200, PRIOR_BYTES = 700 };

#define PRIOR "; before: "

struct writer {
	const struct fit_problem *problem;
	const struct fit_profile *profile;
	const struct fit_result *result;
	const struct fit_analysis *analysis;
};

/* ---- The source ------------------------------------------------------------------- */

static bool all_published(const struct scenario *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (!rows->cases[i].expect.record)
			return false;
	return true;
}

/* Cut between characters, if it must be. */
static void add_shortened(struct text *out, const char *s, size_t max)
{
	size_t length = strlen(s);

	if (length > max) {
		length = max;
		while (length && ((unsigned char)s[length] & 0xC0) == 0x80)
			length--;
	}
	text_add_n(out, s, length);
}

static void add_records(const struct scenario *rows, struct text *out)
{
	size_t start = out->length;

	for (size_t i = 0; i < rows->count; i++) {
		if (out->length - start > RECORDS_BYTES) {
			text_printf(out, " and %zu more", rows->count - i);
			return;
		}
		text_add(out, i ? ", " : "");
		add_shortened(out, fit_row_name(&rows->cases[i]), NAME_BYTES);
	}
}

static void add_other_params(const struct writer *w, size_t index, struct text *out)
{
	const char *with = " together with ";

	for (size_t i = 0; i < w->problem->count; i++) {
		if (i == index)
			continue;
		text_printf(out, "%s%s", with, machine_param_info[w->problem->param[i].id].name);
		with = ", ";
	}
}

/* What was known before any fit: of a number fitted before, what its source says of that. */
static void add_prior(const struct machine_value *value, struct text *out)
{
	const char *prior = value->status == STATUS_FITTED ? strstr(value->source, PRIOR) : NULL;

	if (prior) {
		add_shortened(out, prior, PRIOR_BYTES);
		return;
	}
	text_add(out, PRIOR);
	text_number(out, value->value, EXACT_DIGITS);
	text_printf(out, " (%s) ", machine_status_name[value->status]);
	add_shortened(out, value->source, PRIOR_BYTES);
}

double fit_value_before(const struct machine_value *value)
{
	const char *prior = value->status == STATUS_FITTED ? strstr(value->source, PRIOR) : NULL;
	char *end;
	double before;

	if (!prior)
		return value->value;
	prior += strlen(PRIOR);
	before = strtod(prior, &end);
	return end == prior ? value->value : before;
}

static void add_source(const struct writer *w, size_t index, enum machine_param id,
		       struct text *out)
{
	const char *hit = fit_bound_hit(&w->problem->param[index], w->result->best[index]);

	text_printf(out, "fitted%s", *hit ? " (" : "");
	text_printf(out, *hit ? "%s)" : "%s", hit);
	add_other_params(w, index, out);
	text_printf(out, " to %zu %s, rms error %.2f %%: ", w->problem->rows.count,
		    all_published(&w->problem->rows) ? "published rows" : "measured rows",
		    fit_rms_pct(w->result->best_misfit));
	add_records(&w->problem->rows, out);
	text_add(out, ". Method: futexsim fit, simplex on squared log ratios; ");
	if (!w->analysis->known)
		text_add(out, "interrupted, no interval");
	else if (!w->analysis->spare_rows)
		text_add(out,
			 "as many parameters as rows, so the range is all that the bounds allow");
	else
		text_add(out, "range: 95 % interval from the curvature, within the bounds");
	add_prior(&w->profile->machine->param[id], out);
	assert(out->length <= SOURCE_BYTES);
}

/* ---- The object ------------------------------------------------------------------- */

static void add_object(const struct writer *w, size_t index, enum machine_param id,
		       struct text *out)
{
	const struct fit_param *p = &w->problem->param[index];
	struct json_writer json = {.out = out};
	struct text source = {0};

	add_source(w, index, id, &source);
	json_open_flat(&json, NULL, '{');
	json_put_number(&json, machine_param_info[id].unit, w->result->best[index]);
	json_put_string(&json, "status", "fitted");
	json_put_string(&json, "source", source.data);
	if (w->analysis->known)
		json_put_pair(&json, "range", w->analysis->low[index], w->analysis->high[index]);
	json_put_pair(&json, "bounds", p->low, p->high);
	json_close(&json, '}');
	out->length -= out->data[out->length - 1] == '\n'; /* it stands within a line */
	text_free(&source);
}

/* ---- The text ----------------------------------------------------------------------- */

struct patch {
	struct json_span span;
	size_t index; /* of the parameter fitted */
	enum machine_param id;
};

static int by_place(const void *a, const void *b)
{
	const struct patch *x = a, *y = b;

	return (x->span.start > y->span.start) - (x->span.start < y->span.start);
}

/* Returns how many patches were added. */
static size_t add_patch(const struct writer *w, size_t index, enum machine_param id,
			struct patch *patch)
{
	const struct document *d = w->profile->root->document;
	struct json_step steps[] = {{"parameters", 0}, {NULL, 0}};
	bool found;

	if (id == PARAM_COUNT)
		return 0;
	steps[1].key = machine_param_info[id].name;
	*patch = (struct patch){.index = index, .id = id};
	found = json_place_find(d->text, d->length, steps, 2, false, &patch->span);
	assert(found);
	return found;
}

static size_t find_patches(const struct writer *w, struct patch *patches)
{
	size_t count = 0;

	for (size_t i = 0; i < w->problem->count; i++) {
		count += add_patch(w, i, w->problem->param[i].id, &patches[count]);
		count += add_patch(w, i, w->problem->param[i].tied, &patches[count]);
	}
	qsort(patches, count, sizeof(*patches), by_place);
	return count;
}

void fit_write_profile(const struct fit_problem *problem, const struct fit_profile *profile,
		       const struct fit_result *result, const struct fit_analysis *analysis,
		       struct text *out)
{
	const struct writer w = {problem, profile, result, analysis};
	const struct document *d = profile->root->document;
	struct patch patches[2 * FIT_PARAMS_MAX];
	size_t count = find_patches(&w, patches), at = 0;

	for (size_t i = 0; i < count; i++) {
		text_add_n(out, d->text + at, patches[i].span.start - at);
		add_object(&w, patches[i].index, patches[i].id, out);
		at = patches[i].span.end;
	}
	text_add_n(out, d->text + at, d->length - at);
}
