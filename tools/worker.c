// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "signals.h"

enum message_kind { MESSAGE_PROGRESS, MESSAGE_RESULT, MESSAGE_ERROR };

struct message {
	uint32_t kind, length; /* of what follows */
};

enum { ERROR_MAX = 512 };

/* ---- In the worker ----------------------------------------------------------- */

struct pipe_end {
	int fd;
	double told;
};

static void send_bytes(int fd, const void *data, size_t length)
{
	const char *bytes = data;

	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			_exit(1);
		bytes += n;
		length -= (size_t)n;
	}
}

static void send_message(int fd, enum message_kind kind, const void *data, size_t length)
{
	struct message head = {kind, (uint32_t)length};

	send_bytes(fd, &head, sizeof(head));
	send_bytes(fd, data, length);
}

/* Every percent is enough for a bar. */
static bool tell_progress(void *arg, double done)
{
	struct pipe_end *end = arg;

	if (done < end->told + 0.01)
		return true;
	end->told = done;
	send_message(end->fd, MESSAGE_PROGRESS, &done, sizeof(done));
	return true;
}

static _Noreturn void work(const struct case_spec *spec, int fd)
{
	struct case_result *result = xcalloc(1, sizeof(*result));
	struct pipe_end end = {fd, 0};
	char error[ERROR_MAX] = "";

	if (experiment_run(spec, result, error, sizeof(error), tell_progress, &end) == 0)
		send_message(fd, MESSAGE_RESULT, result, sizeof(*result));
	else
		send_message(fd, MESSAGE_ERROR, error, strlen(error));
	_exit(0); /* no buffers of the parent are written twice */
}

/*
 * Ctrl-C, and whoever ends a process group, reach all of it; only the parent acts
 * on that. Nobody outlives the parent.
 */
static void become_worker(pid_t parent, const sigset_t *mask)
{
	for (int i = 0; i < SIGNALS_ENDING; i++)
		signal(signals_ending[i], SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

bool worker_start(struct worker *worker, const struct case_spec *spec, size_t index,
		  const sigset_t *mask)
{
	pid_t parent = getpid(), pid;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		become_worker(parent, mask);
		work(spec, ends[1]);
	}
	error = errno;
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		errno = error;
		return false;
	}
	*worker = (struct worker){.pid = pid, .fd = ends[0], .index = index};
	return true;
}

/* ---- In the parent ------------------------------------------------------------ */

static void fail(struct outcome *outcome, const char *message, size_t length)
{
	if (outcome->state != OUTCOME_OPEN)
		return;
	outcome->state = OUTCOME_FAILED;
	outcome->error = xstrndup(message, length);
}

static void take_result(struct outcome *outcome, const char *data, size_t length)
{
	const char *wrong;
	char message[ERROR_MAX];

	assert(length == sizeof(struct case_result));
	memcpy(outcome->room, data, length);
	wrong = result_not_finite(outcome->room);
	if (!wrong) {
		outcome->result = outcome->room;
		outcome->state = OUTCOME_DONE;
		return;
	}
	snprintf(message, sizeof(message), "the result has no finite %s", wrong);
	fail(outcome, message, strlen(message));
}

static void take_message(struct worker *worker, struct outcome *outcome, const struct message *head,
			 const char *data)
{
	if (head->kind == MESSAGE_PROGRESS)
		memcpy(&worker->done, data, sizeof(worker->done));
	else if (head->kind == MESSAGE_RESULT)
		take_result(outcome, data, head->length);
	else
		fail(outcome, data, head->length);
}

static void take_messages(struct worker *worker, struct outcome *outcome)
{
	struct text *inbox = &worker->inbox;
	struct message head;
	size_t at = 0;

	while (inbox->length - at >= sizeof(head)) {
		memcpy(&head, inbox->data + at, sizeof(head));
		if (inbox->length - at - sizeof(head) < head.length)
			break;
		take_message(worker, outcome, &head, inbox->data + at + sizeof(head));
		at += sizeof(head) + head.length;
	}
	if (at > 0)
		memmove(inbox->data, inbox->data + at, inbox->length - at);
	inbox->length -= at;
}

static int reap(struct worker *worker)
{
	int status = 0;

	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	close(worker->fd);
	worker->fd = -1;
	text_free(&worker->inbox);
	return status;
}

static void explain_death(struct outcome *outcome, int status)
{
	char message[ERROR_MAX];

	if (WIFSIGNALED(status))
		snprintf(message, sizeof(message), "its process was ended by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(message, sizeof(message),
			 "its process ended with status %d and without a result",
			 WEXITSTATUS(status));
	fail(outcome, message, strlen(message));
}

bool worker_receive(struct worker *worker, struct outcome *outcome)
{
	static char buffer[1 << 16]; /* too much for a small stack */
	ssize_t n = read(worker->fd, buffer, sizeof(buffer));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	if (n > 0) {
		text_add_n(&worker->inbox, buffer, (size_t)n);
		take_messages(worker, outcome);
		return false;
	}
	explain_death(outcome, reap(worker));
	return true;
}

void worker_kill(struct worker *worker)
{
	kill(worker->pid, SIGKILL);
	reap(worker);
}
