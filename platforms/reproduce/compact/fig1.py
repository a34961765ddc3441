# SPDX-License-Identifier: Apache-2.0
"""Compares the ways of compact tables with shortest paths on 100 graphs of each kind."""

from reproduction import Findings, Row, within

from . import graphs

TITLE = "Hops over those of shortest paths, d = 4"
SOURCE = "Compact Tables, section 4 and fig. 1"
ENTRIES = {64: 16, 256: 25}
LENGTHS = [2, 3, 4]
MEASURES = {"average": "Ave.", "longest": "Max.", "stretch": "SF"}
CASES = [(nodes, length) for nodes in ENTRIES for length in LENGTHS]
ROWS = [
    Row("n256_r2", "average, 256 routers, r = 2", "+11 %", within(11, 2), unit="%",
        points=((0, 2.73, 1.11),), runs=("256 2",)),
    *[Row(f"n{nodes}_r{length}_all", f"average / maximum / stretch factor, {nodes} routers, r = {length}", "figure",
          unit="of shortest paths") for nodes, length in CASES],
    Row("refused", "graphs whose mandatory entries do not fit", "-", unit="graphs"),
]


def plan(setting):
    count = len(graphs.seeds(setting.quick))
    return {f"{nodes} {length}": graphs.study("hops", nodes, length, count, nodes / 64,
                                              study_entries=graphs.entry_list([ENTRIES[nodes]]))
            for nodes, length in CASES}


def ratios(line):
    return {"average": line["average"] / line["shortest_average"],
            "longest": line["longest"] / line["longest_shortest"],
            "stretch": line["stretch"]}


def evaluate(setting, results):
    table, values, refused = [], {}, 0
    for nodes, length in CASES:
        lines = graphs.hops(results[f"{nodes} {length}"], [ENTRIES[nodes]])
        fit = [ratios(line) for line in lines if line["fits"] == 1]
        refused += len(lines) - len(fit)
        entry = {"nodes": nodes, "wire_length": length, "entries": ENTRIES[nodes], "graphs": len(fit)}
        for measure in MEASURES:
            entry[measure] = graphs.mean(ratio[measure] for ratio in fit)
            entry[f"{measure}_spread"] = graphs.spread(ratio[measure] for ratio in fit)
        table.append(entry)
        values[f"n{nodes}_r{length}_all"] = [entry[measure] for measure in MEASURES]
    values["n256_r2"] = 100 * (next(entry["average"] for entry in table
                                    if (entry["nodes"], entry["wire_length"]) == (256, 2)) - 1)
    values["refused"] = refused
    notes = [f"means over {len(graphs.seeds(setting.quick))} graphs, seeds from 1 on; bars: standard deviation over "
             f"the graphs",
             "maximum: longest way over the diameter; stretch factor: the most that a pair's way is longer than its "
             "shortest path"]
    return Findings(values, table, lambda figure: draw(figure, table), notes)


def draw(figure, table):
    axes = figure.subplots()
    labels = [f"N = {entry['nodes']}\nr = {entry['wire_length']}" for entry in table]
    for place, (measure, label) in enumerate(MEASURES.items()):
        axes.bar([index + 0.27 * (place - 1) for index in range(len(table))], [entry[measure] for entry in table], 0.25,
                 yerr=[entry[f"{measure}_spread"] for entry in table], label=label, error_kw={"linewidth": 0.8})
    axes.axhline(1, color="0.3", linewidth=0.8)
    axes.set_xticks(range(len(table)), labels)
    axes.set_ylabel("hops / those of shortest paths")
    axes.set_title(TITLE)
    axes.set_ylim(top=1.15 * axes.get_ylim()[1])  # room for the legend
    axes.legend(loc="upper center", ncols=3)
