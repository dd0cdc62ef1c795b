/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Running ahead changes nothing: random programs in fast and in reference mode
 * give the same digests, and every run keeps the invariants.
 *
 *	test_equivalence [FIRST [COUNT]]	compare; 1 1000 unless told otherwise
 *	test_equivalence differ COUNT		succeed only if at least one program differs: for a
 *						build with a wrong horizon
 *	test_equivalence digest			compare one digest over 200 programs with the known
 *one
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "random.h"

/* Changes with the model or the programs, never with the build. */
static const uint64_t known_digest = 0x07a656072a8693d9;

struct totals {
	uint64_t accesses, events, reference_events, surprises, quiet;
	uint32_t differing, broken;
};

static void compare(uint64_t seed, struct totals *t)
{
	struct program_result fast = program_run(seed, false);
	struct program_result reference = program_run(seed, true);

	t->accesses += fast.accesses;
	t->events += fast.events;
	t->reference_events += reference.events;
	t->surprises += fast.surprises;
	t->quiet += fast.quiet;
	if (fast.digest != reference.digest || fast.now != reference.now ||
	    fast.accesses != reference.accesses) {
		t->differing++;
		printf("program %llu: fast and reference mode differ\n", (unsigned long long)seed);
	}
	if (fast.wrong || reference.wrong) {
		t->broken++;
		printf("program %llu: %s\n", (unsigned long long)seed,
		       fast.wrong ? fast.wrong : reference.wrong);
	}
}

static struct totals compare_all(uint64_t first, uint64_t count)
{
	struct totals t = {0};

	for (uint64_t seed = first; seed < first + count; seed++)
		compare(seed, &t);
	printf("%llu programs, %llu accesses, %llu events, %llu in reference mode, %llu types of "
	       "objects quiet, %llu not as expected: %u differ, %u break an invariant\n",
	       (unsigned long long)count, (unsigned long long)t.accesses,
	       (unsigned long long)t.events, (unsigned long long)t.reference_events,
	       (unsigned long long)t.quiet, (unsigned long long)t.surprises, t.differing, t.broken);
	return t;
}

static int check_digest(void)
{
	uint64_t digest = 0;

	for (uint64_t seed = 1; seed <= 200; seed++)
		digest = sim_random_mix(digest, program_run(seed, false).digest, seed);
	printf("digest %#llx, known %#llx\n", (unsigned long long)digest,
	       (unsigned long long)known_digest);
	return digest != known_digest;
}

int main(int argc, char **argv)
{
	struct totals t;

	if (argc > 1 && !strcmp(argv[1], "digest"))
		return check_digest();
	if (argc > 2 && !strcmp(argv[1], "differ"))
		return compare_all(1, strtoull(argv[2], NULL, 10)).differing == 0;
	t = compare_all(argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
			argc > 2 ? strtoull(argv[2], NULL, 10) : 1000);
	/* Running ahead must also have happened, or the comparison says nothing. */
	return t.differing || t.broken || t.events * 10 > t.reference_events * 9 || !t.surprises ||
	       !t.quiet;
}
