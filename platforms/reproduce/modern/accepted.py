# SPDX-License-Identifier: Apache-2.0
"""Accepted load of routings under two patterns, at given offered loads."""

from reproduction import Run

ROUTINGS = {"minimal": {"routing.kind": "minimal"}, "valiant": {"routing.kind": "valiant"},
            "ugal": {"routing.kind": "ugal", "routing.adaptive_threshold": 0},
            "ugal_vc": {"routing.kind": "ugal", "routing.adaptive_threshold": 0, "routing.queue": "vcs"},
            "ugal_vch": {"routing.kind": "ugal", "routing.adaptive_threshold": 0, "routing.queue": "hybrid"},
            "par": {"routing.kind": "par", "routing.adaptive_threshold": 0},
            "in_transit": {"routing.kind": "in_transit", "routing.adaptive_threshold": 0},
            "dal": {"routing.kind": "dal", "router.switching": "virtual_cut_through"},
            "omni_war": {"routing.kind": "omni_war"}}


def plan(config, points, quick, seconds=2, group_offset=1):
    """Runs by name, "PATTERN ROUTING LOAD", of (pattern, routing, offered load). `group_offset` of the adversarial
    pattern."""
    runs = {}
    for pattern, routing, load in points:
        keys = {**ROUTINGS[routing], "traffic.pattern": pattern, "traffic.load_flits_per_node_cycle": load}
        if pattern == "adversarial":
            keys["traffic.group_offset"] = group_offset
        if quick:
            keys.update({"measure.warmup_cycles": 1500, "measure.cycles": 1000})
        runs[f"{pattern} {routing} {load}"] = Run("network", config, keys, seconds=seconds)
    return runs


def table(points, results):
    """A line for each point."""
    return [{"pattern": pattern, "routing": routing, "offered": load,
             "accepted": accepted(results, pattern, routing, load)} for pattern, routing, load in points]


def accepted(results, pattern, routing, load):
    """In flits/node/cycle."""
    return results[f"{pattern} {routing} {load}"].metric("accepted_flits_per_node_cycle")


def draw(figure, title, lines):
    """Accepted against offered load, a panel for each pattern."""
    patterns = sorted({line["pattern"] for line in lines})
    for axes, pattern in zip(figure.subplots(1, len(patterns), squeeze=False)[0], patterns):
        for routing in ROUTINGS:
            points = [line for line in lines if line["pattern"] == pattern and line["routing"] == routing]
            if points:
                axes.plot([line["offered"] for line in points], [line["accepted"] for line in points], "o-",
                          label=routing)
        axes.set_xlabel("offered load (flits/node/cycle)")
        axes.set_title(pattern)
        axes.legend()
    figure.suptitle(title)
