/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ends a run early, with what is finished printed: Ctrl-C, kill, a closed terminal. */
#ifndef FUTEXSIM_TOOLS_SIGNALS_H
#define FUTEXSIM_TOOLS_SIGNALS_H

#include <signal.h>

enum { SIGNALS_ENDING = 3 };
extern const int signals_ending[SIGNALS_ENDING];

/* What was there before. */
struct signals_before {
	struct sigaction action[SIGNALS_ENDING];
};

/* A hangup that whoever started us ignores (nohup) stays ignored. */
void signals_catch(struct signals_before *before, void (*handler)(int));
void signals_restore(const struct signals_before *before);

#endif
