# SPDX-License-Identifier: Apache-2.0
"""Curves of routers and numbers of dead nodes."""

import statistics

from . import routers

COLOURS = {"dm": "C7", "duato": "C2", "nf": "C1", "ud": "C0"}
STYLES = {0: "-", 2: "--", 4: ":"}


def label(router, dead):
    return routers.ROUTERS[router].label + (f", {dead} dead" if dead else "")


def panels(figure):
    """Without and with faults, as the paper's (a) and (b)."""
    figure.set_size_inches(10, 4.2)
    left, right = figure.subplots(1, 2, sharey=True)
    left.set_title("(a) without faults")
    right.set_title("(b) with dead nodes; x: random sets, bars: their range")
    return (left, lambda dead: dead == 0), (right, lambda dead: dead > 0)


def router_style(router, dead):
    return COLOURS[router], label(router, dead)


def curves(axes, found, chosen, x, y, spread=True, style=router_style):
    """`x` and `y`: functions of (router, result), or x None for the points themselves. Lines are means over the
    canonical sets, crosses those over random ones. `style(router, dead)`: colour and label."""
    for router, dead in found.exchange.series:
        if not chosen(dead) or not found.has(router, dead):
            continue

        def means(what, kind="canonical"):
            return [found.mean(what, router, dead, point, kind) for point in found.points]

        xs = means(x) if x else found.points
        colour, name = style(router, dead)
        axes.plot(xs, means(y), STYLES[dead], marker="o", markersize=3, linewidth=1, color=colour, label=name)
        if spread and found.has(router, dead, "random"):
            values = [found.spread(y, router, dead, point, "random") for point in found.points]
            middle = [statistics.fmean(value) for value in values]
            bars = [[mean - min(value) for mean, value in zip(middle, values)],
                    [max(value) - mean for mean, value in zip(middle, values)]]
            axes.errorbar(means(x, "random") if x else xs, middle, bars, fmt="x", markersize=4, linewidth=0.6,
                          color=colour)


def size_axis(axes, points, y):
    axes.set_xscale("log", base=2)
    axes.set_xticks(points, [str(point) for point in points], fontsize=7)
    axes.set_xlabel("message (bytes)")
    axes.set_ylabel(y)
    axes.set_ylim(bottom=0)
