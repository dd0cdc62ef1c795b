#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# command.sh FUTEXSIM_FAKE input|options|output|jobs|explain|lists: the command as a user meets it.
# Under nohup a hangup would be ignored, and rightly so: start afresh.
[ -n "${signals_are_default-}" ] || signals_are_default=1 exec env --default-signal bash "$0" "$@"
set -u
futexsim=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
part=$2
# shellcheck source=tests/tools/checks.sh
. "$here/checks.sh"

input()
{
	scenario 1 >good.json
	expect 3 "$futexsim" run none.json
	one_line err
	says err 'none.json: cannot be read: No such file or directory; allowed: a readable file'
	expect 3 "$futexsim" run .
	says err '.: is a directory; allowed: a file'
	truncate -s 100M huge.json
	expect 3 "$futexsim" run huge.json
	says err 'huge.json: too large; allowed: at most 16777216 bytes'
	head -c 100M /dev/zero | tr '\0' ' ' >spaces.json
	expect 3 "$futexsim" run spaces.json
	says err 'spaces.json: too large; allowed: at most 16777216 bytes'
	"$futexsim" run - <spaces.json >out 2>err
	[ $? -eq 3 ] || complain "100 MB on standard input"
	says err '-: too large; allowed: at most 16777216 bytes'
	expect 3 "$futexsim" run /dev/zero
	says err '/dev/zero: too large'
	printf '{ "name": "n", "machine": "p.json" }' >by-path.json
	ln -s spaces.json p.json
	expect 3 "$futexsim" run by-path.json
	says err 'p.json: too large; allowed: at most 16777216 bytes'
	for depth in 2049 100000; do
		{ printf '{ "name": '; printf '[%.0s' $(seq $depth); } >deep.json
		expect 3 "$futexsim" run deep.json
		one_line err
		says err 'maximum parsing depth reached near'
		says err 'allowed: at most 2048 levels'
	done
	{ printf '{ "name": '; printf '{"a":%.0s' $(seq 2000); } >deep.json
	expect 3 "$futexsim" run deep.json
	one_line err
	says err 'deep.json:1:10011: /name/a/a/a'
	expect 3 "$futexsim" run -
	says err '-:1:1: (root): '
	"$futexsim" run - --format csv <good.json >out 2>err || complain "standard input"
	expect 0 "$futexsim" run good.json --format csv
	cp out by-file
	"$futexsim" run - --format csv <good.json >out || complain "standard input"
	same out by-file
	"$futexsim" run - >out 2>err <&-
	[ $? -eq 3 ] || complain "closed standard input"
	says err '-: cannot be read: Bad file descriptor'
	expect 3 "$futexsim" run /proc/self/mem
	says err '/proc/self/mem: cannot be read: Input/output error'
	ln -s loop loop
	expect 3 "$futexsim" run loop
	says err 'loop: cannot be read: Too many levels of symbolic links'
	mkdir -p scenarios/machines
	echo '{ "name": 1 }' >scenarios/machines/spr-vm-2.json
	expect 3 "$futexsim" run good.json
	says err 'scenarios/machines/spr-vm-2.json:1:11: /name: 1 is not a string'
	rm -r scenarios
	cp good.json $'a\nb.json'
	echo x >>$'a\nb.json'
	expect 3 "$futexsim" run $'a\nb.json'
	one_line err
}

options()
{
	scenario 1 2 >good.json
	expect 2 "$futexsim"
	expect 2 "$futexsim" rum
	says err 'unknown command rum (did you mean "run"?)'
	expect 2 "$futexsim" run
	says err 'which scenario?'
	expect 2 "$futexsim" run good.json good.json
	expect 2 "$futexsim" run good.json --fromat json
	says err 'unknown or ambiguous option --fromat'
	expect 2 "$futexsim" run good.json -x
	expect 2 "$futexsim" run good.json --timing=yes
	says err '--timing=yes takes no value'
	expect 2 "$futexsim" run good.json --format
	says err '--format needs a value'
	expect 2 "$futexsim" run good.json --format jsno
	says err '--format jsno: unknown (did you mean "json"?); allowed: table, json, csv'
	for jobs in 0 -1 x 1025 1x '' 99999999999999999999; do
		expect 2 "$futexsim" run good.json --jobs "$jobs"
		says err 'not possible; allowed: 1..1024'
	done
	for seed in -1 x 1.5 9223372036854775808; do
		expect 2 "$futexsim" run good.json --seed "$seed"
		says err 'not possible; allowed: 0..9223372036854775807'
	done
	expect 2 "$futexsim" run good.json --set workload.threads
	one_line err
	expect 2 "$futexsim" run good.json --set workload.thread=1
	says err '(did you mean "workload.threads"?)'
	expect 3 "$futexsim" run good.json --set workload.placement=[3]
	says err '--set workload.placement=[3]: /workload/placement/0: 3 is too large; allowed: '
	expect 0 "$futexsim" run good.json --seed 77 --format json
	says out '"seed": 77,'
	expect 0 "$futexsim" run good.json --set workload.threads=1 --set workload.threads=2 --format json
	says out '"threads": 2,'
	for help in --help 'run --help' 'validate --help' 'list --help' 'schema --help' --version; do
		# shellcheck disable=SC2086 # words
		expect 0 "$futexsim" $help
		says out futexsim
		silent err
	done
	expect 2 "$futexsim" list
	says err 'which list?'
	expect 2 "$futexsim" list machines kernels
	says err 'one list at a time, but there is also kernels'
	expect 2 "$futexsim" list machine
	says err '(did you mean "machines"?)'
	expect 2 "$futexsim" list machines --format csv
	expect 2 "$futexsim" schema
	says err 'which schema?'
	expect 2 "$futexsim" schema machine result
	says err 'one schema at a time, but there is also result'
	expect 2 "$futexsim" schema scenarios
	says err '(did you mean "scenario"?)'
}

# A file that may not grow any more: an error, not the end of the process.
limited()
{
	expect 1 bash -c "ulimit -f 1; exec '$futexsim' run $1 --format json >printed"
	says err 'standard output: cannot be written: File too large'
	expect 1 bash -c "ulimit -f 1; exec '$futexsim' run $1 --format json -o limited >/dev/full"
	says err 'limited: cannot be written: File too large'
	[ ! -e limited ] || complain "half a file is left"
}

output()
{
	scenario 1 2 >good.json
	scenario 1 902 >bad.json
	for format in table json csv; do
		expect 0 "$futexsim" run good.json --format $format
		silent err
		cp out printed
		expect 0 "$futexsim" run good.json --format $format -o file
		silent out
		silent err
		same file printed
		expect 0 "$futexsim" run good.json --format $format -o -
		same out printed
		expect 1 "$futexsim" run bad.json --format $format -o file
		says err 'file is unchanged'
		says out s1
		same file printed
		"$futexsim" run good.json --format $format >/dev/full 2>err
		[ $? -eq 1 ] || complain "full device, $format"
		says err 'standard output: cannot be written: No space left on device'
		"$futexsim" run good.json --format $format 2>err >&-
		[ $? -eq 1 ] || complain "closed standard output, $format"
		says err 'standard output: cannot be written'
		{ "$futexsim" run good.json --format $format 2>err; echo $? >status; } | true
		[ "$(cat status)" -eq 1 ] || complain "closed pipe, $format"
		says err 'standard output: cannot be written: Broken pipe'
	done
	expect 1 "$futexsim" run good.json -o no/such/folder
	says err 'no/such/folder: cannot be written: No such file or directory'
	expect 1 "$futexsim" run good.json -o ''
	says err ': cannot be written: No such file or directory'
	expect 1 "$futexsim" run good.json -o .
	says err '.: cannot be written: Is a directory'
	expect 1 "$futexsim" run good.json -o /dev/full
	says err '/dev/full: cannot be written: No space left on device'
	says err 'the results are on standard output instead'
	says out s2
	limited good.json
	expect 0 "$futexsim" run good.json -o /dev/null
	[ ! -e - ] || complain "-o - made a file"
	expect 0 "$futexsim" run good.json -o ./-
	[ -s - ] || complain "-o ./- made no file"
	ln -s target link
	echo old >target
	expect 0 "$futexsim" run good.json --format json -o link
	[ -L link ] || complain "-o replaced a link"
	says target '"tool": "futexsim"'
	chmod 640 target
	expect 0 "$futexsim" run good.json -o target
	[ "$(stat -c %a target)" = 640 ] || complain "-o changed the mode"
	[ -z "$(find . -name '*.??????' ! -name '*.json')" ] || complain "temporary files are left: $(ls)"
	for command in --help --version 'list machines' 'schema machine' 'run good.json --dry-run'; do
		# shellcheck disable=SC2086 # words
		"$futexsim" $command >/dev/full 2>err
		[ $? -eq 1 ] || complain "full device, $command"
		says err 'standard output: cannot be written'
	done
	expect 0 "$futexsim" run good.json --format csv --timing
	says out ',sim_ms,wall_s'
	expect 0 "$futexsim" run good.json --format json --timing
	says out '"accesses_per_sec": 400000,'
	expect 0 "$futexsim" run good.json --timing
	says out 'million accesses/s'
	expect 0 "$futexsim" run good.json --format csv
	[ "$(tr -dc '\r' <out | wc -c)" -eq 3 ] || complain "CSV lines do not end in CRLF"
	[ "$(awk -F, '{ print NF }' out | sort -u | wc -l)" -eq 1 ] || complain "CSV rows differ in length"
	printf '{ "name": "n", "machine": "spr-vm-2", "sweep": { "workload.placement": [[0, 1]] } }' >sweep.json
	expect 0 "$futexsim" run sweep.json --format csv
	says out '"case/workload.placement=[0,1]",spr-vm-2,'
	scenario 904 >no-precision.json
	expect 0 "$futexsim" run no-precision.json
	says out 'warning: s904: precision of 1 % was not reached within 200 ms'
	expect 0 "$futexsim" run no-precision.json --format json
	says out '"precision_reached": false'
	says err 'warning: case s904: precision not reached'
}

# interrupt SIGNAL: three quick cases, then endless ones.
interrupt()
{
	scenario 1 2 3 906 907 >slow.json
	setsid "$futexsim" run slow.json --jobs 1 --format json >out 2>err &
	local pid=$!
	sleep 0.7
	kill -"$1" -- "-$pid" # the whole group, as a terminal does
	wait $pid
	[ $? -eq 1 ] || complain "SIG$1: exit status"
	says err 'futexsim: interrupted after 3 of 5 cases'
	! grep -q 'its process' err || complain "SIG$1: a worker is blamed: $(cat err)"
	says out '"id": "s3"'
	python3 -c 'import json; assert len(json.load(open("out"))["results"]) == 3' || complain "SIG$1: JSON"
}

# All that are running; the command goes on.
kill_workers()
{
	# shellcheck disable=SC2046 # words
	kill -KILL $(cat /proc/"$1"/task/"$1"/children)
}

jobs()
{
	scenario 1 2 3 4 5 6 7 8 9 10 905 11 12 13 >many.json
	for n in 1 2 3 16; do
		expect 0 "$futexsim" run many.json --jobs $n --format json
		cp out out-$n
		same out-$n out-1
	done
	expect 0 "$futexsim" run many.json --format json
	same out out-1
	scenario 1 900 2 901 902 903 3 >trouble.json
	for n in 1 4; do
		expect 1 "$futexsim" run trouble.json --jobs $n --format csv
		says err 'futexsim: case s900: its process was ended by signal 9 (Killed)'
		says err 'futexsim: case s901: its process ended with status 7 and without a result'
		says err 'futexsim: case s902: out of simulated memory'
		says err 'futexsim: case s903: the result has no finite chi2'
		says err 'futexsim: 4 of 7 cases failed'
		[ "$(cut -d, -f1 out | tr '\n' ' ')" = 'id s1 s2 s3 ' ] || complain "finished cases: $(cut -d, -f1 out)"
	done
	interrupt INT
	interrupt TERM
	interrupt HUP
	setsid nohup "$futexsim" run slow.json --jobs 2 >out 2>err &
	local pid=$!
	sleep 0.5
	kill -HUP -- "-$pid"
	sleep 0.3
	kill -0 $pid || complain "nohup is not respected"
	kill_workers $pid
	wait $pid
	[ $? -eq 1 ] || complain "killed workers: exit status"
	says err 'futexsim: case s907: its process was ended by signal 9 (Killed)'
	says err 'futexsim: 2 of 5 cases failed'
	says out s3
	echo old >kept
	setsid "$futexsim" run slow.json -o kept >out 2>err &
	pid=$!
	sleep 0.7
	kill -TERM $pid
	wait $pid
	[ $? -eq 1 ] || complain "interrupted -o: exit status"
	[ "$(cat kept)" = old ] || complain "interrupted -o: the file was touched"
	says out s3
	says err 'kept is unchanged'
	setsid "$futexsim" run slow.json --jobs 2 >out 2>err &
	pid=$!
	sleep 0.7
	local workers
	workers=$(cat /proc/$pid/task/$pid/children)
	kill -KILL $pid
	wait $pid 2>/dev/null
	sleep 0.3
	for worker in $workers; do
		[ ! -d /proc/"$worker" ] || grep -q '^State:.Z' /proc/"$worker"/status 2>/dev/null ||
			complain "worker $worker outlives the command"
	done
	[ -n "$workers" ] || complain "no worker was running"
	if script -qec true /dev/null >/dev/null 2>&1; then # there is a pseudo-terminal to be had
		TERM=xterm script -qec "$futexsim run many.json --jobs 1 --format csv >/dev/null" typescript >/dev/null
		says typescript 'of 14 cases'
		says typescript ' left'
	fi
	expect 0 "$futexsim" run many.json
	silent err
}

# What is finished is reported, whatever the report.
explain_trouble()
{
	scenario 1 902 900 >bad.json
	for format in table json csv; do
		for report in --lines --functions --ablate --sensitivity; do
			expect 1 "$futexsim" run bad.json $report --format $format
			says err 'futexsim: case s902: out of simulated memory'
			says err 'futexsim: case s900: its process was ended by signal 9 (Killed)'
			says out s1
		done
		expect 1 "$futexsim" run bad.json --why s1 s902 --format $format
		says err 'futexsim: 1 of 2 cases failed'
		expect 1 "$futexsim" run bad.json --why s900 s902 --format $format
		says err 'futexsim: 2 of 2 cases failed'
	done
	echo '{ "name": "one", "machine": "spr-vm-2" }' >one.json
	for report in '' --lines --functions --ablate --sensitivity '--why case case'; do
		# shellcheck disable=SC2086 # words
		expect 0 "$futexsim" run one.json $report
	done
	echo '{ "name": "none", "machine": "spr-vm-2", "cases": [] }' >none.json
	expect 3 "$futexsim" run none.json --ablate
	says err 'none.json:1:51: /cases: an array has 0 items'
	python3 -c 'print({"name": "huge", "machine": "spr-vm-2", "sweep": {"measure.seed": [*range(200)], "workload.futexes": [*range(1, 52)]}})' |
		tr "'" '"' >huge.json
	expect 3 "$futexsim" run huge.json
	says err '/sweep: 10200 points times 1 cases; allowed: at most 10000 in all'
}

explain()
{
	explain_trouble
	scenario 1 2 3 >good.json
	expect 2 "$futexsim" run good.json --why s1
	says err 'needs two cases'
	expect 2 "$futexsim" run good.json --why
	expect 2 "$futexsim" run good.json --why s1 --lines
	says err '--why needs two cases'
	expect 2 "$futexsim" run good.json --why s1 s9
	one_line err
	says err '--why s9: no such case (did you mean "s'
	expect 2 "$futexsim" run good.json --ablate --sensitivity
	says err 'one of --why, --ablate, --sensitivity at a time'
	expect 2 "$futexsim" run good.json --ablate --lines
	for report in --ablate --sensitivity '--lines --format csv' '--functions --format csv' '--why s1 s2 --format csv'; do
		# shellcheck disable=SC2086 # words
		expect 2 "$futexsim" run good.json --timing $report
		says err '--timing goes with rows of cases, or with JSON'
	done
	expect 0 "$futexsim" run good.json --timing --ablate --format json
	says out accesses_per_sec
	expect 2 "$futexsim" run good.json --lines --functions --format csv
	says err 'CSV is one table'
	expect 0 "$futexsim" run good.json --lines --functions
	says out '== lines: s3'
	says out '== functions: s1'
	expect 0 "$futexsim" run good.json --why s1 s1
	says out 'Both take the same time.'
	expect 0 "$futexsim" run good.json --why s3 s1 --format json
	python3 -c 'import json; d = json.load(open("out")); assert [r["id"] for r in d["results"]] == ["s3", "s1"] and d["why"]["a"] == "s3"' ||
		complain "--why: JSON"
	for report in --ablate --sensitivity '--why s1 s3' --lines --functions; do
		for format in table json csv; do
			for n in 1 3 16; do
				# shellcheck disable=SC2086 # words
				expect 0 "$futexsim" run good.json $report --format $format --jobs $n
				silent err
				[ $n -eq 1 ] && cp out out-1
				same out out-1
			done
			[ $format = csv ] && [ "$(awk -F, '{ print NF }' out | sort -u | wc -l)" -ne 1 ] &&
				complain "$report: CSV rows differ in length"
		done
	done
	expect 0 "$futexsim" run good.json --ablate --dry-run
	says out '"id": "s2/ablate=more-slots"'
	expect 0 "$futexsim" run good.json --sensitivity --dry-run
	says out '"id": "s1/t_rmw=+10%"'
	scenario 1 902 >bad.json
	expect 1 "$futexsim" run bad.json --why s1 s902
	says err 'case s902: out of simulated memory'
	expect 1 "$futexsim" run bad.json --ablate --format json
	python3 -c 'import json; d = json.load(open("out")); assert [c["case"] for c in d["ablation"]] == ["s1"]' || complain "--ablate: JSON"
	scenario 1 906 >slow.json
	for report in --ablate --sensitivity '--why s1 s906'; do
		# shellcheck disable=SC2086 # words
		setsid "$futexsim" run slow.json --jobs 1 $report >out 2>err &
		local pid=$!
		sleep 0.7
		kill -INT $pid
		wait $pid
		[ $? -eq 1 ] || complain "interrupted $report: exit status"
		says err 'futexsim: interrupted after'
		says out s1
	done
}

lists()
{
	for what in machines scenarios tables kernels policies programs hashes metrics; do
		expect 0 "$futexsim" list $what
		silent err
		[ "$(wc -l <out)" -ge 2 ] || complain "list $what is empty"
		expect 0 "$futexsim" list $what --format json
		python3 -c 'import json; assert json.load(open("out"))' || complain "list $what: JSON"
	done
	expect 0 "$futexsim" list machines
	says out 'power10-80'
	expect 0 "$futexsim" list kernels
	says out 'v6.16-rc'
	expect 0 "$futexsim" list scenarios
	says out 'e5-2650-hashes'
	expect 0 "$futexsim" list tables
	says out 'e5-2650-sweep'
	expect 0 "$futexsim" list metrics
	says out ops_per_sec_per_thread
	for name in scenario machine result validation cross fit published tables; do
		expect 0 "$futexsim" schema $name
		# shellcheck disable=SC2016
		python3 -c 'import json; assert "$schema" in json.load(open("out"))' || complain "schema $name"
	done
	expect 0 "$futexsim" run e5-2650-immutable --dry-run
	cp out by-name
	expect 0 "$futexsim" run e5-2650-immutable.json --dry-run
	same out by-name
}

case $part in
input | options | output | jobs | explain | lists) "$part" ;;
*) echo "unknown part $part" && exit 2 ;;
esac
finish "$part"
