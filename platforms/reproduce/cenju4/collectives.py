# SPDX-License-Identifier: Apache-2.0
"""Barriers, broadcasts and allreduces of all nodes, by the network's multicasts and synchronizations and by trees of
messages."""

from reproduction import Findings, Row

from . import machine

TITLE = "Collectives of 8 to 1,024 nodes: hardware against trees"
SOURCE = "in no paper"
SIZES, QUICK = [8, 16, 32, 64, 128, 256, 512, 1024], [8, 16]
LONG, ALONE = 16384, 16
OPERATIONS = {  # label: kind, bytes, rounds, {series: algorithm}
    "barrier": ("barrier", 8, 4, {"hardware": "hardware", "binomial tree": "tree", "dissemination": "dissemination"}),
    "broadcast, 8 B": ("broadcast", 8, 2, {"hardware": "hardware", "binomial tree": "tree"}),
    "broadcast, 16 KB": ("broadcast", LONG, 1, {"hardware": "hardware", "binomial tree": "tree"}),
    "allreduce, 8 B": ("all_reduce", 8, 2, {"hardware": "hardware", "binomial tree": "tree"}),
}
KEYS = {"barrier": "barrier", "broadcast": "broadcast", "all_reduce": "broadcast"}
ROWS = [Row(f"{label.split(',')[0]}{' long' if '16 KB' in label else ''} {nodes}".replace(" ", "_"),
            f"{label}, {nodes} nodes: {', '.join(series)}", "-", unit="us")
        for label, (_, _, _, series) in OPERATIONS.items() for nodes in (64, 1024)]
ROWS += [Row(f"hardware_{place}", f"{label}, 16 nodes, with software that takes no time: {', '.join(series)}", "-",
             unit="us")
         for place, (label, (_, _, _, series)) in enumerate(OPERATIONS.items())]


def plan(setting):
    runs = {}
    for label, (kind, size, rounds, series) in OPERATIONS.items():
        for name, algorithm in series.items():
            for nodes in QUICK if setting.quick else SIZES:
                keys = {"network.nodes": nodes, "collective": kind, "rounds": rounds,
                        f"library.{KEYS[kind]}": algorithm}
                if kind != "barrier":
                    keys["collective_bytes"] = size
                runs[f"{label}: {name}, {nodes}"] = machine.run("collective", keys, nodes / 40, config="")
                if nodes == ALONE:
                    runs[f"{label}: {name}, hardware"] = machine.run("collective", {**keys, **machine.NO_SOFTWARE},
                                                                     config="")
    return runs


def evaluate(setting, results):
    sizes = QUICK if setting.quick else SIZES
    table = [{"operation": label, "algorithm": name, "nodes": nodes,
              "time_us": results[f"{label}: {name}, {nodes}"].metric("collective_time_us")}
             for label, (_, _, _, series) in OPERATIONS.items() for name in series for nodes in sizes]
    values = {}
    for place, (label, (_, _, _, series)) in enumerate(OPERATIONS.items()):
        values[f"hardware_{place}"] = [results[f"{label}: {name}, hardware"].metric("collective_time_us")
                                       for name in series]
    for row, (label, nodes) in zip(ROWS, [(label, nodes) for label in OPERATIONS for nodes in (64, 1024)]):
        if nodes in sizes:
            values[row.key] = [line["time_us"] for line in table
                               if (line["operation"], line["nodes"]) == (label, nodes)]
    notes = ["from the start that all ranks agree on to the end of the last; results are checked at every rank",
             "hardware barriers above 64 nodes: atomic adds up a tree of 8 a level, then multicast atomic adds",
             "an allreduce is a binomial reduction and a broadcast, by multicast or a binomial tree"]
    return Findings(values, table, lambda figure: draw(figure, table, sizes), notes)


def draw(figure, table, sizes):
    for axes, label in zip(figure.subplots(2, 2).flatten(), OPERATIONS):
        for index, name in enumerate(OPERATIONS[label][3]):
            axes.plot(sizes, [line["time_us"] for line in table
                              if (line["operation"], line["algorithm"]) == (label, name)], "o-",
                      color=f"C{index}", markersize=3, linewidth=1, label=name)
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, sizes, fontsize=7)
        axes.set_ylabel("time (us)", fontsize=8)
        axes.set_ylim(bottom=0)
        axes.set_title(label, fontsize=8)
        axes.legend(fontsize=7)
    figure.supxlabel("nodes", fontsize=8)
