/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Option values that several subcommands take. Errors name the command; see usage_error(). */
#ifndef FUTEXSIM_TOOLS_OPTIONS_H
#define FUTEXSIM_TOOLS_OPTIONS_H

#include "command.h"
#include "tables.h"

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV };

enum exit_status option_format(const char *command, const char *name, enum format *format);

/* Processes at a time, 1..JOBS_MAX. */
enum exit_status option_jobs(const char *command, const char *number, unsigned *jobs);

/* Checked, and kept as it was written: it becomes an override. */
enum exit_status option_seed(const char *command, const char *number, const char **seed);

/* Checked, and kept as an override of --set; empty without the option. */
struct precision_setting {
	char text[64];
};
enum exit_status option_precision(const char *command, const char *number,
				  struct precision_setting *setting);

/* Each scenario once: rows that are there twice would count twice. */
enum exit_status scenarios_once(const char *command, const struct names *scenarios);

/* Every name that was given with `option` is a table of the index. */
enum exit_status option_tables(const char *command, const char *option, const struct names *names,
			       const struct tables *tables);

/* As many jobs as there are CPUs. */
unsigned default_jobs(void);

#endif
