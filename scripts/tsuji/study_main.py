# SPDX-License-Identifier: Apache-2.0
"""scripts/study: see platforms/study/README.md."""

from __future__ import annotations

import argparse
import os
import pathlib
import signal
import sys
from collections.abc import Callable
from typing import Any

from .decisions import Outcomes, all_points
from .engine import SNAKEMAKE, EngineConfig, find_profile
from .errors import Refused, RunFailed
from .runs import PLATFORMS
from .study import Study
from . import study_file


MOST_ERRORS = 5  # that are reported


class Interrupted(BaseException):
    """A signal ended the command; its number is the argument."""


def interrupt(number: int, _frame: Any) -> None:
    raise Interrupted(number)


def count(low: int, high: int) -> Callable[..., Any]:
    def parse(text: str) -> int:
        if not text.isdigit() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text}: accepted: an integer {low}..{high}")
        return int(text)

    return parse


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="study", description="Plays a study's runs until its answer is certain.")
    parser.add_argument("study", type=pathlib.Path, metavar="STUDY.yaml")
    parser.add_argument("--jobs", type=count(1, 1024), default=os.cpu_count() or 1, metavar="N",
                        help="runs at a time on this machine")
    parser.add_argument("--profile", metavar="DIR", help="a profile of Snakemake, for a cluster; slurm is ready")
    parser.add_argument("--retries", type=count(0, 100), default=2, metavar="N",
                        help="how many times a lost run is tried again (2)")
    parser.add_argument("--minutes", type=count(1, 100000), metavar="N",
                        help="what a cluster gives to a run (50 times as long as the slowest one until then, at least "
                        "10)")
    parser.add_argument("--memory-mb", type=count(1, 10000000), default=2000, metavar="N", help="and its memory (2000)")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR", help="default: out/study/NAME of the study's file")
    parser.add_argument("--runs", type=pathlib.Path, metavar="DIR",
                        help="kept runs, which several studies may share; default: DIR/runs")
    parser.add_argument("--dry-run", action="store_true",
                        help="plays one run, tells number, time and disk of all, and stops")
    parser.add_argument("--again", action="store_true", help="plays failed and refused runs again")
    parser.add_argument("--platforms", type=pathlib.Path, default=PLATFORMS, metavar="DIR", help="the executables")
    parser.add_argument("--target", action="store_true",
                        help="checks arguments and file, prints what to build, and stops")
    return parser.parse_args(words)


def say(text: object) -> None:
    print(f"study: {text}", file=sys.stderr)


def size_text(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


def tell_pilot(study: Study, config: EngineConfig) -> None:
    points, missing, pilots = study.pilot(config)
    spec = study.spec
    print(f"{len(spec.designs)} designs, {len(points)} runs in the first round, {len(missing)} of them still to run")
    unknown = [pilot for pilot in pilots.values() if pilot.seconds is None]
    if unknown:
        print(f"the pilot has no time: {unknown[0].error}")
    else:
        of = [spec.designs[point.design].platform for point in points]
        hours = sum(pilots[spec.designs[point.design].platform].seconds for point in missing) / 3600
        work = f"{hours:.2f} core-hours" if hours >= 0.1 else f"{60 * hours:.1f} core-minutes"
        told = ", ".join((f"{name} " if len(pilots) > 1 else "") + f"{pilot.seconds:.2f} s and {size_text(pilot.size)}"
                         for name, pilot in pilots.items())
        print(f"pilot: {told}; at that pace {work} and {size_text(sum(pilots[name].size for name in of))} for all")
    tell_rounds(spec)


def tell_rounds(spec: study_file.Spec) -> None:
    """Options of the rounds after the first."""
    if spec.until:
        most = len(spec.designs) * spec.until.at_most * (len(spec.curve.loads) if spec.curve else 1)
        print(f"until +-{100 * spec.until.relative:g} % of {spec.until.metric}: up to {most} runs")
    if spec.curve and spec.curve.saturation:
        print("and up to "
              + str(len(spec.designs) * len(spec.seeds) * bisections(spec.curve)) + " runs that find saturation points")


def lacking(spec: study_file.Spec, platforms: pathlib.Path) -> list[str]:
    """What a pilot needs and this machine does not have: executables of this project that are not built, and the
    engine."""
    lacks = [f"{name} is not built" for name in spec.platforms
             if name in study_file.OWN_PLATFORMS and platforms == PLATFORMS and not (platforms / name).is_file()]
    return lacks if SNAKEMAKE else [*lacks, "snakemake is not installed"]


def tell_without_pilot(spec: study_file.Spec, lacks: list[str]) -> None:
    print(f"{len(spec.designs)} designs, {len(all_points(spec, Outcomes()))} runs in the first round")
    print(f"time and disk are not known: {', '.join(lacks)}; a call without --dry-run sees to it, scripts/run builds "
          f"the executables, too")
    tell_rounds(spec)


def bisections(curve: study_file.Curve) -> int:
    gap, number = max(b - a for a, b in zip((0.0,) + curve.loads, curve.loads + (1.0,))), 1
    while gap > curve.resolution * curve.loads[-1]:
        gap, number = gap / 2, number + 1
    return number


def tell(study: Study) -> None:
    failed = [row for row in study.runs if row["status"] != "complete"]
    print(f"{len(study.spec.designs)} designs, {len(study.runs)} runs; {study.out / 'index.html'}")
    if study.engine.tried_again:
        print(f"{study.engine.tried_again} runs were lost and tried again")
    tell_failures(study, failed)
    until = study.spec.until
    if until:
        wide = [row for row in study.points if not narrow(row, until)]
        if wide:
            print(f"{len(wide)} designs are less certain than +-{100 * until.relative:g} % of {until.metric} after "
                  f"{until.at_most} seeds")


def tell_failures(study: Study, failed: list[dict[str, Any]]) -> None:
    """One line for each error, with the first run that has it."""
    by_error, name = {}, study.tables().replicate_name
    for row in failed:
        by_error.setdefault((row["status"], row["error"]), []).append(row)
    for (status, error), rows in list(by_error.items())[:MOST_ERRORS]:
        first = ", ".join([*(f"{axis.name} {rows[0][axis.name]}" for axis in study.spec.axes),
                           f"{name} {rows[0][name]}"])
        print(f"{len(rows)} runs {status}, the first one at {first}: {error[:300]}")
    if len(by_error) > MOST_ERRORS:
        print(f"and {len(by_error) - MOST_ERRORS} more errors: runs.csv")


def narrow(row: dict[str, Any], until: study_file.Until) -> bool:
    half, mean = row[f"{until.metric}_confidence95"], row[until.metric]
    return None not in (half, mean) and half <= until.relative * abs(mean)


def check_cores(config: EngineConfig) -> None:
    """A profile's cluster has its own number of cores."""
    if config.profile is None and config.jobs < config.ranks:
        raise Refused("", "--jobs", f"a run of the study has {config.ranks} ranks, and each takes a core", config.jobs,
                      f"{config.ranks} or more, or fewer 'ranks'")


def main(words: list[str]) -> int:
    arguments, study = parse(words), None
    try:
        if arguments.target:
            platforms = study_file.read(arguments.study).platforms
            if arguments.profile:
                find_profile(arguments.profile)
            print(*(name for name in platforms if name in study_file.OWN_PLATFORMS
                    and arguments.platforms == PLATFORMS))
            return 0
        profile = find_profile(arguments.profile) if arguments.profile else None
        if arguments.dry_run:
            spec = study_file.read(arguments.study)
            if lacks := lacking(spec, arguments.platforms):
                tell_without_pilot(spec, lacks)
                return 0
        study = Study(arguments.study, arguments.out, arguments.runs, arguments.platforms, say)
        config = EngineConfig(arguments.jobs, profile, arguments.retries, study.spec.keep, arguments.minutes,
                              arguments.memory_mb, study.spec.ranks)
        check_cores(config)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, interrupt)
        if arguments.again:
            study.forget_failures()
        if arguments.dry_run:
            tell_pilot(study, config)
        else:
            study.play(config)
            tell(study)
        return 0
    except Refused as refusal:
        say(refusal)
        return 2
    except RunFailed as failure:
        say(failure)
        return 1
    except OSError as failure:
        say(f"{failure.filename or getattr(study, 'out', '')}: {failure.strerror}; runs that have ended are kept, the "
            f"next call goes on with them")
        return 1
    except Interrupted as end:
        say("interrupted; runs that have ended are kept")
        return 128 + end.args[0]


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # whoever reads may stop reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
