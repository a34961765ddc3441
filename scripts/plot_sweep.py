# SPDX-License-Identifier: Apache-2.0
"""Draws sweeps over offered load: latency and accepted load. Called by scripts/plot_sweep and by --sweep-load.

Exit status 0, 2 for a CSV that is none, 3 where matplotlib is missing. The same CSV gives the same bytes of SVG.
"""

from __future__ import annotations

import csv
import pathlib
import sys
from collections.abc import Callable
from typing import Any

# A module that needs nothing of its package, for a call without the packages that the others need.
sys.path.append(str(pathlib.Path(__file__).resolve().parent / "tsuji"))

from curve_looks import (COLORS, HOLLOW, SHAPES, end_axis, hollow_handles, legend_beside, new_figure,  # noqa: E402
                         run_plot, set_latency_axis)

WANTED = ("load", "offered", "accepted", "latency_mean", "latency_p99", "saturated")
MORE = ("latency_mean_confidence95", "latency_p50", "latency_p95", "latency_p999", "latency_is_lower_bound",
        "capacity_bound",
        "accepted_share_worst_source")
VERDICTS = ("stable", "undecided", "saturated")
PERCENTILES = {"latency_p50": (":", "50 % within"), "latency_p95": ("-.", "95 % within"),
               "latency_p99": ("--", "99 % within"),
               "latency_p999": ((0, (1, 4)), "99.9 % within")}
ALL_OFFERED = {"color": "gray", "linewidth": 0.6, "label": "all that is offered"}
# Vertical lines of a sweep: words and look of a load.
LOADS = {"stable": ("highest load shown stable", ":"), "saturated": ("lowest load shown saturated", (0, (1, 3))),
         "capacity": ("capacity (of the worst source)", "--"), "bound": ("capacity bound", "-.")}


def read(path: pathlib.Path) -> list[dict[str, Any]]:
    """The points of a sweep by load: dictionaries of numbers, None where a run has no value, and the word
    `stability`."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or any(name not in rows[0] for name in WANTED):
        raise ValueError(f"not a sweep; accepted: a table with the columns {', '.join(WANTED)}")
    return sorted((read_point(row) for row in rows), key=lambda point: point["load"])


def read_point(row: dict[str, str]) -> dict[str, Any]:
    point: dict[str, Any] = {name: float(row[name]) if row.get(name) else None for name in WANTED + MORE}
    point["stability"] = row.get("stability") or ("saturated" if point["saturated"] else "stable")
    if point["stability"] not in VERDICTS:
        raise ValueError(f"unknown stability (got {point['stability']!r}); accepted: {', '.join(VERDICTS)}")
    return point


def loads_of(points: list[dict[str, Any]]) -> dict[str, float]:
    """The loads of LOADS that the sweep has, by name."""
    stable = [point["load"] for point in points if point["stability"] == "stable"]
    saturated = [point["load"] for point in points if point["stability"] == "saturated"]
    stable = [load for load in stable if not saturated or load < min(saturated)]
    got = [point["offered"] * point["accepted_share_worst_source"] for point in points
           if point["offered"] is not None and point["accepted_share_worst_source"] is not None]
    bounds = [point["capacity_bound"] for point in points if point["capacity_bound"] is not None]
    found = {"stable": max(stable, default=None) if len(stable) < len(points) else None,
             "saturated": min(saturated, default=None),
             "capacity": max(got, default=None), "bound": bounds[0] if bounds else None}
    return {name: load for name, load in found.items() if load is not None}


def shown_latencies(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Points up to saturation, and of the saturated ones the first: it shows how steep the curve is; beyond, latency is
    a matter of how long the run was."""
    first = next((point for point in points if point["stability"] == "saturated" and point["latency_mean"] is not None),
                 None)
    return [point for point in points if point["latency_mean"] is not None
            and (point["stability"] != "saturated" or point is first)]


class SweepFigure:
    """Curves of sweeps in two panels, and one legend beside them."""

    def __init__(self, latency: Any, accepted: Any, one: bool) -> None:
        self.latency, self.accepted, self.one = latency, accepted, one
        self.percentiles = list(PERCENTILES) if one else ["latency_p99"]
        self.curves, self.styles, self.lines = [], {}, {}  # of the legend
        self.states: set[Any] = set()  # of points that were drawn
        self.told = False
        self.latencies, self.accepted_loads, self.last_load = [], [], 0

    def add(self, name: str, points: list[dict[str, Any]]) -> None:
        from matplotlib.lines import Line2D

        number = len(self.curves)
        color, shape = COLORS[number % len(COLORS)], SHAPES[number % len(SHAPES)]
        self.add_latency(name, points, color, shape)
        self.add_accepted(name, points, color, shape)
        loads = loads_of(points)
        for kind, load in loads.items():
            self.add_line(kind, load, color)
        self.last_load = max([self.last_load, points[-1]["load"], *loads.values()])
        if not self.one and loads:
            ends = {"stable": "stable to", "saturated": "saturated from", "capacity": "capacity", "bound": "bound"}
            name += "\n" + ", ".join(f"{ends[kind]} {load:.4g}" for kind, load in loads.items())
        self.curves.append(Line2D([], [], color=color, marker=shape, markersize=4, linewidth=1.2,
                                  label="mean" if self.one else name))

    def add_latency(self, name: str, points: list[dict[str, Any]], color: str, shape: str) -> None:
        shown = shown_latencies(points)
        told = any(point["latency_mean_confidence95"] is not None for point in points)
        self.told |= told
        banded = [point for point in shown if point["latency_mean_confidence95"] is not None
                  and point["stability"] != "saturated"]
        draw_band(self.latency, banded, color)
        self.add_curve(self.latency, "latency_mean", name, shown, (color, shape),
                       lambda point: latency_state(point, told))
        self.latencies += [point["latency_mean"] for point in shown]
        for column in self.percentiles:
            style, label = PERCENTILES[column]
            known = [point for point in shown if point[column] is not None and point["stability"] != "saturated"]
            if known:
                self.latency.plot(*columns(known, column), linestyle=style, color=color, linewidth=0.8,
                                  label=f"{name}: {label}")
                self.styles[label] = style
                self.latencies += [point[column] for point in known]

    def add_accepted(self, name: str, points: list[dict[str, Any]], color: str, shape: str) -> None:
        shown = [point for point in points if point["accepted"] is not None]
        self.add_curve(self.accepted, "accepted", name, shown, (color, shape), load_state)
        self.accepted_loads += [point["accepted"] for point in shown]

    def add_curve(self, axes: Any, column: str, name: str, points: list[dict[str, Any]], look: tuple[str, str],
                  state_of: Callable[..., Any]) -> None:
        """A line through the points, and the points with the mark of their state."""
        color, shape = look
        axes.plot(*columns(points, column), "-", color=color, linewidth=1.2, label=name)
        for state in ("", *HOLLOW):
            marked = [point for point in points if state_of(point) == state]
            if marked:
                self.states.add(state)
                axes.plot(*columns(marked, column), marker=HOLLOW.get(state, shape), linestyle="none", color=color,
                          markersize=5 if state else 3.8, markerfacecolor="white" if state else color,
                          label=f"{name}: {state}")

    def add_line(self, kind: str, load: float, color: str) -> None:
        words, style = LOADS[kind]
        for axes in (self.latency, self.accepted):
            axes.axvline(load, color="black" if self.one else color, linestyle=style, linewidth=0.9, label=words)
        self.lines[f"{words}: {load:.4g}" if self.one else words] = style

    def finish(self) -> list[Any]:
        set_latency_axis(self.latency, self.latencies)
        self.accepted.axline((0, 0), slope=1, **ALL_OFFERED)
        end_axis(self.accepted.set_xlim, self.last_load)
        end_axis(self.accepted.set_ylim, max(self.accepted_loads, default=0), 0.06)
        return self.handles()

    def handles(self) -> list[Any]:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        color, line_color = (COLORS[0], "black") if self.one else ("gray", "gray")
        handles = self.curves + [Line2D([], [], color=color, linestyle=style, linewidth=0.8, label=label)
                                 for label, style in self.styles.items()]
        if self.told:
            handles.append(Patch(color=color, alpha=0.3, label="95 % interval of the mean"))
        handles += hollow_handles(self.states)
        handles += [Line2D([], [], color=line_color, linestyle=style, linewidth=0.9, label=words)
                    for words, style in self.lines.items()]
        return [*handles, Line2D([], [], **ALL_OFFERED)]


def latency_state(point: dict[str, Any], told: bool) -> str:
    if load_state(point):
        return load_state(point)
    if point["latency_is_lower_bound"]:
        return "at least"
    return "no interval" if told and point["latency_mean_confidence95"] is None else ""


def load_state(point: dict[str, Any]) -> str:
    return "" if point["stability"] == "stable" else point["stability"]


def columns(points: list[dict[str, Any]], name: str) -> tuple[list[float], list[float]]:
    return [point["load"] for point in points], [point[name] for point in points]


def draw_band(axes: Any, points: list[dict[str, Any]], color: str) -> None:
    if not points:
        return
    x, y = columns(points, "latency_mean")
    half = [point["latency_mean_confidence95"] for point in points]
    axes.fill_between(x, [a - b for a, b in zip(y, half)], [a + b for a, b in zip(y, half)], color=color, alpha=0.25,
                      linewidth=0)
    # A band of one point, and one that is thinner than the line, are seen by their ends.
    axes.errorbar(x, y, half, fmt="none", ecolor=color, elinewidth=0.8, capsize=2.5)


def draw(sweeps: list[tuple[str, list[dict[str, Any]]]], title: str) -> Any:
    """A figure of `sweeps`, pairs of a name and points."""
    height = max(7.5, 2 + 0.4 * len(sweeps))
    figure, (latency, accepted) = new_figure(2, figsize=(9, height), height_ratios=(3, 2))
    drawn = SweepFigure(latency, accepted, len(sweeps) == 1)
    for name, points in sweeps:
        drawn.add(name, points)
    legend_beside(latency, drawn.finish(), fontsize=8)
    latency.set_ylabel("packet latency (cycles)")
    accepted.set_ylabel("accepted (flits/node/cycle)")
    accepted.set_xlabel("offered load (flits/node/cycle)")
    for axes in (latency, accepted):
        axes.grid(True, linewidth=0.3)
    if title:
        latency.set_title(title)
    return figure


def main() -> int:
    return run_plot("plot_sweep", "csv", read, draw, "sweep")


if __name__ == "__main__":
    sys.exit(main())
