# SPDX-License-Identifier: GPL-3.0-or-later
"""What the limit tests share: big machines made from a shipped one, and what a run took."""
import json
import os
import subprocess
import sys
import time

# 8 sockets of 2-thread cores.
SOCKETS, THREADS_PER_UNIT = 8, 2


def machine(path, cpus):
    """The profile at `path` with a topology of so many CPUs."""
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    units = cpus // SOCKETS // THREADS_PER_UNIT
    counts = {"socket": SOCKETS, "cluster": 1, "unit": units, "thread": THREADS_PER_UNIT}
    profile.pop("$schema")
    profile["name"] = f"test-{cpus}"
    profile["topology"].update(
        levels=[{"level": level, "count": count} for level, count in counts.items()],
        hops=[[int(a != b) for b in range(SOCKETS)] for a in range(SOCKETS)])
    profile["clock"]["turbo"] = [{"cores": SOCKETS * units, "ghz": 2.4}]
    return profile


def run(command, scenario=None):
    """Output, seconds, peak resident MiB of the largest process; ends the test if the command fails."""
    began = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], text=True,
                             stdin=subprocess.PIPE if scenario else None, stdout=subprocess.PIPE)
    if scenario:
        child.stdin.write(json.dumps(scenario))
        child.stdin.close()
    output = child.stdout.read()
    # Of the child and of all that it waited for.
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"exit status {child.returncode}: {' '.join(map(str, command))}\n{output}")
    return output, time.monotonic() - began, usage.ru_maxrss / 1024
