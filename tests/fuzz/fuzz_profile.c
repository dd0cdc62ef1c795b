// SPDX-License-Identifier: GPL-3.0-or-later
/* Any bytes as a machine profile: a sound machine or an error of one line. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "profile.h"

static void check_machine(const struct machine_profile *profile)
{
	uint32_t cpus = machine_cpu_count(&profile->topology);

	if (machine_profile_check(profile) || cpus < 1 || cpus > MACHINE_CPUS_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct machine_profile *profile;
	struct reader reader;

	reader_init(&reader);
	profile = read_profile(&reader, reader_parse(&reader, "fuzz", (const char *)data, size));
	if (profile)
		check_machine(profile);
	else if (!reader.failed || strchr(reader.error.data, '\n'))
		abort();
	reader_clean_up(&reader);
	return 0;
}
