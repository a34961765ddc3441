# SPDX-License-Identifier: Apache-2.0
"""Findings of an ID, and its files: result.json, data.csv, figure.svg, figure.png."""

import dataclasses
import json
import pathlib
import shutil
from typing import Any, Callable, Dict, List

from tsuji import figures, folders
from tsuji.tables import rounded, write_csv

from . import measured
from .rows import Verdict, show

SCHEMA_VERSION = 2


@dataclasses.dataclass(frozen=True)
class Reading:
    """Another reading of a statement: the row `key` of the ID `identity` under the alternative `label`. `holds`: None
    where the value could not be judged."""

    identity: str
    key: str
    label: str
    value: Any
    holds: Any

    def json(self):
        return {"id": self.identity, "key": self.key, "label": self.label, "measured": self.value, "holds": self.holds}


@dataclasses.dataclass
class Findings:
    """`values`: measured value of each row by its key. `table`: the figure's data, one dict a line, all with the keys
    of the first. `draw(figure)` draws it on a matplotlib figure. `notes`: what a reader must know beside the rows.
    `files`: what runs have left and the ID gives on, waveforms for instance; `folders`: more of them, by folder.
    `readings`: of other IDs' rows."""

    values: Dict[str, Any]
    table: List[Dict[str, Any]]
    draw: Callable
    notes: List[str] = dataclasses.field(default_factory=list)
    files: List[pathlib.Path] = dataclasses.field(default_factory=list)
    folders: Dict[str, List[pathlib.Path]] = dataclasses.field(default_factory=dict)
    readings: List[Reading] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Judged:
    """A row with what was measured and the verdict."""

    row: Any
    measured: Any
    verdict: Verdict
    base: Any = None  # measured without a change
    calibrated: tuple = ()  # names of the values that fit the row
    reason: str = ""  # of a known failure

    def json(self):
        row = self.row
        return {**({} if self.base is None else {"base": self.base}), "key": row.key, "text": row.text,
                "paper": row.paper, "measured": self.measured, "unit": row.unit,
                "accepted": row.tolerance.text if row.tolerance else None, "strength": row.strength,
                "section": row.section, "distance_percent": row.distance(self.measured), "runs": list(row.runs),
                "states": row.states, "by_definition": row.by_definition, "calibrated": list(self.calibrated),
                "verdict": self.verdict.value, **({"reason": self.reason} if self.reason else {})}

    def cells(self):
        row = self.row
        base = "" if self.base is None else f" (base {show(self.base)})"
        return [row.text, row.paper, f"{show(self.measured)} {row.unit}".strip() + base,
                row.tolerance.text if row.tolerance else "-", row.marks(self.calibrated), self.verdict.value]


CELL_NAMES = ["row", "paper", "measured", "accepted", "", "verdict"]


def compared(judged, base_values):
    """Rows of a changed paper: no verdict, and beside each what the base has where that was measured."""
    return [dataclasses.replace(entry, verdict=Verdict.CHANGED, base=base_values.get(entry.row.key))
            for entry in judged]


def readings(identity, judged):
    """Of the rows that read another row's statement."""
    found, rows = [], {entry.row.key: entry.row for entry in judged}
    for entry in judged:
        keys = entry.row.reading_of
        if not keys or entry.measured is None:
            continue
        values = [entry.measured] if len(keys) == 1 else entry.measured
        for key, value in zip(keys, values, strict=True):
            found.append(Reading(identity, key, entry.row.text, value, entry.row.read_as(value, rows[key])))
    return found


def judge(rows, values, quick):
    unknown = set(values) - {row.key for row in rows}
    if unknown:
        raise ValueError(f"values for rows that do not exist: {', '.join(sorted(unknown))}")
    return [Judged(row, values.get(row.key), row.judge(values.get(row.key), quick)) for row in rows]


def against_list(judged, identity, known, version):
    """Verdicts beside the list of known failures (lists.known_failures): a listed row that fails is known, one that
    passes newly holds."""
    def one(entry):
        listed = known.get((identity, entry.row.key))
        if listed is None or version not in listed.versions:
            return entry
        failed = entry.verdict in (Verdict.FAILED, Verdict.MISSED)
        if not failed and entry.verdict is not Verdict.PASSED:
            return entry
        return dataclasses.replace(entry, verdict=Verdict.KNOWN if failed else Verdict.NEWLY_HOLDS,
                                   reason=listed.reason)
    return [one(entry) for entry in judged]


def with_calibrated(judged, identity, names):
    """`names`: lists.names_by_row."""
    return [dataclasses.replace(entry, calibrated=tuple(names.get((identity, entry.row.key), ())))
            for entry in judged]


def write(folder, experiment, setting, runs, findings, judged, places):
    """All files of an ID, which take the place of its folder in one step. `places`: the folder of each of its runs."""
    with folders.replaced(folder) as staging:
        write_into(staging, experiment, setting, runs, findings, judged, places)
        measured.write(staging, places.values())


def draw_with_points(figure, draw, points):
    """The figure, and the paper's own points in it."""
    draw(figure)
    for number in sorted({number for number, _, _ in points}):
        axes = figure.axes[number]
        places = [(x, y) for at, x, y in points if at == number]
        marks = axes.plot(*zip(*places), "+", color="black", markersize=11, markeredgewidth=1.4,
                          label="the paper's text", zorder=5)
        axes.legend(fontsize=7, **({"handles": marks} if axes.get_legend() is None else {}))


def write_into(folder, experiment, setting, runs, findings, judged, places):
    own = readings(experiment.id, judged)
    result = {"schema_version": SCHEMA_VERSION, "id": experiment.id, "title": experiment.title,
              "source": experiment.source, "sections": experiment.sections, "quick": setting.quick,
              **({"changed": setting.changes} if setting.changes else {}),
              "rows": [entry.json() for entry in judged], "notes": findings.notes,
              "readings": [reading.json() for reading in own + findings.readings],
              **measured.origin(places.values()),
              "runs": {name: {**run.json(), "kept": places[name].name} for name, run in runs.items()}}
    (folder / "result.json").write_text(json.dumps(rounded(result), indent=1, ensure_ascii=False) + "\n",
                                        encoding="utf-8")
    for name, paths in {"": findings.files, **findings.folders}.items():
        (folder / name).mkdir(exist_ok=True)
        for path in paths:
            shutil.copyfile(path, folder / name / path.name)
    write_csv(folder / "data.csv", findings.table)
    # Drawing takes most of the time of short runs.
    points = [point for row in experiment.rows for point in row.points]
    figures.write_figure(folder / "figure", experiment.id,
                         lambda figure: draw_with_points(figure, findings.draw, points),
                         kinds=("svg",) if setting.quick else ("svg", "png"))
