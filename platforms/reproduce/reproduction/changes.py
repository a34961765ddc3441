# SPDX-License-Identifier: Apache-2.0
"""A changed paper: keys that every run of an ID gets on top (--set), and figures of variant and base together
(--against)."""

import dataclasses

from tsuji.errors import Refused
from tsuji.runs import check


def parse(assignments):
    """KEY=VALUE words as a dict."""
    keys = {}
    for word in assignments:
        key, sign, value = word.partition("=")
        if not sign or not key or not value:
            raise Refused("", "--set", "not an assignment", word, "KEY=VALUE")
        keys[key] = value
    return keys


def name(keys):
    """Of a change, for titles, legends and folders."""
    return ", ".join(f"{key} = {value}" for key, value in keys.items())


def changed(plan, keys, platforms):
    """(plan, number): the runs with all of the keys set, and how many of them read them. A run that does not read the
    keys, or refuses them, stays as it is; Refused where all do."""
    names = [each for each, run in plan.items() if run.platform]
    variants = [dataclasses.replace(plan[each], keys={**plan[each].keys, **keys}) for each in names]
    as_it_is = check([plan[each] for each in names], platforms)
    answers = check(variants, platforms)
    new, number, refusal = dict(plan), 0, ""
    for each, variant, before, answer in zip(names, variants, as_it_is, answers):
        if answer.refused and not before.refused:
            refusal = refusal or answer.refused
        elif not answer.refused:
            new[each] = variant
            number += answer.name != before.name
    if number == 0:
        if refusal:
            raise Refused(refusal)
        raise Refused("", "--set", "changes no run of the ID", name(keys), "another value")
    return new, number


class Half:
    """One half of a figure, for a drawing that takes a whole one."""

    def __init__(self, figure):
        self.figure, self.size = figure, None

    def __getattr__(self, attribute):
        return getattr(self.figure, attribute)

    def set_size_inches(self, *size):
        self.size = size[0] if len(size) == 1 else size


def holds_lines_alone(axes):
    return bool(axes.get_lines()) and not axes.patches and not axes.images and not axes.tables and not axes.collections


def overlay(figure, variant, change):
    """Adds the variant's lines to the base's axes: dashed, with hollow markers, and room for both."""
    for axes, other in zip(figure.axes, variant.axes):
        known = [line.get_xydata().tolist() for line in axes.get_lines()]
        ends = zip(axes.get_xlim() + axes.get_ylim(), other.get_xlim() + other.get_ylim())
        left, right, bottom, top = (choose(pair) for choose, pair in zip((min, max, min, max), ends))
        for line in other.get_lines():
            if line.get_xydata().tolist() in known:
                continue  # a paper's line, or one that has not changed
            label = line.get_label()
            axes.plot(*line.get_xydata().T, linestyle="none" if line.get_linestyle() == "None" else "--",
                      marker=line.get_marker(),
                      markerfacecolor="white", color=line.get_color(), linewidth=line.get_linewidth(),
                      label=label if label.startswith("_") else f"{label}, {change}")
        if not axes.xaxis_inverted() and not axes.yaxis_inverted():
            axes.set(xlim=(left, right), ylim=(bottom, top))
        if axes.get_legend() is not None:
            axes.legend()


def drawing(base, variant, change):
    """A function that draws both on a figure: lines on the same axes, anything else side by side."""
    def draw(figure):
        from matplotlib.figure import Figure

        trial, other = Figure(), Figure()
        base(trial)
        variant(other)
        if len(trial.axes) == len(other.axes) and all(holds_lines_alone(axes) for axes in trial.axes + other.axes):
            base(figure)
            overlay(figure, other, change)
        else:
            side_by_side(figure, base, variant, change)

    return draw


def side_by_side(figure, base, variant, change):
    halves = [Half(half) for half in figure.subfigures(1, 2)]
    for half, draw, title in zip(halves, (base, variant), ("base", change)):
        draw(half)
        before = half.figure._suptitle.get_text() if half.figure._suptitle else ""
        half.figure.suptitle(f"{title}: {before}" if before else title)
    width, height = halves[0].size or figure.get_size_inches()
    figure.set_size_inches(2 * width, height)
