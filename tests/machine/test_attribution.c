/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who paid for which line and field; lines stolen in the middle of an operation. */
#include "../sim/rig.h"
#include "../sim/test.h"

static const struct plat_field fields[] = {{"lock", 0, 4}, {"waiters", 4, 4}};
static const struct plat_type bucket = {"bucket", PLAT_CAT_BUCKET_LINE, 2, fields};
static const struct plat_type counter = {"counter", PLAT_CAT_REFCOUNT, 0, NULL};
static struct machine_profile profile;
static uint32_t *table, *unnamed;

static int begin(void **state)
{
	(void)state;
	profile = test_machine();
	rig_begin(&profile, 16);
	table = rig_lines(4, 0);
	unnamed = rig_lines(1, 0);
	plat_name(table, &bucket, 2, 64);
	plat_name(table + 32, &counter, 2, 64);
	return 0;
}

static int end(void **state)
{
	(void)state;
	rig_end();
	return 0;
}

static void near_side(void *arg)
{
	(void)arg;
	add(table); /* 80 from memory: lock */
	add(table); /* hit */
	rig_at(1000 * SIM_NS);
	add(table + 16 + 1); /* 80: waiters of the second bucket */
	add(table + 3);      /* 120 from the other socket: a byte without a name */
	add(table + 32);     /* 80: the counter */
	add(unnamed);        /* 80 */
}

static void far_side(void *arg)
{
	(void)arg;
	rig_at(500 * SIM_NS);
	add(table + 1); /* 120: waiters */
}

static struct line_stats stats_of(const uint32_t *p)
{
	size_t offset = sim_memory_offset(&sim.memory, p);

	for (uint32_t l = 0; l < machine_line_count(); l++)
		if (machine_line(l).offset == offset)
			return machine_line(l);
	fail_msg("line not attributed");
	return (struct line_stats){0};
}

static uint32_t type_called(const char *name)
{
	for (uint32_t i = 0; i < sim.memory.type_count; i++)
		if (sim.memory.types[i]->name == name)
			return i;
	fail_msg("no type %s", name);
	return 0;
}

static void assert_field(const char *type, int field, uint64_t local, uint64_t remote, sim_time ns)
{
	struct field_stats f = machine_field(type_called(type), field);

	assert_int_equal(f.local, local);
	assert_int_equal(f.remote, remote);
	assert_int_equal(f.wait, ns * SIM_NS);
}

static void test_lines_and_fields(void **state)
{
	(void)state;
	os_task_start(0, near_side, NULL);
	os_task_start(8, far_side, NULL);
	rig_run();
	assert_int_equal(machine_line_count(), 4);
	assert_int_equal(stats_of(table).local, 1);
	assert_int_equal(stats_of(table).remote, 2);
	assert_int_equal(stats_of(table).wait, (80 + 120 + 120) * SIM_NS);
	assert_int_equal(stats_of(unnamed).local, 1);
	assert_field("bucket", 0, 1, 0, 80);
	assert_field("bucket", 1, 1, 1, 200);
	assert_field("bucket", -1, 0, 1, 120);
	assert_field("counter", -1, 1, 0, 80);
	assert_int_equal(sim.cpus[0].cost[PLAT_CAT_BUCKET_LINE], (80 + 8 + 80 + 120) * SIM_NS);
	assert_int_equal(sim.cpus[0].cost[PLAT_CAT_REFCOUNT], 80 * SIM_NS);
	assert_int_equal(sim.cpus[0].cost[PLAT_CAT_OTHER], 80 * SIM_NS);
	assert_int_equal(sim.cpus[8].cost[PLAT_CAT_BUCKET_LINE], 120 * SIM_NS);
	machine_stats_reset();
	assert_field("bucket", 1, 0, 0, 0);
	assert_int_equal(stats_of(table).local + stats_of(table).remote, 0);
	assert_int_equal(stats_of(table).wait, 0);
}

/* Lock wait takes the time, whatever the line. */
static void waits(void *arg)
{
	(void)arg;
	add(table);
	plat_lock_wait_begin();
	add(table + 16);
	plat_lock_wait_begin();
	plat_work_cycles(10);
	plat_lock_wait_end();
	add(table + 16);
	plat_lock_wait_end();
	add(table);
}

static void test_lock_wait(void **state)
{
	sim_time work;

	(void)state;
	os_task_start(0, waits, NULL);
	rig_run();
	work = sim.cpus[0].now - (80 + 80 + 8 + 8) * SIM_NS;
	assert_true(work > 0);
	assert_int_equal(sim.cpus[0].cost[PLAT_CAT_BUCKET_LINE], (80 + 8) * SIM_NS);
	assert_int_equal(sim.cpus[0].cost[SIM_COST_LOCK_WAIT], (80 + 8) * SIM_NS + work);
	assert_int_equal(sim.cpus[0].cost[SIM_COST_WORK], 0);
}

static void victim(void *arg)
{
	(void)arg;
	add(table);
	rig_at(1000 * SIM_NS);
	add(table); /* taken away meanwhile: stolen */
	plat_op_done();
	rig_at(2000 * SIM_NS);
	add(table); /* taken away between operations */
	rig_at(3000 * SIM_NS);
	add(table + 32); /* not a bucket */
	rig_at(4000 * SIM_NS);
	add(table + 32);
}

static void thief(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < 4; i++) {
		rig_at((500 + 1000 * i) * SIM_NS);
		add(table + (i < 2 ? 0 : 32));
		plat_op_done();
	}
}

static void test_stolen(void **state)
{
	(void)state;
	os_task_start(0, victim, NULL);
	os_task_start(1, thief, NULL);
	rig_run();
	assert_int_equal(machine_stolen(0), 1);
	assert_int_equal(machine_stolen(1), 0);
	machine_stats_reset();
	assert_int_equal(machine_stolen(0), 0);
}

static void touch_many(void *arg)
{
	for (size_t l = 0; l < 5000; l++)
		add((uint32_t *)arg + l * 16);
}

/* The side table grows; each line keeps its own entry. */
static void test_many_lines(void **state)
{
	uint32_t *lines = rig_lines(5000, 0);

	(void)state;
	os_task_start(0, touch_many, lines);
	rig_run();
	assert_int_equal(machine_line_count(), 5000);
	for (size_t l = 0; l < 5000; l++) {
		assert_int_equal(machine_line((uint32_t)l).offset,
				 sim_memory_offset(&sim.memory, lines + l * 16));
		assert_int_equal(machine_line((uint32_t)l).local, 1);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lines_and_fields),
		TEST(test_lock_wait),
		TEST(test_stolen),
		TEST(test_many_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
