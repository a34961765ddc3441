# SPDX-License-Identifier: Apache-2.0
"""Levels of a study's axes alone and in pairs: what each changes from a base, and what two change beyond the sum."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, TYPE_CHECKING

from .statistics import holm
from .tables import with_verdict

if TYPE_CHECKING:
    from .study_file import Spec
    from .tables import Tables

Level = tuple[int, str]  # position of its axis, label
# Columns of what lies beyond the sum, by those of a difference.
BEYOND = {**{f"difference{end}": f"beyond{end}" for end in ("", "_confidence95", "_percent", "_percent_confidence95")},
          "verdict": "beyond_verdict"}


def levels(spec: Spec) -> list[Level]:
    """Levels that are tried, in the order of the axes: all of the axes of `pairs` but their bases."""
    names = [axis.name for axis in spec.axes]
    return [(names.index(name), level.label) for name, base in spec.pairs.items()
            for level in spec.axes[names.index(name)].levels if level.label != base]


def level_name(spec: Spec, level: Level) -> str:
    axis, label = level
    return f"{spec.axes[axis].name}: {label}"


def places(spec: Spec) -> list[tuple[str, ...]]:
    """Labels of the other axes, one of each, in the order of the designs; those of the axes of `pairs` are bases."""
    return list(itertools.product(*([spec.pairs[axis.name]] if axis.name in spec.pairs
                                    else [level.label for level in axis.levels] for axis in spec.axes)))


def place_name(spec: Spec, place: tuple[str, ...]) -> str:
    return ", ".join(label for axis, label in zip(spec.axes, place) if axis.name not in spec.pairs)


def tried(spec: Spec) -> list[tuple[Level, ...]]:
    """Each level alone, and each two of different axes."""
    every = levels(spec)
    return [(level,) for level in every] + [two for two in itertools.combinations(every, 2) if two[0][0] != two[1][0]]


def rows(tables: Tables) -> list[dict[str, Any]]:
    """A row for each metric, place, and level or two: the difference from the base on the same replicates, and what
    of it lies beyond the sum of the two alone. Verdicts hold for all rows of a metric together, those of differences
    and those of what lies beyond each for themselves. A metric that no base has gives no rows."""
    spec = tables.spec
    found: list[dict[str, Any]] = []
    for metric in tables.replicate_metrics() if spec.pairs else []:
        of_metric = list(contrasts(tables, metric))
        if any(difference["base_mean"] is not None for _, difference, _ in of_metric):
            ends = [judged([row[part] for row in of_metric]) for part in (1, 2)]
            found += [{**head, **difference, **{column: beyond[name] if beyond else None
                                                for name, column in BEYOND.items()}}
                      for (head, _, _), difference, beyond in zip(of_metric, *ends)]
    return found


def contrasts(tables: Tables, metric: str) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]]:
    spec = tables.spec
    by_labels = {design.labels: design.number for design in spec.designs}

    def at(place: tuple[str, ...], *changed: Level) -> int:
        labels = list(place)
        for axis, label in changed:
            labels[axis] = label
        return by_labels[tuple(labels)]

    for place in places(spec):
        base = at(place)
        for some in tried(spec):
            head = {**{axis.name: label for axis, label in zip(spec.axes, place) if axis.name not in spec.pairs},
                    "metric": metric, "first": level_name(spec, some[0]),
                    "second": level_name(spec, some[1]) if len(some) == 2 else ""}
            alone = [at(place, level) for level in some]
            beyond = tables.contrast(metric, [at(place, *some), base], alone, base) if len(some) == 2 else None
            yield head, tables.contrast(metric, [at(place, *some)], [base], base), beyond


def judged(contrasted: list[dict[str, Any] | None]) -> list[dict[str, Any] | None]:
    """With the verdicts of all of them together; None stays."""
    known = [row for row in contrasted if row is not None]
    ends = iter(holm([row["p"] for row in known]))
    return [None if row is None else with_verdict(row, *next(ends)) for row in contrasted]
