# SPDX-License-Identifier: Apache-2.0
"""Two jobs on one network: an all-to-all exchange of 128 KiB and all-reduces of 256 B, on 32 nodes each, in groups of
the dragonfly or subtrees of the fat tree of their own, or mixed at random. A slow-down is a job's time beside the other
divided by its time alone on the same nodes. An order is judged by the lower end of the 95 % interval of the difference,
of pairs of equal seeds."""

from reproduction import Findings, Row, Run, above, within_percent
from reproduction.statistics import mean_confidence95

TITLE = "Interference: slow-downs of two jobs placed apart and mixed"
SOURCE = ("Yang 2016 (Watch Out for the Bully! Job Interference Study on Dragonfly Network); Jokanovic 2015 (Quiet "
          "Neighborhoods: Key to Protect Job Performance Predictability)")
CASES = {"dragonfly": ("group", "random"), "fat_tree": ("block", "random")}
JOBS = ("intensive", "light")
ROWS = [
    Row("dragonfly_light", "dragonfly: the light job's slow-down mixed, above that in groups (at least, 95 %)", "above",
        above(0), runs=("dragonfly *",)),
    Row("dragonfly_bully", "dragonfly, mixed: the light job's slow-down, above the intensive one's (at least, 95 %)",
        "more", above(0), runs=("dragonfly random *",)),
    Row("dragonfly_intensive", "dragonfly: cycles by which the intensive job alone is faster mixed (at least, 95 %)",
        "faster", above(0), runs=("dragonfly * alone intensive",)),
    Row("fat_tree_apart", "fat tree: slow-down of jobs on subtrees of their own", "1 (none)", within_percent(1, 0.001),
        runs=("fat_tree block *",)),
    Row("fat_tree_light", "fat tree: the light job's slow-down mixed, above that on subtrees (at least, 95 %)", "above",
        above(0), runs=("fat_tree *",)),
]


def seeds(setting):
    return range(1, 4 if setting.quick else 11)


def plan(setting):
    runs = {}
    for network, placements in CASES.items():
        for placement in placements:
            jobs = f"platforms/reproduce/modern/jobs/{network}_{placement}.yaml"
            for seed in seeds(setting):
                keys = {"workload.kind": "jobs", "workload.jobs": jobs, "seed": seed}
                name, config = f"{network} {placement} {seed}", f"platforms/reproduce/modern/jobs/{network}.yaml"
                runs[f"{name} together"] = Run("network", config, keys, seconds=3)
                for job in JOBS:
                    runs[f"{name} alone {job}"] = Run("network", config, {**keys, "workload.job_alone": job}, seconds=3)
    return runs


def slow_down(results, name, job):
    metric = f"job_{job}_cycles"
    return results[f"{name} together"].metric(metric) / results[f"{name} alone {job}"].metric(metric)


def least(larger, smaller):
    """The lower end of the 95 % interval of the mean difference."""
    mean, half = mean_confidence95([one - other for one, other in zip(larger, smaller)])
    return mean - (half or 0)


def of(lines, network, placement, job, value="slow_down"):
    """Values of all seeds."""
    return [line[value] for line in lines
            if (line["network"], line["placement"], line["job"]) == (network, placement, job)]


def evaluate(setting, results):
    lines = [{"network": network, "placement": placement, "job": job, "seed": seed,
              "cycles_alone": results[f"{network} {placement} {seed} alone {job}"].metric(f"job_{job}_cycles"),
              "slow_down": slow_down(results, f"{network} {placement} {seed}", job)}
             for network, placements in CASES.items() for placement in placements for job in JOBS
             for seed in seeds(setting)]

    mixed = of(lines, "dragonfly", "random", "light")
    values = {
        "dragonfly_light": least(mixed, of(lines, "dragonfly", "group", "light")),
        "dragonfly_bully": least(mixed, of(lines, "dragonfly", "random", "intensive")),
        "dragonfly_intensive": least(of(lines, "dragonfly", "group", "intensive", "cycles_alone"),
                                     of(lines, "dragonfly", "random", "intensive", "cycles_alone")),
        "fat_tree_apart": max(max(of(lines, "fat_tree", "block", job)) for job in JOBS),
        "fat_tree_light": least(of(lines, "fat_tree", "random", "light"), of(lines, "fat_tree", "block", "light"))}
    return Findings(values, lines, lambda figure: draw(figure, lines))


def draw(figure, lines):
    """Slow-downs of every seed, and their mean with its 95 % interval, a panel for each network."""
    for axes, network in zip(figure.subplots(1, len(CASES), squeeze=False)[0], CASES):
        for place, (placement, job) in enumerate((placement, job) for placement in CASES[network] for job in JOBS):
            points = of(lines, network, placement, job)
            mean, half = mean_confidence95(points)
            axes.plot([place] * len(points), points, "o", label=f"{placement}, {job}")
            axes.errorbar([place + 0.25], [mean], [half or 0], fmt="_", color="black")
        axes.set_xticks([])
        axes.set_title(network)
        axes.set_ylabel("slow-down")
        axes.legend()
    figure.suptitle(TITLE)
