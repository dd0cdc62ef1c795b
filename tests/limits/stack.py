#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""stack.py FUTEXSIM SCENARIO: with a stack of 64 KiB the output is the same."""
import sys

import limits

KIB = 64


def main():
    futexsim, scenario = sys.argv[1:]
    command = [futexsim, "run", scenario, "--format", "json", "--jobs", "2"]
    # The environment lies on the stack as well.
    small = ["env", "-i", "sh", "-c", f'ulimit -s {KIB} && exec "$@"', "sh", *command]
    output, _, _ = limits.run(small)
    if output != limits.run(command)[0]:
        sys.exit("another output than with the usual stack")
    print(f"{len(output)} bytes with a stack of {KIB} KiB")


if __name__ == "__main__":
    main()
