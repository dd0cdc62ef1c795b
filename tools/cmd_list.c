// SPDX-License-Identifier: GPL-3.0-or-later
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "embedded.h"
#include "field.h"
#include "grid.h"
#include "json_writer.h"
#include "output.h"
#include "scenario.h"
#include "tables.h"

/* A list is a table of text; JSON is the same table as objects keyed by the titles. */

static void add_columns(struct grid *grid, const char *const *titles)
{
	for (; *titles; titles++)
		grid_column(grid, *titles, false);
}

static void list_machines(struct reader *r, struct grid *grid)
{
	const char *name;

	add_columns(grid,
		    (const char *const[]){"name", "cpus", "nodes", "isa", "line", "label", NULL});
	for (size_t i = 0; (name = embedded_name(r, "scenarios/machines/", i)); i++) {
		const struct machine_profile *m = shipped_machine(r, name);

		if (!m)
			return;
		grid_cell(grid, "%s", m->name);
		grid_cell(grid, "%u", machine_cpu_count(&m->topology));
		grid_cell(grid, "%u", machine_node_count(&m->topology));
		grid_cell(grid, "%s", m->ppc ? "ppc64le" : "x86-64");
		grid_cell(grid, "%u", m->line_size);
		grid_cell(grid, "%s", m->label);
	}
}

/* One row; false after an error. */
static bool add_scenario(struct reader *r, struct grid *grid, const char *folder, const char *name)
{
	const char *path = reader_printf(r, "%s%s.json", folder, name);
	const struct embedded_file *file = embedded_find(path);
	const struct overrides none = {0};
	struct scenario scenario;

	if (!read_scenario_text(r, path, file->text, file->length, &none, &scenario))
		return false;
	grid_cell(grid, "%s", name);
	grid_cell(grid, "%zu", scenario.count);
	grid_cell(grid, "%s", scenario.name);
	return true;
}

/* What lies beside the scenarios that published tables need. */
static bool is_data(const char *name)
{
	return strcmp(name, "published") == 0 || strcmp(name, "tables") == 0;
}

static void list_scenarios(struct reader *r, struct grid *grid)
{
	static const char *const folders[] = {"scenarios/", "scenarios/published/"};
	const char *name;

	add_columns(grid, (const char *const[]){"name", "cases", "title", NULL});
	for (size_t f = 0; f < 2; f++)
		for (size_t i = 0; (name = embedded_name(r, folders[f], i)); i++)
			if (!is_data(name) && !add_scenario(r, grid, folders[f], name))
				return;
}

static void list_tables(struct reader *r, struct grid *grid)
{
	struct tables tables;

	add_columns(grid, (const char *const[]){"name", "scenarios", "title", NULL});
	if (!read_tables(r, &tables))
		return;
	for (size_t i = 0; i < tables.count; i++) {
		const struct table_spec *table = &tables.table[i];

		grid_cell(grid, "%s", table->id);
		grid_cell(grid, "%s", field_join(r, table->scenarios.name, table->scenarios.count));
		grid_cell(grid, "%s", table->title);
	}
}

static void list_kernels(struct reader *r, struct grid *grid)
{
	(void)r;
	add_columns(grid, (const char *const[]){"name", "scope", "resizable", "refcount",
						"empty_check", "barrier_a", "barrier_b", "lock",
						"bucket", "back_pointer", "hash", NULL});
	for (unsigned i = 0; i < FUTEX_KERNEL_COUNT; i++) {
		struct futex_policy p = futex_policy_preset(i, false);

		grid_cell(grid, "%s", futex_kernel_name(i));
		grid_cell(grid, "%s", futex_scope_name(p.scope));
		grid_cell(grid, "%s", p.resizable ? "true" : "false");
		grid_cell(grid, "%s", refcount_name(p.refcount));
		grid_cell(grid, "%s", futex_empty_check_name(p.empty_check));
		grid_cell(grid, "%s", p.barrier_a ? "true" : "false");
		grid_cell(grid, "%s", p.barrier_b ? "true" : "false");
		grid_cell(grid, "%s", lock_choice(p.lock));
		grid_cell(grid, "%s", futex_bucket_name(p.bucket));
		grid_cell(grid, "%s", p.back_pointer ? "true" : "false");
		grid_cell(grid, "%s", futex_hash_name(p.hash));
	}
}

static const char *join_choices(struct reader *r, field_names names)
{
	const char *words[32];
	size_t count = 0;

	while (count < 32 && names((unsigned)count)) {
		words[count] = names((unsigned)count);
		count++;
	}
	return field_join(r, words, count);
}

static void list_policies(struct reader *r, struct grid *grid)
{
	static const char flag[] = "true, false";
	const struct {
		const char *key, *values, *meaning;
	} rows[] = {
		{"scope", join_choices(r, scope_choice), "which table private futexes use"},
		{"slots", "auto, powers of two 2..16777216",
		 "size of the table, per node if per-node"},
		{"resizable", flag, "false: immutable private table, never counted"},
		{"refcount", join_choices(r, refcount_choice),
		 "reference count of the private table"},
		{"empty_check", join_choices(r, empty_check_choice),
		 "how a wake sees that a bucket is empty without its lock"},
		{"barrier_a", flag, "full barrier of the waiter"},
		{"barrier_b", flag, "full barrier of the waker"},
		{"lock", join_choices(r, lock_choice), "lock of a bucket"},
		{"bucket", join_choices(r, bucket_choice), "layout of a bucket"},
		{"back_pointer", flag, "the bucket points to its private table"},
		{"hash", join_choices(r, hash_choice), "hash function"},
	};

	add_columns(grid, (const char *const[]){"key", "values", "meaning", NULL});
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		grid_cell(grid, "%s", rows[i].key);
		grid_cell(grid, "%s", rows[i].values);
		grid_cell(grid, "%s", rows[i].meaning);
	}
}

static void list_programs(struct reader *r, struct grid *grid)
{
	(void)r;
	add_columns(grid, (const char *const[]){"name", "meaning", NULL});
	grid_cell(grid, "%s", program_choice(0));
	grid_cell(grid, "perf bench futex hash: every thread waits on its own futexes in turn, and "
			"each wait fails its value check");
}

static void list_hashes(struct reader *r, struct grid *grid)
{
	static const char *const meaning[FUTEX_HASH_COUNT] = {
		[FUTEX_HASH_JHASH2] = "jhash2 over the key words the kernel generation takes",
		[FUTEX_HASH_JHASH2_ADDR] = "jhash2 over two words, the page address",
		[FUTEX_HASH_LONG] = "hash_long, one multiplication",
		[FUTEX_HASH_XXHASH] = "xxHash",
		[FUTEX_HASH_CRC32] = "CRC-32",
		[FUTEX_HASH_CRC32C] = "CRC-32C (Castagnoli)",
		[FUTEX_HASH_SIPHASH] = "SipHash",
		[FUTEX_HASH_HSIPHASH] = "HalfSipHash or its 64-bit stand-in",
	};

	(void)r;
	add_columns(grid, (const char *const[]){"name", "meaning", NULL});
	for (unsigned i = 0; i < FUTEX_HASH_COUNT; i++) {
		grid_cell(grid, "%s", hash_choice(i));
		grid_cell(grid, "%s", meaning[i] ? meaning[i] : "");
	}
}

static void list_metrics(struct reader *r, struct grid *grid)
{
	static const char *const meaning[METRIC_COUNT] = {
		[METRIC_OPS_PER_THREAD] = "operations per second, mean over threads",
		[METRIC_OPS_TOTAL] = "operations per second, all threads",
		[METRIC_NS_PER_OP] = "time of one operation of one thread, ns",
	};

	(void)r;
	add_columns(grid, (const char *const[]){"name", "meaning", NULL});
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		grid_cell(grid, "%s", metric_choice(i));
		grid_cell(grid, "%s", meaning[i]);
	}
}

static const struct {
	const char *name;
	void (*fill)(struct reader *r, struct grid *grid);
} lists[] = {
	{"machines", list_machines}, {"scenarios", list_scenarios}, {"tables", list_tables},
	{"kernels", list_kernels},   {"policies", list_policies},   {"programs", list_programs},
	{"hashes", list_hashes},     {"metrics", list_metrics},
};

enum { LIST_COUNT = sizeof(lists) / sizeof(lists[0]) };

static void print_grid_json(const struct grid *grid, struct text *out)
{
	struct json_writer w = {.out = out};

	json_open(&w, NULL, '[');
	for (size_t i = 0; i < grid->count; i += grid->columns) {
		json_open(&w, NULL, '{');
		for (size_t c = 0; c < grid->columns; c++)
			json_put_string(&w, grid->title[c], grid->cells[i + c]);
		json_close(&w, '}');
	}
	json_close(&w, ']');
}

static enum exit_status print_list(size_t index, bool json)
{
	enum exit_status status;
	struct grid grid = {0};
	struct text out = {0};
	struct reader reader;

	reader_init(&reader);
	lists[index].fill(&reader, &grid);
	if (reader.failed) {
		fprintf(stderr, "%s\n", reader.error.data);
		status = reader.status;
	} else {
		if (json)
			print_grid_json(&grid, &out);
		else
			grid_print(&grid, &out);
		status = output_stdout(&out) ? EXIT_DONE : EXIT_UNFINISHED;
	}
	text_free(&out);
	grid_free(&grid);
	reader_clean_up(&reader);
	return status;
}

static enum exit_status choose_list(const char *what, bool json)
{
	const char *names[LIST_COUNT];

	for (size_t i = 0; i < LIST_COUNT; i++) {
		names[i] = lists[i].name;
		if (strcmp(what, names[i]) == 0)
			return print_list(i, json);
	}
	return usage_error("list", "%s: unknown%s", what, did_you_mean(what, names, LIST_COUNT));
}

enum exit_status cmd_list(int argc, char **argv)
{
	static const struct option options[] = {{"format", required_argument, NULL, 'f'},
						{"help", no_argument, NULL, 'h'},
						{NULL, 0, NULL, 0}};
	bool json = false;
	int c;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (c == 'h')
			return print_string(usage_text("list"));
		if (c != 'f')
			return option_error("list", c, argv);
		json = strcmp(optarg, "json") == 0;
		if (!json && strcmp(optarg, "table") != 0)
			return usage_error("list", "--format %s: unknown; allowed: table, json",
					   optarg);
	}
	if (optind == argc)
		return usage_error("list", "which list?");
	if (optind + 1 < argc)
		return usage_error("list", "one list at a time, but there is also %s",
				   argv[optind + 1]);
	return choose_list(argv[optind], json);
}
