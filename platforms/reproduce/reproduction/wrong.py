# SPDX-License-Identifier: Apache-2.0
"""--against-wrong-models: plays IDs with planted parameters and counts the plants that make a hard row fail."""

from __future__ import annotations

import csv
import dataclasses
import io
import pathlib
import sys
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, Sequence, Set, Tuple

from tsuji import folders
from tsuji.runs import Run, check
from tsuji.tables import NOT_KEPT

from . import findings as found
from . import plants
from .plants import Plan, Plant, WrongModels
from .rows import Verdict, show
from .runs import Pool, Result

TABLE = "wrong_models.csv"
COLUMNS = ["id", "plant", "runs", "end", "rows", "reason", "moved"]
KILLED, REASON, ALIVE = "killed", "alive, with a reason", "ALIVE"
REFUSED, SAME, UNMEASURED = "refused", "changes no result", "changes nothing measured"
ENDS = [KILLED, REASON, ALIVE, REFUSED, SAME, UNMEASURED]
LEAST_SHARE = 0.9  # of plants that are killed or have a reason
TRIES = 2  # of a draw, for each plant that is to change a result
LIMIT_SECONDS = 60  # of a run, which takes a second or two without a plant
NOT_A_RESULT = ("config", "version", "revision", "inputs")  # of a run's result.json


@dataclasses.dataclass(frozen=True)
class Line:
    """How a plant of an ID ended: `rows` are the hard rows that failed under it, `runs` how many runs it changed,
    `moved` what it did to the hard rows that did not fail."""

    identity: str
    plant: str
    runs: int
    end: str
    rows: Tuple[str, ...] = ()
    reason: str = ""
    moved: str = ""

    def cells(self) -> List[str]:
        return [self.identity, self.plant, str(self.runs), self.end, ", ".join(self.rows), self.reason, self.moved]


def counts(lines: Iterable[Line]) -> Dict[str, int]:
    """Number of plants by their end."""
    ends = [line.end for line in lines]
    return {end: ends.count(end) for end in ENDS}


def share(lines: Iterable[Line]) -> float:
    """Share of the plants played that make a hard row fail or have a reason. Refused plants, those that change no
    result of any run, and those under which an ID measures and shows the same are no wrong models of it."""
    return share_of(lines, KILLED, REASON)


def share_of(lines: Iterable[Line], *ends: str) -> float:
    """Share of the wrong models with one of these ends."""
    number = counts(lines)
    judged = number[KILLED] + number[REASON] + number[ALIVE]
    return sum(number[end] for end in ends) / judged if judged else 1.0


def failed_rows(base: Sequence[Any], planted: Sequence[Any]) -> Tuple[str, ...]:
    """Hard rows that pass on the paper's model and fail on the planted one (findings.judge)."""
    holding = {entry.row.key for entry in base if entry.row.hard and entry.verdict is Verdict.PASSED}
    return tuple(entry.row.key for entry in planted if entry.row.key in holding and entry.verdict is Verdict.FAILED)


def moved_rows(base: Sequence[Any], planted: Sequence[Any]) -> str:
    """Hard rows that hold on both models with different values, each with the paper's model's value and the planted
    one's."""
    return "; ".join(f"{before.row.key}: {show(before.measured)} -> {show(after.measured)}"
                     for before, after in zip(base, planted)
                     if before.row.hard and before.verdict is after.verdict is Verdict.PASSED
                     and before.measured != after.measured)


def outcome(place: pathlib.Path) -> Any:
    """Results of a run, without its configuration."""
    content = Result(place).json
    files = {path.name: path.read_bytes() for path in sorted(place.glob("*"))
             if path.is_file() and path.name not in ("result.json", "resolved.yaml")}
    found_in = {key: value for key, value in content.items() if key not in NOT_A_RESULT}
    if "printed" in found_in:
        found_in["printed"] = found_in["printed"].replace(place.name, "")  # of a file that it has written
    if "metrics" in found_in:
        found_in["metrics"] = {name: metric for name, metric in content["metrics"].items() if name not in NOT_KEPT}
    return found_in, files


class Draw:
    """The plants of an ID in their order, until `number` of them have changed a result or TRIES times as many have been
    played. After a plant that changes no result, others of its key come last."""

    def __init__(self, queue: Sequence[Plant], number: int) -> None:
        self.queue: List[Plant] = list(queue)
        self.late: List[Plant] = []
        self.silent: Set[str] = set()
        self.number, self.tries = number, TRIES * number

    def __iter__(self) -> Iterator[Plant]:
        for plant in self.queue:
            if plant.key in self.silent:
                self.late.append(plant)
            elif self.goes_on():
                yield plant
        for plant in self.late:
            if self.goes_on():
                yield plant

    def goes_on(self) -> bool:
        return self.number > 0 and self.tries > 0

    def played(self, plant: Plant, end: str) -> None:
        """The plant just given has come to this end."""
        self.number -= end not in (REFUSED, SAME, UNMEASURED)
        self.tries -= end != REFUSED
        if end in (SAME, UNMEASURED) and plant.key:
            self.silent.add(plant.key)


class NotMeasured(Exception):
    """Runs that failed leave nothing to judge."""


@dataclasses.dataclass(frozen=True)
class Measured:
    """All that an ID measures: every row, judged (findings.judge) or shown, and its figure's data."""

    judged: Sequence[Any]
    table: Sequence[Any]


class Player:
    """Plays the plants of one ID after the other."""

    def __init__(self, platforms: pathlib.Path, runs: pathlib.Path, jobs: int, again: bool, wrong: WrongModels,
                 say: Callable[[str], None]) -> None:
        self.platforms, self.wrong, self.say = platforms, wrong, say
        self.pool = Pool(platforms, runs, jobs, again, lambda run: None, limit_seconds=LIMIT_SECONDS)
        self.numeric_keys: Set[str] = set()

    def lines(self, experiment: Any, setting: Any) -> List[Line]:
        """A Line for each plant of the draw: played, or refused."""
        plan = experiment.plan(setting)
        places = dict(zip(plan, self.pool.places(list(plan.values()))))
        errors = self.play(places, plan)
        if errors:
            raise NotMeasured(next(iter(errors.values())))
        base = self.measured(experiment, setting, places)
        read = {name: plants.read_keys(run, self.platforms) for name, run in plan.items()}
        keys = {key for values in read.values() for key in plants.numeric(values)}
        self.numeric_keys |= keys
        if not any(entry.row.hard and entry.verdict is Verdict.PASSED for entry in base.judged):
            return []
        draw = Draw(plants.plants_of(experiment.id, keys, self.wrong), self.wrong.number(experiment.id))
        lines = []
        for plant in draw:
            changed = plants.planted(plan, read, plant)
            if changed:
                lines.append(self.one(experiment, setting, places, base, plant, changed))
                draw.played(plant, lines[-1].end)
        return lines

    def one(self, experiment: Any, setting: Any, places: Dict[str, pathlib.Path], base: Measured, plant: Plant,
            changed: Plan) -> Line:
        """`changed`: the runs that read the plant's keys. A run that refuses the plant remains the paper's."""
        answers = dict(zip(changed, check(list(changed.values()), self.platforms)))
        own = {name: self.pool.folder / answer.name for name, answer in answers.items()
               if not answer.refused and answer.name != places[name].name}
        refusals = [answer.refused for answer in answers.values() if answer.refused]
        errors = self.play_accepted(own, changed, refusals)
        if not own:
            return Line(experiment.id, plant.name, 0, REFUSED if refusals else SAME, reason="".join(refusals[:1]))
        if not errors and all(outcome(own[name]) == outcome(places[name]) for name in own):
            return Line(experiment.id, plant.name, len(own), SAME)
        line = self.judged(experiment, setting, {**places, **own}, base, errors)
        return dataclasses.replace(line, plant=plant.name, runs=len(own), **self.end(line, plant))

    def end(self, line: Line, plant: Plant) -> Dict[str, str]:
        """End and reason of a plant that changes a result."""
        why = self.wrong.why_alive(line.identity, plant.name)
        if line.end == UNMEASURED:
            return {}
        if line.rows:
            return {"end": KILLED}
        return {"end": REASON if why else ALIVE, "reason": why or line.reason}

    def judged(self, experiment: Any, setting: Any, places: Dict[str, pathlib.Path], base: Measured,
               errors: Dict[str, str]) -> Line:
        """A line with the hard rows that fail, and what else there is to say. A run that fails, or values that no row
        can be computed of, fail all of them; a run that has not ended decides nothing."""
        line = Line(experiment.id, "", 0, "")
        late = [text for text in errors.values() if text.startswith(Pool.TOO_LONG)]
        if late:
            return dataclasses.replace(line, reason=late[0])
        try:
            if errors:
                raise NotMeasured(next(iter(errors.values())))
            planted = self.measured(experiment, setting, places)
        except Exception as problem:  # whatever an ID makes of a wrong model's results
            every = tuple(entry.row.key for entry in base.judged if entry.row.hard and entry.verdict is Verdict.PASSED)
            said = str(problem).strip().splitlines() or [repr(problem)]
            return dataclasses.replace(line, rows=every, reason=f"not measured: {said[-1]}")
        return dataclasses.replace(line, end=UNMEASURED if planted == base else "",
                                   rows=failed_rows(base.judged, planted.judged),
                                   moved=moved_rows(base.judged, planted.judged))

    def play_accepted(self, own: Dict[str, pathlib.Path], runs: Dict[str, Run], refusals: List[str]) -> Dict[str, str]:
        """Errors of the runs that failed, by name. A run that refuses the plant when it is played leaves `own`, and
        adds what it says to `refusals`."""
        while True:
            errors = self.play(own, runs)
            refused = {name: text for name, text in errors.items() if Pool.refused(own[name])}
            if not refused:
                return errors
            for name, text in refused.items():
                refusals.append(text.strip().splitlines()[-1])
                del own[name]

    def play(self, places: Dict[str, pathlib.Path], runs: Dict[str, Run]) -> Dict[str, str]:
        """Errors of the runs that failed, by name."""
        errors: Dict[pathlib.Path, str] = {}
        for place, error in self.pool.play({place: runs[name] for name, place in places.items()}):
            if error:
                errors[place] = str(error)
                break  # the rest decides no more
        return {name: errors[place] for name, place in places.items() if place in errors}

    def measured(self, experiment: Any, setting: Any, places: Dict[str, pathlib.Path]) -> Measured:
        results = {name: Result(place) for name, place in places.items()}
        findings = experiment.evaluate(setting, results)
        return Measured(found.judge(experiment.rows, findings.values, setting.quick), findings.table)


def write_table(out: pathlib.Path, lines: Iterable[Line]) -> None:
    """wrong_models.csv, which takes the place of an earlier call's."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(line.cells() for line in lines)
    out.mkdir(parents=True, exist_ok=True)
    folders.write_text(out / TABLE, text.getvalue())


def read_table(out: pathlib.Path) -> List[Line]:
    """The table of an earlier call; empty where there is none."""
    path = out / TABLE
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [Line(row["id"], row["plant"], int(row["runs"]), row["end"],
                     tuple(row["rows"].split(", ")) if row["rows"] else (), row["reason"], row["moved"])
                for row in csv.DictReader(file)]


def summary(lines: Sequence[Line]) -> List[List[str]]:
    """A line an ID, and one for all: plants by their end, the share that is killed, and that which is killed or has a
    reason."""
    identities = list(dict.fromkeys(line.identity for line in lines))
    groups = [(name, [line for line in lines if line.identity == name]) for name in identities] + [("all", lines)]
    return [[name, str(len(group)), *(str(number) for number in counts(group).values()),
             f"{100 * share_of(group, KILLED):.0f} %", f"{100 * share(group):.0f} %"]
            for name, group in groups]


SUMMARY = ["id", "plants", *ENDS, "killed", "killed or with a reason"]


def summary_text(lines: Sequence[Line]) -> str:
    """The summary in columns."""
    cells = [SUMMARY, *summary(lines)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(SUMMARY))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)


def play_all(player: Player, experiments: Sequence[Any], settings: Dict[str, Any]) -> Tuple[List[Line], List[str]]:
    """Lines of all IDs, and the IDs that could not be measured without a plant."""
    lines, errors = [], []
    for experiment in experiments:
        begin = time.monotonic()
        try:
            own = player.lines(experiment, settings[experiment.id])
        except Exception as problem:  # of one ID: the others continue
            errors.append(experiment.id)
            print(f"reproduce: {experiment.id}: {problem}", file=sys.stderr)
            continue
        lines += own
        told = ", ".join(f"{number} {end}" for end, number in counts(own).items() if number) or "no hard row"
        player.say(f"{experiment.id}: {told} ({time.monotonic() - begin:.0f} s)")
        for line in own:
            if line.end == ALIVE:
                player.say(f"    {line.plant}: {line.end} {line.reason}".rstrip())
    return lines, errors
