// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * lock_validate NAME MILLISECONDS SEED: exit status 0 if the lock keeps its
 * promises, 1 with a message if not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock_validate.h"
#include "native_crew.h"

static const struct lock_class *find_lock(const char *name)
{
	for (int kind = 0; kind < LOCK_KIND_COUNT; kind++)
		if (strcmp(lock_class_of(kind)->name, name) == 0)
			return lock_class_of(kind);
	fprintf(stderr, "no lock '%s'\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	struct lock_validation v = {.crew = &native_crew, .cpus = 6, .rounds = 400};
	const char *broken;

	if (argc != 4) {
		fprintf(stderr, "usage: lock_validate NAME MILLISECONDS SEED\n");
		return 2;
	}
	v.lock = find_lock(argv[1]);
	v.seed = strtoull(argv[3], NULL, 10);
	native_crew_patience((unsigned)strtoul(argv[2], NULL, 10));
	broken = lock_validate(&v);
	if (broken)
		printf("%s\n", broken);
	return broken ? 1 : 0;
}
