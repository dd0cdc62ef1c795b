// SPDX-License-Identifier: GPL-3.0-or-later
#include "field.h"

#include <string.h>

#include "spelling.h"

enum { CHOICES_MAX = 64 };

const char *field_join(struct reader *reader, const char *const *words, size_t count)
{
	struct text text = {0};
	const char *joined;

	for (size_t i = 0; i < count; i++)
		text_printf(&text, "%s%s", i ? ", " : "", words[i]);
	joined = reader_printf(reader, "%s", text.data ? text.data : "");
	text_free(&text);
	return joined;
}

void field_fail(struct reader *reader, const struct node *node, const char *what,
		const char *allowed)
{
	struct text value = {0};

	if (reader->failed)
		return;
	node_text(node, &value);
	reader_fail(reader, node, false, "%s %s; allowed: %s",
		    value.data ? value.data : "the value", what, allowed);
	text_free(&value);
}

/* " (did you mean "x"?)", or nothing. */
static const char *suggestion(struct reader *reader, const char *word, const char *const *words,
			      size_t count)
{
	const char *closest = spelling_suggest(word, words, count);

	return closest ? reader_printf(reader, " (did you mean \"%s\"?)", closest) : "";
}

static void fail_key(struct reader *reader, const struct node *object, const char *key,
		     const char *const *keys, size_t count)
{
	reader_fail(reader, node_member(reader, object, key), true, "unknown key%s; allowed: %s",
		    suggestion(reader, key, keys, count), field_join(reader, keys, count));
}

bool field_object(struct reader *reader, const struct node *node, const char *const *keys,
		  size_t count)
{
	const char *key;
	json_t *value;

	if (reader->failed || !node)
		return false;
	if (!json_is_object(node->value)) {
		field_fail(reader, node, "is not an object",
			   reader_printf(reader, "an object with the keys %s",
					 field_join(reader, keys, count)));
		return false;
	}
	json_object_foreach((json_t *)node->value, key, value)
	{
		if (!spelling_known(key, keys, count)) {
			fail_key(reader, node, key, keys, count);
			return false;
		}
	}
	return true;
}

const struct node *field_required(struct reader *reader, const struct node *object, const char *key,
				  const char *allowed)
{
	const struct node *node;

	if (reader->failed || !object)
		return NULL;
	node = node_member(reader, object, key);
	if (!node)
		reader_fail(reader, object, false, "the key \"%s\" is missing; allowed: %s", key,
			    allowed);
	return node;
}

size_t field_array(struct reader *reader, const struct node *node, size_t min, size_t max)
{
	const char *allowed;
	size_t size;

	if (reader->failed || !node)
		return 0;
	allowed = min == max ? reader_printf(reader, "an array of %zu items", min)
			     : reader_printf(reader, "an array of %zu..%zu items", min, max);
	size = json_array_size(node->value);
	if (!json_is_array(node->value))
		field_fail(reader, node, "is not an array", allowed);
	else if (size < min || size > max)
		field_fail(reader, node, reader_printf(reader, "has %zu items", size), allowed);
	return reader->failed ? 0 : size;
}

int64_t field_integer(struct reader *reader, const struct node *node, int64_t min, int64_t max)
{
	const char *allowed;
	json_int_t value;

	if (reader->failed || !node)
		return 0;
	allowed = min == max ? reader_printf(reader, "%lld", (long long)min)
			     : reader_printf(reader, "integers %lld..%lld", (long long)min,
					     (long long)max);
	value = json_integer_value(node->value);
	if (!json_is_integer(node->value))
		field_fail(reader, node, "is not an integer", allowed);
	else if (value < min)
		field_fail(reader, node, "is too small", allowed);
	else if (value > max)
		field_fail(reader, node, "is too large", allowed);
	return reader->failed ? 0 : value;
}

static const char *real_range(struct reader *reader, double min, double max, bool open)
{
	struct text text = {0};
	const char *range;

	text_add(&text, open ? "numbers above " : "numbers ");
	text_number(&text, min, 15);
	text_add(&text, open ? ", up to " : "..");
	text_number(&text, max, 15);
	range = reader_printf(reader, "%s", text.data);
	text_free(&text);
	return range;
}

double field_real(struct reader *reader, const struct node *node, double min, double max, bool open)
{
	const char *allowed;
	double value;

	if (reader->failed || !node)
		return 0;
	allowed = real_range(reader, min, max, open);
	value = json_number_value(node->value);
	if (!json_is_number(node->value))
		field_fail(reader, node, "is not a number", allowed);
	else if (value < min || (open && value <= min))
		field_fail(reader, node, "is too small", allowed);
	else if (value > max)
		field_fail(reader, node, "is too large", allowed);
	return reader->failed ? 0 : value;
}

bool field_bool(struct reader *reader, const struct node *node)
{
	if (reader->failed || !node)
		return false;
	if (!json_is_boolean(node->value))
		field_fail(reader, node, "is not a boolean", "true, false");
	return json_is_true(node->value);
}

static bool has_control(const char *s)
{
	while (*s && !text_control(s))
		s++;
	return *s;
}

const char *field_string(struct reader *reader, const struct node *node, size_t max)
{
	const char *allowed;
	size_t length;

	if (reader->failed || !node)
		return NULL;
	allowed = reader_printf(reader, "strings of 1..%zu bytes", max);
	length = json_string_length(node->value);
	if (!json_is_string(node->value))
		field_fail(reader, node, "is not a string", allowed);
	else if (length < 1)
		field_fail(reader, node, "is empty", allowed);
	else if (length > max)
		field_fail(reader, node, "is too long", allowed);
	else if (has_control(json_string_value(node->value)))
		field_fail(reader, node, "contains a control character",
			   "text without control characters");
	return reader->failed ? NULL : json_string_value(node->value);
}

unsigned field_choice_of(struct reader *reader, const struct node *node, const char *const *words,
			 size_t count)
{
	const char *word;

	if (reader->failed || !node)
		return 0;
	word = json_string_value(node->value);
	if (!word) {
		field_fail(reader, node, "is not a string", field_join(reader, words, count));
		return 0;
	}
	for (unsigned i = 0; i < count; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	field_fail(reader, node,
		   reader_printf(reader, "is unknown%s", suggestion(reader, word, words, count)),
		   field_join(reader, words, count));
	return 0;
}

unsigned field_choice(struct reader *reader, const struct node *node, field_names names)
{
	const char *words[CHOICES_MAX];
	size_t count = 0;

	while (count < CHOICES_MAX && names((unsigned)count)) {
		words[count] = names((unsigned)count);
		count++;
	}
	return field_choice_of(reader, node, words, count);
}
