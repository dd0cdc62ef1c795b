# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of scenarios/published: every record has one place, and roles keep what was agreed.

The rules read the files alone and share no code with the command. `damaged` yields
copies with one mistake each, so that a rule that sees nothing is itself a failure.
"""
import collections
import copy
import fnmatch

Documents = collections.namedtuple("Documents", "records tables scenarios")


def match(patterns, record):
    return any(fnmatch.fnmatchcase(record, pattern) for pattern in patterns)


def expects(scenario):
    """(case, expect) of the cases that have a published record."""
    for case in scenario.get("cases", []):
        if "record" in case.get("expect", {}):
            yield case, case["expect"]


def homes(documents):
    """For each record: the tables that ask for it, the cases these find, and the reasons for having none."""
    found = {record["id"]: ([], [], []) for record in documents.records}
    for table in documents.tables["tables"]:
        for record in found:
            if match(table["records"], record):
                found[record][0].append(table["id"])
        for name in table["scenarios"]:
            for case, expect in expects(documents.scenarios.get(name, {})):
                if match(table["records"], expect["record"]):
                    found[expect["record"]][1].append((name, case, expect))
    for entry in documents.tables["unmapped"]:
        for record in entry["records"]:
            found.setdefault(record, ([], [], []))[2].append(entry["why"])
    return found


def home_failures(documents):
    known = {record["id"] for record in documents.records}
    for record, (tables, cases, reasons) in homes(documents).items():
        if record not in known:
            yield f"{record}: unmapped, but not published"
        elif not tables and not reasons:
            yield f"{record}: neither in a table nor unmapped"
        elif tables and reasons:
            yield f"{record}: both in table {tables[0]} and unmapped"
        elif len(tables) + len(reasons) > 1:
            yield f"{record}: in more than one place: {tables or reasons}"
        elif tables and len(cases) != 1:
            yield f"{record}: {len(cases)} cases in table {tables[0]}"


def index_failures(documents):
    used = {name for table in documents.tables["tables"] for name in table["scenarios"]}
    for name in sorted(used - set(documents.scenarios)):
        yield f"{name}: no such scenario"
    for name, scenario in documents.scenarios.items():
        if name not in used and any(True for _ in expects(scenario)):
            yield f"{name}: has records, but no table uses it"
    ids = [table["id"] for table in documents.tables["tables"]]
    if len(ids) != len(set(ids)):
        yield "a table id is used twice"


def series_failures(documents):
    """Every counted row of a table with series lies in exactly one of them."""
    for table in documents.tables["tables"]:
        for record in (r["id"] for r in documents.records if "series" in table):
            if not match(table["records"], record) or match(table.get("reference", []), record):
                continue
            count = sum(match(series["records"], record) for series in table["series"])
            if count != 1:
                yield f"{record}: in {count} series of table {table['id']}"


def condition(scenario, case):
    """What was run, but for the name and the published value."""
    merged = {}
    for layer in (scenario, case):
        for key in ("machine", "kernel"):
            merged[key] = layer.get(key, merged.get(key))
        for key in ("policy", "workload"):
            merged[key] = {**merged.get(key, {}), **layer.get(key, {})}
    policy = {"hash": "jhash2", **merged["policy"]}
    if policy.get("scope") == "global" or policy.get("slots") == "auto":
        policy["kernel"] = merged["kernel"]
    workload = {key: str(value) for key, value in merged["workload"].items()}
    return str((merged["machine"], merged["kernel"], sorted(policy.items(), key=str), sorted(workload.items())))


def role_failures(documents):
    """Replicates share a role; no table uses more rows for fitting than was agreed."""
    roles, fitted = {}, collections.Counter()
    limits = {table["id"]: table["target"]["fit_rows_max"]
              for table in documents.tables["tables"] if "target" in table}
    for record, (tables, cases, _) in homes(documents).items():
        for name, case, expect in cases[:1]:
            key = condition(documents.scenarios[name], case)
            first = roles.setdefault(key, (record, expect["role"]))
            if first[1] != expect["role"]:
                yield f"{record}: role {expect['role']}, but {first[0]}, the same condition, has {first[1]}"
            table = next(t for t in documents.tables["tables"] if t["id"] == tables[0])
            if expect["role"] == "fit" and not match(table.get("reference", []), record):
                machine = case.get("machine", documents.scenarios[name].get("machine"))
                fitted[tables[0], str(machine)] += 1
    for (table, machine), count in fitted.items():
        if count > limits.get(table, count):
            yield f"{table}: {count} rows of {machine} are fitted, at most {limits[table]}"


def failures(documents):
    return [*home_failures(documents), *index_failures(documents), *series_failures(documents),
            *role_failures(documents)]


def set_role(documents, record, role):
    for scenario in documents.scenarios.values():
        for _, expect in expects(scenario):
            if expect["record"] == record:
                expect["role"] = role


def damaged(documents):
    """(title, documents with a mistake, what must be said)"""
    def damage(title, expected, change):
        broken = copy.deepcopy(documents)
        change(broken)
        return title, broken, expected

    def table(broken, name):
        return next(t for t in broken.tables["tables"] if t["id"] == name)

    def drop_case(broken):
        del broken.scenarios["e5-2650-sweep"]["cases"][1]

    def repeat_case(broken):
        cases = broken.scenarios["e5-2650-sweep"]["cases"]
        cases.append({**cases[1], "id": "again"})

    yield damage("a reason removed", "S003-laptop-mb-t32: neither",
                 lambda b: b.tables["unmapped"][0]["records"].remove("S003-laptop-mb-t32"))
    yield damage("a reason given twice", "N23-ivb-onebucket: in more than one place",
                 lambda b: b.tables["unmapped"][0]["records"].append("N23-ivb-onebucket"))
    yield damage("mapped and unmapped", "N1-e5-b2: both",
                 lambda b: b.tables["unmapped"][0]["records"].append("N1-e5-b2"))
    yield damage("an unknown record unmapped", "N1-e5-b3: unmapped, but not published",
                 lambda b: b.tables["unmapped"][0]["records"].append("N1-e5-b3"))
    yield damage("a case removed", "N1-e5-b2: 0 cases", drop_case)
    yield damage("a case repeated", "N1-e5-b2: 2 cases", repeat_case)
    yield damage("a record in two tables", "N1-e5-b4: in more than one place",
                 lambda b: table(b, "dl980-2013")["records"].append("N1-e5-b4"))
    yield damage("a pattern removed", "N1-e5-node1-b8: neither",
                 lambda b: table(b, "e5-2650-sweep")["records"].remove("N1-e5-node1-b*"))
    yield damage("a series removed", "N1-e5-b8: in 0 series", lambda b: table(b, "e5-2650-sweep")["series"].pop(0))
    yield damage("a scenario unknown", "nowhere: no such scenario",
                 lambda b: table(b, "dl980-2013")["scenarios"].append("nowhere"))
    yield damage("a table removed", "dl980-2013: has records, but no table",
                 lambda b: b.tables["tables"].remove(table(b, "dl980-2013")))
    yield damage("replicates with two roles", "S002-p80-v10-all: role predict, but S002-p80-v10-t80",
                 lambda b: set_role(b, "S002-p80-v10-all", "predict"))
    yield damage("hash functions with two roles", "N1-e5-algo-jhash2(regular)-b32: role predict, but N1-e5-b32",
                 lambda b: set_role(b, "N1-e5-algo-jhash2(regular)-b32", "predict"))
    yield damage("one fitted row too many", "dl980-2013: 7 rows of dl980-160",
                 lambda b: set_role(b, "S004-hp80-large-t64", "fit"))
