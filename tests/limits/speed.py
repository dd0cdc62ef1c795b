#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""speed.py FUTEXSIM SCENARIO: at +-1 % in under 10 s with two jobs."""
import json
import sys

import limits

SECONDS_MAX = 10
PRECISION = 0.01


def main():
    futexsim, scenario = sys.argv[1:]
    output, seconds, _ = limits.run(
        [futexsim, "run", scenario, "--set", f"measure.precision={PRECISION}", "--format", "json", "--jobs", "2"])
    results = json.loads(output)["results"]
    print(f"{len(results)} cases, {seconds:.1f} s")
    for result in results:
        speed = result["ops_per_sec_per_thread"]
        if not result["precision_reached"] or speed["ci"] > PRECISION * speed["mean"] * 1.001:
            sys.exit(f"{result['id']}: the mean is known to +-{speed['ci'] / speed['mean']:.2%} only")
    if seconds >= SECONDS_MAX:
        sys.exit(f"not under {SECONDS_MAX} s")


if __name__ == "__main__":
    main()
