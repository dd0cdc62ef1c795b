// SPDX-License-Identifier: GPL-3.0-or-later
/* Numbers, JSON, tables, spelling and the progress line: text in, text out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "grid.h"
#include "json_writer.h"
#include "progress.h"
#include "spelling.h"
#include "text.h"

static void assert_number(double value, int digits, const char *expected)
{
	struct text text = {0};

	text_number(&text, value, digits);
	assert_string_equal(text.data, expected);
	text_free(&text);
}

static void rounds_to_significant_digits(void **state)
{
	(void)state;
	assert_number(0, 6, "0");
	assert_number(-0.0, 6, "0");
	assert_number(1, 6, "1");
	assert_number(1555482, 6, "1555480");
	assert_number(999999.5, 6, "1000000");
	assert_number(0.1 + 0.2, 6, "0.3");
	assert_number(-1234.5678, 6, "-1234.57");
	assert_number(1e-7, 6, "0.0000001");
	assert_number(1.0 / 3, 3, "0.333");
	assert_number(1e21, 6, "1000000000000000000000");
	assert_number(100, 1, "100");
	assert_number(0.00012345678, 6, "0.000123457");
	assert_number(123456.4, 6, "123456");
	assert_number(12345.06, 6, "12345.1");
	assert_number(100000.4, 6, "100000");
}

static void assert_decimal(double value, int decimals, const char *expected)
{
	struct text text = {0};

	text_decimal(&text, value, decimals);
	assert_string_equal(text.data, expected);
	text_free(&text);
}

static void rounds_to_decimals(void **state)
{
	(void)state;
	assert_decimal(-0.0001, 3, "0");
	assert_decimal(12.3456, 3, "12.346");
	assert_decimal(-42.1, 3, "-42.1");
	assert_decimal(100, 3, "100");
	assert_decimal(1e-300, 3, "0");
}

static void writes_json(void **state)
{
	struct text text = {0};
	struct json_writer w = {.out = &text};

	(void)state;
	json_open(&w, NULL, '{');
	json_put_string(&w, "s", "a\"b\\c\n\x7F\xC3\xBC");
	json_open(&w, "empty", '[');
	json_close(&w, ']');
	json_open_flat(&w, "flat", '[');
	json_put_uint(&w, NULL, UINT64_MAX);
	json_put_int(&w, NULL, INT64_MIN);
	json_close(&w, ']');
	json_put_pair(&w, "pair", 1, 2.5);
	json_open_flat(&w, "line", '{');
	json_put_pair(&w, "pair", 1, 2);
	json_put_bool(&w, "goes on", true);
	json_close(&w, '}');
	json_open(&w, "o", '{');
	json_put_bool(&w, "t", true);
	json_put_number(&w, "n", 0.1234567);
	json_put_exact(&w, "e", 0.1234567);
	json_put_decimal(&w, "d", -1.23456, 3);
	json_close(&w, '}');
	json_close(&w, '}');
	assert_string_equal(text.data, "{\n  \"s\": \"a\\\"b\\\\c\\u000a\\u007f\xC3\xBC\",\n"
				       "  \"empty\": [],\n"
				       "  \"flat\": [18446744073709551615, -9223372036854775808],\n"
				       "  \"pair\": [1, 2.5],\n"
				       "  \"line\": {\"pair\": [1, 2], \"goes on\": true},\n"
				       "  \"o\": {\n    \"t\": true,\n    \"n\": 0.123457,\n"
				       "    \"e\": 0.1234567,\n    \"d\": -1.235\n  }\n}\n");
	text_free(&text);
}

static void aligns_and_drops_empty_columns(void **state)
{
	struct grid grid = {0};
	struct text text = {0};

	(void)state;
	grid_column(&grid, "name", false);
	grid_column(&grid, "nothing", false);
	grid_column(&grid, "n", true);
	grid_cell(&grid, "%s", "a");
	grid_cell(&grid, "%s", "");
	grid_cell(&grid, "%d", 5);
	grid_cell(&grid, "%s", "longer");
	grid_cell(&grid, "%s", "");
	grid_cell(&grid, "%d", 1000);
	grid_print(&grid, &text);
	assert_string_equal(text.data, "name       n\na          5\nlonger  1000\n");
	text_free(&text);
	grid_free(&grid);
}

static void measures_edit_distance(void **state)
{
	(void)state;
	assert_int_equal(spelling_distance("", ""), 0);
	assert_int_equal(spelling_distance("", "abc"), 3);
	assert_int_equal(spelling_distance("abc", ""), 3);
	assert_int_equal(spelling_distance("kitten", "sitting"), 3);
	assert_int_equal(spelling_distance("2560", "2650"), 1);
	assert_int_equal(spelling_distance("ab", "ba"), 1);
	assert_int_equal(spelling_distance("ca", "abc"), 3);
	assert_int_equal(spelling_distance("threads", "threads"), 0);
}

static void suggests_only_what_is_close(void **state)
{
	const char *const words[] = {"policy", "slots", "scope"};
	char word[200];

	(void)state;
	assert_string_equal(spelling_suggest("polcy", words, 3), "policy");
	assert_string_equal(spelling_suggest("slot", words, 3), "slots");
	assert_string_equal(spelling_suggest("scpoe", words, 3), "scope");
	assert_null(spelling_suggest("zebra", words, 3));
	assert_null(spelling_suggest("", words, 3));
	memset(word, 'a', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	assert_null(spelling_suggest(word, words, 3));
}

static void assert_progress(size_t done, double work, double elapsed_s, const char *expected)
{
	struct text text = {0};

	progress_line(&text, 4, done, work, elapsed_s);
	assert_string_equal(text.data, expected);
	text_free(&text);
}

static void draws_progress(void **state)
{
	(void)state;
	assert_progress(0, 0, 0, "[..............................] 0 of 4 cases, 0 %");
	assert_progress(1, 2, 7, "[###############...............] 1 of 4 cases, 50 %, 7 s left");
	assert_progress(1, 1, 60,
			"[#######.......................] 1 of 4 cases, 25 %, 3 min 00 s left");
	assert_progress(0, 0.04, 100,
			"[..............................] 0 of 4 cases, 1 %, 2 h 45 min left");
	assert_progress(4, 4, 9, "[##############################] 4 of 4 cases, 100 %, 0 s left");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_to_significant_digits),
		cmocka_unit_test(rounds_to_decimals),
		cmocka_unit_test(writes_json),
		cmocka_unit_test(aligns_and_drops_empty_columns),
		cmocka_unit_test(measures_edit_distance),
		cmocka_unit_test(suggests_only_what_is_close),
		cmocka_unit_test(draws_progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
