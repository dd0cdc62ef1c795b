/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single values of a document, checked. All accept a NULL node (after an error,
 * or for an absent optional key) and then return the neutral value.
 */
#ifndef FUTEXSIM_TOOLS_FIELD_H
#define FUTEXSIM_TOOLS_FIELD_H

#include <stdint.h>

#include "reader.h"

/* Name of the index-th choice, NULL past the end. */
typedef const char *(*field_names)(unsigned index);

/* "a, b, c", in memory of the reader. */
const char *field_join(struct reader *reader, const char *const *words, size_t count);

/* Fails unless the node is an object all of whose keys are among `keys`. */
bool field_object(struct reader *reader, const struct node *node, const char *const *keys,
		  size_t count);

/* The member; fails when it is absent. `allowed` describes what belongs there. */
const struct node *field_required(struct reader *reader, const struct node *object, const char *key,
				  const char *allowed);

/* Fails unless the node is an array of min..max items; returns their number. */
size_t field_array(struct reader *reader, const struct node *node, size_t min, size_t max);

int64_t field_integer(struct reader *reader, const struct node *node, int64_t min, int64_t max);

/* `open`: min itself is not allowed. */
double field_real(struct reader *reader, const struct node *node, double min, double max,
		  bool open);
bool field_bool(struct reader *reader, const struct node *node);

/* A string of 1..max bytes; without control characters, as tables print it. */
const char *field_string(struct reader *reader, const struct node *node, size_t max);
unsigned field_choice(struct reader *reader, const struct node *node, field_names names);
unsigned field_choice_of(struct reader *reader, const struct node *node, const char *const *words,
			 size_t count);

/* "NODE_TEXT is WHAT; allowed: ALLOWED" at the node's value. */
void field_fail(struct reader *reader, const struct node *node, const char *what,
		const char *allowed);

#endif
