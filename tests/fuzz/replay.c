// SPDX-License-Identifier: GPL-3.0-or-later
/* Runs a fuzz target once on every file named, and on every beginning of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "fuzz.h"

enum { FILE_MAX = 1 << 20, CUTS_MAX = 200 };

/* A copy of its own size, so that a sanitizer sees every read beyond the end. */
static void run_once(const char *data, size_t size)
{
	char *copy = xmalloc(size);

	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput((const uint8_t *)copy, size);
	free(copy);
}

static void replay(const char *data, size_t size)
{
	size_t step = size / CUTS_MAX + 1;

	for (size_t cut = 0; cut < size; cut += step)
		run_once(data, cut);
	run_once(data, size);
}

int main(int argc, char **argv)
{
	char *data = xmalloc(FILE_MAX);
	int done = 0;

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");

		if (!file) {
			perror(argv[i]);
			break;
		}
		replay(data, fread(data, 1, FILE_MAX, file));
		fclose(file);
		done++;
	}
	free(data);
	printf("%d of %d files\n", done, argc - 1);
	return done > 0 && done == argc - 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
