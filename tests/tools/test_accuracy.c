// SPDX-License-Identifier: GPL-3.0-or-later
/* Errors, order and knees, against cases computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "accuracy.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
		fail_msg("%.12g instead of %.12g", value, expected);
}

static void errors_are_relative_to_the_published_value(void **state)
{
	(void)state;
	assert_near(error_pct((struct comparison){200, 250}), 25);
	assert_near(error_pct((struct comparison){200, 50}), -75);
	assert_near(error_pct((struct comparison){200, 200}), 0);
	assert_near(error_pct((struct comparison){200, 0}), -100);
}

static void summaries_are_of_absolute_errors(void **state)
{
	struct error_summary s = {0};

	(void)state;
	assert_near(s.mean_pct, 0);
	error_add(&s, 5, 10);
	error_add(&s, -20, 11);
	error_add(&s, 8, 12);
	error_add(&s, 20, 13); /* as large as the worst: the first one is named */
	assert_int_equal(s.rows, 4);
	assert_near(s.mean_pct, 13.25);
	assert_near(s.worst_pct, 20);
	assert_int_equal(s.worst, 11);
}

static void an_error_of_zero_is_a_row(void **state)
{
	struct error_summary s = {0};

	(void)state;
	error_add(&s, 0, 7);
	assert_int_equal(s.rows, 1);
	assert_int_equal(s.worst, 7);
	error_add(&s, -1, 8);
	assert_near(s.mean_pct, 0.5);
	assert_int_equal(s.worst, 8);
}

/*
 * Published 100, 102, 110, 150. Pairs more than 3 % apart: all but the first two
 * (2 %). Predicted 5, 1, 4, 9: of the five, (100, 110) comes out wrong.
 */
static void inversions_are_counted_where_published_values_differ(void **state)
{
	const struct comparison rows[] = {{100, 5}, {102, 1}, {110, 4}, {150, 9}};
	struct rank_summary s = rank_compare(rows, COUNT(rows), 3);

	(void)state;
	assert_int_equal(s.pairs, 5);
	assert_int_equal(s.inverted, 1);
	assert_int_equal(s.worst[0], 0);
	assert_int_equal(s.worst[1], 2);
	assert_near(s.worst_difference, 10);
	s = rank_compare(rows, COUNT(rows), 1);
	assert_int_equal(s.pairs, 6);
	assert_int_equal(s.inverted, 2);
	assert_int_equal(s.worst[1], 2);
}

/* The limit itself is not "more than"; the difference is that from the smaller value. */
static void the_limit_is_exclusive_and_relative_to_the_smaller(void **state)
{
	const struct comparison at[] = {{103, 1}, {100, 2}}, above[] = {{104, 1}, {100, 2}};

	(void)state;
	assert_int_equal(rank_compare(at, 2, 3).pairs, 0);
	assert_int_equal(rank_compare(above, 2, 3).inverted, 1);
	assert_near(rank_compare(above, 2, 3).worst_difference, 4);
	assert_near(rank_compare((struct comparison[]){{50, 2}, {100, 1}}, 2, 3).worst_difference,
		    100);
}

static void equal_predictions_are_inversions(void **state)
{
	const struct comparison rows[] = {{1, 7}, {2, 7}, {3, 7}};

	(void)state;
	assert_int_equal(rank_compare(rows, 3, 3).inverted, 3);
	assert_int_equal(rank_compare(rows, 1, 3).pairs, 0);
	assert_int_equal(rank_compare(rows, 0, 3).pairs, 0);
}

static void the_widest_inversion_of_several_lists_is_kept(void **state)
{
	struct rank_summary sum = {0};
	const struct rank_summary a = {10, 2, {3, 4}, 12}, b = {5, 1, {8, 9}, 30},
				  none = {7, 0, {0, 0}, 0};

	(void)state;
	rank_add(&sum, &a);
	rank_add(&sum, &b);
	rank_add(&sum, &none);
	assert_int_equal(sum.pairs, 22);
	assert_int_equal(sum.inverted, 3);
	assert_int_equal(sum.worst[0], 8);
	assert_int_equal(sum.worst[1], 9);
	assert_near(sum.worst_difference, 30);
}

/*
 * Ranks 1 2 3 4 5 against 2 1 4 3 5: the differences squared sum to 4, so rho is
 * 1 - 6 * 4 / (5 * 24) = 0.8. With ties 1, 2.5, 2.5 against 1 2 3: sqrt(3) / 2.
 */
static void correlation_of_ranks(void **state)
{
	const struct comparison five[] = {{10, 20}, {20, 10}, {30, 45}, {40, 40}, {50, 900}};
	const struct comparison reversed[] = {{1, 3}, {2, 2}, {3, 1}};
	const struct comparison ties[] = {{1, 1}, {5, 2}, {5, 3}};
	const struct comparison equal[] = {{1, 4}, {2, 4}};
	double rho;

	(void)state;
	assert_true(rank_correlation(five, COUNT(five), &rho));
	assert_near(rho, 0.8);
	assert_true(rank_correlation(reversed, COUNT(reversed), &rho));
	assert_near(rho, -1);
	assert_true(rank_correlation(ties, COUNT(ties), &rho));
	assert_near(rho, sqrt(3) / 2);
	assert_false(rank_correlation(equal, COUNT(equal), &rho));
	assert_false(rank_correlation(five, 1, &rho));
	assert_false(rank_correlation(five, 0, &rho));
}

/* y = x up to 64, then flat: half of the plateau is at 32, nine tenths at 57.6. */
static void the_knee_lies_on_a_line_in_logarithms(void **state)
{
	const struct curve_point line[] = {{4, 4}, {16, 16}, {64, 64}, {256, 64}, {1024, 60}};
	double x;

	(void)state;
	assert_true(curve_knee(line, COUNT(line), 0.5, &x));
	assert_near(x, 32);
	assert_true(curve_knee(line, COUNT(line), 0.9, &x));
	assert_near(x, 57.6);
	/* From (2, 10) to (8, 40) is y = 5 x; half of 80 is reached at a point. */
	assert_true(curve_knee((struct curve_point[]){{2, 10}, {8, 40}, {32, 80}}, 3, 0.5, &x));
	assert_near(x, 8);
	/* y grows with the square: half of 64 is 32 = 2 x^2, x = 4. */
	assert_true(curve_knee((struct curve_point[]){{1, 2}, {sqrt(32), 64}}, 2, 0.5, &x));
	assert_near(x, 4);
}

static void the_first_crossing_counts(void **state)
{
	const struct curve_point twice[] = {{1, 1}, {4, 4}, {16, 1}, {64, 4}};
	double x;

	(void)state;
	assert_true(curve_knee(twice, COUNT(twice), 0.5, &x));
	assert_near(x, 2);
}

static void no_knee_below_the_first_point(void **state)
{
	const struct curve_point flat[] = {{2, 60}, {4, 80}, {8, 100}};
	double x = -1;

	(void)state;
	assert_false(curve_knee(flat, COUNT(flat), 0.5, &x));
	assert_false(curve_knee(flat, 0, 0.5, &x));
	assert_near(x, -1);
	assert_true(curve_knee(flat, COUNT(flat), 0.8, &x));
	assert_near(x, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_relative_to_the_published_value),
		cmocka_unit_test(summaries_are_of_absolute_errors),
		cmocka_unit_test(an_error_of_zero_is_a_row),
		cmocka_unit_test(inversions_are_counted_where_published_values_differ),
		cmocka_unit_test(the_limit_is_exclusive_and_relative_to_the_smaller),
		cmocka_unit_test(equal_predictions_are_inversions),
		cmocka_unit_test(the_widest_inversion_of_several_lists_is_kept),
		cmocka_unit_test(correlation_of_ranks),
		cmocka_unit_test(the_knee_lies_on_a_line_in_logarithms),
		cmocka_unit_test(the_first_crossing_counts),
		cmocka_unit_test(no_knee_below_the_first_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
