#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Breaks the operations that sleep in known ways; ThreadSanitizer or the stress test must notice.

Usage: ops_mutants.py ROOT COMPILER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

LIBRARIES = ["cmocka", "libxxhash", "libisal", "libsodium"]
PATIENCE_MS = "5000"

# what: [(file, source text, what replaces it)...]
MUTANTS = {
    "no lock in wake": [
        ("waitwake.c", "\tmm->lock.lock(lock);", ""), ("waitwake.c", "\tmm->lock.unlock(lock);", "")],
    "no lock in unqueue": [
        ("queue.c", "\tmm->lock.lock(lock);", ""), ("queue.c", "\tmm->lock.unlock(lock);", "")],
    "no lock in wait": [
        ("core.c", "\tmm->lock.lock(lock);", ""),
        ("core.c", "\tmm->lock.unlock(hb_lock(rules, hb));", ""),
        ("queue.c", "task->mm->lock.unlock(hb_lock(rules, hb));", "")],
    "no second lock in requeue": [
        ("requeue.c", "mm->lock.lock(hb_lock(rules, swap ? hb1 : hb2));", ";"),
        ("requeue.c", "mm->lock.unlock(hb_lock(rules, hb2));", ";")],
    "locks of requeue in any order": [("requeue.c", "plat_address(hb1) > plat_address(hb2)", "false")],
    "no second look at lock_ptr": [("queue.c", "plat_read_once(&q->lock_ptr) == lock", "true")],
    "lock_ptr stays with who is woken": [
        ("queue.c", "atomic_store_explicit(&q->lock_ptr, NULL, memory_order_release);\n\twake_q", "wake_q")],
    "lock_ptr is released without release": [
        ("queue.c", "atomic_store_explicit(&q->lock_ptr, NULL, memory_order_release);\n\twake_q",
         "plat_write_once(&q->lock_ptr, NULL);\n\twake_q")],
    "lock_ptr of who moved is the old one": [
        ("requeue.c", "plat_write_once(&q->lock_ptr, hb_lock(r->rules, r->hb2));", "")],
    "the target is not announced": [
        ("requeue.c", "\tfutex_hb_waiters_inc(r->rules, r->hb2);\n\tdouble_lock_hb", "\tdouble_lock_hb")],
    "who was dequeued stays counted": [("queue.c", "futex_hb_waiters_dec(rules, hb);", "")],
    "the wake_q is not unlinked": [("wake_q.c", "plat_write_once(&p->wake_q_next, NULL);", "")],
    "nobody wakes after the unlock": [("waitwake.c", "\twake_up_q(mm, rules, &wake_q);", "")],
    "the bitset is not looked at": [
        ("waitwake.c", "!(futex_q_bitset(rules, q) & wanted->bitset)", "false")],
    "a moved waiter is found under its old key": [
        ("requeue.c", "futex_q_set_key(r->rules, q, r->key2);", "")],
}


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout.split()


class Build:
    def __init__(self, root, compiler, place):
        self.compiler, self.place, self.models = compiler, place, place / "models"
        shutil.copytree(root / "models", self.models)
        self.flags = ["-std=gnu11", "-O1", "-g", "-w", "-fsanitize=thread", "-DFUTEXSIM_NATIVE", "-D_GNU_SOURCE",
                      "-pthread", f"-I{self.models}", f"-I{root / 'tests/futex'}",
                      *run(["pkg-config", "--cflags", *LIBRARIES])]
        sources = [source for folder in ("sync", "futex", "native")
                   for source in sorted((self.models / folder).glob("*.c"))]
        sources += [root / "tests/futex/test_ops_native.c", root / "tests/futex/idle.c"]
        self.objects = [self.compile(source) for source in sources]

    def compile(self, source):
        target = self.place / f"{source.parent.name}_{source.stem}.o"
        run([self.compiler, *self.flags, "-c", source, "-o", target])
        return target

    def passes(self):
        target = self.place / "test"
        run([self.compiler, *self.flags, *self.objects, "-o", target,
             *run(["pkg-config", "--libs", *LIBRARIES])])
        try:
            result = subprocess.run([target, PATIENCE_MS], capture_output=True, text=True, timeout=60,
                                    env={"TSAN_OPTIONS": "halt_on_error=1"})
        except subprocess.TimeoutExpired:
            return False
        return result.returncode == 0

    def passes_with(self, changes):
        originals = {}
        for file, old, new in changes:
            path = self.models / "futex" / file
            text = path.read_text()
            originals.setdefault(path, text)
            if text.count(old) != 1:
                sys.exit(f"{file}: {text.count(old)} times instead of once: {old}")
            path.write_text(text.replace(old, new))
        for path in originals:
            self.compile(path)
        good = self.passes()
        for path, text in originals.items():
            path.write_text(text)
            self.compile(path)
        return good


def main():
    root, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    survivors = 0
    with tempfile.TemporaryDirectory() as place:
        build = Build(root, compiler, pathlib.Path(place))
        if not build.passes():
            sys.exit("the unchanged core fails")
        for what, changes in MUTANTS.items():
            good = build.passes_with(changes)
            survivors += good
            print(f"{what}: {'NOT NOTICED' if good else 'noticed'}", flush=True)
    if survivors:
        sys.exit(f"{survivors} mutants were not noticed")


if __name__ == "__main__":
    main()
