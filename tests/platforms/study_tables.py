# SPDX-License-Identifier: Apache-2.0
"""Tables of studies whose runs are made up: a study's text, and a function that says how each run ends."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from tsuji import comparable, study_file  # noqa: E402
from tsuji.decisions import Outcome, Outcomes, all_points  # noqa: E402
from tsuji.tables import Tables, labels, write_sqlite  # noqa: E402


def complete(**metrics):
    return Outcome("complete", metrics)


def failed(error):
    return Outcome("failed", error=error)


def tables_of(folder, text, end, name="study", config=None):
    """`end(labels by axis, seed, load)` is a run's Outcome, and `config(labels by axis)` are its resolved keys."""
    path = pathlib.Path(folder) / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    spec, outcomes = study_file.read(path), Outcomes()
    while True:
        missing = [point for point in all_points(spec, outcomes) if outcomes.get(point) is None]
        if not missing:
            configs = {design.number: config(labels(spec, design.number)) for design in spec.designs} if config else {}
            return Tables(spec, outcomes, comparable.links_of(spec, configs))
        for point in missing:
            outcomes.put(point, end(labels(spec, point.design), point.seed, point.load))


def write_result(folder, metrics, config=None, **more):
    """A run's result.json."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"schema": "tsuji.result/1", "platform": "network", "version": "0.1.0", "revision": "r1",
               "status": "complete",
               "config": config or {}, "metrics": {name: {"value": value, "unit": "cycles"}
                                                   for name, value in metrics.items()}, "tables": {}, **more}
    (folder / "result.json").write_text(json.dumps(content))
    return folder


def write_study(folder, tables, prefix="run", keys=()):
    """A study's folder with its study.sqlite. Runs are named `prefix`-DESIGN-SEED-LOAD and have the keys of their
    design and `keys`."""
    names = {point: f"{prefix}-{point.design}-{point.seed}-{point.load}" for point in tables.wanted}
    configs, places = {}, {}
    for point, name in names.items():
        own = {key: value.text for key, value in tables.spec.designs[point.design].keys.items()}
        configs[name] = {**own, "seed": 1, **dict(keys), tables.spec.seed_key: point.seed}
        end = tables.outcomes.get(point)
        places[name] = write_result(folder / "runs" / name, end.metrics) if end.status == "complete" else None
    write_sqlite(folder / "study.sqlite", tables, names, configs, places.get)
    return folder
