# SPDX-License-Identifier: Apache-2.0
"""The error of the fast model, measured: random designs of a question's space, each at shares of its saturation."""

from __future__ import annotations

import csv
import dataclasses
import math
from typing import Any, TYPE_CHECKING

import yaml

from . import queueing, question as questions
from .engine import EngineConfig
from .explore import Exploration
from .facts import PLATFORM, run_of
from .folders import write_text
from .study import Study, play
from .study_file import CURVE_METRICS, LOAD_KEY

if TYPE_CHECKING:
    import pathlib

    from .facts import Design

SHARES = (0.3, 0.6, 0.8)
SATURATION = CURVE_METRICS[0]
LOADS = "0.02:0.5:5"
NAME = "model_error.csv"


class ModelError:
    """Of `number` designs at the question's first load, whose pattern and lengths are taken."""

    def __init__(self, exploration: Exploration, number: int, config: EngineConfig) -> None:
        self.exploration, self.config = exploration, config
        question = exploration.question
        search = questions.Search("random", number, question.search.seed, "")
        drawn = questions.drawn_designs(question.dimensions, question.common, search)
        exploration.question = dataclasses.replace(question, candidates=drawn, bounds=[], deadlock_free=False,
                                                   dead_links=0, loads=question.loads[:1])
        exploration.plan(config.jobs)

    def designs(self) -> list[Design]:
        """Those with a prediction at a load near 0: all but applications and routings without a bound."""
        load = self.exploration.question.loads[0].name
        found = []
        for design in self.exploration.arithmetic.designs.values():
            if queueing.predicted(design.printed[load], 0.0, 1.0) is not None:
                found.append(design)
        return found

    def saturations(self, designs: list[Design]) -> dict[int, float]:
        """By number, from a study with a curve of each design."""
        question = self.exploration.question
        variants = {}
        for design in designs:
            keys = {key: value for key, value in run_of(question, design.candidate, question.loads[0]).keys.items()
                    if key != LOAD_KEY}
            variants[str(design.number)] = {key: str(value) for key, value in keys.items()}
        content: dict[str, Any] = {"title": "Saturation of random designs", "platform": PLATFORM,
                                   "axes": {"variant": variants}, "metrics": [queueing.LATENCY],
                                   "curve": {"loads": LOADS, "saturation": True, "resolution": 0.05}}
        if question.config:
            content["config"] = question.config
        path = self.exploration.out / "saturation.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, yaml.safe_dump(content, sort_keys=False))
        study = Study(path, self.exploration.out / "saturation", self.exploration.kept,
                      self.exploration.platforms).play(self.config)
        return {int(row["variant"]): row[SATURATION] for row in study.points if row[SATURATION]}

    def measure(self) -> list[dict[str, Any]]:
        """A row for each design and share of its saturation."""
        question, rows = self.exploration.question, []
        load, designs = question.loads[0], self.designs()
        saturations = self.saturations(designs)
        wanted = [(design, share, round(share * saturations[design.number], 6)) for design in designs
                  if design.number in saturations for share in SHARES]
        runs = []
        for design, _, offered in wanted:
            run = run_of(question, design.candidate, load, {"seed": 1, LOAD_KEY: offered})
            runs.append(run)
        results = play(runs, self.exploration.kept, self.config.jobs, self.exploration.platforms, self.config.profile)
        for (design, share, offered), result in zip(wanted, results):
            measured = result.metrics.get(queueing.LATENCY)
            flit_cycles = float(design.configs[load.name].get("link.flit_cycles", 1))
            predicted = queueing.predicted(design.printed[load.name], offered, flit_cycles)
            if measured and predicted:
                rows.append({"design": design.number,
                             **dict(zip((axis.name for axis in question.axes), design.candidate.labels)),
                             "share_of_saturation": share, "load": offered, "measured_latency_cycles_mean": measured,
                             "predicted_latency_cycles_mean": predicted,
                             "error_percent": 100 * (predicted / measured - 1)})
        return rows


def write(folder: pathlib.Path, rows: list[dict[str, Any]]) -> None:
    path = folder / NAME
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def summary(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each share: designs, and the median, 95 % and worst size of the error."""
    lines = []
    for share in SHARES:
        errors = [row["error_percent"] for row in rows if row["share_of_saturation"] == share]
        if errors:
            sizes = queueing.errors([1 / (1 + error / 100) for error in errors])
            mean = math.fsum(errors) / len(errors)
            lines.append(f"at {share:g} of the saturation, {len(errors)} designs: median "
                         f"{100 * sizes['median']:.1f} %, 95 % of them within {100 * sizes['p95']:.1f} %, worst "
                         f"{100 * sizes['worst']:.1f} %, mean {mean:+.1f} %")
    return lines
