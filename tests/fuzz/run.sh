#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh FUZZER scenario|profile [SECONDS]: fuzzes from the corpus; fails on any
# finding and keeps the input that showed it in the current directory.
set -eu
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/corpus.sh"
fuzzer=$1
target=$2
seconds=${3:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/seeds" "$work/new"
number=0
while IFS= read -r file; do
	cp "$file" "$work/seeds/$number"
	number=$((number + 1))
done < <(corpus "$target")
[ $number -gt 0 ]
dictionary=$(dirname "${BASH_SOURCE[0]}")/$target.dict
"$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
	-dict="$dictionary" -print_final_stats=1 -artifact_prefix="./$target-finding-" \
	"$work/new" "$work/seeds"
