# SPDX-License-Identifier: Apache-2.0
"""Saturation throughput and latency on k-ary n-cubes of other k and n, random nodes, messages of 64 bytes, without and
with 2 % of dead nodes."""

from reproduction import Findings, Row, Run

from . import routers

TITLE = "Other k and n"
SOURCE = "in no paper (the paper's future work)"
CUBES = [[16], [4, 4], [8, 8], [10, 10], [16, 16], [32, 32], [4, 4, 4], [5, 5, 5], [8, 8, 8], [4, 4, 4, 4],
         [2, 2, 2, 2, 2, 2]]
QUICK = [[4, 4], [4, 4, 4]]
SERIES = [("dm", 0), ("duato", 0), ("ud", 0), ("ud", 2)]  # router, per cent of dead nodes
SEEDS = [1, 2, 3]
ROWS = [Row("x".join(map(str, radices)), f"{'x'.join(map(str, radices))}: DM-Order, Duato, UD, UD with 2 % dead nodes",
            "-",
            unit="flits/node/cycle") for radices in CUBES]


def shown(quick):
    return QUICK if quick else CUBES


def nodes(radices):
    product = 1
    for radix in radices:
        product *= radix
    return product


def name(radices, router, percent, seed):
    return f"{'x'.join(map(str, radices))} {router} {percent} {seed}"


def cases(quick):
    return [(radices, router, percent, seed) for radices in shown(quick) for router, percent in SERIES
            for seed in (SEEDS[:1] if quick or not percent else SEEDS)]


def plan(setting):
    runs = {}
    for radices, router, percent, seed in cases(setting.quick):
        count = nodes(radices)
        faults = {"faults.random_routers": max(1, count * percent // 100), "faults.seed": seed} if percent else {}
        # As many arrivals a node as on the 10x10 torus.
        keys = {**routers.ROUTERS[router].keys, "topology.radices": radices, "traffic.packet_flits": 16,
                "measure.first_arrival": 30 * count + 1, "measure.last_arrival": 70 * count, **faults}
        runs[name(radices, router, percent, seed)] = Run("network", routers.CONFIG, keys, seconds=0.002 * count)
    return runs


def evaluate(setting, results):
    table = []
    for radices, router, percent, seed in cases(setting.quick):
        result = results[name(radices, router, percent, seed)]
        table.append({"cube": "x".join(map(str, radices)), "nodes": nodes(radices),
                      "router": routers.ROUTERS[router].label,
                      "dead_percent": percent, "seed": seed,
                      "throughput_flits_per_node_cycle": result.metric("accepted_flits_per_node_cycle"),
                      "latency_cycles": result.metric("latency_cycles_mean"), "hops": result.metric("hops_mean"),
                      "recovered_share": routers.recovered_share(router, result)})
    values = {"x".join(map(str, radices)): [mean(table, "x".join(map(str, radices)), *one) for one in SERIES]
              for radices in shown(setting.quick)}
    notes = ["window of 4 messages without gap; of a living node",
             "on large cubes recovery is bounded by the links round the tree's root: at a timeout of 128 cycles "
             "congestion alone fills them"]
    return Findings(values, table, lambda figure: draw(figure, values), notes)


def mean(table, cube, router, percent):
    chosen = [entry["throughput_flits_per_node_cycle"] for entry in table
              if (entry["cube"], entry["router"], entry["dead_percent"]) == (cube, routers.ROUTERS[router].label,
                                                                             percent)]
    return sum(chosen) / len(chosen)


def draw(figure, values):
    axes = figure.subplots()
    for index, (router, percent) in enumerate(SERIES):
        axes.bar([place + 0.2 * (index - 1.5) for place in range(len(values))],
                 [entry[index] for entry in values.values()], 0.2,
                 label=routers.ROUTERS[router].label + (f", {percent} % dead" if percent else ""))
    axes.set_xticks(range(len(values)), list(values), rotation=30, fontsize=7)
    axes.set_ylabel("throughput (flits/node/cycle)")
    axes.set_ylim(0, 0.9)
    axes.legend(ncol=4, loc="upper center")
    axes.set_title(TITLE)
