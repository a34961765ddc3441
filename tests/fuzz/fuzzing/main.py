# SPDX-License-Identifier: Apache-2.0
"""scripts/fuzz: random configurations, damaged input files, random networks against the deadlock checker. See
tests/fuzz/README.md."""

import argparse
import itertools
import os
import pathlib
import sys
import tempfile
import time

from .configs import ConfigFuzzer
from .deadlock import DeadlockFuzzer
from .files import fuzz_files
from .profiles import PROFILES

PARTS = ("configs", "files", "deadlock")


def parse(arguments):
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, metavar="N", help="of each part (default: until --minutes)")
    parser.add_argument("--minutes", type=float, metavar="M", help="of each part (default: 5 without --cases)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of all cases (default: 1)")
    parser.add_argument("--case", type=int, metavar="N", help="this one only, as a failure names it")
    parser.add_argument("--only", choices=PARTS, action="append", help="may be repeated (default: all)")
    parser.add_argument("--platform", choices=sorted(PROFILES), action="append",
                        help="configs: may be repeated (default: all)")
    parser.add_argument("--preset", choices=("release", "sanitize", "threads"), default="release",
                        help="build of the platforms")
    parser.add_argument("--build", metavar="DIR", help="build folder (default: the preset's)")
    parser.add_argument("--against", metavar="DIR",
                        help="configs: build folder of another tree, whose results must be the same")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="cases at a time (default: cores)")
    parser.add_argument("--keep", default="out/fuzz", metavar="DIR",
                        help="input files of failing cases (default: out/fuzz)")
    parser.add_argument("--print-preset", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.cases is None and options.minutes is None and options.case is None:
        options.minutes = 5.0
    return options


def tell(text):
    print(text, flush=True)


def expiry(minutes):
    end = None if minutes is None else time.monotonic() + 60 * minutes
    return lambda: end is not None and time.monotonic() > end


def fuzz_configs(options, build, scratch):
    """The number of failures."""
    platforms = options.platform or sorted(PROFILES)
    failures = 0
    for name in platforms:
        fuzzer = ConfigFuzzer(name, build, scratch, pathlib.Path(options.keep).resolve(), options.seed, options.against)
        share = None if options.minutes is None else options.minutes / len(platforms)
        fuzzer.run(numbers_of(options), options.jobs, expiry(share), tell)
        tell(fuzzer.coverage.text(fuzzer.machine))
        failures += len(fuzzer.failures)
    return failures


def numbers_of(options):
    if options.case is not None:
        return [options.case]
    return range(options.cases) if options.cases is not None else itertools.count()


def fuzz_deadlock(options, build, scratch):
    """The number of failures."""
    fuzzer = DeadlockFuzzer(build / "platforms" / "network", scratch, pathlib.Path(options.keep).resolve(),
                            options.seed)
    fuzzer.run(numbers_of(options), options.jobs, expiry(options.minutes), tell)
    tell(fuzzer.text())
    return len(fuzzer.failures)


def main(arguments):
    options = parse(arguments)
    if options.print_preset:
        print(options.preset)
        return 0
    root = pathlib.Path(__file__).resolve().parents[3]
    release = options.build or os.environ.get("TSUJI_BUILD") or root / "build"
    build = pathlib.Path(options.build or (release if options.preset == "release"
                                           else f"{release}-{options.preset}")).resolve()
    os.environ.setdefault("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1")
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")
    failures = 0
    parts = options.only or PARTS
    with tempfile.TemporaryDirectory(prefix="tsuji-fuzz-") as scratch:
        if "files" in parts:
            failures += fuzz_files(options, pathlib.Path(release).resolve(), scratch, tell)
        if "configs" in parts:
            failures += fuzz_configs(options, build, scratch)
        if "deadlock" in parts:
            failures += fuzz_deadlock(options, build, scratch)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
