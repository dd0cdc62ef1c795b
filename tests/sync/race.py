#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""ThreadSanitizer reports a PLAT_LOCKED field whose lock is gone, and only then.

usage: race.py SOURCE_ROOT COMPILER
"""

import pathlib
import subprocess
import sys
import tempfile

TSAN_STATUS = 66  # ThreadSanitizer's exit status after a report


def build(root, compiler, program, *options):
    sources = [root / 'tests/sync/race.c', root / 'tests/sync/native_crew.c']
    sources += sorted((root / 'models/sync').glob('*.c')) + sorted((root / 'models/native').glob('*.c'))
    subprocess.run([compiler, '-std=gnu11', '-D_GNU_SOURCE', '-DFUTEXSIM_NATIVE', '-O1', '-g', '-w', '-pthread',
                    '-fsanitize=thread', f'-I{root}/models', f'-I{root}/models/sync', *options, '-o', program, *sources],
                   check=True)


def status_of(program):
    done = subprocess.run([program], capture_output=True, text=True, timeout=120)
    return done.returncode, 'data race' in done.stderr, done.stdout + done.stderr


def main():
    root, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch) / 'race'
        for what, options, expected in (('with the lock', (), (0, False)),
                                        ('without it', ('-DWITHOUT_LOCK',), (TSAN_STATUS, True))):
            build(root, compiler, program, *options)
            status, reported, said = status_of(program)
            print(f'{what}: exit status {status}, {"a" if reported else "no"} data race reported')
            if (status, reported) != expected:
                print(said)
                good = False
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
