#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# validate.sh FUTEXSIM_FAKE: the command validate as a user meets it.
set -u
futexsim=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools/checks.sh
. "$here/checks.sh"

# The tables of validate/, which lie where the shipped ones would: stored outputs, byte for byte.
outputs()
{
	cp -r "$here/validate/scenarios" .
	for format in table json csv; do
		for n in 1 3; do
			expect 0 "$futexsim" validate --format $format --jobs $n
			silent err
			same out "$here/validate/$format.out"
		done
		expect 0 "$futexsim" validate --format $format -o -
		same out "$here/validate/$format.out"
		[ ! -e - ] || complain "validate -o - made a file"
		expect 0 "$futexsim" validate --format $format -o file
		silent out
		same file "$here/validate/$format.out"
	done
	expect 0 "$futexsim" validate --table hashes
	says out 'hashes: two functions'
	says out 'difference from the reference rows: off by 2.8 points, target 4.0'
	! grep -q 'sweep\|not predicted' out || complain "--table hashes shows more than that"
	expect 0 "$futexsim" validate --table hashes --table sweep
	says out 'sweep: six sizes'
	expect 0 "$futexsim" validate scenarios/small.json scenarios/other.json
	says out 'small: small tables'
	says out 'value: published is ns_per_op'
	! grep -q 'target\|not predicted' out || complain "scenarios have no target"
}

options()
{
	expect 2 "$futexsim" validate --table hash
	says err '--table hash: unknown (did you mean "hashes"?)'
	expect 2 "$futexsim" validate --table sweep scenarios/small.json
	says err '--table chooses from the index; scenarios/small.json is a scenario'
	for precision in 0 -1 0.6 x 1% '' nan inf 0x1p-3 1e-999; do
		expect 2 "$futexsim" validate --precision "$precision"
		says err 'not possible; allowed: numbers above 0, up to 0.5'
	done
	for option in '--format jsno' '--jobs 0' '--seed -1' --tabel --table -x --quick=1; do
		# shellcheck disable=SC2086 # words
		expect 2 "$futexsim" validate $option
		one_line err
		silent out
	done
	expect 2 "$futexsim" validate --set policy.slot=4
	says err '(did you mean "policy.slots"?)'
	for set in '--quick' '--precision 0.05' '--set measure.precision=0.05'; do
		# shellcheck disable=SC2086 # words
		expect 0 "$futexsim" validate $set --format json
		says out '"precision": 0.05,'
	done
	expect 0 "$futexsim" validate --quick --precision 0.1 --format json
	says out '"precision": 0.1,'
	expect 0 "$futexsim" validate --precision 0.1 --set measure.precision=0.2 --seed 8 --format json
	says out '"precision": 0.2,'
	says out '"seed": 8,'
}

# wrong_tables TEXT MESSAGE: an index that is refused.
wrong_tables()
{
	printf '%s' "$1" >scenarios/published/tables.json
	expect 3 "$futexsim" validate
	one_line err
	says err "scenarios/published/tables.json$2"
}

input()
{
	wrong_tables '{ "tables": [] }' ':1:1: (root): the key "unmapped" is missing'
	wrong_tables '{ "tables": [], "unmapped": [] }' ':1:13: /tables: an array has 0 items'
	wrong_tables '{ "tables": [ { "id": "a", "title": "t", "records": ["N1-e5-b2"] } ], "unmapped": [] }' \
		':1:15: /tables/0: the key "scenarios" is missing'
	wrong_tables '{ "tables": [ { "id": "a", "title": "t", "scenarios": ["none"], "records": ["N1-e5-b2"] } ], "unmapped": [] }' \
		': there is no shipped scenario "none"'
	wrong_tables '{ "tables": [ { "id": "a", "title": "t", "scenarios": ["small"], "records": ["N1-e5-b3"] } ], "unmapped": [] }' \
		': table a has no row'
	wrong_tables '{ "tables": [ { "id": "a", "title": "t", "scenarios": ["small"], "records": ["N1-e5-b2"], "target": { "mean_pct": 0, "worst_pct": 1 } } ], "unmapped": [] }' \
		':1:115: /tables/0/target/mean_pct: 0 is too small; allowed: numbers above 0, up to 1000'
	wrong_tables '{ "tables": 1, "unmapped": [], "unmaped": [] }' ':1:32: /unmaped: unknown key (did you mean "unmapped"?)'
	rm scenarios/published/tables.json
	expect 3 "$futexsim" validate none.json
	says err 'none.json: cannot be read'
	scenario 1 >no-expect.json
	expect 3 "$futexsim" validate no-expect.json
	says err 'no-expect.json: no case has the key "expect"'
}

# rows SEED...: a scenario with one row per seed.
rows()
{
	scenario "$@" | sed 's/ } }/ }, "expect": { "record": "N1-e5-b2", "role": "predict" } }/g'
}

trouble()
{
	rows 1 2 902 3 >bad.json
	for format in table json csv; do
		expect 1 "$futexsim" validate bad.json --format $format -o file
		says err 'futexsim: case bad/s902: out of simulated memory'
		says err 'futexsim: 1 of 4 cases failed'
		says err 'file is unchanged'
		says out s3
	done
	expect 1 "$futexsim" validate bad.json
	says out '1 missing rows'
	rows 1 2 906 907 >slow.json
	setsid "$futexsim" validate slow.json --jobs 1 --format json >out 2>err &
	local pid=$!
	sleep 0.7
	kill -INT -- "-$pid"
	wait $pid
	[ $? -eq 1 ] || complain "SIGINT: exit status"
	says err 'futexsim: interrupted after 2 of 4 cases'
	python3 -c 'import json; t = json.load(open("out"))["tables"][0]; assert t["rows"] == 2 == t["missing_rows"]' ||
		complain "SIGINT: JSON"
	rows 902 >nothing.json
	for format in table json csv; do
		expect 1 "$futexsim" validate nothing.json --format $format
	done
	for name in e5-2650-hashes power10-80-all power10-80x1024; do
		expect 0 "$futexsim" run $name --dry-run
	done
}

outputs
options
input
trouble
finish validate
