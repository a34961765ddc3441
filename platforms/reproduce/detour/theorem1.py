# SPDX-License-Identifier: Apache-2.0
"""Theorem 1: with one FA and one UD channel every message arrives, on k-ary n-cubes of several k and n, with random
connected fault sets, far above saturation, and drained. The same without block timeout deadlocks."""

import csv
import io
import math
import re

from reproduction import Findings, Row, Run, exactly

TITLE = "Freedom from deadlock with one FA and one UD channel"
SOURCE = "Yoshinaga 2004, section 2.5, theorem 1"
# Radices, dead links and dead nodes of the random sets.
CUBES = [([4], 1, 0), ([5], 1, 0), ([8], 1, 0), ([4, 4], 3, 1), ([5, 5], 4, 2), ([10, 10], 8, 6), ([3, 3, 3], 5, 2),
         ([4, 4, 4], 8, 4),
         ([2, 2, 2, 2], 4, 1)]
QUICK = [([4, 4], 3, 1), ([3, 3, 3], 5, 2)]
SEEDS = [0, 1, 2]  # 0: no faults
SWITCHING = ["wormhole", "virtual_cut_through", "store_and_forward"]
FLITS = [1, 16, 40]
CONTROL = [10, 10]
DEADLOCK = re.compile(r"^deadlock: \d+ packets wait only for each other", re.MULTILINE)  # of a run's report
ROWS = [
    Row("lost", "messages born and not delivered", "0: every message arrives", exactly(0), unit="messages"),
    Row("adaptive", "pairs of nodes to which the FA channel offers all shortest routes, without faults, all cubes",
        "fully adaptive without faults", exactly(100), unit="%", runs=("use *",)),
    Row("delivered", "messages delivered", "-", unit="messages"),
    Row("runs", "networks drained", "-", unit="runs"),
    Row("load", "offered over accepted load, the least", "-"),
    Row("recovered", "messages that end in recovery, the most of any run", "-", unit="%"),
    Row("control", "without block timeout, 10x10, messages of 16 flits: heads of the run's report", "deadlock",
        exactly("deadlock")),
    Row("controls", "networks in wormhole switching that deadlock without block timeout", "-", unit="% of runs"),
]


def keys(radices, links, nodes, seed, switching, flits):
    faults = {"faults.random_links": links, "faults.random_routers": nodes, "faults.seed": seed} if seed else {}
    return {"topology.kind": "torus", "topology.radices": radices, "routing.kind": "detour_ud", "router.vcs": 2,
            "router.switching": switching,
            "router.buffer_flits": 8 if switching == "wormhole" else max(8, flits), "traffic.packet_flits": flits,
            "traffic.load_flits_per_node_cycle": 1, "traffic.to_self": False, "traffic.last_cycle": 1999,
            "measure.warmup_cycles": 0,
            "measure.cycles": 2000, "measure.drain_cycles": 10_000_000, **faults}


def cases(quick):
    return [(radices, links, nodes, seed) for radices, links, nodes in (QUICK if quick else CUBES) for seed in SEEDS]


def cubes(quick):
    return [radices for radices, _, _ in (QUICK if quick else CUBES)]


def use_name(radices):
    return f"use {'x'.join(map(str, radices))}"


def adaptive_percent(results, quick):
    """Of all pairs of nodes, by --print-vcs: those to which channel 0 offers all shortest routes."""
    offered = pairs = 0
    for radices in cubes(quick):
        lines = csv.DictReader(io.StringIO(results[use_name(radices)].printed))
        offered += sum(int(line["all_shortest"]) for line in lines if (line["packets"], line["vc"]) == ("normal", "0"))
        nodes = math.prod(radices)
        pairs += nodes * (nodes - 1)
    return 100 * offered / pairs


def name(radices, seed, switching, flits):
    return f"{'x'.join(map(str, radices))}, set {seed}, {switching}, {flits} flits"


def plan(setting):
    runs = {name(radices, seed, switching, flits): Run("network",
                                                       keys=keys(radices, links, nodes, seed, switching, flits),
                                                       seconds=0.3)
            for radices, links, nodes, seed in cases(setting.quick) for switching in SWITCHING for flits in FLITS}
    for radices in cubes(setting.quick):
        runs[use_name(radices)] = Run("network", keys={"topology.kind": "torus", "topology.radices": radices,
                                                       "routing.kind": "detour_ud", "router.vcs": 2},
                                      options=("--print-vcs",), seconds=0.1, prints=True)
    endless = {"router.block_timeout_cycles": 65535, "router.hop_limit": 0}
    for radices, links, nodes, seed in cases(setting.quick) + [(CONTROL, 0, 0, 0)]:
        for flits in FLITS:
            runs["control: " + name(radices, seed, "wormhole", flits)] = Run(
                "network", keys={**keys(radices, links, nodes, seed, "wormhole", flits), **endless}, seconds=0.3,
                may_fail=True)
    return runs


def line(radices, seed, switching, flits, result):
    born, delivered = (result.metric(metric) for metric in ("packets_born", "packets_delivered"))
    return {"cube": "x".join(map(str, radices)), "fault_set": seed, "switching": switching, "message_flits": flits,
            "born": born,
            "delivered": delivered, "offered_flits_per_node_cycle": result.metric("offered_flits_per_node_cycle"),
            "accepted_flits_per_node_cycle": result.metric("accepted_flits_per_node_cycle"),
            "recovered_percent": 100 * result.metric("measured_recovered_share"),
            "recoveries_by_hops": result.metric("recoveries_by_hops"), "cycles": result.metric("simulated_cycles")}


def report(result):
    """`deadlock` if the run ended by one; else what it says instead."""
    if result.failure is None:
        return "drained"
    return "deadlock" if DEADLOCK.search(result.failure) else result.failure


def evaluate(setting, results):
    table = [line(radices, seed, switching, flits, results[name(radices, seed, switching, flits)])
             for radices, _, _, seed in cases(setting.quick) for switching in SWITCHING for flits in FLITS]
    controls = [report(result) for key, result in results.items() if key.startswith("control: ")]
    values = {
        "lost": sum(entry["born"] - entry["delivered"] for entry in table),
        "adaptive": adaptive_percent(results, setting.quick),
        "delivered": sum(entry["delivered"] for entry in table),
        "runs": len(table), "load": min(entry["offered_flits_per_node_cycle"] / entry["accepted_flits_per_node_cycle"]
                                        for entry in table),
        "recovered": max(entry["recovered_percent"] for entry in table),
        "control": report(results["control: " + name(CONTROL, 0, "wormhole", 16)]),
        "controls": 100 * sum(text == "deadlock" for text in controls) / len(controls)}
    notes = ["every node offers a flit in every cycle for 2,000 cycles, which its link bounds; the smallest cubes "
             "accept more than half of that",
             "nothing lost or duplicated: each run compares what went in and came out, packet by packet, and fails "
             "otherwise"]
    return Findings(values, table, lambda figure: draw(figure, table), notes)


def draw(figure, table):
    axes = figure.subplots()
    cubes = list(dict.fromkeys(entry["cube"] for entry in table))
    for index, flits in enumerate(FLITS):
        for which, switching in enumerate(SWITCHING):
            chosen = [entry for entry in table if entry["message_flits"] == flits and entry["switching"] == switching]
            axes.plot([cubes.index(entry["cube"]) + 0.08 * (3 * index + which - 4) for entry in chosen],
                      [entry["recovered_percent"] for entry in chosen], "osv"[which], markersize=4, color=f"C{index}",
                      label=f"{flits} flits, {switching}")
    axes.set_xticks(range(len(cubes)), cubes)
    axes.set_ylabel("messages in recovery (%)")
    axes.set_ylim(0, 100)
    axes.legend(fontsize=6, ncol=3, loc="upper center")
    axes.set_title("all delivered: 1 FA + 1 UD, full load")
