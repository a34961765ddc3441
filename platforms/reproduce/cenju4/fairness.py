# SPDX-License-Identifier: Apache-2.0
"""Bounds of the crosspoint-buffered network alone, and how sources share what is full: one flow, a hot spot, an uneven
tree, uniform traffic on three and on four stages."""

from reproduction import Findings, Row, within, within_percent

from . import machine

TITLE = "Crosspoint FIFOs: bounds and shares"
SOURCE = "in no paper"
FLITS, DEPTHS = [10, 22, 40, 100], [1, 2, 3]
STAGES = {4: 0.417, 3: 0.512}  # of an independent simulator of the same rules
TURN = 12  # cycles from a packet's last flit to the next one's first, through a FIFO of one packet
NODES, HOT = 64, 5
TREE = [1, 5, 9, 2]
MATRICES = "platforms/reproduce/cenju4/"
ROWS = [
    *(Row(f"flow_{depth}", f"one flow, FIFOs of {depth}: cycles a packet above max(F, (F + {TURN}) / {depth}), the "
          f"largest of {len(FLITS)} lengths", "-",
          within(0, 0.02), unit="cycles") for depth in DEPTHS),
    Row("hot_spot", "64 nodes to one: packets of the best source over those of the worst", "-", within(1, 0.01)),
    Row("hot_spot_link", "the same: last link busy", "-", within_percent(100, 0.1), unit="%"),
    Row("tree", "an uneven tree: shares of the three sources behind one switch, and of the one behind another", "-",
        unit="%"),
    Row("tree_three", "each of the three: 1/6 of the last link", "-", within_percent(100 / 6, 1), unit="%"),
    Row("tree_one", "the one: 1/2 of the last link", "-", within_percent(50, 1), unit="%"),
    *(Row(f"uniform_{stages}", f"uniform, packets of 10 flits, one slot, {stages} stages: accepted", "-",
          within_percent(accepted, 1),
          quick=False, unit="flits/node/cycle") for stages, accepted in STAGES.items()),
]


def load(keys, cycles=20000):
    """The network alone; what is full stays full, so that nothing is followed until it has arrived."""
    return machine.run("synthetic", {"network.nodes": NODES, "measure.cycles": cycles, "measure.drain_cycles": 0,
                                     "links.rows": 1000, **keys}, 2, config="")


def flow(depth, flits):
    return load({"switch.fifo_packets": depth, "traffic.packet_flits": flits, "traffic.pattern": "matrix",
                 "traffic.matrix": MATRICES + "one_flow.matrix", "traffic.load_flits_per_node_cycle": 1 / NODES})


def plan(setting):
    runs = {f"flow {depth} {flits}": flow(depth, flits) for depth in DEPTHS for flits in FLITS}
    runs["hot spot"] = load({"traffic.pattern": "hotspot", "traffic.hotspots": f"[{HOT}]", "traffic.hotspot_share": 1,
                             "traffic.packet_flits": 10, "traffic.load_flits_per_node_cycle": 0.5}, 200000)
    runs["tree"] = load({"network.nodes": 16, "switch.fifo_packets": 2, "traffic.pattern": "matrix",
                         "traffic.matrix": MATRICES + "uneven_tree.matrix", "traffic.packet_flits": 10,
                         "traffic.load_flits_per_node_cycle": len(TREE) / 16}, 100000)
    for stages in STAGES if not setting.quick else ():
        runs[f"uniform {stages}"] = load({"network.stages": stages, "switch.fifo_packets": 1,
                                          "traffic.packet_flits": 10,
                                          "traffic.load_flits_per_node_cycle": 0.75})
    return runs


def cycles_a_packet(result, flits):
    return flits / (result.metric("accepted_flits_per_node_cycle") * NODES)


def evaluate(setting, results):
    table, values = [], {}
    for depth in DEPTHS:
        for flits in FLITS:
            bound = max(flits, (flits + TURN) / depth)
            table.append({"fifo_packets": depth, "packet_flits": flits,
                          "cycles_a_packet": cycles_a_packet(results[f"flow {depth} {flits}"], flits),
                          "bound": bound})
        beyond = [line["cycles_a_packet"] - line["bound"] for line in table if line["fifo_packets"] == depth]
        values[f"flow_{depth}"] = max(beyond, key=abs)
    hot = results["hot spot"]
    values["hot_spot"] = hot.metric("accepted_packets_per_source_max") / hot.metric("accepted_packets_per_source_min")
    values["hot_spot_link"] = 100 * hot.metric("accepted_flits_per_node_cycle") * NODES
    sent = {line["from"]: line["flits"] for line in results["tree"].table("links")}
    last = next(line["flits"] for line in results["tree"].table("links") if line["to"] == "node 0")
    shares = [100 * sent[f"node {source}"] / last for source in TREE]
    values.update(tree=shares, tree_three=max(shares[:3], key=lambda share: abs(share - 100 / 6)), tree_one=shares[3])
    for stages in STAGES if not setting.quick else ():
        values[f"uniform_{stages}"] = results[f"uniform {stages}"].metric("accepted_flits_per_node_cycle")
    notes = [f"a slot is filled again {TURN} cycles behind its packet's last flit (handbook.d/rooms/crosspoint.md)",
             "0.417 and 0.512 are those of an independent simulator, which was written from the pages"]
    return Findings(values, table, lambda figure: draw(figure, table, shares), notes)


def draw(figure, table, shares):
    left, right = figure.subplots(1, 2)
    for index, depth in enumerate(DEPTHS):
        lines = [line for line in table if line["fifo_packets"] == depth]
        lengths = [line["packet_flits"] for line in lines]
        left.plot(lengths, [flits / line["cycles_a_packet"] for flits, line in zip(lengths, lines)], "o",
                  color=f"C{index}", markersize=4,
                  label=f"{depth} packet{'s' if depth > 1 else ''}")
        fine = range(1, max(FLITS) + 1)
        left.plot(fine, [min(1, depth * flits / (flits + TURN)) for flits in fine], "-", color=f"C{index}", linewidth=1)
    left.set_xlabel("packet (flits)")
    left.set_ylabel("one flow (flits/cycle)")
    left.set_title("dots: simulated, lines: bound", fontsize=9)
    left.set_ylim(0, 1.05)
    left.legend(fontsize=7)
    right.bar([f"node {source}" for source in TREE], shares, color="C0")
    right.axhline(100 / 6, color="black", linewidth=0.7, linestyle="--")
    right.axhline(50, color="black", linewidth=0.7, linestyle="--")
    right.set_ylabel("share of the last link (%)")
    right.set_title("uneven tree", fontsize=9)
    figure.suptitle(TITLE, fontsize=10)
