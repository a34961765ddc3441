# SPDX-License-Identifier: Apache-2.0
"""One machine with all mechanisms, each switched on and off: 8 ranks on whole Cenju-4 nodes of a 4x4 torus. Times
differ, data do not. And the machine with groups on crosspoint switches: what each mechanism gives there."""

import itertools

from reproduction import Findings, Row, Run, exactly, holds

from . import grouped

TITLE = "One machine with every mechanism, each switched on and off"
SOURCE = "in no paper"
CONFIG = "platforms/network/machine16.yaml"
TRACES = ["cg", "ft", "mg"]
ROUTINGS = {"DM-Order": {"routing.kind": "dimension_order", "routing.ties": "fixed"},
            "Detour-UD": {"routing.kind": "detour_ud"},
            "Detour-UD, 2 dead nodes": {"routing.kind": "detour_ud", "faults.routers": "[9, 14]"}}
PREDICTIONS = ["none", "straight", "latest_port"]
LOOKUPS = ["local", "cam", "cached"]
MODES = ["one_for_all", "process_each"]
BARE, FULL = ("DM-Order", "none", "local"), ("Detour-UD, 2 dead nodes", "latest_port", "cached")
# The full machine, and what is left when one mechanism is switched off.
SWITCHED_OFF = {"all mechanisms": FULL, "no dead nodes": ("Detour-UD", *FULL[1:]),
                "no prediction": (FULL[0], "none", FULL[2]),
                "tables of the routers' own": (*FULL[:2], "local"), "CAM without caches": (*FULL[:2], "cam"),
                "none": BARE}
COLOURS = {"DM-Order": "C0", "Detour-UD": "C1", "Detour-UD, 2 dead nodes": "C2"}
QUICK = TRACES[2:]
ROWS = [Row("modes",
            "one process for all modules and one for each: equal times, latencies and cycles of every mechanism", "-",
            holds())]
for name in TRACES:
    ROWS += [Row(f"data_{name}", f"{name}: different digests of the data that all ranks received, over all "
                 f"combinations and process modes", "-",
                 exactly(1), quick=name in QUICK),
             Row(f"work_{name}", f"{name}: different counts of operations, messages and bytes", "-", exactly(1),
                 quick=name in QUICK)]
ROWS += [Row(name, f"{name}: time with {', '.join(SWITCHED_OFF)}", "-", unit="of the bare machine's")
         for name in TRACES]
ROWS += grouped.ROWS


def combinations(quick):
    every = list(itertools.product(ROUTINGS, PREDICTIONS, LOOKUPS))
    return list(SWITCHED_OFF.values()) if quick else every


def traces(quick):
    return QUICK if quick else TRACES


def cases(quick):
    return list(itertools.product(traces(quick), combinations(quick), MODES))


def plan(setting):
    return {**{str(case): run(*case) for case in cases(setting.quick)}, **grouped.plan(setting)}


def run(name, combination, mode):
    routing, prediction, lookup = combination
    return Run("network", CONFIG, {**ROUTINGS[routing], "prediction.kind": prediction, "lookup.kind": lookup,
                                   "run.processes": mode,
                                   "workload.npb": f"{name}.S.8"}, seconds=2)


def cycles(result, mechanism, event):
    """Cycles of heads that an event of a mechanism has cost; None where the mechanism is off."""
    if "mechanisms" not in result.json["tables"]:
        return None
    found = [row["cost"] for row in result.table("mechanisms")
             if (row["mechanism"], row["event"]) == (mechanism, event)]
    return found[0] if found else None


def line(name, combination, result):
    routing, prediction, lookup = combination
    return {"application": name, "routing": routing, "prediction": prediction, "look-up": lookup,
            "time_us": result.metric("trace_time_us"), "packet_latency_cycles": result.metric("latency_cycles_mean"),
            "digest": result.metric("trace_data_digest"),
            "recoveries": result.metric("recoveries_by_timeout") if routing != "DM-Order" else None,
            "hit_cycles": cycles(result, "look-up", "hit"), "miss_cycles": cycles(result, "look-up", "miss"),
            "cam_cycles": cycles(result, "look-up", "access of the CAM"),
            "table_cycles": cycles(result, "routing tables", "read"),
            "predicted_cycles": cycles(result, "prediction", "hit")}


def evaluate(setting, results):
    quick = setting.quick
    table = [line(name, combination, results[str((name, combination, mode))])
             for name, combination, mode in cases(quick) if mode == MODES[0]]
    values = {"modes": True, **grouped.evaluate(setting, results)}
    for name in traces(quick):
        own = [results[str(case)] for case in cases(quick) if case[0] == name]
        work = ("trace_operations", "trace_messages_sent", "trace_bytes_sent")
        values[f"data_{name}"] = len({result.metric("trace_data_digest") for result in own})
        values[f"work_{name}"] = len({tuple(result.metric(metric) for metric in work) for result in own})
        for combination in combinations(quick):
            one, other = (line(name, combination, results[str((name, combination, mode))]) for mode in MODES)
            values["modes"] = values["modes"] and one == other
        times = {(entry["routing"], entry["prediction"], entry["look-up"]): entry["time_us"]
                 for entry in table if entry["application"] == name}
        values[name] = [times[combination] / times[BARE] for combination in SWITCHED_OFF.values()]
    notes = [f"{len(combinations(quick))} combinations of routing, dead nodes, prediction and look-up, each with both "
             f"process modes",
             "every byte of a message is compared with what its sender wrote; the digest is of what was compared, in "
             "the order of each rank's trace",
             "cycles in data.csv are summed over heads; below 0: saved",
             grouped.NOTE]
    return Findings(values, table, lambda figure: draw(figure, table, traces(quick)), notes)


def draw(figure, table, names):
    """A line for each prediction and look-up, a point for each routing."""
    lines = list(itertools.product(PREDICTIONS, LOOKUPS))
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False, sharey=True)[0], names):
        own = [entry for entry in table if entry["application"] == name]
        base = next(entry["time_us"] for entry in own if (entry["routing"], entry["prediction"],
                                                          entry["look-up"]) == BARE)
        for routing, colour in COLOURS.items():
            points = [(entry["time_us"] / base, lines.index((entry["prediction"], entry["look-up"])))
                      for entry in own if entry["routing"] == routing]
            axes.plot(*zip(*points), "o", markersize=4, color=colour, label=routing)
        axes.set_yticks(range(len(lines)), [", ".join(line) for line in lines], fontsize=6)
        axes.tick_params(axis="x", labelsize=7)
        axes.set_title(name, fontsize=8)
    figure.axes[0].invert_yaxis()
    figure.axes[0].legend(fontsize=6, loc="best")
    figure.supxlabel("time (of DM-Order's without prediction, with the routers' own tables)", fontsize=8)
