// SPDX-License-Identifier: GPL-3.0-or-later
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "deliver.h"
#include "jobs.h"
#include "output.h"
#include "run_report.h"

struct options {
	const char *scenario, *output;
	const char **set; /* owned */
	size_t set_count;
	const char *seed;
	unsigned jobs;
	bool reference, dry_run, help;
	struct run_report_options report;
};

enum {
	OPTION_FORMAT = 256,
	OPTION_SET,
	OPTION_SEED,
	OPTION_JOBS,
	OPTION_TIMING,
	OPTION_REFERENCE,
	OPTION_DRY_RUN,
	OPTION_LINES,
	OPTION_FUNCTIONS,
	OPTION_WHY,
	OPTION_ABLATE,
	OPTION_SENSITIVITY,
	OPTION_HELP
};

/* --reference (every access is an event) is for tests and not in the help. */
static const struct option long_options[] = {
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"output", required_argument, NULL, 'o'},
	{"set", required_argument, NULL, OPTION_SET},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"jobs", required_argument, NULL, OPTION_JOBS},
	{"timing", no_argument, NULL, OPTION_TIMING},
	{"reference", no_argument, NULL, OPTION_REFERENCE},
	{"dry-run", no_argument, NULL, OPTION_DRY_RUN},
	{"lines", no_argument, NULL, OPTION_LINES},
	{"functions", no_argument, NULL, OPTION_FUNCTIONS},
	{"why", required_argument, NULL, OPTION_WHY},
	{"ablate", no_argument, NULL, OPTION_ABLATE},
	{"sensitivity", no_argument, NULL, OPTION_SENSITIVITY},
	{"help", no_argument, NULL, OPTION_HELP},
	{NULL, 0, NULL, 0},
};

/* --why takes two values; getopt knows of one. */
static enum exit_status take_why(struct run_report_options *report, char **argv)
{
	if (!argv[optind] || argv[optind][0] == '-')
		return usage_error("run", "--why needs two cases");
	report->why[0] = optarg;
	report->why[1] = argv[optind++];
	return EXIT_DONE;
}

static enum exit_status take_report_option(struct options *o, int c, char **argv)
{
	switch (c) {
	case OPTION_LINES:
		o->report.lines = true;
		return EXIT_DONE;
	case OPTION_FUNCTIONS:
		o->report.functions = true;
		return EXIT_DONE;
	case OPTION_WHY:
		return take_why(&o->report, argv);
	case OPTION_ABLATE:
		o->report.ablate = true;
		return EXIT_DONE;
	case OPTION_SENSITIVITY:
		o->report.sensitivity = true;
		return EXIT_DONE;
	default:
		return option_error("run", c, argv);
	}
}

static enum exit_status take_option(struct options *o, int c, char **argv)
{
	switch (c) {
	case OPTION_FORMAT:
		return option_format("run", optarg, &o->report.format);
	case 'o':
		o->output = strcmp(optarg, "-") == 0 ? NULL : optarg;
		return EXIT_DONE;
	case OPTION_SET:
		o->set[o->set_count++] = optarg;
		return EXIT_DONE;
	case OPTION_SEED:
		return option_seed("run", optarg, &o->seed);
	case OPTION_JOBS:
		return option_jobs("run", optarg, &o->jobs);
	case OPTION_TIMING:
		o->report.timing = true;
		return EXIT_DONE;
	case OPTION_REFERENCE:
		o->reference = true;
		return EXIT_DONE;
	case OPTION_DRY_RUN:
		o->dry_run = true;
		return EXIT_DONE;
	case OPTION_HELP:
		o->help = true;
		return EXIT_DONE;
	default:
		return take_report_option(o, c, argv);
	}
}

static enum exit_status parse_options(int argc, char **argv, struct options *o)
{
	enum exit_status status = EXIT_DONE;
	int c;

	*o = (struct options){.jobs = default_jobs()};
	o->set = xcalloc((size_t)argc, sizeof(*o->set));
	opterr = 0;
	optind = 1;
	while (status == EXIT_DONE &&
	       (c = getopt_long(argc, argv, ":o:", long_options, NULL)) != -1)
		status = take_option(o, c, argv);
	if (status != EXIT_DONE || o->help)
		return status;
	if (optind == argc)
		return usage_error("run", "which scenario?");
	if (optind + 1 < argc)
		return usage_error("run", "one scenario at a time, but there is also %s",
				   argv[optind + 1]);
	o->scenario = argv[optind];
	return run_report_check(&o->report);
}

static enum exit_status run_scenario(struct scenario *scenario, const struct variants *variants,
				     const struct options *o)
{
	struct report report = {
		.scenario = scenario, .timing = o->report.timing, .variants = variants};
	struct text out = {0};
	struct outcome *outcomes;
	enum exit_status status;
	bool finished;

	if (o->output && !output_possible(o->output))
		return EXIT_UNFINISHED;
	for (size_t i = 0; i < scenario->count; i++)
		scenario->cases[i].spec.reference_mode = o->reference;
	outcomes = outcomes_new(scenario->count);
	report.outcomes = outcomes;
	finished = run_cases(scenario, o->jobs, outcomes);
	run_report_print(&report, &o->report, &out);
	status = deliver(&report, &out, o->output, !finished);
	if (o->report.format != FORMAT_TABLE)
		warn_imprecise(&report);
	text_free(&out);
	outcomes_free(outcomes, scenario->count);
	return status;
}

static enum exit_status show_plan(const struct scenario *scenario, const struct options *o)
{
	struct text out = {0};
	bool written;

	print_plan(scenario, &out);
	written = o->output ? output_file(o->output, &out) : output_stdout(&out);
	text_free(&out);
	return written ? EXIT_DONE : EXIT_UNFINISHED;
}

static enum exit_status read_and_run(const struct options *o)
{
	struct overrides overrides = {o->set, o->set_count, o->seed};
	const struct variants *variants = NULL;
	struct reader reader;
	struct scenario scenario;
	enum exit_status status;

	reader_init(&reader);
	if (!read_scenario(&reader, o->scenario, &overrides, &scenario) ||
	    !run_report_prepare(&reader, &o->report, &scenario, &variants)) {
		fprintf(stderr, "%s\n", reader.error.data);
		status = reader.status;
	} else if (o->dry_run) {
		status = show_plan(&scenario, o);
	} else {
		status = run_scenario(&scenario, variants, o);
	}
	reader_clean_up(&reader);
	return status;
}

enum exit_status cmd_run(int argc, char **argv)
{
	struct options options;
	enum exit_status status = parse_options(argc, argv, &options);

	if (status == EXIT_DONE)
		status = options.help ? print_string(usage_text("run")) : read_and_run(&options);
	free(options.set);
	return status;
}
