# SPDX-License-Identifier: Apache-2.0
"""scripts/report: the page of a run's results."""

from __future__ import annotations

import argparse
import pathlib
import sys

from . import report_library, report_run
from .errors import Refused
from .folders import write_text
from .report_page import page

NAME = "report.html"


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="report", description="The page of a run's results: one HTML file that needs "
                                     "no network.")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, metavar="FOLDER", help="a run's output folder")
    parser.add_argument("-o", "--out", type=pathlib.Path, metavar="FILE", help=f"the page (default: FOLDER/{NAME})")
    parser.add_argument("--check", action="store_true", help="only check that a page could be written")
    arguments = parser.parse_args(words)
    if not arguments.check and arguments.folder is None:
        parser.error("no folder; accepted: the output folder of a run")
    return arguments


def main(words: list[str]) -> int:
    arguments = parse(words)
    try:
        library = report_library.read()
        if not arguments.check:
            data = report_run.data_of(arguments.folder)
            write_text(arguments.out or arguments.folder / NAME, page("run", data, library))
    except Refused as refusal:
        print(refusal if arguments.check else f"report: {refusal}", file=sys.stderr)
        return 2
    except OSError as failure:
        print(f"report: {failure}", file=sys.stderr)
        return 1
    return 0
