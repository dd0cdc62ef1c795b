// SPDX-License-Identifier: GPL-3.0-or-later
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cross.h"
#include "deliver.h"
#include "jobs.h"
#include "options.h"
#include "output.h"
#include "validation.h"

struct options {
	const char *output;
	enum format format;
	struct names tables, scenarios; /* owned */
	const char **set;               /* owned */
	size_t set_count;
	struct precision_setting precision;
	const char *seed;
	unsigned jobs;
	bool quick, cross, help;
};

enum {
	OPTION_FORMAT = 256,
	OPTION_TABLE,
	OPTION_QUICK,
	OPTION_CROSS,
	OPTION_PRECISION,
	OPTION_SET,
	OPTION_SEED,
	OPTION_JOBS,
	OPTION_HELP
};

static const struct option long_options[] = {
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"output", required_argument, NULL, 'o'},
	{"table", required_argument, NULL, OPTION_TABLE},
	{"quick", no_argument, NULL, OPTION_QUICK},
	{"cross", no_argument, NULL, OPTION_CROSS},
	{"precision", required_argument, NULL, OPTION_PRECISION},
	{"set", required_argument, NULL, OPTION_SET},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"jobs", required_argument, NULL, OPTION_JOBS},
	{"help", no_argument, NULL, OPTION_HELP},
	{NULL, 0, NULL, 0},
};

/* Fast enough to be run after every change, and still far below most errors. */
static const char *const quick_settings[] = {"measure.precision=0.05", "measure.max_sim_ms=5"};

/* Shorter, as there are thousands of runs, but with less noise: slopes need it. */
static const char *const cross_settings[] = {"measure.precision=0.02", "measure.max_sim_ms=2"};

enum { QUICK_COUNT = sizeof(quick_settings) / sizeof(quick_settings[0]), OVERRIDES_MORE = 3 };

static enum exit_status take_option(struct options *o, int c, char **argv)
{
	switch (c) {
	case OPTION_FORMAT:
		return option_format("validate", optarg, &o->format);
	case 'o':
		o->output = strcmp(optarg, "-") == 0 ? NULL : optarg;
		return EXIT_DONE;
	case OPTION_TABLE:
		o->tables.name[o->tables.count++] = optarg;
		return EXIT_DONE;
	case OPTION_QUICK:
		o->quick = true;
		return EXIT_DONE;
	case OPTION_CROSS:
		o->cross = true;
		return EXIT_DONE;
	case OPTION_PRECISION:
		return option_precision("validate", optarg, &o->precision);
	case OPTION_SET:
		o->set[o->set_count++] = optarg;
		return EXIT_DONE;
	case OPTION_SEED:
		return option_seed("validate", optarg, &o->seed);
	case OPTION_JOBS:
		return option_jobs("validate", optarg, &o->jobs);
	case OPTION_HELP:
		o->help = true;
		return EXIT_DONE;
	default:
		return option_error("validate", c, argv);
	}
}

/* --quick lies below --precision, and both below --set: the last one wins. */
static void put_first(struct options *o, const char *const *settings, size_t count)
{
	memmove(o->set + count, o->set, o->set_count * sizeof(*o->set));
	memcpy(o->set, settings, count * sizeof(*settings));
	o->set_count += count;
}

static void add_settings(struct options *o)
{
	const char *precision = o->precision.text;

	if (*precision)
		put_first(o, &precision, 1);
	if (o->cross)
		put_first(o, cross_settings, QUICK_COUNT);
	else if (o->quick)
		put_first(o, quick_settings, QUICK_COUNT);
}

static enum exit_status parse_options(int argc, char **argv, struct options *o)
{
	enum exit_status status = EXIT_DONE;
	int c;

	*o = (struct options){.jobs = default_jobs()};
	o->set = xcalloc((size_t)argc + OVERRIDES_MORE, sizeof(*o->set));
	o->tables.name = xcalloc((size_t)argc, sizeof(*o->tables.name));
	o->scenarios.name = xcalloc((size_t)argc, sizeof(*o->scenarios.name));
	opterr = 0;
	optind = 1;
	while (status == EXIT_DONE &&
	       (c = getopt_long(argc, argv, ":o:", long_options, NULL)) != -1)
		status = take_option(o, c, argv);
	if (status != EXIT_DONE || o->help)
		return status;
	while (optind < argc)
		o->scenarios.name[o->scenarios.count++] = argv[optind++];
	if (o->tables.count && o->scenarios.count)
		return usage_error("validate", "--table chooses from the index; %s is a scenario",
				   o->scenarios.name[0]);
	if (o->cross && o->scenarios.count)
		return usage_error("validate", "--cross is for the index; %s is a scenario",
				   o->scenarios.name[0]);
	add_settings(o);
	return scenarios_once("validate", &o->scenarios);
}

static void free_options(struct options *o)
{
	free(o->set);
	free(o->tables.name);
	free(o->scenarios.name);
}

static void format_validation(const struct validation *v, enum format format, struct text *out)
{
	if (format == FORMAT_JSON)
		print_validation_json(v, out);
	else if (format == FORMAT_CSV)
		print_validation_csv(v, out);
	else
		print_validation_table(v, out);
}

static enum exit_status run_validation(struct validation *v, const struct options *o)
{
	struct report report = {.scenario = &v->scenario};
	struct text out = {0};
	enum exit_status status;
	bool finished;

	if (o->output && !output_possible(o->output))
		return EXIT_UNFINISHED;
	v->outcomes = outcomes_new(v->scenario.count);
	report.outcomes = v->outcomes;
	finished = run_cases(&v->scenario, o->jobs, v->outcomes);
	validation_assess(v);
	format_validation(v, o->format, &out);
	status = deliver(&report, &out, o->output, !finished);
	text_free(&out);
	outcomes_free(v->outcomes, v->scenario.count);
	return status;
}

static void format_cross(const struct cross *cross, enum format format, struct text *out)
{
	if (format == FORMAT_JSON)
		print_cross_json(cross, out);
	else if (format == FORMAT_CSV)
		print_cross_csv(cross, out);
	else
		print_cross(cross, out);
}

static void count_lines(const struct cross *cross, size_t *done, size_t *all)
{
	*done = *all = 0;
	for (size_t m = 0; m < cross->count; m++) {
		*all += cross->machine[m].count;
		for (size_t i = 0; i < cross->machine[m].count; i++)
			*done += cross->machine[m].line[i].done;
	}
}

static enum exit_status deliver_cross(const struct cross *cross, bool finished,
				      const struct text *error, const struct options *o)
{
	struct text out = {0};
	size_t done, all;
	bool written;

	format_cross(cross, o->format, &out);
	written = deliver_text(&out, finished ? o->output : NULL);
	text_free(&out);
	count_lines(cross, &done, &all);
	if (!finished)
		fprintf(stderr, "futexsim: %s after %zu of %zu lines\n",
			error->length ? error->data : "interrupted", done, all);
	if (!finished && o->output)
		fprintf(stderr, "futexsim: %s is unchanged\n", o->output);
	return finished && written ? EXIT_DONE : EXIT_UNFINISHED;
}

static enum exit_status run_cross(struct reader *reader, const struct validation *v,
				  const struct options *o)
{
	struct cross cross = {.jobs = o->jobs};
	struct text error = {0};
	enum exit_status status;

	if (o->output && !output_possible(o->output))
		return EXIT_UNFINISHED;
	if (!cross_plan(reader, v, &cross))
		return reader->status;
	cross.seed = v->scenario.cases[0].spec.measure.seed;
	status = deliver_cross(&cross, cross_run(&cross, &error), &error, o);
	text_free(&error);
	return status;
}

static enum exit_status read_and_run(struct reader *reader, const struct options *o)
{
	struct overrides overrides = {o->set, o->set_count, o->seed};
	struct validation validation;
	struct tables tables;
	enum exit_status status;
	bool read;

	if (o->scenarios.count) {
		read = validation_read_scenarios(reader, &o->scenarios, &overrides, &validation);
	} else {
		if (!read_tables(reader, &tables))
			return reader->status;
		status = option_tables("validate", "--table", &o->tables, &tables);
		if (status != EXIT_DONE)
			return status;
		read = validation_read(reader, &tables, &o->tables, &overrides, &validation);
	}
	if (read && o->cross)
		return run_cross(reader, &validation, o);
	return read ? run_validation(&validation, o) : reader->status;
}

enum exit_status cmd_validate(int argc, char **argv)
{
	struct options options;
	struct reader reader;
	enum exit_status status = parse_options(argc, argv, &options);

	if (status == EXIT_DONE && options.help) {
		status = print_string(usage_text("validate"));
	} else if (status == EXIT_DONE) {
		reader_init(&reader);
		status = read_and_run(&reader, &options);
		if (reader.failed)
			fprintf(stderr, "%s\n", reader.error.data);
		reader_clean_up(&reader);
	}
	free_options(&options);
	return status;
}
