// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <getopt.h>
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "fit.h"
#include "options.h"
#include "output.h"

struct options {
	const char *machine, *params, *output, *seed;
	enum format format;
	struct names tables, rows, arguments; /* owned */
	const char **set;                     /* owned */
	size_t set_count;
	struct precision_setting precision;
	struct fit_limits limits;
	unsigned jobs;
	bool help;
};

enum {
	OPTION_MACHINE = 256,
	OPTION_FREE,
	OPTION_FORMAT,
	OPTION_TABLES,
	OPTION_ROWS,
	OPTION_PRECISION,
	OPTION_RESTARTS,
	OPTION_EVALS,
	OPTION_SET,
	OPTION_SEED,
	OPTION_JOBS,
	OPTION_HELP
};

static const struct option long_options[] = {
	{"machine", required_argument, NULL, OPTION_MACHINE},
	{"free", required_argument, NULL, OPTION_FREE},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"tables", required_argument, NULL, OPTION_TABLES},
	{"rows", required_argument, NULL, OPTION_ROWS},
	{"output", required_argument, NULL, 'o'},
	{"precision", required_argument, NULL, OPTION_PRECISION},
	{"restarts", required_argument, NULL, OPTION_RESTARTS},
	{"max-evals", required_argument, NULL, OPTION_EVALS},
	{"set", required_argument, NULL, OPTION_SET},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"jobs", required_argument, NULL, OPTION_JOBS},
	{"help", no_argument, NULL, OPTION_HELP},
	{NULL, 0, NULL, 0},
};

enum { RESTARTS = 3, EVALS_PER_PARAM = 100, EVALS_MAX = 1000000, SETTINGS = 2 };

/* Below --set. Noise that precision would remove is small against that of layouts, which is common.
 */
static const char *const settings[SETTINGS] = {"measure.precision=0.02", "measure.max_sim_ms=5"};

/* ---- Options ------------------------------------------------------------------------ */

static enum exit_status set_precision(struct options *o, const char *number)
{
	enum exit_status status = option_precision("fit", number, &o->precision);

	if (status == EXIT_DONE)
		o->set[0] = o->precision.text;
	return status;
}

static enum exit_status set_count(const char *option, const char *number, size_t max, size_t *count)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(number, &end, 10);
	if (*number < '0' || *number > '9' || *end || errno || value < 1 || value > max)
		return usage_error("fit", "--%s %s: not possible; allowed: 1..%zu", option, number,
				   max);
	*count = value;
	return EXIT_DONE;
}

/* What was found is not one table. */
static enum exit_status set_format(struct options *o, const char *name)
{
	if (strcmp(name, "table") != 0 && strcmp(name, "json") != 0)
		return usage_error("fit", "--format %s: not possible; allowed: table, json", name);
	return option_format("fit", name, &o->format);
}

static enum exit_status set_seed(struct options *o, const char *number)
{
	enum exit_status status = option_seed("fit", number, &o->seed);

	if (status == EXIT_DONE)
		o->limits.seed = strtoull(number, NULL, 10);
	return status;
}

static void add_name(struct names *names, const char *name)
{
	names->name[names->count++] = name;
}

static enum exit_status take_value(struct options *o, int c, char **argv)
{
	switch (c) {
	case OPTION_FORMAT:
		return set_format(o, optarg);
	case OPTION_PRECISION:
		return set_precision(o, optarg);
	case OPTION_RESTARTS:
		return set_count("restarts", optarg, FIT_RESTARTS_MAX, &o->limits.restarts);
	case OPTION_EVALS:
		return set_count("max-evals", optarg, EVALS_MAX, &o->limits.evaluations);
	case OPTION_SEED:
		return set_seed(o, optarg);
	case OPTION_JOBS:
		return option_jobs("fit", optarg, &o->jobs);
	default:
		return option_error("fit", c, argv);
	}
}

static enum exit_status take_option(struct options *o, int c, char **argv)
{
	switch (c) {
	case OPTION_MACHINE:
		o->machine = optarg;
		return EXIT_DONE;
	case OPTION_FREE:
		o->params = optarg;
		return EXIT_DONE;
	case OPTION_TABLES:
		add_name(&o->tables, optarg);
		return EXIT_DONE;
	case OPTION_ROWS:
		add_name(&o->rows, optarg);
		return EXIT_DONE;
	case 'o':
		o->output = optarg;
		return EXIT_DONE;
	case OPTION_SET:
		o->set[o->set_count++] = optarg;
		return EXIT_DONE;
	case OPTION_HELP:
		o->help = true;
		return EXIT_DONE;
	default:
		return take_value(o, c, argv);
	}
}

static enum exit_status take_arguments(struct options *o, char **argv, int argc)
{
	while (optind < argc)
		add_name(&o->arguments, argv[optind++]);
	if (!o->machine)
		return usage_error("fit", "which machine? --machine PROFILE is missing");
	if (!o->params)
		return usage_error("fit", "which parameters? --free NAME,... is missing");
	if (o->output && strcmp(o->output, "-") == 0)
		return usage_error("fit", "-o -: standard output has the report; allowed: a file");
	if (o->tables.count && o->arguments.count)
		return usage_error("fit", "--tables chooses from the index; %s is a scenario",
				   o->arguments.name[0]);
	return scenarios_once("fit", &o->arguments);
}

static enum exit_status parse_options(int argc, char **argv, struct options *o)
{
	enum exit_status status = EXIT_DONE;
	int c;

	*o = (struct options){.jobs = default_jobs(), .limits = {RESTARTS, 0, 1}};
	o->set = xcalloc((size_t)argc + SETTINGS, sizeof(*o->set));
	memcpy(o->set, settings, sizeof(settings));
	o->set_count = SETTINGS;
	o->tables.name = xcalloc((size_t)argc, sizeof(*o->tables.name));
	o->rows.name = xcalloc((size_t)argc, sizeof(*o->rows.name));
	o->arguments.name = xcalloc((size_t)argc, sizeof(*o->arguments.name));
	opterr = 0;
	optind = 1;
	while (status == EXIT_DONE &&
	       (c = getopt_long(argc, argv, ":o:", long_options, NULL)) != -1)
		status = take_option(o, c, argv);
	if (status != EXIT_DONE || o->help)
		return status;
	return take_arguments(o, argv, argc);
}

static void free_options(struct options *o)
{
	free(o->set);
	free(o->tables.name);
	free(o->rows.name);
	free(o->arguments.name);
}

/* ---- Fitting ------------------------------------------------------------------------ */

static bool write_results(const struct fit_problem *problem, const struct fit_profile *profile,
			  const struct fit_result *result, const struct fit_analysis *analysis,
			  const struct options *o)
{
	struct text report = {0}, text = {0};
	bool written = true;

	if (o->format == FORMAT_JSON)
		fit_print_json(problem, result, analysis, &report);
	else
		fit_report(problem, result, analysis, &report);
	if (o->output) {
		fit_write_profile(problem, profile, result, analysis, &text);
		written = output_file(o->output, &text);
	}
	written &= output_stdout(&report);
	text_free(&text);
	text_free(&report);
	return written;
}

static enum exit_status finish(const struct fit_problem *problem, const struct fit_profile *profile,
			       const struct fit_result *result, const struct options *o)
{
	struct fit_analysis analysis;
	bool written;

	if (!result->known) {
		fputs("futexsim: interrupted before the first evaluation was done\n", stderr);
		return EXIT_UNFINISHED;
	}
	fit_analyse(problem, result, &analysis);
	written = write_results(problem, profile, result, &analysis, o);
	if (!analysis.known)
		fprintf(stderr,
			"futexsim: interrupted after %zu evaluations; the best point is kept\n",
			result->evaluations);
	return written && analysis.known ? EXIT_DONE : EXIT_UNFINISHED;
}

static enum exit_status search(const struct fit_problem *problem, const struct fit_profile *profile,
			       const struct options *o)
{
	struct fit_limits limits = o->limits;
	struct fit_result result;
	struct text error = {0};
	enum exit_status status = EXIT_UNFINISHED;

	if (o->output && !output_possible(o->output))
		return EXIT_UNFINISHED;
	if (!limits.evaluations)
		limits.evaluations = EVALS_PER_PARAM * (problem->count + 1);
	fit_signals_begin();
	gsl_set_error_handler_off();
	if (fit_search(problem, &limits, &result, &error))
		status = finish(problem, profile, &result, o);
	else
		fprintf(stderr, "futexsim: %s\n", error.data);
	fit_signals_end();
	fit_result_free(&result);
	text_free(&error);
	return status;
}

static bool check_size(struct reader *r, const struct fit_problem *problem)
{
	if (problem->count > problem->rows.count)
		reader_fail_file(r, EXIT_INPUT, problem->machine->name,
				 "%zu parameters, but %zu rows to fit to; allowed: at most as many "
				 "parameters as rows",
				 problem->count, problem->rows.count);
	return !r->failed;
}

static enum exit_status read_and_fit(struct reader *r, const struct options *o)
{
	struct fit_choice choice = {
		o->tables, o->rows, o->arguments, {o->set, o->set_count, o->seed}};
	struct fit_problem *problem = reader_alloc(r, sizeof(*problem));
	struct fit_profile profile;
	enum exit_status status;

	problem->jobs = o->jobs;
	if (!fit_read_profile(r, o->machine, &profile))
		return r->status;
	status = fit_choose_params(r, &profile, o->params, problem);
	if (status != EXIT_DONE)
		return status;
	status = fit_read_rows(r, &choice, problem);
	if (status != EXIT_DONE)
		return status;
	if (!check_size(r, problem))
		return r->status;
	return search(problem, &profile, o);
}

enum exit_status cmd_fit(int argc, char **argv)
{
	struct options options;
	struct reader reader;
	enum exit_status status = parse_options(argc, argv, &options);

	if (status == EXIT_DONE && options.help) {
		status = print_string(usage_text("fit"));
	} else if (status == EXIT_DONE) {
		reader_init(&reader);
		status = read_and_fit(&reader, &options);
		if (reader.failed)
			fprintf(stderr, "%s\n", reader.error.data);
		reader_clean_up(&reader);
	}
	free_options(&options);
	return status;
}
