# SPDX-License-Identifier: Apache-2.0
"""Sweeps the load of compact tables, shortest paths, up*/down* and a 2-D torus, with equal buffers and virtual
channels."""

from reproduction import Findings, Row, Run

from . import graphs

TITLE = "Latency against load, uniform traffic"
SOURCE = "in no paper"
LENGTH, SIDE = {64: 4, 256: 8}, {64: 8, 256: 16}
ENTRIES = {64: 32, 256: 64}
SEEDS = [1, 2]
LOADS, QUICK = "0.02:0.56:10", "0.02:0.22:2"
# Cycles of a wire of length l: one, or l. A folded torus has wires of two units.
WIRES = {"one cycle a wire": (0, 1), "one cycle a unit": (1, 2)}
SERIES = {"compact": ("compact, layers", {}), "tree": ("compact, tree", {"routing.escape": "tree"}),
          "searched": ("compact, layers, 8 entries a cycle",
                       {"lookup.kind": "compact", "lookup.search_ends_early": False}),
          "early": ("the same with an early end", {"lookup.kind": "compact"}),
          "source_table": ("shortest paths, layers", {"routing.kind": "source_table"}),
          "up_down": ("up*/down*", {"routing.kind": "up_down"}),
          "torus": ("2-D torus, dimension order", {"routing.kind": "dimension_order"})}
RANDOM = [name for name in SERIES if name != "torus"]
ROWS = [row for nodes in LENGTH for row in (
    Row(f"latency_{nodes}", f"latency at 0.02, {nodes} routers, one cycle a wire: {', '.join(SERIES)}", "-",
        unit="cycles"),
    Row(f"latency_units_{nodes}", "and one cycle a unit", "-", unit="cycles"),
    Row(f"accepted_{nodes}", f"most that is accepted, {nodes} routers, one cycle a wire", "-", unit="flits/node/cycle"),
    Row(f"accepted_units_{nodes}", "and one cycle a unit", "-", unit="flits/node/cycle"))]


def network(series, nodes, wires, seed):
    unit, torus = WIRES[wires]
    keys = dict(SERIES[series][1])
    if series == "torus":
        return {**keys, "topology.kind": "torus", "topology.radices": f"[{SIDE[nodes]},{SIDE[nodes]}]",
                "link.latency_cycles": torus}
    if keys.get("routing.kind", "compact") == "compact":
        keys["routing.entries"] = ENTRIES[nodes]
    return {**keys, "topology.kind": "random_grid", "topology.nodes": nodes, "topology.degree": 4,
            "topology.wire_length": LENGTH[nodes], "topology.seed": seed,
            "topology.cycles_per_length": unit}


def cases(quick):
    sizes, wires = (list(LENGTH)[:1], list(WIRES)[:1]) if quick else (LENGTH, WIRES)
    return [(series, nodes, wire, seed) for nodes in sizes for wire in wires for series in SERIES
            for seed in (SEEDS[:1] if quick or series == "torus" else SEEDS)]


def plan(setting):
    # What drains for longer is saturated, and left out of the curves.
    length = {"measure.warmup_cycles": 1000, "measure.cycles": 1000 if setting.quick else 4000,
              "measure.drain_cycles": 4000}
    return {str(case): Run("network", "platforms/reproduce/compact/load.yaml", {**network(*case), **length},
                           ("--sweep-load", QUICK if setting.quick else LOADS), case[1] / 100)
            for case in cases(setting.quick)}


def evaluate(setting, results):
    table = []
    for nodes, wires, series in dict.fromkeys((nodes, wires, series)
                                              for series, nodes, wires, _ in cases(setting.quick)):
        sweeps = [results[str(case)].table("sweep") for case in cases(setting.quick)
                  if case[:3] == (series, nodes, wires)]
        for lines in zip(*sweeps):
            table.append({"nodes": nodes, "wires": wires, "series": SERIES[series][0], "graphs": len(lines),
                          "load": lines[0]["load"],
                          "accepted": graphs.mean(line["accepted"] for line in lines),
                          "latency_cycles": graphs.mean(line["latency_mean"] for line in lines),
                          "latency_spread": graphs.spread(line["latency_mean"] for line in lines),
                          "saturated": sum(line["saturated"] for line in lines)})
    values = {}
    for nodes in dict.fromkeys(entry["nodes"] for entry in table):
        for wires, word in zip(WIRES, ("", "_units")):
            of = [[entry for entry in table if (entry["nodes"], entry["wires"],
                                                entry["series"]) == (nodes, wires, label)]
                  for label, _ in SERIES.values()]
            if all(of):
                values[f"latency{word}_{nodes}"] = [lines[0]["latency_cycles"] for lines in of]
                values[f"accepted{word}_{nodes}"] = [max(entry["accepted"] for entry in lines) for lines in of]
    notes = [f"means over graphs {' and '.join(map(str, SEEDS))}; {ENTRIES[64]} entries of 64, {ENTRIES[256]} of 256; "
             f"six virtual channels of "
             "eight flits each; points beyond saturation are left out of the curves",
             "look-ups of one cycle but where entries are compared eight a cycle"]
    return Findings(values, table, lambda figure: draw(figure, table), notes)


def draw(figure, table):
    panels = list(dict.fromkeys((entry["nodes"], entry["wires"]) for entry in table))
    all_axes = figure.subplots(len(panels) // 2 or 1, min(2, len(panels)), squeeze=False).flatten()
    for axes, (nodes, wires) in zip(all_axes, panels):
        for index, (label, _) in enumerate(SERIES.values()):
            points = [entry for entry in table if (entry["nodes"], entry["wires"],
                                                   entry["series"]) == (nodes, wires, label)
                      and not entry["saturated"]]
            axes.plot([entry["load"] for entry in points], [entry["latency_cycles"] for entry in points], "o-",
                      color=f"C{index}",
                      markersize=3, linewidth=1, label=label)
        # Beyond three times the latency of an empty network a curve only says where it ends.
        first = [line.get_ydata()[0] for line in axes.get_lines() if len(line.get_ydata())]
        axes.set_ylim(0, 3 * max(first, default=1))
        axes.set_title(f"N = {nodes}, {wires}", fontsize=8)
        axes.set_xlabel("load (flits/node/cycle)", fontsize=8)
        axes.set_ylabel("latency (cycles)", fontsize=8)
    figure.get_layout_engine().set(rect=(0, 0.1, 1, 0.9))
    figure.legend(*all_axes[0].get_legend_handles_labels(), fontsize=7, loc="lower center", ncols=4)
