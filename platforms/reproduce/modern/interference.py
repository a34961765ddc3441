# SPDX-License-Identifier: Apache-2.0
"""Two jobs on one network: an all-to-all exchange of 128 KiB and all-reduces of 256 B, on 32 nodes each, in groups of
the dragonfly or subtrees of the fat tree of their own, or mixed at random. A slow-down is a job's time beside the other
divided by its time alone on the same nodes. An order is judged by the lower end of the 95 % interval of the difference,
of pairs of equal seeds.

Two more jobs exchange 64 and 128 KiB over one link, which both fill. Times alone are closed forms of the configurations
(Dally 2004): a head's pipeline and wires, and a cycle for each flit."""

from reproduction import Findings, Row, Run, above, exactly, within_percent
from reproduction.statistics import mean_confidence95

TITLE = "Interference: slow-downs of two jobs placed apart and mixed"
SOURCE = ("Yang 2016 (Watch Out for the Bully! Job Interference Study on Dragonfly Network); Jokanovic 2015 (Quiet "
          "Neighborhoods: Key to Protect Job Performance Predictability); Bertsekas 1992 (Data Networks)")
CASES = {"dragonfly": ("group", "random"), "fat_tree": ("block", "random")}
JOBS = ("intensive", "light")
LINK_JOBS = {"short": 65536, "long": 131072}  # bytes that a rank sends


def message_cycles(routers, size, payload=256, flit=16):
    """Cycles from a send to the receiver's reaction: one at the sender, injection, ejection and links between routers,
    four stages a router, and a cycle for each flit, of packets with one flit of header."""
    flits = sum(1 + -(-min(payload, size - sent) // flit) for sent in range(0, size, payload)) or 1
    return 1 + 1 + (routers - 1) + 1 + 4 * routers + flits


# 40 all-reduces by recursive doubling on 32 nodes: partners at distance 1 and 2 are at one router of four nodes, at 4
# and 8 below one router of the second level, at 16 below one of the third.
LIGHT_CYCLES = 40 * sum(message_cycles(routers, 256) for routers in (1, 1, 3, 3, 5))
# A message above nic.eager_bytes goes after a request and an answer.
SHORT_CYCLES = 2 * message_cycles(2, 0) + message_cycles(2, LINK_JOBS["short"])
# A link serves both jobs alike until the short one has sent its data.
SHORT_SLOWED, LONG_SLOWED = 2, (LINK_JOBS["short"] + LINK_JOBS["long"]) / LINK_JOBS["long"]
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
    Row("fat_tree_light_alone", "fat tree: the light job alone on its subtrees",
        f"{LIGHT_CYCLES}: 40 (2 t1 + 2 t3 + t5)", within_percent(LIGHT_CYCLES, 0.5), unit="cycles",
        runs=("fat_tree block * alone light",)),
    Row("link_alone", "one link: the short job alone", f"{SHORT_CYCLES}: request, answer, data",
        exactly(SHORT_CYCLES), unit="cycles", runs=("link alone short",)),
    Row("link_short", "one link: the short job's slow-down beside the long one", "2: half of the link",
        within_percent(SHORT_SLOWED, 1), runs=("link *",)),
    Row("link_long", "one link: the long job's slow-down beside the short one", "1.5: half, then all of the link",
        within_percent(LONG_SLOWED, 1), runs=("link *",)),
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
    keys = {"workload.kind": "jobs", "workload.jobs": "platforms/reproduce/modern/jobs/link_jobs.yaml"}
    config = "platforms/reproduce/modern/jobs/link.yaml"
    runs["link together"] = Run("network", config, keys, seconds=1)
    for job in LINK_JOBS:
        runs[f"link alone {job}"] = Run("network", config, {**keys, "workload.job_alone": job}, seconds=1)
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

    alone = of(lines, "fat_tree", "block", "light", "cycles_alone")
    mixed = of(lines, "dragonfly", "random", "light")
    values = {
        "dragonfly_light": least(mixed, of(lines, "dragonfly", "group", "light")),
        "dragonfly_bully": least(mixed, of(lines, "dragonfly", "random", "intensive")),
        "dragonfly_intensive": least(of(lines, "dragonfly", "group", "intensive", "cycles_alone"),
                                     of(lines, "dragonfly", "random", "intensive", "cycles_alone")),
        "fat_tree_apart": max(max(of(lines, "fat_tree", "block", job)) for job in JOBS),
        "fat_tree_light": least(of(lines, "fat_tree", "random", "light"), of(lines, "fat_tree", "block", "light")),
        "fat_tree_light_alone": max(alone, key=lambda cycles: abs(cycles - LIGHT_CYCLES)),
        "link_alone": results["link alone short"].metric("job_short_cycles"),
        **{f"link_{job}": slow_down(results, "link", job) for job in LINK_JOBS}}
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
