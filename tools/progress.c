// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 30, REDRAW_NS = 100000000 };

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void progress_begin(struct progress *p, size_t cases)
{
	const char *term = getenv("TERM");

	p->shown = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	p->cases = cases;
	p->start_ns = now_ns();
	p->drawn_ns = 0;
}

static void add_duration(struct text *line, double seconds)
{
	unsigned long s = (unsigned long)(seconds + 0.5);

	if (s < 60)
		text_printf(line, "%lu s", s);
	else if (s < 3600)
		text_printf(line, "%lu min %02lu s", s / 60, s % 60);
	else
		text_printf(line, "%lu h %02lu min", s / 3600, s / 60 % 60);
}

void progress_line(struct text *line, size_t cases, size_t done, double work, double elapsed_s)
{
	double share = cases ? work / (double)cases : 1;
	size_t filled;

	share = share > 1 ? 1 : share;
	filled = (size_t)(share * BAR_WIDTH);
	text_add(line, "[");
	text_repeat(line, '#', filled);
	text_repeat(line, '.', BAR_WIDTH - filled);
	text_printf(line, "] %zu of %zu cases, %.0f %%", done, cases, 100 * share);
	if (share < 0.01)
		return;
	text_add(line, ", ");
	add_duration(line, elapsed_s * (1 - share) / share);
	text_add(line, " left");
}

static bool time_to_draw(struct progress *p)
{
	uint64_t now = p->shown ? now_ns() : 0;

	if (!p->shown || (p->drawn_ns && now - p->drawn_ns < REDRAW_NS))
		return false;
	p->drawn_ns = now;
	return true;
}

static void draw(const char *line)
{
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
}

void progress_update(struct progress *p, size_t done, double work)
{
	struct text line = {0};

	if (!time_to_draw(p))
		return;
	progress_line(&line, p->cases, done, work, (double)(p->drawn_ns - p->start_ns) / 1e9);
	draw(line.data);
	text_free(&line);
}

void progress_text(struct progress *p, const char *line)
{
	if (time_to_draw(p))
		draw(line);
}

void progress_end(struct progress *p)
{
	if (p->shown && p->drawn_ns)
		fputs("\r\033[K", stderr);
}
