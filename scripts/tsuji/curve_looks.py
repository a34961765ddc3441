# SPDX-License-Identifier: Apache-2.0
"""What all pictures of curves share: colours, marks, the legend's place, the axis of latencies, the command line of the
scripts that draw files. Uses nothing else of the package."""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

# Distinct to readers who do not see all colours (Okabe and Ito), and in print by their shapes.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F5F3F"]
LINES = ["-", "--", "-.", ":"]
SHAPES = ["o", "s", "^", "D", "v", "P", "X", "p"]
# Marks of points that are not a plain value.
HOLLOW = {"saturated": "o", "undecided": "D", "at least": "^", "no interval": "s"}

# A curve whose values differ by less is read better on a linear axis.
LOGARITHMIC_FROM = 4


def hollow_handles(states: set[str]) -> list[Any]:
    """Entries of a legend for those of HOLLOW that were drawn."""
    from matplotlib.lines import Line2D

    return [Line2D([], [], color="gray", marker=shape, markerfacecolor="white", linestyle="none", markersize=5,
                   label=state)
            for state, shape in HOLLOW.items() if state in states]


def legend_beside(axes: Any, handles: list[Any], **more: Any) -> Any:
    """A legend to the right of the axes, where it covers no curve."""
    return axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0, **more)


def new_figure(rows: int, **more: Any) -> tuple[Any, Any]:
    """(figure, axes) of panels one above the other. Identifiers do not change from run to run."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "tsuji"
    from matplotlib import pyplot

    return pyplot.subplots(rows, 1, sharex=True, layout="constrained", **more)


def end_axis(axis_limits: Callable[..., Any], last: float, room: float = 0.03) -> None:
    """Ends an axis that begins at 0 with its data; `room` is for the mark of the last point."""
    axis_limits(0, (1 + room) * last if last > 0 else None)


def set_latency_axis(axes: Any, values: Sequence[float]) -> None:
    """Logarithmic where the values ask for it, with whole numbers beside it."""
    from matplotlib import ticker

    values = [value for value in values if value > 0]
    if not values:
        return
    low, high = min(values), max(values)
    if high < LOGARITHMIC_FROM * low:
        end_axis(axes.set_ylim, high, 0.06)
        return
    axes.set_yscale("log")
    axes.set_ylim(low / 1.12, 1.12 * high)
    axes.yaxis.set_major_locator(ticker.LogLocator(base=10,
                                                   subs=(1, 2, 5) if high >= 20 * low else (1, 1.5, 2, 3, 5, 7),
                                                   numticks=30))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(ticker.NullLocator())


def named(paths: list[pathlib.Path]) -> list[str]:
    """Names of curves: a run's own folder says which one it is; files of one folder have their names, too."""
    names = [path.resolve().parent.name for path in paths]
    if len(set(names)) < len(names):
        names = [f"{name}/{path.stem}" for name, path in zip(names, paths)]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def run_plot(script: str, kind: str, read: Callable[..., Any], draw: Callable[..., Any], default: str) -> int:
    """The main program of a script that draws files of a kind: `read(path)` gives a file's curve, ValueError for
    another file, and
    `draw(curves, title)` the figure of pairs of a name and a curve. Returns the exit status."""
    parser = argparse.ArgumentParser(prog=script)
    parser.add_argument(kind, nargs="+", type=pathlib.Path)
    parser.add_argument("-o", metavar="NAME", help="write NAME.svg and NAME.png; NAME may end in either")
    parser.add_argument("--title", default="")
    arguments = parser.parse_args()
    paths = getattr(arguments, kind)
    try:
        curves = list(zip(named(paths), [read(path) for path in paths]))
    except (OSError, ValueError) as error:
        print(f"{script}: {error}", file=sys.stderr)
        return 2
    try:
        figure = draw(curves, arguments.title)
    except ImportError as error:
        print(f"{error}: install Debian's package python3-matplotlib, or call scripts/{script}", file=sys.stderr)
        return 3
    out = re.sub(r"\.(svg|png)$", "", arguments.o or str(paths[0].parent / default))
    try:
        figure.savefig(out + ".svg", metadata={"Date": None})
        figure.savefig(out + ".png", dpi=120)
    except OSError as error:
        print(f"{script}: {out}: {error}", file=sys.stderr)
        return 4
    return 0
