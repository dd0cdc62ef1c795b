// SPDX-License-Identifier: GPL-3.0-or-later
/* Pointer to place and back, on texts and on beginnings of texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "json_place.h"

#define STEPS(...) ((struct json_step[]){__VA_ARGS__})
#define KEY(k)                                                                                     \
	{                                                                                          \
		k, 0                                                                               \
	}
#define ITEM(i)                                                                                    \
	{                                                                                          \
		NULL, i                                                                            \
	}

static const char document[] = "{ \"a\" : [ 10, {\"b\":\"x,]}\\\"y\"},\n [] ],\n"
			       "\t\"\\u0061b/~\": true, \"\": -1.5e3 }";

static void assert_span(const struct json_step *steps, size_t count, bool key, const char *expected)
{
	struct json_span span;

	assert_true(json_place_find(document, strlen(document), steps, count, key, &span));
	assert_int_equal(span.end - span.start, strlen(expected));
	assert_memory_equal(document + span.start, expected, strlen(expected));
}

static void finds_values(void **state)
{
	(void)state;
	assert_span(STEPS(KEY("a"), ITEM(0)), 2, false, "10");
	assert_span(STEPS(KEY("a"), ITEM(1)), 2, false, "{\"b\":\"x,]}\\\"y\"}");
	assert_span(STEPS(KEY("a"), ITEM(1), KEY("b")), 3, false, "\"x,]}\\\"y\"");
	assert_span(STEPS(KEY("a"), ITEM(2)), 2, false, "[]");
	assert_span(STEPS(KEY("ab/~")), 1, false, "true");
	assert_span(STEPS(KEY("")), 1, false, "-1.5e3");
	assert_span(NULL, 0, false, document);
}

static void finds_keys(void **state)
{
	(void)state;
	assert_span(STEPS(KEY("a")), 1, true, "\"a\"");
	assert_span(STEPS(KEY("ab/~")), 1, true, "\"\\u0061b/~\"");
	assert_span(STEPS(KEY("a"), ITEM(1), KEY("b")), 3, true, "\"b\"");
}

static void misses_what_is_not_there(void **state)
{
	struct json_span span;
	size_t length = strlen(document);

	(void)state;
	assert_false(json_place_find(document, length, STEPS(KEY("c")), 1, false, &span));
	assert_false(json_place_find(document, length, STEPS(ITEM(0)), 1, false, &span));
	assert_false(json_place_find(document, length, STEPS(KEY("a"), ITEM(3)), 2, false, &span));
	assert_false(json_place_find(document, length, STEPS(KEY("a"), ITEM(2), ITEM(0)), 3, false,
				     &span));
	assert_false(json_place_find(document, length, STEPS(KEY("a"), ITEM(0)), 2, true, &span));
	assert_false(json_place_find("", 0, NULL, 0, false, &span));
}

/* Every prefix and every single changed byte: no answer may lie outside, no read either. */
static void survives_damage(void **state)
{
	const struct json_step steps[] = {KEY("a"), ITEM(1), KEY("b")};
	size_t length = strlen(document);

	(void)state;
	for (size_t cut = 0; cut <= length; cut++) {
		char *copy = malloc(cut ? cut : 1);
		struct json_span span;

		memcpy(copy, document, cut);
		if (json_place_find(copy, cut, steps, 3, false, &span))
			assert_true(span.start < span.end && span.end <= cut);
		for (size_t i = 0; i < cut; i++) {
			copy[i] ^= 0x5F;
			if (json_place_find(copy, cut, steps, 3, false, &span))
				assert_true(span.end <= cut);
			copy[i] ^= 0x5F;
		}
		free(copy);
	}
}

static void assert_line(const char *text, size_t offset, size_t line, size_t column)
{
	size_t l, c;

	json_place_line(text, strlen(text), offset, &l, &c);
	assert_int_equal(l, line);
	assert_int_equal(c, column);
}

static void counts_lines_and_characters(void **state)
{
	(void)state;
	assert_line("abc", 0, 1, 1);
	assert_line("abc", 2, 1, 3);
	assert_line("a\nbc", 2, 2, 1);
	assert_line("a\r\n\tbc", 4, 2, 2);
	assert_line("\xC3\xBC\xF0\x9F\x90\xA2x", 6, 1, 3);
	assert_line("ab", 99, 1, 3);
}

static void assert_pointer(const char *text, const char *expected, size_t key)
{
	struct text pointer = {0};
	size_t key_start;

	text_add(&pointer, "");
	json_place_pointer(text, strlen(text), &pointer, &key_start);
	assert_string_equal(pointer.data, expected);
	assert_int_equal(key_start, key);
	text_free(&pointer);
}

static void names_where_a_text_breaks_off(void **state)
{
	(void)state;
	assert_pointer("", "", 0);
	assert_pointer("{", "", 1);
	assert_pointer("{\"a\"", "/a", 1);
	assert_pointer("{\"a\":1", "/a", 1);
	assert_pointer("{\"a\":1,\"b\":[0,[],{\"c\":", "/b/2/c", 18);
	assert_pointer("{\"a/b~\":{\"c\":{}", "/a~1b~0/c", 9);
	assert_pointer("[[1,2],[3", "/1/0", 9);
	assert_pointer("{\"a\":\"}]\\\"\",\"b\"", "/b", 12);
	assert_pointer("{\"\\u0061\":0", "/a", 1);
	assert_pointer("]}]}", "", 4);
}

/* For every value of a shipped-size document: its place holds exactly that value. */
static void check_value(const json_t *value, struct json_step *steps, size_t depth,
			const char *text, size_t length)
{
	struct json_span span;
	const char *key;
	json_t *child, *parsed;
	size_t index;

	assert_true(json_place_find(text, length, steps, depth, false, &span));
	parsed = json_loadb(text + span.start, span.end - span.start, JSON_DECODE_ANY, NULL);
	assert_true(json_equal(parsed, value));
	json_decref(parsed);
	json_object_foreach((json_t *)value, key, child)
	{
		steps[depth] = (struct json_step){key, 0};
		check_value(child, steps, depth + 1, text, length);
	}
	json_array_foreach((json_t *)value, index, child)
	{
		steps[depth] = (struct json_step){NULL, index};
		check_value(child, steps, depth + 1, text, length);
	}
}

static void agrees_with_the_parser(void **state)
{
	const char *text = "{\"x\":[{\"k\":[1,2,{\"d\\n\":null}]},\"s\",[[],{}]],\"y\":{\"x\":"
			   "false,\"k\":0.5},\"\\\"\":{\"\\\\\":[\"\\\\\\\"\",2]}}";
	json_t *root = json_loads(text, 0, NULL);
	struct json_step steps[16];

	(void)state;
	assert_non_null(root);
	check_value(root, steps, 0, text, strlen(text));
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_values),
		cmocka_unit_test(finds_keys),
		cmocka_unit_test(misses_what_is_not_there),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(counts_lines_and_characters),
		cmocka_unit_test(names_where_a_text_breaks_off),
		cmocka_unit_test(agrees_with_the_parser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
