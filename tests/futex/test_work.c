// SPDX-License-Identifier: GPL-3.0-or-later
/* Work is charged where an operation does it. */
#include "cmocka_all.h"

#include "platform.h"
#include "record.h"

static void test_wait(void **state)
{
	struct access_list list = {.policy = futex_policy_preset(FUTEX_KERNEL_V6_15, false)};
	size_t count;

	(void)state;
	assert_non_null(record(&list, &count));
	for (int kind = PLAT_WORK_SYSCALL; kind < PLAT_WORK_COUNT; kind++)
		assert_int_equal(recorder_work_count(kind), kind != PLAT_WORK_KEY_SHARED);
	assert_int_equal(recorder_cycles(), 29);
}

static void test_empty_wake(void **state)
{
	struct access_list list = {.policy = futex_policy_preset(FUTEX_KERNEL_V6_15, false),
				   .op = OP_WAKE,
				   .shared = true};
	size_t count;

	(void)state;
	assert_non_null(record(&list, &count));
	assert_int_equal(recorder_work_count(PLAT_WORK_KEY_SHARED), 1);
	assert_int_equal(recorder_work_count(PLAT_WORK_LOCK), 0);
	assert_int_equal(recorder_work_count(PLAT_WORK_USER_READ), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_empty_wake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
