/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmocka with what it needs included before it. */
#ifndef FUTEXSIM_TESTS_TEST_H
#define FUTEXSIM_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
