/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing string. All zero is empty; `data` is terminated once anything was added. */
#ifndef FUTEXSIM_TOOLS_TEXT_H
#define FUTEXSIM_TOOLS_TEXT_H

#include <stddef.h>

struct text {
	char *data;
	size_t length, capacity;
};

/* Bytes of the control character (C0, DEL or C1, in UTF-8) that `s` begins with; 0: it does not. */
size_t text_control(const char *s);

void text_free(struct text *text);
void text_add(struct text *text, const char *s);
void text_add_n(struct text *text, const char *s, size_t length);
void text_repeat(struct text *text, char c, size_t count);
__attribute__((format(printf, 2, 3))) void text_printf(struct text *text, const char *format, ...);

/*
 * A finite number, rounded to `digits` significant digits (1..15), in plain
 * decimal notation without trailing zeros: the same bytes on every host.
 */
void text_number(struct text *text, double value, int digits);

/* A finite number with at most `decimals` decimals, trailing zeros cut, no "-0". */
void text_decimal(struct text *text, double value, int decimals);

#endif
