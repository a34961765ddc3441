# SPDX-License-Identifier: Apache-2.0
"""Measurements of `scripts/bench`. Every run is the platform executable from outside: its result.json, its exit status,
the kernel's record of its time and memory, callgrind's count of its instructions, and cachegrind's of its misses in a
cache that is the same on any machine. The cost of one thing is the difference of two runs with different numbers of
that thing, so that start and end cancel. Seconds depend on the machine and have no target. --gate compares counts of
instructions with the repository's (bench_gate.py).
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, TYPE_CHECKING

import bench_gate
from bench_cases import CASES
from bench_runs import BUILD, REPLAYED_TRACE, ROOT, BadArguments, Bench, RunFailed

if TYPE_CHECKING:
    from bench_runs import Row


def missed(row: Row) -> bool:
    return row.target is not None and row.value > row.target


def spelled(value: float) -> str:
    """Four digits that count, thousands apart."""
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def print_case(case: str, rows: list[Row]) -> None:
    lines = [(row.metric, spelled(row.value), row.unit,
              "" if row.target is None else f"at most {spelled(row.target)}{', MISSED' if missed(row) else ''}",
              row.note)
             for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(case)
    for metric, value, unit, target, note in lines:
        cells = f"{metric:{widths[0]}}  {value:>{widths[1]}}  {unit:{widths[2]}}  {target:{widths[3]}}  {note}"
        print(f"  {cells}".rstrip())
    print(flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench",
                                     description="How fast and how big the models are, beside the targets.")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path,
                        help="also write a list of {case, metric, value, unit, target}")
    parser.add_argument("--traces", metavar="DIR", type=pathlib.Path,
                        help=f"folder with {REPLAYED_TRACE}; default: the environment's TSUJI_TRACES")
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("--gate", action="store_true",
                        help=f"count the instructions of {len(bench_gate.GATE)} cases, three minutes, and fail if one "
                        f"is more than "
                             f"{bench_gate.TOLERATED:.0%}% above the value in {bench_gate.COMMITTED.name}")
    parser.add_argument("--commit", action="store_true", help="with --gate: write the values into that file")
    parser.add_argument("--seconds", metavar="S", type=float,
                        help="with --gate: leave out cases that have not ended after S seconds")
    parser.add_argument("cases", metavar="CASE", nargs="*", help="what to measure; default: all")
    arguments = parser.parse_args()
    for case in arguments.cases:
        if case not in CASES:
            raise BadArguments(f"no such case: {case}; accepted: {', '.join(CASES)}")
        if arguments.gate and case not in bench_gate.GATE:
            raise BadArguments(f"{case}: not a case of --gate; accepted: {', '.join(bench_gate.GATE)}")
    if not arguments.gate and (arguments.commit or arguments.seconds is not None):
        raise BadArguments("--commit and --seconds go with --gate")
    if arguments.seconds is not None and not arguments.seconds > 0:
        raise BadArguments(f"--seconds: more than 0 (got {arguments.seconds:g})")
    if arguments.gate and arguments.json is not None:
        raise BadArguments("--json: not with --gate, whose values are in bench_gate.json")
    if arguments.traces is not None and not (arguments.traces / REPLAYED_TRACE).is_file():
        raise BadArguments(f"--traces {arguments.traces}: no {REPLAYED_TRACE} in it")
    if arguments.traces is None and os.environ.get("TSUJI_TRACES"):
        arguments.traces = pathlib.Path(os.environ["TSUJI_TRACES"])
    if arguments.json is not None and not arguments.json.resolve().parent.is_dir():
        raise BadArguments(f"--json {arguments.json}: no such folder")
    return arguments


def prepare() -> None:
    """Packages and the executable, as every script gets them."""
    steps = ("source scripts/lib.sh; need run python test bench; configure release; build release cenju4 network "
             "direct_puts")
    if subprocess.run(["bash", "-c", steps, "bench"], cwd=ROOT, stdout=sys.stderr).returncode != 0:
        raise RunFailed("the platform could not be built")


class OutOfTime(Exception):
    """The seconds of the gate are over."""


def out_of_time(*_: Any) -> None:
    raise OutOfTime


def count(cases: list[str], seconds: float | None, scratch: str) -> tuple[dict[str, list[Row]], list[str]]:
    """Rows of the gate's cases that end within these seconds, and the names of the others."""
    bench, rows = Bench(scratch, None), {}
    try:
        if seconds is not None:
            if seconds <= 0:
                raise OutOfTime
            signal.signal(signal.SIGALRM, out_of_time)
            signal.setitimer(signal.ITIMER_REAL, seconds)
        for case in cases:
            rows[case] = bench_gate.counted(case)(bench)
    except OutOfTime:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return rows, [case for case in cases if case not in rows]


def gate(arguments: argparse.Namespace, begin: float) -> int:
    """The gate's exit status."""
    machine = bench_gate.machine_of(BUILD)
    committed = bench_gate.all_committed().get(machine)
    if committed is None and not arguments.commit:
        print(f"bench: NOT COMPARED: {bench_gate.COMMITTED.name} has no values for this machine ({machine}); --gate "
              f"--commit writes them\n"
              "0 passed, 0 failed")
        return 0
    cases = [case for case in bench_gate.GATE if not arguments.cases or case in arguments.cases]
    with tempfile.TemporaryDirectory(prefix="bench.") as scratch:
        left = None if arguments.seconds is None else arguments.seconds - (time.monotonic() - begin)
        rows, left_out = count(cases, left, scratch)
    if arguments.commit:
        bench_gate.commit(machine, rows)
        committed = bench_gate.all_committed()[machine]
        print(f"bench: {bench_gate.COMMITTED.name}: values of {machine} written")
    verdicts = [bench_gate.verdict(case, row, committed) for case, of in rows.items() for row in of]
    for one in verdicts:
        print(one.words)
    for case in left_out:
        print(f"NOT RUN {case}: no time left of {arguments.seconds:g} s")
    good = sum(one.good for one in verdicts)
    print(f"{good} passed, {len(verdicts) - good} failed")
    return 0 if good == len(verdicts) else 1


def main() -> int:
    begin = time.monotonic()
    arguments = parse_arguments()
    if arguments.list:
        print("\n".join(f"{name}: {' '.join(case.__doc__.split())}" for name, case in CASES.items()))
        return 0
    prepare()
    if arguments.gate:
        return gate(arguments, begin)
    measured: list[Any] = []
    with tempfile.TemporaryDirectory(prefix="bench.") as scratch:
        bench = Bench(scratch, arguments.traces)
        # In the table's order: what has read a large result cannot measure a small run's memory any more.
        for case in (case for case in CASES if not arguments.cases or case in arguments.cases):
            print(f"bench: {case}", file=sys.stderr, flush=True)
            measure: Any = CASES[case]
            rows = measure(bench)
            print_case(case, rows)
            measured += [(case, row) for row in rows]
    if arguments.json is not None:
        entries = [dict(case=case, metric=row.metric, value=row.value, unit=row.unit, target=row.target)
                   for case, row in measured]
        arguments.json.write_text(json.dumps(entries, indent=2) + "\n")
    return 1 if any(missed(row) for _, row in measured) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BadArguments, RunFailed) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        sys.exit(2 if isinstance(problem, BadArguments) else 1)
