# SPDX-License-Identifier: Apache-2.0
"""FIFOs of 1 to 4 packets at the crosspoints: uniform traffic on the network alone, and all nodes to one, where the
network is full and where it is not."""

from reproduction import Findings, Row

from . import machine

TITLE = "Depth of the crosspoint FIFOs"
SOURCE = "in no paper"
DEPTHS, QUICK = [1, 2, 3, 4], [1, 2]
NODES, FEWER, BLOCK = 64, 40, 65536
LOADS, QUICK_LOADS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], [0.5, 1.0]
ROWS = [
    Row("accepted", "accepted at full load, FIFOs of 1, 2, 3, 4 packets", "-", unit="flits/node/cycle"),
    Row("one_to_one", "one node to one, 64 KB", "-", unit="2^20 B/s"),
    Row("to_one", "64 nodes to node 0: received", "-", unit="2^20 B/s"),
    Row("fairness", "64 nodes to node 0: time of the first node to be through over the last one's", "-", unit="%"),
    Row("fairness_fewer", "the same with 40 nodes, whose lines do not fill the switches", "-", unit="%"),
]


def plan(setting):
    runs = {}
    for depth in QUICK if setting.quick else DEPTHS:
        keys = {"network.nodes": NODES, "switch.fifo_packets": depth}
        for load in QUICK_LOADS if setting.quick else LOADS:
            runs[f"{depth} load {load}"] = machine.run("synthetic", {**keys, "traffic.load_flits_per_node_cycle": load,
                                                                     "measure.cycles": 2000
                                                                     if setting.quick else 20000}, 1, config="")
        block = BLOCK // 16 if setting.quick else BLOCK
        for nodes in (NODES, FEWER):
            to_one = {**keys, "network.nodes": nodes, "exchange_method": "to_one", "exchange_bytes": block}
            runs[f"{depth} to one of {nodes}"] = machine.run("exchange", to_one, 1, config="")
        runs[f"{depth} one to one"] = machine.run("ping_pong", {**keys, "message_bytes": BLOCK}, config="")
    return runs


def evaluate(setting, results):
    depths, loads = (QUICK, QUICK_LOADS) if setting.quick else (DEPTHS, LOADS)
    table = [{"fifo_packets": depth, "load": load,
              "accepted": results[f"{depth} load {load}"].metric("accepted_flits_per_node_cycle"),
              "latency_cycles": results[f"{depth} load {load}"].metric("latency_cycles_mean")} for depth in depths
             for load in loads]
    ends = {(depth, nodes): sorted(line["mean_time"]
                                   for line in results[f"{depth} to one of {nodes}"].table("exchange_ranks")
                                   if line["rank"] != 0) for depth in depths for nodes in (NODES, FEWER)}
    values = {"accepted": [line["accepted"] for line in table if line["load"] == loads[-1]],
              "one_to_one": [machine.mib_per_second(BLOCK, results[f"{depth} one to one"].metric("paralib_latency_us"))
                             for depth in depths],
              "to_one": [results[f"{depth} to one of {NODES}"].metric("exchange_throughput_mib_s") for depth in depths],
              **{key: [100 * ends[depth, nodes][0] / ends[depth, nodes][-1] for depth in depths]
                 for key, nodes in (("fairness", NODES), ("fairness_fewer", FEWER))}}
    notes = ["uniform traffic: packets of 256 B between all pairs, on the network alone",
             "to node 0 every node, itself included, puts 64 KB; a node is through when its last packet has left"]
    return Findings(values, table, lambda figure: draw(figure, table, ends), notes)


def draw(figure, table, ends):
    left, right = figure.subplots(1, 2)
    depths = sorted({line["fifo_packets"] for line in table})
    for index, depth in enumerate(depths):
        lines = [line for line in table if line["fifo_packets"] == depth]
        left.plot([line["load"] for line in lines], [line["accepted"] for line in lines], "o-", color=f"C{index}",
                  markersize=3, linewidth=1,
                  label=f"{depth} packet{'s' if depth > 1 else ''}")
    for (depth, nodes), times in ends.items():
        if depth in (depths[0], depths[-1]):
            right.plot(range(1, len(times) + 1), [time / 1000 for time in times], "-" if nodes == NODES else "--",
                       color=f"C{depths.index(depth)}", linewidth=1,
                       label=f"{nodes} nodes, {depth} packet{'s' if depth > 1 else ''}")
    left.set_xlabel("load (flits/node/cycle)")
    left.set_ylabel("accepted (flits/node/cycle)")
    left.set_title("uniform traffic, 64 nodes", fontsize=9)
    right.set_xlabel("nodes that are through")
    right.set_ylabel("time (ms)")
    right.set_title("all nodes to one", fontsize=9)
    for axes in (left, right):
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=7)
    figure.suptitle(TITLE, fontsize=10)
