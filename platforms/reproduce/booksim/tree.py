# SPDX-License-Identifier: Apache-2.0
"""Replays the births of BookSim2's packets in a fat tree, whose ways up both networks draw: mean latencies, list by
list."""

import math
import statistics

from reproduction import Findings, Row, exactly, holds
from reproduction.statistics import mean_confidence95
from tsuji.booksim.packets import mean_latency

from . import set_ups

TITLE = "A fat tree with drawn ways up"
SOURCE = "BookSim2 28f43299 (Jiang 2013); platforms/reproduce/booksim/README.md"
SET_UPS = {name: set_ups.SetUp(name) for name in set_ups.NAMES if name.startswith(set_ups.DRAWN)}
SEEDS = (1, 2, 3, 4)
ROWS = [Row("difference", f"mean latency less BookSim2's, mean over {len(SET_UPS)} lists", "0", unit="cycles"),
        Row("confidence", "its 95 % interval, +-", "-", unit="cycles"),
        Row("agree", "0 is in the interval", "-", holds()),
        Row("routers", "runs whose mean number of routers passed is not that by nearest common ancestors (nca)",
            "0", exactly(0), unit="runs")]


def seeds(setting):
    return SEEDS[:1] if setting.quick else SEEDS


def plan(setting):
    return {f"{name} {seed}": one.run(setting, {"seed": seed}) for name, one in SET_UPS.items()
            for seed in seeds(setting)}


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
    table = []
    for name, one in SET_UPS.items():
        here = [results[f"{name} {seed}"].metric("latency_cycles_mean") for seed in seeds(setting)]
        table.append({"set_up": name, "packets": len(one.packets),
                      "booksim_latency_mean_cycles": mean_latency(one.packets),
                      "latency_mean_cycles": sum(here) / len(here)})
    mean, half = mean_confidence95([line["latency_mean_cycles"] - line["booksim_latency_mean_cycles"]
                                    for line in table])
    values = {"difference": mean, "confidence": half, "agree": abs(mean) <= half,
              "routers": other_routes(setting, results)}

    def draw(figure):
        axes = figure.subplots()
        for label, column in (("BookSim2", "booksim_latency_mean_cycles"),
                              ("replay, mean of its seeds", "latency_mean_cycles")):
            axes.plot([line["set_up"] for line in table], [line[column] for line in table], "o", label=label)
        axes.set_ylabel("mean latency (cycles)")
        axes.legend()
        axes.set_title("The same births in a 4-ary 3-tree")

    return Findings(values, table, draw)
