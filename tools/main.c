// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "command.h"
#include "version.h"

static const struct {
	const char *name;
	enum exit_status (*run)(int argc, char **argv);
} commands[] = {
	{"run", cmd_run},   {"validate", cmd_validate}, {"fit", cmd_fit},
	{"list", cmd_list}, {"schema", cmd_schema},
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

/*
 * A standard stream that is closed would be taken by the next file opened.
 * Output is opened for reading only, so that writing fails and is noticed.
 */
static void occupy_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static enum exit_status unknown_command(const char *name)
{
	const char *names[COMMAND_COUNT];

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	return usage_error(NULL, "unknown command %s%s", name,
			   did_you_mean(name, names, COMMAND_COUNT));
}

int main(int argc, char **argv)
{
	occupy_standard_streams();
	alloc_for_json();
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write() instead */
	signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow */
	signal(SIGCHLD, SIG_DFL); /* whoever started us may have ignored it */
	if (argc < 2)
		return usage_error(NULL, "which command?");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_string(usage_text(NULL));
	if (strcmp(argv[1], "--version") == 0)
		return print_string("futexsim " FUTEXSIM_VERSION "\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	return unknown_command(argv[1]);
}
