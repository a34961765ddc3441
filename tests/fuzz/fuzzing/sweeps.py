# SPDX-License-Identifier: Apache-2.0
"""Random texts after --sweep-load on random networks: which are refused, which loads run, and what their rows say."""

import csv
import dataclasses
import io
import math
import re

from . import oracle
from .cases import Case, Outcome
from .oracle import Failure

LOAD = "traffic.load_flits_per_node_cycle"
SATURATION = ":saturation"
LENGTH = "measure.cycles"
MOST_POINTS = 6     # of a sweep that runs: each is a separate run
# Of a run, for columns with another name.
METRIC = {"offered": "offered_flits_per_node_cycle", "accepted": "accepted_flits_per_node_cycle",
          "packets_missing": "measured_packets_undelivered", "capacity_bound": "capacity_bound_flits_per_node_cycle",
          "latency_mean": "latency_cycles_mean",
          "latency_mean_confidence95": "latency_cycles_mean_confidence95",
          **{f"latency_{share}": f"latency_cycles_{share}" for share in ("p50", "p95", "p99", "p999")}}
NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
ODD = "0123456789:::...--+eE xinfa \x1b\té"


def rounded(load):
    return math.floor(load * 1e6 + 0.5) / 1e6


def expected_loads(text):
    """The loads of a text, or None for one that must be refused."""
    if text.endswith(SATURATION) and text.index(SATURATION) == len(text) - len(SATURATION):
        text = text.removesuffix(SATURATION)
    parts = text.split(":")
    if len(parts) != 3 or not all(NUMBER.fullmatch(part)
                                  for part in parts[:2]) or not re.fullmatch(r"[0-9]+", parts[2]):
        return None
    first, last, points = float(parts[0]), float(parts[1]), int(parts[2])
    if not 0 < first < last <= 1 or not 2 <= points <= 1000:
        return None
    loads = [rounded(first + (last - first) * i / (points - 1)) for i in range(points)]
    return loads if loads[0] > 0 and all(a != b for a, b in zip(loads, loads[1:])) else None


def up_to_second_saturated(loads, verdicts):
    """The loads of a sweep that stops going up; `verdicts` of those that have run."""
    saturated = [load for load in loads if verdicts.get(load) == "saturated"]
    return [load for load in loads if len(saturated) < 2 or load <= saturated[1]]


def good_text(rng):
    first = rng.choice([0.05, rng.uniform(0.001, 0.6), 1e-6, 0.2])
    last = min(first + rng.choice([rng.uniform(0.001, 0.5), 0.1, 2e-6, 1]), 1)
    digits = rng.choice([2, 4, 6, 17])
    text = f"{first:.{digits}g}:{last:.{digits}g}:{rng.randint(2, MOST_POINTS)}"
    return text + (SATURATION if rng.random() < 0.25 else "")


def damaged(text, rng):
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(["", rng.choice(ODD)]) + text[at + rng.choice([0, 1]):]
    return text or ":"


def sweep_text(rng):
    """Half of them are well formed; none asks for more runs than a case may take."""
    while True:
        text = good_text(rng)
        if rng.random() < 0.3:
            text = damaged(text, rng)
        elif rng.random() < 0.25:
            text = rng.choice(["0.1:0.5:1", "0.1:0.5:1001", "0.1:0.5:0", "0.5:0.1:3", "0:0.5:3", "0.1:1.01:3",
                               "0.1:0.5:4294967298",
                               "0.1:0.100001:3", "0.1:0.5", "0.1:0.5:3:", "nan:0.5:3", "0.1:inf:3",
                               "0.1:0.5:3:saturated",
                               "0.1:0.5:3:saturation:saturation", "1e-400:0.5:3", "0.1:0.5:+3", "-0.1:0.5:3",
                               "0x1:0.5:3"])
        loads = expected_loads(text)
        if loads is None or len(loads) <= MOST_POINTS:
            return text


class SweepCase(Case):
    """A network and a text; the network is repaired until it is accepted, the text is not."""

    def __init__(self, machine, seed, number, folder):
        super().__init__(machine, seed, number, folder)
        self.text = sweep_text(self.rng_of("--sweep-load"))
        self.loads = expected_loads(self.text)

    @property
    def arguments(self):
        return (f"--sweep-load={self.text}",)

    def check(self, settings, only=None):
        outcome = self.swept(settings)
        if outcome.failure is not None:
            failure = dataclasses.replace(outcome.failure, arguments=outcome.failure.arguments or self.arguments)
            outcome = dataclasses.replace(outcome, failure=failure)
        return outcome

    def swept(self, settings):
        base = self.runner.run(settings, self.arguments)
        end = oracle.ending(base)
        if isinstance(end, Failure):
            return Outcome(dict(settings), failure=end)
        if end == "refused":
            return self.refused(settings, base)
        if self.loads is None:
            return Outcome(dict(settings), failure=Failure("a bad text is accepted",
                                                           f"{self.text!r}: {base.text[:500]}"))
        if end is not None:  # one of its runs; the configuration does not determine which one ends first
            return Outcome(dict(settings), True, end)
        failure = self.broken(base) or self.another_run(settings, base) or self.other_modes(settings, base)
        return Outcome(dict(settings), True, "ends", failure=failure)

    def refused(self, settings, base):
        """One for the text is the end of a case where the text is bad, or where a load's own run is refused."""
        fault = oracle.refusal_fault(base, {**self.machine.keys, "--sweep-load": None})
        if fault:
            return Outcome(dict(settings), failure=Failure("refusal", f"{fault}: {base.text[:1000]}"))
        if not base.text.startswith("network: --sweep-load: "):
            return Outcome(dict(settings), ended=base.text)
        of_a_load = "this load's run is refused" in base.text
        if of_a_load == (self.loads is None):
            return Outcome(dict(settings), failure=Failure("refusal", f"of {self.text!r}: {base.text[:1000]}"))
        return Outcome(dict(settings), True, "a load refused" if of_a_load else "text refused")

    def broken(self, base):
        """Contradictions of table, CSV and loads."""
        result = oracle.load_result(base)
        if isinstance(result, Failure):
            return result
        names = [column["name"] for column in result["tables"]["sweep"]["columns"]]
        rows = [dict(zip(names, row)) for row in result["tables"]["sweep"]["rows"]]
        told = list(csv.DictReader(io.StringIO(base.file("sweep.csv").decode())))
        if len(rows) != len(told) or not all(says(text[name], row[name]) for row, text in zip(rows, told)
                                             for name in names):
            return Failure("sweep.csv", "another table than result.json's")
        loads = [row["load"] for row in rows]
        verdicts = {row["load"]: row["stability"] for row in rows}
        if loads != sorted(set(loads)) or any((row["stability"] == "saturated") != (row["saturated"] == 1)
                                              for row in rows):
            return Failure("loads", f"{loads} ran of {self.loads}: {verdicts}")
        point, limit = (result["metrics"][name]["value"]
                        for name in ("saturation_flits_per_node_cycle", "saturated_flits_per_node_cycle"))
        if not self.text.endswith(SATURATION):
            wanted = up_to_second_saturated(self.loads, verdicts)
            return Failure("loads",
                           f"{loads} ran") if loads != wanted or point is not None or limit is not None else None
        first = min((load for load in loads if verdicts[load] == "saturated"), default=None)
        below = [load for load in loads if verdicts[load] == "stable" and (first is None or load < first)]
        if limit != first or point != max(below, default=0):
            return Failure("saturation", f"{point} and {limit} of {verdicts}")
        return None

    def another_run(self, settings, base):
        """A row is the run at its load."""
        rows = list(csv.DictReader(io.StringIO(base.file("sweep.csv").decode())))
        row = self.rng_of("row").choice(rows)
        own = {**settings, LOAD: row["load"], **({LENGTH: row["measured_cycles"]} if "_x" in row["run"] else {})}
        ended = self.runner.run(own)
        end = oracle.ending(ended)
        if end == oracle.TOO_LONG:
            return None
        if end is not None:
            return Failure("a row's own run", f"at {row['load']}: {end}: {ended.text[:500]}")
        metrics = ended.result()["metrics"]
        for name, told in row.items():
            if name not in ("load", "run") and not says(told, metrics[METRIC.get(name, name)]["value"]):
                return Failure("a row's own run", f"{name} at {row['load']}: {told} and "
                               f"{metrics[METRIC.get(name, name)]['value']}")
        self.runner.forget(ended)
        return None

    def other_modes(self, settings, base):
        """Processes and orders of modules, or the sweep's own resolved.yaml: a sweep takes seconds for its picture."""
        expected = oracle.comparable(oracle.load_result(base))
        each, shuffled = {"run.processes": "process_each"}, {"run.shuffle_seed": "7"}
        name, more, arguments = self.rng_of("mode").choice([
            ("process_each and shuffled", {**settings, **each, **shuffled}, ()),
            ("resolved.yaml", {}, (str(base.out / "resolved.yaml"),))])
        arguments = (*arguments, *self.arguments)
        ended = self.runner.run(more, arguments)
        end = oracle.ending(ended)
        if end == oracle.TOO_LONG:
            return None
        extra = tuple((key, value) for key, value in more.items() if key.startswith("run."))
        if end is not None:
            return Failure(f"{name}: ends otherwise", f"{end}: {ended.text[:500]}", arguments, extra)
        found = oracle.differences(expected, oracle.comparable(oracle.load_result(ended)))
        return Failure(f"{name}: another result", "; ".join(found[:6]), arguments, extra) if found else None


def says(text, value):
    """Whether a cell of sweep.csv is this value. A number has more than one text (0.179854 is 0.17985400000000001,
    too)."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return bool(NUMBER.fullmatch(text)) and float(text) == value
    return text == {None: "", True: "true", False: "false"}.get(value, value)
