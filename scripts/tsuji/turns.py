# SPDX-License-Identifier: Apache-2.0
"""Turns of long tests: their tests, the turn of a commit, and what of a turn fits into its seconds. No test is started
from here."""

from __future__ import annotations

import dataclasses
import heapq
import json
import pathlib
import subprocess
from collections.abc import Callable, Iterable
from typing import Any

TURNS = 5
LABEL = "long"


@dataclasses.dataclass
class Unit:
    """Tests that run together: one, or a test and the fixtures that it takes from others."""
    tests: list
    cost: float  # seconds of one processor
    processors: int
    disabled: bool

    @property
    def name(self) -> str:
        return self.tests[-1]

    def takes(self, processors: int) -> int:
        """Processors that the unit occupies on a machine with `processors`."""
        return min(self.processors, processors)

    def seconds(self, processors: int) -> float:
        """Duration by the cost, on a machine with `processors`."""
        return self.cost / self.takes(processors)


def properties(test: dict[str, Any]) -> dict[str, Any]:
    return {one["name"]: one["value"] for one in test.get("properties", ())}


def long_tests(listing: dict[str, Any]) -> list[dict[str, Any]]:
    """The tests with the label, of what `ctest --show-only=json-v1` prints."""
    return [test for test in listing["tests"] if LABEL in properties(test).get("LABELS", ())]


def listed(ctest: str, build: pathlib.Path) -> dict[str, Any]:
    """CTest's list of a build folder's tests."""
    done = subprocess.run([ctest, "--test-dir", str(build), "--show-only=json-v1"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"{build}: ctest lists no tests: {(done.stderr or done.stdout).strip()}")
    return json.loads(done.stdout)


def units(tests: list[dict[str, Any]]) -> list[Unit]:
    """Units of tests, by their names. A test without a cost is a mistake of who has added it."""
    groups: dict[Any, Any] = {}
    for test in tests:
        has = properties(test)
        if not has.get("COST", 0) > 0:
            raise ValueError(f"{test['name']}: no cost (got COST {has.get('COST', 'none')}); tsuji_long(NAME SECONDS) "
                             f"of tests/CMakeLists.txt gives one")
        fixtures = [*has.get("FIXTURES_SETUP", ()), *has.get("FIXTURES_REQUIRED", ()), *has.get("FIXTURES_CLEANUP", ())]
        groups.setdefault(fixtures[0] if fixtures else ("test", test["name"]), []).append((test["name"], has))
    found = [Unit([name for name, _ in group], sum(has["COST"] for _, has in group),
                  max(int(has.get("PROCESSORS", 1)) for _, has in group),
                  any(has.get("DISABLED") for _, has in group)) for group in groups.values()]
    return sorted(found, key=lambda unit: unit.name)


def cheapest_first(found: Iterable[Any] | list[Unit]) -> list[Unit]:
    """The order of a turn: on a slow machine most tests run, and one costly test is cut. Units that take all processors
    come last, as others would wait for them."""
    return sorted(found, key=lambda unit: (unit.processors, unit.cost, unit.name))


def turns(found: list[Unit], count: int = TURNS) -> list[list[Unit]]:
    """The units in `count` turns of about the same cost: each unit, the costliest first, goes into the cheapest
    turn."""
    made = [[] for _ in range(count)]
    for unit in sorted(found, key=lambda one: (-one.cost, one.name)):
        min(made, key=lambda turn: sum(one.cost for one in turn)).append(unit)
    return [cheapest_first(turn) for turn in made]


def next_unit(waiting: list[Unit], free: int, processors: int, left: float) -> Unit | None:
    """The first of the waiting units that has its processors and, by its cost, time; None if there is none."""
    return next((unit for unit in waiting if unit.takes(processors) <= free and unit.seconds(processors) <= left), None)


def length(turn: list[Unit], processors: int) -> float:
    """Seconds of a turn by stated costs, played as long_tests.py plays it."""
    waiting, running, now, free = list(turn), [], 0, processors
    while waiting or running:
        unit = next_unit(waiting, free, processors, float("inf"))
        if unit is None:
            now, back = heapq.heappop(running)
            free += back
            continue
        waiting.remove(unit)
        free -= unit.takes(processors)
        heapq.heappush(running, (now + unit.seconds(processors), unit.takes(processors)))
    return now


def turn_of_head(git: Callable[..., Any], count: int = TURNS) -> tuple[int, str]:
    """The turn of the checked-out commit, and where it comes from. `git` is a function of git's arguments: its output,
    or None."""
    if git("rev-parse", "--is-shallow-repository") == "false":
        commits = int(git("rev-list", "--count", "--first-parent", "HEAD"))
        return commits % count + 1, f"{commits:,} commits on HEAD's first line"
    time = git("log", "-1", "--format=%ct", "HEAD")
    if time is None:
        return 1, "no git repository, so always this one: --turn N takes another"
    return int(time) % count + 1, f"shallow clone, which has no count of commits: by HEAD's time, {time}"
