# SPDX-License-Identifier: Apache-2.0
"""scripts/compare: see platforms/study/README.md."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
from typing import Any, TYPE_CHECKING

from . import report_compare, report_library
from .compare import compare
from .errors import Refused
from .folders import write_text
from .report_page import page
from .statistics import ADJUSTED
from .tables import rounded

if TYPE_CHECKING:
    from .compare import Comparison


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="compare", description="Differences of two results in configuration and "
                                     "metrics, and whether they "
                                     "are certain: of two runs, two studies, or two folders of scripts/reproduce.")
    parser.add_argument("a", metavar="A", help="a folder or a run's result.json")
    parser.add_argument("b", metavar="B", help="another one of the same kind; differences are B less A")
    parser.add_argument("--all", action="store_true", help="equal metrics, too")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="everything, for machines")
    parser.add_argument("--report", nargs="?", type=pathlib.Path, const=pathlib.Path("compare.html"), metavar="FILE",
                        help="a page that draws two runs, for a browser (default: compare.html)")
    return parser.parse_args(words)


def show(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value)


def print_table(heads: list[str], lines: list[list[str]]) -> None:
    """Columns as wide as their cells; one that is empty in all lines is left out."""
    keep = [i for i in range(len(heads)) if any(line[i] for line in lines)]
    cells = [[line[i] for i in keep] for line in [heads, *lines]]
    widths = [max(len(line[i]) for line in cells) for i in range(len(keep))]
    for line in cells:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def tell(comparison: Comparison, arguments: argparse.Namespace) -> None:
    print(f"A: {arguments.a}\nB: {arguments.b}")
    for note in comparison.notes:
        print(note)
    if comparison.facts or comparison.configuration:
        print("\nwhat differs")
        print_table(["", "A", "B", "of"], [[name, show(a), show(b), of] for name, a, b, of in
                                           [(*fact, "") for fact in comparison.facts] + comparison.configuration])
    for side in ("a", "b"):
        if comparison.only[side]:
            print(f"\nonly in {side.upper()}: {'; '.join(comparison.only[side])}")
    tell_rows(comparison, arguments)


def tell_rows(comparison: Comparison, arguments: argparse.Namespace) -> None:
    shown = [row for row in comparison.rows if arguments.all or row.verdict != "equal"]
    equal = sum(row.verdict == "equal" for row in comparison.rows)
    if shown:
        print("\nmetrics")
        print_table(["of", "metric", "unit", "A", "B", "B - A", f"+- ({ADJUSTED})", "percent", "pairs", "verdict"],
                    [[row.of, row.metric, row.unit, show(row.a), show(row.b),
                      "" if row.difference is None else f"{row.difference:+.6g}",
                      "" if row.confidence95 is None else f"{row.confidence95:.2g}",
                      "" if row.percent is None else f"{row.percent:+.3g} %",
                      "" if row.pairs is None else str(row.pairs), row.verdict] for row in shown])
    if not comparison.rows:
        print("\nno metric is in both")
    if equal and not arguments.all:
        print(f"\n{equal} metrics are equal" + ("" if shown else ", all of them") + " (--all)")
    if any(row.p is not None for row in comparison.rows):
        unpaired = ("; 0 pairs: other seeds, compared unpaired (Welch)"
                    if any(row.pairs == 0 for row in comparison.rows) else "")
        print(f"verdicts and intervals are Holm-adjusted: a false verdict among all has at most 5 %{unpaired}")


def main(words: list[str]) -> int:
    arguments = parse(words)
    try:
        comparison = compare(arguments.a, arguments.b)
        if arguments.json:
            content = {"a": arguments.a, "b": arguments.b, **comparison.json()}
            write_text(arguments.json, json.dumps(rounded(content), indent=1, ensure_ascii=False) + "\n")
        if arguments.report:
            data = report_compare.data_of(arguments.a, arguments.b, comparison)
            write_text(arguments.report, page("compare", data, report_library.read()))
    except Refused as refusal:
        print(f"compare: {refusal}", file=sys.stderr)
        return 2
    except OSError as failure:
        print(f"compare: {failure}", file=sys.stderr)
        return 1
    tell(comparison, arguments)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # the reader may stop reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
