/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes indented JSON, the same bytes on every host. `key` is NULL inside arrays. */
#ifndef FUTEXSIM_TOOLS_JSON_WRITER_H
#define FUTEXSIM_TOOLS_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

enum { JSON_DIGITS = 6, EXACT_DIGITS = 15, JSON_WRITER_DEPTH = 16 };

struct json_writer {
	struct text *out;
	unsigned depth;
	bool used[JSON_WRITER_DEPTH]; /* the level has a member already */
	bool flat;                    /* no line breaks until the level is closed */
};

void json_open(struct json_writer *w, const char *key, char bracket);
/* All on one line. */
void json_open_flat(struct json_writer *w, const char *key, char bracket);
void json_close(struct json_writer *w, char bracket);
void json_put_string(struct json_writer *w, const char *key, const char *value);
void json_put_null(struct json_writer *w, const char *key);
void json_put_bool(struct json_writer *w, const char *key, bool value);
void json_put_uint(struct json_writer *w, const char *key, uint64_t value);
void json_put_int(struct json_writer *w, const char *key, int64_t value);
/* Rounded to JSON_DIGITS significant digits. */
void json_put_number(struct json_writer *w, const char *key, double value);
/* The same with another number of digits. */
void json_put_rounded(struct json_writer *w, const char *key, double value, int digits);
/* Numbers that somebody wrote: as written, up to 15 digits. */
void json_put_exact(struct json_writer *w, const char *key, double value);
/* [first, second], on the line of the key. */
void json_put_pair(struct json_writer *w, const char *key, double first, double second);
/* Rounded to `decimals` decimals: for differences, whose digits cancel. */
void json_put_decimal(struct json_writer *w, const char *key, double value, int decimals);

#endif
