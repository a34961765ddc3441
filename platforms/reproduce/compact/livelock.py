# SPDX-License-Identifier: Apache-2.0
"""Follows the tables for every pair of nodes, and checks the layers of virtual channels of these routes."""

from reproduction import Findings, Row, exactly

from . import graphs

TITLE = "Every pair arrives"
SOURCE = "Compact Tables, section 3"
# nodes, wire length, entries (none: the network's default), graphs, seconds a graph
CASES = [(64, 2, 16, 100, 0.01), (64, 4, 32, 100, 0.01), (256, 2, 25, 100, 0.05), (256, 8, 128, 100, 0.05),
         (1024, 4, 128, 10, 0.5),
         (4096, 8, 128, 2, 8), (16384, 8, 128, 1, 120)]
QUICK = CASES[:3]
FAULTS = {"wrong_entries": ("entries that are no way, in wrong order, or not held by the next router", "entries"),
          "no_nearer_entry": ("pairs without a nearer entry", "pairs"),
          "no_fall": ("hops at which (distance to the entry, hops to the entry) does not fall", "hops"),
          "turns_back": ("packets that turn back", "hops"), "not_arriving": ("pairs that do not arrive", "pairs"),
          "layers_with_cycles": ("layers whose dependencies have a cycle", "layers")}
ROWS = [*[Row(key, text, "0", exactly(0), unit=unit) for key, (text, unit) in FAULTS.items()],
        Row("pairs", "pairs followed", "-", unit="pairs"), Row("most", "most routers", "-", unit="routers")]


def shown(quick):
    return QUICK if quick else CASES


def plan(setting):
    runs = {}
    for nodes, length, entries, count, seconds in shown(setting.quick):
        count = min(count, 5) if setting.quick else count
        runs[f"{nodes} {length}"] = graphs.study("proof", nodes, length, count, seconds * count,
                                                 routing_entries=entries)
    return runs


def evaluate(setting, results):
    table = []
    for nodes, length, entries, _, _ in shown(setting.quick):
        lines = results[f"{nodes} {length}"].table("proof")
        table.append({"nodes": nodes, "wire_length": length, "entries": entries, "graphs": len(lines),
                      "pairs": sum(line["pairs"] for line in lines),
                      **{key: sum(line[key] for line in lines) for key in FAULTS},
                      "average": graphs.mean(line["average"] for line in lines),
                      "longest": max(line["longest"] for line in lines),
                      "layers": max(line["layers"] for line in lines)})
    values = {key: sum(entry[key] for entry in table) for key in FAULTS}
    values.update({"pairs": sum(entry["pairs"] for entry in table), "most": max(entry["nodes"] for entry in table)})

    def draw(figure):
        axes = figure.subplots()
        labels = [f"{entry['nodes']:,}\nr = {entry['wire_length']}\ne = {entry['entries']}" for entry in table]
        axes.bar(range(len(table)), [entry["longest"] for entry in table], color="0.8", label="longest way of any pair")
        axes.plot(range(len(table)), [entry["average"] for entry in table], "o", label="mean")
        axes.set_xticks(range(len(table)), labels, fontsize=7)
        axes.set_ylabel("hops")
        axes.set_title(f"{TITLE}: {values['pairs']:,} pairs")
        axes.legend()

    return Findings(values, table, draw, ["all pairs of each graph; a hop is judged by the router's own entries alone"])
