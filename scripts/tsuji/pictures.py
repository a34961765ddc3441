# SPDX-License-Identifier: Apache-2.0
"""A study's pictures: curves over load, effects of axes, the Pareto front. The numbers are of summaries.py."""

from __future__ import annotations

import dataclasses
import functools
import math
import pathlib
from collections.abc import Callable, Sequence
from typing import Any, TYPE_CHECKING

from . import comparable, pairs, summaries
from .curve_looks import COLORS, HOLLOW, LINES, SHAPES, end_axis, hollow_handles, legend_beside, set_latency_axis
from .decisions import ACCEPTED_BY, load_text
from .figures import write_figure
from .folders import replaced
from .study_file import CURVE_METRICS, DATA_METRIC, DATA_UNIT, LOAD_KEY, LOAD_UNIT

if TYPE_CHECKING:
    from .designs import Axis, Value
    from .summaries import Candidate, Effect, Spot
    from .tables import Tables

MOST_PANELS = 12  # of a picture
MOST_PICTURES = 4  # of one metric's curves
MOST_WORDS = 16  # of an axis with labels below it
MOST_NAMES = 20  # of designs beside a front
SHORT_LABEL = 30
BOUND_HEIGHT = 0.06  # of the axes


@dataclasses.dataclass(frozen=True)
class Picture:
    """NAME.svg and NAME.png. `text` says how to read it."""

    name: str
    title: str
    text: str


def shortened(text: str, width: int = SHORT_LABEL) -> str:
    """Without its middle, as names often differ at their ends."""
    head = width // 2
    return text if len(text) <= width else f"{text[:head]}…{text[head + 1 - width:]}"


def with_unit(metric: str, units: dict[str, str]) -> str:
    return f"{metric} ({units[metric]})" if units.get(metric) else metric


def label(metric: str, units: dict[str, str], more: str = "") -> str:
    """Beside an axis: in two lines where one would not fit."""
    below = ", ".join(part for part in (units.get(metric), more) if part)
    return f"{metric}{chr(10) if len(metric) + len(below) > 32 else ' '}({below})" if below else metric


def write(folder: pathlib.Path, tables: Tables, units: dict[str, str]) -> list[Picture]:
    """All pictures, which take the place of `folder` in one step. `units` of metrics by name. Returns them as a
    list."""
    pictures: list[Any] = []
    with replaced(pathlib.Path(folder)) as staging:

        def draw(name: str, title: str, text: str, drawing: Callable[..., Any], size: tuple[float, float]) -> None:
            write_figure(staging / name, name, drawing, size)
            pictures.append(Picture(name, title, text))

        if tables.spec.curve:
            draw_curves(draw, tables, units)
        draw_effects(draw, tables, units)
        draw_pairs(draw, tables)
        if tables.spec.pareto:
            draw_front(draw, tables, units)
    return pictures


# Curves.


def curve_metrics(tables: Tables) -> dict[str, dict[int, list[Spot]]]:
    """Those of the study, and latency and accepted load where runs have them."""
    wanted = list(dict.fromkeys([*tables.spec.run_metrics(), "latency_cycles_mean", ACCEPTED_BY]))
    spots = {metric: {design: summaries.curve(tables, design, metric) for design in tables.of_design}
             for metric in wanted}
    return {metric: of_designs for metric, of_designs in spots.items() if any(of_designs.values())}


def draw_curves(draw: Callable[..., Any], tables: Tables, units: dict[str, str]) -> None:
    inner, panels = summaries.panels(tables.spec, list(tables.of_design))
    parts = [panels[i:i + MOST_PANELS] for i in range(0, len(panels), MOST_PANELS)]
    for metric, spots in curve_metrics(tables).items():
        figures = CurveFigures(tables, units, metric, spots, inner)
        text = figures.text()
        if len(parts) > MOST_PICTURES:
            text += f" {len(panels) - MOST_PANELS * MOST_PICTURES} more groups of designs are in curves.csv alone."
        for number, part in enumerate(parts[:MOST_PICTURES]):
            name = f"curve_{metric}" + (f"_{number + 1}" if len(parts) > 1 else "")
            draw(name, f"{metric} over load", text, functools.partial(figures.draw, part), figures.size(part))


def seeds_text(tables: Tables) -> str:
    counts = sorted({len(seeds) for seeds in tables.seeds.values()})
    return counted(tables, counts[0]) if len(counts) == 1 else f"{counts[0]} to {counted(tables, counts[-1])}"


def counted(tables: Tables, number: int) -> str:
    """Seeds, or the replicates of another key."""
    return f"{number} {tables.replicate_name}{'' if number == 1 else 's'}"


def is_latency(metric: str) -> bool:
    return metric.startswith("latency")


class CurveFigures:
    """Of one metric: panels with the same axes, and one legend. Loads are of data where the study states the bytes of
    its packets."""

    def __init__(self, tables: Tables, units: dict[str, str], metric: str, spots: dict[int, list[Spot]],
                 inner: list[int]) -> None:
        self.tables, self.units, self.metric, self.inner = tables, units, metric, inner
        self.rates = comparable.data_rates(tables.links)
        self.saturation = DATA_METRIC if self.rates else CURVE_METRICS[0]
        self.spots = {design: [self.in_data(spot, tables.data_rate(design)) for spot in of_design]
                      for design, of_design in spots.items()}
        self.told = any(spot.half is not None for of_design in spots.values() for spot in of_design)
        self.points = dict(zip(tables.of_design, tables.of_points()))
        self.bounds = {design: self.bound(design) for design in tables.of_design}
        self.styles: dict[Any, Any] = {}  # by a design's name
        self.states: set[Any] = set()  # of spots that were drawn

    def in_data(self, spot: Spot, rate: float | None) -> Spot:
        if rate is None:
            return spot
        loads = {"mean": spot.mean * rate, "half": spot.half and spot.half * rate} if self.metric == ACCEPTED_BY else {}
        return dataclasses.replace(spot, x=spot.x * rate, **loads)

    def bound(self, design: int) -> float:
        """Of the load axis; None where it is another key's, or no bound is known."""
        bound = summaries.capacity_bound(self.tables, design) if self.tables.spec.curve.key == LOAD_KEY else None
        return bound and bound * (self.tables.data_rate(design) or 1)

    def load_label(self, verb: str, otherwise: str) -> str:
        return f"{verb} data ({DATA_UNIT})" if self.rates else otherwise

    def text(self) -> str:
        text = (f"Means over {seeds_text(self.tables)} with 95 % bands." if self.told
                else f"One {self.tables.replicate_name}: no interval, so that no difference is certain.")
        if is_latency(self.metric):
            text += (" Hollow circle: the first load at which a run was saturated; beyond it latency is a matter of "
                     "how long the run was.")
            text += " Hollow triangle: a lower bound, as packets are missing."
        else:
            text += " Hollow circle: a run was saturated."
        if self.told:
            text += " Hollow square: one value, so no interval."
        if self.tables.spec.curve.saturation:
            text += " Dotted: the saturation point, with its interval at the foot."
        if any(self.bounds.values()):
            text += " Tick at the top: the capacity bound, a load that no run can carry."
        if self.rates:
            text += f" Loads are of data: 1 {LOAD_UNIT} is {range_text(self.rates)} {DATA_UNIT}."
        return text

    def size(self, part: list[tuple[str, list[int]]]) -> tuple[float, float]:
        columns, rows = grid_of(part)
        names = {summaries.design_name(self.tables.spec, design, self.inner) for _, designs in part
                 for design in designs}
        legend = 0.7 + 0.062 * max(18, max(len(shortened(name)) for name in names))
        return max(4.4, 3 * columns) + legend, max(0.6 + 2.6 * rows + (len(part) == 1), 1.5 + 0.18 * len(names))

    def draw(self, part: list[tuple[str, list[int]]], figure: Any) -> None:
        self.styles, self.states = {}, set()
        columns, rows = grid_of(part)
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        panels, used, x = list(grid.flat)[:len(part)], [], self.saturation_ends(part)
        for axes, (title, designs) in zip(panels, part):
            for number, design in enumerate(designs):
                shown = self.shown(design)
                used += self.draw_design(axes, design, number, shown)
                x += [spot.x for spot in shown]
            if title:
                axes.set_title(shortened(title, 40), fontsize=8)
        hide_rest(grid, len(part))
        if is_latency(self.metric):
            set_latency_axis(grid[0][0], used)
        elif used:
            grid[0][0].set_ylim(0 if min(used) >= 0 else None, 1.06 * max(used) or None)
        end_axis(grid[0][0].set_xlim, max(x, default=0))
        if self.has_offered():
            for axes in panels:
                axes.axline((0, 0), slope=1, color="gray", linewidth=0.6)
        key, metric = self.tables.spec.curve.key, label(self.metric, self.units)
        figure.supxlabel(self.load_label("offered", f"offered load ({LOAD_UNIT})" if key == LOAD_KEY else key),
                         fontsize=9)
        figure.supylabel(self.load_label("accepted", metric) if self.metric == ACCEPTED_BY else metric, fontsize=9)
        legend_beside(grid[0][-1], self.handles())

    def has_offered(self) -> bool:
        return self.metric == ACCEPTED_BY and self.tables.spec.curve.key == LOAD_KEY

    def style(self, design: int, number: int) -> tuple[str, str, str]:
        name = summaries.design_name(self.tables.spec, design, self.inner)
        if name not in self.styles:
            # Parts of a long axis begin with the first colour again.
            color = COLORS[number % len(COLORS)]
            line = LINES[sum(used[0] == color for used in self.styles.values()) % len(LINES)]
            self.styles[name] = color, SHAPES[number % len(SHAPES)], line
        return self.styles[name]

    def shown(self, design: int) -> list[Spot]:
        """Spots of a curve; of latencies, no saturated ones after the first."""
        spots = self.spots[design]
        if is_latency(self.metric):
            beyond = [spot for spot in spots if spot.saturated][:1]
            spots = sorted([spot for spot in spots if not spot.saturated] + beyond, key=lambda spot: spot.x)
        return spots

    def draw_design(self, axes: Any, design: int, number: int, spots: list[Spot]) -> list[float]:
        """Returns the values that the axis has to hold."""
        color, shape, line = self.style(design, number)
        axes.plot([spot.x for spot in spots], [spot.mean for spot in spots], line, color=color, linewidth=1.1)
        banded = [spot if spot.half is not None and not (spot.saturated and is_latency(self.metric)) else None
                  for spot in spots]
        draw_band(axes, spots, banded, color)
        for spot in spots:
            state = self.state(spot)
            axes.plot([spot.x], [spot.mean], marker=HOLLOW.get(state, shape), linestyle="none", color=color,
                      markersize=5 if state else 3.8,
                      markerfacecolor="white" if state else color)
        self.draw_saturation(axes, design, number, color)
        if self.bounds[design]:
            axes.axvline(self.bounds[design], ymin=1 - BOUND_HEIGHT, color=color, linewidth=2)
        return [spot.mean for spot in spots] + [spot.mean + spot.half for spot in banded if spot]

    def state(self, spot: Spot) -> str:
        state = "saturated" if spot.saturated else "at least" if spot.lower_bound and is_latency(self.metric) else ""
        if not state and self.told and spot.half is None:
            state = "no interval"
        self.states.add(state)
        return state

    def draw_saturation(self, axes: Any, design: int, number: int, color: str) -> None:
        """A dotted line, and the interval at its foot, each design's a little higher."""
        mean, half = (self.points[design].get(f"{self.saturation}{end}") for end in ("", "_confidence95"))
        if mean is None:
            return
        axes.axvline(mean, color=color, linestyle=":", linewidth=0.9)
        if half:
            axes.errorbar([mean], [0.02 + 0.02 * number], xerr=[half], fmt="none", ecolor=color, elinewidth=1.1,
                          capsize=2,
                          transform=axes.get_xaxis_transform())

    def saturation_ends(self, part: list[tuple[str, list[int]]]) -> list[float]:
        rows = [self.points[design] for _, designs in part for design in designs]
        saturations = [sum(row.get(f"{self.saturation}{end}") or 0 for end in ("", "_confidence95")) for row in rows]
        return saturations + [self.bounds[design] or 0 for _, designs in part for design in designs]

    def handles(self) -> list[Any]:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        handles = [Line2D([], [], color=color, marker=shape, linestyle=line, markersize=4, linewidth=1.1,
                          label=shortened(name))
                   for name, (color, shape, line) in self.styles.items()]
        if self.told:
            handles.append(Patch(color="gray", alpha=0.3, label="95 % interval"))
        handles += hollow_handles(self.states)
        if self.has_offered():
            handles.append(Line2D([], [], color="gray", linewidth=0.6, label="all that is offered"))
        if self.tables.spec.curve.saturation:
            handles.append(Line2D([], [], color="gray", linestyle=":", linewidth=0.9, label="saturation point"))
        if any(self.bounds.values()):
            handles.append(Line2D([], [], color="gray", marker="|", linestyle="none", markeredgewidth=2,
                                  label="capacity bound"))
        return handles


def range_text(values: Sequence[float]) -> str:
    """From the smallest to the largest of values in their order."""
    return f"{values[0]:.6g}" + (f" to {values[-1]:.6g}" if len(values) > 1 else "")


def grid_of(panels: Sequence[object]) -> tuple[int, int]:
    columns = min(3, len(panels))
    return columns, math.ceil(len(panels) / columns)


def hide_rest(grid: Any, number: int) -> None:
    """Places of a grid after the first `number`; the panels above them get the numbers of their axes back."""
    columns = len(grid[0])
    for place in range(number, grid.size):
        grid.flat[place].set_visible(False)
        grid.flat[place - columns].xaxis.set_tick_params(labelbottom=True)


def draw_band(axes: Any, spots: list[Spot], banded: list[Spot | None], color: str) -> None:
    """The intervals of `spots`; `banded` has None for a spot without an interval."""
    low = [spot.mean - spot.half if spot else math.nan for spot in banded]
    high = [spot.mean + spot.half if spot else math.nan for spot in banded]
    axes.fill_between([spot.x for spot in spots], low, high, color=color, alpha=0.22, linewidth=0)
    known = [spot for spot in banded if spot]
    # A band of one spot, and one that is thinner than the line, are seen by their ends.
    axes.errorbar([spot.x for spot in known], [spot.mean for spot in known], [spot.half for spot in known], fmt="none",
                  ecolor=color,
                  elinewidth=0.8, capsize=2)


# Effects.


def draw_effects(draw: Callable[..., Any], tables: Tables, units: dict[str, str]) -> None:
    axes = [i for i, axis in enumerate(tables.spec.axes) if len(axis.levels) > 1]
    load = summaries.common_load(tables)
    at_load = list(tables.spec.run_metrics()) if load is not None else []
    of_replicates = [(metric, None) for metric in tables.replicate_metrics()]
    for metric, at in [*of_replicates, *((metric, load) for metric in at_load)]:
        effects = [(i, effect) for i in axes for effect in [summaries.effect(tables, i, metric, at)] if effect]
        if not effects:
            continue
        place = "" if at is None else f" at load {load_text(at)}"
        panels = [(effect, view) for i, effect in effects for view in views(tables.spec.axes[i])]
        text = effect_text(tables, effects) + (" It is the largest load at which all runs of all designs are stable."
                                               if place else "")
        columns, rows = grid_of(panels)
        draw(f"effect_{metric}", f"Effect of each axis on {metric}{place}", text,
             functools.partial(draw_effect, panels, label(metric, units)), (max(4.2, 0.6 + 2.9 * columns), 3.3 * rows))


def effect_text(tables: Tables, effects: list[tuple[int, Effect]]) -> str:
    parts: list[Any] = []
    for axis, effect in effects:
        over = [] if effect.all == 1 else [f"{effect.used} of {effect.all} combinations of the other axes"]
        over.append(counted(tables, effect.seeds) + (", so uncertain" if effect.seeds == 1 else ""))
        parts.append(f"{effect.axis}: over {' and '.join(over)}"
                     if effect.paired else f"{effect.axis}: not paired, so uncertain")
        absent = [level.label for level in tables.spec.axes[axis].levels if level.label not in effect.labels]
        if absent:
            parts[-1] += f", without {', '.join(absent)}, which {'has' if len(absent) == 1 else 'have'} no values"
    return ("Mean of each level over the levels of the other axes. Bars: 95 % interval of its distance from the mean "
            "of all levels, on the same "
            f"{tables.replicate_name}s and combinations; levels whose bars do not overlap differ. {'; '.join(parts)}.")


@dataclasses.dataclass(frozen=True)
class View:
    """Positions of an axis' levels by label: numbers of `name`, or None if the labels are words."""

    name: str
    positions: dict[str, float] | None


def views(axis: Axis) -> list[View]:
    """One of an axis; of a long one without words to read, as a Latin hypercube, one for each key."""
    if axis.numeric:
        return [View(axis.name, {level.label: float(level.label) for level in axis.levels})]
    if len(axis.levels) <= MOST_WORDS:
        return [View(axis.name, None)]
    keys = [key for key in axis.levels[0].keys if all(is_real(level.keys.get(key)) for level in axis.levels)]
    return [View(key, {level.label: float(level.keys[key].text) for level in axis.levels})
            for key in keys] or [View(axis.name, None)]


def is_real(value: Value) -> bool:
    try:
        return value is not None and math.isfinite(float(value.text))
    except ValueError:
        return False


def draw_effect(panels: list[tuple[Effect, View]], beside: str, figure: Any) -> None:
    columns, rows = grid_of(panels)
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for axes, (effect, view) in zip(grid.flat, panels):
        draw_panel(axes, effect, view)
    hide_rest(grid, len(panels))
    grid[0][0].ticklabel_format(axis="y", useOffset=False, style="plain")
    figure.supylabel(beside, fontsize=9)


def draw_panel(axes: Any, effect: Effect, view: View) -> None:
    x: list[float] = list(range(len(effect.labels)))
    if view.positions is not None:
        x = [view.positions[label] for label in effect.labels]
    known = [i for i, half in enumerate(effect.halves) if half is not None]
    line = view.positions is not None and len(effect.labels) == len(set(x)) and len(x) <= MOST_WORDS
    order = sorted(range(len(x)), key=lambda i: x[i])
    axes.plot([x[i] for i in order], [effect.means[i] for i in order], linestyle="-" if line else "none", marker="o",
              markersize=4,
              color=COLORS[0], linewidth=1.1, markerfacecolor=COLORS[0] if known else "white")
    if known:
        axes.errorbar([x[i] for i in known], [effect.means[i] for i in known], [effect.halves[i] for i in known],
                      fmt="none",
                      ecolor=COLORS[0], elinewidth=1.1, capsize=3.5)
    axes.set_xlabel(view.name)
    if view.positions is None:
        set_words(axes, effect.labels)
    else:
        set_numbers(axes, x)


def set_words(axes: Any, labels: list[str]) -> None:
    axes.set_xlim(-0.5, len(labels) - 0.5)
    shown = [shortened(label, 18) for label in labels]
    turned = sum(len(label) + 2 for label in shown) > 34
    axes.set_xticks(range(len(labels)), shown, rotation=40 if turned else 0, ha="right" if turned else "center",
                    rotation_mode="anchor" if turned else "default")


def set_numbers(axes: Any, x: Sequence[float]) -> None:
    """Logarithmic where the levels ask for it, with themselves as ticks where there are few."""
    from matplotlib import ticker

    ends = min(x), max(x)
    if ends[0] > 0 and ends[1] >= 8 * ends[0] and len(x) <= MOST_WORDS:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    if len(set(x)) <= 6:
        axes.set_xticks(sorted(set(x)), [f"{value:g}" for value in sorted(set(x))])
        axes.xaxis.set_minor_locator(ticker.NullLocator())


# Alone and in pairs.


def pairs_text(tables: Tables) -> str:
    spec = tables.spec
    base = ", ".join(f"{axis}: {label}" for axis, label in spec.pairs.items())
    return (f"Percent of the base ({base}), on the same {tables.replicate_name}s. On the diagonal a level alone; above "
            f"it two together; below it, in italics, what the two give beyond the sum of both alone. Grey: no "
            f"difference shown, with the verdicts of all cells above, and of all below, together at 95 %.")


def draw_pairs(draw: Callable[..., Any], tables: Tables) -> None:
    by_metric: dict[str, list[dict[str, Any]]] = {}
    for row in pairs.rows(tables):
        by_metric.setdefault(row["metric"], []).append(row)
    places = pairs.places(tables.spec)[:MOST_PANELS]
    side = 1.2 + 0.44 * len(pairs.levels(tables.spec))
    for metric, rows in by_metric.items():
        columns, lines = grid_of(places)
        draw(f"pairs_{metric}", f"{metric}: alone and in pairs", pairs_text(tables),
             functools.partial(draw_matrices, tables, rows, places), (1.5 + side * columns, 1.6 + side * lines))


def draw_matrices(tables: Tables, rows: list[dict[str, Any]], places: list[tuple[str, ...]], figure: Any) -> None:
    """A panel for each place; rows come in the order of places, as many of each."""
    from matplotlib.colors import TwoSlopeNorm

    columns, lines = grid_of(places)
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    names = [pairs.level_name(tables.spec, level) for level in pairs.levels(tables.spec)]
    each = len(pairs.tried(tables.spec))
    known = numbers_of(rows, "difference_percent") + numbers_of(rows, "beyond_percent")
    limit = max((abs(value) for value in known), default=1) or 1
    for number, (axes, place) in enumerate(zip(grid.flat, places)):
        draw_matrix(axes, names, rows[number * each:(number + 1) * each], TwoSlopeNorm(0, -limit, limit))
        axes.set_title(shortened(pairs.place_name(tables.spec, place), 40), fontsize=9)
    hide_rest(grid, len(places))


def numbers_of(rows: list[dict[str, Any]], column: str) -> list[float]:
    return [row[column] for row in rows if row[column] is not None]


def draw_matrix(axes: Any, names: list[str], rows: list[dict[str, Any]], norm: Any) -> None:
    values = [[math.nan] * len(names) for _ in names]
    for row in rows:
        first, second = names.index(row["first"]), names.index(row["second"] or row["first"])
        cells = [(first, second, row["difference_percent"], row["verdict"])]
        if first != second:
            cells.append((second, first, row["beyond_percent"], row["beyond_verdict"]))
        for line, column, value, verdict in cells:
            if value is not None:
                values[line][column] = value
                axes.text(column, line, f"{value:+.1f}", ha="center", va="center", fontsize=7,
                          style="italic" if line > column else "normal",
                          color="black" if verdict in ("higher", "lower") else "0.55")
    axes.imshow(values, cmap="RdBu_r", norm=norm, alpha=0.55)
    axes.grid(False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(range(len(names)), [shortened(name) for name in names], fontsize=7)
    axes.tick_params(axis="x", labelrotation=60)


# The Pareto front.


def draw_front(draw: Callable[..., Any], tables: Tables, units: dict[str, str]) -> None:
    candidates = summaries.front(tables)
    if not candidates:
        return
    (first, first_word), (second, second_word) = tables.spec.pareto
    names = front_names(tables, candidates)
    text = (f"{first} ({first_word}) and {second} ({second_word}) of each design, with 95 % intervals. On the front no "
            f"other design is better in "
            "one and as good in the other, by the means. Not certain: no design of the front is better in both by more "
            "than the intervals.")
    if any(None in candidate.halves for candidate in candidates):
        text += " Designs without bars have no interval: their place is uncertain."
    absent = len(tables.of_design) - len(candidates)
    if absent:
        text += f" {absent} designs do not have both metrics and are left out."
    longest = max(len(name) for name in names.values())
    draw("pareto", f"Pareto front of {first} and {second}", text,
         functools.partial(draw_candidates, tables, candidates, names, units),
         (5.4 + 0.062 * max(longest, 24), 4.4))


def front_names(tables: Tables, candidates: list[Candidate]) -> dict[int, str]:
    """Numbered names of the designs on the front by design, in the order of the first metric."""
    ordered = sorted((c for c in candidates if c.place == "front"), key=lambda c: c.values)
    return {c.design: f"{number + 1}: " + shortened(summaries.design_name(tables.spec, c.design), 44)
            for number, c in enumerate(ordered)}


def draw_candidates(tables: Tables, candidates: list[Candidate], names: dict[int, str], units: dict[str, str],
                    figure: Any) -> None:
    axes = figure.subplots()
    for axis, values in ((axes.xaxis, [c.values[0] for c in candidates]),
                         (axes.yaxis, [c.values[1] for c in candidates])):
        set_front_axis(axis, values)
    looks = {"dominated": ("#999999", "o", "#999999"), "not certain": (COLORS[4], "o", "white"),
             "front": (COLORS[0], "o", COLORS[0])}
    for place, (color, shape, fill) in looks.items():
        there = [c for c in candidates if c.place == place]
        if not there:
            continue
        for i, side in enumerate(("xerr", "yerr")):
            known = [c for c in there if c.halves[i] is not None]
            if known:
                axes.errorbar(*zip(*(c.values for c in known)), **{side: [c.halves[i] for c in known]}, fmt="none",
                              ecolor=color,
                              elinewidth=0.8, capsize=2)
        axes.plot(*zip(*(c.values for c in there)), linestyle="none", marker=shape, color=color, markerfacecolor=fill,
                  markersize=5,
                  label={"front": "on the front", "not certain": "not certainly dominated"}.get(place, place))
    ordered = sorted((c for c in candidates if c.place == "front"), key=lambda c: c.values)
    axes.plot(*zip(*(c.values for c in ordered)), "--", color=COLORS[0], linewidth=0.9)
    if len(ordered) <= MOST_NAMES:
        tell_numbers(axes, ordered, names)
    (first, first_word), (second, second_word) = tables.spec.pareto
    axes.set_xlabel(label(first, units, f"better: {better(first_word, '←', '→')}"))
    axes.set_ylabel(label(second, units, f"better: {better(second_word, '↓', '↑')}"))
    handles, labels = axes.get_legend_handles_labels()
    listed = list(names.values())[:MOST_NAMES]
    if len(names) > MOST_NAMES:
        listed.append(f"and {len(names) - MOST_NAMES} more: see the table")
    from matplotlib.lines import Line2D

    legend_beside(axes, handles + [Line2D([], [], linestyle="none", label=name) for name in listed], handlelength=1.0)


def better(word: str, down: str, up: str) -> str:
    return down if word == "min" else up


def set_front_axis(axis: Any, values: Sequence[float]) -> None:
    """Logarithmic where the values ask for it."""
    from matplotlib import ticker

    if min(values) > 0 and max(values) >= 8 * min(values):
        axis._set_axes_scale("log")
        axis.set_major_locator(ticker.LogLocator(base=10, subs=(1, 2, 5), numticks=30))
        axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))


def tell_numbers(axes: Any, ordered: list[Candidate], names: dict[int, str]) -> None:
    """Beside their points; those of points that lie on each other in one text."""
    groups: list[Any] = []
    for c in ordered:
        place = axes.transAxes.inverted().transform(axes.transData.transform(c.values))
        if not groups or max(abs(place - groups[-1][0])) > 0.04:
            groups.append((place, c.values, []))
        groups[-1][2].append(names[c.design].split(":")[0])
    for _, values, numbers in groups:
        told = ", ".join(numbers) if len(numbers) < 4 else f"{numbers[0]}..{numbers[-1]}"
        axes.annotate(told, values, (5, 5), textcoords="offset points", color=COLORS[0], fontsize=8, fontweight="bold",
                      bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5}, zorder=5)
