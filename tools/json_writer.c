// SPDX-License-Identifier: GPL-3.0-or-later
#include "json_writer.h"

#include <assert.h>
#include <string.h>

static void add_quoted(struct text *out, const char *s)
{
	text_add(out, "\"");
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			text_printf(out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20 || *s == 0x7F)
			text_printf(out, "\\u%04x", (unsigned char)*s);
		else
			text_add_n(out, s, 1);
	}
	text_add(out, "\"");
}

static void new_line(struct json_writer *w)
{
	if (w->flat)
		return;
	text_add(w->out, "\n");
	text_repeat(w->out, ' ', 2 * (size_t)w->depth);
}

/* Comma, line break and key in front of a value. */
static void begin_value(struct json_writer *w, const char *key)
{
	bool *used = &w->used[w->depth];

	if (*used)
		text_add(w->out, w->flat ? ", " : ",");
	if (w->depth > 0)
		new_line(w);
	*used = true;
	if (key) {
		add_quoted(w->out, key);
		text_add(w->out, ": ");
	}
}

void json_open(struct json_writer *w, const char *key, char bracket)
{
	char s[2] = {bracket, '\0'};

	begin_value(w, key);
	text_add(w->out, s);
	w->depth++;
	assert(w->depth < JSON_WRITER_DEPTH);
	w->used[w->depth] = false;
}

void json_open_flat(struct json_writer *w, const char *key, char bracket)
{
	json_open(w, key, bracket);
	w->flat = true;
}

void json_close(struct json_writer *w, char bracket)
{
	bool used = w->used[w->depth];
	char s[2] = {bracket, '\0'};

	assert(w->depth > 0);
	w->depth--;
	if (used)
		new_line(w);
	text_add(w->out, s);
	w->flat = false;
	if (w->depth == 0)
		text_add(w->out, "\n");
}

void json_put_string(struct json_writer *w, const char *key, const char *value)
{
	begin_value(w, key);
	add_quoted(w->out, value);
}

void json_put_null(struct json_writer *w, const char *key)
{
	begin_value(w, key);
	text_add(w->out, "null");
}

void json_put_bool(struct json_writer *w, const char *key, bool value)
{
	begin_value(w, key);
	text_add(w->out, value ? "true" : "false");
}

void json_put_uint(struct json_writer *w, const char *key, uint64_t value)
{
	begin_value(w, key);
	text_printf(w->out, "%llu", (unsigned long long)value);
}

void json_put_int(struct json_writer *w, const char *key, int64_t value)
{
	begin_value(w, key);
	text_printf(w->out, "%lld", (long long)value);
}

void json_put_rounded(struct json_writer *w, const char *key, double value, int digits)
{
	begin_value(w, key);
	text_number(w->out, value, digits);
}

void json_put_number(struct json_writer *w, const char *key, double value)
{
	json_put_rounded(w, key, value, JSON_DIGITS);
}

void json_put_exact(struct json_writer *w, const char *key, double value)
{
	begin_value(w, key);
	text_number(w->out, value, EXACT_DIGITS);
}

void json_put_decimal(struct json_writer *w, const char *key, double value, int decimals)
{
	begin_value(w, key);
	text_decimal(w->out, value, decimals);
}

void json_put_pair(struct json_writer *w, const char *key, double first, double second)
{
	bool flat = w->flat;

	json_open_flat(w, key, '[');
	json_put_number(w, NULL, first);
	json_put_number(w, NULL, second);
	json_close(w, ']');
	w->flat = flat;
}
