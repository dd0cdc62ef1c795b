// SPDX-License-Identifier: GPL-3.0-or-later
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"

static bool complain(const char *name)
{
	fprintf(stderr, "futexsim: %s: cannot be written: %s\n", name, strerror(errno));
	return false;
}

static bool write_all(int fd, const struct text *text)
{
	for (size_t done = 0; done < text->length;) {
		ssize_t n = write(fd, text->data + done, text->length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

bool output_stdout(const struct text *text)
{
	if (write_all(STDOUT_FILENO, text))
		return true;
	return complain("standard output");
}

/* The file itself if `path` is a link, so that the link stays. */
static char *real_path(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : xstrndup(path, strlen(path));
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool write_special(const char *path, const struct text *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write_all(fd, text);

	if (fd >= 0 && close(fd) < 0)
		done = false;
	return done;
}

static void keep_mode(int fd, const char *path)
{
	struct stat st;
	mode_t mask = umask(0);

	umask(mask);
	if (stat(path, &st) == 0)
		fchmod(fd, st.st_mode & 07777);
	else
		fchmod(fd, 0666 & ~mask);
}

/* An open temporary file beside `path`; its name goes to `*name`, to be freed. */
static int open_temporary(const char *path, char **name)
{
	struct text text = {0};
	int fd;

	text_printf(&text, "%s.XXXXXX", path);
	fd = mkostemp(text.data, O_CLOEXEC);
	*name = text.data;
	return fd;
}

static bool write_and_rename(const char *path, const struct text *text)
{
	char *temporary;
	int fd = open_temporary(path, &temporary);
	bool done = fd >= 0;
	int error;

	if (done) {
		keep_mode(fd, path);
		done = write_all(fd, text) && fsync(fd) == 0;
		done = close(fd) == 0 && done && rename(temporary, path) == 0;
		error = errno;
		if (!done)
			unlink(temporary);
		errno = error;
	}
	free(temporary);
	return done;
}

bool output_file(const char *path, const struct text *text)
{
	char *real = real_path(path);
	bool done = is_special(real) ? write_special(real, text) : write_and_rename(real, text);

	if (!done)
		complain(path);
	free(real);
	return done;
}

bool output_possible(const char *path)
{
	char *real = real_path(path), *temporary = NULL;
	bool possible;

	if (!*path) {
		possible = false;
		errno = ENOENT;
	} else if (is_directory(real)) {
		possible = false;
		errno = EISDIR;
	} else if (is_special(real)) {
		possible = access(real, W_OK) == 0;
	} else {
		int fd = open_temporary(real, &temporary);

		possible = fd >= 0;
		if (possible) {
			close(fd);
			unlink(temporary);
		}
	}
	if (!possible)
		complain(path);
	free(temporary);
	free(real);
	return possible;
}
