/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "invariants.h"

#include "machine/internal.h"

static const char *check_cpus(void)
{
	if (sim_queue_root(&sim.queue) != SIM_NEVER)
		return "an event is pending";
	for (uint32_t s = 0; s < sim.config.cpus; s++) {
		const struct sim_cpu *cpu = &sim.cpus[s];
		sim_time booked = 0;

		for (int c = 0; c < SIM_CATEGORIES_MAX; c++)
			booked += cpu->cost[c];
		if (booked != cpu->now)
			return "booked costs do not add up to elapsed time";
	}
	return NULL;
}

static bool has_sharers(struct sim_line *line)
{
	const uint64_t *set = sharers_words(&sim.sharers, &line->sharers);

	for (uint32_t w = 0; set && w < sim.sharers.words; w++)
		if (set[w])
			return true;
	return false;
}

static const char *check_line(struct sim_line *line)
{
	if (line->in_flight)
		return "a transfer is still in flight";
	if (line->revoke_at != SIM_NEVER && !(line->flags & LINE_FREED))
		return "rights end although nothing is in flight";
	if (line->flags & (LINE_READ_FILL | LINE_SHARED_READS))
		return "flags of a transfer are left";
	if (line->owner != SIM_NO_CPU && has_sharers(line))
		return "an owned line has sharers";
	if (line->flags & (LINE_DIRTY | LINE_WRITE_BACK) && !has_sharers(line))
		return "a line without copies counts as dirty or written back";
	if (line->flags & LINE_DIRTY && line->flags & LINE_WRITE_BACK)
		return "a line is written back and yet dirty";
	if (line->owner != SIM_NO_CPU && line->owner >= machine_cpu_count(&machine.topology))
		return "a line is owned by nobody";
	return NULL;
}

static uint32_t spinners_of(const struct wait_queue *q)
{
	uint32_t count = 0;

	for (uint32_t slot = q->spinners; slot; slot = machine.wait.slot[slot - 1].spin_next)
		count++;
	return count;
}

static const char *check_queues(uint32_t referenced)
{
	uint32_t in_use = 0, spinners = 0;

	for (uint32_t q = 0; q < machine.wait.count; q++) {
		const struct wait_queue *queue = &machine.wait.queue[q];

		if (queue->count)
			return "a request was never served";
		if (queue->in_use && !queue->spinners)
			return "an empty queue was not given back";
		if (!queue->in_use && queue->spinners)
			return "a free queue has spinners";
		in_use += queue->in_use;
		spinners += spinners_of(queue);
	}
	if (in_use != referenced)
		return "queues in use and lines that have one differ in number";
	if (spinners > machine.slots)
		return "a CPU spins twice";
	return NULL;
}

const char *invariants_broken(void)
{
	const char *wrong = check_cpus();
	uint32_t queues = 0;

	for (size_t l = 0; !wrong && l < sim.memory.used >> sim.memory.line_shift; l++) {
		struct sim_line *line = &sim.memory.lines[l];

		if (!(line->flags & LINE_KNOWN))
			continue;
		queues += line->wait_queue != 0;
		wrong = check_line(line);
	}
	return wrong ? wrong : check_queues(queues);
}
