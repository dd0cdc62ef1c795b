// SPDX-License-Identifier: GPL-3.0-or-later
/* How texts get into the reader: files, standard input, arguments; and jansson's errors. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "json_place.h"
#include "reader.h"

enum { POINTER_MAX = 200 };

static void fail_errno(struct reader *reader, const char *name)
{
	reader_fail_file(reader, EXIT_INPUT, name, "cannot be read: %s; allowed: a readable file",
			 strerror(errno));
}

static void fail_size(struct reader *reader, const char *name)
{
	reader_fail_file(reader, EXIT_INPUT, name, "too large; allowed: at most %d bytes",
			 INPUT_SIZE_MAX);
}

/* Never more than INPUT_SIZE_MAX + 1 bytes, however long the input is. */
static bool read_all(int fd, struct text *text)
{
	static char buffer[1 << 16]; /* too much for a small stack */

	while (text->length <= INPUT_SIZE_MAX) {
		ssize_t n = read(fd, buffer, sizeof(buffer));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		text_add_n(text, buffer, (size_t)n);
	}
	return true;
}

static const char *load_fd(struct reader *reader, int fd, const char *name, size_t *length)
{
	struct text text = {0};
	char *copy = NULL;

	if (!read_all(fd, &text)) {
		fail_errno(reader, name);
	} else if (text.length > INPUT_SIZE_MAX) {
		fail_size(reader, name);
	} else {
		copy = reader_alloc(reader, text.length + 1);
		if (text.length)
			memcpy(copy, text.data, text.length);
		*length = text.length;
	}
	text_free(&text);
	return copy;
}

static bool acceptable(struct reader *reader, int fd, const char *name)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		fail_errno(reader, name);
	else if (S_ISDIR(st.st_mode))
		reader_fail_file(reader, EXIT_INPUT, name, "is a directory; allowed: a file");
	else if (S_ISREG(st.st_mode) && st.st_size > INPUT_SIZE_MAX)
		fail_size(reader, name);
	return !reader->failed;
}

const char *reader_load(struct reader *reader, const char *path, size_t *length)
{
	const char *text = NULL;
	int fd;

	*length = 0;
	if (reader->failed)
		return NULL;
	if (strcmp(path, "-") == 0)
		return load_fd(reader, STDIN_FILENO, "-", length);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fail_errno(reader, path);
		return NULL;
	}
	if (acceptable(reader, fd, path))
		text = load_fd(reader, fd, path, length);
	close(fd);
	return text;
}

/* ---- Parsing --------------------------------------------------------------- */

static bool in_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '+' || c == '-' || c == '.' || c == '_';
}

/* jansson says where it stopped reading; people look for where the word began. */
static size_t word_start(const struct document *d, size_t position)
{
	size_t at = position < d->length ? position : d->length;

	if (at > 0)
		at--;
	while (at > 0 && (d->text[at] & 0xC0) == 0x80)
		at--;
	while (at > 0 && in_word(d->text[at]) && in_word(d->text[at - 1]))
		at--;
	return at;
}

static const char *allowed_after(enum json_error_code code)
{
	switch (code) {
	case json_error_duplicate_key:
		return "each key once";
	case json_error_stack_overflow:
		return "at most 2048 levels";
	case json_error_numeric_overflow:
		return "integers of 64 bits, reals of double precision";
	case json_error_invalid_utf8:
		return "UTF-8";
	case json_error_null_byte_in_key:
	case json_error_null_character:
		return "text without NUL";
	default:
		return "JSON (RFC 8259; no comments, trailing commas or NaN)";
	}
}

static void add_place(struct text *place, const struct document *d, const json_error_t *error)
{
	enum json_error_code code = json_error_code(error);
	size_t position = error->position > 0 ? (size_t)error->position : 0;
	size_t at = code == json_error_premature_end_of_input ? d->length : word_start(d, position);
	size_t key_start, line, column, start;

	text_add(place, "");
	start = place->length;
	json_place_pointer(d->text, position < d->length ? position : d->length, place, &key_start);
	if (code == json_error_duplicate_key)
		at = key_start;
	if (place->length - start > POINTER_MAX) {
		place->length = start + POINTER_MAX;
		place->data[place->length] = '\0';
		text_add(place, "...");
	}
	if (place->length == start)
		text_add(place, "(root)");
	json_place_line(d->text, d->length, at, &line, &column);
	text_printf(place, "\n%zu:%zu", line, column);
}

static void fail_syntax(struct reader *reader, const struct document *d, const json_error_t *error)
{
	enum json_error_code code = json_error_code(error);
	struct text place = {0}, name = {0};
	char *line;

	if (code == json_error_out_of_memory || code == json_error_unknown) {
		reader_fail_file(reader, EXIT_UNFINISHED, d->name, "out of memory");
		return;
	}
	add_place(&place, d, error);
	line = strchr(place.data, '\n');
	*line++ = '\0';
	text_printf(&name, "%s:%s", d->name, line);
	reader_fail_file(reader, EXIT_INPUT, name.data, "%s: %s; allowed: %s", place.data,
			 error->text, allowed_after(code));
	text_free(&name);
	text_free(&place);
}

static struct document *new_document(struct reader *reader, const char *name, const char *text,
				     size_t length)
{
	struct document *d = reader_alloc(reader, sizeof(*d));

	*d = (struct document){.name = name,
			       .prefix = "",
			       .has_lines = true,
			       .text = text,
			       .length = length,
			       .next = reader->documents};
	reader->documents = d;
	return d;
}

static const struct node *root_node(struct reader *reader, const struct document *d)
{
	struct node *node = reader_alloc(reader, sizeof(*node));

	node->document = d;
	node->value = d->root;
	return node;
}

/* jansson takes a NUL byte for the end of the text. */
static bool has_nul(struct reader *reader, const struct document *d)
{
	const char *nul = d->length ? memchr(d->text, '\0', d->length) : NULL;
	size_t line, column;
	struct text name = {0};

	if (!nul)
		return false;
	json_place_line(d->text, d->length, (size_t)(nul - d->text), &line, &column);
	text_printf(&name, "%s:%zu:%zu", d->name, line, column);
	reader_fail_file(reader, EXIT_INPUT, name.data,
			 "(root): a NUL byte; allowed: text without NUL");
	text_free(&name);
	return true;
}

const struct node *reader_parse(struct reader *reader, const char *name, const char *text,
				size_t length)
{
	struct document *d;
	json_error_t error;

	if (reader->failed)
		return NULL;
	d = new_document(reader, name, text, length);
	if (has_nul(reader, d))
		return NULL;
	d->root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	if (d->root)
		return root_node(reader, d);
	fail_syntax(reader, d, &error);
	return NULL;
}

/* The value as a JSON string; NULL if it cannot be one (not UTF-8) or memory is short. */
static json_t *plain_string(struct reader *reader, struct document *d, const char *value)
{
	json_t *string = json_string(value);
	char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

	if (!quoted)
		reader_fail_file(reader, EXIT_INPUT, d->name, "not UTF-8; allowed: UTF-8");
	d->text = quoted ? reader_printf(reader, "%s", quoted) : "";
	d->length = strlen(d->text);
	free(quoted);
	return string;
}

const struct node *reader_argument(struct reader *reader, const char *name, const char *pointer,
				   const char *value)
{
	const int flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
	struct document *d;

	if (reader->failed)
		return NULL;
	d = new_document(reader, name, value, strlen(value));
	d->prefix = pointer;
	d->has_lines = false;
	d->root = json_loadb(value, d->length, flags, NULL);
	if (!d->root)
		d->root = plain_string(reader, d, value);
	return reader->failed ? NULL : root_node(reader, d);
}
