# SPDX-License-Identifier: Apache-2.0
"""Random graphs of the study, and what is said of many of them."""

import math

from reproduction import Run

SEEDS = range(1, 101)


def seeds(quick):
    return SEEDS[:5] if quick else SEEDS


def study(kind, nodes, wire_length, count, seconds, **more):
    """Questions to `count` graphs of degree 4 from seed 1 on; keys of the study with _ instead of the first
    dot."""
    keys = {"study.kind": kind, "study.seeds": count, "topology.nodes": nodes, "topology.degree": 4,
            "topology.wire_length": wire_length}
    keys.update({key.replace("_", ".", 1): value for key, value in more.items()})
    return Run("compact_study", "", keys, seconds=seconds)


def entry_list(entries):
    return f"[{','.join(map(str, entries))}]"


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def spread(values):
    """Standard deviation over the graphs."""
    values = list(values)
    if len(values) < 2:
        return 0.0
    middle = mean(values)
    return math.sqrt(sum((value - middle)**2 for value in values) / (len(values) - 1))


def fitting(lines, *entries):
    """Seeds of the graphs whose mandatory entries fit into every one of these numbers: one set for a comparison."""
    refused = {line["seed"] for line in lines if line["asked"] in entries and line["fits"] != 1}
    return sorted({line["seed"] for line in lines} - refused)


def hops(result, entries):
    """Lines of a study's table `hops`, with the number of entries that was asked for."""
    lines = result.table("hops")
    return [{**line, "asked": entries[place % len(entries)]} for place, line in enumerate(lines)]
