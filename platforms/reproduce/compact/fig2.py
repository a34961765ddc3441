# SPDX-License-Identifier: Apache-2.0
"""Sweeps the number of entries from the mandatory ones to one for each router, on 100 graphs of each size."""

from reproduction import Findings, Row, Run, above, exactly, holds, within

from . import graphs

TITLE = "Hops against entries, d = 4"
SOURCE = "Compact Tables, section 4 and fig. 2"
LENGTH = {64: 4, 256: 8}
# 0: as many as there have to be.
ENTRIES = {64: [0, 16, 32, 64], 256: [0, 25, 32, 64, 100, 128, 256]}
DOUBLINGS = {64: [16, 32, 64], 256: [32, 64, 128, 256]}
PAPER = {64: -7, 256: -36}
FOURFOLD = {"25 to 100": (25, 100), "32 to 128": (32, 128)}
DOUBLED = "; ".join(", ".join(map(str, entries)) for entries in DOUBLINGS.values())
# Bands are half the distance between the paper's 30 % and 36 %, or less.
ROWS = [
    *[Row(f"torus_{nodes}", f"average with N/2 entries against the {side}x{side} torus", f"{PAPER[nodes]} %",
          within(PAPER[nodes], 1),
          unit="%", runs=(f"{nodes}", f"torus {nodes}")) for nodes, side in ((64, 8), (256, 16))],
    *[Row(f"fourfold_{low}", f"maximum, 256 routers, {name} entries", "-30 %", within(-30, 3), unit="%",
          quick=low != 25, runs=("256",))
      for name, (low, _) in FOURFOLD.items()],
    Row("falls", f"both means fall with each doubling of the entries ({DOUBLED})", "falls", holds()),
    Row("especially", "from the least to the most of these entries, the maximum's fall less the average's, the least",
        "above all the maximum", above(0), unit="points"),
    Row("shortest", "average with N entries above shortest paths", "0", exactly(0), unit="hops"),
    Row("refused", "graphs whose mandatory entries do not fit into 16 (N = 64); 25, 32 (N = 256)", "-", unit="graphs"),
]


def plan(setting):
    count = len(graphs.seeds(setting.quick))
    runs = {str(nodes): graphs.study("hops", nodes, length, count, nodes / 16,
                                     study_entries=graphs.entry_list(ENTRIES[nodes]))
            for nodes, length in LENGTH.items()}
    for nodes, side in ((64, 8), (256, 16)):
        runs[f"torus {nodes}"] = Run("compact_study", "",
                                     {"study.kind": "hops", "study.entries": graphs.entry_list([nodes]),
                                      "topology.kind": "torus", "topology.radices": f"[{side},{side}]"})
    return runs


def over(lines, seeds, entries, measure):
    """Of the graphs of one set."""
    return [line[measure] for line in lines if line["asked"] == entries and line["seed"] in seeds]


def means(nodes, lines):
    """Of the graphs that fit into all of DOUBLINGS: average and longest routes, each by the number of entries."""
    seeds = graphs.fitting(lines, *DOUBLINGS[nodes])
    return [[graphs.mean(over(lines, seeds, entries, measure)) for entries in DOUBLINGS[nodes]]
            for measure in ("average", "longest")]


def falls(nodes, lines):
    return all(low > high for one in means(nodes, lines) for low, high in zip(one, one[1:]))


def longest_above_average(nodes, lines):
    """Points by which the longest routes fall more than the average ones."""
    average, longest = [100 * (1 - one[-1] / one[0]) for one in means(nodes, lines)]
    return longest - average


def evaluate(setting, results):
    lines = {nodes: graphs.hops(results[str(nodes)], ENTRIES[nodes]) for nodes in LENGTH}
    torus = {nodes: results[f"torus {nodes}"].table("hops")[0] for nodes in LENGTH}
    values, table = {}, []
    for nodes in LENGTH:
        half = over(lines[nodes], graphs.fitting(lines[nodes], nodes // 2), nodes // 2, "average")
        values[f"torus_{nodes}"] = 100 * (graphs.mean(half) / torus[nodes]["shortest_average"] - 1)
        for entries in ENTRIES[nodes]:
            seeds = graphs.fitting(lines[nodes], entries)
            entry = {"nodes": nodes, "entries": entries or graphs.mean(over(lines[nodes], seeds, 0, "needed")),
                     "graphs": len(seeds)}
            for measure in ("average", "longest"):
                entry[measure] = graphs.mean(over(lines[nodes], seeds, entries, measure))
                entry[f"{measure}_spread"] = graphs.spread(over(lines[nodes], seeds, entries, measure))
            table.append(entry)
    for low, high in FOURFOLD.values():
        seeds = graphs.fitting(lines[256], low, high)
        few, many = (graphs.mean(over(lines[256], seeds, entries, "longest")) for entries in (low, high))
        values[f"fourfold_{low}"] = 100 * (many / few - 1)
    values["falls"] = all(falls(nodes, lines[nodes]) for nodes in LENGTH)
    values["especially"] = min(longest_above_average(nodes, lines[nodes]) for nodes in LENGTH)
    values["shortest"] = max(line["average"] - line["shortest_average"] for nodes in LENGTH for line in lines[nodes]
                             if line["asked"] == nodes)
    values["refused"] = [sum(line["asked"] == entries and line["fits"] != 1 for line in lines[nodes])
                         for nodes, entries in ((64, 16), (256, 25), (256, 32))]
    notes = ["first point: each graph's own mandatory number; the paper begins below it on some graphs and does not "
             "say how they are routed",
             "a comparison runs over the graphs that fit into both numbers; bars: standard deviation over the graphs",
             f"2-D torus: {torus[64]['shortest_average']:.3f} hops (64), {torus[256]['shortest_average']:.3f} hops "
             f"(256)"]
    return Findings(values, table, lambda figure: draw(figure, table, torus), notes)


def draw(figure, table, torus):
    for axes, nodes in zip(figure.subplots(1, 2), LENGTH):
        points = [entry for entry in table if entry["nodes"] == nodes]
        for measure, label in (("average", "average"), ("longest", "maximum")):
            axes.errorbar([entry["entries"] for entry in points], [entry[measure] for entry in points],
                          [entry[f"{measure}_spread"] for entry in points], marker="o", markersize=3, linewidth=1,
                          capsize=2, label=label)
        axes.axhline(torus[nodes]["shortest_average"], color="0.4", linestyle="--", linewidth=0.8,
                     label="2-D torus, average")
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("entries a router")
        axes.set_ylabel("hops")
        axes.set_title(f"N = {nodes}, r = {LENGTH[nodes]}")
        axes.legend()
