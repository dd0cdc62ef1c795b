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

static void assert_classes(const struct transfer_counts *c, const uint64_t want[TRANSFER_CLASSES],
			   uint64_t hitm)
{
	for (int i = 0; i < TRANSFER_CLASSES; i++)
		assert_int_equal(c->by_class[i], want[i]);
	assert_int_equal(c->hitm, hitm);
}

static uint32_t type_called(const char *name)
{
	for (uint32_t i = 0; i < sim.memory.type_count; i++)
		if (sim.memory.types[i]->name == name)
			return i;
	fail_msg("no type %s", name);
	return 0;
}

/* Over all functions: field -1 is what has no name. */
static void assert_field(const char *type, int field, uint64_t local, uint64_t remote, sim_time ns)
{
	uint64_t sum[2] = {0};
	sim_time wait = 0;
	struct cell_stats cell;

	for (uint32_t i = 0; i < machine_cell_count(); i++) {
		if (!machine_cell(i, &cell) || cell.type != type_called(type) ||
		    cell.field != field)
			continue;
		for (enum transfer_class c = 0; c < TRANSFER_CLASSES; c++)
			sum[transfer_is_remote(c)] += cell.counts.by_class[c];
		wait += cell.counts.wait;
	}
	assert_int_equal(sum[false], local);
	assert_int_equal(sum[true], remote);
	assert_int_equal(wait, ns * SIM_NS);
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

/* Slots are CPUs 0..15: 0 and 1 are neighbours, 8 is on the other socket. */
static void owns_first(void *arg)
{
	(void)arg;
	add(table); /* memory of the own node */
	rig_at(3000 * SIM_NS);
	load(table); /* of slot 1: shared from now on */
	rig_at(5000 * SIM_NS);
	store(table, 1); /* slot 8 has a copy */
}

static void takes_next(void *arg)
{
	(void)arg;
	rig_at(1000 * SIM_NS);
	add(table);
}

static void reads_far(void *arg)
{
	(void)arg;
	rig_at(4000 * SIM_NS);
	load(table);
	add(table + 3 * 16); /* never used before: memory of the other node */
}

static void test_classes(void **state)
{
	const uint64_t line[TRANSFER_CLASSES] = {
		[TRANSFER_DRAM_LOCAL] = 1, [TRANSFER_CLUSTER] = 2, [TRANSFER_HOP1] = 2};
	const uint64_t memory[TRANSFER_CLASSES] = {[TRANSFER_DRAM_REMOTE] = 1};
	struct line_stats s;

	(void)state;
	os_task_start(0, owns_first, NULL);
	os_task_start(1, takes_next, NULL);
	os_task_start(8, reads_far, NULL);
	rig_run();
	s = stats_of(table);
	assert_classes(&s.counts, line, 2);
	assert_int_equal(s.counts.wait, s.wait);
	assert_int_equal(s.local + s.remote, 5);
	s = stats_of(table + 48);
	assert_classes(&s.counts, memory, 0);
}

/* Two functions, two fields: four cells, which add up to the line. */
static void in_function(void *pc, uint32_t *p)
{
	struct sim_cpu *cpu = sim.current;
	struct sim_context *caller = cpu->context;

	cpu->context = sim_context_find(&sim.contexts, caller, pc, true);
	add(p);
	cpu->context = caller;
}

static void calls(void *arg)
{
	static char one, two;

	for (uint32_t i = 0; i < 6; i++) {
		rig_at((1000 * i + *(const uint32_t *)arg) * SIM_NS);
		in_function(i % 2 ? &one : &two, i < 3 ? table : table + 1);
	}
}

static void test_cells(void **state)
{
	static const uint32_t start[] = {0, 500};
	struct transfer_counts sum = {0};
	struct cell_stats cell;
	uint32_t cells = 0;

	(void)state;
	os_task_start(0, calls, (void *)(uintptr_t)&start[0]);
	os_task_start(1, calls, (void *)(uintptr_t)&start[1]);
	rig_run();
	for (uint32_t i = 0; i < machine_cell_count(); i++) {
		if (!machine_cell(i, &cell))
			continue;
		cells++;
		assert_int_equal(cell.type, type_called("bucket"));
		assert_in_range(cell.field, 0, 1);
		assert_ptr_equal(cell.context->parent, &sim.contexts.root);
		sum.wait += cell.counts.wait;
		sum.hitm += cell.counts.hitm;
	}
	assert_int_equal(cells, 4);
	assert_int_equal(sum.hitm, 11);
	assert_int_equal(sum.wait, stats_of(table).wait);
	assert_int_equal(sum.hitm, stats_of(table).counts.hitm);
}

static void spins(void *arg)
{
	(void)arg;
	plat_wait_until_changed32((const _Atomic(uint32_t) *)(void *)(table + 1), 0);
}

static void ends_it(void *arg)
{
	(void)arg;
	rig_at(1000 * SIM_NS);
	add(table + 1);
}

/* What passes until the copy is lost is spun, on the field that is polled; the rest is waited. */
static void test_spin(void **state)
{
	struct cell_stats cell;
	sim_time spun = 0;

	(void)state;
	os_task_start(0, spins, NULL);
	os_task_start(1, ends_it, NULL);
	rig_run();
	for (uint32_t i = 0; i < machine_cell_count(); i++)
		if (machine_cell(i, &cell) && cell.field == 1)
			spun += cell.counts.spin;
	assert_in_range(spun, 850 * SIM_NS, 1050 * SIM_NS);
	assert_int_equal(stats_of(table).counts.spin, spun);
	machine_stats_reset();
	assert_int_equal(stats_of(table).counts.spin, 0);
}

static void call_many(void *arg)
{
	for (uintptr_t i = 0; i < 1000; i++) {
		in_function((void *)(16 * i + 16), arg);
		rig_at(rig_now() + 1000 * SIM_NS);
	}
}

/* The table of cells grows; none is lost. */
static void test_many_cells(void **state)
{
	struct cell_stats cell;
	uint64_t hitm = 0;
	uint32_t cells = 0;

	(void)state;
	os_task_start(0, call_many, table);
	os_task_start(1, call_many, table);
	rig_run();
	for (uint32_t i = 0; i < machine_cell_count(); i++)
		if (machine_cell(i, &cell)) {
			cells++;
			hitm += cell.counts.hitm;
		}
	assert_int_equal(cells, 1000);
	assert_int_equal(hitm, stats_of(table).counts.hitm);
	assert_true(hitm > 1000);
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
		TEST(test_classes),
		TEST(test_cells),
		TEST(test_spin),
		TEST(test_many_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
