#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fit.py FUTEXSIM PART: the command fit.

With the stand-in for the simulation (seed 910: nanoseconds are a known sum of
machine parameters): recovery, bounds, names, weak, refusals, interrupt, same, index, as_json, cross, narrow, cross_interrupt.
With the real one: simulated: rows made by the simulator give its parameters back.
"""
import csv
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINE = "laptop-2013"
THREADS = 8

checks = 0
failures = []


def check(condition, message):
    global checks
    checks += 1
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def futexsim(*args, status=0):
    done = subprocess.run([FUTEXSIM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == status, f"{' '.join(args)}: status {done.returncode}: {done.stderr[:300]}")
    return done


def refuses(status, message, *args):
    done = futexsim("fit", *args, status=status)
    check(message in done.stderr, f"{args}: no '{message}' but: {done.stderr[:300]}")
    check(done.stderr.count("\n") == 1 and not done.stdout, f"{args}: not one line on stderr")


def shipped(name):
    return json.loads((ROOT / f"scenarios/machines/{name}.json").read_text(encoding="utf-8"))


def unit(value):
    return next(key for key in ("ns", "ratio", "count") if key in value)


def number(profile, name):
    value = profile["parameters"][name]
    return value[unit(value)]


def profile_with(path, **numbers):
    profile = shipped(MACHINE)
    for name, value in numbers.items():
        profile["parameters"][name][unit(profile["parameters"][name])] = value
        profile["parameters"][name].pop("range", None)
    pathlib.Path(path).write_text(json.dumps(profile, indent="\t"), encoding="utf-8")


def model_ns(p, threads, slots, old=False):
    """As in fake_experiment.c."""
    return (p["t_syscall"] + p["work_out"] + (0 if old else p["t_mitigations"]) + p["work_in"] * (1 + threads / 4) +
            p["t_cluster"] * threads / slots)


def case(name, threads, slots, value, **more):
    return {"id": name, "workload": {"threads": threads}, "policy": {"scope": "private", "slots": slots}, **more,
            "expect": {"metric": "ns_per_op", "value": value, "source": "made for a test"}}


TRUE = {"t_syscall": 80, "work_out": 60, "t_mitigations": 40, "work_in": 33, "t_cluster": 31}
POINTS = [(1, 2), (2, 4), (4, 2), (8, 2), (8, 16), (8, 256)]


def scenario(path, seed=910, cases=None):
    if cases is None:
        cases = [case(f"t{t}-s{s}", t, s, model_ns(TRUE, t, s)) for t, s in POINTS]
    document = {"name": "made", "machine": MACHINE, "measure": {"seed": seed}, "cases": cases}
    pathlib.Path(path).write_text(json.dumps(document), encoding="utf-8")


def errors(report):
    """(before, after) of the line that sums up."""
    found = re.search(r"mean error ([\d.]+) -> ([\d.]+) %", report)
    return float(found[1]), float(found[2])


def start_profile():
    profile_with("start.json", t_syscall=80, work_out=60, t_mitigations=40, work_in=25, t_cluster=25)


def recovery():
    start_profile()
    scenario("rows.json")
    done = futexsim("fit", "--machine", "start.json", "--free", "t_cluster=10:80,work_in=10:80", "-o", "fitted.json", "rows.json")
    before, after = errors(done.stdout)
    check(before > 5 and after < 0.1, f"mean error {before} -> {after}")
    start, fitted = (json.loads(pathlib.Path(f).read_text(encoding="utf-8")) for f in ("start.json", "fitted.json"))
    for name in ("t_cluster", "work_in"):
        value = fitted["parameters"][name]
        check(abs(value["ns"] / TRUE[name] - 1) < 0.005, f"{name}: {value['ns']} instead of {TRUE[name]}")
        check(value["status"] == "fitted" and "rows/t8-s16" in value["source"], f"{name}: {value}")
        check("6 measured rows" in value["source"] and "published" not in value["source"], f"{name}: {value}")
        check("; before: 25 (" in value["source"], f"{name}: the value before is not named")
        check(value["range"][0] <= value["ns"] <= value["range"][1], f"{name}: not within its interval")
        check(value["bounds"] == [10, 80], f"{name}: bounds {value['bounds']}")
    check(fitted["parameters"]["t_socket"]["ns"] == fitted["parameters"]["t_cluster"]["ns"], "t_socket is not tied")
    changed = {name for name in start["parameters"] if start["parameters"][name] != fitted["parameters"][name]}
    check(changed == {"t_cluster", "t_socket", "work_in"}, f"changed: {changed}")
    check({k: v for k, v in start.items() if k != "parameters"} == {k: v for k, v in fitted.items() if k != "parameters"},
          "more than parameters changed")
    again = futexsim("fit", "--machine", "fitted.json", "--free", "t_cluster,work_in", "-o", "again.json", "rows.json", "--restarts", "1")
    check(errors(again.stdout)[1] < 0.1, "a second fit is worse")
    source = json.loads(pathlib.Path("again.json").read_text(encoding="utf-8"))["parameters"]["work_in"]["source"]
    check(source.count("; before: ") == 1 and "before: 25 (" in source, f"sources pile up: {source}")
    check("10 .. 80" in again.stdout, "bounds of the first fit are lost")


def bounds():
    start_profile()
    scenario("rows.json")
    done = futexsim("fit", "--machine", "start.json", "--free", "work_in=20:30", "-o", "fitted.json", "rows.json")
    check("at the upper bound" in done.stdout, "the bound is not named")
    check(number(json.loads(pathlib.Path("fitted.json").read_text(encoding="utf-8")), "work_in") == 30, "beyond the bound")
    futexsim("validate", "--set", "machine=fitted.json", "rows.json")
    profile = json.loads(pathlib.Path("start.json").read_text(encoding="utf-8"))
    for more, used in (({"range": [22, 28]}, "22 .. 28"), ({"range": [22, 28], "bounds": [21, 29]}, "21 .. 29"),
                       ({"bounds": [23, 27]}, "23 .. 27"), ({"status": "fitted", "range": [24, 26]}, "12.5 .. 50")):
        work_in = {"ns": 25, "status": "guess", "source": "for a test", **more}
        profile["parameters"]["work_in"] = work_in
        pathlib.Path("written.json").write_text(json.dumps(profile), encoding="utf-8")
        done = futexsim("fit", "--machine", "written.json", "--free", "work_in", "rows.json", "--max-evals", "3")
        check(used in done.stdout, f"{work_in}: not within {used}: {done.stdout}")
    # A value beyond what any machine was seen to do: what the fit writes is still a profile.
    profile_with("exotic.json", t_home_service=400)
    futexsim("fit", "--machine", "exotic.json", "--free", "t_home_service", "rows.json", "--max-evals", "3", "-o", "fitted.json")
    futexsim("validate", "--set", "machine=fitted.json", "rows.json")


def names():
    """Whatever a file is called, reports are JSON, and the fitted profile can be read again."""
    start_profile()
    for name in (b"s" + 115 * "\u00fc".encode(), 110 * "\u00fc".encode(), b"a\nb\x7f", b"\xff\xc3", 200 * b"s"):
        path = os.fsdecode(name + b".json")
        scenario(path)
        free = ("--free", "work_in=10:80", "--max-evals", "3")
        done = futexsim("fit", "--machine", "start.json", *free, "-o", "fitted.json", "--format", "json", path)
        check(len(json.loads(done.stdout)["rows"]) == len(POINTS), f"{name}: {done.stdout[:300]}")
        futexsim("fit", "--machine", "fitted.json", *free, path)
        json.loads(futexsim("validate", "--format", "json", path).stdout)


def weak():
    """The system call and its mitigations only differ in kernels that have none."""
    start_profile()
    old = case("old", 1, 256, model_ns(TRUE, 1, 256, True), kernel="v3.12")
    old["policy"] = {}
    rows = [case(f"t{t}-s{s}", t, s, 1.1 * model_ns(TRUE, t, s)) for t, s in POINTS]
    scenario("rows.json", cases=[*rows, old])
    params = "t_syscall=20:200,t_mitigations=10:200"
    done = futexsim("fit", "--machine", "start.json", "--free", params, "--rows", "*/t?-*", "rows.json", "--max-evals", "60")
    check("not told apart: t_syscall, t_mitigations" in done.stdout, "the weak pair is not named: " + done.stdout)
    check("To tell them apart: rows/old" in done.stdout, "no row that helps: " + done.stdout)
    done = futexsim("fit", "--machine", "start.json", "--free", params, "rows.json", "--max-evals", "60")
    check("not told apart" not in done.stdout, "the row does not help")
    done = futexsim("fit", "--machine", "start.json", "--free", "t_wakeup,work_in=10:80", "rows.json", "--max-evals", "30")
    check("not determined: t_wakeup; no row depends on it" in done.stdout, "no effect is not named")
    check("no other row of this machine would" in done.stdout, "a row is named that cannot help")
    # Both add time, and most of it to the same rows: one makes up for the other when it falls.
    few = [case(f"t{t}-s256", t, 256, model_ns(TRUE, t, 256)) for t in (1, 2, 4)]
    scenario("few.json", cases=few)
    done = futexsim("fit", "--machine", "start.json", "--free", "t_syscall=20:200,work_in=10:80", "few.json", "--max-evals", "60")
    found = re.search(r"t_syscall, work_in \(correlation of the estimates ([-+][\d.]+): where one rises and the other falls,",
                      done.stdout)
    check(found and float(found[1]) < -0.95, "the sign of a correlation: " + done.stdout[-500:])


def refusals():
    start_profile()
    scenario("rows.json")
    refuses(2, "which machine? --machine PROFILE is missing")
    refuses(2, "which machine? --machine PROFILE is missing", MACHINE, "--free", "work_in")
    refuses(2, "unknown or ambiguous option --params", "--machine", MACHINE, "--params", "work_in")
    refuses(2, "-o -: standard output has the report", "--machine", MACHINE, "--free", "work_in", "-o", "-", "rows.json")
    refuses(2, "rows.json: named twice", "--machine", MACHINE, "--free", "work_in=10:80", "rows.json", "rows.json")
    twice = futexsim("validate", "rows.json", "rows.json", status=2)
    check("rows.json: named twice; allowed: each scenario once" in twice.stderr, twice.stderr)
    for wrong in ("csv", "xml"):
        refuses(2, f"--format {wrong}: not possible; allowed: table, json", "--machine", MACHINE, "--free", "work_in",
                "--format", wrong)
    for nothing in ("", ",", "work_in,"):
        refuses(2, "unknown parameter", "--machine", MACHINE, "--free", nothing, "rows.json")
    refuses(1, "no/such/folder: cannot be written", "--machine", MACHINE, "--free", "work_in=10:80", "-o", "no/such/folder",
            "rows.json")
    refuses(2, "--free NAME,... is missing", "--machine", MACHINE)
    refuses(2, '--free work_inn: unknown parameter (did you mean "work_in"?)', "--machine", MACHINE, "--free", "work_inn")
    refuses(2, "named twice", "--machine", MACHINE, "--free", "work_in,work_in")
    refuses(2, "named twice", "--machine", MACHINE, "--free", "t_socket,t_cluster")
    for text in ("1", "5:1", "-1:5", "1:x", "0:1e9", "nan:5", ":", "1:2:3"):
        refuses(2, "no bounds; allowed: LOW:HIGH within 0:10000", "--machine", MACHINE, "--free", f"work_in={text}")
    for option in ("--restarts", "--max-evals", "--jobs"):
        refuses(2, f"{option} 0: not possible", "--machine", MACHINE, "--free", "work_in", option, "0")
    refuses(2, "--precision 2: not possible", "--machine", MACHINE, "--free", "work_in", "--precision", "2")
    refuses(2, "--tables chooses from the index", "--machine", MACHINE, "--free", "work_in", "--tables", "x", "rows.json")
    refuses(2, '--tables e5-2650-swep: unknown (did you mean "e5-2650-sweep"?)', "--machine", "xeon-e5-2650", "--free", "work_in", "--tables", "e5-2650-swep")
    refuses(3, 'no known machine (did you mean "laptop-2013"?)', "--machine", "laptop-2012", "--free", "work_in")
    refuses(3, "none.json: cannot be read", "--machine", "none.json", "--free", "work_in")
    refuses(3, "no row to fit to", "--machine", MACHINE, "--free", "work_in")
    refuses(3, "no row to fit to", "--machine", "start.json", "--free", "work_in", "--rows", "none*", "rows.json")
    refuses(3, "no row to fit to", "--machine", "xeon-e5-2650", "--free", "work_in", "--tables", "e5-2650-private")
    refuses(3, "3 parameters, but 2 rows to fit to", "--machine", "start.json", "--free", "work_in,work_out,t_syscall",
            "--rows", "*/t8-s2", "--rows", "*/t8-s16", "rows.json")
    profile_with("read.json", work_in=25)
    profile = json.loads(pathlib.Path("read.json").read_text(encoding="utf-8"))
    profile["parameters"]["work_in"]["status"] = "read"
    pathlib.Path("read.json").write_text(json.dumps(profile), encoding="utf-8")
    refuses(3, "work_in was read in a source", "--machine", "read.json", "--free", "work_in", "rows.json")
    futexsim("fit", "--machine", "read.json", "--free", "work_in=10:80", "rows.json", "--max-evals", "5")
    profile["topology"]["levels"][2]["count"] = 2
    profile["clock"]["turbo"] = [{"cores": 2, "ghz": 3}]
    pathlib.Path("other.json").write_text(json.dumps(profile), encoding="utf-8")
    refuses(3, "has another topology", "--machine", "other.json", "--free", "work_out", "rows.json")
    check(not list(pathlib.Path(".").glob("*.tmp*")), "temporary files are left")
    scenario("bad.json", seed=902)
    done = futexsim("fit", "--machine", "start.json", "--free", "work_in=10:80", "-o", "kept.json", "bad.json", status=1)
    check("out of simulated memory" in done.stderr and not pathlib.Path("kept.json").exists(), "a failing case")
    scenario("few.json", cases=[case(f"t{t}-s{s}", t, s, model_ns(TRUE, t, s)) for t, s in POINTS])
    done = futexsim("fit", "--machine", "start.json", "--free", "work_in=10:80", "--max-evals", "3", "few.json")
    check("3 evaluations" in done.stdout and "3162" not in done.stdout, f"few evaluations: {done.stdout[-300:]}")
    for most in range(19, 23):  # some leave nothing for the last search
        done = futexsim("fit", "--machine", "start.json", "--free", "work_in=10:80", "--max-evals", str(most), "few.json")
        check("3162" not in done.stdout, f"a search without evaluations: {done.stdout[-300:]}")


def stopped_after(seconds, command, number=signal.SIGINT):
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        time.sleep(seconds)
        os.killpg(process.pid, number)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, out, err


def interrupted_after(seconds, *more, number=signal.SIGINT):
    command = [FUTEXSIM, "fit", "--machine", "start.json", "--free", "work_in=10:80,t_cluster=10:80", "-o", "kept.json",
               "rows.json", "--jobs", "1", "--restarts", "100", "--max-evals", "100000", *more]
    return stopped_after(seconds, command, number)


def interrupt():
    start_profile()
    scenario("rows.json", seed=911)
    status, out, err = interrupted_after(1.5)
    check(status == 1 and "interrupted after" in err, f"status {status}: {err}")
    check("interrupted: the best point so far" in out, out[-300:])
    kept = json.loads(pathlib.Path("kept.json").read_text(encoding="utf-8"))["parameters"]["work_in"]
    check(kept["status"] == "fitted" and "interrupted" in kept["source"] and "range" not in kept, str(kept))
    futexsim("validate", "--set", "machine=kept.json", "rows.json")
    for number in signal.SIGTERM, signal.SIGHUP:
        pathlib.Path("kept.json").unlink()
        status, out, err = interrupted_after(1.5, number=number)
        check(status == 1 and "the best point so far" in out and pathlib.Path("kept.json").exists(), f"{number}: {status} {err}")
    pathlib.Path("kept.json").unlink()
    scenario("rows.json", seed=906)
    status, out, err = interrupted_after(1)
    check(status == 1 and not out and "before the first evaluation" in err, f"endless: {status} {err}")
    check(not pathlib.Path("kept.json").exists(), "a profile without any evaluation")


def as_json():
    """The report for programs says what the one for people says."""
    start_profile()
    old = case("old", 1, 256, model_ns(TRUE, 1, 256, True), kernel="v3.12")
    old["policy"] = {}
    scenario("rows.json", cases=[*(case(f"t{t}-s{s}", t, s, model_ns(TRUE, t, s)) for t, s in POINTS), old])
    args = ("fit", "--machine", "start.json", "--free", "t_syscall=20:200,t_mitigations=10:200", "--rows", "*/t?-*", "rows.json",
            "--max-evals", "60")
    text, found = futexsim(*args).stdout, json.loads(futexsim(*args, "--format", "json").stdout)
    check(found["machine"] == MACHINE and not found["interrupted"] and len(found["rows"]) == 6, str(found)[:300])
    names = [p["name"] for p in found["parameters"]]
    check(names == ["t_syscall", "t_mitigations"] and found["parameters"][0]["bounds"] == [20, 200], str(found["parameters"]))
    for p in found["parameters"]:
        check(p["interval"][0] <= p["fitted"] <= p["interval"][1], f"{p['name']}: not within its interval")
    check(f"{found['errors']['start']['mean_pct']:.1f} -> {found['errors']['fitted']['mean_pct']:.1f} %" in text, "other errors")
    weak = found["undetermined"][0]
    check(set(weak["parameters"]) == set(names) and weak["helper"]["case"] == "rows/old", f"{weak}")
    scenario("rows.json", seed=911)
    status, out, _ = interrupted_after(1.5, "--format", "json")
    found = json.loads(out)
    check(status == 1 and found["interrupted"] and found["parameters"][0]["interval"] is None, f"{status}: {out[:300]}")


def same():
    start_profile()
    scenario("rows.json")
    outputs = set()
    for jobs in ("1", "2", "7"):
        done = futexsim("fit", "--machine", "start.json", "--free", "work_in=10:80,t_cluster=10:80,t_wakeup", "--jobs", jobs,
                        "-o", f"{jobs}.json", "rows.json", "--max-evals", "150")
        outputs.add(done.stdout + pathlib.Path(f"{jobs}.json").read_text(encoding="utf-8"))
    check(len(outputs) == 1, "--jobs changes the result")
    scenario("rows.json", cases=[case(f"t{t}-s{s}", t, s, model_ns(TRUE, t, s) * (1 + t % 3 / 9)) for t, s in POINTS])
    seeds = {futexsim("fit", "--machine", "start.json", "--free", "work_in=10:80,t_cluster=10:80", "--seed", seed, "rows.json",
                      "--max-evals", "80").stdout for seed in ("912", "913")}
    check(len(seeds) == 2, "--seed does not move the other starts")


def index():
    """Rows of the shipped index, with roles."""
    done = futexsim("fit", "--machine", "xeon-e5-2650", "--free", "work_in", "--max-evals", "5", "--seed", "910")
    check("fit of xeon-e5-2650: 1 parameter, 13 rows" in done.stdout, done.stdout[:200])
    done = futexsim("fit", "--machine", "xeon-e5-2650", "--free", "work_in", "--max-evals", "5", "--seed", "910", "--tables",
                    "e5-2650-sweep", "--rows", "N1-e5-node?-b*")
    check("1 parameter, 8 rows" in done.stdout, done.stdout[:200])
    check("N1-e5-b2 " not in done.stdout and "N1-e5-node0-b8 " in done.stdout, "the wrong rows")


def published_tables():
    """An index of two tables of one machine, with records made from the model."""
    folder = pathlib.Path("scenarios/published")
    folder.mkdir(parents=True, exist_ok=True)
    records, tables = [], []
    for table, points in (("wide", POINTS), ("deep", [(3, 2), (5, 4), (6, 2), (7, 8)])):
        cases = []
        for i, (t, s) in enumerate(points):
            record = f"{table}-{t}-{s}"
            records.append({"id": record, "value": 1e9 / model_ns(TRUE, t, s), "unit": "ops/s per thread"})
            cases.append(case(f"t{t}-s{s}", t, s, 1))
            cases[-1]["expect"] = {"record": record, "role": ("fit", "predict")[i % 2]}
        scenario(f"scenarios/published/{table}.json", cases=cases)
        tables.append({"id": table, "title": table, "scenarios": [table], "records": [f"{table}-*"]})
    index = {"tables": tables, "unmapped": []}
    (folder / "tables.json").write_text(json.dumps(index), encoding="utf-8")
    (folder / "published.json").write_text(json.dumps({"records": records}), encoding="utf-8")


def fitted_profile(path, **numbers):
    """Shipped values, and what they were before any fit."""
    profile_with(path, **{name: value for name, (value, _) in numbers.items()})
    profile = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    for name, (value, before) in numbers.items():
        profile["parameters"][name].update(status="fitted", source=f"fitted to rows; before: {before} (guess) for a test",
                                           bounds=[value / 3, value * 3])
    pathlib.Path(path).write_text(json.dumps(profile, indent="\t"), encoding="utf-8")


def cross_documents():
    """The profile fits its rows; before any fit it did not. The rows do not depend on t_wakeup."""
    published_tables()
    pathlib.Path("scenarios/machines").mkdir(parents=True, exist_ok=True)
    fitted_profile("scenarios/machines/laptop-2013.json", work_in=(33, 22), t_cluster=(31, 22), work_out=(60, 40),
                   t_wakeup=(3000, 4000))
    profile = pathlib.Path("scenarios/machines/laptop-2013.json")
    document = json.loads(profile.read_text(encoding="utf-8"))
    for name in ("t_syscall", "t_mitigations"):
        document["parameters"][name]["ns"] = TRUE[name]
    profile.write_text(json.dumps(document), encoding="utf-8")


def check_lines(lines):
    check(set(lines) == {("nothing", None), ("table", "wide"), ("table", "deep"), ("parameter", "work_in"),
                         ("parameter", "t_cluster"), ("parameter", "work_out"), ("parameter", "t_wakeup")}, str(lines))
    sizes = {key: (line["fit_rows"], line["judges"]) for key, line in lines.items()}
    check(sizes["nothing", None] == (5, 5) and sizes["table", "wide"] == (2, 6) and sizes["table", "deep"] == (3, 4),
          f"rows and judges: {sizes}")
    for key, line in lines.items():
        check(line["shipped"]["mean_pct"] < 0.01, f"{key}: the profile does not fit: {line}")
        check(line["unfitted"]["mean_pct"] > 4, f"{key}: right before any fit: {line}")
        check("t_wakeup" not in line["fitted"], f"{key}: fits what no row depends on")
        good = 1 if key[1] in (None, "deep", "t_wakeup") else line["unfitted"]["mean_pct"]
        check(line["refitted"]["mean_pct"] < good, f"{key}: {line}")
    check(set(lines["nothing", None]["fitted"]) == {"work_in", "t_cluster", "work_out"}, str(lines["nothing", None]))
    left = lines["parameter", "work_in"]
    check("work_in" not in left["fitted"] and left["refitted"]["mean_pct"] > 0.3, f"work_in is not missed: {left}")


def cross():
    published_tables()
    refused = futexsim("validate", "--cross", status=3)
    check(refused.stderr.count("\n") == 1 and not refused.stdout, "not one line on stderr")
    check("no machine has both rows to fit to and fitted parameters" in refused.stderr, refused.stderr)
    cross_documents()
    text = futexsim("validate", "--cross").stdout
    for line in ("left out ", "nothing ", "table wide ", "parameter t_cluster ", "verdict: 4 rows of 1 table left out"):
        check(re.search("^" + line, text, re.M), f"no line '{line}': {text}")
    document = json.loads(futexsim("validate", "--cross", "--format", "json").stdout)
    lines = {(line["left_out"], line.get("name")): line for line in document["machines"][0]["lines"]}
    check_lines(lines)
    check("too few rows are left to fit to: without wide (2 rows)" in document["machines"][0]["verdict"], text)
    check("as good without fitting t_wakeup" in document["machines"][0]["verdict"], document["machines"][0]["verdict"])
    for more in (("--seed", "77"), ("--set", "measure.seed=77")):
        seed = json.loads(futexsim("validate", "--cross", "--format", "json", *more).stdout)["seed"]
        check(seed == 77, f"{more}: seed {seed}")
    rows = list(csv.DictReader(io.StringIO(futexsim("validate", "--cross", "--format", "csv").stdout)))
    check([(row["left_out"], row["name"] or None) for row in rows] == list(lines), "CSV and JSON differ")
    for n in ("1", "3"):
        check(futexsim("validate", "--cross", "--jobs", n).stdout == text, "--jobs changes the result")
    futexsim("validate", "--cross", "-o", "file")
    check(pathlib.Path("file").read_text(encoding="utf-8") == text, "another text in the file")
    futexsim("validate", "--cross", "scenarios/published/wide.json", status=2)
    # Another profile for all rows: it is the one that is looked at.
    profile = shipped(MACHINE)
    profile["name"] = "mine"
    fitted = {"ns": 50, "status": "fitted", "source": "fitted; before: 20 (guess) for a test", "bounds": [10, 60]}
    profile["parameters"]["work_in"] = fitted
    pathlib.Path("mine.json").write_text(json.dumps(profile), encoding="utf-8")
    machine, = json.loads(futexsim("validate", "--cross", "--format", "json", "--set", "machine=mine.json").stdout)["machines"]
    check(machine["machine"] == "mine", f"another machine than that of the rows: {machine['machine']}")
    check(machine["lines"][0]["shipped"]["mean_pct"] > 1 and set(machine["lines"][0]["fitted"]) == {"work_in"}, str(machine))
    for path in pathlib.Path("scenarios/published").glob("[wd]*.json"):
        path.write_text(path.read_text(encoding="utf-8").replace('"predict"', '"fit"'), encoding="utf-8")
    document = json.loads(futexsim("validate", "--cross", "--format", "json").stdout)
    sizes = [(line["left_out"], line["judges"]) for line in document["machines"][0]["lines"]]
    check(sizes == [("nothing", 0), ("table", 6), ("table", 4)], f"all rows fitted: {sizes}")
    done = futexsim("validate", "--cross", "--seed", "902", "-o", "kept", status=1)
    check("out of simulated memory" in done.stderr and not pathlib.Path("kept").exists(), "a failing case")


def narrow():
    """Bounds closer together than the step that slopes are taken over, and the start at one of them."""
    cross_documents()
    path = pathlib.Path("scenarios/machines/laptop-2013.json")
    profile = json.loads(path.read_text(encoding="utf-8"))
    for before, bounds in ((30, [30, 33]), (36, [33, 36])):
        profile["parameters"]["work_in"].update(source=f"fitted; before: {before} (guess) for a test", bounds=bounds)
        path.write_text(json.dumps(profile), encoding="utf-8")
        document = json.loads(futexsim("validate", "--cross", "--format", "json").stdout)
        line = document["machines"][0]["lines"][0]
        check(line["fitted"].get("work_in", before) != before, f"work_in within {bounds} stays at {before}: {line}")
        check(line["fit_rms_pct"] < 0.6, f"work_in within {bounds}: {line}")


def cross_interrupt():
    """What is finished is printed, and no file is written."""
    cross_documents()
    command = [FUTEXSIM, "validate", "--cross", "--seed", "911", "--jobs", "1", "-o", "kept", "--format", "json"]
    lines = []
    for seconds in (2, 4, 8, 16):
        status, out, err = stopped_after(seconds, command)
        check(status == 1 and re.search(r"interrupted after [0-6] of 7 lines\n", err), f"{status}: {err}")
        check("kept is unchanged" in err and not pathlib.Path("kept").exists(), "a file of an incomplete run")
        lines = [line for machine in json.loads(out)["machines"] for line in machine["lines"]]
        if lines:
            break
    check(lines and len(lines) < 7 and lines[0]["left_out"] == "nothing", f"{len(lines)} lines")


def simulated():
    """Made with other parameters by the simulator itself, and found again."""
    true = {"t_cluster": 34.0, "work_in": 30.0}
    profile_with("true.json", t_socket=true["t_cluster"], **true)
    profile_with("start.json", t_cluster=25, t_socket=25, work_in=20)
    points = [(1, 16), (2, 2), (4, 2), (4, 64), (8, 2), (8, 16)]
    scenario("made.json", seed=3, cases=[case(f"t{t}-s{s}", t, s, 1) for t, s in points])
    settings = ("--set", "measure.max_sim_ms=2", "--set", "workload.futexes=64", "--set", "measure.precision=0.01")
    made = futexsim("run", "made.json", "--format", "csv", "--set", "machine=true.json", *settings)
    values = [float(row["ns_per_op"]) for row in csv.DictReader(io.StringIO(made.stdout))]
    scenario("rows.json", seed=3, cases=[case(f"t{t}-s{s}", t, s, v) for (t, s), v in zip(points, values)])
    done = futexsim("fit", "--machine", "start.json", "--free", "t_cluster=15:80,work_in=10:80", "-o", "fitted.json", "rows.json",
                    "--restarts", "2", "--max-evals", "120", *settings)
    print(done.stdout)
    before, after = errors(done.stdout)
    check(before > 3 and after < before / 4, f"mean error {before} -> {after}")
    fitted = json.loads(pathlib.Path("fitted.json").read_text(encoding="utf-8"))
    for name, value in true.items():
        check(abs(number(fitted, name) / value - 1) < 0.05, f"{name}: {number(fitted, name)} instead of {value}")


PARTS = {f.__name__: f for f in (recovery, bounds, names, weak, refusals, interrupt, same, index, as_json, cross, narrow,
                                      cross_interrupt, simulated)}

if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored under nohup
    FUTEXSIM = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        PARTS[sys.argv[2]]()
        os.chdir("/")
    print(f"{sys.argv[2]}: {checks} checks, {len(failures)} failures")
    sys.exit(1 if failures or not checks else 0)
