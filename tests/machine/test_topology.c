/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU numbering against published sibling lists, distances, large machines. */
#include <stdlib.h>

#include "../sim/machines.h"
#include "../sim/test.h"
#include "machine/topology.h"

static struct cpu_place place[MACHINE_CPUS_MAX];

static struct machine_topology placed(uint32_t sockets, uint32_t clusters, uint32_t units,
				      uint32_t threads, enum machine_numbering numbering)
{
	struct machine_topology t = test_machine_of(sockets, clusters, units, threads).topology;

	t.numbering = numbering;
	topology_place(&t, place);
	return t;
}

/*
 * Dual E5-2690, core-to-core-latency data set (github nviennot/core-to-core-latency
 * 96a943a): 0-7 socket 0, 8-15 socket 1, 16-23 siblings of 0-7, 24-31 of 8-15.
 */
static void test_two_sockets_threads_last(void **state)
{
	(void)state;
	placed(2, 1, 8, 2, NUMBERING_THREADS_LAST);
	for (uint32_t cpu = 0; cpu < 16; cpu++) {
		assert_int_equal(place[cpu].unit, place[cpu + 16].unit);
		assert_int_equal(place[cpu].socket, cpu / 8);
		assert_int_equal(place[cpu].thread, 0);
		assert_int_equal(place[cpu + 16].thread, 1);
		assert_int_equal(place[cpu + 16].socket, cpu / 8);
		assert_int_equal(place[cpu].node, cpu / 8);
	}
}

/* Four sockets of 18 cores as lscpu lists such firmware: node0 0-17,72-89, node1 18-35,90-107. */
static void test_four_sockets_threads_last(void **state)
{
	(void)state;
	placed(4, 1, 18, 2, NUMBERING_THREADS_LAST);
	for (uint32_t cpu = 0; cpu < 72; cpu++) {
		assert_int_equal(place[cpu].unit, place[cpu + 72].unit);
		assert_int_equal(place[cpu].node, cpu / 18);
		assert_int_equal(place[cpu + 72].node, cpu / 18);
	}
}

/*
 * POWER SMT8, ibm,thread-groups example (linuxppc-dev, December 2020): threads
 * {0,2,4,6} and {1,3,5,7} of a core share an L1 each; core i is CPUs 8i..8i+7.
 */
static void test_power_even_and_odd_threads(void **state)
{
	(void)state;
	placed(1, 10, 2, 4, NUMBERING_UNITS_INTERLEAVED);
	for (uint32_t cpu = 0; cpu < 80; cpu++) {
		assert_int_equal(place[cpu].cluster, cpu / 8);
		assert_int_equal(place[cpu].unit, cpu / 8 * 2 + cpu % 2);
		assert_int_equal(place[cpu].thread, cpu % 8 / 2);
	}
}

/* Cloud guests and some firmware: pairs (0,1), (2,3), ... */
static void test_threads_adjacent(void **state)
{
	(void)state;
	placed(1, 1, 4, 2, NUMBERING_THREADS_ADJACENT);
	for (uint32_t cpu = 0; cpu < 8; cpu++) {
		assert_int_equal(place[cpu].unit, cpu / 2);
		assert_int_equal(place[cpu].thread, cpu % 2);
	}
}

/* Firmware that alternates sockets: even CPUs on one, odd ones on the other, threads last. */
static void test_sockets_interleaved(void **state)
{
	(void)state;
	placed(2, 1, 8, 2, NUMBERING_SOCKETS_INTERLEAVED);
	for (uint32_t cpu = 0; cpu < 32; cpu++) {
		assert_int_equal(place[cpu].socket, cpu % 2);
		assert_int_equal(place[cpu].unit, place[(cpu + 16) % 32].unit);
		assert_int_equal(place[cpu].thread, cpu / 16);
	}
}

static void test_clusters(void **state)
{
	struct machine_topology t;

	(void)state;
	t = placed(1, 11, 8, 2, NUMBERING_THREADS_LAST);
	assert_int_equal(machine_cpu_count(&t), 176);
	for (uint32_t cpu = 0; cpu < 88; cpu++) {
		assert_int_equal(place[cpu].cluster, cpu / 8);
		assert_int_equal(place[cpu + 88].cluster, cpu / 8);
		assert_int_equal(place[cpu].socket, 0);
	}
}

static void test_nodes(void **state)
{
	struct machine_topology t = placed(2, 3, 2, 1, NUMBERING_THREADS_LAST);

	(void)state;
	t.nodes = NODES_CLUSTER;
	topology_place(&t, place);
	assert_int_equal(machine_node_count(&t), 6);
	for (uint32_t cpu = 0; cpu < 12; cpu++)
		assert_int_equal(place[cpu].node, cpu / 2);
	t.nodes = NODES_MACHINE;
	topology_place(&t, place);
	assert_int_equal(machine_node_count(&t), 1);
	for (uint32_t cpu = 0; cpu < 12; cpu++)
		assert_int_equal(place[cpu].node, 0);
}

/* Every (unit, thread) exactly once, whatever the scheme. */
static void each_thread_once(uint32_t sockets, uint32_t clusters, uint32_t units, uint32_t threads,
			     enum machine_numbering numbering)
{
	struct machine_topology t = placed(sockets, clusters, units, threads, numbering);
	uint32_t cpus = machine_cpu_count(&t);
	uint8_t *seen = calloc(cpus, 1);

	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		const struct cpu_place *p = &place[cpu];

		assert_true(p->thread < threads);
		assert_int_equal(p->cluster, p->unit / units);
		assert_int_equal(p->socket, p->cluster / clusters);
		assert_int_equal(seen[p->unit * threads + p->thread]++, 0);
	}
	free(seen);
}

static void test_every_thread_has_one_number(void **state)
{
	(void)state;
	for (int n = 0; n < 4; n++) {
		each_thread_once(1, 1, 1, 1, (enum machine_numbering)n);
		each_thread_once(3, 2, 5, 3, (enum machine_numbering)n);
		each_thread_once(8, 8, 16, 4, (enum machine_numbering)n);
		each_thread_once(64, 1, 8, 8, (enum machine_numbering)n);
	}
}

static void test_distances(void **state)
{
	struct machine_topology t = placed(3, 2, 2, 2, NUMBERING_THREADS_LAST);
	uint32_t cpus = machine_cpu_count(&t);

	(void)state;
	t.hops[0][2] = t.hops[2][0] = 2;
	for (uint32_t a = 0; a < cpus; a++)
		for (uint32_t b = 0; b < cpus; b++) {
			enum distance d = topology_distance(&t, &place[a], &place[b]);

			assert_int_equal(d, topology_distance(&t, &place[b], &place[a]));
			assert_int_equal(d == DISTANCE_SELF, a == b);
			assert_int_equal(d <= DISTANCE_SMT, a % 12 == b % 12);
			assert_int_equal(d <= DISTANCE_CLUSTER, a % 12 / 2 == b % 12 / 2);
			assert_int_equal(d <= DISTANCE_SOCKET, a % 12 / 4 == b % 12 / 4);
			assert_int_equal(d == DISTANCE_HOP2,
					 abs((int)(a % 12 / 4) - (int)(b % 12 / 4)) == 2);
		}
}

static void test_checks(void **state)
{
	struct machine_profile p = test_machine_of(8, 8, 16, 4);

	(void)state;
	assert_null(machine_profile_check(&p));
	assert_int_equal(machine_cpu_count(&p.topology), 4096);
	p.topology.threads_per_unit = 5;
	assert_non_null(machine_profile_check(&p));
	p = test_machine_of(2, 1, 1, 1);
	p.topology.hops[0][1] = 2;
	assert_non_null(machine_profile_check(&p));
	p = test_machine();
	p.param[PARAM_SOCKET].value = 2001;
	assert_non_null(machine_profile_check(&p));
	p = test_machine();
	p.line_size = 96;
	assert_non_null(machine_profile_check(&p));
	p = test_machine();
	p.turbo[1].cores = 1;
	assert_non_null(machine_profile_check(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_sockets_threads_last),
		cmocka_unit_test(test_four_sockets_threads_last),
		cmocka_unit_test(test_power_even_and_odd_threads),
		cmocka_unit_test(test_threads_adjacent),
		cmocka_unit_test(test_sockets_interleaved),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_every_thread_has_one_number),
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
