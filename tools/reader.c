// SPDX-License-Identifier: GPL-3.0-or-later
#include "reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "json_place.h"

enum { STEPS_MAX = 32, VALUE_TEXT_MAX = 60 };

struct memory {
	struct memory *next;
	max_align_t data[];
};

void reader_init(struct reader *reader)
{
	*reader = (struct reader){.status = EXIT_INPUT};
}

void reader_clean_up(struct reader *reader)
{
	for (struct document *d = reader->documents; d; d = d->next)
		json_decref(d->root);
	while (reader->memory) {
		struct memory *next = reader->memory->next;

		free(reader->memory);
		reader->memory = next;
	}
	text_free(&reader->error);
	*reader = (struct reader){0};
}

void *reader_alloc(struct reader *reader, size_t size)
{
	struct memory *memory = xcalloc(1, sizeof(*memory) + size);

	memory->next = reader->memory;
	reader->memory = memory;
	return memory->data;
}

const char *reader_printf(struct reader *reader, const char *format, ...)
{
	va_list args;
	char *string;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	string = reader_alloc(reader, (size_t)length + 1);
	va_start(args, format);
	vsnprintf(string, (size_t)length + 1, format, args);
	va_end(args);
	return string;
}

static const struct node *new_node(struct reader *reader, const struct node *parent,
				   const char *key, size_t index, const json_t *value)
{
	struct node *node = reader_alloc(reader, sizeof(*node));

	*node = (struct node){parent->document, parent, key, index, value};
	return node;
}

const struct node *node_member(struct reader *reader, const struct node *object, const char *key)
{
	const json_t *value = object ? json_object_get(object->value, key) : NULL;

	return value ? new_node(reader, object, key, 0, value) : NULL;
}

const struct node *node_item(struct reader *reader, const struct node *array, size_t index)
{
	const json_t *value = array ? json_array_get(array->value, index) : NULL;

	return value ? new_node(reader, array, NULL, index, value) : NULL;
}

/* ---- Places ---------------------------------------------------------------- */

static size_t node_steps(const struct node *node, struct json_step steps[STEPS_MAX])
{
	size_t depth = 0;

	for (const struct node *n = node; n->parent; n = n->parent)
		depth++;
	if (depth > STEPS_MAX)
		return 0;
	for (size_t i = depth; node->parent; node = node->parent)
		steps[--i] = (struct json_step){node->key, node->index};
	return depth;
}

static void add_pointer(struct text *text, const struct node *node)
{
	struct json_step steps[STEPS_MAX];
	size_t count = node_steps(node, steps);

	text_add(text, node->document->prefix);
	for (size_t i = 0; i < count; i++) {
		if (steps[i].key)
			json_place_add_key(text, steps[i].key, strlen(steps[i].key));
		else
			text_printf(text, "/%zu", steps[i].index);
	}
	if (!count && !*node->document->prefix)
		text_add(text, "(root)");
}

static bool node_span(const struct node *node, bool key, struct json_span *span)
{
	struct json_step steps[STEPS_MAX];
	size_t count = node_steps(node, steps);

	return json_place_find(node->document->text, node->document->length, steps, count, key,
			       span);
}

/* At most VALUE_TEXT_MAX bytes, cut between characters. */
static void add_shortened(struct text *text, const char *s, size_t length)
{
	size_t cut = length;

	if (length > VALUE_TEXT_MAX)
		for (cut = VALUE_TEXT_MAX; cut > 0 && (s[cut] & 0xC0) == 0x80;)
			cut--;
	text_add_n(text, s, cut);
	if (cut < length)
		text_add(text, "...");
}

void node_text(const struct node *node, struct text *text)
{
	struct json_span span;

	if (json_is_object(node->value))
		text_add(text, "an object");
	else if (json_is_array(node->value))
		text_add(text, "an array");
	else if (node_span(node, false, &span))
		add_shortened(text, node->document->text + span.start, span.end - span.start);
}

/* ---- Errors ---------------------------------------------------------------- */

/* Keeps the message one line, and terminals safe from what a file contains. */
static void disarm(char *s)
{
	while (s && *s) {
		size_t control = text_control(s);

		memset(s, '?', control);
		s += control ? control : 1;
	}
}

static void fail_begin(struct reader *reader, enum exit_status status, const char *name)
{
	reader->failed = true;
	reader->status = status;
	text_add(&reader->error, name);
}

static void add_line(struct text *text, const struct document *document, size_t offset)
{
	size_t line, column;

	if (!document->has_lines)
		return;
	json_place_line(document->text, document->length, offset, &line, &column);
	text_printf(text, ":%zu:%zu", line, column);
}

static void add_formatted(struct text *text, const char *format, va_list args)
{
	char message[4096];

	vsnprintf(message, sizeof(message), format, args);
	text_add(text, ": ");
	text_add(text, message);
	disarm(text->data);
}

void reader_fail(struct reader *reader, const struct node *node, bool at_key, const char *format,
		 ...)
{
	struct json_span span = {0, 0};
	va_list args;

	if (reader->failed)
		return;
	fail_begin(reader, EXIT_INPUT, node->document->name);
	node_span(node, at_key, &span);
	add_line(&reader->error, node->document, span.start);
	text_add(&reader->error, ": ");
	add_pointer(&reader->error, node);
	va_start(args, format);
	add_formatted(&reader->error, format, args);
	va_end(args);
}

void reader_fail_file(struct reader *reader, enum exit_status status, const char *name,
		      const char *format, ...)
{
	va_list args;

	if (reader->failed)
		return;
	fail_begin(reader, status, name);
	va_start(args, format);
	add_formatted(&reader->error, format, args);
	va_end(args);
}
