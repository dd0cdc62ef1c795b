/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes CSV after RFC 4180 (CRLF), the same bytes on every host. Values go left to right. */
#ifndef FUTEXSIM_TOOLS_CSV_WRITER_H
#define FUTEXSIM_TOOLS_CSV_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

struct csv_row {
	struct text *out;
	bool started;
};

/* Quoted if it must be. */
void csv_put(struct csv_row *row, const char *value);
void csv_flag(struct csv_row *row, bool value);
void csv_count(struct csv_row *row, uint64_t value);
/* Digits as in JSON: see json_put_number, json_put_exact, json_put_decimal. */
void csv_number(struct csv_row *row, double value);
void csv_exact(struct csv_row *row, double value);
void csv_decimal(struct csv_row *row, double value, int decimals);
void csv_end(struct csv_row *row);

#endif
