/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a word is one of a list, and "did you mean": the closest one. */
#ifndef FUTEXSIM_TOOLS_SPELLING_H
#define FUTEXSIM_TOOLS_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

bool spelling_known(const char *word, const char *const *words, size_t count);

/* Edit distance (Levenshtein, with swaps of neighbours); words beyond 63 bytes count as far apart.
 */
size_t spelling_distance(const char *a, const char *b);

/* The closest of `words` if it is close enough to be meant, else NULL. */
const char *spelling_suggest(const char *word, const char *const *words, size_t count);

#endif
