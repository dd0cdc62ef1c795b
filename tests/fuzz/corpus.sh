#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# corpus TARGET: prints the files to start from, one a line. Sourced by the scripts here.
corpus()
{
	local root
	root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
	case $1 in
	scenario) find "$root"/tests/scenarios "$root"/scenarios/*.json -name '*.json' ! -name profile.json ! -name resolved.json ;;
	profile) find "$root"/tests/scenarios "$root"/scenarios/machines -name profile.json -o -path '*machines/*.json' ;;
	esac | sort
	find "$root/tests/fuzz/found/$1" -type f 2>/dev/null | sort
}
