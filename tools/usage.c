// SPDX-License-Identifier: GPL-3.0-or-later
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "output.h"
#include "spelling.h"

static const char general[] =
	"futexsim: what a change of the kernel's futex hash does to throughput, and why\n"
	"\n"
	"  futexsim run SCENARIO     simulate the cases of a scenario\n"
	"  futexsim validate         predictions against published measurements\n"
	"  futexsim fit              machine parameters from published measurements\n"
	"  futexsim list WHAT        what scenarios can name\n"
	"  futexsim schema NAME      JSON Schema of a file format\n"
	"  futexsim --version\n"
	"  futexsim COMMAND --help\n"
	"\n"
	"Exit status: 0 done, 1 the run could not finish, 2 usage, 3 invalid input.\n"
	"Results go to standard output, everything else to standard error.\n";

static const char run[] =
	"futexsim run SCENARIO [OPTION]...\n"
	"\n"
	"Simulates every case of a scenario and prints one row a case. SCENARIO is a\n"
	"file, \"-\" for standard input, or the name of a shipped scenario (futexsim\n"
	"list scenarios).\n"
	"\n"
	"  --format table|json|csv  how to print; table is the default\n"
	"  -o, --output FILE        write to FILE; it is replaced as a whole or, if the\n"
	"                           run does not finish, left alone (what did finish is\n"
	"                           then printed on standard output); \"-\" is standard\n"
	"                           output\n"
	"  --set PATH=VALUE         one value for all cases, above whatever the scenario\n"
	"                           says: --set workload.threads=40 --set policy.slots=auto\n"
	"                           VALUE is JSON, or else a string; may be repeated\n"
	"  --seed N                 as --set measure.seed=N\n"
	"  --jobs N                 so many processes at a time, all CPUs by default; the\n"
	"                           output does not depend on it\n"
	"  --timing                 also how fast the simulation was: differs between runs\n"
	"  --dry-run                print the resolved cases as JSON, run nothing\n"
	"\n"
	"Who pays for what, nothing of it sampled (in JSON always, under \"lines\" and\n"
	"\"functions\"; --format csv prints the table asked for instead of the cases):\n"
	"  --lines                  also cache lines, their fields and functions, by where\n"
	"                           transfers come from; after perf c2c report\n"
	"  --functions              also time by function; after perf report\n"
	"  --why A B                run only these two cases; where their difference comes\n"
	"                           from: parts that add up to it\n"
	"  --ablate                 run every case with one cost switched off at a time:\n"
	"                           what comes back, after a verdict in words\n"
	"  --sensitivity            run every case with each parameter of the machine 10 %\n"
	"                           up: which numbers are worth measuring\n"
	"\n"
	"Layers, later ones win: preset of the kernel and defaults, top level, case,\n"
	"sweep, --set. The preset is that of the kernel that wins. Without scope private\n"
	"a preset's refcount and resizable do not count.\n"
	"Ctrl-C prints the cases that are finished; the exit status is then 1.\n";

static const char validate[] =
	"futexsim validate [SCENARIO]... [OPTION]...\n"
	"\n"
	"Runs the cases that reproduce published measurements, and prints every row with\n"
	"its error and what each table says: mean and worst error over rows that were not\n"
	"used for fitting, order, knees of sweeps. Without SCENARIO: all tables of\n"
	"scenarios/published/tables.json. Else every SCENARIO (a file, \"-\", or a shipped\n"
	"name) is a table; its cases with the key \"expect\" are the rows.\n"
	"\n"
	"  --table NAME             only this table of the index; may be repeated\n"
	"  --quick                  to +-5 % within 5 ms of simulated time: in seconds\n"
	"  --cross                  instead: what fitting is worth for rows that were left out.\n"
	"                           Fits every profile's fitted parameters again, from their\n"
	"                           values before any fit, without one table or without one\n"
	"                           parameter; in minutes, to +-2 % within 2 ms a case\n"
	"  --precision P            relative half width of the confidence interval that\n"
	"                           ends a case: as --set measure.precision=P\n"
	"  --format table|json|csv  how to print; table is the default\n"
	"  -o, --output FILE        as for run\n"
	"  --set PATH=VALUE         as for run, in all cases\n"
	"  --seed N                 as --set measure.seed=N\n"
	"  --jobs N                 so many processes at a time, all CPUs by default; the\n"
	"                           output does not depend on it\n"
	"\n"
	"The exit status says whether all rows were run, not whether they are good.\n"
	"Ctrl-C prints the rows that are finished; the exit status is then 1.\n";

static const char fit[] =
	"futexsim fit --machine PROFILE --free NAME[=LOW:HIGH],... [OPTION]... [SCENARIO]...\n"
	"\n"
	"Fits parameters of a machine profile to its published rows whose role is fit,\n"
	"and prints values, intervals, the error of every row before and after, and which\n"
	"parameters the rows do not tell apart. Rows are those of\n"
	"scenarios/published/tables.json; or those of every SCENARIO (a file, \"-\", or a\n"
	"shipped name), where rows that have a value instead of a record count too: your\n"
	"own measurements.\n"
	"\n"
	"  --machine PROFILE        a shipped profile (futexsim list machines) or a path\n"
	"  --free NAME,...          what to fit, between LOW and HIGH; else within the range\n"
	"                           that the profile gives, or bounds by status and\n"
	"                           physics. Numbers that were read have to have one of the\n"
	"                           first two. At most as many as there are rows\n"
	"  --tables NAME            only rows of this table; may be repeated\n"
	"  --rows PATTERN           only rows whose record or case matches (* means\n"
	"                           anything); may be repeated\n"
	"  -o, --output FILE        write the profile with the fitted values\n"
	"  --format table|json      how to print what was found; table is the default\n"
	"  --restarts N             searches: from the profile's values, and from the best\n"
	"                           of some points in between; 3 by default\n"
	"  --max-evals N            of all rows, at most; 100 per parameter, and 100 more\n"
	"  --precision P            as for validate; 0.02, within 5 ms of simulated time\n"
	"  --set PATH=VALUE         as for run, in all cases\n"
	"  --seed N                 as --set measure.seed=N, and for the other starts\n"
	"  --jobs N                 so many processes at a time, all CPUs by default; the\n"
	"                           output does not depend on it\n"
	"\n"
	"Ctrl-C keeps the best point so far; the exit status is then 1.\n";

static const char list[] =
	"futexsim list WHAT [--format table|json]\n"
	"\n"
	"  machines    shipped machine profiles\n"
	"  scenarios   shipped scenarios\n"
	"  tables      published tables, for validate --table\n"
	"  kernels     kernel generations and their policy defaults (on x86-64)\n"
	"  policies    policy keys and their values\n"
	"  programs    workload programs\n"
	"  hashes      hash functions\n"
	"  metrics     what is predicted and can be compared with\n";

static const char schema[] = "futexsim schema NAME\n"
			     "\n"
			     "Prints the JSON Schema (draft 2020-12) of a format.\n"
			     "\n"
			     "  scenario    input of run\n"
			     "  machine     profile of a machine\n"
			     "  result      output of run --format json\n"
			     "  validation  output of validate --format json\n"
			     "  cross       output of validate --cross --format json\n"
			     "  fit         output of fit --format json\n"
			     "  published   published measurements\n"
			     "  tables      index of published tables\n";

const char *usage_text(const char *command)
{
	if (!command)
		return general;
	if (strcmp(command, "run") == 0)
		return run;
	if (strcmp(command, "validate") == 0)
		return validate;
	if (strcmp(command, "fit") == 0)
		return fit;
	return strcmp(command, "list") == 0 ? list : schema;
}

enum exit_status usage_error(const char *command, const char *format, ...)
{
	va_list args;

	fputs("futexsim: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; see futexsim %s%s--help\n", command ? command : "", command ? " " : "");
	return EXIT_USAGE;
}

enum exit_status print_string(const char *string)
{
	struct text text = {0};
	bool done;

	text_add(&text, string);
	done = output_stdout(&text);
	text_free(&text);
	return done ? EXIT_DONE : EXIT_UNFINISHED;
}

const char *did_you_mean(const char *word, const char *const *words, size_t count)
{
	static char hint[128];
	const char *close = spelling_suggest(word, words, count);

	snprintf(hint, sizeof(hint), close ? " (did you mean \"%s\"?)" : "%s", close ? close : "");
	return hint;
}

enum exit_status option_error(const char *command, int c, char **argv)
{
	if (c == ':')
		return usage_error(command, "%s needs a value", argv[optind - 1]);
	if (optopt && argv[optind - 1][0] == '-' && argv[optind - 1][1] == '-')
		return usage_error(command, "%s takes no value", argv[optind - 1]);
	if (optopt)
		return usage_error(command, "unknown option -%c", optopt);
	return usage_error(command, "unknown or ambiguous option %s", argv[optind - 1]);
}
