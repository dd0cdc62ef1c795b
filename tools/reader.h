/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading JSON with errors that name their place. A *document* is one parsed
 * text (file, standard input, argument of --set); a *node* is a value in it that
 * knows its way from the root. The reader owns both and all memory handed out by
 * reader_alloc, until reader_clean_up.
 *
 * Errors stick: after the first one every call is harmless and returns a
 * neutral value (NULL, 0, false), so callers check once, at the end.
 */
#ifndef FUTEXSIM_TOOLS_READER_H
#define FUTEXSIM_TOOLS_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "text.h"

enum exit_status { EXIT_DONE = 0, EXIT_UNFINISHED = 1, EXIT_USAGE = 2, EXIT_INPUT = 3 };

/* Larger inputs are refused before they are read. */
enum { INPUT_SIZE_MAX = 16 << 20, INPUT_DEPTH_MAX = 2048 };

struct document {
	const char *name;   /* in front of errors */
	const char *prefix; /* pointer in front of the root's, for --set; else "" */
	bool has_lines;     /* errors name line and column */
	const char *text;
	size_t length;
	json_t *root;
	struct document *next;
};

struct node {
	const struct document *document;
	const struct node *parent; /* NULL: root */
	const char *key;           /* NULL: item `index` of an array */
	size_t index;
	const json_t *value;
};

struct reader {
	bool failed;
	bool no_files; /* refuse to open files that the input names (fuzzing) */
	enum exit_status status;
	struct text error; /* one line, without newline */
	struct document *documents;
	struct memory *memory;
};

void reader_init(struct reader *reader);
void reader_clean_up(struct reader *reader);

/* Zeroed; lives as long as the reader. */
void *reader_alloc(struct reader *reader, size_t size);
__attribute__((format(printf, 2, 3))) const char *reader_printf(struct reader *reader,
								const char *format, ...);

/*
 * Reads a whole file ("-": standard input) into memory of the reader.
 * NULL after an error.
 */
const char *reader_load(struct reader *reader, const char *path, size_t *length);

/* Parses `text`, which must live as long as the reader. NULL after an error. */
const struct node *reader_parse(struct reader *reader, const char *name, const char *text,
				size_t length);

/* The argument of --set for the value at `pointer`: JSON, or else a plain string. */
const struct node *reader_argument(struct reader *reader, const char *name, const char *pointer,
				   const char *value);

/* Member or item of a node; NULL if there is none. */
const struct node *node_member(struct reader *reader, const struct node *object, const char *key);
const struct node *node_item(struct reader *reader, const struct node *array, size_t index);

/* Appends the value as the input has it, shortened; objects and arrays by their kind. */
void node_text(const struct node *node, struct text *text);

/*
 * The first error wins. `at_key`: the place is the node's key, not its value.
 * The message is `FILE:LINE:COLUMN: POINTER: ...`.
 */
__attribute__((format(printf, 4, 5))) void
reader_fail(struct reader *reader, const struct node *node, bool at_key, const char *format, ...);

/* An error of a whole file: `NAME: ...`. */
__attribute__((format(printf, 4, 5))) void reader_fail_file(struct reader *reader,
							    enum exit_status status,
							    const char *name, const char *format,
							    ...);

#endif
