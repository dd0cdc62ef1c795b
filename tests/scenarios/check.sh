#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh FUTEXSIM valid|invalid: reads every case of the folder and compares
# output, error and exit status byte for byte.
set -u

futexsim=$(realpath "$1")
kind=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
failures=0

complain()
{
	echo "$kind/$1: $2"
	failures=$((failures + 1))
}

# Runs one case in its own folder, without terminal and without running anything.
run_case()
{
	local args=()
	[ -f args ] && mapfile -t args < <(tr " " "\n" <args)
	"$futexsim" run input.json --dry-run "${args[@]}" >"$work/out" 2>"$work/err" </dev/null
	status=$?
}

check_invalid()
{
	[ "$status" -eq 3 ] || complain "$1" "exit status $status instead of 3"
	[ ! -s "$work/out" ] || complain "$1" "wrote to standard output"
	[ "$(wc -l <"$work/err")" -eq 1 ] || complain "$1" "the error is not one line"
	diff -u error "$work/err" || complain "$1" "another error than expected"
}

check_valid()
{
	[ "$status" -eq 0 ] || complain "$1" "exit status $status instead of 0"
	diff -u /dev/null "$work/err" || complain "$1" "wrote to standard error"
	diff -u resolved.json "$work/out" || complain "$1" "resolved otherwise than expected"
}

for folder in "$here/$kind"/*/; do
	name=$(basename "$folder")
	cd "$folder" || exit 1
	run_case
	"check_$kind" "$name"
	count=$((count + 1))
done
echo "$count $kind cases, $failures failures"
[ $count -gt 0 ] && [ $failures -eq 0 ]
