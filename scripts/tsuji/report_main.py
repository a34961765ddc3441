# SPDX-License-Identifier: Apache-2.0
"""scripts/report: pages of runs and studies."""

from __future__ import annotations

import argparse
import pathlib
import sys

from . import report_library, report_run, report_study
from .errors import Refused
from .folders import write_text
from .report_page import page

NAME = "report.html"


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="report", description="The page of a run, or of a study and its runs: HTML "
                                     "files that need no network.")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, metavar="FOLDER",
                        help="a run's output folder, or a study's")
    parser.add_argument("-o", "--out", type=pathlib.Path, metavar="FILE", help=f"the page (default: FOLDER/{NAME})")
    parser.add_argument("--check", action="store_true", help="only check that a page could be written")
    arguments = parser.parse_args(words)
    if not arguments.check and arguments.folder is None:
        parser.error("no folder; accepted: the output folder of a run or a study")
    return arguments


def write(folder: pathlib.Path, out: pathlib.Path | None, library: str) -> None:
    """The page of a run, or that of a study and the pages of its runs."""
    if (folder / report_study.DATABASE).is_file():
        written = report_study.write_runs(folder, library)
        report_study.write(folder, library, out)
        print(f"{out or folder / NAME}, and pages of {written} runs")
        return
    data = report_run.data_of(folder)
    place = out or (folder if folder.is_dir() else folder.parent) / NAME
    write_text(place, page("run", data, library))


def main(words: list[str]) -> int:
    arguments = parse(words)
    try:
        library = report_library.read()
        if not arguments.check:
            write(arguments.folder, arguments.out, library)
    except Refused as refusal:
        print(refusal if arguments.check else f"report: {refusal}", file=sys.stderr)
        return 2
    except OSError as failure:
        print(f"report: {failure}", file=sys.stderr)
        return 1
    return 0
