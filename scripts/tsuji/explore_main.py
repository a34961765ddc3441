# SPDX-License-Identifier: Apache-2.0
"""scripts/explore: see scripts/handbook.d/topics/exploration.md."""

from __future__ import annotations

import argparse
import os
import pathlib
import signal
import sys

from . import answer, model_error, question, races, report_explore, report_library
from .engine import EngineConfig, find_profile
from .errors import Refused, RunFailed
from .explore import Exploration
from .facts import PLATFORM
from .runs import PLATFORMS
from .study_main import Interrupted, count, interrupt

MOST_REASONS = 5


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="explore", description="Finds the designs of a space that answer a question, "
                                     "with the reason of every other one.")
    parser.add_argument("question", type=pathlib.Path, metavar="QUESTION.yaml")
    parser.add_argument("--jobs", type=count(1, 1024), default=os.cpu_count() or 1, metavar="N",
                        help="runs at a time on this machine")
    parser.add_argument("--profile", metavar="DIR", help="a profile of Snakemake, for a cluster; slurm is ready")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR", help="default: out/explore/NAME of the question")
    parser.add_argument("--runs", type=pathlib.Path, metavar="DIR",
                        help="kept runs, which explorations and studies may share; default: DIR/runs")
    parser.add_argument("--dry-run", action="store_true",
                        help="tells how many designs there are, how many arithmetic rejects and why, and what the "
                        "others cost at most, and stops")
    parser.add_argument("--measure-model", type=count(1, 100000), metavar="N",
                        help="measures the fast model instead: N random designs of the space, each at 0.3, 0.6 and 0.8 "
                        "of its saturation under the first load; OUT/model_error.csv")
    parser.add_argument("--races", type=count(1, 100000), metavar="N",
                        help="measures the race instead: all runs of all designs once, then N races on these runs, "
                        "each with the seeds in another order: how many have the grid's front, and at which share of "
                        "its cost; OUT/races.csv")
    parser.add_argument("--platforms", type=pathlib.Path, default=PLATFORMS, metavar="DIR", help="the executables")
    parser.add_argument("--target", action="store_true",
                        help="checks arguments and file, prints what to build, and stops")
    return parser.parse_args(words)


def say(text: object) -> None:
    print(f"explore: {text}", file=sys.stderr)


def tell_plan(exploration: Exploration) -> None:
    if exploration.question.search.kind == "optuna":
        print(f"{exploration.question.search.designs} designs, which Optuna proposes: at most "
              f"{exploration.most_runs()} runs")
        return
    candidates, rejected = exploration.question.candidates, exploration.arithmetic.rejected
    print(f"{len(candidates)} designs, {len(rejected)} rejected by arithmetic, in {processor_seconds():.1f} s of "
          "processor time")
    tell_reasons([(one.stage, one.reason) for one in rejected.values()])
    runs = exploration.most_runs()
    print(f"{len(candidates) - len(rejected)} designs race at {len(exploration.question.loads)} loads: at most {runs} "
          f"runs, in the first rung {runs * exploration.question.seeds[0] // exploration.question.seeds[-1]}")
    if exploration.most_short_runs():
        print(f"and at most {exploration.most_short_runs()} short runs, of the first "
              f"{100 * exploration.question.trace_share:g} % of a trace")


def processor_seconds() -> float:
    """Of this process and of those that have ended."""
    return sum(os.times()[:4])


def tell_cost(exploration: Exploration) -> None:
    seconds = [end.metrics.get("wall_seconds") for end in exploration.ends.values() if end.status == "complete"]
    if seconds:
        hours = exploration.most_runs() * sum(seconds) / len(seconds) / 3600
        print(f"pilot: {sum(seconds) / len(seconds):.2f} s a run; at that pace at most {hours:.2f} core-hours")


def tell_reasons(reasons: list[tuple[str, str]]) -> None:
    counts: dict[str, int] = {}
    first: dict[str, str] = {}
    for stage, reason in reasons:
        counts[stage] = counts.get(stage, 0) + 1
        first.setdefault(stage, reason)
    for stage in list(counts)[:MOST_REASONS]:
        print(f"  {counts[stage]} {stage}, the first one: {first[stage][:200]}")


def tell(exploration: Exploration, page: pathlib.Path) -> None:
    counts = answer.rejections(exploration)
    print(f"{sum(counts.values())} designs: {', '.join(f'{number} {status}' for status, number in counts.items())}; "
          f"{len(exploration.ends)} runs; {page}")
    if exploration.stopped:
        print(f"the race ended before its last rung: {exploration.stopped}")
    front = exploration.front()
    if not front:
        near = answer.nearest_rejected(exploration)
        print("no design meets all constraints" + (f"; the nearest one is {near['beyond_percent']:.3g} % beyond: "
                                                   f"{near['design']}: {near['reason']}" if near else ""))
        return
    best = exploration.best()
    for number in front:
        _, means = exploration.means[number]
        values = ", ".join(f"{goal.text()} {mean.mean:.5g}" + (f" +- {mean.half:.2g}" if mean.half else "")
                           for goal, mean in zip(exploration.question.goals, means))
        print(f"{'*' if number == best else ' '} {answer.name_of(exploration, number)}: {values}")
    print(f"* {exploration.out / answer.ANSWER}")


def finish(exploration: Exploration, library: str) -> pathlib.Path:
    answer.write(exploration)
    return report_explore.write(exploration, library)


def main(words: list[str]) -> int:
    arguments = parse(words)
    try:
        if arguments.target:
            question.read(arguments.question)
            if arguments.profile:
                find_profile(arguments.profile)
            print(PLATFORM if arguments.platforms == PLATFORMS else "")
            return 0
        profile = find_profile(arguments.profile) if arguments.profile else None
        kind = races.Grid if arguments.races is not None else Exploration
        exploration = kind(arguments.question, arguments.out, arguments.runs, arguments.platforms, say)
        if arguments.dry_run:
            tell_plan(exploration.plan(arguments.jobs))
            return 0
        measures = arguments.measure_model is not None or arguments.races is not None
        library = "" if measures else report_library.read()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, interrupt)
        config = EngineConfig(arguments.jobs, profile, keep="all")
        if arguments.measure_model is not None:
            return measured(exploration, arguments.measure_model, config)
        if arguments.races is not None:
            return raced(exploration, arguments.races, config)
        return played(exploration, config, library)
    except Refused as refusal:
        say(refusal)
        return 2
    except RunFailed as failure:
        say(failure)
        return 1


def measured(exploration: Exploration, number: int, config: EngineConfig) -> int:
    try:
        rows = model_error.ModelError(exploration, number, config).measure()
    except Interrupted as end:
        say("interrupted; runs that have ended are kept")
        return 128 + end.args[0]
    if not rows:
        say("no design of the space has a prediction and a saturation")
        return 1
    model_error.write(exploration.out, rows)
    print(*model_error.summary(rows), exploration.out / model_error.NAME, sep="\n")
    return 0


def raced(grid: Exploration, number: int, config: EngineConfig) -> int:
    try:
        grid.play(config)
    except Interrupted as end:
        say("interrupted; runs that have ended are kept")
        return 128 + end.args[0]
    rows = races.of(grid, number)
    races.write(grid.out, rows)
    print(*races.summary(grid, rows), grid.out / races.NAME, sep="\n")
    return 0


def played(exploration: Exploration, config: EngineConfig, library: str) -> int:
    try:
        exploration.play(config)
    except Interrupted as end:
        exploration.stopped = "interrupted"
        if exploration.means:
            tell(exploration, finish(exploration, library))
        say("interrupted; runs that have ended are kept, and the next call continues the race")
        return 128 + end.args[0]
    except OSError as failure:
        say(f"{failure.filename or exploration.out}: {failure.strerror}; runs that have ended are kept, the next call "
            "continues with them")
        return 1
    tell(exploration, finish(exploration, library))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # whoever reads may stop reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
