// SPDX-License-Identifier: GPL-3.0-or-later
#include "spelling.h"

#include <string.h>

enum { WORD_MAX = 63 };

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* One row of the optimal string alignment distance; `before` is the row two above. */
static void next_row(const char *a, const char *b, size_t i, const size_t *before,
		     const size_t *above, size_t *row)
{
	size_t length = strlen(b);

	row[0] = i;
	for (size_t j = 1; j <= length; j++) {
		size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);

		row[j] = min3(above[j] + 1, row[j - 1] + 1, change);
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
			row[j] = min3(row[j], row[j], before[j - 2] + 1);
	}
}

size_t spelling_distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1];
	size_t length_a = strlen(a), length_b = strlen(b);

	if (length_a > WORD_MAX || length_b > WORD_MAX)
		return length_a + length_b;
	for (size_t j = 0; j <= length_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= length_a; i++)
		next_row(a, b, i, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]);
	return rows[length_a % 3][length_b];
}

const char *spelling_suggest(const char *word, const char *const *words, size_t count)
{
	size_t best = 1 + strlen(word) / 3;
	const char *suggestion = NULL;

	for (size_t i = 0; i < count; i++) {
		size_t distance = spelling_distance(word, words[i]);

		if (distance < best || (distance == best && !suggestion)) {
			best = distance;
			suggestion = words[i];
		}
	}
	return suggestion;
}

bool spelling_known(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}
