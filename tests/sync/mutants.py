#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Breaks a lock in known ways and demands that the validation notices each.

usage: mutants.py SOURCE_ROOT COMPILER MUTANTS...

A file of mutants is named after the lock's source (mutants/qspinlock.txt breaks
models/sync/qspinlock.c) and has one paragraph per mutant:

    # what is broken
    - the line of source that is replaced (several: consecutive lines)
    + the line that replaces it (none: the line goes)

Indentation does not matter. The lines must occur exactly once. A first line
`lock NAME` gives the lock's name, if it is not the file's.
"""

import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

FEWEST = 5  # mutants per lock
REPEATS = 5  # runs that must all notice
PATIENCE_MS = 400  # a waiter that is not let in by then is lost
CONTROL_PATIENCE_MS = 60000
WORKERS = 2


class Mutant:
    def __init__(self, paragraph):
        lines = paragraph.splitlines()
        self.name = next(line[1:].strip() for line in lines if line.startswith('#'))
        self.old = [line[1:].strip() for line in lines if line.startswith('-')]
        self.new = [line[1:].strip() for line in lines if line.startswith('+')]

    def apply(self, source):
        """The mutated source; raises ValueError unless the place is unique."""
        lines = source.splitlines()
        bare = [line.strip() for line in lines]
        size = len(self.old)
        places = [i for i in range(len(bare)) if size and bare[i:i + size] == self.old]
        if len(places) != 1:
            raise ValueError(f'found {len(places)} times')
        return '\n'.join(lines[:places[0]] + self.new + lines[places[0] + size:]) + '\n'


class Bench:
    """Builds the validation program with one lock's source exchanged."""

    def __init__(self, root, compiler, scratch):
        self.root, self.scratch = root, scratch
        self.compile = [compiler, '-std=gnu11', '-D_GNU_SOURCE', '-DFUTEXSIM_NATIVE', '-O2', '-g', '-w', '-pthread',
                        f'-I{root}/models', f'-I{root}/models/sync', f'-I{root}/tests/sync']
        tests = [root / 'tests/sync' / name for name in ('lock_validate.c', 'native_crew.c', 'validate_main.c')]
        sources = sorted((root / 'models/sync').glob('*.c')) + sorted((root / 'models/native').glob('*.c')) + tests
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            self.objects = dict(zip(sources, pool.map(self.object_of, sources)))

    def object_of(self, source, text=None, stem=None):
        stem = stem or f'{source.parent.name}-{source.stem}'
        result = self.scratch / f'{stem}.o'
        if text is not None:
            copy = self.scratch / f'{stem}.c'
            copy.write_text(text)
        subprocess.run(self.compile + ['-c', '-o', result, source if text is None else copy], check=True)
        return result

    def program(self, source, text, stem):
        objects = dict(self.objects)
        objects[source] = self.object_of(source, text, stem)
        result = self.scratch / stem
        subprocess.run(self.compile + ['-o', result, *objects.values()], check=True)
        return result


def run(program, lock, patience_ms, seed):
    """(exit status, what was said)"""
    command = [program, lock, str(patience_ms), str(seed)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 + patience_ms / 1000)
    except subprocess.TimeoutExpired:
        return None, 'the validation itself hung'
    return done.returncode, (done.stdout + done.stderr).strip()


def check_control(bench, source, lock):
    program = bench.program(source, source.read_text(), f'{lock}-control')
    for seed in range(1, REPEATS + 1):
        status, said = run(program, lock, CONTROL_PATIENCE_MS, seed)
        if status != 0:
            return False, f'{lock}: UNCHANGED source fails: {status} {said}'
    return True, f'{lock}: the unchanged source passes'


def check_mutant(bench, source, lock, mutant, number):
    label = f'{lock}: {mutant.name}'
    try:
        text = mutant.apply(source.read_text())
        program = bench.program(source, text, f'{lock}-{number}')
    except (ValueError, subprocess.CalledProcessError) as error:
        return False, f'{label}: CANNOT BE MADE: {error}'
    for seed in range(1, REPEATS + 1):
        status, said = run(program, lock, PATIENCE_MS, seed)
        if status != 1 or not said.startswith(lock + ': '):
            return False, f'{label}: NOT NOTICED with seed {seed}: {status} {said}'
    return True, f'{label}: {said}'


def jobs_of(bench, path):
    """One callable per check of a file of mutants."""
    paragraphs = [p for p in path.read_text().split('\n\n') if p.strip()]
    lock = path.stem
    if paragraphs[0].startswith('lock '):
        lock, paragraphs = paragraphs[0].split()[1], paragraphs[1:]
    source = bench.root / 'models/sync' / f'{path.stem}.c'
    mutants = [Mutant(p) for p in paragraphs]
    jobs = [lambda: check_control(bench, source, lock)]
    for number, mutant in enumerate(mutants):
        jobs.append(lambda mutant=mutant, number=number: check_mutant(bench, source, lock, mutant, number))
    if len(mutants) < FEWEST:
        jobs.append(lambda: (False, f'{lock}: only {len(mutants)} mutants'))
    return jobs


def main():
    root, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(root, compiler, pathlib.Path(scratch))
        jobs = [job for path in sys.argv[3:] for job in jobs_of(bench, pathlib.Path(path))]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            for passed, said in pool.map(lambda job: job(), jobs):
                good = good and passed
                print('ok    ' if passed else 'FAILED', said, flush=True)
    return 0 if good and jobs else 1


if __name__ == '__main__':
    sys.exit(main())
