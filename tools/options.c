// SPDX-License-Identifier: GPL-3.0-or-later
#include "options.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "jobs.h"
#include "spelling.h"

static bool parse_number(const char *s, long long min, long long max, long long *value)
{
	char *end;

	errno = 0;
	*value = strtoll(s, &end, 10);
	return *s >= '0' && *s <= '9' && !*end && !errno && *value >= min && *value <= max;
}

enum exit_status option_format(const char *command, const char *name, enum format *format)
{
	static const char *const names[] = {"table", "json", "csv"};

	for (unsigned i = 0; i < 3; i++)
		if (strcmp(name, names[i]) == 0) {
			*format = i;
			return EXIT_DONE;
		}
	return usage_error(command, "--format %s: unknown%s; allowed: table, json, csv", name,
			   did_you_mean(name, names, 3));
}

enum exit_status option_jobs(const char *command, const char *number, unsigned *jobs)
{
	long long value;

	if (!parse_number(number, 1, JOBS_MAX, &value))
		return usage_error(command, "--jobs %s: not possible; allowed: 1..%d", number,
				   JOBS_MAX);
	*jobs = (unsigned)value;
	return EXIT_DONE;
}

enum exit_status option_seed(const char *command, const char *number, const char **seed)
{
	long long value;

	if (!parse_number(number, 0, INT64_MAX, &value))
		return usage_error(command, "--seed %s: not possible; allowed: 0..%lld", number,
				   (long long)INT64_MAX);
	*seed = number;
	return EXIT_DONE;
}

enum exit_status option_precision(const char *command, const char *number,
				  struct precision_setting *setting)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(number, &end);
	if (strspn(number, "0123456789.eE-") != strlen(number) || !*number || *end || errno ||
	    value <= 0 || value > 0.5)
		return usage_error(
			command,
			"--precision %s: not possible; allowed: numbers above 0, up to 0.5",
			number);
	snprintf(setting->text, sizeof(setting->text), "measure.precision=%.9g", value);
	return EXIT_DONE;
}

enum exit_status scenarios_once(const char *command, const struct names *scenarios)
{
	for (size_t i = 1; i < scenarios->count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(scenarios->name[i], scenarios->name[k]) == 0)
				return usage_error(command,
						   "%s: named twice; allowed: each scenario once",
						   scenarios->name[i]);
	return EXIT_DONE;
}

enum exit_status option_tables(const char *command, const char *option, const struct names *names,
			       const struct tables *tables)
{
	const char **ids = xcalloc(tables->count, sizeof(*ids));
	enum exit_status status = EXIT_DONE;

	for (size_t i = 0; i < tables->count; i++)
		ids[i] = tables->table[i].id;
	for (size_t i = 0; i < names->count && status == EXIT_DONE; i++)
		if (!spelling_known(names->name[i], ids, tables->count))
			status = usage_error(command,
					     "%s %s: unknown%s; allowed: see futexsim list tables",
					     option, names->name[i],
					     did_you_mean(names->name[i], ids, tables->count));
	free(ids);
	return status;
}

unsigned default_jobs(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return cpus < 1 ? 1 : cpus > JOBS_MAX ? JOBS_MAX : (unsigned)cpus;
}
