#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# replay.sh REPLAY scenario|profile: every file of the corpus, once and cut short.
set -eu
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/corpus.sh"
mapfile -t files < <(corpus "$2")
"$1" "${files[@]}"
