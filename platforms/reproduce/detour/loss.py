# SPDX-License-Identifier: Apache-2.0
"""What faults that come and go cost: messages lost and time without service against load, for the three choices of what
a router drops when its tables change, and the time of a reconfiguration against the size of the network."""

import math

from reproduction import Findings, Row, Run

TITLE = "Losses and time without service of three ways to reconfigure"
SOURCE = "In no paper; Yoshinaga 2004, sections 2.4 and 3, has the three ways"
LOADS = [0.02, 0.05, 0.1, 0.15, 0.2]  # flits/node/cycle
SEEDS = [1, 2, 3]
LOSSES = {"recovering": 1, "everything": 1, "nothing": 2}  # UD channels, beside two others
NAMES = {"recovering": "those in recovery", "everything": "everything (Autonet)", "nothing": "nothing, second UD-VC"}
SIZES = [[4, 4], [6, 6], [8, 8], [12, 12], [16, 16], [4, 4, 4], [6, 6, 6], [8, 8, 8]]
LAST = 100_000
ROWS = [
    *[Row(f"lost_{losses}", f"messages lost, of a million, {name}, at {LOADS} flits/node/cycle", "-", unit="messages")
      for losses, name in NAMES.items()],
    *[Row(f"changed_{losses}", f"of these because tables changed, of a million, {name}", "-", unit="messages")
      for losses, name in NAMES.items()],
    *[Row(f"retried_{losses}", f"lost with retry, of a million, {name}", "-", unit="messages")
      for losses, name in NAMES.items()],
    *[Row(f"latency_{losses}", f"mean latency with retry over that without, {name}", "-")
      for losses, name in NAMES.items()],
    *[Row(f"standing_{losses}", f"share of a router's time in which it is suspended, {name}", "-", unit="%")
      for losses, name in NAMES.items()],
    Row("cycles",
        f"a link dies in an idle torus of {', '.join('x'.join(map(str, size)) for size in SIZES)}: detection until all "
        f"run again",
        "-", unit="cycles"),
]


def common(radices, ud_vcs):
    return {"topology.kind": "torus", "topology.radices": radices, "routing.kind": "detour_ud",
            "router.vcs": 2 + ud_vcs,
            "routing.ud_vcs": ud_vcs, "traffic.to_self": False, "measure.warmup_cycles": 0}


def loaded(losses, load, seed):
    return {**common([8, 8], LOSSES[losses]), "faults.losses": losses, "traffic.packet_flits": 16,
            "traffic.load_flits_per_node_cycle": load, "traffic.last_cycle": LAST, "measure.cycles": LAST + 1,
            "measure.drain_cycles": 10_000_000, "faults.campaign.deaths": 20,
            "faults.campaign.link_mean_cycles": 700_000,
            "faults.campaign.repair_cycles": 2000, "faults.campaign.seed": seed, "faults.campaign.first_cycle": 1000}


RETRY = {"retry.timeout_cycles": 3000}


def idle(radices):
    return {**common(radices, 1), "faults.events": "link 0@100", "traffic.load_flits_per_node_cycle": 0.0001,
            "measure.cycles": 20_000}


def shown(quick):
    """Loads, seeds, sizes."""
    return ([0.1], [1], SIZES[:1]) if quick else (LOADS, SEEDS, SIZES)


def plan(setting):
    loads, seeds, sizes = shown(setting.quick)
    runs = {f"{losses} {load} {seed}": Run("network", keys=loaded(losses, load, seed), seconds=60 * load + 2)
            for losses in LOSSES for load in loads for seed in seeds}
    runs.update({f"{losses} {load} {seed} retry": Run("network", keys={**loaded(losses, load, seed), **RETRY},
                                                      seconds=80 * load + 2)
                 for losses in LOSSES for load in loads for seed in seeds})
    runs.update({f"size {size}": Run("network", keys=idle(size), seconds=math.prod(size) / 100) for size in sizes})
    return runs


def line(losses, load, results, seeds):
    found = [results[f"{losses} {load} {seed}"] for seed in seeds]
    again = [results[f"{losses} {load} {seed} retry"] for seed in seeds]
    causes = {}
    for result in found:
        for row in result.table("drops"):
            causes[row["cause"]] = causes.get(row["cause"], 0) + row["packets"]
    born = sum(result.metric("packets_born") for result in found)
    changed = causes["in_recovery"] + causes["tables_changed"]
    lost = changed + causes["link_down"] + causes["dead_router"] + causes["unreachable"]
    return {"losses": losses, "load_flits_per_node_cycle": load, "born": born, **causes,
            "lost_per_million": 1e6 * lost / born,
            "changed_per_million": 1e6 * changed / born,
            "suspended_percent": 100 * sum(result.metric("suspended_share") for result in found) / len(found),
            "retry_lost_per_million": 1e6 * sum(result.metric("packets_lost") for result in again) / born,
            "retry_latency_ratio": sum(result.metric("latency_cycles_mean") for result in again)
            / sum(result.metric("latency_cycles_mean") for result in found),
            "retry_repeats": sum(result.metric("packets_repeated") for result in again),
            "reconfigurations": sum(result.metric("reconfigurations") for result in found)}


def episode(result):
    row = result.table("reconfigurations")[0]
    return row["to_cycle"] - row["from_cycle"]


def evaluate(setting, results):
    loads, seeds, sizes = shown(setting.quick)
    table = [line(losses, load, results, seeds) for losses in LOSSES for load in loads]
    values = {}
    for losses in LOSSES:
        own = [entry for entry in table if entry["losses"] == losses]
        values[f"lost_{losses}"] = [round(entry["lost_per_million"], 1) for entry in own]
        values[f"changed_{losses}"] = [round(entry["changed_per_million"], 1) for entry in own]
        values[f"retried_{losses}"] = [round(entry["retry_lost_per_million"], 1) for entry in own]
        values[f"latency_{losses}"] = [round(entry["retry_latency_ratio"], 2) for entry in own]
        values[f"standing_{losses}"] = [round(entry["suspended_percent"], 2) for entry in own]
    values["cycles"] = [episode(results[f"size {size}"]) for size in sizes]
    notes = [f"8x8 torus, links that die at random (20 deaths, back after 2,000 cycles) within {LAST:,} cycles, seeds "
             f"{min(SEEDS)} to {max(SEEDS)}",
             "tables take 100 cycles a router, one level of the tree after the other: a reconfiguration grows with the "
             "depth of the tree"]
    return Findings(values, table, lambda figure: draw(figure, values, loads, sizes), notes)


def draw(figure, values, loads, sizes):
    figure.set_size_inches(11, 4)
    left, middle, right = figure.subplots(1, 3)
    for index, (losses, name) in enumerate(NAMES.items()):
        left.plot(loads, values[f"lost_{losses}"], "o-", markersize=3, color=f"C{index}", label=name)
        middle.plot(loads, values[f"standing_{losses}"], "o-", markersize=3, color=f"C{index}", label=name)
    left.set_ylabel("messages lost of a million")
    left.set_yscale("symlog")
    middle.set_ylabel("time in which a router stands (%)")
    for axes in (left, middle):
        axes.set_xlabel("load (flits/node/cycle)")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
    middle.set_ylim(top=1.2 * max(max(values[f"standing_{losses}"]) for losses in LOSSES))
    left.legend(title="dropped at an update", fontsize=7)
    for dimensions, marker in ((2, "o-"), (3, "s-")):
        own = [(size[0], cycles) for size, cycles in zip(sizes, values["cycles"]) if len(size) == dimensions]
        if own:
            right.plot(*zip(*own), marker, color=f"C{dimensions}", markersize=4, label=f"n = {dimensions}")
    right.set_xlabel("radix k")
    right.set_ylabel("cycles of a reconfiguration")
    right.set_ylim(bottom=0)
    right.legend()
