# SPDX-License-Identifier: Apache-2.0
"""Tables of a study: rows of points, curves, runs and comparisons, as CSV and SQLite."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import pathlib
import sqlite3
from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from .decisions import all_points, replicate
from .folders import write_text
from .results import Result
from .statistics import holm, judged, mean_confidence95, paired
from .saturation import verdict_of
from .study_file import CURVE_METRICS, DATA_METRIC

if TYPE_CHECKING:
    from .comparable import Link
    from .decisions import Outcome, Outcomes, Point
    from .study_file import Spec

SATURATION = CURVE_METRICS[0]
SATURATED = {SATURATION: CURVE_METRICS[2], DATA_METRIC: "saturated_mb_per_node_s"}  # by the saturation point
NOT_KEPT = ("wall_seconds",)  # differs from run to run


def rounded(value: Any) -> Any:
    """Numbers as files hold them: 12 digits, beyond which two machines' libm may differ."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return value


def labels(spec: Spec, design: int) -> dict[str, str]:
    return dict(zip((axis.name for axis in spec.axes), spec.designs[design].labels))


def numbers(values: Any) -> list[float]:
    return [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]


def statistics_of(metrics: list[str], of_seeds: list[dict[str, float | None]]) -> dict[str, float | None]:
    """Mean and interval of each metric over the seeds that have it. The interval of a saturation point is no narrower
    than the distance to the lowest load shown saturated."""
    row: dict[Any, Any] = {}
    for metric in metrics:
        mean, half = mean_confidence95(numbers(of.get(metric) for of in of_seeds))
        row[metric], row[f"{metric}_confidence95"] = mean, widened(half, metric, of_seeds)
    return row


def resolution_of(of_seeds: list[dict[str, float | None]], metric: str) -> float:
    """Of a saturation point the mean distance from the highest stable to the lowest saturated load; 0 where there is
    none."""
    beyond = SATURATED.get(metric)
    ways = [of[beyond] - of[metric] for of in of_seeds if beyond and None not in (of.get(beyond), of.get(metric))]
    return sum(ways) / len(ways) if ways else 0.0


def widened(half: float | None, metric: str, of_seeds: list[dict[str, float | None]]) -> float | None:
    return max(half, resolution_of(of_seeds, metric)) if half is not None else None


def in_data(metrics: dict[str, Any], rate: float | None) -> dict[str, Any]:
    """A replicate's metrics with the saturation points in bytes of data; `rate`: that of 1 flit/node/cycle, None where
    it is not stated."""
    if rate is None:
        return metrics
    flits = {DATA_METRIC: metrics.get(SATURATION), SATURATED[DATA_METRIC]: metrics.get(SATURATED[SATURATION])}
    return {**metrics, **{name: load * rate for name, load in flits.items() if load is not None}}


def first_error(outcomes: list[Outcome]) -> str:
    return next((outcome.error for outcome in outcomes if outcome.status != "complete"), "")


class Tables:
    """Of a study whose runs have all ended. `links`: comparable.Link by design."""

    def __init__(self, spec: Spec, outcomes: Outcomes, links: dict[int, Link] | None = None) -> None:
        self.spec, self.outcomes, self.links = spec, outcomes, links or {}
        self.replicate_name = "seed" if spec.seed_key == "seed" else "replicate"
        self.wanted = all_points(spec, outcomes)
        self.of_design: dict[Any, Any] = {}
        for point in self.wanted:
            self.of_design.setdefault(point.design, []).append(point)
        self.seeds = {design: sorted({point.seed for point in points}) for design, points in self.of_design.items()}
        self.replicates = {(design, seed): in_data(replicate(spec, outcomes, design, seed)[1] or {},
                                                   self.data_rate(design))
                           for design, seeds in self.seeds.items() for seed in seeds}

    def data_rate(self, design: int) -> float | None:
        """MB/s of data a node at a load of 1 flit/node/cycle; None where the study does not state it."""
        return self.links[design].data_mb_per_s if design in self.links else None

    def of_points(self) -> list[dict[str, Any]]:
        """A row for each design."""
        metrics = self.replicate_metrics()
        rows: list[Any] = []
        for design, points in self.of_design.items():
            ends = [self.outcomes.get(point) for point in points]
            failed = sum(end.status != "complete" for end in ends)
            rows.append({**labels(self.spec, design), "seeds": len(self.seeds[design]), "runs": len(points),
                         "failed": failed,
                         **statistics_of(metrics, [self.replicates[design, seed] for seed in self.seeds[design]]),
                         "error": first_error(ends)})
        return rows

    def replicate_metrics(self) -> list[str]:
        """Those that a design has a mean of."""
        if self.spec.curve is None:
            return list(self.spec.metrics)
        return [name for name in self.spec.metrics if name not in self.spec.run_metrics()]

    def ends(self, design: int) -> dict[float, dict[int, Outcome | None]]:
        """{load: {seed: outcome}} of a curve; of a load that was run again for longer the longest run."""
        found: dict[Any, Any] = {}
        for point in self.of_design[design]:
            found.setdefault(point.load, {})[point.seed] = self.outcomes.get(point)
        return {load: found[load] for load in sorted(found)}

    def of_curves(self) -> list[dict[str, Any]]:
        """A row for each design and load."""
        rows: list[Any] = []
        for design in self.of_design:
            for load, by_seed in self.ends(design).items():
                ends = list(by_seed.values())
                good = [end.metrics for end in ends if end.status == "complete"]
                rows.append({**labels(self.spec, design), "load": load, "seeds": len(ends),
                             "failed": len(ends) - len(good),
                             **{f"{word}_seeds": sum(verdict_of(metrics) == word for metrics in good)
                                for word in ("stable", "saturated")},
                             **statistics_of(self.curve_metrics(), good), "error": first_error(ends)})
        return rows

    def curve_metrics(self) -> list[str]:
        return list(self.spec.run_metrics())

    def of_runs(self, names: Any) -> Any:
        """A row for each run; `names` is the name of each by point."""
        metrics = list(self.spec.run_metrics())
        if self.spec.curve is not None:
            metrics += [name for name in ("measured_cycles", "stability") if name not in metrics]
        return [{**labels(self.spec, point.design), self.replicate_name: point.seed,
                 **({} if point.load is None else {"load": point.load}),
                 "run": names[point], "status": self.outcomes.get(point).status,
                 **{metric: self.outcomes.get(point).metrics.get(metric) for metric in metrics},
                 "error": self.outcomes.get(point).error} for point in self.wanted]

    def of_comparisons(self) -> list[dict[str, Any]]:
        """A row for each design and metric against the same design with the axis' base: the difference on the same
        seeds. A verdict holds for all rows of a metric together."""
        compare = self.spec.compare
        if compare is None:
            return []
        names = [axis.name for axis in self.spec.axes]
        at = names.index(compare.axis)
        by_labels = {design.labels: design.number for design in self.spec.designs}
        rows: list[Any] = []
        for metric in self.replicate_metrics():
            of_metric: list[Any] = []
            for design in self.spec.designs:
                base = by_labels[design.labels[:at] + (compare.base,) + design.labels[at + 1:]]
                if base != design.number:
                    of_metric.append(self.compared(design.number, base, metric))
            ends = holm([row["p"] for row in of_metric])
            rows += [with_verdict(row, *end) for row, end in zip(of_metric, ends)]
        return rows

    def compared(self, design: int, base: int, metric: str) -> dict[str, Any]:
        return {**labels(self.spec, design), "against": self.spec.compare.base, "metric": metric,
                **self.contrast(metric, [design], [base], base)}

    def contrast(self, metric: str, plus: list[int], minus: list[int], base: int) -> dict[str, Any]:
        """The sum over the designs `plus` less that over as many designs `minus`, on the same seeds; percent are of the
        design `base`. With what with_verdict() needs."""
        every = [*plus, *minus]
        common = [seed for seed in self.seeds[every[0]] if all(seed in self.seeds[design] for design in every)]
        known = [seed for seed in common
                 if len(numbers(self.replicates[design, seed].get(metric) for design in every)) == len(every)]
        first, second = ([math.fsum(self.replicates[design, seed][metric] for design in designs) for seed in known]
                         for designs in (minus, plus))
        mean, half, p, freedom = paired(first, second)
        least_half = len(plus) * resolution_of([self.replicates[design, seed] for design in every for seed in common],
                                               metric)
        if p is not None and metric in SATURATED and abs(mean) <= least_half + 1e-9:
            p, least_half = 1.0, max(least_half, abs(mean))
        base_mean = mean_confidence95([self.replicates[base, seed][metric] for seed in known])[0]
        percent = 100 / abs(base_mean) if base_mean else None
        return {"pairs": len(known), "base_mean": base_mean, "difference": mean, "difference_confidence95": half,
                "difference_percent": mean * percent if percent and known else None,
                "difference_percent_confidence95": None,
                "verdict": "not known from one pair" if known else "not known: no pair of runs", "p": p,
                "freedom": freedom, "least_half": least_half}


def with_verdict(contrast: dict[str, Any], shown: bool, level: float | None) -> dict[str, Any]:
    """A row of Tables.contrast() with its verdict and the interval that goes with it, whose half is at least its
    `least_half`."""
    row = {name: value for name, value in contrast.items() if name not in ("p", "freedom", "least_half")}
    verdict, half = judged(row["difference"], row["difference_confidence95"], contrast["p"], contrast["freedom"], shown,
                           level)
    least_half = contrast["least_half"]
    half = max(half, least_half) if half is not None else None
    of_percent = (half * 100 / abs(row["base_mean"]) if half is not None and row["difference_percent"] is not None
                  else None)
    return {**row, "difference_confidence95": half, "difference_percent_confidence95": of_percent,
            "verdict": verdict or row["verdict"]}


def csv_text(rows: Any) -> Any:
    """All rows with the columns of the first."""
    import io

    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: "" if value is None else rounded(value) for key, value in row.items()})
    return text.getvalue()


def write_csv(path: pathlib.Path, rows: Any) -> None:
    write_text(path, csv_text(rows))


SCHEMA = """
CREATE TABLE designs(design INTEGER, axis TEXT, value TEXT, PRIMARY KEY(design, axis));
CREATE TABLE links(design INTEGER PRIMARY KEY, platform TEXT, config TEXT, clock_period_ps REAL, flit_cycles REAL,
                   flit_bytes REAL, packet_flits INTEGER, packet_bytes REAL);
CREATE TABLE runs(run TEXT, design INTEGER, seed TEXT, load REAL, status TEXT, error TEXT);
CREATE TABLE keys(run TEXT, key TEXT, value TEXT, PRIMARY KEY(run, key));
CREATE TABLE metrics(run TEXT, metric TEXT, value, unit TEXT, PRIMARY KEY(run, metric));
CREATE TABLE tables(run TEXT, name TEXT, columns TEXT, rows TEXT, PRIMARY KEY(run, name));
CREATE TABLE points(design INTEGER, load REAL, metric TEXT, seeds INTEGER, mean REAL, confidence95 REAL);
"""


def write_sqlite(path: pathlib.Path, tables: Tables, names: dict[Point, str], configs: dict[str, dict[str, Any]],
                 place_of: Callable[[str], pathlib.Path | None]) -> None:
    """Everything of the study's runs but times. Rows are written in a fixed order, so that `.dump` is equal where the
    runs are.
    `place_of(name)` is the folder of a complete run, or None."""
    scratch = path.with_name(f".{path.name}.partial")
    scratch.unlink(missing_ok=True)
    connection = sqlite3.connect(scratch)
    try:
        connection.executescript(SCHEMA)
        for design in tables.spec.designs:
            connection.executemany("INSERT INTO designs VALUES(?, ?, ?)",
                                   [(design.number, axis, value)
                                    for axis, value in labels(tables.spec, design.number).items()])
        connection.executemany("INSERT INTO links VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                               [(design, *link_row(link)) for design, link in tables.links.items()])
        for point in tables.wanted:
            end = tables.outcomes.get(point)
            connection.execute("INSERT INTO runs VALUES(?, ?, ?, ?, ?, ?)",
                               (names[point], point.design, str(point.seed), point.load, end.status, end.error))
        for name in sorted(set(names[point] for point in tables.wanted)):
            insert_run(connection, name, configs[name], place_of(name))
        insert_points(connection, tables)
        connection.commit()
    finally:
        connection.close()
    scratch.rename(path)


def link_row(link: Link) -> list[Any]:
    """Of the configuration its name alone: the study's bytes are the same in every folder."""
    return [pathlib.Path(value).name if name == "config" else value for name, value in dataclasses.asdict(link).items()]


def insert_run(connection: sqlite3.Connection, name: str, config: dict[str, Any], folder: pathlib.Path | None) -> None:
    connection.executemany("INSERT INTO keys VALUES(?, ?, ?)",
                           [(name, key, json.dumps(value)) for key, value in sorted(config.items())])
    if folder is None:
        return
    result = Result(folder).json
    connection.executemany("INSERT INTO metrics VALUES(?, ?, ?, ?)",
                           [(name, metric, value["value"], value["unit"])
                            for metric, value in sorted(result["metrics"].items())
                            if metric not in NOT_KEPT])
    connection.executemany("INSERT INTO tables VALUES(?, ?, ?, ?)",
                           [(name, table, json.dumps(content["columns"]), json.dumps(content["rows"]))
                            for table, content in sorted(result["tables"].items())])


def insert_points(connection: sqlite3.Connection, tables: Tables) -> None:
    rows: list[Any] = []
    for design, row in zip(tables.of_design, tables.of_points()):
        rows += [(design, None, metric, row["seeds"], row[metric], row[f"{metric}_confidence95"])
                 for metric in tables.replicate_metrics()]
    if tables.spec.curve:
        by_labels = {design.labels: design.number for design in tables.spec.designs}
        for row in tables.of_curves():
            design = by_labels[tuple(row[axis.name] for axis in tables.spec.axes)]
            rows += [(design, row["load"], metric, row["seeds"], row[metric], row[f"{metric}_confidence95"])
                     for metric in tables.curve_metrics()]
    connection.executemany("INSERT INTO points VALUES(?, ?, ?, ?, ?, ?)", rounded(rows))
