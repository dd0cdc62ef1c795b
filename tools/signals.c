// SPDX-License-Identifier: GPL-3.0-or-later
#include "signals.h"

const int signals_ending[SIGNALS_ENDING] = {SIGINT, SIGTERM, SIGHUP};

void signals_catch(struct signals_before *before, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	sigemptyset(&action.sa_mask);
	for (int i = 0; i < SIGNALS_ENDING; i++) {
		sigaction(signals_ending[i], NULL, &before->action[i]);
		if (signals_ending[i] != SIGHUP || before->action[i].sa_handler != SIG_IGN)
			sigaction(signals_ending[i], &action, NULL);
	}
}

void signals_restore(const struct signals_before *before)
{
	for (int i = 0; i < SIGNALS_ENDING; i++)
		sigaction(signals_ending[i], &before->action[i], NULL);
}
