/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results to where they belong, with every failure noticed. */
#ifndef FUTEXSIM_TOOLS_OUTPUT_H
#define FUTEXSIM_TOOLS_OUTPUT_H

#include <stdbool.h>

#include "text.h"

/* To standard output. False, with a message on stderr: not all of it arrived. */
bool output_stdout(const struct text *text);

/*
 * Replaces `path` as a whole or leaves it as it was (temporary file, then
 * rename). What is not a regular file (a device, a pipe) is written to.
 */
bool output_file(const char *path, const struct text *text);

/* Whether output_file(path) can work, before hours are spent; message if not. */
bool output_possible(const char *path);

#endif
