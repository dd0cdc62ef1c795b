/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests for lines: who is served when, and what state the line is left in.
 * Everything here runs on the requesting CPU with its clock in global order.
 */
#include <assert.h>

#include "machine/internal.h"

struct machine machine;

static bool is_shared(const struct sim_line *line)
{
	return line->flags & LINE_SHARED;
}

static void add_sharer(struct sim_line *line, uint32_t unit)
{
	if (!sharers_add(&sim.sharers, &line->sharers, unit))
		sim_fail("out of memory for sharer sets");
	line->flags |= LINE_SHARED;
}

static uint32_t take_queue(struct sim_line *line)
{
	if (!line->wait_queue)
		line->wait_queue = (uint16_t)wait_queue_take(&machine.wait);
	if (!line->wait_queue)
		sim_fail("out of memory for queues of waiting requests");
	return line->wait_queue;
}

static void release_queue_if_empty(struct sim_line *line)
{
	const struct wait_queue *q;

	if (!line->wait_queue)
		return;
	q = &machine.wait.queue[line->wait_queue - 1];
	if (q->count || q->spinners)
		return;
	wait_queue_release(&machine.wait, line->wait_queue);
	line->wait_queue = 0;
}

static uint32_t waiting(const struct sim_line *line)
{
	return line->wait_queue ? machine.wait.queue[line->wait_queue - 1].count : 0;
}

/* Their copy goes at `when`; each notices at its next poll. */
static void wake_spinners(struct sim_line *line, sim_time when)
{
	uint32_t slot;

	if (!line->wait_queue)
		return;
	while ((slot = wait_queue_pop_spinner(&machine.wait, line->wait_queue)) != UINT32_MAX)
		sim_wake(slot, when + sim_stream_below(&machine.random, machine.pause + 1));
	release_queue_if_empty(line);
}

/* ---- Service --------------------------------------------------------------- */

static sim_time later(sim_time a, sim_time b)
{
	return a > b ? a : b;
}

/*
 * What crosses sockets goes through the line's home node, which takes one
 * transaction at a time: a table that lives on one node can saturate it.
 * Returns when the home takes up a request made now.
 */
static sim_time through_home(const struct sim_line *line, struct transfer transfer, sim_time now)
{
	sim_time *free_at = &machine.home_free[line->home], start;

	if (!transfer.remote || !machine.home_service)
		return now;
	start = later(now, *free_at);
	*free_at = start + machine.home_service;
	return start;
}

/*
 * The home deals with a request when it is made, whether or not the line is
 * free. One from where the line is going waits there; should the line have left
 * again when its turn comes, the home is asked then (SIM_NEVER: not yet).
 */
static sim_time home_of_waiting(struct sim_line *line, struct sim_cpu *cpu, bool write)
{
	struct transfer transfer;

	if (!machine.home_service)
		return SIM_NEVER;
	if (line->flags & LINE_SHARED_READS)
		transfer = transfer_mean(line, cpu, write);
	else
		transfer = transfer_from(line, &sim.cpus[line->to], cpu);
	return transfer.remote ? through_home(line, transfer, cpu->now) : SIM_NEVER;
}

/*
 * A read that ends at `done` takes a modified line out of the last-level cache
 * that knew it. Without dirty sharing the line also goes to its home, which
 * takes no other request for it before it is written. Who finds a copy nearby
 * does not need the home, and can be served from `next` on.
 */
static void write_back(struct sim_line *line, sim_time done, sim_time next)
{
	line->flags &= (uint16_t)~LINE_DIRTY;
	line->flags |= LINE_WRITE_BACK;
	line->next_at = later(done + machine.write_back, next);
	line->early = (int32_t)(line->next_at - next);
}

/*
 * One read starts per read_service, and while the home writes the line back
 * only those that find a copy nearby.
 */
static sim_time next_read(struct sim_line *line, bool nearby, sim_time start)
{
	bool written_back = line->flags & LINE_WRITE_BACK;
	sim_time next;

	start = later(start, written_back ? line->next_at - (sim_time)line->early : line->next_at);
	if (written_back && !nearby)
		start = later(start, line->next_at);
	next = start + machine.read_service;
	if (written_back && start < line->next_at) {
		line->early = (int32_t)(line->next_at - next);
	} else {
		line->next_at = next;
		line->flags &= (uint16_t)~LINE_WRITE_BACK;
	}
	return start;
}

/*
 * A read of a line that stays shared: pipelined. Reads of one unit merge into
 * the fill that its first one started.
 */
static sim_time serve_shared_read(struct sim_line *line, struct sim_cpu *cpu,
				  struct transfer transfer, sim_time start)
{
	if (!sharers_has(&sim.sharers, &line->sharers, cpu->unit)) {
		start = next_read(line, transfer.source == TRANSFER_LLC, start);
		add_sharer(line, cpu->unit);
		if (machine.write_back && line->flags & LINE_DIRTY && leaves_llc(line, cpu))
			write_back(line, start + transfer.time, line->next_at);
	}
	line->in_flight++;
	line->flags |= LINE_SHARED_READS;
	return start + transfer.time;
}

/*
 * Everything else has the line to itself. An idle owner keeps its rights until
 * the snoop reaches it; one whose successor is already queued at the home, only
 * for its tenure.
 */
static sim_time serve_alone(struct sim_line *line, uint32_t slot, struct transfer transfer,
			    sim_time start, bool write, bool queued)
{
	bool owned = line->owner != SIM_NO_CPU;
	sim_time done, lost;

	if (owned || line->flags & LINE_WRITE_BACK)
		start = later(start, line->next_at);
	done = start + transfer.time;
	/* Threads of a unit share the L1: nothing is lost before the other has used it. */
	lost = transfer.distance <= DISTANCE_SMT ? done
						 : start + (transfer.time * machine.lead >> 16);
	line->in_flight = 1;
	line->to = slot;
	if (owned || is_shared(line)) {
		line->revoke_at = owned && queued ? start : lost;
		if (write || line->flags & LINE_AHEAD_WRITTEN)
			sim_expect_unused(line, line->revoke_at);
		if (!write)
			line->flags |= LINE_READ_FILL;
		else
			wake_spinners(line, line->revoke_at);
	}
	return done;
}

/*
 * `ready`: of a request that was queued, when the home took it up, or SIM_NEVER
 * if it has not been asked; NULL: just made.
 */
static sim_time serve(struct sim_line *line, struct sim_cpu *cpu, sim_time now, bool write,
		      const sim_time *ready)
{
	struct transfer transfer = transfer_price(line, cpu, write);
	bool asked = ready && *ready != SIM_NEVER;
	sim_time start = asked ? later(now, *ready) : through_home(line, transfer, now);

	machine_cpu_of(cpu)->distance = transfer.distance;
	machine_cpu_of(cpu)->source = transfer.source;
	if (!write && is_shared(line))
		return serve_shared_read(line, cpu, transfer, start);
	return serve_alone(line, cpu->slot, transfer, start, write, ready);
}

/* Later RMWs of the new owner's tenure; the mean is tenure_rmws. */
static sim_time tenure(void)
{
	uint64_t further = machine.hold_whole;

	if (machine.hold_fraction && sim_stream_u32(&machine.random) < machine.hold_fraction)
		further++;
	return further * machine.rmw;
}

static void own(struct sim_line *line, struct sim_cpu *cpu)
{
	if (is_shared(line))
		sharers_clear(&sim.sharers, &line->sharers);
	line->flags &= (uint16_t) ~(LINE_SHARED | LINE_DIRTY | LINE_WRITE_BACK);
	line->owner = cpu->id;
	cache_fill(line, cpu);
	line->next_at = cpu->now + tenure();
}

/*
 * An owner's copy becomes shared with the reader's. It was modified: see
 * machine.h for the rare case in which it was not.
 */
static void share_with_owner(struct sim_line *line, struct sim_cpu *cpu)
{
	uint32_t owner_unit = machine.place[line->owner].unit;
	bool leaves = leaves_llc(line, cpu), dirty = !leaves || machine.profile->dirty_sharing;
	uint32_t llc_fill = line->llc_fill;
	uint16_t llc = line->llc;

	line->owner = SIM_NO_CPU;
	cache_fill(line, cpu);
	add_sharer(line, owner_unit);
	add_sharer(line, cpu->unit);
	line->next_at = cpu->now;
	if (!dirty) {
		write_back(line, cpu->now, cpu->now);
		return;
	}
	line->flags |= LINE_DIRTY;
	line->llc = llc;
	line->llc_fill = llc_fill;
}

static void land(struct sim_line *line, struct sim_cpu *cpu)
{
	line->in_flight--;
	if (line->flags & LINE_SHARED_READS)
		cpu->fills++; /* became a sharer when it was served */
	else if (line->flags & LINE_READ_FILL && owner_resident(line))
		share_with_owner(line, cpu);
	else
		own(line, cpu); /* a write, or a read of what nobody else has: Exclusive */
	if (line->in_flight)
		return;
	line->flags &= (uint16_t) ~(LINE_SHARED_READS | LINE_READ_FILL);
	line->revoke_at = SIM_NEVER;
}

/* ---- Choosing the next ------------------------------------------------------ */

/*
 * The holder's unit goes first with probability unit_merge, as far as its
 * requests were waiting when the line came to the unit: on POWER reservations
 * and stores meet in the L2 that the unit's threads share, where requests for
 * one line can merge (an assumption; profiles mark it a guess).
 */
static uint32_t choose_sibling(uint32_t queue, const struct sim_cpu *holder)
{
	uint32_t sibling = wait_queue_sibling(&machine.wait, queue, holder->slot);

	if (sibling == UINT32_MAX || machine.unit_merge >> 32 ||
	    sim_stream_u32(&machine.random) < machine.unit_merge)
		return sibling;
	return UINT32_MAX;
}

/*
 * In order of arrival, but a request has to arrive where the line is: when it
 * has just come to a cluster or socket, those from farther away are still on
 * their way there, and ones from inside go first.
 */
static uint32_t choose(const struct sim_line *line, const struct sim_cpu *holder)
{
	uint32_t queue = line->wait_queue;
	uint32_t found = choose_sibling(queue, holder);

	for (enum wait_level level = WAIT_CLUSTER; found == UINT32_MAX && level < WAIT_ALL; level++)
		if (machine.wait.level_used[level] &&
		    holder->now < machine.wait.queue[queue - 1].alone_until[level])
			found = wait_queue_oldest_of(&machine.wait, queue, holder->slot, level);
	return found != UINT32_MAX ? found : wait_queue_oldest(&machine.wait, queue);
}

static void grant(struct sim_line *line, uint32_t slot, sim_time t)
{
	bool write = !machine.wait.slot[slot].read;

	sim_time done;

	wait_queue_remove(&machine.wait, line->wait_queue, slot);
	done = serve(line, &sim.cpus[slot], t, write, &machine.wait.slot[slot].ready);
	sim_grant_at(&sim.cpus[slot], done);
}

/* The line is free again; `holder` used it last. */
static void grant_next(struct sim_line *line, const struct sim_cpu *holder)
{
	sim_time now = holder->now;
	uint32_t slot = choose(line, holder);
	bool burst = machine.wait.slot[slot].read && is_shared(line);

	grant(line, slot, now);
	/* Readers of a shared line do not exclude each other. */
	while (burst && waiting(line)) {
		slot = wait_queue_oldest_read(&machine.wait, line->wait_queue);
		if (slot == UINT32_MAX)
			break;
		grant(line, slot, now);
	}
}

/* ---- One request ------------------------------------------------------------- */

static bool can_start(struct sim_line *line, bool write)
{
	if (waiting(line))
		return false;
	return !line->in_flight || (!write && line->flags & LINE_SHARED_READS);
}

static void wait_for_service(struct sim_cpu *cpu, struct sim_line *line, bool write)
{
	if (can_start(line, write)) {
		sim_arrive_at(cpu, serve(line, cpu, cpu->now, write, NULL));
	} else {
		wait_queue_add(&machine.wait, take_queue(line), cpu->slot, !write, cpu->now);
		machine.wait.slot[cpu->slot].ready = home_of_waiting(line, cpu, write);
		sim_wait(cpu);
	}
}

/*
 * LL/SC machines: another CPU's request can reach the line between the load
 * that reserves it and the conditional store. The odds grow with the number of
 * contenders; the loser has moved the line for nothing and asks again.
 */
static bool reservation_lost(const struct sim_line *line, uint8_t kind)
{
	uint64_t odds = (uint64_t)machine.llsc_loss * waiting(line);

	if (kind != SIM_RMW || !odds)
		return false;
	return sim_stream_below(&machine.random, odds + 65536) < odds;
}

static void note_stolen(struct sim_cpu *cpu, const struct sim_line *line)
{
	struct machine_cpu *c = machine_cpu_of(cpu);

	if (sim_line_category(line) != machine.watched)
		return;
	if (c->used == line && c->used_in == c->operation &&
	    !(line->owner == SIM_NO_CPU && sharers_has(&sim.sharers, &line->sharers, cpu->unit)))
		c->stolen++;
	c->used = line;
	c->used_in = c->operation;
}

static void book(struct sim_cpu *cpu)
{
	struct machine_cpu *c = machine_cpu_of(cpu);
	sim_time waited = cpu->now - cpu->began;

	sim_book(cpu, sim_line_category(cpu->line), waited);
	attribute_transfer(cpu, cpu->line, cpu->offset, c->source, waited);
}

/* The old owner of a line being read still has a copy to read, unless it was evicted. */
static bool still_has_copy(const struct sim_line *line, const struct sim_cpu *cpu)
{
	return line->owner == cpu->id && line->flags & LINE_READ_FILL && owner_resident(line);
}

static bool request(struct sim_cpu *cpu)
{
	struct sim_line *line = cpu->line;
	bool write = cpu->kind != SIM_LOAD;

	if (!write && still_has_copy(line, cpu)) {
		sim_hit(cpu, line, SIM_LOAD);
		return true;
	}
	note_stolen(cpu, line);
	attribution_prefetch(line);
	cpu->began = cpu->now;
	wait_for_service(cpu, line, write);
	return false;
}

/* What the line has crossed on its way to the CPU. */
static void note_move(const struct sim_line *line, const struct sim_cpu *cpu)
{
	static const enum wait_level crossed[DISTANCE_COUNT] = {
		[DISTANCE_CLUSTER] = WAIT_UNIT,
		[DISTANCE_SOCKET] = WAIT_CLUSTER,
		[DISTANCE_HOP1] = WAIT_SOCKET,
		[DISTANCE_HOP2] = WAIT_SOCKET,
	};
	uint8_t distance = machine_cpu_of(cpu)->distance;
	struct wait_queue *q;

	if (!line->wait_queue || distance <= DISTANCE_SMT)
		return;
	q = &machine.wait.queue[line->wait_queue - 1];
	wait_queue_moved(&machine.wait, line->wait_queue, cpu->now);
	for (enum wait_level level = WAIT_CLUSTER; level <= crossed[distance]; level++)
		q->alone_until[level] = cpu->now + jittered(machine.on_way[level]);
}

static bool transfer_done(struct sim_cpu *cpu)
{
	struct sim_line *line = cpu->line;
	bool lost = reservation_lost(line, cpu->kind);

	land(line, cpu);
	note_move(line, cpu);
	if (lost)
		line->next_at = cpu->now;
	if (!line->in_flight && waiting(line))
		grant_next(line, cpu);
	if (lost)
		wait_for_service(cpu, line, true);
	else
		book(cpu);
	release_queue_if_empty(line);
	return !lost;
}

static void first_touch(struct sim_line *line, size_t offset)
{
	const struct sim_object *object = sim_memory_object(&sim.memory, offset);
	uint32_t category = object ? sim.memory.types[object->type]->category : 0;

	line->flags |= (uint16_t)(category << LINE_CATEGORY_SHIFT);
	line->home = sim.memory.page_home[offset >> SIM_PAGE_SHIFT];
}

const struct sim_machine_ops machine_ops = {
	.request = request, .arrive = transfer_done, .first_touch = first_touch};

/* ---- Spinning ------------------------------------------------------------------ */

static void book_spin(struct sim_cpu *cpu, struct sim_line *line, size_t offset, sim_time began)
{
	sim_book(cpu, sim_line_category(line), cpu->now - began);
	attribute_spin(cpu, line, offset, cpu->now - began);
}

void machine_spin(struct sim_cpu *cpu, size_t offset)
{
	struct sim_line *line = &sim.memory.lines[offset >> sim.memory.line_shift];
	sim_time began;

	sim_sync(cpu, cpu->now);
	began = cpu->now;
	if (!still_has_copy(line, cpu)) {
		if (!sim_has_rights(cpu, line, false))
			return;
		if (line->revoke_at != SIM_NEVER) {
			sim_sync(cpu, line->revoke_at +
					      sim_stream_below(&machine.random, machine.pause + 1));
			book_spin(cpu, line, offset, began);
			return;
		}
	}
	wait_queue_add_spinner(&machine.wait, take_queue(line), cpu->slot);
	sim_block(cpu);
	book_spin(cpu, line, offset, began);
}
