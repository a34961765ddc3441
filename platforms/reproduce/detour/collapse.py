# SPDX-License-Identifier: Apache-2.0
"""Throughput, hops and nodes that are cut off as nodes die at random, connected or not, until the network falls
apart."""

import random
import statistics

from reproduction import Findings, Row

from . import routers

TITLE = "Until the network falls apart"
SOURCE = "in no paper"
DEAD = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70]
SEEDS = range(1, 9)
BYTES = 64
NODES = 100
ROWS = [Row(f"dead_{dead}",
            f"{dead} dead nodes: cut off nodes, bandwidth of a living node, hops, shortest hops, in recovery", "-",
            unit="nodes / MB/s / hops / hops / %") for dead in DEAD]


def shown(quick):
    return ([0, 20], [1]) if quick else (DEAD, SEEDS)


def draws(dead, seed):
    """Of one seed each set holds the smaller ones."""
    return sorted(random.Random(seed).sample(range(NODES), NODES)[:dead])


def name(dead, seed):
    return f"{dead} dead, seed {seed}"


def plan(setting):
    numbers, seeds = shown(setting.quick)
    return {name(dead, seed): routers.run("ud", "random", BYTES, {"faults.routers": draws(dead, seed)} if dead else {})
            for dead in numbers for seed in seeds}


def line(dead, seed, result):
    def metric(key, otherwise):
        return result.metric(key) if key in result.json["metrics"] else otherwise

    living = metric("living_nodes", NODES)
    return {"dead_nodes": dead, "seed": seed, "living_nodes": living, "cut_off_nodes": metric("cut_off_routers", 0),
            "bandwidth_mb_s": routers.bandwidth_mb("ud", result),
            "bandwidth_of_a_node_mb_s": routers.bandwidth_mb("ud", result) / living,
            "hops": result.metric("hops_mean"), "shortest_hops": metric("shortest_hops_mean", None),
            "latency_us": routers.latency_us("ud", result),
            "recovered_percent": 100 * routers.recovered_share("ud", result)}


def mean(table, dead, key):
    values = [entry[key] for entry in table if entry["dead_nodes"] == dead and entry[key] is not None]
    return statistics.fmean(values) if values else None


def evaluate(setting, results):
    numbers, seeds = shown(setting.quick)
    table = [line(dead, seed, results[name(dead, seed)]) for dead in numbers for seed in seeds]
    values = {f"dead_{dead}": [mean(table, dead, key) for key in
                               ("cut_off_nodes", "bandwidth_of_a_node_mb_s", "hops", "shortest_hops",
                                "recovered_percent")]
              for dead in numbers}
    notes = ["means over 8 random orders in which nodes die; the largest connected part lives on",
             "hops: routers visited; random nodes, 64 B"]
    return Findings(values, table, lambda figure: draw(figure, table, numbers), notes)


def draw(figure, table, numbers):
    figure.set_size_inches(10, 4)
    panels = figure.subplots(1, 3)
    for axes, keys, unit in zip(panels, (("living_nodes", "cut_off_nodes"), ("bandwidth_of_a_node_mb_s",),
                                         ("hops", "shortest_hops")),
                                ("nodes", "bandwidth of a living node (MB/s)", "hops")):
        for index, key in enumerate(keys):
            means = [(dead, mean(table, dead, key)) for dead in numbers if mean(table, dead, key) is not None]
            axes.plot(*zip(*means), "o-", markersize=3, color=f"C{index}", label=key.replace("_", " "))
            axes.plot([entry["dead_nodes"] for entry in table], [entry[key] for entry in table], ".", markersize=2,
                      color=f"C{index}")
        axes.set_xlabel("dead nodes of 100")
        axes.set_ylabel(unit)
        axes.set_ylim(bottom=0)
        axes.legend()
