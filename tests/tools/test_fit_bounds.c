// SPDX-License-Identifier: GPL-3.0-or-later
/* Every parameter can be fitted: it has physical bounds, and a source for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fit.h"

static void test_all_have_bounds(void **state)
{
	static const double values[] = {0, 1, 100};

	(void)state;
	for (enum machine_param id = 0; id < PARAM_COUNT; id++) {
		assert_non_null(fit_bounds_reason(id));
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			const struct machine_value value = {values[i], STATUS_GUESS, "a test"};
			double low, high;

			fit_default_bounds(id, &value, &low, &high);
			assert_true(low > 0 && low < high);
		}
	}
}

/* Those of exotic values too: a fit writes its bounds, and the reader checks them. */
static void test_bounds_are_possible(void **state)
{
	(void)state;
	for (enum machine_param id = 0; id < PARAM_COUNT; id++) {
		const struct machine_param_info *info = &machine_param_info[id];
		const double values[] = {info->min, (info->min + info->max) / 2, info->max};

		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			const struct machine_value value = {values[i], STATUS_GUESS, "a test"};
			double low, high;

			fit_default_bounds(id, &value, &low, &high);
			assert_true(low >= info->min && high <= info->max && low < high);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_have_bounds),
		cmocka_unit_test(test_bounds_are_possible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
