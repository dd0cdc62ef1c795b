#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""ThreadSanitizer reports a PLAT_LOCKED field whose lock is gone or orders nothing.

usage: race.py SOURCE_ROOT COMPILER

Nothing may be reported for the locks as they are; something must be when the lock
around the field is left out, and when an unlock's release becomes relaxed.
"""

import pathlib
import subprocess
import sys
import tempfile

TRIES = 10
TSAN_STATUS = 66  # ThreadSanitizer's exit status after a report


# The line of each lock that hands what it protects to the next owner.
HANDS_OVER = {
    'tas.c': 'atomic_store_explicit(&lock->word, UNLOCKED, memory_order_release);',
    'ticket.c': 'atomic_store_explicit(head(lock), (uint16_t)(serving + 1), memory_order_release);',
    'mcs.c': 'atomic_store_explicit(&node_of(next)->locked, 1, memory_order_release);',
    'qspinlock.c': 'atomic_store_explicit(locked_byte(lock), 0, memory_order_release);',
    'ppc_qspinlock.c': 'atomic_store_explicit((_Atomic(uint16_t) *)&lock->word, 0, memory_order_release);',
}


def build(root, compiler, program, options=(), replaced=None):
    """`replaced`: {source: file to compile in its place}"""
    sources = [root / 'tests/sync/race.c', root / 'tests/sync/native_crew.c']
    sources += sorted((root / 'models/sync').glob('*.c')) + sorted((root / 'models/native').glob('*.c'))
    sources = [(replaced or {}).get(source, source) for source in sources]
    subprocess.run([compiler, '-std=gnu11', '-D_GNU_SOURCE', '-DFUTEXSIM_NATIVE', '-O1', '-g', '-w', '-pthread',
                    '-fsanitize=thread', f'-I{root}/models', f'-I{root}/models/sync', *options, '-o', program, *sources],
                   check=True)


def weakened(root, name, scratch):
    """{source: a copy of it whose hand-over is relaxed}"""
    source, line = root / 'models/sync' / name, HANDS_OVER[name]
    text = source.read_text()
    if text.count(line) != 1:
        sys.exit(f'{name}: found {text.count(line)} times: {line}')
    copy = scratch / name
    copy.write_text(text.replace(line, line.replace('memory_order_release', 'memory_order_relaxed')))
    return {source: copy}


def status_of(program):
    done = subprocess.run([program], capture_output=True, text=True, timeout=120)
    return done.returncode, 'data race' in done.stderr, done.stdout + done.stderr


def check(what, program, reports):
    """A race that does not happen cannot be seen: one that must be reported gets several runs."""
    for _ in range(TRIES if reports else 1):
        status, reported, said = status_of(program)
        if reported:
            break
    print(f'{what}: exit status {status}, {"a" if reported else "no"} data race reported', flush=True)
    good = reported == reports and status == (TSAN_STATUS if reports else 0)
    if not good:
        print(said)
    return good


def main():
    root, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        program = scratch / 'race'
        build(root, compiler, program)
        good = check('as it is', program, False)
        build(root, compiler, program, ['-DWITHOUT_LOCK'])
        good = check('without the lock', program, True) and good
        for name in HANDS_OVER:
            build(root, compiler, program, replaced=weakened(root, name, scratch))
            good = check(f'{name} with a relaxed hand-over', program, True) and good
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
