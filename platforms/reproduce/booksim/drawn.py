# SPDX-License-Identifier: Apache-2.0
"""Replays of the births of BookSim2's packets where both networks draw routes: mean latencies, list by list."""

import math
import statistics

from tsuji.booksim.packets import mean_latency

SEEDS = (1, 2, 3, 4)
T95_POOLED = 2.179  # Student's t of 95 % with 12 degrees of freedom: four lists of four replays


def plan(setting, named, seeds=SEEDS):
    """Runs by name, "SET-UP SEED"; `named`: set-ups by name."""
    return {f"{name} {seed}": one.run(setting, {"seed": seed}) for name, one in named.items() for seed in seeds}


def table(named, results, seeds=SEEDS):
    """A line for each list: BookSim2's mean latency, that of the replays, and their variance."""
    lines = []
    for name, one in named.items():
        here = [results[f"{name} {seed}"].metric("latency_cycles_mean") for seed in seeds]
        lines.append({"set_up": name, "packets": len(one.packets),
                      "booksim_latency_mean_cycles": mean_latency(one.packets),
                      "latency_mean_cycles": sum(here) / len(here),
                      **({"variance": statistics.variance(here)} if len(here) > 1 else {})})
    return lines


def differences(lines):
    """Of the mean latency here from BookSim2's, by list."""
    return [line["latency_mean_cycles"] - line["booksim_latency_mean_cycles"] for line in lines]


def pooled_difference(lines):
    """Mean of the differences, and half of the 95 % interval in which it lies where BookSim2's run is one more draw:
    from the variance among all replays of a list, which few lists tell better than their differences do."""
    variance = statistics.fmean(line["variance"] for line in lines) * (1 + 1 / len(SEEDS)) / len(lines)
    return statistics.fmean(differences(lines)), T95_POOLED * math.sqrt(variance)


def draw(figure, title, lines):
    axes = figure.subplots()
    for label, column in (("BookSim2", "booksim_latency_mean_cycles"),
                          ("replay, mean of its seeds", "latency_mean_cycles")):
        axes.plot([line["set_up"] for line in lines], [line[column] for line in lines], "o", label=label)
    axes.set_ylabel("mean latency (cycles)")
    axes.legend()
    axes.set_title(title)
