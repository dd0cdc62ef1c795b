/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a run: results to where they belong, and what went wrong to stderr. */
#ifndef FUTEXSIM_TOOLS_DELIVER_H
#define FUTEXSIM_TOOLS_DELIVER_H

#include "outcome.h"
#include "reader.h"

/*
 * Writes `out` to the file `path`, or to standard output if it is NULL or the
 * run is not complete: an incomplete result never replaces a file. EXIT_DONE if
 * all is well.
 */
enum exit_status deliver(const struct report *report, const struct text *out, const char *path,
			 bool interrupted);

/*
 * To the file, or to standard output if `path` is NULL. A file that cannot be
 * written after all costs no result: it is printed, and false returned.
 */
bool deliver_text(const struct text *out, const char *path);

/* One line per case that missed its precision, for formats that do not say so in words. */
void warn_imprecise(const struct report *report);

#endif
