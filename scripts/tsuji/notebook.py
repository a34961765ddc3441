# SPDX-License-Identifier: Apache-2.0
"""For notebooks: dictionaries in, tables out.

    import tsuji
    tsuji.run({"topology.radices": [4, 4], "seed": 2})
    tsuji.sweep({"topology.radices": [4, 4]}, [0.1, 0.2, 0.3], seeds=3)
    tsuji.study({"platform": "network", "axes": {"router.vcs": [2, 4]}, "metrics": ["latency_cycles_mean"]})
    tsuji.explore({"space": ..., "load": ..., "minimize": "latency_cycles_mean"})
    tsuji.compare("out/network", "out/network2")

A study or an exploration is a dictionary, or the path of its file.
A table is a pandas.DataFrame, or where pandas is missing a list of dicts. Files are below `folder`, by default
`out/notebook` of the project: runs that are there already are not repeated. Bad input raises Refused, a failed run
RunFailed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
from collections.abc import Sequence
from typing import Any, Dict, Union

import yaml

from . import answer
from .compare import compare as compared
from .engine import EngineConfig
from .explore import Exploration
from .runs import OUT, Run, text
from .study import Study, play
from .study_file import LOAD_KEY

FOLDER = OUT / "notebook"
Content = Union[Dict[str, Any], str, "os.PathLike[str]"]
Table = Any  # pandas.DataFrame or list[dict[str, Any]]


def table(rows: list[dict[str, Any]]) -> Table:
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


@dataclasses.dataclass(frozen=True)
class Place:
    """Where files are, and what plays the runs."""

    folder: pathlib.Path
    jobs: int
    platforms: pathlib.Path | None

    @staticmethod
    def of(folder: str | pathlib.Path | None, jobs: int | None, platforms: str | pathlib.Path | None) -> Place:
        return Place(pathlib.Path(folder or FOLDER).resolve(), jobs or os.cpu_count() or 1,
                     pathlib.Path(platforms).resolve() if platforms else None)

    def file_of(self, content: Content) -> tuple[pathlib.Path, pathlib.Path]:
        """(file, folder for its answer) of a study or an exploration: equal contents, equal folders."""
        if not isinstance(content, dict):
            path = pathlib.Path(content).resolve()
            return path, self.folder / path.stem
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
        path = self.folder / digest / "question.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return path, path.parent / "out"


def run(keys: dict[str, Any] | None = None, *, platform: str = "network", config: str = "",
        folder: str | pathlib.Path | None = None, jobs: int | None = None,
        platforms: str | pathlib.Path | None = None) -> Table:
    """Metrics of one run, a row."""
    return runs([keys or {}], [{}], platform, config, Place.of(folder, jobs, platforms))


def sweep(keys: dict[str, Any], loads: Sequence[float], *, seeds: int = 1, load_key: str = LOAD_KEY,
          platform: str = "network", config: str = "", folder: str | pathlib.Path | None = None,
          jobs: int | None = None, platforms: str | pathlib.Path | None = None) -> Table:
    """Metrics of a run at each load with each seed 1..seeds, a row each, with the columns `load` and `seed`."""
    rows = [{"load": load, "seed": seed} for load in loads for seed in range(1, seeds + 1)]
    return runs([{**keys, load_key: row["load"], "seed": row["seed"]} for row in rows], rows, platform, config,
                Place.of(folder, jobs, platforms))


def runs(of_runs: list[dict[str, Any]], columns: list[dict[str, Any]], platform: str, config: str,
         place: Place) -> Table:
    wanted = [Run(platform, str(pathlib.Path(config).resolve()) if config else "",
                  {key: text(value) for key, value in keys.items()}) for keys in of_runs]
    results = play(wanted, place.folder / "runs", place.jobs, place.platforms)
    return table([{**row, **result.metrics} for row, result in zip(columns, results)])


def study(content: Content, *, folder: str | pathlib.Path | None = None, jobs: int | None = None,
          platforms: str | pathlib.Path | None = None) -> Table:
    """Plays a study, by the words of its file; a row for each design, or with a curve for each design and load."""
    place = Place.of(folder, jobs, platforms)
    path, out = place.file_of(content)
    played = Study(path, out, place.folder / "runs", place.platforms).play(EngineConfig(place.jobs))
    return table(played.curves or played.points)


def explore(content: Content, *, folder: str | pathlib.Path | None = None, jobs: int | None = None,
            platforms: str | pathlib.Path | None = None) -> Table:
    """Plays an exploration, by the words of its file; a row for each design of the space."""
    place = Place.of(folder, jobs, platforms)
    path, out = place.file_of(content)
    found = Exploration(path, out, place.folder / "runs", place.platforms)
    return table(answer.rows_of_designs(found.play(EngineConfig(place.jobs))))


def compare(a: str | pathlib.Path, b: str | pathlib.Path) -> Table:
    """Differences of two runs or studies, a row for each metric."""
    return table([row.json() for row in compared(a, b).rows])
