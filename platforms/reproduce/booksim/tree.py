# SPDX-License-Identifier: Apache-2.0
"""Replays the births of BookSim2's packets in a fat tree, whose ways up both networks draw: mean latencies, list by
list."""

import math
import statistics

from reproduction import Findings, Row, exactly, holds
from reproduction.statistics import mean_confidence95

from . import drawn, set_ups

TITLE = "A fat tree with drawn ways up"
SOURCE = "BookSim2 28f43299 (Jiang 2013); platforms/reproduce/booksim/README.md"
SET_UPS = {name: set_ups.SetUp(name) for name in set_ups.NAMES if name.startswith("tree")}
ROWS = [Row("difference", f"mean latency less BookSim2's, mean over {len(SET_UPS)} lists", "0", unit="cycles"),
        Row("confidence", "its 95 % interval, +-", "-", unit="cycles"),
        Row("agree", "0 is in the interval", "-", holds()),
        Row("routers", "runs whose mean number of routers passed is not that by nearest common ancestors (nca)",
            "0", exactly(0), unit="runs")]


def seeds(setting):
    return drawn.SEEDS[:1] if setting.quick else drawn.SEEDS


def plan(setting):
    return drawn.plan(setting, SET_UPS, seeds(setting))


def routers_passed(one, packet):
    """By the nearest common ancestor of a packet's ends."""
    arity, source, to = int(one.values["k"]), packet.source, packet.destination
    levels = 1
    while source // arity != to // arity:
        source, to, levels = source // arity, to // arity, levels + 1
    return 2 * levels - 1


def other_routes(setting, results):
    """Number of runs whose packets pass other numbers of routers, as a mean."""
    return sum(not math.isclose(results[f"{name} {seed}"].metric("hops_mean"),
                                statistics.fmean(routers_passed(one, packet) for packet in one.packets))
               for name, one in SET_UPS.items() for seed in seeds(setting))


def evaluate(setting, results):
    table = drawn.table(SET_UPS, results, seeds(setting))
    mean, half = mean_confidence95(drawn.differences(table))
    values = {"difference": mean, "confidence": half, "agree": abs(mean) <= half,
              "routers": other_routes(setting, results)}
    return Findings(values, table, lambda figure: drawn.draw(figure, "The same births in a 4-ary 3-tree", table))
