#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""memory.py FUTEXSIM MACHINE THREADS: so many threads of 256 futexes over 2^20 slots fit into 512 MiB."""
import json
import sys

import limits

MIB_MAX = 512
SECONDS_MAX = 60
SLOTS = 1048576
FUTEXES = 256


def scenario(machine, threads):
    return {
        "name": "a large system",
        "machine": machine,
        "workload": {"program": "perf-bench-hash", "threads": threads, "futexes": FUTEXES},
        "measure": {"seed": 1, "precision": 0.2, "max_sim_ms": 5},
        "cases": [{"id": "private", "kernel": "v7.2", "policy": {"scope": "private", "slots": SLOTS}}],
    }


def main():
    futexsim, profile, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    command = [futexsim, "run", "-", "--format", "json", "--jobs", "1"]
    output, seconds, mib = limits.run(command, scenario(limits.machine(profile, threads), threads))
    result = json.loads(output)["results"][0]
    print(f"{threads} threads: {result['run']['ops']} operations, {seconds:.1f} s, {mib:.0f} MiB")
    if result["policy"]["slots"] != SLOTS or result["workload"]["threads"] != threads:
        sys.exit("not the system that was asked for")
    # So many that the threads have been at most of their words: the memory is in use.
    if result["run"]["ops"] < threads * FUTEXES:
        sys.exit("too few operations")
    if result["collisions"]["keys_per_bucket"]["mean"] != threads * FUTEXES / SLOTS:
        sys.exit("not as many keys as there are words")
    if mib >= MIB_MAX:
        sys.exit(f"more than {MIB_MAX} MiB")
    if seconds >= SECONDS_MAX:
        sys.exit(f"more than {SECONDS_MAX} s")


if __name__ == "__main__":
    main()
