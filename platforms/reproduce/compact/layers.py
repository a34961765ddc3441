# SPDX-License-Identifier: Apache-2.0
"""Counts layers and bits of the schemes that keep packets from deadlock."""

from reproduction import Findings, Row

from . import graphs

TITLE = "Layers of virtual channels, and bits of a router"
SOURCE = "in no paper"
NODES, LENGTHS = [64, 256, 1024], range(2, 9)
SERIES = {"compact": "compact tables, turns", "compact_lash": "compact tables, whole paths (LASH)",
          "source_table": "shortest paths, turns", "shortest_lash": "shortest paths, whole paths (LASH)"}
SCHEMES = {"compact with layers": "compact, layers", "compact with tree": "compact, tree",
           "source_table": "shortest, layers",
           "lash": "shortest, LASH", "up_down": "up*/down*", "full table": "ports alone"}
ROWS = [*[Row(f"layers_{nodes}", f"layers, {nodes:,} routers, r = 2 to 8: compact tables' turns, the most", "-",
              unit="layers")
          for nodes in NODES],
        *[Row(f"lash_{nodes}", f"and of whole paths (LASH), {nodes:,} routers", "-", unit="layers") for nodes in NODES],
        Row("bits", "bits, 1,024 routers, r = 8: compact with layers / with tree / shortest paths with layers", "-",
            unit="bits"),
        Row("entries", "entries of those compact tables", "-", unit="entries")]


def cases(quick):
    nodes = NODES[:1] if quick else NODES
    return [(one, length) for one in nodes for length in (LENGTHS[::3] if quick else LENGTHS)]


def count(nodes, quick):
    return 2 if quick else {64: 20, 256: 10, 1024: 2}[nodes]


def plan(setting):
    return {f"{nodes} {length}": graphs.study("layers", nodes, length, count(nodes, setting.quick), (nodes / 256)**2)
            for nodes, length in cases(setting.quick)}


def evaluate(setting, results):
    table = []
    for nodes, length in cases(setting.quick):
        result = results[f"{nodes} {length}"]
        lines, bits = result.table("layers"), result.table("bits")
        entry = {"nodes": nodes, "wire_length": length, "graphs": len(lines),
                 "entries": graphs.mean(line["entries"] for line in lines)}
        for series in SERIES:
            entry[f"{series}_layers"] = graphs.mean(line[series] for line in lines)
            entry[f"{series}_layers_most"] = max(line[series] for line in lines)
        for scheme in SCHEMES:
            entry[f"{scheme.replace(' ', '_')}_bits"] = graphs.mean(line["all"]
                                                                    for line in bits if line["scheme"] == scheme)
        table.append(entry)
    values = {}
    for nodes in sorted({entry["nodes"] for entry in table}):
        of = [entry for entry in table if entry["nodes"] == nodes]
        values[f"layers_{nodes}"] = max(entry["compact_layers_most"] for entry in of)
        values[f"lash_{nodes}"] = max(entry["compact_lash_layers_most"] for entry in of)
    if not setting.quick:
        last = table[-1]
        values["bits"] = [last[f"{scheme}_bits"] for scheme in ("compact_with_layers", "compact_with_tree",
                                                                "source_table")]
        values["entries"] = last["entries"]
    notes = ["entries by default: the power of two from twice the mandatory number on; d = 4",
             "LASH keeps a whole path in one layer; it is counted, not used"]
    return Findings(values, table, lambda figure: draw(figure, table), notes)


def draw(figure, table):
    layers, bits = figure.subplots(1, 2)
    nodes = max(entry["nodes"] for entry in table)
    of = [entry for entry in table if entry["nodes"] == nodes]
    lengths = [entry["wire_length"] for entry in of]
    for series, label in SERIES.items():
        layers.plot(lengths, [entry[f"{series}_layers"] for entry in of], "o-", markersize=3, linewidth=1, label=label)
    for scheme, label in SCHEMES.items():
        bits.plot(lengths, [entry[f"{scheme.replace(' ', '_')}_bits"] for entry in of], "o-", markersize=3, linewidth=1,
                  label=label)
    layers.set_ylabel("layers")
    bits.set_ylabel("bits a router")
    for axes in (layers, bits):
        axes.set_yscale("log", base=2)
        axes.set_xlabel("longest wire r")
        axes.set_title(f"{nodes:,} routers")
        axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2 if axes is bits else 1)
