# SPDX-License-Identifier: Apache-2.0
"""Random configurations of a platform, case after case, with what they covered."""

import collections
import dataclasses
import pathlib
import resource
import shutil
import tempfile
import time

from .bench import BenchCase
from .cases import Case, Machine
from .minimize import minimized
from .pool import results
from .profiles import PROFILES
from .sweeps import SweepCase


TELLING_SECONDS = 60  # between lines about what is covered by now
FEW_CASES = 20  # of which nobody expects that they cover all keys
CASES = {"sweeps": SweepCase, "network_bench": BenchCase}  # others: Case


def processor_seconds():
    """Of the fuzzer and of all runs that have ended."""
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage,
                                                                (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


class Coverage:
    """How many cases were accepted, how they ended, and which keys were ever set to another value than their
    default."""

    def __init__(self):
        self.cases = self.accepted = self.attempts = 0
        self.keys = set()
        self.ends = collections.Counter()

    def add(self, outcome, machine):
        self.cases += 1
        self.attempts += outcome.attempts
        if outcome.accepted:
            self.accepted += 1
            self.ends[outcome.ended] += 1
            self.keys |= {name for name, value in outcome.settings.items()
                          if value != machine.keys[name].default.strip('"')}

    def missing(self, machine):
        """The keys that no accepted case has drawn away from their default."""
        return [name for name in machine.drawn() if name not in self.keys]

    def drawn(self, machine):
        everything = machine.drawn()
        return f"{len(everything) - len(self.missing(machine))} of {len(everything)} keys away from their default"

    def text(self, machine):
        missing = self.missing(machine)
        share = 100 * self.accepted / max(self.cases, 1)
        ends = ", ".join(f"{count} {end}" for end, count in sorted(self.ends.items()))
        lines = [f"{machine.profile.name}: {self.cases} cases, {share:.0f} % accepted ({ends}), "
                 f"{self.attempts / max(self.cases, 1):.1f} attempts a case; "
                 f"{self.drawn(machine)}"]
        if missing and self.cases >= FEW_CASES:
            lines.append("  never: " + " ".join(missing))
        return "\n".join(lines)


class ConfigFuzzer:
    """Cases of one platform."""

    def __init__(self, name, build, scratch, keep, seed, against=None):
        self.scratch, self.keep, self.seed = pathlib.Path(scratch), pathlib.Path(keep), seed
        folder = self.scratch / name
        folder.mkdir(parents=True, exist_ok=True)
        self.machine = Machine(PROFILES[name], pathlib.Path(build), folder, against and pathlib.Path(against).resolve())
        self.coverage = Coverage()
        self.failures = []

    def one(self, number):
        """Case, Outcome; a failing case's folder with its input files stays in `keep`."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.machine.profile.name}-{number}-", dir=self.scratch))
        case = CASES.get(self.machine.profile.name, Case)(self.machine, self.seed, number, folder)
        outcome = case.run()
        if outcome.failure is not None:
            outcome = minimized(case, outcome)
            self.save(case, outcome, number)
        shutil.rmtree(folder, ignore_errors=True)
        return number, outcome

    def save(self, case, outcome, number):
        """Keeps the input files that the failing command reads, and lets the settings name them there."""
        kept = self.keep / f"{self.machine.profile.name}-{self.seed}-{number}"

        def keep(value):
            path = pathlib.Path(str(value))
            if not path.is_relative_to(case.folder) or not path.is_file():
                return value
            kept.mkdir(parents=True, exist_ok=True)
            return str(shutil.copy(path, kept))
        for name, value in outcome.settings.items():
            outcome.settings[name] = keep(value)
        arguments = tuple(keep(value) for value in outcome.failure.arguments)
        settings = tuple((name, keep(value)) for name, value in outcome.failure.settings)
        outcome.failure = dataclasses.replace(outcome.failure, arguments=arguments, settings=settings)

    def run(self, numbers, jobs, expired, tell):
        """All cases, or those until `expired()`."""
        begin = told = time.monotonic()
        used = processor_seconds()
        for number, outcome in results(self.one, numbers, jobs, expired):
            self.finished(number, outcome, tell)
            if time.monotonic() > told + TELLING_SECONDS:
                told = time.monotonic()
                tell(f"{self.machine.profile.name}: {self.coverage.cases} cases in {told - begin:.0f} s "
                     f"({processor_seconds() - used:.0f} s of "
                     f"processor time), {self.coverage.drawn(self.machine)}")

    def finished(self, number, outcome, tell):
        self.coverage.add(outcome, self.machine)
        if outcome.failure is None:
            return
        self.failures.append(outcome.failure)
        settings = {**outcome.settings, **dict(outcome.failure.settings)}
        command = self.machine.runner.shown(settings, outcome.failure.arguments)
        tell(f"FAILED {self.machine.profile.name} --seed {self.seed} --case {number}: {outcome.failure}\n    {command}")
