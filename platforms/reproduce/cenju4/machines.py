# SPDX-License-Identifier: Apache-2.0
"""Applications on 64 whole Cenju-4 nodes, on the papers' own fabrics and on conventional ones of the same topology: the
same interface, message library and traces. Links are equal; a second series has topologies of (nearly) equal
bisection."""

import dataclasses
from typing import Any, Dict

from reproduction import Findings, Row, Run, exactly
from reproduction.statistics import mean_confidence95

TITLE = "Applications on 64 Cenju-4 nodes: the papers' fabrics side by side"
SOURCE = "in no paper"
CONFIG = "platforms/reproduce/cenju4/machines.yaml"
APPLICATIONS = {"cg": "cg.W.64", "ft": "ft.W.64", "mg": "mg.W.64", "is": "is.W.64", "lu": "lu.W.64"}
QUICK_APPLICATIONS = {"is": "is.S.64"}
# A sample of a random grid is a graph, which a mechanism and its counterpart share. Of other machines it is the time of
# a receive: a cycle more or less of anything moves an application's time by up to some percent, so that one pair of
# runs says nothing.
SAMPLES = [1, 2, 3]
RECEIVE_NS = {1: 780, 2: 805, 3: 755}
LIBRARY_TREES = {"library.barrier": "dissemination", "library.broadcast": "tree"}
SIDE = 8
GRID = {"topology.kind": "random_grid", "topology.nodes": SIDE**2}
COMPACT = {"routing.kind": "compact", "routing.entries": 24, "lookup.kind": "compact_cached"}


@dataclasses.dataclass(frozen=True)
class Machine:
    """One that its paper builds, or its conventional counterpart."""

    label: str
    platform: str
    keys: Dict[str, Any]
    random: bool = False  # its graph is drawn by a seed


def torus(radices, **keys):
    return {"topology.kind": "torus", "topology.radices": radices,
            **{key.replace("__", "."): value for key, value in keys.items()}}


CENJU4 = {"network.nodes": 64, "workload.kind": "trace"}
HARDWARE = Machine("Cenju-4, multicast and barrier in the fabric", "cenju4", CENJU4)
TREES = Machine("Cenju-4, trees of messages", "cenju4", {**CENJU4, **LIBRARY_TREES})
FLY = Machine("4-ary 3-fly, buffers at inputs", "network",
              {"topology.kind": "fly", "topology.radix": 4, "topology.stages": 3})
SS = Machine("(4,4,3) fat tree, SS prediction", "network", {"topology.kind": "fat_tree", "prediction.kind": "straight"})
FAT_TREE = Machine("(4,4,3) fat tree", "network", {"topology.kind": "fat_tree"})
# Series: pairs of a paper's fabric and its counterpart, and the channels per direction between the machine's halves.
SERIES = {
    "equal links": [
        ("barriers", HARDWARE, TREES), ("crosspoints", TREES, FLY), ("prediction", SS, FAT_TREE),
        ("detour", Machine("8x8 torus, Detour-UD", "network", torus("[8,8]", routing__kind="detour_ud")),
         Machine("8x8 torus, DM-Order", "network", torus("[8,8]", routing__kind="dimension_order"))),
        ("compact", Machine("random grid of degree 4, compact tables", "network",
                            {**GRID, **COMPACT, "topology.degree": 4, "topology.wire_length": 3}, random=True),
         Machine("random grid of degree 4, full tables in a CAM", "network",
                 {**GRID, "topology.degree": 4, "topology.wire_length": 3, "routing.kind": "source_table",
                  "lookup.kind": "cam"}, random=True)),
    ],
    "equal bisection": [
        ("barriers", HARDWARE, TREES), ("crosspoints", TREES, FLY), ("prediction", SS, FAT_TREE),
        ("detour", Machine("4x4x4 torus, Detour-UD", "network", torus("[4,4,4]", routing__kind="detour_ud")),
         Machine("4x4x4 torus, DM-Order", "network", torus("[4,4,4]", routing__kind="dimension_order"))),
        ("compact", Machine("random grid of degree 5, compact tables", "network",
                            {**GRID, **COMPACT, "topology.degree": 5, "topology.wire_length": 4}, random=True),
         Machine("random grid of degree 5, full tables in a CAM", "network",
                 {**GRID, "topology.degree": 5, "topology.wire_length": 4, "routing.kind": "source_table",
                  "lookup.kind": "cam"}, random=True)),
    ],
}
GAINS = {"barriers": "Cenju-4: multicast and barrier in the fabric over trees",
         "crosspoints": "multistage: crosspoint switches over input buffers",
         "prediction": "fat tree: SS prediction over none", "detour": "torus: Detour-UD over DM-Order",
         "compact": "random grid: compact tables behind caches over full tables in a CAM"}
ROWS = [Row(f"data_{name}", f"{name}: different digests of the data that all ranks received, on all machines", "-",
            exactly(1),
            quick=name in QUICK_APPLICATIONS) for name in APPLICATIONS]
ROWS += [Row(f"{key}_{series.split()[1]}",
             f"{text}, {series}: time saved in {', '.join(APPLICATIONS)}, with 95 % intervals", "-", unit="%")
         for series in SERIES for key, text in GAINS.items()]


def applications(setting):
    return QUICK_APPLICATIONS if setting.quick else APPLICATIONS


def samples(setting):
    return SAMPLES[: 1 if setting.quick else None]


def machines(setting):
    found = {}
    for series, pairs in list(SERIES.items())[: 1 if setting.quick else None]:
        for _, paper, conventional in pairs:
            for machine in (paper, conventional):
                found.setdefault(machine.label, machine)
    return found


def run(machine, benchmark, sample):
    keys = {**machine.keys, "workload.npb": benchmark, "workload.npb_steps": 1}
    if machine.random:
        keys.update({"topology.seed": sample, "links.rows": 2 * SIDE**2 * SIDE})  # all of them
    else:
        keys["software.mpi_receive_ns"] = RECEIVE_NS[sample]
    return Run(machine.platform, CONFIG if machine.platform == "network" else "", keys,
               seconds=6 if machine.platform == "network" else 1)


def plan(setting):
    return {str((label, name, sample)): run(machine, benchmark, sample) for label, machine in machines(setting).items()
            for name, benchmark in applications(setting).items() for sample in samples(setting)}


def line(label, name, sample, result):
    return {"machine": label, "application": name, "sample": sample, "time_us": result.metric("trace_time_us"),
            "packet_latency_cycles": result.metric("latency_cycles_mean"), "digest": result.metric("trace_data_digest")}


def evaluate(setting, results):
    known = machines(setting)
    table = [line(label, name, sample, results[str((label, name, sample))]) for label in known
             for name in applications(setting)
             for sample in samples(setting)]
    times = {(line["machine"], line["application"], line["sample"]): line["time_us"] for line in table}
    values = {f"data_{name}": len({line["digest"] for line in table if line["application"] == name})
              for name in applications(setting)}
    for series, pairs in SERIES.items():
        for key, paper, conventional in pairs:
            if paper.label not in known or conventional.label not in known:
                continue
            values[f"{key}_{series.split()[1]}"] = [gain(setting, times, paper, conventional, name)
                                                    for name in applications(setting)]
    notes = [f"skeletons of the benchmarks, {', '.join(applications(setting).values())}, one time step; nodes and "
             f"library as Cenju-4's",
             "channels each way between two halves: 32 (multistage, fat tree, 4x4x4 torus), 16 (8x8 torus)" +
             "".join(f"; {label}: {', '.join(map(str, cuts))} (the smaller of both middle cuts)"
                     for label, cuts in grid_cuts(setting, results)),
             f"random grids: means over seeds {', '.join(map(str, SAMPLES))}, each against its counterpart on the same "
             f"graph; other machines: over "
             f"receives of {', '.join(map(str, RECEIVE_NS.values()))} ns (software.mpi_receive_ns), each against its "
             f"counterpart with the same",
             "an interval with 0 in it: no difference is shown",
             "where a fabric has no multicast and no barrier, trees of messages take their place"]
    return Findings(values, table, lambda figure: draw(figure, setting, known, table), notes)


def grid_cuts(setting, results):
    """The drawn graphs' channels in each direction between two halves, graph by graph."""
    name = next(iter(applications(setting)))
    return [(label, [middle_cut(results[str((label, name, sample))].table("links")) for sample in samples(setting)])
            for label, machine in machines(setting).items() if machine.random and "compact" in label]


def middle_cut(links):
    def upper(place, axis):
        return int(place.split()[axis]) >= SIDE // 2
    return min(sum(not upper(link["from_at"], axis) and upper(link["to_at"], axis) for link in links)
               for axis in (0, 1))


def gain(setting, times, paper, conventional, name):
    """Time that the paper's fabric saves, in % of its counterpart's, over the samples pair by pair: the mean and half
    of its 95 % interval."""
    mean, half = mean_confidence95([100 * (1 - times[paper.label, name, sample] / times[conventional.label, name,
                                                                                        sample])
                                    for sample in samples(setting)])
    return f"{mean:.1f}" if half is None else f"{mean:.1f} +- {half:.1f}"


def draw(figure, setting, known, table):
    axes = figure.subplots()
    names = list(applications(setting))
    height = 0.8 / len(names)
    for index, name in enumerate(names):
        means = []
        for label in known:
            own = [line["time_us"] for line in table if (line["machine"], line["application"]) == (label, name)]
            means.append(sum(own) / len(own))
        axes.barh([place + index * height for place in range(len(known))], [mean / means[0] for mean in means], height,
                  label=name)
    axes.set_yticks([place + 0.4 - height / 2 for place in range(len(known))], list(known), fontsize=6)
    axes.invert_yaxis()
    axes.set_xlabel(f"time ({next(iter(known))}: 1)", fontsize=8)
    axes.legend(fontsize=6)
    axes.set_title(TITLE, fontsize=8)
