/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line on stderr while cases run; nothing unless stderr is a terminal. */
#ifndef FUTEXSIM_TOOLS_PROGRESS_H
#define FUTEXSIM_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

struct progress {
	bool shown;
	size_t cases;
	uint64_t start_ns, drawn_ns;
};

void progress_begin(struct progress *progress, size_t cases);
/* `done` cases are finished; `work` counts them and parts of running ones. Cheap if too early. */
void progress_update(struct progress *progress, size_t done, double work);
/* Something else than cases. */
void progress_text(struct progress *progress, const char *line);
void progress_end(struct progress *progress);

/* The line itself, after `elapsed_s` seconds. */
void progress_line(struct text *line, size_t cases, size_t done, double work, double elapsed_s);

#endif
