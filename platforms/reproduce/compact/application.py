# SPDX-License-Identifier: Apache-2.0
"""Runs benchmarks with little locality on 256 routers whose tables have more and more entries."""

from cache import programs
from cache.applications import timed_cycles
from reproduction import Findings, Row, Run

from . import graphs

TITLE = "Applications against entries, 256 routers, r = 8"
SOURCE = "Compact Tables, section 4 (without a figure)"
ENTRIES, SEEDS = [25, 50, 100, 256], [1, 2]
SIZES, STEPS = {"cg": "W", "ft": "W", "is": "W"}, {"cg": 1}
ROWS = [*[Row(name, f"{name}: time with {', '.join(map(str, ENTRIES))} entries", "falls (section 4)",
              unit="of that with 256")
          for name in SIZES],
        Row("refused", "graphs whose mandatory entries are more than 25", "-", unit="graphs")]


def cases(quick):
    names, entries, seeds = (["ft"], ENTRIES[1:3], SEEDS[:1]) if quick else (SIZES, ENTRIES, SEEDS)
    return [(name, one, seed) for name in names for one in entries for seed in seeds]


def plan(setting):
    runs = {}
    for name, entries, seed in cases(setting.quick):
        size = {"workload.npb": f"{name}.{SIZES[name]}.256"}
        if setting.quick:
            size = {"workload.npb": "ft.S.64", "topology.nodes": 64}
        keys = {**size, "workload.npb_steps": STEPS.get(name, 0), "workload.npb_gflops": programs.CORE_GFLOPS[name],
                "routing.entries": entries, "topology.seed": seed}
        runs[str((name, entries, seed))] = Run("network", "platforms/reproduce/compact/application.yaml", keys,
                                               seconds=12,
                                               may_be_refused=True)
    return runs


def times(table, name, last):
    """By entries: mean over the graphs of the time over that with `last` entries."""
    cycles = {(entry["entries"], entry["seed"]): entry["cycles"] for entry in table
              if entry["application"] == name and entry["cycles"] is not None}
    seeds = {entries: [seed for one, seed in cycles if one == entries] for entries, _ in cycles}
    return {entries: graphs.mean(cycles[entries, seed] / cycles[last, seed] for seed in seeds[entries])
            for entries in sorted(seeds)}


def evaluate(setting, results):
    table = []
    for name, entries, seed in cases(setting.quick):
        result = results[str((name, entries, seed))]
        table.append({"application": name, "entries": entries, "seed": seed,
                      "cycles": None if result.refusal is not None else timed_cycles(result)})
    refused = {entry["seed"] for entry in table if entry["cycles"] is None}
    last = max(entry["entries"] for entry in table)
    relative = {name: times(table, name, last) for name in dict.fromkeys(entry["application"] for entry in table)}
    values = {} if setting.quick else {name: list(curve.values()) for name, curve in relative.items()}
    values["refused"] = len(refused)

    def draw(figure):
        axes = figure.subplots()
        for name, curve in relative.items():
            axes.plot(list(curve), list(curve.values()), "o-", markersize=4, linewidth=1, label=name)
        axes.set_xscale("log", base=2)
        axes.set_xlabel("entries a router")
        axes.set_ylabel(f"time / that with {last} entries")
        axes.set_title(TITLE)
        axes.legend()

    notes = ["skeletons of the NAS parallel benchmarks, class W, one rank a router; cg's time steps are alike, and one "
             "is run",
             f"means over graphs {' and '.join(map(str, SEEDS))} of those that are not refused"]
    return Findings(values, table, draw, notes)
