#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""validate_time.py FUTEXSIM: all published tables, quick in 30 s and to +-1 % in 300 s on two cores; same rows.

What counts is half of the processor time, so that other work on the host does not.
"""
import json
import resource
import subprocess
import sys

CORES = 2

SECONDS_MAX = {"--quick": 30, "--precision=0.01": 300}


def rows(document):
    return [(table["id"], case["record"]) for table in document["tables"] for case in table["cases"]]


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    seen = set()
    for option, limit in SECONDS_MAX.items():
        began = processor_seconds()
        done = subprocess.run([sys.argv[1], "validate", option, "--format", "json", "--jobs", str(CORES)],
                              stdout=subprocess.PIPE, check=True)
        seconds = (processor_seconds() - began) / CORES
        document = json.loads(done.stdout)
        seen.add(tuple(rows(document)))
        print(f"{option}: {document['summary']['rows']} scored rows, {seconds:.1f} s")
        if seconds >= limit:
            sys.exit(f"not under {limit} s")
        if document["summary"]["missing_rows"]:
            sys.exit("rows are missing")
    if len(seen) != 1:
        sys.exit("other rows than before")


if __name__ == "__main__":
    main()
