// SPDX-License-Identifier: GPL-3.0-or-later
#include "json_place.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

struct scanner {
	const char *text;
	size_t length, at;
};

static int peek(const struct scanner *s)
{
	return s->at < s->length ? (unsigned char)s->text[s->at] : -1;
}

static void skip_space(struct scanner *s)
{
	while (s->at < s->length && strchr(" \t\r\n", s->text[s->at]) && s->text[s->at])
		s->at++;
}

/* From an opening quote to behind the closing one. */
static void skip_string(struct scanner *s)
{
	for (s->at++; s->at < s->length && s->text[s->at] != '"'; s->at++)
		if (s->text[s->at] == '\\')
			s->at++;
	s->at = s->at < s->length ? s->at + 1 : s->length;
}

/* Iterative, so that depth costs nothing. */
static void skip_value(struct scanner *s)
{
	size_t depth = 0;

	do {
		skip_space(s);
		int c = peek(s);

		if (c < 0)
			return;
		if (c == '"') {
			skip_string(s);
		} else if (c == '{' || c == '[') {
			depth++;
			s->at++;
		} else if (c == '}' || c == ']') {
			depth -= depth > 0;
			s->at++;
		} else if (c == ',' || c == ':') {
			s->at++;
		} else {
			while (s->at < s->length && !strchr(" \t\r\n,:]}", s->text[s->at]))
				s->at++;
			if (peek(s) == 0)
				s->at++;
		}
	} while (depth > 0);
}

/* The string at `start` (quotes included) decoded, or NULL. Rare: keys with escapes. */
static char *decode_string(const char *start, size_t length)
{
	json_t *value = json_loadb(start, length, JSON_DECODE_ANY, NULL);
	const char *string = json_string_value(value);
	char *copy = string ? xstrndup(string, strlen(string)) : NULL;

	json_decref(value);
	return copy;
}

static bool same_key(const char *raw, size_t length, const char *key)
{
	char *decoded;
	bool same;

	if (length < 2)
		return false;
	if (!memchr(raw, '\\', length))
		return strlen(key) == length - 2 && memcmp(raw + 1, key, length - 2) == 0;
	decoded = decode_string(raw, length);
	same = decoded && strcmp(decoded, key) == 0;
	free(decoded);
	return same;
}

/* Stands at '{'; moves to the value of `key`, whose own place goes to `place`. */
static bool enter_member(struct scanner *s, const char *key, struct json_span *place)
{
	if (peek(s) != '{')
		return false;
	do {
		s->at++;
		skip_space(s);
		if (peek(s) != '"')
			return false;
		place->start = s->at;
		skip_string(s);
		place->end = s->at;
		skip_space(s);
		s->at += peek(s) == ':';
		skip_space(s);
		if (same_key(s->text + place->start, place->end - place->start, key))
			return true;
		skip_value(s);
		skip_space(s);
	} while (peek(s) == ',');
	return false;
}

static bool enter_item(struct scanner *s, size_t index)
{
	if (peek(s) != '[')
		return false;
	s->at++;
	skip_space(s);
	for (; index > 0; index--) {
		skip_value(s);
		skip_space(s);
		if (peek(s) != ',')
			return false;
		s->at++;
		skip_space(s);
	}
	return peek(s) != ']';
}

bool json_place_find(const char *text, size_t length, const struct json_step *steps, size_t count,
		     bool want_key, struct json_span *span)
{
	struct scanner s = {text, length, 0};
	struct json_span key = {0, 0};

	skip_space(&s);
	for (size_t i = 0; i < count; i++)
		if (!(steps[i].key ? enter_member(&s, steps[i].key, &key)
				   : enter_item(&s, steps[i].index)))
			return false;
	if (want_key) {
		*span = key;
		return count > 0 && steps[count - 1].key;
	}
	span->start = s.at;
	skip_value(&s);
	span->end = s.at;
	return span->end > span->start;
}

void json_place_line(const char *text, size_t length, size_t offset, size_t *line, size_t *column)
{
	*line = *column = 1;
	for (size_t i = 0; i < offset && i < length; i++) {
		if (text[i] == '\n') {
			++*line;
			*column = 1;
		} else if (((unsigned char)text[i] & 0xC0) != 0x80) {
			++*column;
		}
	}
}

void json_place_add_key(struct text *pointer, const char *key, size_t length)
{
	text_add(pointer, "/");
	for (size_t i = 0; i < length; i++) {
		if (key[i] == '~')
			text_add(pointer, "~0");
		else if (key[i] == '/')
			text_add(pointer, "~1");
		else
			text_add_n(pointer, key + i, 1);
	}
}

/* An open object or array; a key that was seen lies at key.start..key.end. */
struct frame {
	bool object, want_key;
	size_t index;
	struct json_span key;
};

struct frames {
	struct frame *item;
	size_t count, capacity;
};

static void push(struct frames *frames, bool object)
{
	if (frames->count == frames->capacity) {
		frames->capacity = frames->capacity * 2 + 16;
		frames->item = xrealloc(frames->item, frames->capacity * sizeof(*frames->item));
	}
	frames->item[frames->count++] = (struct frame){.object = object, .want_key = object};
}

static void note_string(struct frames *frames, size_t start, size_t end)
{
	struct frame *top = frames->count ? &frames->item[frames->count - 1] : NULL;

	if (top && top->want_key) {
		top->key = (struct json_span){start, end};
		top->want_key = false;
	}
}

static void note_comma(struct frames *frames)
{
	struct frame *top = frames->count ? &frames->item[frames->count - 1] : NULL;

	if (top && top->object)
		top->want_key = true;
	else if (top)
		top->index++;
}

static void walk(struct scanner *s, struct frames *frames)
{
	while (s->at < s->length) {
		char c = s->text[s->at];
		size_t start = s->at;

		if (c == '"') {
			skip_string(s);
			note_string(frames, start, s->at);
			continue;
		}
		if (c == '{' || c == '[')
			push(frames, c == '{');
		else if ((c == '}' || c == ']') && frames->count)
			frames->count--;
		else if (c == ',')
			note_comma(frames);
		s->at++;
	}
}

static void add_frame(struct text *pointer, const char *text, const struct frame *frame)
{
	size_t length = frame->key.end - frame->key.start;
	char *decoded;

	if (!frame->object) {
		text_printf(pointer, "/%zu", frame->index);
		return;
	}
	if (length < 2)
		return;
	decoded = decode_string(text + frame->key.start, length);
	if (decoded)
		json_place_add_key(pointer, decoded, strlen(decoded));
	free(decoded);
}

void json_place_pointer(const char *text, size_t offset, struct text *pointer, size_t *key_start)
{
	struct scanner s = {text, offset, 0};
	struct frames frames = {0};

	walk(&s, &frames);
	*key_start = offset;
	for (size_t i = 0; i < frames.count; i++)
		add_frame(pointer, text, &frames.item[i]);
	if (frames.count && frames.item[frames.count - 1].key.end)
		*key_start = frames.item[frames.count - 1].key.start;
	free(frames.item);
}
