// SPDX-License-Identifier: GPL-3.0-or-later
#include "text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

size_t text_control(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;

	if (u[0] && (u[0] < 0x20 || u[0] == 0x7F))
		return 1;
	return u[0] == 0xC2 && u[1] >= 0x80 && u[1] < 0xA0 ? 2 : 0;
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}

static void reserve(struct text *text, size_t more)
{
	size_t need = text->length + more + 1;

	if (need <= text->capacity)
		return;
	text->capacity = need * 2;
	text->data = xrealloc(text->data, text->capacity);
}

void text_add_n(struct text *text, const char *s, size_t length)
{
	reserve(text, length);
	memcpy(text->data + text->length, s, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *s)
{
	text_add_n(text, s, strlen(s));
}

void text_repeat(struct text *text, char c, size_t count)
{
	reserve(text, count);
	memset(text->data + text->length, c, count);
	text->length += count;
	text->data[text->length] = '\0';
}

void text_printf(struct text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	assert(length >= 0);
	reserve(text, (size_t)length);
	va_start(args, format);
	vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
	va_end(args);
	text->length += (size_t)length;
}

/* Cuts zeros after the decimal point, and the point if nothing is left behind it. */
static void trim_zeros(struct text *text, size_t start)
{
	if (!memchr(text->data + start, '.', text->length - start))
		return;
	while (text->data[text->length - 1] == '0')
		text->length--;
	if (text->data[text->length - 1] == '.')
		text->length--;
	text->data[text->length] = '\0';
}

/* Digits "ddd" and the power of ten of the first one, written without exponent. */
static void add_plain(struct text *text, const char *digits, int exponent)
{
	int count = (int)strlen(digits);

	if (exponent < 0) {
		text_add(text, "0.");
		text_repeat(text, '0', (size_t)(-exponent - 1));
		text_add(text, digits);
	} else if (exponent >= count - 1) {
		text_add(text, digits);
		text_repeat(text, '0', (size_t)exponent + 1 - (size_t)count);
	} else {
		text_add_n(text, digits, (size_t)exponent + 1);
		text_add(text, ".");
		text_add(text, digits + exponent + 1);
	}
}

void text_number(struct text *text, double value, int digits)
{
	char scientific[40], mantissa[20];
	size_t start = text->length, used = 0;

	assert(isfinite(value) && digits >= 1 && digits <= 15);
	if (value == 0) {
		text_add(text, "0");
		return;
	}
	snprintf(scientific, sizeof(scientific), "%.*e", digits - 1, fabs(value));
	for (const char *c = scientific; *c != 'e'; c++)
		if (*c != '.')
			mantissa[used++] = *c;
	mantissa[used] = '\0';
	if (value < 0)
		text_add(text, "-");
	add_plain(text, mantissa, atoi(strchr(scientific, 'e') + 1));
	trim_zeros(text, start);
}

void text_decimal(struct text *text, double value, int decimals)
{
	size_t start = text->length;

	assert(isfinite(value));
	text_printf(text, "%.*f", decimals, value);
	trim_zeros(text, start);
	if (strcmp(text->data + start, "-0") == 0) {
		text->length = start;
		text_add(text, "0");
	}
}
