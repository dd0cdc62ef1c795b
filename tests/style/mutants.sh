#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every rule of check.sh must refuse a tree that breaks it, with a message about the right file.
set -uo pipefail

check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0
spdx='/* SPDX-License-Identifier: GPL-3.0-or-later */'

# A small tree that breaks nothing.
good_tree()
{
	rm -rf "$tree/t t"
	mkdir -p "$tree/t t"/{sim,models/{machine,os,native,sync,futex,workload},scenarios,tools,tests/unit}
	cd "$tree/t t" || exit 1
	touch {sim,models,models/{machine,os,native,sync,futex,workload},scenarios,tools,tests,tests/unit}/README.md
	printf '%s\n#include <stdint.h>\nextern uint32_t x;\n' "$spdx" |
		tee sim/time.h models/platform.h models/machine/cost.h models/sync/lock.h models/futex/hash.h \
			tools/report.h >/dev/null
	printf '%s\n#include "sim/time.h"\n#include "cost.h"\n' "$spdx" >models/machine/cost.c
	printf '%s\n#include "sync/lock.h"\n#include "platform.h"\n' "$spdx" >models/futex/hash.c
}

# refuses PATTERN FILE LINE...: appends to FILE; check.sh must fail with PATTERN.
refuses()
{
	local pattern=$1 file=$2 output
	shift 2
	good_tree
	printf '%s\n' "$@" >>"$file"
	if output=$("$check" . 2>&1); then
		echo "accepted: $file: $*"
		failed=1
	elif ! grep -q "$pattern" <<<"$output"; then
		echo "refused, but not for '$pattern': $output"
		failed=1
	fi
}

good_tree
"$check" . || { echo 'the good tree is refused' && failed=1; }
refuses 'sim/long.c: 601 lines' sim/long.c "$spdx" $(yes ';' | head -n 600)
refuses 'sim/new.c: no SPDX' sim/new.c 'int x;'
refuses 'sim/time.h:4:' sim/time.h '/* TO''DO: later */'
refuses 'tests/unit/a.c:2:.*assert_true' tests/unit/a.c "$spdx" 'assert_true''(true);'
refuses 'sim must not include "machine/cost.h"' sim/a.c "$spdx" '#include "machine/cost.h"'
refuses 'sync must not include "futex/hash.h"' models/sync/a.c "$spdx" '#include "futex/hash.h"'
refuses 'futex must not include "sim/time.h"' models/futex/a.c "$spdx" '#include "sim/time.h"'
refuses 'os must not include "futex/hash.h"' models/os/a.c "$spdx" '#include "futex/hash.h"'
refuses 'workload must not include "report.h"' models/workload/a.c "$spdx" '#include "report.h"'
refuses 'native must not include "sync/lock.h"' models/native/a.c "$spdx" '#include "sync/lock.h"'
refuses 'machine must not include "platform.h"' models/machine/a.c "$spdx" '#include "platform.h"'
refuses '"gone.h" not found' sim/a.c "$spdx" '#include "gone.h"'
refuses 'sim/a.h: does not compile alone' sim/a.h "$spdx" 'extern uint64_t y;'
good_tree
rm models/sync/README.md
grep -q 'models/sync: no README.md' <<<"$("$check" . 2>&1)" || { echo 'accepted: no README.md' && failed=1; }
exit $failed
