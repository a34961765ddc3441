# SPDX-License-Identifier: Apache-2.0
"""--list: a line a paper, its IDs with their rows, and what is in no paper."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, List

from .papers import NOTHING


def lines(experiments: Iterable[Any], committed: Any) -> Iterator[str]:
    """Papers first; then IDs of no paper, and of the papers' IDs the rows of which the paper says nothing."""
    by_paper: dict[str, List[Any]] = {}
    own: List[Any] = []
    for experiment in experiments:
        if experiment.sections:
            by_paper.setdefault(experiment.id.split(".")[0], []).append(experiment)
        else:
            own.append(experiment)
    for name, mine in by_paper.items():
        yield paper_line(name, mine, committed.papers[name])
        for experiment in mine:
            yield f"{experiment.id}  {experiment.title} ({experiment.source})"
            yield from row_lines(experiment, of_paper(experiment), committed)
        yield ""
    beside = [experiment for mine in by_paper.values() for experiment in mine if in_no_paper(experiment)]
    if own or beside:
        yield f"in no paper: {plural(len(own), 'ID')}, and rows of {plural(len(beside), 'other ID')}"
    for experiment in own:
        yield f"{experiment.id}  {experiment.title} ({experiment.source})"
        yield from row_lines(experiment, experiment.rows, committed)
    for experiment in beside:
        yield f"  {experiment.id}  {experiment.title}"
        yield from row_lines(experiment, in_no_paper(experiment), committed)


def of_paper(experiment: Any) -> List[Any]:
    """Rows that state something of the paper."""
    return [row for row in experiment.rows if row.section]


def in_no_paper(experiment: Any) -> List[Any]:
    return [row for row in experiment.rows if not row.section]


def paper_line(name: str, experiments: List[Any], paper: Any) -> str:
    stated = [row for experiment in experiments for row in experiment.rows if row.states]
    hard = sum(row.hard for row in stated)
    return f"{name}  {paper.name}, {paper.title}: {plural(len(experiments), 'ID')}, " \
           f"{plural(len(stated), 'statement')}, {hard} hard"


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def row_lines(experiment: Any, rows: Iterable[Any], committed: Any) -> Iterator[str]:
    for row in rows:
        accepted = f"; accepted {row.tolerance.text} {row.unit}".rstrip() if row.tolerance else ""
        quick = "" if row.quick or not row.tolerance else ", not in --quick"
        marks = row.marks(committed.names.get((experiment.id, row.key), ()))
        said = "" if row.paper in NOTHING else f": paper {row.paper}"
        section = f" (section {row.section})" if row.section and len(experiment.sections) != 1 else ""
        yield f"    {row.key} [{marks}{quick}]  {row.text}{section}{said}{accepted}"
        known = committed.known.get((experiment.id, row.key))
        if known:
            yield f"        known failure ({', '.join(sorted(known.versions))}): {known.reason}"
