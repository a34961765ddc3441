# SPDX-License-Identifier: Apache-2.0
"""The answer of an exploration: its tables, its reasons, and its files."""

from __future__ import annotations

import itertools
import json
import math
import pathlib
import sqlite3
import subprocess
from typing import Any, TYPE_CHECKING

from . import queueing
from .errors import RunFailed
from .facts import PLATFORM, run_of
from .folders import write_text
from .question import ABSENT, FACTS
from .runs import executable
from .statistics import mean_confidence95
from .tables import rounded, write_csv

if TYPE_CHECKING:
    from .explore import Exploration
    from .facts import Design

ANSWER, DATABASE = "answer.yaml", "explore.sqlite"
MOST_NEIGHBOURS = 12  # of a point of the front, on the page


def labels(exploration: Exploration, number: int) -> dict[str, str]:
    question = exploration.question
    return dict(zip((axis.name for axis in question.axes), question.candidates[number].labels))


def name_of(exploration: Exploration, number: int) -> str:
    return ", ".join(f"{axis.split('.')[-1]} {label}" for axis, label in labels(exploration, number).items()
                     if label != "-") or f"design {number}"


def status_of(exploration: Exploration, number: int, front: set[int]) -> tuple[str, str]:
    """(status, reason) of a design: front, not shown worse, or the stage at which it was rejected."""
    rejected = exploration.arithmetic.rejected.get(number)
    if rejected:
        return rejected.stage, rejected.reason
    lost = exploration.lost.get(number)
    if lost:
        by = f": {name_of(exploration, lost.by)}" if lost.by is not None else ""
        return lost.stage, lost.reason + by
    if number in front:
        return "front", ""
    return ("not shown worse", "") if number in exploration.means else ("not played", exploration.stopped)


def rows_of_designs(exploration: Exploration) -> list[dict[str, Any]]:
    """A row for each candidate of the space."""
    question, front = exploration.question, set(exploration.front())
    rows: list[dict[str, Any]] = []
    for candidate in question.candidates:
        design = exploration.arithmetic.designs.get(candidate.number)
        status, reason = status_of(exploration, candidate.number, front)
        seeds, means = exploration.means.get(candidate.number, (0, None))
        row: dict[str, Any] = {"design": candidate.number, **labels(exploration, candidate.number), "status": status,
                               "seeds": seeds}
        for i, goal in enumerate(question.goals):
            mean = means[i] if means else None
            row[goal.text()] = mean.mean if mean else None
            row[f"{goal.text()}_confidence95"] = mean.half if mean else None
        for load in question.loads:
            predicted = exploration.predictions.get(candidate.number, {}).get(load.name)
            row[f"predicted_{queueing.LATENCY}_{load.name}"] = predicted
        for fact in FACTS:
            row[fact if fact not in row else f"fact_{fact}"] = least_fact(design, fact)
        rows.append({**row, "reason": reason})
    return rows


def least_fact(design: Design | None, name: str) -> float | None:
    """Over the loads that a fact depends on the least; None where a load has none."""
    if design is None:
        return None
    values = list(design.facts(name, tuple(load.name for load in design.question.loads)).values())
    return None if any(value is None for value in values) else min(values)


def neighbours(exploration: Exploration, number: int) -> list[dict[str, Any]]:
    """Designs that differ from one in a single axis: what each would change, in percent of each goal, or why it was
    rejected."""
    question, rows = exploration.question, []
    own, front = question.candidates[number].labels, set(exploration.front())
    base = exploration.means[number][1]
    for other in question.candidates:
        differs = [i for i, (a, b) in enumerate(zip(own, other.labels)) if a != b]
        if len(differs) != 1:
            continue
        status, reason = status_of(exploration, other.number, front)
        axis = question.axes[differs[0]]
        rows.append({"axis": axis.name, "to": other.labels[differs[0]], "status": status, "reason": reason,
                     "changes": changes(exploration, other.number, number, base)})
    return rows


def changes(exploration: Exploration, number: int, base_number: int, base: Any) -> list[float | None]:
    """Percent of each goal, on the seeds that both have; None where the design was not simulated."""
    of = exploration.means.get(number)
    if of is None:
        return [None] * len(base)
    result: list[float | None] = []
    for goal, theirs, own in zip(exploration.question.goals, of[1], base):
        pairs = list(zip(theirs.samples, own.samples)) or [(theirs.mean, own.mean)]
        before = math.fsum(pair[1] for pair in pairs)
        result.append(100 * (math.fsum(pair[0] for pair in pairs) / before - 1) if before else None)
    return result


def slack(exploration: Exploration, number: int) -> list[dict[str, Any]]:
    """Of each constraint at a design the value, and how far it is from the bound, in percent; the tightest first."""
    question, design = exploration.question, exploration.arithmetic.designs[number]
    rows: list[dict[str, Any]] = []
    for bound in question.bounds:
        if bound.metric in FACTS:
            values = [value for value in design.facts(bound.metric, bound.loads).values() if value is not None]
        else:
            seeds = exploration.means[number][0]
            found = [exploration.scores.metric(number, load.name, bound.metric, seeds) for load in question.loads
                     if load.name in bound.loads]
            values = [math.fsum(one) / len(one) for one in found if one]
        if values:
            worst = max(values, key=bound.excess)
            rows.append({"constraint": bound.text(), "value": worst, "slack_percent": -100 * bound.excess(worst)})
    return sorted(rows, key=lambda row: row["slack_percent"])


def nearest_rejected(exploration: Exploration) -> dict[str, Any] | None:
    """Of all designs that break a constraint or cannot carry a load the one that is least beyond it."""
    gone: dict[int, Any] = {**exploration.arithmetic.rejected, **exploration.lost}
    found = [(one.excess, number) for number, one in gone.items()
             if one.excess is not None and math.isfinite(one.excess)]
    if not found:
        return None
    excess, number = min(found)
    status, reason = status_of(exploration, number, set())
    return {"design": name_of(exploration, number), "number": number, "status": status, "reason": reason,
            "beyond_percent": 100 * excess}


def effects(exploration: Exploration) -> list[dict[str, Any]]:
    """Of each axis the change of each measured goal from its first level to another one, in percent: the mean over all
    pairs of simulated designs that differ in this axis alone, on the seeds of the first rung, with its 95 %
    interval."""
    question, by_labels, logs = exploration.question, simulated(exploration), logs_of_goals(exploration)
    rows: list[dict[str, Any]] = []
    for at, axis in enumerate(question.axes):
        base = axis.levels[0].label
        for level in axis.levels[1:]:
            pairs = [(number, other) for labels, number in by_labels.items() if labels[at] == level.label
                     for other in [by_labels.get(changed(labels, (at, base)))] if other is not None]
            for goal, of in zip(question.goals, logs):
                ratios = [of[number] - of[other] for number, other in pairs if number in of and other in of]
                rows += interval_row({"axis": axis.name, "from": base, "to": level.label, "goal": goal.text()}, ratios,
                                     "pairs", "change")
    return rows


def pair_effects(exploration: Exploration) -> list[dict[str, Any]]:
    """Of a level on each of two axes what both change together beyond the product of what each changes alone, from the
    first levels of the axes, in percent of each measured goal: 0 where the axes act independently. The mean over all
    fours of simulated designs that differ in these axes alone, on the seeds of the first rung, with its 95 %
    interval."""
    question, by_labels, logs = exploration.question, simulated(exploration), logs_of_goals(exploration)
    fours: dict[tuple[int, str, int, str], list[tuple[int, int, int, int]]] = {}
    bases = [axis.levels[0].label for axis in question.axes]
    for labels, number in by_labels.items():
        for a, b in itertools.combinations([at for at, base in enumerate(bases) if labels[at] not in (base, ABSENT)],
                                           2):
            one, other, base = (by_labels.get(changed(labels, *change)) for change in (
                [(a, bases[a])], [(b, bases[b])], [(a, bases[a]), (b, bases[b])]))
            if one is not None and other is not None and base is not None:
                fours.setdefault((a, labels[a], b, labels[b]), []).append((number, one, other, base))
    rows: list[dict[str, Any]] = []
    for (a, first, b, second), of_levels in sorted(fours.items()):
        for goal, of in zip(question.goals, logs):
            ratios = [of[both] - of[one] - of[other] + of[base] for both, one, other, base in of_levels
                      if all(number in of for number in (both, one, other, base))]
            rows += interval_row({"axis": question.axes[a].name, "to": first, "and": question.axes[b].name,
                                  "and_to": second, "goal": goal.text()}, ratios, "fours", "beyond")
    return rows


def simulated(exploration: Exploration) -> dict[tuple[str, ...], int]:
    """Designs that have means, by their labels."""
    return {exploration.question.candidates[number].labels: number for number in exploration.means}


def changed(labels: tuple[str, ...], *changes: tuple[int, str]) -> tuple[str, ...]:
    """Labels with others at some axes."""
    wanted = dict(changes)
    return tuple(wanted.get(at, label) for at, label in enumerate(labels))


def logs_of_goals(exploration: Exploration) -> list[dict[int, float]]:
    """Of each goal the logarithm by design, on the seeds of the first rung; without designs where it is not
    positive."""
    seeds, logs = exploration.question.seeds[0], []  # type: int, list[dict[int, float]]
    for goal in range(len(exploration.question.goals)):
        means = {number: of[1][goal] for number, of in exploration.means.items()}
        values = {number: math.fsum(mean.samples[:seeds]) / seeds if mean.samples else mean.mean
                  for number, mean in means.items()}
        logs.append({number: math.log(value) for number, value in values.items() if value > 0})
    return logs


def interval_row(head: dict[str, Any], logs: list[float], what: str, name: str) -> list[dict[str, Any]]:
    """A row with the mean of logarithms in percent and its 95 % interval; none without logarithms."""
    mean, half = mean_confidence95(logs)
    if mean is None:
        return []
    return [{**head, what: len(logs), f"{name}_percent": 100 * math.expm1(mean),
             "low_percent": None if half is None else 100 * math.expm1(mean - half),
             "high_percent": None if half is None else 100 * math.expm1(mean + half)}]


def model_errors(exploration: Exploration) -> list[dict[str, Any]]:
    """Of the fast model, by class of designs, over all that were simulated and are not saturated."""
    return [{**dict(zip(queueing.CLASS_KEYS, kind)), "designs": ratios.designs,
             **{f"error_{name}_percent": 100 * value for name, value in queueing.errors(list(ratios.values)).items()},
             "least_ratio": min(ratios.values)} for kind, ratios in sorted(exploration.ratios().items())]


def rejections(exploration: Exploration) -> dict[str, int]:
    """Number of designs by status."""
    counts: dict[str, int] = {}
    front = set(exploration.front())
    for candidate in exploration.question.candidates:
        status = status_of(exploration, candidate.number, front)[0]
        counts[status] = counts.get(status, 0) + 1
    return counts


def configuration(exploration: Exploration, number: int) -> str:
    """YAML of a design at the first load, as a platform reads it."""
    question = exploration.question
    run = run_of(question, question.candidates[number], question.loads[0], {"seed": 1}, ("--print-config",))
    done = subprocess.run([str(executable(exploration.platforms, PLATFORM)), *run.words()], capture_output=True,
                          text=True, cwd=question.path.parent)
    if done.returncode != 0:
        raise RunFailed(f"{PLATFORM} --print-config: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def write(exploration: Exploration) -> None:
    """All files but the page."""
    out = exploration.out
    rows = rows_of_designs(exploration)
    write_csv(out / "designs.csv", rows)
    write_csv(out / "front.csv", [rows[number] for number in exploration.front()])
    write_csv(out / "effects.csv", effects(exploration))
    write_csv(out / "pair_effects.csv", pair_effects(exploration))
    write_csv(out / "fast_model.csv", model_errors(exploration))
    write_csv(out / "race.csv", [vars(step) for step in exploration.steps])
    write_sqlite(out / DATABASE, exploration, rows)
    write_answers(exploration)


def write_answers(exploration: Exploration) -> None:
    """answer.yaml: of one design; front/N.yaml: of each design of the front."""
    best, folder = exploration.best(), exploration.out / "front"
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.yaml"):
        path.unlink()
    (exploration.out / ANSWER).unlink(missing_ok=True)
    for number in exploration.front():
        text = f"# {name_of(exploration, number)}\n{configuration(exploration, number)}"
        write_text(folder / f"{number}.yaml", text)
        if number == best:
            write_text(exploration.out / ANSWER, text)


def write_sqlite(path: pathlib.Path, exploration: Exploration, rows: list[dict[str, Any]]) -> None:
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    try:
        columns = list(rows[0])
        quoted = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
        database.execute(f"CREATE TABLE designs({quoted})")
        database.executemany(f"INSERT INTO designs VALUES({', '.join('?' * len(columns))})",
                             [[rounded(row[column]) for column in columns] for row in rows])
        database.execute("CREATE TABLE runs(run TEXT, design INTEGER, load TEXT, seed INTEGER, trace_share REAL, "
                         "status TEXT, metrics TEXT, error TEXT)")
        database.executemany("INSERT INTO runs VALUES(?, ?, ?, ?, ?, ?, ?, ?)", [
            [exploration.names[place], place.design, place.load, place.seed, place.share, end.status,
             json.dumps({name: rounded(value) for name, value in end.metrics.items() if name != "wall_seconds"}),
             end.error] for place, end in sorted(exploration.ends.items(), key=lambda one: (
                 one[0].design, one[0].load, one[0].seed, one[0].share))])
        database.commit()
    finally:
        database.close()
