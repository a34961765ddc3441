# SPDX-License-Identifier: Apache-2.0
"""All predictors on four topologies of 64 nodes, under three patterns and an application (the trace cg64 of
platforms/traces); and SS, packet by packet without load, against the routes of the topology."""

from reproduction import Findings, Row, Run, exactly

from . import fig8, zero_load

TITLE = "All predictors on four topologies of 64 nodes"
SOURCE = "in no paper; predictors of Tateshita 2009, section 2.2, and of its references"
CONFIG = "platforms/reproduce/predict/networks.yaml"
SIDE, LOAD = 8, 0.05
TOPOLOGIES = {"mesh": "8x8 mesh", "torus": "8x8 torus", "random_grid": "random grid", "fat_tree": "(4,4,3) fat tree"}
PREDICTORS = {"straight": "SS", "up": "UP", "latest_port": "latest port", "finite_context": "finite context",
              "last_destination": "last destination", "oracle": "oracle"}
ONLY_ON = {"straight": ("mesh", "torus", "fat_tree"), "up": ("fat_tree",)}
WORKLOADS = ["uniform", "transpose", "shuffle", "cg64"]
ROWS = [
    *[Row(f"zero_{name}", f"{text}, SS without load: packets with other hits than their route says", "-", exactly(0),
          unit="packets") for name, text in (("mesh", "mesh"), ("torus", "torus, one class of virtual channels"),
                                             ("fat_tree", "fat tree"))],
    Row("always_miss", "runs whose mean latency always_miss changes", "-", exactly(0), unit="runs"),
    Row("torus_classes",
        "torus, SS without load: hit rate with one class of virtual channels, and with a dateline's two", "-",
        unit="%"),
    *[Row(f"{topology}_{workload}", f"{text}, {workload}: hit rate of {', '.join(PREDICTORS.values())}",
          "90 % (cited, local applications)"
          if workload == "cg64" else "-", unit="%", section="5" if workload == "cg64" else "",
          runs=(f"{topology} {workload} *",)) for topology, text in TOPOLOGIES.items() for workload in WORKLOADS],
]


def predictors(topology):
    return [kind for kind in PREDICTORS if topology in ONLY_ON.get(kind, TOPOLOGIES)]


def run(setting, topology, workload, kind):
    keys = {"topology.kind": topology, "prediction.kind": kind}
    if workload == "cg64":
        keys["workload.kind"] = "trace"  # cg64 is the default
    else:
        keys.update({"traffic.pattern": workload, "traffic.packet_flits": zero_load.FLITS,
                     "traffic.load_flits_per_node_cycle": LOAD,
                     "measure.warmup_cycles": 2000, "measure.cycles": 4000 if setting.quick else 30000})
    return Run("network", CONFIG, keys, seconds=0.3)


def chosen(setting):
    topologies = ["mesh", "fat_tree"] if setting.quick else TOPOLOGIES
    workloads = ["uniform", "cg64"] if setting.quick else WORKLOADS
    return [(topology, workload) for topology in topologies for workload in workloads]


def single_packets(setting, topology, **more):
    keys = {"topology.kind": topology, "prediction.kind": "straight", **more}
    return zero_load.run(setting, CONFIG, "cube", zero_load.every_pair(SIDE**2), keys, 1)


def plan(setting):
    runs = {"zero mesh": single_packets(setting, "mesh"), "zero fat_tree": fig8.run(setting, "straight", 3),
            "zero torus": single_packets(setting, "torus", **{"routing.dateline": "none"}),
            "zero torus classes": single_packets(setting, "torus")}
    for topology, workload in chosen(setting):
        for kind in ["none", "always_miss", *predictors(topology)]:
            runs[f"{topology} {workload} {kind}"] = run(setting, topology, workload, kind)
    return runs


def cube_route(source, destination, wraps):
    """Routers of a route by dimension order, and those in which a packet keeps its direction."""
    ways = [abs(source // step % SIDE - destination // step % SIDE) for step in (1, SIDE)]
    ways = [min(way, SIDE - way) if wraps else way for way in ways]
    return sum(ways) + 1, sum(max(way - 1, 0) for way in ways)


def wrong_on_cube(packets, wraps):
    return sum((visits, hits) != cube_route(source, destination, wraps)
               for source, destination, visits, hits, _ in packets)


def latency(result):
    """Mean latency of packets, or of an application's messages."""
    name = ("message_latency_cycles_mean" if "message_latency_cycles_mean" in result.json["metrics"]
            else "latency_cycles_mean")
    return result.metric(name)


def evaluate(setting, results):
    alone = {name: zero_load.packets(results[f"zero {name}"])
             for name in ("mesh", "torus", "fat_tree", "torus classes")}

    def rate(name):
        return 100 * sum(packet[3] for packet in alone[name]) / sum(packet[2] for packet in alone[name])

    values = {"zero_mesh": wrong_on_cube(alone["mesh"], False), "zero_torus": wrong_on_cube(alone["torus"], True),
              "zero_fat_tree": fig8.wrong_pairs("straight", 3, alone["fat_tree"]), "always_miss": 0,
              "torus_classes": [rate("torus"), rate("torus classes")]}
    table = []
    for topology, workload in chosen(setting):
        normal = latency(results[f"{topology} {workload} none"])
        values["always_miss"] += latency(results[f"{topology} {workload} always_miss"]) != normal
        rates = []
        for kind in PREDICTORS:
            result = results.get(f"{topology} {workload} {kind}")
            rates.append(result and 100 * result.metric("prediction_hit_rate"))
            if result:
                table.append({"topology": topology, "workload": workload, "predictor": kind,
                              "hit_rate_percent": rates[-1],
                              "latency_cycles": latency(result), "normal_latency_cycles": normal,
                              "gain_percent": 100 * (1 - latency(result) / normal)})
        values[f"{topology}_{workload}"] = rates
    notes = [f"patterns at {LOAD} flits/node/cycle; cg64: mean latency of its messages; random grid: 4 links, wires up "
             f"to 3",
             "on a ring a packet's class of virtual channels is known after its route alone: the channel held is that "
             "of the head before"]
    return Findings(values, table, lambda figure: draw(figure, table), notes)


def draw(figure, table):
    topologies = list(dict.fromkeys(line["topology"] for line in table))
    workloads = list(dict.fromkeys(line["workload"] for line in table))
    for row, (name, label) in zip(figure.subplots(2, len(topologies), sharex=True, sharey="row", squeeze=False),
                                  (("hit_rate_percent", "hit rate (%)"), ("gain_percent", "latency saved (%)"))):
        row[0].set_ylabel(label)
        for axes, topology in zip(row, topologies):
            for index, (kind, text) in enumerate(PREDICTORS.items()):
                bars = [(workloads.index(line["workload"]), line[name]) for line in table
                        if line["topology"] == topology and line["predictor"] == kind]
                axes.bar([place + 0.13 * (index - 2.5) for place, _ in bars], [value for _, value in bars], 0.13,
                         color=f"C{index}",
                         label=text)
            axes.set_xticks(range(len(workloads)), workloads, rotation=60)
            if name == "hit_rate_percent":
                axes.set_title(TOPOLOGIES[topology])
    figure.suptitle(" ")  # room for the legend
    figure.legend(*figure.axes[-1].get_legend_handles_labels(), ncols=6, loc="upper center", fontsize=7)
