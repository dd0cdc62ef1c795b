# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What command.sh and validate.sh share: an empty directory, and checks.
# The simulation is a stand-in that makes trouble by seed:
# 900 kill, 901 exit, 902 error, 903 not a number, 904 no precision, 905 0.1 s, 906 and 907 endless.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0
failures=0

complain()
{
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# expect STATUS COMMAND...: runs it into out and err.
expect()
{
	local wanted=$1 status
	shift
	"$@" >out 2>err </dev/null
	status=$?
	checks=$((checks + 1))
	[ $status -eq "$wanted" ] || complain "$*: exit status $status instead of $wanted: $(head -c 300 err)"
}

# says FILE TEXT: the file has a line that contains the text.
says()
{
	checks=$((checks + 1))
	grep -qF -- "$2" "$1" || complain "$1 does not say: $2; but: $(head -c 400 "$1")"
}

silent()
{
	checks=$((checks + 1))
	[ ! -s "$1" ] || complain "$1 should be empty: $(head -c 200 "$1")"
}

same()
{
	checks=$((checks + 1))
	cmp -s "$1" "$2" || complain "$1 and $2 differ"
}

one_line()
{
	checks=$((checks + 1))
	[ "$(wc -l <"$1")" -eq 1 ] || complain "$1 is not one line: $(head -c 300 "$1")"
}

# scenario SEED...: a scenario with one case per seed.
scenario()
{
	local cases='' seed
	for seed in "$@"; do
		cases="$cases${cases:+,} { \"id\": \"s$seed\", \"measure\": { \"seed\": $seed } }"
	done
	printf '{ "name": "trouble", "machine": "spr-vm-2", "cases": [%s ] }\n' "$cases"
}

# finish NAME: the result of all checks.
finish()
{
	echo "$1: $checks checks, $failures failures"
	[ $checks -gt 0 ] && [ $failures -eq 0 ]
}
