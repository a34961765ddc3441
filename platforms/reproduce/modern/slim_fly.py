# SPDX-License-Identifier: Apache-2.0
"""A Slim Fly and a dragonfly of the same cost: 50 and 55 routers, 175 and 165 links, 4 nodes a router, which is half of
the Slim Fly's network ports (Besta 2014, section II). Diameters are walked on the printed graphs; accepted loads are
measured above saturation, the latency at a load of 0.05."""

import json

from reproduction import Findings, Row, Run, above, between, exactly, holds, within_percent

TITLE = "Slim Fly against a dragonfly of the same cost"
SOURCE = "Besta 2014 (Slim Fly: A Cost Effective Low-Diameter Network Topology)"
CONFIG = "platforms/reproduce/modern/slim_fly.yaml"
Q = 5  # 4 w + 1
NODES, GROUP, GLOBAL = 4, 5, 2  # p of both; a and h of the dragonfly
GROUPS = GROUP * GLOBAL + 1
NETWORKS = {
    "slim_fly": {"topology.kind": "slim_fly", "topology.field": Q, "topology.nodes_per_router": NODES},
    "dragonfly": {"topology.kind": "dragonfly", "topology.group_routers": GROUP, "topology.global_links": GLOBAL,
                  "topology.nodes_per_router": NODES}}
ROWS = [
    Row("routers", "routers of the Slim Fly", "2 q^2", exactly(2 * Q * Q), unit="routers", runs=("slim_fly graph",)),
    Row("degree", "links of each of its routers to others", "(3 q - 1) / 2", exactly((3 * Q - 1) // 2), unit="links",
        runs=("slim_fly graph",)),
    Row("diameter", "diameter of the Slim Fly", "2", exactly(2), unit="links", runs=("slim_fly graph",)),
    Row("dragonfly_diameter", "diameter of the dragonfly", "3", exactly(3), unit="links", runs=("dragonfly graph",)),
    Row("cost", "routers and links of the Slim Fly over the dragonfly's", "the same cost", within_percent(1, 5),
        runs=("* graph",)),
    Row("uniform", "Slim Fly, minimal, carries uniform traffic of 0.8 in full", "in full (p = k' / 2)", holds(),
        runs=("slim_fly uniform minimal 0.8",)),
    Row("uniform_dragonfly", "dragonfly, minimal, uniform, offered 0.8", "h g / (p (g - 1))",
        within_percent(GLOBAL * GROUPS / (NODES * (GROUPS - 1)), 6), unit="flits/node/cycle",
        runs=("dragonfly uniform minimal 0.8",)),
    Row("uniform_above", "Slim Fly over the dragonfly, minimal, uniform, offered 0.8", "above", above(1.4),
        runs=("* uniform minimal 0.8",)),
    Row("uniform_valiant", "Slim Fly, Valiant, uniform, offered 0.8", "below 1/2", between(0.4, 0.5),
        unit="flits/node/cycle", runs=("slim_fly uniform valiant *",)),
    Row("adversarial", "Slim Fly, router to next router: Valiant above twice minimal routing, offered 0.6", "above",
        holds(), runs=("slim_fly adversarial *",)),
    Row("latency", "latency of the Slim Fly over the dragonfly's, load of 0.05", "below", between(0.5, 0.95),
        runs=("* uniform minimal 0.05",)),
]
POINTS = [("slim_fly", "uniform", "minimal", 0.05), ("dragonfly", "uniform", "minimal", 0.05),
          ("slim_fly", "uniform", "minimal", 0.8), ("dragonfly", "uniform", "minimal", 0.8),
          ("slim_fly", "uniform", "valiant", 0.8), ("slim_fly", "adversarial", "minimal", 0.6),
          ("slim_fly", "adversarial", "valiant", 0.6)]


def name_of(point):
    return " ".join(str(part) for part in point)


def plan(setting):
    runs = {f"{network} graph": Run("network", CONFIG, keys, ("--print-topology", "json"), seconds=0.1, prints=True)
            for network, keys in NETWORKS.items()}
    short = {"measure.warmup_cycles": 2500, "measure.cycles": 1500} if setting.quick else {}
    for network, pattern, routing, load in POINTS:
        runs[name_of((network, pattern, routing, load))] = Run("network", CONFIG, {
            **NETWORKS[network], "routing.kind": routing, "traffic.pattern": pattern,
            "traffic.load_flits_per_node_cycle": load, **short}, seconds=2)
    return runs


def neighbours(result):
    """Routers at the ends of each router's links, by router."""
    return {router["router"]: [port["router"] for port in router["ports"] if "router" in port]
            for router in json.loads(result.printed)["routers"]}


def diameter(graph):
    return max(longest_from(graph, router) for router in graph)


def longest_from(graph, router):
    distance, front = {router: 0}, [router]
    while front:
        here = front.pop(0)
        for there in graph[here]:
            if there not in distance:
                distance[there] = distance[here] + 1
                front.append(there)
    return max(distance.values()) if len(distance) == len(graph) else None


def cost(graph):
    return len(graph) + sum(map(len, graph.values())) // 2


def evaluate(setting, results):
    graphs = {network: neighbours(results[f"{network} graph"]) for network in NETWORKS}
    lines = [{"network": network, "pattern": pattern, "routing": routing, "offered": load,
              "accepted": results[name_of((network, pattern, routing, load))].metric("accepted_flits_per_node_cycle")}
             for network, pattern, routing, load in POINTS]
    loads = {tuple(line[key] for key in ("network", "pattern", "routing", "offered")): line["accepted"]
             for line in lines}
    latencies = [results[f"{network} uniform minimal 0.05"].metric("latency_cycles_mean") for network in NETWORKS]
    uniform, dragonfly = (loads[network, "uniform", "minimal", 0.8] for network in NETWORKS)
    degrees = {len(others) for others in graphs["slim_fly"].values()}
    values = {
        "routers": len(graphs["slim_fly"]), "degree": degrees.pop() if len(degrees) == 1 else None,
        "diameter": diameter(graphs["slim_fly"]), "dragonfly_diameter": diameter(graphs["dragonfly"]),
        "cost": cost(graphs["slim_fly"]) / cost(graphs["dragonfly"]),
        "uniform": uniform > 0.98 * 0.8, "uniform_dragonfly": dragonfly, "uniform_above": uniform / dragonfly,
        "uniform_valiant": loads["slim_fly", "uniform", "valiant", 0.8],
        "adversarial": (loads["slim_fly", "adversarial", "valiant", 0.6] >
                        2 * loads["slim_fly", "adversarial", "minimal", 0.6]),
        "latency": latencies[0] / latencies[1]}

    def draw(figure):
        axes = figure.subplots()
        axes.barh(range(len(lines)), [line["accepted"] for line in lines])
        axes.set_yticks(range(len(lines)), [name_of(point) for point in POINTS], fontsize=7)
        axes.invert_yaxis()
        axes.set_xlabel("accepted load (flits/node/cycle)")
        axes.set_title(TITLE)

    return Findings(values, lines, draw)
