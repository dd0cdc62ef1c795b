#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds test_access in other ways than the project's.

matrix     every compiler at every optimisation: all must record the lists.
deletions  one access taken out of the core's source at a time: each must fail.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

LIBRARIES = ["cmocka", "libxxhash", "libisal", "libsodium"]
TEST_SOURCES = ["recorder.c", "recorder_hooks.c", "record_recorder.c", "operation.c", "access_list.c",
                "test_access.c"]
CORE_FOLDERS = ["sync", "futex"]

# (file, what the access is, source text, what replaces it)
DELETIONS = [
    ("core.c", "waiters + 1",
     "atomic_fetch_add_explicit(hb_waiters(rules, hb), 1, memory_order_relaxed);", ""),
    ("core.c", "waiters - 1",
     "atomic_fetch_sub_explicit(hb_waiters(rules, hb), 1, memory_order_relaxed);", ";"),
    ("core.c", "lock_ptr", "plat_write_once(&q->lock_ptr, lock);", ""),
    ("core.c", "lock in wait", "\tmm->lock.lock(lock);", ""),
    ("core.c", "unlock in wait", "mm->lock.unlock(hb_lock(rules, hb));", ""),
    ("core.c", "barrier B", "atomic_thread_fence(memory_order_seq_cst);", ";"),
    ("core.c", "look at waiters", "plat_read_once(hb_waiters(rules, hb)) != 0", "false"),
    ("core.c", "look at the lock", "mm->lock.is_locked(hb_lock(rules, hb))", "false"),
    ("core.c", "look at the chain", "!plist_head_empty(hb_chain(rules, hb))", "false"),
    ("core.c", "back pointer",
     "rules.back_pointer ? plat_read_once(hb_priv(rules, ref.hb)) : ref.fph",
     "ref.fph"),
    ("core.c", "hash_mask", "plat_read_once(&fph->hash_mask)",
     "mm->private.slots ? mm->private.slots - 1 : 0"),
    ("core.c", "hashshift", "plat_read_once(&data->hashshift)", "mm->global.slot_bits"),
    ("core.c", "hashmask", "plat_read_once(&data->hashmask)", "mm->global.slots - 1"),
    ("core.c", "queues of a node", "plat_read_once(&data->queues[node])", "mm->global.base[node]"),
    ("core.c", "queues", "plat_read_once(&data->queues)", "mm->global.base[0]"),
    ("core.c", "hashsize", "plat_read_once(&data->hashsize)",
     "mm->global.slots - (rules.kernel == FUTEX_KERNEL_V6_15)"),
    ("core.c", "task.signal", "plat_read_once(&task->signal->signal)", "task->mm->signal"),
    ("core.c", "signal.futex_hash_bucket", "plat_read_once(&signal->futex_hash_bucket)",
     "task->mm->private.base[0]"),
    ("core.c", "signal.futex_hash_mask", "plat_read_once(&signal->futex_hash_mask)",
     "(task->mm->private.slots - 1)"),
    ("core.c", "get", "ref.fph && !futex_private_hash_get(rules, ref.fph)", "false"),
    ("core.c", "put", "futex_private_hash_put(rules, fph);", ";"),
    ("core.c", "drop of the key", "futex_drop_key_refs(mm);", ";"),
    ("private.c", "immutable", "return plat_read_once(&fph->immutable);",
     "return !rules.resizable;"),
    ("private.c", "state, acquire", "return atomic_load_explicit(&fph->state, memory_order_acquire);",
     "return rules.refcount == REFCOUNT_ATOMIC;"),
    ("private.c", "state, relaxed", "return plat_read_once(&fph->state);",
     "return rules.refcount == REFCOUNT_ATOMIC;"),
    ("private.c", "state's order", "atomic_load_explicit(&fph->state, memory_order_acquire)",
     "plat_read_once(&fph->state)"),
    ("private.c", "this CPU + 1", "plat_this_cpu_add(plat_read_once(&m->futex_ref), 1);", ";"),
    ("private.c", "this CPU - 1", "plat_this_cpu_add(plat_read_once(&m->futex_ref), -1);", ";"),
    ("private.c", "rcuref get", "return rcuref_get(&fph->users);", "return true;"),
    ("private.c", "rcuref put", "return rcuref_put(&fph->users);", "return false;"),
    ("private.c", "plain get", "return plainref_get(&fph->users);", "return true;"),
    ("private.c", "plain put", "return plainref_put(&fph->users);", "return false;"),
    ("private.c", "atomic get", "alive = atomicref_get(&m->futex_atomic);", "alive = true;"),
    ("private.c", "atomic put", "last = atomicref_put(&m->futex_atomic);", "last = false;"),
    ("waitwake.c", "user word", "return plat_read_once(uaddr);", "return 0;"),
    ("waitwake.c", "lock in wake", "mm->lock.lock(lock);", ""),
    ("waitwake.c", "unlock in wake", "mm->lock.unlock(lock);", ""),
    ("waitwake.c", "chain in wake", "woken = wake_chain(mm, rules, hb_chain(rules, hb), wanted, &wake_q);",
     "woken = 0; (void)wake_chain;"),
    ("waitwake.c", "bitset", "!(futex_q_bitset(rules, q) & wanted->bitset)", "false"),
    ("waitwake.c", "next of the chain in wake", "next = plist_next(chain, this);", "next = NULL;"),
    ("waitwake.c", "own list", "!plist_node_empty(&task->q->list)", "true"),
    ("waitwake.c", "running again", "plat_write_once(&current->__state, TASK_RUNNING);", ""),
    ("waitwake.c", "wake_up_q", "\twake_up_q(mm, rules, &wake_q);", ""),
    ("waitwake.c", "state", "set_current_state(task->task_struct, TASK_INTERRUPTIBLE);",
     "plat_write_once(&task->task_struct->__state, TASK_INTERRUPTIBLE);"),
    ("queue.c", "fence behind the state", "atomic_thread_fence(memory_order_seq_cst);", ";"),
    ("queue.c", "task of the entry", "plat_locked_write(&q->task, current);", ""),
    ("queue.c", "unlock in queue", "task->mm->lock.unlock(hb_lock(rules, hb));", ""),
    ("queue.c", "waiters - 1 of who is dequeued", "futex_hb_waiters_dec(rules, hb);", ""),
    ("queue.c", "lock in unqueue", "\tmm->lock.lock(lock);", ""),
    ("queue.c", "unlock in unqueue", "\tmm->lock.unlock(lock);", ""),
    ("queue.c", "second look at lock_ptr", "plat_read_once(&q->lock_ptr) == lock", "true"),
    ("queue.c", "wake under the lock", "\twake_up_process(mm, rules, p);", ""),
    ("wake_q.c", "task reference",
     "atomic_fetch_add_explicit(&p->usage, 1, memory_order_relaxed);", ""),
    ("wake_q.c", "link of the wake_q", "plat_write_once(&head->last->wake_q_next, p);", ";"),
    ("wake_q.c", "unlink of the wake_q", "plat_write_once(&p->wake_q_next, NULL);", ""),
    ("wake_q.c", "pi_lock", "mm->lock.lock(&p->pi_lock);", ""),
    ("wake_q.c", "unlock of pi_lock", "mm->lock.unlock(&p->pi_lock);", ""),
    ("wake_q.c", "look at the state", "plat_read_once(&p->__state) != TASK_RUNNING", "true"),
    ("requeue.c", "announcement",
     "\tfutex_hb_waiters_inc(r->rules, r->hb2);\n\tdouble_lock_hb", "\tdouble_lock_hb"),
    ("requeue.c", "first lock", "mm->lock.lock(hb_lock(rules, swap ? hb2 : hb1));", ""),
    ("requeue.c", "second lock", "mm->lock.lock(hb_lock(rules, swap ? hb1 : hb2));", ";"),
    ("requeue.c", "first unlock", "\tmm->lock.unlock(hb_lock(rules, hb1));", ""),
    ("requeue.c", "comparison", "futex_get_value_locked(uaddr1) != *cmpval", "*cmpval != 0"),
    ("requeue.c", "lock_ptr of who moved",
     "plat_write_once(&q->lock_ptr, hb_lock(r->rules, r->hb2));", ""),
    ("requeue.c", "key of who moved", "futex_q_set_key(r->rules, q, r->key2);", ""),
    ("requeue.c", "waiters - 1 of who moved", "futex_hb_waiters_dec(r->rules, r->hb1);", ""),
    ("page.c", "page reference",
     "atomic_fetch_add_explicit(&page->refcount, 1, memory_order_seq_cst);", ""),
    ("page.c", "page reference back",
     "atomic_fetch_sub_explicit(&page->refcount, 1, memory_order_seq_cst);", ""),
    ("page.c", "page lock", "\tlock_page(page);", ""),
    ("page.c", "page unlock",
     "atomic_fetch_and_explicit(&page->flags, ~(uint64_t)PG_LOCKED, memory_order_release);",
     "page->flags = 0;"),
    ("page.c", "mapping", "!(plat_read_once(&page->mapping) & PAGE_MAPPING_ANON)", "false"),
    ("page.c", "mm_count + 1",
     "atomic_fetch_add_explicit(&mm->mm_struct->mm_count, 1, memory_order_relaxed);", ""),
    ("page.c", "mm_count - 1",
     "atomic_fetch_sub_explicit(&mm->mm_struct->mm_count, 1, memory_order_seq_cst);", ";"),
    ("rules.h", "barrier A on powerpc", "atomic_thread_fence(memory_order_seq_cst);", ";"),
]


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout.split()


class Build:
    """One way to build test_access: a compiler, an optimisation, a place for objects."""

    def __init__(self, root, compiler, optimisation, place):
        self.root, self.place = root, place
        self.base = [compiler, "-std=gnu11", optimisation, "-w", "-g"]
        self.base += run(["pkg-config", "--cflags", *LIBRARIES])
        place.mkdir(parents=True)

    def compile(self, source, models, instrumented, name):
        target = self.place / name
        flags = [f"-I{models}", f"-I{self.root / 'tests/futex'}"]
        if instrumented:
            flags += ["-fsanitize=thread", "-fno-inline", "-fno-optimize-sibling-calls"]
        run([*self.base, *flags, "-c", source, "-o", target])
        return target

    def core(self, models, only=None):
        """Objects of the core by name; `only`: just the file of that name (a header: all)."""
        objects = {}
        for folder in CORE_FOLDERS:
            for source in sorted((models / folder).glob("*.c")):
                if only is None or only.endswith(".h") or source.name == only:
                    name = f"{folder}_{source.stem}{'_changed' if only else ''}.o"
                    objects[folder, source.name] = self.compile(source, models, True, name)
        return objects

    def tests(self):
        folder = self.root / "tests/futex"
        return [self.compile(folder / name, self.root / "models", False, f"test_{name}.o")
                for name in TEST_SOURCES]

    def link(self, objects, name):
        target = self.place / name
        run([self.base[0], *objects, "-o", target, *run(["pkg-config", "--libs", *LIBRARIES])])
        return target


def passes(program, root):
    result = subprocess.run([program, root / "tests/futex/access"], capture_output=True, text=True,
                            timeout=60)
    return result.returncode == 0, result.stdout + result.stderr


def matrix(root, compilers, place):
    for compiler in compilers:
        for optimisation in ("-O0", "-O2", "-O3"):
            name = f"{pathlib.Path(compiler).name}{optimisation}"
            build = Build(root, compiler, optimisation, place / name)
            objects = build.core(root / "models")
            good, output = passes(build.link([*objects.values(), *build.tests()], "test"), root)
            print(f"{name}: {'same accesses' if good else 'DIFFERENT ACCESSES'}")
            if not good:
                sys.exit(output)


def change(models, file, old, new):
    path = models / "futex" / file
    text = path.read_text()
    count = text.count(old)
    if count != 1:
        sys.exit(f"{file}: {count} times instead of once: {old}")
    path.write_text(text.replace(old, new))
    return path, text


def deletions(root, compilers, place):
    build = Build(root, compilers[0], "-O0", place / "deletions")
    models = place / "models"
    shutil.copytree(root / "models", models)
    core, tests = build.core(models), build.tests()
    good, output = passes(build.link([*core.values(), *tests], "unchanged"), root)
    if not good:
        sys.exit(f"the unchanged core fails:\n{output}")
    survivors = 0
    for file, what, old, new in DELETIONS:
        path, text = change(models, file, old, new)
        objects = {**core, **build.core(models, only=file)}
        path.write_text(text)
        good, output = passes(build.link([*objects.values(), *tests], "changed"), root)
        survivors += good
        print(f"{file}: without {what}: {'NOT CAUGHT' if good else 'caught'}")
    if survivors:
        sys.exit(f"{survivors} deletions were not caught")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["matrix", "deletions"])
    parser.add_argument("root", type=pathlib.Path, help="the source tree")
    parser.add_argument("compilers", nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        what = matrix if arguments.what == "matrix" else deletions
        what(arguments.root.resolve(), arguments.compilers, pathlib.Path(place))


if __name__ == "__main__":
    main()
