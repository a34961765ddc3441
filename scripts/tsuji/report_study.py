# SPDX-License-Identifier: Apache-2.0
"""The data of a study's page, of its study.sqlite, and pages of its runs."""

from __future__ import annotations

import json
import os
import pathlib
import sqlite3
from typing import Any
from urllib.parse import quote

from . import report_run
from .errors import Refused
from .folders import write_text
from .report_page import page

DATABASE, MARK, NAME = "study.sqlite", ".study", "report.html"
ACCEPTED = "the folder of a study that has ended, as scripts/study wrote it"


def data_of(folder: pathlib.Path, page_folder: pathlib.Path | None = None) -> dict[str, Any]:
    """Refused for a damaged study. Links are as seen from `page_folder`, by default the study's."""
    path = folder / DATABASE
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            return data_in(database, folder, page_folder or folder)
        finally:
            database.close()
    except sqlite3.Error as problem:
        raise Refused(path, "", f"cannot be read: {problem}", None, ACCEPTED) from None


def data_in(database: sqlite3.Connection, folder: pathlib.Path, page_folder: pathlib.Path) -> dict[str, Any]:
    labels: dict[int, dict[str, str]] = {}
    for design, axis, value in database.execute("SELECT design, axis, value FROM designs ORDER BY rowid"):
        labels.setdefault(design, {})[axis] = value
    runs = list(database.execute("SELECT run, design, seed, load, status, error FROM runs ORDER BY rowid"))
    for _, design, *_ in runs:
        labels.setdefault(design, {})  # a study without axes
    axes = list(next(iter(labels.values()), {}))
    points = list(database.execute("SELECT design, load, metric, seeds, mean, confidence95 FROM points ORDER BY rowid"))
    units = dict(database.execute("SELECT DISTINCT metric, unit FROM metrics"))
    metrics = list(dict.fromkeys(point[2] for point in points))
    mark = mark_of(folder)
    return {"title": mark.get("title") or mark.get("name") or folder.resolve().name, "axes": axes,
            "designs": {design: [of[axis] for axis in axes] for design, of in labels.items()},
            "metrics": [[name, units.get(name, unit_of(name))] for name in metrics],
            "points": [[design, load, metrics.index(metric), seeds, mean, half]
                       for design, load, metric, seeds, mean, half in points],
            "runs": [[*run, href(page_folder, kept_folder(folder, mark) / run[0] / NAME)] for run in runs],
            "index": href(page_folder, folder / "index.html")}


def unit_of(metric: str) -> str:
    from .study_file import CURVE_UNITS

    return CURVE_UNITS.get(metric, "")


def mark_of(folder: pathlib.Path) -> dict[str, Any]:
    """What scripts/study keeps of the study: name, title, and the folder of its runs."""
    path = folder / MARK
    try:
        mark = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError as problem:
        raise Refused(path, "", f"is damaged: {problem}", None, ACCEPTED) from None
    if not isinstance(mark, dict):
        raise Refused(path, "", "is damaged", None, ACCEPTED)
    return mark


def kept_folder(folder: pathlib.Path, mark: dict[str, Any]) -> pathlib.Path:
    return folder / mark.get("runs", "runs")


def href(folder: pathlib.Path, path: pathlib.Path) -> str | None:
    """Of a page as seen from a folder; None where there is none."""
    return quote(os.path.relpath(path.resolve(), folder.resolve())) if path.is_file() else None


def write(folder: pathlib.Path, library: str, out: pathlib.Path | None = None) -> None:
    """The study's page, with links to the runs' pages that are there."""
    place = out or folder / NAME
    write_text(place, page("study", data_of(folder, place.parent), library))


def write_runs(folder: pathlib.Path, library: str) -> int:
    """Pages of all runs that have kept their result.json; returns how many."""
    runs = {run[0] for run in data_of(folder)["runs"] if run[4] == "complete"}
    kept, written = kept_folder(folder, mark_of(folder)), 0
    for name in sorted(runs):
        if (kept / name / "result.json").is_file():
            write_text(kept / name / NAME, page("run", report_run.data_of(kept / name), library))
            written += 1
    return written
