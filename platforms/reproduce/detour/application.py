# SPDX-License-Identifier: Apache-2.0
"""Applications on an 8x8 torus whose links die, every rank alive: Detour-UD beside Detour-NF and, without dead links,
Duato."""

from cache import programs
from cache.applications import timed_cycles
from reproduction import Findings, Row, Run

from . import pictures, routers

TITLE = "Applications on a torus with dead links"
SOURCE = "in no paper"
LINKS = [0, 1, 2, 4, 8, 16]
SEEDS = [1, 2]
SERIES = ["duato", "nf", "ud"]
SIZES = {"cg": "W", "mg": "W", "is": "S"}
STEPS = {"cg": 2, "mg": 2, "is": 0}  # of which all are alike; 0: all
BASE = ("duato", 0)
ROWS = [Row(f"{name}_{router}",
            f"{name}, {routers.ROUTERS[router].label}: time with {', '.join(map(str, LINKS))} dead links", "-",
            unit="of Duato's without") for name in SIZES for router in SERIES[1:]]


def shown(quick):
    """Programs, dead links, seeds."""
    return (["mg"], [0, 2], SEEDS[:1]) if quick else (list(SIZES), LINKS, SEEDS)


def cases(quick):
    names, links, seeds = shown(quick)
    return [(name, router, dead, seed) for name in names for router in SERIES for dead in links
            for seed in (seeds if dead else seeds[:1])
            if dead == 0 or routers.ROUTERS[router].bears_faults]


def plan(setting):
    runs = {}
    for name, router, dead, seed in cases(setting.quick):
        faults = {"faults.random_links": dead, "faults.seed": seed} if dead else {}
        keys = {**routers.ROUTERS[router].keys, "clock_period_ps": round(1e6 / routers.ROUTERS[router].mhz),
                "workload.npb": f"{name}.{'S' if setting.quick else SIZES[name]}.64", "workload.npb_steps": STEPS[name],
                "workload.npb_gflops": programs.CORE_GFLOPS[name], **faults}
        runs[str((name, router, dead, seed))] = Run("network", "platforms/reproduce/detour/application.yaml", keys,
                                                    seconds=6,
                                                    may_be_refused=dead > 0)
    return runs


def line(case, result):
    name, router, dead, seed = case
    refused = result.refusal is not None
    cycles = None if refused else timed_cycles(result)
    return {"application": name, "router": routers.ROUTERS[router].label, "dead_links": dead, "seed": seed,
            "cycles": cycles,
            "time_us": None if refused else cycles / routers.ROUTERS[router].mhz,
            "recovered": result.metric("recoveries_by_timeout") if router == "ud" else None}


def mean_time(table, name, router, dead):
    """In us; None: every set is refused."""
    times = [entry["time_us"] for entry in table if entry["time_us"] is not None and
             (entry["application"], entry["router"], entry["dead_links"]) == (name, routers.ROUTERS[router].label,
                                                                              dead)]
    return sum(times) / len(times) if times else None


def evaluate(setting, results):
    names, links, _ = shown(setting.quick)
    table = [line(case, results[str(case)]) for case in cases(setting.quick)]
    values = {}
    for name in names:
        base = mean_time(table, name, *BASE)
        for router in SERIES[1:]:
            times = [mean_time(table, name, router, dead) for dead in links]
            values[f"{name}_{router}"] = [None if time is None else time / base for time in times]
    refused = sum(entry["cycles"] is None for entry in table)
    notes = ["skeletons of the benchmarks, " + ", ".join(f"{name}.{size}.64"
                                                         for name, size in SIZES.items()) + ", at the routers' own "
             "clocks",
             f"Detour-NF refuses {refused} of "
             f"{sum(entry['router'] == 'Detour-NF' and entry['dead_links'] > 0 for entry in table)} networks"]
    return Findings(values, table, lambda figure: draw(figure, values, names, links), notes)


def draw(figure, values, names, links):
    axes = figure.subplots()
    for router, style in zip(SERIES[1:], "so"):
        for name, line_style in zip(names, ("-", "--", ":")):
            points = [(dead, value) for dead, value in zip(links, values[f"{name}_{router}"]) if value is not None]
            axes.plot(*zip(*points), line_style, marker=style, markersize=4, color=pictures.COLOURS[router],
                      label=f"{name}, {routers.ROUTERS[router].label}")
    axes.set_xlabel("dead links of 128")
    axes.set_ylabel("time (of Duato's without dead links)")
    axes.legend()
    axes.set_title(TITLE)
