/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns a profile into the integers the model runs on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/internal.h"

static double param(const struct machine_profile *p, enum machine_param name)
{
	return p->param[name].value;
}

static uint32_t jitter_16(const struct machine_profile *p)
{
	return (uint32_t)(param(p, PARAM_JITTER) * 65536 + 0.5);
}

static uint32_t lead_16(const struct machine_profile *p)
{
	return (uint32_t)(param(p, PARAM_SNOOP_LEAD) * 65536);
}

/* The nearest other unit a request can come from. */
static double nearest_unit_ns(const struct machine_profile *p)
{
	const struct machine_topology *t = &p->topology;
	double ns = 1e9;

	if (t->units_per_cluster > 1)
		ns = param(p, PARAM_CLUSTER);
	if (t->clusters_per_socket > 1 && param(p, PARAM_SOCKET) < ns)
		ns = param(p, PARAM_SOCKET);
	for (uint32_t a = 0; a < t->sockets; a++)
		for (uint32_t b = 0; b < a; b++) {
			double hop = param(p, t->hops[a][b] == 1 ? PARAM_HOP1 : PARAM_HOP2);

			ns = hop < ns ? hop : ns;
		}
	return ns;
}

/* The shortest that jitter makes of a transfer, in the integers price.c uses. */
static sim_time shortest_ps(const struct machine_profile *p, double ns)
{
	sim_time time = ns_to_ps(ns);

	return time - (time * jitter_16(p) >> 16);
}

void machine_configure(const struct machine_profile *p, struct sim_config *config)
{
	const struct machine_topology *t = &p->topology;

	config->line_size = p->line_size;
	config->nodes = machine_node_count(t);
	config->units = t->sockets * t->clusters_per_socket * t->units_per_cluster;
	config->lead = shortest_ps(p, nearest_unit_ns(p)) * lead_16(p) >> 16;
	config->lead_sibling = shortest_ps(p, param(p, PARAM_SMT));
	if (config->lead_sibling > config->lead)
		config->lead_sibling = config->lead;
	config->ops = &machine_ops;
}

/* How much later than from inside a request from outside arrives; never earlier. */
static sim_time on_way(const struct machine_profile *p, enum machine_param inside,
		       enum machine_param outside)
{
	double difference = fmax(param(p, outside) - param(p, inside), 0);

	return ns_to_ps(param(p, PARAM_NEAR_BIAS) * difference / 2);
}

static void set_times(const struct machine_profile *p)
{
	double hold = param(p, PARAM_TENURE) - 1;

	machine.transfer[DISTANCE_SELF] = ns_to_ps(param(p, PARAM_LLC));
	machine.transfer[DISTANCE_SMT] = ns_to_ps(param(p, PARAM_SMT));
	machine.transfer[DISTANCE_CLUSTER] = ns_to_ps(param(p, PARAM_CLUSTER));
	machine.transfer[DISTANCE_SOCKET] = ns_to_ps(param(p, PARAM_SOCKET));
	machine.transfer[DISTANCE_HOP1] = ns_to_ps(param(p, PARAM_HOP1));
	machine.transfer[DISTANCE_HOP2] = ns_to_ps(param(p, PARAM_HOP2));
	machine.llc_hit = ns_to_ps(param(p, PARAM_LLC));
	machine.dram_local = ns_to_ps(param(p, PARAM_DRAM_LOCAL));
	machine.dram_remote = ns_to_ps(param(p, PARAM_DRAM_REMOTE));
	machine.read_service = ns_to_ps(param(p, PARAM_READ_SERVICE));
	machine.home_service = ns_to_ps(param(p, PARAM_HOME_SERVICE));
	machine.write_back = p->dirty_sharing ? 0 : ns_to_ps(param(p, PARAM_WRITE_BACK));
	machine.pause = ns_to_ps(param(p, PARAM_PAUSE));
	machine.rmw = ns_to_ps(param(p, PARAM_RMW));
	machine.hold_whole = (uint64_t)hold;
	machine.hold_fraction = (uint32_t)((hold - (double)machine.hold_whole) * 4294967295.0);
	machine.unit_merge = (uint64_t)(param(p, PARAM_UNIT_MERGE) * 4294967296.0);
	machine.on_way[WAIT_CLUSTER] = on_way(p, PARAM_CLUSTER, PARAM_SOCKET);
	machine.on_way[WAIT_SOCKET] = on_way(p, PARAM_SOCKET, PARAM_HOP1);
	machine.jitter = jitter_16(p);
	machine.lead = lead_16(p);
	machine.llsc_loss = (uint32_t)(param(p, PARAM_LLSC_LOSS) * 65536 + 0.5);
	sim.hit_cost[SIM_LOAD] = sim.hit_cost[SIM_STORE] = ns_to_ps(param(p, PARAM_L1_HIT));
	sim.hit_cost[SIM_PERCPU] =
		2 * sim.hit_cost[SIM_LOAD]; /* unlocked add: a load and a store */
	sim.hit_cost[SIM_RMW] = machine.rmw;
	sim.hit_cost[SIM_FENCE] = ns_to_ps(param(p, PARAM_BARRIER));
}

static int allocate(const struct machine_profile *p, uint32_t slots)
{
	const struct machine_topology *t = &p->topology;
	uint32_t cpus = machine_cpu_count(t), clusters = t->sockets * t->clusters_per_socket;

	machine.cpu = calloc(slots, sizeof(*machine.cpu));
	machine.place = calloc(cpus, sizeof(*machine.place));
	machine.slot_of_cpu = malloc(cpus * sizeof(*machine.slot_of_cpu));
	machine.llc = calloc(p->llc_per_cluster ? clusters : t->sockets, sizeof(*machine.llc));
	machine.socket_units = calloc((size_t)t->sockets * sim.sharers.words, sizeof(uint64_t));
	machine.cluster_units = calloc((size_t)clusters * sim.sharers.words, sizeof(uint64_t));
	if (!machine.cpu || !machine.place || !machine.slot_of_cpu || !machine.llc ||
	    !machine.socket_units || !machine.cluster_units)
		return -1;
	memset(machine.slot_of_cpu, 0xff, cpus * sizeof(*machine.slot_of_cpu));
	return attribution_init();
}

static void set_masks(const struct machine_topology *t)
{
	uint32_t words = sim.sharers.words;

	for (uint32_t cpu = 0; cpu < machine_cpu_count(t); cpu++) {
		const struct cpu_place *p = &machine.place[cpu];
		uint64_t bit = (uint64_t)1 << p->unit % 64;

		machine.socket_units[(size_t)p->socket * words + p->unit / 64] |= bit;
		machine.cluster_units[(size_t)p->cluster * words + p->unit / 64] |= bit;
	}
}

static void set_cpu(struct sim_cpu *cpu, uint32_t id)
{
	cpu->id = (uint16_t)id;
	cpu->unit = machine.place[id].unit;
}

/* Threads of one unit know each other, and share its cache evenly. */
static void set_siblings(const struct machine_profile *p, uint32_t slots)
{
	uint32_t *first = calloc(machine_cpu_count(&p->topology), sizeof(*first));
	uint32_t lines = (uint32_t)((uint64_t)p->private_cache_kib * 1024 / p->line_size);

	if (!first)
		sim_fail("out of memory");
	for (uint32_t s = 0; s < slots; s++) {
		struct sim_cpu *cpu = &sim.cpus[s];

		if (!first[cpu->unit])
			machine.busy_units++;
		for (uint32_t o = first[cpu->unit]; o; o = machine.cpu[o - 1].next_in_unit) {
			sim.cpus[o - 1].sibling[sim.cpus[o - 1].siblings++] = (uint16_t)s;
			cpu->sibling[cpu->siblings++] = (uint16_t)(o - 1);
		}
		machine.cpu[s].next_in_unit = first[cpu->unit];
		first[cpu->unit] = s + 1;
	}
	for (uint32_t s = 0; s < slots; s++)
		sim.cpus[s].cache_lines = lines / (sim.cpus[s].siblings + 1u);
	free(first);
}

int machine_init(const struct machine_profile *p, const uint32_t *cpus, uint32_t slots,
		 uint64_t seed)
{
	struct cpu_place *places;
	int failed;

	memset(&machine, 0, sizeof(machine));
	machine.profile = p;
	machine.topology = p->topology;
	machine.slots = slots;
	machine.random.state = sim_random_mix(seed, 0, SIM_RANDOM_TRANSFER);
	set_times(p);
	if (allocate(p, slots))
		return -1;
	machine.llc_lines = (uint32_t)((uint64_t)p->llc_kib * 1024 / p->line_size);
	topology_place(&p->topology, machine.place);
	set_masks(&p->topology);
	places = calloc(slots, sizeof(*places));
	if (!places)
		return -1;
	for (uint32_t s = 0; s < slots; s++) {
		set_cpu(&sim.cpus[s], cpus[s]);
		machine.slot_of_cpu[cpus[s]] = (uint16_t)s;
		machine.cpu[s].place = places[s] = machine.place[cpus[s]];
	}
	failed = wait_pool_init(&machine.wait, &p->topology, slots, places,
				param(p, PARAM_UNIT_MERGE) > 0);
	free(places);
	set_siblings(p, slots);
	return failed;
}

void machine_clean_up(void)
{
	wait_pool_clean_up(&machine.wait);
	attribution_clean_up();
	free(machine.cpu);
	free(machine.place);
	free(machine.slot_of_cpu);
	free(machine.llc);
	free(machine.socket_units);
	free(machine.cluster_units);
	memset(&machine, 0, sizeof(machine));
}

double machine_clock_ghz(void)
{
	const struct machine_profile *p = machine.profile;

	for (uint32_t i = 0; i < p->turbo_count; i++)
		if (machine.busy_units <= p->turbo[i].cores)
			return p->turbo[i].ghz;
	return p->turbo[p->turbo_count - 1].ghz;
}

uint32_t machine_busy_siblings(uint32_t slot)
{
	return sim.cpus[slot].siblings;
}

uint32_t machine_node_of_cpu(uint32_t cpu)
{
	return machine.place[cpu].node;
}

uint32_t machine_socket_of_slot(uint32_t slot)
{
	return machine.cpu[slot].place.socket;
}

uint32_t machine_slot_of_cpu(uint32_t cpu)
{
	uint16_t slot = machine.slot_of_cpu[cpu];

	return slot == SIM_NO_CPU ? UINT32_MAX : slot;
}

bool machine_stop_spin(uint32_t slot, size_t offset)
{
	struct sim_line *line = &sim.memory.lines[offset >> sim.memory.line_shift];
	const struct wait_queue *q;

	if (!line->wait_queue || !wait_queue_remove_spinner(&machine.wait, line->wait_queue, slot))
		return false;
	q = &machine.wait.queue[line->wait_queue - 1];
	if (!q->count && !q->spinners) {
		wait_queue_release(&machine.wait, line->wait_queue);
		line->wait_queue = 0;
	}
	return true;
}
