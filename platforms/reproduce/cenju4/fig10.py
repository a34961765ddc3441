# SPDX-License-Identifier: Apache-2.0
"""Barriers of nodes 0 to N - 1 of one machine of 32, by five methods. A node sends to itself, too."""

import math

from reproduction import Findings, Row, at_most, below, holds, within

from . import machine

TITLE = "Barrier of N of 32 nodes"
SOURCE = "Kanoh 2000, section 6.3 and fig. 10"
SIZES, QUICK = [1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32], [2, 8, 32]
METHODS = {"A": "all_to_all", "B": "binary_tree", "C": "atomic_add", "D": "multicast_add", "E": "synchronization"}
NAMES = {"A": "A: single casts, all to all", "B": "B: binary tree", "C": "C: single-cast atomic adds",
         "D": "D: multicast atomic add",
         "E": "E: synchronization packets"}
SLOW_POLL_NS = 3000
STAGES, STAGE_NODES = (2, 4), 16  # of machines of one board and of two in a row
ROWS = [
    Row("e", "E, farthest of all N from 5 us", "about 5 us", within(5, 0.4), unit="us",
        points=tuple((0, nodes, 5) for nodes in (2, 32)), runs=("E [0-9]*",)),
    Row("e_slope", "E: rise from 2 to 32 nodes, a doubling", "independent of N", below(2), unit="%",
        runs=("E 2", "E 32")),
    Row("e_stage", f"E, one node alone: rise for a stage of switches more, from {STAGES[0]} to {STAGES[1]}",
        "decided by the number of stages, of 200 ns each (section 3)", within(200, 6), unit="ns", runs=("E stages *",)),
    Row("order", "at 32 nodes: E < D < A and C", "figure", holds(), runs=("[ACDE] 32",)),
    Row("d_rise", "D: 32 nodes over 2", "rises little", at_most(2), runs=("D 2", "D 32")),
    Row("at_32", f"at 32 nodes: {', '.join(METHODS)}", "figure", unit="us"),
    Row("at_2", f"at 2 nodes: {', '.join(METHODS)}", "figure", unit="us"),
    Row("hardware", f"at 32 nodes, with software that takes no time: {', '.join(METHODS)}", "-", unit="us"),
    Row("short", "E at 32 nodes, short headers, FIFOs of one packet", "about 5 us", unit="us", number=5,
        reading_of=("e",), runs=("E 32 short headers",)),
    Row("d_node", "D: a node more, from 16 to 32; and with a poll loop of 3 us", "-", unit="us"),
]


def barrier(method, nodes, config=machine.CONFIG, **keys):
    return machine.run("barrier", {"barrier_method": METHODS[method], "barrier_members": nodes, "barrier_rounds": 20,
                                   **keys}, 0.1, config)


def plan(setting):
    runs = {f"{method} {nodes}": barrier(method, nodes) for method in METHODS
            for nodes in (QUICK if setting.quick else SIZES)}
    for method in METHODS:
        runs[f"{method} hardware"] = barrier(method, 32, **machine.NO_SOFTWARE)
    runs["E 32 short headers"] = barrier("E", 32, machine.SHORT_HEADERS)
    for stages in STAGES:
        runs[f"E stages {stages}"] = barrier("E", 1, "", **{"network.nodes": STAGE_NODES,
                                                            "network.stages": stages})
    for nodes in (16, 32):
        runs[f"D {nodes} slow poll"] = barrier("D", nodes, **{"software.poll_loop_ns": SLOW_POLL_NS})
    return runs


def evaluate(setting, results):
    sizes = QUICK if setting.quick else SIZES
    us = {method: {nodes: results[f"{method} {nodes}"].metric("barrier_time_us") for nodes in sizes}
          for method in METHODS}
    table = [{"method": NAMES[method], "nodes": nodes, "barrier_us": time} for method, times in us.items()
             for nodes, time in times.items()]
    at_32 = {method: times[32] for method, times in us.items()}
    slow = [results[f"D {nodes} slow poll"].metric("barrier_time_us") for nodes in (16, 32)]
    by_stages = [results[f"E stages {stages}"].metric("barrier_time_us") for stages in STAGES]
    values = {"e": max(us["E"].values(), key=lambda time: abs(time - 5)),
              "e_slope": 100 * ((us["E"][32] / us["E"][2]) ** (1 / math.log2(16)) - 1),
              "e_stage": 1000 * (by_stages[1] - by_stages[0]) / (STAGES[1] - STAGES[0]),
              "order": at_32["E"] < at_32["D"] < min(at_32["A"], at_32["C"]), "d_rise": us["D"][32] / us["D"][2],
              "at_32": list(at_32.values()), "at_2": [times[2] for times in us.values()],
              "short": results["E 32 short headers"].metric("barrier_time_us"),
              "hardware": [results[f"{method} hardware"].metric("barrier_time_us") for method in METHODS]}
    if not setting.quick:
        values["d_node"] = [(us["D"][32] - us["D"][16]) / 16, (slow[1] - slow[0]) / 16]
    notes = ["mean of 20 barriers, one after the other; the members' counters are compared with the number of barriers",
             "A, C: a node sends to the node after it first and to itself last; B: children of node i are 2i + 1 and "
             "2i + 2"]
    return Findings(values, table, lambda figure: draw(figure, us, sizes), notes)


def draw(figure, us, sizes):
    axes = figure.subplots()
    for index, method in enumerate(METHODS):
        axes.plot(sizes, list(us[method].values()), "o-", color=f"C{index}", markersize=4, linewidth=1,
                  label=NAMES[method])
    axes.set_xlabel("N (nodes)")
    axes.set_ylabel("barrier (us)")
    axes.set_xlim(0, 33)
    axes.set_ylim(bottom=0)
    axes.legend()
    axes.set_title(TITLE, fontsize=10)
