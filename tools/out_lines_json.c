// SPDX-License-Identifier: GPL-3.0-or-later
/* Lines and functions of the result format, scenarios/schema/result.schema.json. */
#include <inttypes.h>
#include <stdio.h>

#include "explain.h"

static void put_counts(struct json_writer *w, const struct result_counts *c)
{
	json_put_uint(w, "local_transfers", counts_local(c));
	json_put_uint(w, "remote_transfers", counts_remote(c));
	json_open_flat(w, "transfers", '{');
	for (int i = 0; i < TRANSFER_CLASSES; i++)
		json_put_uint(w, transfer_class_name[i], c->transfers[i]);
	json_close(w, '}');
	json_put_uint(w, "hitm", c->hitm);
	json_put_number(w, "wait_ns_per_op", c->wait_ns_per_op);
	json_put_number(w, "spin_ns_per_op", c->spin_ns_per_op);
}

static void put_field_functions(struct json_writer *w, const struct case_result *r, uint32_t line,
				uint32_t field)
{
	json_open(w, "functions", '[');
	for (uint32_t i = 0; i < r->cell_count; i++) {
		const struct result_cell *cell = &r->cells[i];

		if (cell->line != line || cell->field != field)
			continue;
		json_open(w, NULL, '{');
		json_put_string(w, "name", result_function_name(r, cell->function));
		put_counts(w, &cell->counts);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_fields(struct json_writer *w, const struct case_result *r, uint32_t line)
{
	json_open(w, "fields", '[');
	for (uint32_t f = 0; f < r->lines[line].field_count; f++) {
		json_open(w, NULL, '{');
		json_put_string(w, "name", r->lines[line].fields[f].name);
		put_counts(w, &r->lines[line].fields[f].counts);
		put_field_functions(w, r, line, f);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_hot(struct json_writer *w, const struct case_result *r)
{
	char address[24];

	json_open(w, "hot_lines", '[');
	for (uint32_t i = 0; i < r->hot_count; i++) {
		json_open(w, NULL, '{');
		snprintf(address, sizeof(address), "0x%" PRIx64, r->hot[i].address);
		json_put_string(w, "name", r->hot[i].name);
		json_put_string(w, "address", address);
		json_put_int(w, "home_node", r->hot[i].home_node);
		put_counts(w, &r->hot[i].counts);
		json_close(w, '}');
	}
	json_close(w, ']');
}

void json_put_lines(struct json_writer *w, const struct case_result *r)
{
	json_open(w, "lines", '[');
	for (uint32_t i = 0; i < r->line_count; i++) {
		json_open(w, NULL, '{');
		json_put_string(w, "name", r->lines[i].name);
		json_put_int(w, "home_node", r->lines[i].home_node);
		json_put_uint(w, "lines", r->lines[i].lines);
		put_counts(w, &r->lines[i].counts);
		put_fields(w, r, i);
		json_close(w, '}');
	}
	json_close(w, ']');
	put_hot(w, r);
}

void json_put_functions(struct json_writer *w, const struct case_result *r)
{
	json_open(w, "functions", '[');
	for (uint32_t i = 0; i < r->function_count; i++) {
		json_open(w, NULL, '{');
		json_put_string(w, "name", r->functions[i].name);
		json_put_number(w, "self_share", r->functions[i].self_share);
		json_put_number(w, "total_share", r->functions[i].total_share);
		json_close(w, '}');
	}
	json_close(w, ']');
}
