#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh FUTEXSIM DIRECTORY [--update]: every DIRECTORY/*.json gives the bytes
# of its .out file, run twice, with one job and with two.
set -eu
futexsim=$1
directory=$2
update=${3-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

for scenario in "$directory"/*.json; do
	expected=${scenario%.json}.out
	for jobs in 1 2 1; do
		"$futexsim" run "$scenario" --format json --jobs "$jobs" >"$scratch/out"
		if [ "$update" = --update ]; then
			cp "$scratch/out" "$expected"
		elif ! cmp "$scratch/out" "$expected"; then
			diff "$scratch/out" "$expected" | head -20 || true
			failed=1
		fi
	done
done
exit $failed
