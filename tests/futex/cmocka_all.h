/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmocka.h with the four headers that it needs before it. */
#ifndef FUTEXSIM_TESTS_CMOCKA_ALL_H
#define FUTEXSIM_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
