# SPDX-License-Identifier: Apache-2.0
"""Long tests in turns, for CI: `scripts/long_tests`. CTest runs once for each unit of tests, in a scratch folder, so
that units run side by side and one that has no time left can be ended without a verdict.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, TYPE_CHECKING
import xml.etree.ElementTree

from tsuji import turns

if TYPE_CHECKING:
    from tsuji.turns import Unit

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("TSUJI_BUILD") or ROOT / "build")
NEVER = float("inf")


class BadArguments(Exception):
    """The command line or the environment is wrong."""


class Running:
    """A unit that runs."""

    def __init__(self, unit: Unit, folder: pathlib.Path) -> None:
        self.unit, self.folder = unit, folder
        self.begin = time.monotonic()
        folder.mkdir()
        # CTest writes its logs below the folder that it is called for.
        (folder / "CTestTestfile.cmake").write_text(f'subdirs("{BUILD}")\n')
        # CMake's regular expressions: a backslash before each character that means something.
        names = "|".join(re.sub(r"([][.*+?^$()|\\])", r"\\\1", name) for name in unit.tests)
        self.output = open(folder / "output", "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(["ctest", "--test-dir", str(folder), "--output-on-failure", "--output-junit",
                                         str(folder / "junit.xml"),
                                         "-R", f"^({names})$"], stdin=subprocess.DEVNULL, stdout=self.output,
                                        stderr=self.output,
                                        start_new_session=True)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begin

    def end(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def verdicts(self) -> dict[str, str]:
        """Of each test of an ended unit: passed, failed or skipped. A test that CTest does not name has failed, and one
        that it has not run for any other reason than the test's own."""
        try:
            cases = xml.etree.ElementTree.parse(self.folder / "junit.xml").getroot().iter("testcase")
            said = {case.get("name"): case.get("status") for case in cases}
        except (OSError, xml.etree.ElementTree.ParseError):
            said = {}
        means = {"run": "passed", "notrun": "skipped",
                 "disabled": "skipped"} if self.process.returncode == 0 else {"run": "passed"}
        return {name: means.get(said.get(name), "failed") for name in self.unit.tests}

    def words(self) -> str:
        self.output.seek(0)
        return self.output.read()


class Turn:
    """The units of a turn, run until `end` at most."""

    def __init__(self, units: list[Unit], processors: int, end: float, scratch: str) -> None:
        self.waiting, self.processors, self.scratch = list(units), processors, pathlib.Path(scratch)
        self.end = end  # of time.monotonic()
        self.running, self.passed, self.failed, self.left_out = [], [], [], []

    def play(self) -> None:
        while self.waiting or self.running:
            self.start()
            if not self.running:
                break
            time.sleep(0.1)
            for one in list(self.running):
                if one.process.poll() is not None:
                    self.take(one)
                elif time.monotonic() >= self.end:
                    one.end()
                    self.running.remove(one)
                    self.leave_out(one.unit.tests, f"ended after {one.seconds:,.0f} s, when no time was left; "
                                   f"{self.by_cost(one.unit)}")
        left = max(0, self.end - time.monotonic())
        for unit in self.waiting:
            self.leave_out(unit.tests, f"{self.by_cost(unit)}, {left:,.0f} s left")

    def start(self) -> None:
        while True:
            free = self.processors - sum(one.unit.takes(self.processors) for one in self.running)
            unit = turns.next_unit(self.waiting, free, self.processors, self.end - time.monotonic())
            if unit is None:
                return
            self.waiting.remove(unit)
            self.running.append(Running(unit, self.scratch / str(len(os.listdir(self.scratch)))))

    def take(self, one: Running) -> None:
        self.running.remove(one)
        verdicts = one.verdicts()
        if "failed" in verdicts.values():
            print(one.words())
        for name, verdict in verdicts.items():
            print(f"{verdict:7}  {one.seconds:6,.0f} s  ({self.by_cost(one.unit)})  {name}", flush=True)
        self.passed += [name for name, verdict in verdicts.items() if verdict == "passed"]
        self.failed += [name for name, verdict in verdicts.items() if verdict == "failed"]
        self.leave_out([name for name, verdict in verdicts.items() if verdict == "skipped"],
                       "skipped, or disabled because a program or module is missing")

    def by_cost(self, unit: Unit) -> str:
        return f"{unit.seconds(self.processors):,.0f} s by its cost"

    def leave_out(self, names: list[str], reason: str) -> None:
        self.left_out += [(name, reason) for name in names]

    def summary(self) -> str:
        """What was left out, and CTest's line."""
        lines = [f"NOT RUN  {name}: {reason}" for name, reason in self.left_out]
        lines += [f"FAILED   {name}" for name in self.failed]
        ran = len(self.passed) + len(self.failed)
        percent = 100 * len(self.passed) // ran if ran else 100
        return "\n".join([*lines, f"{percent}% tests passed, {len(self.failed)} tests failed out of {ran}"])


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="long_tests",
                                     description="Tests with CTest's label `long`, a turn of five at a time.")
    parser.add_argument("--turn", metavar="N", help=f"1 to {turns.TURNS}, or all; default: the environment's "
                        f"TSUJI_TURN, else from HEAD")
    parser.add_argument("--seconds", metavar="S", type=float, default=NEVER,
                        help="from the start, after which nothing runs any more; default: no end")
    parser.add_argument("--list", action="store_true", help="print the turns with their costs and stop")
    arguments = parser.parse_args(words)
    source = "--turn" if arguments.turn else "TSUJI_TURN"
    arguments.turn = arguments.turn or os.environ.get("TSUJI_TURN") or None
    if arguments.turn not in (None, "all", *map(str, range(1, turns.TURNS + 1))):
        raise BadArguments(f"{source}: a turn of 1 to {turns.TURNS}, or all (got '{arguments.turn}')")
    if not arguments.seconds > 0:
        raise BadArguments(f"--seconds: more than 0 (got {arguments.seconds:g})")
    arguments.source = source
    return arguments


def git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def prepare() -> Any:
    """Packages and everything that is built, as for scripts/test --long."""
    steps = ("source scripts/lib.sh; need run python test -- record rtl prove study handbook; configure release; "
             "build release all long_tests")
    return subprocess.run(["bash", "-c", steps, "long_tests"], cwd=ROOT, stdout=sys.stderr, check=False).returncode


def print_turns(made: list[list[Unit]], processors: int) -> None:
    for number, turn in enumerate(made, 1):
        print(f"turn {number}: {sum(unit.cost for unit in turn):,.0f} s of one processor, "
              f"{turns.length(turn, processors):,.0f} s on {processors}")
        for unit in turn:
            print(f"  {unit.cost:5,.0f} s  {unit.name}{' (disabled)' if unit.disabled else ''}")


def main(words: list[str]) -> int:
    begin = time.monotonic()
    arguments = parse(words)
    if prepare() != 0:
        return 1
    made = turns.turns(turns.units(turns.long_tests(turns.listed("ctest", BUILD))))
    processors = len(os.sched_getaffinity(0))
    if arguments.list:
        print_turns(made, processors)
        return 0
    number, why = (arguments.turn, arguments.source) if arguments.turn else turns.turn_of_head(git)
    chosen = turns.cheapest_first(unit for turn in made for unit in turn) if number == "all" else made[int(number) - 1]
    allowed = "no end" if arguments.seconds == NEVER else f"{arguments.seconds:,.0f} s"
    print(f"long_tests: turn {number} of {turns.TURNS} ({why}): {sum(len(unit.tests) for unit in chosen)} tests, "
          f"{turns.length(chosen, processors):,.0f} s by their costs on {processors} processors, of {allowed}",
          flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="long_tests.") as scratch:
        turn = Turn(chosen, processors, begin + arguments.seconds, scratch)
        try:
            turn.play()
        finally:
            for one in turn.running:
                one.end()
    print(turn.summary(), flush=True)
    return 1 if turn.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (BadArguments, ValueError) as problem:
        print(f"long_tests: {problem}", file=sys.stderr)
        sys.exit(2)
