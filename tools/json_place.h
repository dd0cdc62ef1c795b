/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where something stands in a JSON text. jansson parses; this scanner only
 * finds places again, for error messages. It reads no further than `length`
 * and is safe on any bytes, but its answers are meaningful on texts (or, for
 * json_place_pointer, beginnings of texts) that are valid JSON.
 */
#ifndef FUTEXSIM_TOOLS_JSON_PLACE_H
#define FUTEXSIM_TOOLS_JSON_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* One step of a JSON pointer: a member (key) or, if key is NULL, an item. */
struct json_step {
	const char *key;
	size_t index;
};

/* Bytes start..end-1 of the text. */
struct json_span {
	size_t start, end;
};

/*
 * The value that `steps` lead to, or, if `want_key`, the key of the last step
 * (with its quotes). False if there is no such value.
 */
bool json_place_find(const char *text, size_t length, const struct json_step *steps, size_t count,
		     bool want_key, struct json_span *span);

/* Line and column, both from 1; columns count characters (UTF-8), a tab is one. */
void json_place_line(const char *text, size_t length, size_t offset, size_t *line, size_t *column);

/*
 * Appends the JSON pointer of what stands just before `offset`; `*key_start`
 * receives where the innermost key began (`offset` if there is none).
 */
void json_place_pointer(const char *text, size_t offset, struct text *pointer, size_t *key_start);

/* Appends one step to a JSON pointer, escaped as in RFC 6901. */
void json_place_add_key(struct text *pointer, const char *key, size_t length);

#endif
