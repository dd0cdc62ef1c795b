#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""interface.py FUTEXSIM_FAKE: what other people's scripts rely on.

Commands, options, keys and their types, as they were promised. More may be there; nothing may be missing.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MACHINE = pathlib.Path(__file__).resolve().parents[2] / "scenarios/machines/spr-vm-2.json"
FUTEXSIM = os.path.realpath(sys.argv[1])
failures = []

# Example values: their types count. A list has at least one item of the kind; {} is any object.
RESULT = {
    "id": "", "machine": "", "kernel": "",
    "policy": {"scope": "", "slots": 0, "resizable": True, "refcount": "", "empty_check": "", "barrier_a": True,
               "barrier_b": True, "lock": "", "bucket": "", "back_pointer": True, "hash": ""},
    "workload": {"program": "", "threads": 0, "futexes": 0, "shared": True, "placement": ""},
    "ops_per_sec_per_thread": {"mean": 0, "ci": 0, "stderr_threads_pct": 0, "min_thread": 0, "max_thread": 0,
                               "spread_layouts_pct": 0},
    "ops_per_sec_total": 0, "ns_per_op": 0,
    "cost_ns_per_op": {"work": 0, "refcount": 0, "bucket_line": 0, "lock_wait": 0, "user_word": 0, "sleep": 0, "other": 0},
    "collisions": {"keys_per_bucket": {"mean": 0, "max": 0, "chi2": 0, "p_value": 0}, "busy_probability": 0,
                   "stolen_per_op": 0},
    "lines": [{"name": "", "home_node": 0, "local_transfers": 0, "remote_transfers": 0, "wait_ns_per_op": 0, "fields": [{}]}],
    "functions": [{"name": "", "self_share": 0, "total_share": 0}],
    "expect": {"record": "", "value": 0, "error_pct": 0, "role": "", "scored": True},
    "latency_ns": {"p50": 0, "p99": 0, "p999": 0, "max": 0}, "precision_reached": True,
    "run": {"accesses": 0, "events": 0, "ops": 0, "sim_ms": 0}}
RUN = {"tool": "", "version": "", "scenario": "", "seed": 0, "results": [RESULT]}
TIMING = {"wall_s": 0, "accesses_per_sec": 0, "ops_per_wall_sec": 0}
VALIDATION = {
    "tables": [{"id": "", "machine": "", "rows": 0, "fit_rows": 0, "mape_pct": 0, "worst_pct": 0, "spearman": 0,
                "cases": [{"id": "", "record": "", "role": "", "published": 0, "predicted": 0, "error_pct": 0}]}],
    "unmapped": [{"record": "", "why": ""}],
    "unexplained": [{"record": "", "published": 0, "predicted": 0, "why": ""}],
    "summary": {"rows": 0, "predict_rows": 0, "mape_pct": 0, "predict_mape_pct": 0, "worst_pct": 0}}
LISTS = ("machines", "kernels", "policies", "programs", "hashes", "metrics")
SCHEMAS = ("scenario", "machine", "result", "published")

SCENARIO = {
    "$schema": "schema/scenario.schema.json", "name": "all keys", "machine": "xeon-e5-2650", "kernel": "v6.17",
    "policy": {"scope": "private", "slots": 512, "resizable": True, "refcount": "percpu", "empty_check": "counter",
               "barrier_a": True, "barrier_b": True, "lock": "qspinlock", "bucket": "aligned", "back_pointer": False,
               "hash": "jhash2"},
    "workload": {"program": "perf-bench-hash", "threads": 28, "futexes": 1024, "shared": False, "placement": "perf"},
    "measure": {"seed": 1, "layouts": 1, "precision": 0.01, "confidence": 0.95, "max_sim_ms": 200},
    "cases": [{"id": "row", "kernel": "v6.18", "policy": {"slots": "auto"}, "workload": {"threads": 28},
               "expect": {"record": "N1-e5-b2", "role": "predict", "scored": True}},
              {"id": "own", "expect": {"metric": "ops_per_sec_per_thread", "value": 1555482, "source": "text"}},
              {"id": "odd", "workload": {"threads": 3, "placement": [0, 2, 4]},
               "expect": {"record": "N1-e5-b4", "role": "predict", "scored": False, "why": "for a test"}}]}


def check(condition, message):
    if not condition:
        failures.append(message)


def futexsim(*args, status=0, text=""):
    done = subprocess.run([FUTEXSIM, *args], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != status:
        sys.exit(f"{' '.join(args)}: status {done.returncode}: {done.stderr[:300]}")
    return done.stdout


def same_kind(example, value):
    if isinstance(example, bool) or isinstance(value, bool):
        return isinstance(example, bool) and isinstance(value, bool)
    if isinstance(example, (int, float)):
        return isinstance(value, (int, float))
    return isinstance(value, type(example))


def compare(example, value, where):
    if not same_kind(example, value):
        check(value is None and where.endswith("spearman"), f"{where}: {value!r} instead of something like {example!r}")
    elif isinstance(example, dict):
        for key, child in example.items():
            if key in value:
                compare(child, value[key], f"{where}/{key}")
            else:
                failures.append(f"{where}/{key} is missing")
    elif isinstance(example, list):
        check(value, f"{where} is empty")
        for item in value[:1]:
            compare(example[0], item, f"{where}/0")


def run():
    text = json.dumps(SCENARIO)
    document = json.loads(futexsim("run", "-", "--format", "json", "--jobs", "2", text=text))
    compare(RUN, document, "run")
    check([r["id"] for r in document["results"]] == ["row", "own", "odd"], "cases")
    check(document["results"][2]["workload"]["placement"] == [0, 2, 4], "a list of CPUs")
    check("wall_s" not in document["results"][0]["run"], "without --timing there is time")
    timed = json.loads(futexsim("run", "-", "--format", "json", "--timing", text=text))
    compare(TIMING, timed["results"][0]["run"], "--timing")
    set_ = json.loads(futexsim("run", "-", "--set", "workload.threads=3", "--set", "policy.slots=64", "--seed", "7",
                               "--format", "json", text=text))
    check({r["workload"]["threads"] for r in set_["results"]} == {3} and set_["seed"] == 7, "--set or --seed")
    check({r["policy"]["slots"] for r in set_["results"]} == {64}, "--set policy.slots")
    check(futexsim("run", "-", "-o", "file.csv", "--format", "csv", text=text) == "", "-o prints")
    check(pathlib.Path("file.csv").read_bytes().startswith(b"id,"), "-o writes nothing")


def layers():
    """A case overrides what stands above it; a sweep crosses every case; machines by name, path and in place."""
    base = {"name": "layers", "machine": "spr-vm-2", "kernel": "v6.15", "workload": {"threads": 2, "futexes": 16},
            "policy": {"slots": 64}}
    cases = [{"id": "a"}, {"id": "b", "kernel": "v7.2", "workload": {"threads": 1}}]
    swept = json.loads(futexsim("run", "-", "--format", "json",
                                text=json.dumps({**base, "cases": cases, "sweep": {"workload.futexes": [16, 32], "policy.slots": [2, 4]}})))
    ids = [f"{c}/workload.futexes={f},policy.slots={s}" for c in "ab" for f in (16, 32) for s in (2, 4)]
    check([r["id"] for r in swept["results"]] == ids, f"sweep: {[r['id'] for r in swept['results']]}")
    b = swept["results"][-1]
    check(b["kernel"] == "v7.2" and b["policy"]["scope"] == "private" and b["policy"]["slots"] == 4, f"layers: {b['policy']}")
    check(b["workload"]["threads"] == 1 and b["workload"]["futexes"] == 32, f"layers: {b['workload']}")
    futexsim("run", "-", status=3, text=json.dumps({**base, "cases": [SCENARIO["cases"][1]], "sweep": {"policy.slots": [2]}}))
    profile = json.loads(MACHINE.read_text(encoding="utf-8"))
    pathlib.Path("own.json").write_text(json.dumps({**profile, "name": "own"}), encoding="utf-8")
    for machine in ("./own.json", {**profile, "name": "own"}):
        document = json.loads(futexsim("run", "-", "--format", "json", text=json.dumps({**base, "machine": machine})))
        check(document["results"][0]["machine"] == "own", f"machine {str(machine)[:20]}")
    newest = json.loads(futexsim("run", "-", "--format", "json", text=json.dumps({"name": "n", "machine": "spr-vm-2"})))
    check(newest["results"][0]["kernel"] == "v7.3", "the default is not the newest kernel")


def validate():
    document = json.loads(futexsim("validate", "-", "--format", "json", text=json.dumps(SCENARIO)))
    document["unmapped"] = [{"record": "", "why": ""}]  # only with the index, below
    compare(VALIDATION, document, "validate")
    row = document["tables"][0]["cases"][0]
    check(abs(row["error_pct"] - 100 * (row["predicted"] / row["published"] - 1)) < 0.01, f"error_pct: {row}")
    errors = [abs(c["error_pct"]) for c in document["tables"][0]["cases"] if c["kind"] == "scored"]
    check(abs(document["tables"][0]["mape_pct"] - sum(errors) / len(errors)) < 0.01, "mape_pct")
    compare(VALIDATION, json.loads(futexsim("validate", "--format", "json")), "validate")


def fit():
    cases = [{"id": f"t{t}", "workload": {"threads": t}, "expect": {"metric": "ns_per_op", "value": 400 + 20 * t, "source": "own"}}
             for t in (1, 2, 4, 8)]
    pathlib.Path("rows.json").write_text(json.dumps({"name": "rows", "machine": "laptop-2013", "measure": {"seed": 910},
                                                     "cases": cases}), encoding="utf-8")
    futexsim("fit", "--machine", "laptop-2013", "--free", "work_in,work_out", "-o", "fitted.json", "rows.json")
    values = json.loads(pathlib.Path("fitted.json").read_text(encoding="utf-8"))["parameters"]
    for name in ("work_in", "work_out"):
        compare({"ns": 0, "status": "", "source": "", "range": [0]}, values[name], f"fit/{name}")
        check(values[name]["status"] == "fitted", f"fit: {values[name]}")
        check(all(f"rows/t{t}" in values[name]["source"] for t in (1, 2, 4, 8)), f"fit: records: {values[name]['source']}")


def rest():
    for what in LISTS:
        check(len(futexsim("list", what).splitlines()) > 1, f"list {what}")
    for name in SCHEMAS:
        schema = json.loads(futexsim("schema", name))
        check(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema", f"schema {name}")
    check(futexsim("--version").startswith("futexsim ") and "exit status" in futexsim("--help").lower(), "--version or --help")
    for command in ("run", "validate", "fit", "list", "schema"):
        check(futexsim(command, "--help").startswith(f"futexsim {command}"), f"{command} --help")
    futexsim("run", "-", status=1, text=json.dumps({**SCENARIO, "measure": {"seed": 902}}))
    futexsim("run", status=2)
    futexsim("run", "-", status=3, text="{}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for part in run, layers, validate, fit, rest:
        part()
    os.chdir("/")
for failure in failures:
    print("FAILED:", failure)
sys.exit(bool(failures))
