#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the shipped JSON files with an independent JSON Schema validator.

check.py schemas  SCENARIOS_DIR            the schemas themselves are valid draft 2020-12
check.py shipped  SCENARIOS_DIR            every shipped file obeys its schema and refers to what exists
check.py wrong    SCENARIOS_DIR WRONG.json every deliberately wrong document is refused, for the right reason
check.py mapping  SCENARIOS_DIR            the rules of published.py, which see what is wrong when something is
check.py output   SCENARIOS_DIR FUTEXSIM   what the command prints obeys result and validation.schema.json
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

import published

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ("scenario", "machine", "result", "validation", "cross", "fit", "published", "tables")
DATA = {"published.json": "published", "tables.json": "tables"}


def load(path):
    def no_duplicates(pairs):
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"{path}: duplicate key in {keys}"
        return dict(pairs)

    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=no_duplicates)


class Schemas:
    def __init__(self, folder):
        self.folder = folder
        self.documents = {k: load(folder / "schema" / f"{k}.schema.json") for k in KINDS}
        self.store = {d["$id"]: d for d in self.documents.values()}

    def errors(self, kind, document):
        schema = self.documents[kind]
        resolver = jsonschema.RefResolver(schema["$id"], schema, store=self.store)
        validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
        return list(validator.iter_errors(document))


def leaves(error):
    """The error and those of the branches of oneOf/anyOf below it."""
    yield error
    for child in error.context or ():
        yield from leaves(child)


def pointer(error):
    return "".join("/" + str(step) for step in error.absolute_path)


def shipped(folder):
    """(schema kind, file) of everything that is shipped."""
    yield from (("scenario", f) for f in sorted(folder.glob("*.json")))
    yield from (("machine", f) for f in sorted(folder.glob("machines/*.json")))
    yield from ((DATA.get(f.name, "scenario"), f) for f in sorted(folder.glob("published/*.json")))


def objects(node, where=""):
    """All objects of a schema with their place."""
    if isinstance(node, dict):
        yield where, node
        for key, value in node.items():
            yield from objects(value, f"{where}/{key}")
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from objects(value, f"{where}/{i}")


def check_schemas(schemas, fail):
    for kind, schema in schemas.documents.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        if not schema["$schema"].endswith("/draft/2020-12/schema"):
            fail(f"{kind}: not draft 2020-12")
        for where, node in objects(schema):
            if "properties" in node and node.get("type") == "object":
                if "additionalProperties" not in node:
                    fail(f"{kind}{where}: accepts unknown keys")


def check_machine(path, machine, fail):
    if machine["name"] != path.stem:
        fail(f"{path.name}: name {machine['name']} differs from the file name")
    count = {level["level"]: level["count"] for level in machine["topology"]["levels"]}
    units = count["socket"] * count["cluster"] * count["unit"]
    if units * count["thread"] > 4096:
        fail(f"{path.name}: more than 4096 CPUs")
    hops = machine["topology"]["hops"]
    n = count["socket"]
    if len(hops) != n or any(len(row) != n for row in hops):
        fail(f"{path.name}: hops is not {n} x {n}")
    elif any((hops[i][j] == 0) != (i == j) or hops[i][j] != hops[j][i]
             for i in range(n) for j in range(n)):
        fail(f"{path.name}: hops is not symmetric with a zero diagonal")
    cores = [entry["cores"] for entry in machine["clock"]["turbo"]]
    if cores != sorted(set(cores)) or cores[-1] != units:
        fail(f"{path.name}: turbo steps {cores} do not ascend to {units} units")
    for name, value in machine["parameters"].items():
        number = next(value[k] for k in ("ns", "count", "ratio") if k in value)
        low, high = value.get("range", (number, number))
        if not low <= number <= high:
            fail(f"{path.name}: {name} {number} outside its range {low} to {high}")


def check_published(document, fail):
    ids = [record["id"] for record in document["records"]]
    if len(ids) != len(set(ids)):
        fail("published: duplicate record id")
    for record in document["records"]:
        for key in ("source", "machine"):
            if record[key] not in document[key + "s"]:
                fail(f"published: {record['id']}: unknown {key} {record[key]}")


def check_scenario(path, scenario, records, machines, fail):
    cases = scenario.get("cases", [])
    ids = [case["id"] for case in cases]
    if len(ids) != len(set(ids)):
        fail(f"{path.name}: duplicate case id")
    if "sweep" in scenario and any("expect" in case for case in cases):
        fail(f"{path.name}: expect in a swept case")
    for case in cases:
        machine = case.get("machine", scenario.get("machine"))
        if isinstance(machine, str) and "/" not in machine and machine not in machines:
            fail(f"{path.name}: {case['id']}: unknown machine {machine}")
        record = case.get("expect", {}).get("record")
        if record is None:
            continue
        if record not in records:
            fail(f"{path.name}: {case['id']}: unknown record {record}")
            continue
        threads = {**scenario.get("workload", {}), **case.get("workload", {})}["threads"]
        if records[record]["threads"] != threads:
            fail(f"{path.name}: {case['id']}: {threads} threads, record has another number")


def check_shipped(schemas, fail):
    documents = {}
    for kind, path in shipped(schemas.folder):
        documents[path] = kind, load(path)
        for error in schemas.errors(kind, documents[path][1]):
            fail(f"{path}: {pointer(error) or '/'}: {error.message[:200]}")
    by_kind = {k: {p: d for p, (kind, d) in documents.items() if kind == k} for k in KINDS}
    (measurements,) = by_kind["published"].values()
    check_published(measurements, fail)
    records = {record["id"]: record for record in measurements["records"]}
    for path, machine in by_kind["machine"].items():
        check_machine(path, machine, fail)
    machines = {machine["name"] for machine in by_kind["machine"].values()}
    for path, scenario in by_kind["scenario"].items():
        check_scenario(path, scenario, records, machines, fail)
    if not by_kind["scenario"] or not by_kind["machine"]:
        fail("no scenario or no machine profile found")


def check_mapping(folder, fail):
    documents = published.Documents(
        load(folder / "published" / "published.json")["records"], load(folder / "published" / "tables.json"),
        {path.stem: load(path) for kind, path in shipped(folder) if kind == "scenario"})
    for failure in published.failures(documents):
        fail(failure)
    for title, damaged, expected in published.damaged(documents):
        found = published.failures(damaged)
        if not any(expected in failure for failure in found):
            fail(f"{title}: not seen; found: {found[:3]}")


def change(document, place, entry):
    """Sets or removes what a JSON pointer names; '-' appends to a list."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in place.split("/")[1:]]
    if not steps:
        return copy.deepcopy(entry["set"])
    node = document
    for step in steps[:-1]:
        node = node[int(step)] if isinstance(node, list) else node[step]
    last = steps[-1]
    if isinstance(node, list):
        last = len(node) if last == "-" else int(last)
        if last == len(node):
            node.append(None)
    if entry.get("remove"):
        del node[last]
    elif "repeat" in entry:
        node[last] = [entry["repeat"]] * entry["times"]
    else:
        node[last] = entry["set"]
    return document


def check_wrong(schemas, list_path, fail):
    entries = load(list_path)
    for name, base in entries["bases"].items():
        for error in schemas.errors(base["kind"], base["document"]):
            fail(f"base {name} is refused: {pointer(error)}: {error.message[:200]}")
    for entry in entries["wrong"]:
        base = entries["bases"][entry["base"]]
        document = change(copy.deepcopy(base["document"]), entry["at"], entry)
        found = [e for top in schemas.errors(base["kind"], document) for e in leaves(top)]
        title = f"{entry['base']} {entry['at']} {json.dumps(entry.get('set', 'removed'))[:40]}"
        if not found:
            fail(f"{title}: accepted")
        elif not any(e.validator == entry["by"] and entry["where"] == pointer(e) for e in found):
            seen = sorted({f"{e.validator} at {pointer(e) or '/'}" for e in found})
            fail(f"{title}: refused, but not by {entry['by']} at {entry['where']}: {seen}")
    print(f"{len(entries['wrong'])} wrong documents")


SMALL = ["run", "-", "--format", "json"]
FAST = ["--set", "measure.precision=0.5", "--set", "measure.max_sim_ms=0.5"]


def check_fitted(schemas, futexsim, scenario, fail):
    """A fitted profile is one that is read again, and has all that makes a number a fitted one."""
    with tempfile.TemporaryDirectory() as folder:
        fitted = pathlib.Path(folder) / "fitted.json"
        done = subprocess.run([futexsim, "fit", "--machine", "laptop-2013", "--free", "work_in=5:80", "--max-evals", "3",
                               "-o", fitted, "--format", "json", "-", *FAST], input=json.dumps(scenario), text=True,
                              stdout=subprocess.PIPE, check=True)
        for error in schemas.errors("fit", json.loads(done.stdout)):
            fail(f"fit: {pointer(error) or '/'}: {error.message[:200]}")
        machine = load(fitted)
        subprocess.run([futexsim, "run", "-", "--dry-run", "--set", f"machine={fitted}"], input=json.dumps(scenario),
                       text=True, stdout=subprocess.PIPE, check=True)
    for error in schemas.errors("machine", machine):
        fail(f"fit: {pointer(error) or '/'}: {error.message[:200]}")
    if machine["parameters"]["work_in"]["bounds"] != [5, 80]:
        fail("fit: no bounds")


def check_output(schemas, futexsim, fail):
    scenario = load(HERE / "wrong.json")["bases"]["scenario"]["document"]
    check_fitted(schemas, futexsim, scenario, fail)
    for extra in ([], ["--timing"]):
        done = subprocess.run([futexsim, *SMALL, *extra], input=json.dumps(scenario), text=True,
                              stdout=subprocess.PIPE, check=True)
        for error in schemas.errors("result", json.loads(done.stdout)):
            fail(f"run {extra}: {pointer(error) or '/'}: {error.message[:200]}")
    pair = {"name": "pair", "machine": "spr-vm-2", "workload": {"futexes": 16}, "measure": {"max_sim_ms": 1},
            "cases": [{"id": "a"}, {"id": "b", "kernel": "v6.16-rc"}]}
    for extra in (["--why", "a", "b"], ["--ablate"], ["--sensitivity"]):
        done = subprocess.run([futexsim, *SMALL, *extra], input=json.dumps(pair), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        for error in schemas.errors("result", json.loads(done.stdout)):
            fail(f"run {extra}: {pointer(error) or '/'}: {error.message[:200]}")
    for extra in ([], ["--table", "xeon-shared"], ["--table", "e5-2650-hashes"]):
        done = subprocess.run([futexsim, "validate", "--format", "json", *(extra or ["-"]), *FAST], text=True,
                              input=json.dumps(scenario), stdout=subprocess.PIPE, check=True)
        for kind in ("validation", "result"):
            for error in schemas.errors(kind, json.loads(done.stdout)):
                fail(f"validate {extra}: {pointer(error) or '/'}: {error.message[:200]}")
    done = subprocess.run([futexsim, "validate", "--cross", "--table", "xeon-shared", "--format", "json", *FAST,
                           "--set", "measure.max_sim_ms=0.05"], text=True, stdout=subprocess.PIPE, check=True)
    for error in schemas.errors("cross", json.loads(done.stdout)):
        fail(f"validate --cross: {pointer(error) or '/'}: {error.message[:200]}")
    for kind in KINDS:
        done = subprocess.run([futexsim, "schema", kind], text=True, stdout=subprocess.PIPE,
                              check=True)
        if json.loads(done.stdout) != schemas.documents[kind]:
            fail(f"schema {kind}: differs from scenarios/schema/{kind}.schema.json")


def main():
    what, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    failures = []
    schemas = Schemas(folder)
    if what == "schemas":
        check_schemas(schemas, failures.append)
    elif what == "shipped":
        check_shipped(schemas, failures.append)
    elif what == "wrong":
        check_wrong(schemas, sys.argv[3], failures.append)
    elif what == "mapping":
        check_mapping(folder, failures.append)
    elif what == "output":
        check_output(schemas, sys.argv[3], failures.append)
    else:
        sys.exit(__doc__)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
