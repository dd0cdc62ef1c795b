/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random programs of tasks in fast and in reference mode give the same digests,
 * every task comes to its end, and all invariants hold.
 *
 *	test_crowd [FIRST [COUNT]]	compare; 1 300 unless told otherwise
 *	test_crowd digest		compare one digest over 60 programs with the known one
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crowd.h"
#include "random.h"

/* Changes with the model or the programs, never with the build. */
static const uint64_t known_digest = 0x42438e533de724dd;

static int check_digest(void)
{
	uint64_t digest = 0;

	for (uint64_t seed = 1; seed <= 60; seed++)
		digest = sim_random_mix(digest, crowd_run(seed, false).digest, seed);
	printf("digest %#llx, known %#llx\n", (unsigned long long)digest,
	       (unsigned long long)known_digest);
	return digest != known_digest;
}

static bool agrees(uint64_t seed, struct crowd_result *sum)
{
	struct crowd_result fast = crowd_run(seed, false), reference = crowd_run(seed, true);
	bool same = fast.digest == reference.digest && fast.now == reference.now;

	if (!same)
		printf("seed %llu: fast and reference mode differ\n", (unsigned long long)seed);
	if (fast.wrong || reference.wrong)
		printf("seed %llu: %s\n", (unsigned long long)seed,
		       fast.wrong ? fast.wrong : reference.wrong);
	sum->accesses += fast.accesses;
	sum->events += fast.events;
	sum->switches += fast.switches;
	sum->migrations += fast.migrations;
	sum->sleeps += fast.sleeps;
	sum->woken += fast.woken;
	sum->timed_out += fast.timed_out;
	sum->signalled += fast.signalled;
	sum->surprises += fast.surprises;
	return same && !fast.wrong && !reference.wrong;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 300;
	struct crowd_result sum = {0};
	uint64_t bad = 0;

	if (argc > 1 && !strcmp(argv[1], "digest"))
		return check_digest();
	for (uint64_t seed = first; seed < first + count; seed++)
		bad += !agrees(seed, &sum);
	printf("seeds %llu to %llu: %llu accesses, %llu events, %llu switches, %llu migrations, "
	       "%llu sleeps (%llu woken, %llu timed out, %llu signalled), %u surprises: %llu bad\n",
	       (unsigned long long)first, (unsigned long long)(first + count - 1),
	       (unsigned long long)sum.accesses, (unsigned long long)sum.events,
	       (unsigned long long)sum.switches, (unsigned long long)sum.migrations,
	       (unsigned long long)sum.sleeps, (unsigned long long)sum.woken,
	       (unsigned long long)sum.timed_out, (unsigned long long)sum.signalled, sum.surprises,
	       (unsigned long long)bad);
	return bad != 0 || !sum.woken || !sum.timed_out || !sum.signalled || !sum.migrations;
}
