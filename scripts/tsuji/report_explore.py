# SPDX-License-Identifier: Apache-2.0
"""The page of an exploration."""

from __future__ import annotations

import pathlib
from typing import Any, TYPE_CHECKING

from . import answer, report_run
from .folders import write_text
from .race import Place
from .report_page import page
from .report_study import href
from .tables import rounded

if TYPE_CHECKING:
    from .explore import Exploration

NAME = "report.html"


def data_of(exploration: Exploration) -> dict[str, Any]:
    question, rows = exploration.question, answer.rows_of_designs(exploration)
    front, best = exploration.front(), exploration.best()
    shown = [{"number": number, "name": answer.name_of(exploration, number), "best": number == best,
              "slack": answer.slack(exploration, number), "neighbours": answer.neighbours(exploration, number),
              "page": page_of(exploration, number)} for number in front]
    return rounded({
        "title": question.title, "goals": [goal.text() for goal in question.goals],
        "axes": [axis.name for axis in question.axes], "columns": list(rows[0]),
        "rows": [list(row.values()) for row in rows], "pages": {str(number): page_of(exploration, number)
                                                                for number in exploration.means},
        "front": shown, "counts": answer.rejections(exploration), "nearest": answer.nearest_rejected(exploration),
        "effects": answer.effects(exploration), "pairs": answer.pair_effects(exploration),
        "model": answer.model_errors(exploration),
        "race": [vars(step) for step in exploration.steps], "runs": len(exploration.ends),
        "stopped": exploration.stopped, "confidence": question.confidence,
        "bounds": [bound.text() for bound in question.bounds]})


def page_of(exploration: Exploration, number: int) -> str | None:
    """Of the run of the first seed at the first load; None where it is not kept whole."""
    name = exploration.names.get(Place(number, exploration.question.loads[0].name, 1))
    return href(exploration.out, exploration.kept / name / NAME) if name else None


def write(exploration: Exploration, library: str) -> pathlib.Path:
    """The page, and pages of a run of each design of the front, to which it leads."""
    for number in exploration.front():
        name = exploration.names.get(Place(number, exploration.question.loads[0].name, 1))
        if name and (exploration.kept / name / "result.json").is_file():
            write_text(exploration.kept / name / NAME,
                       page("run", report_run.data_of(exploration.kept / name), library))
    place = exploration.out / NAME
    write_text(place, page("explore", data_of(exploration), library))
    return place
