#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Rules of the tree that no compiler checks. Prints every violation; fails if there is one.
#   check.sh [TREE]
set -uo pipefail

cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}" || exit 1
areas='sim models scenarios tools tests'
lines_max=600
count=0

bad()
{
	printf '%s\n' "$*"
	count=$((count + 1))
}

# Files of the tree, NUL-separated: text that people write.
code()
{
	# shellcheck disable=SC2086 # a list
	find $areas -type f \( -name '*.[chS]' -o -name '*.py' -o -name '*.sh' -o -name meson.build \) -print0
	find tools .ci -type f ! -name '*.*' -print0 2>/dev/null
	find . -maxdepth 1 -name meson.build -print0
}

file_length()
{
	local file lines
	while IFS= read -r -d '' file; do
		lines=$(wc -l <"$file")
		[ "$lines" -le $lines_max ] || bad "$file: $lines lines, at most $lines_max"
	done < <(code)
}

licence_lines()
{
	local file
	while IFS= read -r -d '' file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' ||
			bad "$file: no SPDX line among the first three"
	done < <(code)
}

# The words are written with brackets so that this file does not contain them.
banned_words()
{
	local file line words='\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K|st[u]b|unimplemente[d]|not implemente[d])\b'
	local tests='\bski[p]\(\)|assert_true\((tru[e]|[1])\)'
	while IFS= read -r -d '' file; do
		while IFS= read -r line; do
			bad "$file:$line"
		done < <(grep -nE "$words|$tests" "$file")
	done < <(code)
}

# The area a path belongs to, as in the layout of README.md.
area_of()
{
	case $1 in
	models/platform.h) echo platform ;;
	models/*/*) local rest=${1#models/} && echo "${rest%%/*}" ;;
	*/*) echo "${1%%/*}" ;;
	esac
}

# What an area may include: dependencies point one way.
may_include()
{
	case $1 in
	sim) echo sim ;;
	machine) echo machine sim ;;
	os) echo os machine sim platform ;;
	native) echo native platform ;;
	platform) echo platform ;;
	sync) echo sync platform ;;
	futex) echo futex sync platform ;;
	workload) echo workload futex sync platform ;;
	tools | tests) echo any ;;
	esac
}

# The file an #include "..." means: beside the includer, or below one of the include roots.
resolve()
{
	local root
	for root in "$(dirname "$1")" models sim tools .; do
		[ -f "$root/$2" ] && realpath --relative-to=. "$root/$2" && return
	done
}

include_direction()
{
	local file name target from to
	while IFS= read -r -d '' file; do
		from=$(area_of "$file")
		[ -n "$(may_include "$from")" ] || bad "$file: belongs to no known area"
		while IFS= read -r name; do
			target=$(resolve "$file" "$name")
			if [ -z "$target" ]; then
				bad "$file: \"$name\" not found"
				continue
			fi
			to=$(area_of "$target")
			case " $(may_include "$from") " in
			*" $to "* | ' any ') ;;
			*) bad "$file: $from must not include \"$name\" of $to" ;;
			esac
		done < <(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file")
	done < <(find sim models tools tests -type f -name '*.[ch]' -print0)
}

readme_per_folder()
{
	local folder
	# shellcheck disable=SC2086 # a list
	while IFS= read -r -d '' folder; do
		[ -f "$folder/README.md" ] || bad "$folder: no README.md"
	done < <(find $areas -maxdepth 1 -type d ! -empty ! -name __pycache__ -print0)
}

headers_compile_alone()
{
	local header output flags
	flags=$(pkg-config --cflags jansson gsl cmocka 2>/dev/null)
	while IFS= read -r -d '' header; do
		# shellcheck disable=SC2086 # flags
		output=$(printf '#include "%s"\n' "$header" |
			"${CC:-gcc}" -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I. -Imodels -Isim -Itools $flags \
				-x c - 2>&1) || bad "$header: does not compile alone: $output"
	done < <(find sim models tools -type f -name '*.h' -print0)
}

for area in $areas; do
	[ -d "$area" ] || bad "$area: no such folder"
done
[ $count -eq 0 ] || exit 1
file_length
licence_lines
banned_words
include_direction
readme_per_folder
headers_compile_alone
[ $count -eq 0 ] || printf '%s violations\n' "$count"
[ $count -eq 0 ]
