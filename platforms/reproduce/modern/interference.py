# SPDX-License-Identifier: Apache-2.0
"""Two jobs on one network: an all-to-all exchange of 128 KiB and all-reduces of 256 B, on 32 nodes each, in groups of
the dragonfly or subtrees of the fat tree of their own, or mixed at random. A slow-down is a job's time beside the other
divided by its time alone on the same nodes."""

from reproduction import Findings, Row, Run, above, holds, within_percent

TITLE = "Interference: slow-downs of two jobs placed apart and mixed"
SOURCE = ("Yang 2016 (Watch Out for the Bully! Job Interference Study on Dragonfly Network); Jokanovic 2015 (Quiet "
          "Neighborhoods: Key to Protect Job Performance Predictability)")
CASES = {"dragonfly": ("group", "random"), "fat_tree": ("block", "random")}
JOBS = ("intensive", "light")
ROWS = [
    Row("dragonfly_light", "dragonfly: the light job's slow-down mixed, above that in groups", "above", above(0),
        runs=("dragonfly *",)),
    Row("dragonfly_bully", "dragonfly, mixed: the light job is slowed down more than the intensive one", "more",
        holds(), runs=("dragonfly random *",)),
    Row("dragonfly_intensive", "dragonfly: the intensive job alone is faster mixed than in groups", "faster", holds(),
        runs=("dragonfly * alone intensive",)),
    Row("fat_tree_apart", "fat tree: slow-down of jobs on subtrees of their own", "1 (none)", within_percent(1, 0.001),
        runs=("fat_tree block *",)),
    Row("fat_tree_light", "fat tree: the light job's slow-down mixed, above that on subtrees", "above", above(0),
        runs=("fat_tree *",)),
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


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def evaluate(setting, results):
    lines = [{"network": network, "placement": placement, "job": job, "seed": seed,
              "cycles_alone": results[f"{network} {placement} {seed} alone {job}"].metric(f"job_{job}_cycles"),
              "slow_down": slow_down(results, f"{network} {placement} {seed}", job)}
             for network, placements in CASES.items() for placement in placements for job in JOBS
             for seed in seeds(setting)]

    def of(network, placement, job, value="slow_down"):
        return mean(line[value] for line in lines
                    if (line["network"], line["placement"], line["job"]) == (network, placement, job))

    values = {
        "dragonfly_light": of("dragonfly", "random", "light") - of("dragonfly", "group", "light"),
        "dragonfly_bully": of("dragonfly", "random", "light") > of("dragonfly", "random", "intensive"),
        "dragonfly_intensive": (of("dragonfly", "random", "intensive", "cycles_alone")
                                < of("dragonfly", "group", "intensive", "cycles_alone")),
        "fat_tree_apart": max(of("fat_tree", "block", job) for job in JOBS),
        "fat_tree_light": of("fat_tree", "random", "light") - of("fat_tree", "block", "light")}
    return Findings(values, lines, lambda figure: draw(figure, lines))


def draw(figure, lines):
    """Slow-downs of every seed, a panel for each network."""
    for axes, network in zip(figure.subplots(1, len(CASES), squeeze=False)[0], CASES):
        for place, (placement, job) in enumerate((placement, job) for placement in CASES[network] for job in JOBS):
            points = [line["slow_down"] for line in lines
                      if (line["network"], line["placement"], line["job"]) == (network, placement, job)]
            axes.plot([place] * len(points), points, "o", label=f"{placement}, {job}")
        axes.set_xticks([])
        axes.set_title(network)
        axes.set_ylabel("slow-down")
        axes.legend()
    figure.suptitle(TITLE)
