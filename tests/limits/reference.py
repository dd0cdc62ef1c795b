#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""reference.py FUTEXSIM SCENARIO: with every access an event, only the number of events differs."""
import json
import sys

import limits


def run(futexsim, scenario, *options):
    """The output without its lines "events": N, and those numbers."""
    output, _, _ = limits.run([futexsim, "run", scenario, "--format", "json", *options])
    lines = output.splitlines()
    rest = [line for line in lines if not line.strip().startswith('"events": ')]
    results = json.loads(output)["results"]
    if len(lines) - len(rest) != len(results):
        sys.exit("not one number of events per case")
    return rest, [(result["id"], result["run"]) for result in results]


def main():
    futexsim, scenario = sys.argv[1:]
    fast, fast_runs = run(futexsim, scenario)
    reference, reference_runs = run(futexsim, scenario, "--reference")
    if fast != reference:
        differences = [f"{a} | {b}" for a, b in zip(fast, reference) if a != b]
        sys.exit("\n".join(["fast | reference", *differences[:20]]))
    for (case, fast_run), (_, reference_run) in zip(fast_runs, reference_runs):
        print(f"{case}: {fast_run['accesses']} accesses, {fast_run['events']} events,"
              f" {reference_run['events']} in reference mode")
        # Else both were the same mode, and the comparison says nothing.
        if not fast_run["events"] < reference_run["events"]:
            sys.exit(f"{case}: reference mode has no more events")
        if reference_run["events"] < reference_run["accesses"]:
            sys.exit(f"{case}: reference mode has accesses without an event")


if __name__ == "__main__":
    main()
