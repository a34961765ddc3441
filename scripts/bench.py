# SPDX-License-Identifier: Apache-2.0
"""Measurements of `scripts/bench`. Every run is the platform executable from outside: its result.json, its exit status, the kernel's
record of its time and memory, callgrind's count of its instructions, and cachegrind's of its misses in a cache that is the same on any
machine. The cost of one thing is the difference of two runs with different numbers of that thing, so that start and end cancel.
Seconds depend on the machine and have no target.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from bench_cases import CASES
from bench_runs import REPLAYED_TRACE, ROOT, BadArguments, Bench, RunFailed


def missed(row):
    return row.target is not None and row.value > row.target


def spelled(value):
    """Four digits that count, thousands apart."""
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def print_case(case, rows):
    lines = [(row.metric, spelled(row.value), row.unit,
              "" if row.target is None else f"at most {spelled(row.target)}{', MISSED' if missed(row) else ''}", row.note)
             for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(case)
    for metric, value, unit, target, note in lines:
        print(f"  {metric:{widths[0]}}  {value:>{widths[1]}}  {unit:{widths[2]}}  {target:{widths[3]}}  {note}".rstrip())
    print(flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench", description="How fast and how big the models are, beside the targets.")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path,
                        help="also write a list of {case, metric, value, unit, target}")
    parser.add_argument("--traces", metavar="DIR", type=pathlib.Path,
                        help=f"folder with {REPLAYED_TRACE}; default: the environment's TSUJI_TRACES")
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("cases", metavar="CASE", nargs="*", help="what to measure; default: all")
    arguments = parser.parse_args()
    for case in arguments.cases:
        if case not in CASES:
            raise BadArguments(f"no such case: {case}; accepted: {', '.join(CASES)}")
    if arguments.traces is not None and not (arguments.traces / REPLAYED_TRACE).is_file():
        raise BadArguments(f"--traces {arguments.traces}: no {REPLAYED_TRACE} in it")
    if arguments.traces is None and os.environ.get("TSUJI_TRACES"):
        arguments.traces = pathlib.Path(os.environ["TSUJI_TRACES"])
    if arguments.json is not None and not arguments.json.resolve().parent.is_dir():
        raise BadArguments(f"--json {arguments.json}: no such folder")
    return arguments


def prepare():
    """Packages and the executable, as every script gets them."""
    steps = "source scripts/lib.sh; need run python test bench; configure release; build release cenju4 network direct_puts"
    if subprocess.run(["bash", "-c", steps, "bench"], cwd=ROOT, stdout=sys.stderr).returncode != 0:
        raise RunFailed("the platform could not be built")


def main():
    arguments = parse_arguments()
    if arguments.list:
        print("\n".join(f"{name}: {' '.join(case.__doc__.split())}" for name, case in CASES.items()))
        return 0
    prepare()
    measured = []
    with tempfile.TemporaryDirectory(prefix="bench.") as scratch:
        bench = Bench(scratch, arguments.traces)
        # In the table's order: what has read a large result cannot measure a small run's memory any more.
        for case in (case for case in CASES if not arguments.cases or case in arguments.cases):
            print(f"bench: {case}", file=sys.stderr, flush=True)
            rows = CASES[case](bench)
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
