// SPDX-License-Identifier: GPL-3.0-or-later
#include "csv_writer.h"

#include <assert.h>
#include <string.h>

#include "json_writer.h"

static void separate(struct csv_row *row)
{
	if (row->started)
		text_add(row->out, ",");
	row->started = true;
}

void csv_put(struct csv_row *row, const char *value)
{
	assert(value);
	separate(row);
	if (!strpbrk(value, ",\"\r\n")) {
		text_add(row->out, value);
		return;
	}
	text_add(row->out, "\"");
	for (; *value; value++)
		text_add(row->out, *value == '"' ? "\"\"" : (char[]){*value, '\0'});
	text_add(row->out, "\"");
}

void csv_flag(struct csv_row *row, bool value)
{
	csv_put(row, value ? "true" : "false");
}

void csv_count(struct csv_row *row, uint64_t value)
{
	separate(row);
	text_printf(row->out, "%llu", (unsigned long long)value);
}

void csv_number(struct csv_row *row, double value)
{
	separate(row);
	text_number(row->out, value, JSON_DIGITS);
}

void csv_exact(struct csv_row *row, double value)
{
	separate(row);
	text_number(row->out, value, EXACT_DIGITS);
}

void csv_decimal(struct csv_row *row, double value, int decimals)
{
	separate(row);
	text_decimal(row->out, value, decimals);
}

void csv_end(struct csv_row *row)
{
	text_add(row->out, "\r\n");
	row->started = false;
}
