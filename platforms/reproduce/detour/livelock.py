# SPDX-License-Identifier: Apache-2.0
"""Messages that go round without recovery: states from which no choice of FA channels ever arrives, and recoveries by
the hop limit, against the number of dead nodes and the distance of the fault regions."""

import re

from reproduction import Findings, Row, Run, exactly

from . import routers

TITLE = "Livelock: hopeless states and recoveries by the hop limit"
SOURCE = "in no paper (Yoshinaga 2004 is silent; decision of the project)"
DEAD = [1, 2, 4, 8, 16]
DISTANCES = [1, 2, 3, 4]
SEEDS = range(1, 9)
LOADS = [0.02, 0.3]  # flits/node/cycle: empty, and about saturation
FLITS = 16
ROWS = [
    Row("lost", "messages born and not delivered", "-", exactly(0), unit="messages"),
    Row("delivered", "messages delivered", "-", unit="messages"),
    *[Row(f"hopeless_{distance}",
          f"states that never arrive but by recovery, distance {distance}, by dead nodes {DEAD}: of a million", "-",
          unit="states") for distance in DISTANCES],
    *[Row(f"circling_{distance}", f"states on circles, distance {distance}: of a million", "-", unit="states")
      for distance in DISTANCES],
    *[Row(f"hops_{distance}",
          f"recoveries by the hop limit, distance {distance}, load {LOADS[0]}: of a million messages", "-",
          unit="messages") for distance in DISTANCES],
]


def shown(quick):
    """Dead nodes, distances, seeds."""
    return ([4], [1, 2], [1]) if quick else (DEAD, DISTANCES, SEEDS)


def keys(dead, distance, seed):
    return {"topology.kind": "torus", "topology.radices": [10, 10], "router.vcs": 4, **routers.ROUTERS["ud"].keys,
            "routing.region_distance": distance, "faults.random_routers": dead, "faults.seed": seed}


def cases(quick):
    dead, distances, seeds = shown(quick)
    return [(number, distance, seed) for number in dead for distance in distances for seed in seeds]


def plan(setting):
    runs = {}
    for case in cases(setting.quick):
        runs[f"check {case}"] = Run("network", keys=keys(*case), options=("--check-deadlock",), seconds=0.2,
                                    prints=True)
        for load in LOADS:
            runs[f"load {load} {case}"] = Run("network", keys={
                **keys(*case), "traffic.to_self": False, "traffic.load_flits_per_node_cycle": load,
                "traffic.packet_flits": FLITS,
                "traffic.last_cycle": 4999, "measure.warmup_cycles": 0, "measure.cycles": 5000,
                "measure.drain_cycles": 10_000_000}, seconds=0.4)
    return runs


def counts(text):
    """Hopeless states, states on circles, all states: of the check's second verdict."""
    circling, states = re.search(r"^(\d+) of (\d+) states are on", text, re.MULTILINE).groups()
    return int(re.search(r"^(\d+) states never arrive but by recovery", text,
                         re.MULTILINE)[1]), int(circling), int(states)


def line(case, results):
    hopeless, circling, states = counts(results[f"check {case}"].printed)
    entry = dict(zip(("dead_nodes", "region_distance", "seed"), case))
    entry.update({"hopeless_states": hopeless, "circling_states": circling, "states": states, "born": 0,
                  "delivered": 0})
    for load in LOADS:
        result = results[f"load {load} {case}"]
        entry["born"] += result.metric("packets_born")
        entry["delivered"] += result.metric("packets_delivered")
        entry[f"messages_at_{load}"] = result.metric("packets_born")
        entry[f"by_hops_at_{load}"] = result.metric("recoveries_by_hops")
        entry[f"by_timeout_at_{load}"] = result.metric("recoveries_by_timeout")
    return entry


def per_million(table, part, whole, distance, dead):
    chosen = [entry for entry in table if (entry["region_distance"], entry["dead_nodes"]) == (distance, dead)]
    return round(1e6 * sum(entry[part] for entry in chosen) / sum(entry[whole] for entry in chosen))


def evaluate(setting, results):
    table = [line(case, results) for case in cases(setting.quick)]
    values = {"lost": sum(entry["born"] - entry["delivered"] for entry in table),
              "delivered": sum(entry["delivered"] for entry in table)}
    dead, distances, _ = shown(setting.quick)
    parts = {"hopeless": ("hopeless_states", "states"), "circling": ("circling_states", "states"),
             "hops": (f"by_hops_at_{LOADS[0]}", f"messages_at_{LOADS[0]}")}
    for key, (part, whole) in parts.items():
        for distance in distances:
            values[f"{key}_{distance}"] = [per_million(table, part, whole, distance, number) for number in dead]
    notes = [f"means over random connected sets of seeds {min(SEEDS)} to {max(SEEDS)}; loads of {LOADS[0]} and "
             f"{LOADS[1]} flits/node/cycle, drained",
             "a state is a message's place: router, input port and destination"]
    return Findings(values, table, lambda figure: draw(figure, values, dead, distances), notes)


def draw(figure, values, dead, distances):
    figure.set_size_inches(9, 4.2)
    panels = figure.subplots(1, 3)
    for axes, (key, title) in zip(panels, (("hopeless", "hopeless states"), ("circling", "states on circles"),
                                           ("hops", f"recoveries by hops, load {LOADS[0]}"))):
        for index, distance in enumerate(distances):
            axes.plot(dead, values[f"{key}_{distance}"], "o-", markersize=3, color=f"C{index}",
                      label=f"distance {distance}")
        axes.set_xlabel("dead nodes of 100")
        axes.set_title(title, fontsize=9)
    panels[0].set_ylabel("of a million")
    panels[0].legend()
