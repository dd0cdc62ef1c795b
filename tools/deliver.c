// SPDX-License-Identifier: GPL-3.0-or-later
#include "deliver.h"

#include <stdio.h>

#include "output.h"

static void name_failed(const struct report *report)
{
	for (size_t i = 0; i < report->scenario->count; i++)
		if (report->outcomes[i].state == OUTCOME_FAILED)
			fprintf(stderr, "futexsim: case %s: %s\n", report->scenario->cases[i].id,
				report->outcomes[i].error);
}

void warn_imprecise(const struct report *report)
{
	for (size_t i = 0; i < report->scenario->count; i++)
		if (report->outcomes[i].state == OUTCOME_DONE &&
		    !report->outcomes[i].result->precision_reached)
			fprintf(stderr, "futexsim: warning: case %s: precision not reached\n",
				report->scenario->cases[i].id);
}

static size_t count_done(const struct report *report)
{
	size_t done = 0;

	for (size_t i = 0; i < report->scenario->count; i++)
		done += report->outcomes[i].state == OUTCOME_DONE;
	return done;
}

bool deliver_text(const struct text *out, const char *path)
{
	if (!path)
		return output_stdout(out);
	if (output_file(path, out))
		return true;
	fputs("futexsim: the results are on standard output instead\n", stderr);
	output_stdout(out);
	return false;
}

enum exit_status deliver(const struct report *report, const struct text *out, const char *path,
			 bool interrupted)
{
	size_t done = count_done(report), all = report->scenario->count;
	bool written = deliver_text(out, done == all ? path : NULL);

	name_failed(report);
	if (interrupted)
		fprintf(stderr, "futexsim: interrupted after %zu of %zu cases\n", done, all);
	else if (done < all)
		fprintf(stderr, "futexsim: %zu of %zu cases failed\n", all - done, all);
	if (done < all && path)
		fprintf(stderr, "futexsim: %s is unchanged\n", path);
	return written && done == all ? EXIT_DONE : EXIT_UNFINISHED;
}
