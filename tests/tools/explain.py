#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""explain.py FUTEXSIM: reports on who pays say what is known from published profiles, and add up.

Published: with very few slots and hundreds of threads nearly all time goes to the lock's slow path; with rcuref on
many CPUs get and put of the private hash dominate; slots hardly matter then.
"""
import json
import subprocess
import sys

FUTEXSIM = sys.argv[1]
failures = []


def check(true, what):
    if not true:
        failures.append(what)


def run(scenario, *arguments):
    done = subprocess.run([FUTEXSIM, "run", "-", "--format", "json", *arguments], input=json.dumps(scenario),
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout)


def scenario(machine, kernel, cases, threads, ms=3, futexes=128):
    return {"name": "explain", "machine": machine, "kernel": kernel,
            "workload": {"threads": threads, "futexes": futexes},
            "measure": {"precision": 0.02, "max_sim_ms": ms}, "cases": cases}


def shares(result):
    return {f["name"]: f["self_share"] for f in result["functions"]}


def check_sums(result):
    """Times of lines, fields and functions agree with each other and with the cost split."""
    where, ns = result["id"], result["ns_per_op"]
    own, on_lines = {name: share * ns for name, share in shares(result).items()}, {}
    check(abs(sum(own.values()) / ns - 1) < 1e-4, f"{where}: functions do not add up to an operation")
    for line in result["lines"]:
        for parts, whole in [(line["fields"], line)] + [(f["functions"], f) for f in line["fields"]]:
            for key in ("local_transfers", "remote_transfers", "hitm"):
                check(sum(p[key] for p in parts) == whole[key], f"{where}: {key} of {whole['name']}")
            for key in ("wait_ns_per_op", "spin_ns_per_op"):
                check(abs(sum(p[key] for p in parts) - whole[key]) < 1e-4 * ns, f"{where}: {key} of {whole['name']}")
        transfers = line["transfers"]
        check(sum(transfers.values()) == line["local_transfers"] + line["remote_transfers"], f"{where}: classes")
        check(sum(transfers[k] for k in ("hop1", "hop2", "dram_remote")) == line["remote_transfers"], f"{where}: remote")
        check(line["hitm"] <= sum(transfers[k] for k in ("cluster", "socket", "hop1", "hop2")), f"{where}: hitm")
        for field in line["fields"]:
            for function in field["functions"]:
                on_lines.setdefault(function["name"], 0)
                on_lines[function["name"]] += function["wait_ns_per_op"] + function["spin_ns_per_op"]
    for name, time in on_lines.items():
        check(time <= own.get(name, 0) + 1e-4 * ns, f"{where}: {name} spends {time} on lines but {own.get(name)} in all")
    for hot in result["hot_lines"]:
        check(any(hot["wait_ns_per_op"] <= line["wait_ns_per_op"] * (1 + 1e-4) for line in result["lines"]), f"{where}: hot")


def few_slots():
    result, = run(scenario("xeon-e7-8890v3", "v7.2", [{"id": "two", "policy": {"slots": 2}}], 144))["results"]
    check_sums(result)
    check(shares(result)["queued_spin_lock_slowpath"] > 0.95, f"two slots, 144 threads: {shares(result)}")
    spun = sum(line["spin_ns_per_op"] for line in result["lines"] if line["name"] == "qnodes[*]")
    check(spun > 0.9 * result["ns_per_op"], "two slots: waiters do not spin on their queue nodes")


def counted():
    cases = [{"id": "few", "policy": {"slots": 128}}, {"id": "many", "policy": {"slots": 8192}}]
    few, many = run(scenario("power10-80", "v6.16-rc", cases, 80))["results"]
    for result in few, many:
        check_sums(result)
        own = shares(result)
        check(own["rcuref_get"] + own["rcuref_put"] + own["futex_private_hash_put"] > 0.7, f"rcuref: {own}")
        hottest = result["lines"][0]
        check((hottest["name"], hottest["fields"][0]["name"]) == ("fph", "users"), f"rcuref: hottest is {hottest['name']}")
    ratio = many["ns_per_op"] / few["ns_per_op"]
    check(0.95 < ratio < 1.05, f"under the refcount, slots make {ratio:.3f}")


def back_pointer():
    base = {"slots": 128, "resizable": False}
    cases = [{"id": "off", "policy": {**base, "back_pointer": False}}, {"id": "on", "policy": {**base, "back_pointer": True}},
             {"id": "third"}]
    document = run(scenario("xeon-e5-2650", "v6.16-rc", cases, 32, 10, 1024), "--why", "off", "on")
    why, results = document["why"], document["results"]
    check([r["id"] for r in results] == ["off", "on"], "--why runs other cases")
    for result in results:
        check_sums(result)
    for key in ("a_ns_per_op", "b_ns_per_op", "difference_ns_per_op"):
        parts = sum(round(1000 * part[key]) for part in why["parts"])
        check(parts == round(1000 * why[key]), f"--why: {key} of parts is {parts}, not {why[key]}")
    check(abs(why["a_ns_per_op"] - results[0]["ns_per_op"]) < 1e-3, "--why: A is not case A")
    check(why["difference_ns_per_op"] > 20, f"--why: the back pointer costs {why['difference_ns_per_op']}")
    fields = {}
    for part in why["parts"]:
        place = (part["line"], part.get("field"))
        fields[place] = fields.get(place, 0) + part["difference_ns_per_op"]
    named = max(fields, key=fields.get)
    check(named == ("bucket[*]", "priv"), f"--why names {named}")
    check("[other]" not in [part["line"] for part in why["parts"]], "--why: there is a rest")
    table = subprocess.run([FUTEXSIM, "run", "e5-2650-back-pointer", "--why", "without", "with", "--set",
                            "measure.precision=0.02"], text=True, stdout=subprocess.PIPE, check=True).stdout
    check("bucket[*].priv makes +" in table, "the shipped pair does not name priv")


def effects(document, kind):
    return [{e["name"]: e["effect_pct"] for e in case["effects"]} for case in document[kind]]


def ablation():
    cases = [{"id": "counted", "policy": {"slots": 512}},
             {"id": "alone", "workload": {"threads": 1}, "policy": {"slots": 512, "resizable": False}}]
    document = run(scenario("power10-80", "v6.16-rc", cases, 80), "--ablate")
    for result in document["results"]:
        check_sums(result)
        if result["id"].endswith("ablate=lock-wait"):
            check(result["cost_ns_per_op"]["lock_wait"] == 0, "locks that are always free are waited for")
    many, alone = effects(document, "ablation")
    check(many["refcount"] > 300 and abs(many["more slots"]) < 5, f"refcounted: {many}")
    check("remote distance" not in many, "one node, but distance was ablated")
    verdict = document["ablation"][0]["verdict"]
    check(verdict.startswith("bound by the refcount line: ") and "more slots change nothing" in verdict, verdict)
    verdict = document["ablation"][1]["verdict"]
    check(verdict.startswith("bound by straight-line work"), verdict)
    check(set(alone) == {"back pointer", "waiters counter", "more slots"}, f"one thread: {alone}")


def buckets():
    """Two ways in which more slots help: lines that come from another CPU, and CPUs that meet."""
    cases = [{"id": "meet", "policy": {"slots": 16}}, {"id": "move", "policy": {"slots": 2048}},
             {"id": "neither", "policy": {"slots": 65536}}]
    document = run(scenario("xeon-e5-2650", "v6.15", cases, 28), "--ablate")
    meet, move, neither = (case["verdict"] for case in document["ablation"])
    check(meet.startswith("bound by collisions, two CPUs in one bucket at a time: "), meet)
    check(move.startswith("bound by bucket lines that move between CPUs: ") and "collisions" not in move, move)
    check(neither.startswith("bound by straight-line work"), neither)
    cost = {r["id"]: r["cost_ns_per_op"] for r in document["results"]}
    check(cost["meet"]["lock_wait"] > 2 * cost["meet"]["bucket_line"], f"meet: {cost['meet']}")
    check(cost["move"]["bucket_line"] > 20 * cost["move"]["lock_wait"], f"move: {cost['move']}")


def layouts():
    """The hottest line is one layout's, its share of an operation that of all."""
    cases = [{"id": "all", "policy": {"slots": 64}}]
    document = scenario("xeon-e5-2650", "v6.16-rc", cases, 8)
    document["measure"]["layouts"] = 3
    result, = run(document, "--lines")["results"]
    hot, line = result["hot_lines"][0], next(l for l in result["lines"] if l["name"] == result["hot_lines"][0]["name"])
    for key in ("wait_ns_per_op", "local_transfers"):
        check(0.9 < hot[key] / line[key] < 1.1, f"hottest line: {key} {hot[key]} of {line[key]}")


def sensitivity():
    cases = [{"id": "alone", "workload": {"threads": 1}}]
    document = run(scenario("xeon-e5-2650", "v7.2", cases, 1, 3, 64), "--sensitivity")
    alone, = effects(document, "sensitivity")
    check(alone["t_hop1"] == 0 and alone["t_pause"] == 0, f"one thread depends on others: {alone}")
    check(-9 < alone["t_syscall"] < -0.5, f"t_syscall: {alone['t_syscall']}")
    check("t_cluster" in alone and not {"t_socket", "t_hop2"} & set(alone), f"distances that do not occur: {alone}")
    order = [abs(e) for e in alone.values()]
    check(order == sorted(order, reverse=True), "not sorted by effect")


for part in few_slots, counted, back_pointer, ablation, buckets, layouts, sensitivity:
    part()
for failure in failures:
    print("FAILED:", failure)
sys.exit(bool(failures))
