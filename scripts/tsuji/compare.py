# SPDX-License-Identifier: Apache-2.0
"""Differences between two results: of runs, studies or papers' figures. All differences are B less A."""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib
import sqlite3
from collections.abc import Iterable
from typing import Any

from . import schema
from .comparable import Link
from .decisions import ACCEPTED_BY
from .errors import Refused
from .runs import flat
from .saturation import bracket, verdict_of
from .statistics import holm, judged, of_halves, paired, welch
from .study_file import CURVE_METRICS, CURVE_UNITS, LOAD_KEY
from .tables import NOT_KEPT, in_data, numbers

ACCEPTED = "a run's folder or its result.json, a study's folder, a folder of scripts/reproduce"
CONFIDENCE = "_confidence95"
SATURATED = "saturated: not compared"
ONE_RUN = "one run each: not known"
Samples = dict[tuple[str, Any], dict[tuple[str, str], float]]  # by metric and load, by replicate key and seed


@dataclasses.dataclass
class Row:
    """A value of both results. `of` names its design, load or paper."""

    of: str
    metric: str
    unit: str
    a: Any
    b: Any
    difference: float | None = None
    confidence95: float | None = None
    verdict: str = ""
    pairs: int | None = None  # of the same seed
    p: float | None = None
    freedom: float | None = None  # of the interval

    @property
    def percent(self) -> float | None:
        return 100 * self.difference / abs(self.a) if self.difference is not None and self.a else None

    def json(self) -> dict[str, Any]:
        return {**{key: value for key, value in dataclasses.asdict(self).items() if key not in ("p", "freedom")},
                "percent": self.percent}


@dataclasses.dataclass
class Comparison:
    """`facts`: of the results as wholes, (name, A's, B's); `configuration`: keys that differ, (key, A's, B's, of which
    designs);
    `only`: things that only A or only B has."""

    kind: str
    facts: list[Any]
    configuration: list[Any]
    rows: list[Row]
    only: dict[str, list[str]]
    notes: list[str]

    def json(self) -> dict[str, Any]:
        return {"kind": self.kind, "facts": [dict(zip(("name", "a", "b"), fact)) for fact in self.facts],
                "configuration": [dict(zip(("key", "a", "b", "of"), entry)) for entry in self.configuration],
                "metrics": [row.json() for row in self.rows], "only_in_a": self.only["a"], "only_in_b": self.only["b"],
                "notes": self.notes}


def compare(a: pathlib.Path | str, b: pathlib.Path | str) -> Comparison:
    """Of two paths. Refused where one is no result, or where they are of two kinds."""
    first, second = load(pathlib.Path(a)), load(pathlib.Path(b))
    if first.kind != second.kind:
        raise Refused(b, "", f"{second.kind}, while {a} is {first.kind}", accepted="two results of one kind")
    try:
        comparison = first.against(second)
    except sqlite3.Error as problem:
        raise Refused("", "", f"{a} or {b} cannot be read: {problem}", accepted=ACCEPTED) from None
    judge(comparison.rows)
    return comparison


def load(path: pathlib.Path) -> Any:
    """A path as one of the classes below."""
    if not path.exists():
        raise Refused("", "", "no such file or folder", path, ACCEPTED)
    if path.is_dir() and (path / "study.sqlite").is_file():
        try:
            return Study(path)
        except sqlite3.Error as problem:
            raise Refused(path / "study.sqlite", "", f"cannot be read: {problem}", accepted=ACCEPTED) from None
    for file in [path / "result.json", path / "metrics.json"] if path.is_dir() else [path]:
        if file.is_file():
            return of_json(file)
    found = [of_json(file) for file in sorted(path.glob("*/result.json"))]
    papers = [paper for paper in found if isinstance(paper, Paper)]
    if papers and len(papers) == len(found):
        return Paper(path, {name: result for paper in papers for name, result in paper.results.items()})
    raise Refused("", "", "no result", path, ACCEPTED)


def of_json(file: pathlib.Path) -> Paper | Run:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise Refused(file, "", f"no result: {problem}", accepted=ACCEPTED) from None
    metrics = content.get("metrics") if isinstance(content, dict) else None
    if isinstance(metrics, dict) and all(isinstance(metric, dict) and "value" in metric for metric in metrics.values()):
        if schema.problem(content):
            raise Refused(file, "", schema.problem(content))
        return Run(file, content)
    if isinstance(content, dict) and "id" in content and isinstance(content.get("rows"), list):
        return Paper(file, {content["id"]: content})
    raise Refused(file, "", "no result", accepted=ACCEPTED)


def is_number(value: Any) -> bool:
    return bool(numbers([value]))


def differing(a: dict[str, Any], b: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """(key, A's value, B's value) where flat maps differ; a key that one of them lacks has the value "-" there."""
    return [(key, a.get(key, "-"), b.get(key, "-")) for key in dict.fromkeys([*a, *b])
            if a.get(key, "-") != b.get(key, "-")]


def grouped(differences: Iterable[Any]) -> list[tuple[str, Any, Any, list[str]]]:
    """(key, A's value, B's value, places) of (place, key, A's value, B's value), which are equal in many places."""
    found: dict[Any, Any] = {}
    for place, key, a, b in differences:
        found.setdefault((key, json.dumps(a), json.dumps(b)), []).append(place)
    return [(key, json.loads(a), json.loads(b), places) for (key, a, b), places in found.items()]


def difference_of(a: Any, b: Any) -> float | None:
    return b - a if is_number(a) and is_number(b) else None


def only(a: Any, b: Any) -> dict[str, list[str]]:
    return {"a": [name for name in a if name not in b], "b": [name for name in b if name not in a]}


def judge(rows: list[Row]) -> None:
    """Verdicts of rows that have none, and the intervals that go with them: those with a p hold together (Holm)."""
    for row, end in zip(rows, holm([row.p for row in rows])):
        if row.verdict:
            continue
        if row.a == row.b and row.p in (None, 1.0) and not row.confidence95:
            row.verdict = "equal"
        elif row.difference is None:
            row.verdict = "differs"
        elif row.p is None:
            row.verdict = ONE_RUN
        else:
            row.verdict, row.confidence95 = judged(row.difference, row.confidence95, row.p, row.freedom, *end)


def row_of_halves(of: str, metric: str, unit: str, a: Any, b: Any, halves: list[float | None], verdict: str) -> Row:
    """A row of two values with an interval each, which may be None."""
    difference = difference_of(a, b)
    if verdict or difference is None or len(numbers(halves)) < 2:
        return Row(of, metric, unit, a, b, difference, None, verdict)
    difference, half, p, freedom = of_halves(difference, math.hypot(*halves))
    return Row(of, metric, unit, a, b, difference, half, verdict, None, p, freedom)


class Run:
    """A run's result.json."""

    kind = "a run"

    def __init__(self, path: pathlib.Path, content: dict[str, Any]) -> None:
        self.path, self.content = path, content

    def against(self, other: Run) -> Comparison:
        facts = [(name, self.content.get(name), other.content.get(name))
                 for name in ("platform", "version", "revision", "status")]
        configuration = [(*entry, "") for entry in differing(flat(self.content.get("config") or {}),
                                                             flat(other.content.get("config") or {}))]
        metrics, theirs = self.metrics(), other.metrics()
        rows = [self.row(name, metrics, theirs) for name in metrics if name in theirs and not name.endswith(CONFIDENCE)]
        comparison = Comparison(self.kind, [fact for fact in facts if fact[1] != fact[2]], configuration, rows,
                                only(metrics, theirs), [])
        if not configuration and not comparison.facts and all(row.a == row.b
                                                              for row in rows) and metrics.keys() == theirs.keys():
            comparison.notes.append("The same run: equal configuration, version and metrics.")
        elif not configuration:
            comparison.notes.append("Equal configuration: only executables or input files can make a difference.")
        return comparison

    def metrics(self) -> dict[str, dict[str, Any]]:
        return {name: metric for name, metric in self.content["metrics"].items() if name not in NOT_KEPT}

    def row(self, name: str, metrics: dict[str, dict[str, Any]], theirs: dict[str, dict[str, Any]]) -> Row:
        a, b = metrics[name]["value"], theirs[name]["value"]
        halves = [values.get(name + CONFIDENCE, {}).get("value") for values in (metrics, theirs)]
        return row_of_halves("", name, metrics[name].get("unit", ""), a, b, halves, "equal" if a == b else "")


class Paper:
    """Results of scripts/reproduce, by ID."""

    kind = "a folder of scripts/reproduce"

    def __init__(self, path: pathlib.Path, results: dict[str, dict[str, Any]]) -> None:
        self.path, self.results = path, results

    def against(self, other: Paper) -> Comparison:
        rows, configuration, absent = [], [], only(self.results, other.results)
        both = [name for name in self.results if name in other.results]
        if not both:
            raise Refused(other.path, "", f"has none of the IDs of {self.path}", ", ".join(other.results),
                          ", ".join(self.results))
        for name in both:
            mine, its = self.results[name], other.results[name]
            configuration += configuration_of_paper(name, mine, its)
            by_key = {row["key"]: row for row in its["rows"]}
            rows += [self.row(name, row, by_key[row["key"]]) for row in mine["rows"] if row["key"] in by_key]
            missing = only([row["key"] for row in mine["rows"]] + runs_of(mine), [*by_key, *runs_of(its)])
            for side in absent:
                absent[side] += [f"{name}: {key}" for key in missing[side]]
        return Comparison(self.kind, [], configuration, rows, absent, [])

    def row(self, name: str, mine: dict[str, Any], its: dict[str, Any]) -> Row:
        """Certain only where both rows have an interval."""
        a, b = mine["measured"], its["measured"]
        halves = [row.get("confidence95", row.get("measured_confidence95")) for row in (mine, its)]
        known = len(numbers(halves)) == 2
        verdict = "equal" if a == b else "not known" if not known and difference_of(a, b) is not None else ""
        return row_of_halves(name, mine["text"], mine.get("unit", ""), a, b, halves, verdict)


def runs_of(result: dict[str, Any]) -> list[str]:
    return [f"run {name}" for name in result.get("runs", {})]


def configuration_of_paper(name: str, mine: dict[str, Any], its: dict[str, Any]) -> list[tuple[str, int, Any, str]]:
    """Keys of the runs that both have."""
    settings = [flat({key: result.get(key) for key in ("quick", "changed")}) for result in (mine, its)]
    runs = mine.get("runs", {}), its.get("runs", {})
    found = grouped((run, *entry) for run in runs[0] if run in runs[1]
                    for entry in differing(flat(runs[0][run]), flat(runs[1][run])))
    return [(*entry, name) for entry in differing(*settings)] + [
        (key.removeprefix("keys."), a, b, f"{name}: {places[0] if len(places) == 1 else f'{len(places)} runs'}")
        for key, a, b, places in found]


class Study:
    """A study's study.sqlite."""

    kind = "a study's folder"

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.database = sqlite3.connect(f"{(path / 'study.sqlite').resolve().as_uri()}?mode=ro", uri=True)
        self.labels, self.axes = {}, {}  # labels by axis of each design; values of each axis
        for design, axis, value in self.database.execute("SELECT design, axis, value FROM designs ORDER BY rowid"):
            self.labels.setdefault(design, {})[axis] = value
            values = self.axes.setdefault(axis, [])
            if value not in values:
                values.append(value)
        self.runs = list(self.database.execute("SELECT run, design, seed, load, status FROM runs ORDER BY rowid"))
        for _, design, *_ in self.runs:
            self.labels.setdefault(design, {})  # a study without axes
        self.asked = [name for name, in self.database.execute("SELECT metric FROM points GROUP BY metric ORDER BY "
                                                              "min(rowid)")]
        self.links = self.read_links()
        self.units, self.values = {}, {}  # of the metrics that are compared, by metric and by run

    def read_links(self) -> dict[int, Link]:
        """comparable.Link by design; none in a study of an earlier version."""
        if not self.database.execute("SELECT name FROM sqlite_master WHERE name = 'links'").fetchall():
            return {}
        return {design: Link(*values) for design, *values in self.database.execute("SELECT * FROM links")}

    def read(self, metrics: list[str]) -> None:
        places = ", ".join("?" * len(metrics))
        for run, metric, value, unit in self.database.execute(f"SELECT run, metric, value, unit FROM metrics WHERE "
                                                              f"metric IN ({places})", metrics):
            self.units[metric] = unit
            self.values.setdefault(run, {})[metric] = value

    def keys(self) -> dict[int, dict[str, Any]]:
        """Of a run of each design."""
        one = {design: run for run, design, *_ in reversed(self.runs)}
        return {design: {**self.link_words(design), **{key: json.loads(value) for key, value in self.database.execute(
            "SELECT key, value FROM keys WHERE run = ? ORDER BY key", (run,))}} for design, run in one.items()}

    def link_words(self, design: int) -> dict[str, Any]:
        """Words of the study, which are no keys."""
        link = self.links.get(design)
        return {word: getattr(link, word) for word in ("platform", "flit_bytes", "packet_bytes")
                if link and getattr(link, word) is not None}

    def replicate_key(self) -> str:
        """The key whose values `seed` of runs has: seed, or another one that the study replicates by."""
        first = self.runs[0][1] if self.runs else None
        candidates: set[str] | None = None
        for run, design, seed, *_ in self.runs:
            if design == first:
                equal = {key for key, value in self.database.execute("SELECT key, value FROM keys WHERE run = ?",
                                                                     (run,))
                         if str(json.loads(value)) == seed}
                candidates = equal if candidates is None else candidates & equal
        return "seed" if not candidates or "seed" in candidates else min(candidates)

    def samples(self, metrics: list[str]) -> dict[int, Samples]:
        """{design: {(metric, load): {(replicate key, seed): value}}}. Loads are those that all seeds of the design
        have; a replicate's saturation has none."""
        found, loads, by = {}, {}, self.replicate_key()
        for _, design, seed, load, _ in self.runs:
            loads.setdefault(design, {}).setdefault(load, set()).add(seed)
        seeds = {design: set.union(*by_load.values()) for design, by_load in loads.items()}
        for run, design, seed, load, _ in self.runs:
            if loads[design][load] != seeds[design]:
                continue
            for metric in [*metrics, "saturated"]:
                value = self.values.get(run, {}).get(metric)
                if is_number(value):
                    found.setdefault(design, {}).setdefault((metric, load), {})[by, seed] = value
        for (design, seed), ends in self.of_replicates().items():
            rate = self.links[design].data_mb_per_s if design in self.links else None
            for metric, value in in_data(saturation_of(ends), rate).items():
                if metric in metrics:
                    found.setdefault(design, {}).setdefault((metric, None), {})[by, seed] = value
        return found

    def of_replicates(self) -> dict[tuple[int, str], dict[float, dict[str, float]]]:
        """{(design, seed): {load: metrics, None for a run without results}} of curves."""
        ends: dict[Any, Any] = {}
        for run, design, seed, load, status in self.runs:
            if load is not None:
                ends.setdefault((design, seed), {})[load] = self.values.get(run) if status == "complete" else None
        return ends

    def against(self, other: Study) -> Comparison:
        pairs, absent, notes = matched(self, other)
        configuration = configuration_of(self, other, pairs)
        asked = [name for name in dict.fromkeys([*self.asked, *other.asked]) if name != "saturated"]
        for study in (self, other):
            study.read([*asked, "saturated", "stability", ACCEPTED_BY])
        mine, its = self.samples(asked), other.samples(asked)
        units = {**CURVE_UNITS, **self.units, **other.units}
        rows = [row for first, second in pairs for row in rows_of(told(self.labels[first]), mine.get(first, {}),
                                                                  its.get(second, {}), asked, units)]
        same = {run for run, *_ in self.runs} & {run for run, *_ in other.runs}
        if same:
            notes.append(f"{len(same)} runs are in both: equal executable, configuration and inputs.")
        facts = [("designs", len(self.labels), len(other.labels)), ("runs", len(self.runs), len(other.runs)),
                 ("runs without results", self.failed(), other.failed()), ("seeds", self.seeds(), other.seeds())]
        return Comparison(self.kind, [fact for fact in facts if fact[1] != fact[2]], configuration, rows, absent, notes)

    def failed(self) -> int:
        return sum(status != "complete" for *_, status in self.runs)

    def seeds(self) -> str:
        seeds = list(dict.fromkeys(seed for _, _, seed, _, _ in self.runs))
        return ", ".join(seeds) if len(seeds) <= 4 else f"{len(seeds)} from {seeds[0]} to {seeds[-1]}"


def saturation_of(ends: dict[float, dict[str, float] | None]) -> dict[str, float]:
    """The replicate's metrics of a curve, by load: {} where a run of it has no results, or no load is known to be
    saturated or 1."""
    if any(metrics is None or verdict_of(metrics) is None for metrics in ends.values()):
        return {}
    found = bracket({load: verdict_of(metrics) for load, metrics in ends.items()})
    if found.saturated is None and found.stable < 1:
        return {}
    values = dict(zip(CURVE_METRICS, (found.stable, ends.get(found.stable, {}).get(ACCEPTED_BY), found.saturated)))
    return {metric: value for metric, value in values.items() if is_number(value)}


def rows_of(design: str, first: Samples, second: Samples, asked: list[str], units: dict[str, str]) -> list[Row]:
    """Of a pair of designs, by its samples. Latencies of saturated runs are a matter of how long the runs were."""
    rows, both = [], [key for key in first if key in second and key[0] in asked]
    for metric, load in sorted(both, key=lambda key: (asked.index(key[0]), key[1] or 0)):
        name = design + ("" if load is None else f", load {load:g}")
        row = compared(name, metric, units.get(metric, ""), first[metric, load], second[metric, load])
        saturated = any(1 in samples.get(("saturated", load), {}).values() for samples in (first, second))
        if saturated and metric.startswith("latency"):
            row.verdict, row.p, row.confidence95 = SATURATED, None, None
        rows.append(row)
    return rows


def told(labels: dict[str, str]) -> str:
    return ", ".join(f"{axis} {value}" for axis, value in labels.items()) or "the design"


def matched(first: Study, second: Study) -> tuple[list[tuple[int, int]], dict[str, list[str]], list[str]]:
    """([(design of the first, of the second)], what only one has, notes). Designs are equal by their labels on the axes
    that both have; on either side one design alone may have them."""
    axes = [axis for axis in first.axes if axis in second.axes]
    notes = [f"axis {axis}: only in {side}" for side, own, its in (("A", first, second), ("B", second, first))
             for axis in own.axes
             if axis not in its.axes]
    for axis in axes:
        for side, missing in only(first.axes[axis], second.axes[axis]).items():
            if missing:
                notes.append(f"axis {axis}: only in {side.upper()}: {', '.join(missing)}")
    by_labels: list[Any] = []
    for study in (first, second):
        designs: dict[Any, Any] = {}
        for design, labels in study.labels.items():
            designs.setdefault(tuple(labels.get(axis) for axis in axes), []).append(design)
        by_labels.append(designs)
    pairs = [(designs[0], by_labels[1][labels][0]) for labels, designs in by_labels[0].items()
             if len(designs) == 1 and len(by_labels[1].get(labels, [])) == 1]
    paired = [{design for design, _ in pairs}, {design for _, design in pairs}]
    absent = {side: [told(labels) for design, labels in study.labels.items() if design not in paired[i]]
              for i, (side, study) in enumerate((("a", first), ("b", second)))}
    return pairs, absent, notes


def configuration_of(first: Study, second: Study, pairs: list[tuple[int, int]]) -> list[tuple[str, Any, Any, str]]:
    """Keys that differ between designs of a pair, but for seeds and loads, each with the designs of which it holds."""
    keys = first.keys(), second.keys()
    moved = {"seed", first.replicate_key(), second.replicate_key()}
    if any(load is not None for study in (first, second) for _, _, _, load, _ in study.runs):
        moved.add(LOAD_KEY)
    found = grouped((told(first.labels[a]), *entry) for a, b in pairs
                    for entry in differing(keys[0].get(a, {}), keys[1].get(b, {}))
                    if entry[0] not in moved)
    return [(key, mine, its, "" if len(designs) == len(pairs) else designs[0] if len(designs) == 1
             else f"{len(designs)} of {len(pairs)} designs") for key, mine, its, designs in found]


def compared(name: str, metric: str, unit: str, first: dict[tuple[str, str], float],
             second: dict[tuple[str, str], float]) -> Row:
    """Samples by seed. Pairs of the same seed where at least half of the smaller sample has them, else all samples
    (Welch)."""
    both = [seed for seed in first if seed in second]
    a, b = list(first.values()), list(second.values())
    if len(both) >= 2 and 2 * len(both) >= min(len(first), len(second)):
        a, b = [first[seed] for seed in both], [second[seed] for seed in both]
        (difference, half, p, freedom), pairs = paired(a, b), len(both)
    elif min(len(a), len(b)) >= 2:
        (difference, half, p, freedom), pairs = welch(a, b), 0
    else:
        (difference, half, p, freedom), pairs = (math.fsum(b) / len(b) - math.fsum(a) / len(a), None, None,
                                                 None), len(both)
    return Row(name, metric, unit, math.fsum(a) / len(a), math.fsum(b) / len(b), difference, half, "", pairs, p,
               freedom)
