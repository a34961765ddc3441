# SPDX-License-Identifier: Apache-2.0
"""Small mistakes, made one at a time in the models, and the tests that notice them. See tests/mutate/README.md."""

import argparse
import concurrent.futures
import contextlib
import itertools
import os
import pathlib
import queue
import signal
import sys
import tempfile
import threading
import time

from . import equivalents
from .base import Base
from .draw import draw, folders_of
from .notice import noticing
from .platforms import Platforms
from .report import Progress, summary, table, verdict_text
from .together import Together
from .trial import Tests, Worker

PROJECT = pathlib.Path(__file__).resolve().parents[3]
PLATFORM_TARGETS = ("network", "cenju4", "lookup_study", "compact_study", "skeleton")


def parse(arguments):
    folders = folders_of(PROJECT)
    parser = argparse.ArgumentParser(prog="mutate", description=__doc__)
    parser.add_argument("folders", nargs="*", metavar="FOLDER",
                        help=f"of models/tsuji (default: all): {', '.join(folders)}")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the draw (default: 1)")
    parser.add_argument("--count", type=int, default=30, metavar="N", help="mutants a folder (default: 30)")
    parser.add_argument("--only", type=int, action="append", metavar="N",
                        help="mutants with these numbers of the draw; may be repeated")
    parser.add_argument("--own", action="store_true", help="the tests of the folder alone: what dies is a lower bound")
    parser.add_argument("--together", action="store_true",
                        help="one build for all mutants of a folder; survivors are tried alone")
    parser.add_argument("--platforms", action="store_true",
                        help="survivors are tried by the platforms' tests, too: minutes each")
    parser.add_argument("--require", type=float, metavar="PERCENT", help="exit 1 if less of a folder's mutants die")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="mutants at a time (default: cores)")
    parser.add_argument("--list", action="store_true", help="print the draw and try nothing")
    parser.add_argument("--print-targets", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--build", default=f"{os.environ.get('TSUJI_BUILD') or PROJECT / 'build'}-mutate",
                        metavar="DIR", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    unknown = [folder for folder in options.folders if folder not in folders]
    if unknown:
        parser.error(f"{unknown[0]}: no folder of models/tsuji; one of: {', '.join(folders)}")
    if options.count < 1 or options.jobs < 1:
        parser.error("--count, --jobs: at least 1")
    options.folders = options.folders or folders
    return options


def targets(options):
    """Targets of the build, for scripts/mutate."""
    names = {name for folder in options.folders
             for place in noticing(folder)[: 1 if options.own else None]
             for name in (PROJECT / "tests" / place / "CMakeLists.txt").read_text().split("tsuji_test(")[1:]}
    return sorted({"test_" + name.split()[0] for name in names} | (set(PLATFORM_TARGETS)
                                                                   if options.platforms else set()))


class Trials:
    """Trials of one folder's mutants, several at a time, judged in the order of the draw."""

    def __init__(self, options, base, scratch, workers, platforms):
        self.options, self.base, self.scratch, self.workers, self.platforms = options, base, scratch, workers, platforms
        self.known, self.measuring = {}, threading.Lock()  # tests by executable
        self.together = ()  # with --together
        self.equivalents = equivalents.Equivalents(equivalents.read())

    def places(self, folder):
        """Folders of tests/."""
        return noticing(folder)[: 1 if self.options.own else None]

    def stages(self, folder):
        """Tests of one executable after the other, measured without a mutant when they are first needed."""
        for place in self.places(folder):
            with self.measuring:
                for name in self.base.executables_of(place):
                    if name not in self.known:
                        self.known[name] = Tests(self.base, name)
                tests = sorted((self.known[name] for name in self.base.executables_of(place)),
                               key=lambda one: one.seconds)
            yield from tests

    def one(self, mutant, folder):
        if mutant in self.together:
            verdict = self.together.verdict(mutant, self.stages(folder))
            if verdict.kind == "killed":
                return verdict
        worker = self.workers.get()
        try:
            return worker.try_mutant(mutant, self.stages(folder), self.platforms)
        finally:
            self.workers.put(worker)

    def run(self, folder):
        """[(number of the draw, mutant, verdict, reason of equivalence)] until enough mutants count."""
        drawn = enumerate(draw(PROJECT, folder, self.options.seed), 1)
        if self.options.only:
            drawn = (one for one in drawn if one[0] in self.options.only)
        wanted = len(self.options.only) if self.options.only else self.options.count
        if self.options.together:
            # Some do not count.
            first = list(itertools.islice(drawn, wanted + wanted // 4))
            drawn = itertools.chain(first, drawn)
            names = [name for place in self.places(folder) for name in self.base.executables_of(place)]
            self.together = Together(self.base, self.scratch / folder.replace("/", "_"),
                                     [mutant for _, mutant in first], names, self.options.jobs)
        done, counted, waiting = [], 0, []
        pool = concurrent.futures.ThreadPoolExecutor(self.options.jobs)
        with Progress(folder, wanted) as progress, contextlib.ExitStack() as pool_ends:
            # Where the run is ended, running trials end, others do not begin, and the scratch folder goes.
            pool_ends.callback(pool.shutdown, cancel_futures=True)
            while counted < wanted:
                # Never more running than are needed if all of them count.
                for number, mutant in itertools.islice(drawn, wanted - counted - len(waiting)):
                    waiting.append((number, mutant, pool.submit(self.one, mutant, folder)))
                if not waiting:
                    break
                number, mutant, trial = waiting.pop(0)
                verdict = trial.result()
                reason = self.equivalents.reason(mutant) if verdict.kind == "survived" else ""
                done.append((number, mutant, verdict, reason))
                counted += verdict.counts() and not reason
                progress.tell(f"{number:4}  {mutant.place():40}  {verdict_text(verdict, reason)}")
                survivors = sum(one[2].kind == "survived" and not one[3] for one in done)
                progress.show(counted, f", {survivors} survived")
        return done


def end(number, _):
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def main(arguments):
    options = parse(arguments)
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    if options.print_targets:
        print("\n".join([] if options.list else targets(options)))
        return 0
    if options.list:
        for folder in options.folders:
            for number, mutant in enumerate(itertools.islice(draw(PROJECT, folder, options.seed), options.count), 1):
                print(f"{number}  {mutant.place()}  {mutant.change.operator}\n    {mutant.scope}\n    - "
                      f"{mutant.before}\n    + {mutant.after}")
        return 0
    os.environ.setdefault("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1")
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")
    base = Base(PROJECT, pathlib.Path(options.build).resolve())
    least = 100.0
    with tempfile.TemporaryDirectory(prefix="tsuji-mutate-") as scratch:
        workers = queue.Queue()
        for number in range(options.jobs):
            workers.put(Worker(base, pathlib.Path(scratch) / f"worker{number}"))
        trials = Trials(options, base, pathlib.Path(scratch), workers, Platforms(base) if options.platforms else None)
        for folder in options.folders:
            began = time.monotonic()
            done = trials.run(folder)
            print(table(folder, options.seed, done))
            share, text = summary(done, time.monotonic() - began)
            print(text, flush=True)
            least = min(least, share)
    return 1 if options.require is not None and least < options.require else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
