# SPDX-License-Identifier: Apache-2.0
"""Studies: thousands of runs on an engine, resumable, until the answer is certain."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from . import comparable, pairs, renames, study_file
from .decisions import Outcome, Outcomes, Point, all_points, run_of
from .engine import Engine, EngineConfig
from .errors import Refused, RunFailed
from .folders import locked, write_text
from .progress import Progress
from .results import Result
from .runs import OUT, PLATFORMS, ROOT, check, flat, frozen
from .tables import Tables, write_csv, write_sqlite

if TYPE_CHECKING:
    from .designs import Design
    from .runs import Checked, Run


def outcome_of(kept: pathlib.Path, name: str) -> Outcome | None:
    """How a run has ended, by what is kept of it; None: it has not."""
    try:
        result = Result(kept / name)
    except (OSError, ValueError):
        return None
    for status, text in (("failed", result.failure), ("refused", result.refusal)):
        if text is not None:
            return Outcome(status, error=" ".join(text.split()))
    return Outcome("complete", result.metrics) if result.complete else None


def play(runs: list[Run], kept: str | pathlib.Path = "out/runs", jobs: int = 1,
         platforms: str | pathlib.Path | None = None, profile: pathlib.Path | None = None) -> list[Result]:
    """A Result for each of `runs`, in their order; a run that is there already is not played again. RunFailed for one
    that fails."""
    kept, platforms = pathlib.Path(kept).resolve(), pathlib.Path(platforms or PLATFORMS)
    answers = check(runs, platforms)
    for run, answer in zip(runs, answers):
        if answer.refused:
            raise RunFailed(f"{' '.join(run.words())}: {answer.refused}")
    missing = {answer.name: run for run, answer in zip(runs, answers) if outcome_of(kept, answer.name) is None}
    if missing:
        bar = Progress(len(missing), "run")
        try:
            Engine(EngineConfig(jobs=jobs, profile=profile), platforms, kept / ".engine", kept).play(
                missing, ROOT, lambda number: bar.update(number, f"{number} of {len(missing)}"))
        finally:
            bar.wipe()
    for run, answer in zip(runs, answers):
        outcome = outcome_of(kept, answer.name) or Outcome("lost", error="it was lost")
        if outcome.status != "complete":
            raise RunFailed(f"{' '.join(run.words())}: {outcome.error}")
    return [Result(kept / answer.name) for answer in answers]


@dataclasses.dataclass(frozen=True)
class Pilot:
    """A platform's first run: its time of a core, None where it has none, its room on the disk, and its error."""

    seconds: float | None
    size: int
    error: str


class Study:
    """A study's file and what its runs have left. `out` is its folder (default: out/study/NAME of the project), `kept`
    the folder of kept runs (default: `runs` in it)."""

    def __init__(self, path: str | pathlib.Path, out: str | pathlib.Path | None = None,
                 kept: str | pathlib.Path | None = None, platforms: str | pathlib.Path | None = None,
                 say: Callable[[str], object] = lambda text: None) -> None:
        self.spec = study_file.read(path)
        self.out = pathlib.Path(out).resolve() if out else OUT / "study" / self.spec.name
        self.kept = pathlib.Path(kept).resolve() if kept else self.out / "runs"
        self.platforms = pathlib.Path(platforms or PLATFORMS).resolve()
        for platform, place in self.spec.platforms.items():
            if not (self.platforms / platform).is_file():
                raise Refused(place, "platform", f"not an executable in {self.platforms}", platform,
                              f"{', '.join(study_file.OWN_PLATFORMS)}, or one in the folder of --platforms")
        self.say = say
        self.outcomes, self.names, self.configs = Outcomes(), {}, {}
        self.checked: dict[Any, Any] = {}  # by point
        self.metrics_seen = {platform: set() for platform in self.spec.platforms}
        self.engine: Engine

    # Rounds.

    def play(self, config: EngineConfig = EngineConfig()) -> Study:
        """Plays all runs that are missing, round by round, and writes all files. Returns the study."""
        with locked(self.out):
            self.claim()
            self.engine = Engine(config, self.platforms, self.out / ".engine", self.kept)
            self.play_pilots()
            while True:
                points = all_points(self.spec, self.outcomes)
                self.play_round(self.missing(points))
                if points == all_points(self.spec, self.outcomes):
                    break  # runs that are there already may ask for more, as new ones do
            self.write()
        return self

    def pilot(self, config: EngineConfig = EngineConfig()) -> tuple[list[Point], list[Point], dict[str, Pilot]]:
        """Plays the first run of each platform alone. Returns (points, missing, pilots): of the first round all points
        and those that have not run yet; a Pilot by platform."""
        with locked(self.out):
            self.claim()
            self.engine = Engine(config, self.platforms, self.out / ".engine", self.kept)
            self.play_pilots()
            points = all_points(self.spec, self.outcomes)
            missing = self.missing(points)
            return points, list(missing.values()), {platform: self.pilot_end(designs[0])
                                                    for platform, designs in self.by_platform().items()}

    def by_platform(self) -> dict[str, list[Design]]:
        designs: dict[Any, Any] = {}
        for design in self.spec.designs:
            designs.setdefault(design.platform, []).append(design)
        return designs

    def pilot_end(self, design: Design) -> Pilot:
        point = self.pilot_of(design)
        folder, end = self.kept / self.names[point], self.outcomes.get(point)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0
        return Pilot(end.metrics.get("wall_seconds"), size, end.error)

    def pilot_of(self, design: Design) -> Point:
        """Of a curve a load in the middle, which takes about as long as they all do on the average."""
        loads = self.spec.curve.loads if self.spec.curve else [None]
        return Point(design.number, self.spec.seeds[0], loads[len(loads) // 2])

    def claim(self) -> None:
        """Refuses the folder of another study; says what an edit has left valid."""
        mark = self.out / ".study"
        digest = hashlib.sha256(self.spec.path.read_bytes()).hexdigest()
        before = None
        if mark.is_file():
            before = json.loads(mark.read_text(encoding="utf-8"))
            if before["name"] != self.spec.name:
                raise Refused("", "--out", f"has the study {before['name']}", self.out,
                              "a folder of this study, or a new one")
        elif any(path.name not in (".lock", ".platforms", "runs") for path in self.out.iterdir()):
            raise Refused("", "--out", "has files of something else than a study", self.out, "a new folder")
        self.platforms = frozen(self.platforms, self.spec.platforms, self.out / ".platforms")
        self.missing(all_points(self.spec, self.outcomes))
        self.links()  # refuses bytes that mean nothing
        ended = sum(self.outcomes.get(point) is not None for point in self.names)
        if before and before["digest"] != digest:
            self.say(f"the study was edited since its last call: of {len(self.names)} runs in its first round {ended} "
                     f"are still valid")
        elif ended:
            self.say(f"{ended} runs are there already")
        write_text(mark, json.dumps({"name": self.spec.name, "digest": digest, "title": self.spec.title,
                                     "runs": os.path.relpath(self.kept.resolve(), self.out.resolve())}) + "\n")

    def missing(self, points: list[Point]) -> dict[str, Point] | None:
        """Checks and names points that are new; point by name of those that have not run."""
        fresh = [point for point in points if point not in self.checked]
        for point, answer in zip(fresh, check([run_of(self.spec, point) for point in fresh], self.platforms,
                                              self.spec.folder)):
            if answer.refused:
                raise self.refusal(point, answer)
            self.checked[point] = answer
            self.names[point], self.configs[answer.name] = answer.name, flat(answer.config)
            self.look(point)
        return {self.names[point]: point for point in points if self.outcomes.get(point) is None}

    def look(self, point: Point) -> None:
        outcome = outcome_of(self.kept, self.names[point])
        if outcome is not None:
            self.outcomes.put(point, outcome)
            self.metrics_seen[self.spec.designs[point.design].platform].update(outcome.metrics)

    def refusal(self, point: Point, answer: Checked) -> Refused:
        """A platform's refusal at the place in the study's file."""
        keys = self.spec.designs[point.design].keys
        value = keys.get(answer.key)
        if value is None and self.spec.curve and answer.key == self.spec.curve.key:
            return Refused(self.spec.curve.place, "", answer.refused)
        labels = ", ".join(f"{axis.name}: {label}" for axis, label in zip(self.spec.axes,
                                                                          self.spec.designs[point.design].labels))
        return Refused(value.place if value else self.spec.path, labels, answer.refused)

    def play_pilots(self) -> None:
        """The first runs of the designs of each platform, until all metrics have been seen: one that no run of a
        platform has is refused before hours of runs."""
        for platform, designs in self.by_platform().items():
            for design in designs:
                self.play_round(self.missing([self.pilot_of(design)]))
                if not self.absent(platform):
                    break
        for platform, seen in self.metrics_seen.items():
            for name, place in self.absent(platform).items():
                rename = renames.find("metric", name)
                if seen and rename:
                    raise Refused(place, "metrics", rename.problem, name, renames.MIGRATES)
                if seen:
                    import difflib

                    near = difflib.get_close_matches(name, seen, 3) or sorted(seen)
                    of = "" if len(self.metrics_seen) == 1 else f" of {platform}"
                    raise Refused(place, "metrics", f"no design's run{of} has such a metric", name, ", ".join(near))

    def absent(self, platform: str) -> dict[str, str]:
        """Metrics that no run of a platform has had yet, with their places."""
        return {name: place for name, place in self.spec.run_metrics().items()
                if name not in self.metrics_seen[platform]}

    def play_round(self, missing: dict[str, Point]) -> None:
        """`missing`: point by name."""
        if not missing:
            return
        ended_before = len(self.names) - len(missing)
        bar = Progress(len(missing), "run")
        runs = {name: run_of(self.spec, point) for name, point in missing.items()}
        try:
            self.engine.play(runs, self.spec.folder,
                             lambda number: bar.update(number, f"{ended_before + number} of "
                                                       f"{ended_before + len(missing)}"),
                             self.slowest_seconds())
        finally:
            bar.wipe()
        for name, point in missing.items():
            self.look(point)
        for point in [point for point in self.names if self.names[point] in missing
                      and self.outcomes.get(point) is None]:
            self.look(point)
        self.check_room(missing)
        for name, point in missing.items():
            if self.outcomes.get(point) is None:
                self.outcomes.put(point, Outcome("lost", error=self.loss(name)))

    def loss(self, name: str) -> str:
        if self.engine.has_ended(name):
            return "its executable or an input has changed meanwhile"
        return (f"lost {max(1, self.engine.tries(name))} times: "
                f"{self.engine.said(name) or 'killed, or its machine is gone'}")

    def slowest_seconds(self) -> float | None:
        """Of the runs that have succeeded; None: of none the time is known."""
        outcomes = [self.outcomes.get(point) for point in self.names]
        return max((outcome.metrics["wall_seconds"] for outcome in outcomes
                    if outcome and "wall_seconds" in outcome.metrics), default=None)

    def forget_failures(self) -> None:
        """Runs that have failed or were refused are played again by the next play()."""
        with locked(self.out):
            self.missing(all_points(self.spec, self.outcomes))
            for point, name in self.names.items():
                outcome = self.outcomes.get(point)
                if outcome is not None and outcome.status != "complete":
                    shutil.rmtree(self.kept / name, ignore_errors=True)
                    (self.kept / f"{name}.refused").unlink(missing_ok=True)
            self.outcomes = Outcomes()
            for point in self.names:
                self.look(point)

    def check_room(self, missing: dict[str, Point]) -> None:
        """A run that cannot write its results is no lost one."""
        for name, point in missing.items():
            said = self.engine.said(name)
            if self.outcomes.get(point) is None and ("cannot be written" in said or "could not be written" in said
                                                     or "cannot be made" in said):
                raise RunFailed(f"{said}; ended runs are kept, and the next call continues with them")

    # Results.

    def tables(self) -> Tables:
        return Tables(self.spec, self.outcomes, self.links())

    def links(self) -> dict[int, comparable.Link]:
        """Of each design, by its first run's keys."""
        configs: dict[Any, Any] = {}
        for point, name in self.names.items():
            configs.setdefault(point.design, self.configs[name])
        return comparable.links_of(self.spec, configs)

    def write(self) -> None:
        from . import page

        tables = self.tables()
        self.points, self.runs = tables.of_points(), tables.of_runs(self.names)
        self.curves = tables.of_curves() if self.spec.curve else []
        self.comparisons = tables.of_comparisons()
        self.pairs = pairs.rows(tables)
        for name in ("points", "runs", "curves", "comparisons", "pairs"):
            rows = getattr(self, name)
            if rows:
                write_csv(self.out / f"{name}.csv", rows)
            else:
                (self.out / f"{name}.csv").unlink(missing_ok=True)
        self.complete = {self.names[point] for point in tables.wanted if self.outcomes.get(point).status == "complete"}
        write_sqlite(self.out / "study.sqlite", tables, self.names, self.configs, self.folder_of)
        page.write(self)

    def folder_of(self, name: str) -> pathlib.Path | None:
        """Of a complete run; None of another one."""
        return self.kept / name if name in self.complete else None

    def frame(self, name: str) -> Any:
        """points, runs, curves or comparisons as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(getattr(self, name))
