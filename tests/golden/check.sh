#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh FUTEXSIM DIRECTORY [--update]: every DIRECTORY/*.json gives the bytes of
# its .out file, run three times, with one job and with two; so does every
# reports/*.args, which holds a scenario there and arguments.
set -eu
futexsim=$1
directory=$2
update=${3-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# check EXPECTED ARGUMENT...
check()
{
	local expected=$1
	shift
	for jobs in 1 2 1; do
		# shellcheck disable=SC2086 # an emulator, where meson names one
		${MESON_EXE_WRAPPER-} "$futexsim" run "$@" --jobs "$jobs" >"$scratch/out" 2>/dev/null
		if [ "$update" = --update ]; then
			cp "$scratch/out" "$expected"
		elif ! cmp "$scratch/out" "$expected"; then
			diff "$scratch/out" "$expected" | head -20 || true
			failed=1
		fi
	done
}

for scenario in "$directory"/*.json; do
	check "${scenario%.json}.out" "$scenario" --format json
done
for arguments in "$directory"/reports/*.args; do
	read -r scenario rest <"$arguments"
	# shellcheck disable=SC2086 # words
	check "${arguments%.args}.out" "$directory/reports/$scenario" $rest
done
exit $failed
