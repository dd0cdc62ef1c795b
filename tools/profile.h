/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine profiles: reading and finding them. */
#ifndef FUTEXSIM_TOOLS_PROFILE_H
#define FUTEXSIM_TOOLS_PROFILE_H

#include "machine/profile.h"
#include "reader.h"

/* Reads one profile; all that it points to belongs to the reader. NULL after an error. */
const struct machine_profile *read_profile(struct reader *reader, const struct node *node);

/* Where a profile that read_profile() returned stands. */
const struct node *profile_node(const struct machine_profile *profile);

/* Part of read_profile: topology, in read_topology.c. */
void read_topology(struct reader *reader, const struct node *node,
		   struct machine_topology *topology);

/*
 * The machine a scenario's value names: a shipped profile, a path relative to
 * the file the value stands in, or the profile itself. `directory` of that file
 * ends in "/" or is empty. Each is read once per `list`.
 */
struct machine_list {
	struct machine_entry *first;
};
const struct machine_profile *find_machine(struct reader *reader, struct machine_list *list,
					   const struct node *node, const char *directory);

/* With "/" or ".json" at its end: the path of a profile, else the name of a shipped one. */
bool is_machine_path(const char *name);

/* Returns how many there are; the names are the reader's. */
enum { SHIPPED_MACHINES_MAX = 64 };
size_t shipped_machine_names(struct reader *reader, const char *names[SHIPPED_MACHINES_MAX]);

/* A shipped profile, or the file of that name that overrides it. NULL after an error. */
const struct machine_profile *shipped_machine(struct reader *reader, const char *name);

#endif
