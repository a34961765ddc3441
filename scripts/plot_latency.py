# SPDX-License-Identifier: Apache-2.0
"""Draws the latencies of runs: the share of packets that takes longer, and the histogram. Called by
scripts/plot_latency.

Exit status 0, 2 for a file that is no result with latencies, 3 where matplotlib is missing. The same results give the
same bytes of SVG.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Mapping
from typing import Any

# A module that needs nothing of its package, for a call without the packages that the others need.
sys.path.append(str(pathlib.Path(__file__).resolve().parent / "tsuji"))

import schema  # noqa: E402
from curve_looks import COLORS, LINES, legend_beside, new_figure, run_plot  # noqa: E402

TABLE = "latency_histogram"
MARKED = {"latency_cycles_p50": "50 %", "latency_cycles_p99": "99 %"}


def read(path: pathlib.Path) -> tuple[list[list[float]], dict[str, float]]:
    """Rows (first, last, packets, share within) of the table and the metrics of a result."""
    result = json.loads(path.read_text(encoding="utf-8"))
    if schema.problem(result):
        raise ValueError(f"{path}: {schema.problem(result)}")
    rows = result.get("tables", {}).get(TABLE, {}).get("rows") if isinstance(result, dict) else None
    if not rows:
        raise ValueError(f"{path}: its table {TABLE} has no packets; accepted: result.json of a run with delivered "
                         "packets")
    return rows, {name: metric["value"] for name, metric in result["metrics"].items()}


def longer(rows: list[list[float]]) -> tuple[list[float], list[float]]:
    """Latencies and the share of packets that take longer: a staircase, which begins with all of them."""
    x, y = [rows[0][0]], [1.0]
    for _, last, _, within in rows:
        x.append(last)
        y.append(1 - within)
    return x, y


def density(rows: list[list[float]]) -> tuple[list[float], list[float]]:
    """Ends of the buckets, and in each the share of packets a cycle. Empty buckets between them are 0."""
    packets = sum(row[2] for row in rows)
    edges, shares = [rows[0][0]], []
    for first, last, count, _ in rows:
        if first > edges[-1]:
            shares.append(0.0)
            edges.append(first)
        shares.append(count / packets / (last + 1 - first))
        edges.append(last + 1)
    return edges, shares


def draw(curves: list[tuple[str, tuple[list[Any], dict[str, float]]]], title: str) -> Any:
    """A figure of `curves`, pairs of a name and what read() gives."""
    from matplotlib.lines import Line2D

    figure, (tail, histogram) = new_figure(2, figsize=(9, 7), height_ratios=(3, 2))
    handles: list[Any] = []
    for number, (name, (rows, metrics)) in enumerate(curves):
        color, line = COLORS[number % len(COLORS)], LINES[number // len(COLORS) % len(LINES)]
        x, y = longer(rows)
        # The last stair goes down to nothing, which a logarithmic axis does not have.
        tail.step(x[:-1], y[:-1], where="post", color=color, linestyle=line, linewidth=1.2, label=name)
        tail.hlines(y[-2], x[-2], x[-1], color=color, linestyle=line, linewidth=1.2)
        for metric in MARKED:
            if metrics.get(metric) is not None:
                histogram.axvline(metrics[metric], color=color, linestyle=":", linewidth=0.8)
        histogram.stairs(*reversed(density(rows)), color=color, fill=len(curves) == 1,
                         alpha=0.5 if len(curves) == 1 else 1, linewidth=1.1)
        handles.append(Line2D([], [], color=color, linestyle=line, linewidth=1.2,
                              label=label_of(name, metrics, len(curves) == 1)))
    handles.append(Line2D([], [], color="gray", linestyle=":", linewidth=0.8,
                          label=" and ".join(MARKED.values()) + " within"))
    legend_beside(tail, handles, fontsize=8)
    set_axes(tail, histogram, curves)
    if title:
        tail.set_title(title)
    return figure


def label_of(name: str, metrics: Mapping[str, float], one: bool) -> str:
    values = [f"{words} {metrics[metric]:g}" for metric, words in (("latency_cycles_mean", "mean"),
                                                                   ("latency_cycles_p99", "99 % within"),
                                                                   ("latency_cycles_max", "longest"))
              if metrics.get(metric) is not None]
    return ("" if one else f"{name}\n") + ", ".join(values)


def set_axes(tail: Any, histogram: Any, curves: list[tuple[str, tuple[list[Any], dict[str, float]]]]) -> None:
    from matplotlib import ticker

    rows = [row for _, (of, _) in curves for row in of]
    first, last = min(row[0] for row in rows), max(row[1] for row in rows)
    tail.set_yscale("log")
    tail.set_ylim(top=1)
    if last > 8 * max(first, 1):
        tail.set_xscale("log")
        tail.xaxis.set_major_locator(ticker.LogLocator(base=10, subs=(1, 2, 5), numticks=30))
        tail.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        tail.xaxis.set_minor_locator(ticker.NullLocator())
        first = max(first, 1)
    tail.set_xlim(first, last + 1)
    histogram.set_ylim(bottom=0)
    tail.set_ylabel("share of packets that take longer")
    histogram.set_ylabel("share of packets a cycle")
    histogram.set_xlabel("packet latency (cycles)")
    for axes in (tail, histogram):
        axes.grid(True, linewidth=0.3)


def main() -> Any:
    return run_plot("plot_latency", "result", read, draw, "latency")


if __name__ == "__main__":
    sys.exit(main())
