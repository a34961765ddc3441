# SPDX-License-Identifier: Apache-2.0
"""Replays of the births of BookSim2's packets where both networks draw routes: mean latencies, list by list."""

from reproduction.statistics import mean_confidence95
from tsuji.booksim.packets import mean_latency

SEEDS = (1, 2, 3, 4)


def seeds(setting):
    return SEEDS[:1] if setting.quick else SEEDS


def plan(setting, named):
    """Runs by name, "SET-UP SEED"; `named`: set-ups by name."""
    return {f"{name} {seed}": one.run(setting, {"seed": seed}) for name, one in named.items()
            for seed in seeds(setting)}


def table(setting, named, results):
    """A line for each list: BookSim2's mean latency, and that of the replays."""
    lines = []
    for name, one in named.items():
        here = [results[f"{name} {seed}"].metric("latency_cycles_mean") for seed in seeds(setting)]
        lines.append({"set_up": name, "packets": len(one.packets),
                      "booksim_latency_mean_cycles": mean_latency(one.packets),
                      "latency_mean_cycles": sum(here) / len(here)})
    return lines


def difference(lines):
    """Of the mean latency here from BookSim2's, mean over the lists, and half of its 95 % interval."""
    return mean_confidence95([line["latency_mean_cycles"] - line["booksim_latency_mean_cycles"] for line in lines])


def draw(figure, title, lines):
    axes = figure.subplots()
    for label, column in (("BookSim2", "booksim_latency_mean_cycles"),
                          ("replay, mean of its seeds", "latency_mean_cycles")):
        axes.plot([line["set_up"] for line in lines], [line[column] for line in lines], "o", label=label)
    axes.set_ylabel("mean latency (cycles)")
    axes.legend()
    axes.set_title(title)
