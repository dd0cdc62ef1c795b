/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subcommands: each takes its own argv (argv[0] is its name) and returns the exit status. */
#ifndef FUTEXSIM_TOOLS_COMMAND_H
#define FUTEXSIM_TOOLS_COMMAND_H

#include "reader.h"

enum exit_status cmd_run(int argc, char **argv);
enum exit_status cmd_validate(int argc, char **argv);
enum exit_status cmd_fit(int argc, char **argv);
enum exit_status cmd_list(int argc, char **argv);
enum exit_status cmd_schema(int argc, char **argv);

/* Help of a command; NULL: of all. */
const char *usage_text(const char *command);

/* Prints "futexsim: MESSAGE" and where help is; EXIT_USAGE. `command` may be NULL. */
__attribute__((format(printf, 2, 3))) enum exit_status usage_error(const char *command,
								   const char *format, ...);

/* Prints to standard output; EXIT_UNFINISHED if that fails. */
enum exit_status print_string(const char *string);

/* " (did you mean "x"?)" or "", valid until the next call. */
const char *did_you_mean(const char *word, const char *const *words, size_t count);

/* What getopt_long() refused, as a usage error. `c` is its return value. */
enum exit_status option_error(const char *command, int c, char **argv);

#endif
