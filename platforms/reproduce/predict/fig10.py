# SPDX-License-Identifier: Apache-2.0
"""Sweeps the load of the (16,16,2) tree with packets that are stored and forwarded as one flit of 256 B. Without load
the same packets go as 32 words, too, and their gain is held against that of SS on the (4,4,3) tree (section 4.2.3)."""

from reproduction import Findings, Row, at_most, exactly, within

from . import curves, fig8, fig11, san, zero_load

TITLE = "Latency against load, (16,16,2) fat tree, store and forward"
SOURCE = "Tateshita 2009, section 4.2.2 and fig. 10"
WORDS = san.PACKET_BYTES // san.WORD_BYTES
LOADS = {"low": (0.02, 0.15, 14), "high": (0.2, 0.9, 8), "quick": (0.02, 0.15, 2)}  # shares of a link
KNEE_MARGIN = 0.015
# The second reading: a wire is a pipeline of 32 stages that takes a flit of 256 B every cycle; credits return in one.
PIPELINE = {"traffic.packet_flits": 1, "link.flit_cycles": 1, "link.whole_flit": False, "link.latency_cycles": WORDS,
            "link.credit_latency_cycles": 1, "router.buffer_flits": 2}
PIPELINE_LOADS = {"low": "0.02:0.14:13", "high": "0.15:0.2:6", "quick": "0.02:0.1:2"}
STORED = ("normal *", "up *")  # packets of one flit
ROWS = [
    Row("least", "UP with hint below normal at 2 to 15 % of a link, the least", "about 20 %", within(20, 4),
        unit="%", runs=STORED),
    Row("most", "and the most", "about 20 %", within(20, 4), unit="%", runs=STORED),
    Row("chances", "predictions of a packet: the most with SS on the (4,4,3) tree, and the mean of UP here",
        "at most five, and one", exactly([5, 1]), section="4.2.3", runs=("tree straight", "alone predicted")),
    Row("as_much", "UP's gain without load over that of SS on the (4,4,3) tree",
        "to the same degree, with one prediction instead of five", within(1, 0.3), section="4.2.3",
        runs=("tree *", "alone 256", "alone predicted")),
    Row("words", "packets whose latency without load differs between a flit of 256 B and 32 words", "-", exactly(0),
        unit="packets"),
    Row("alone", "without load, both: largest difference from 32 cycles a link, 5 a router, 7 at the nodes",
        "LT 32 cycles, 5 cycles in a router", at_most(0.001), unit="cycles", runs=("alone *",)),
    Row("latency", "latency at 2 and at 15 % of a link, normal", "figure", unit="cycles"),
    Row("latency_predicted", "with prediction", "figure", unit="cycles"),
    Row("latency_ns", "at 2 % of a link, normal and predicted", "figure", unit="ns"),
    Row("gain_high", "UP with hint below normal at 50 % of a link", "-", unit="%"),
    Row("knee", "load at which latency is twice the least, normal; wires as pipelines", "rises sharply above 0.15",
        within(0.15, KNEE_MARGIN), unit="flits/node/cycle", quick=False, runs=("pipelined normal *",)),
    Row("knee_predicted", "with prediction", "with and without prediction", within(0.15, KNEE_MARGIN),
        unit="flits/node/cycle", quick=False, runs=("pipelined up *",)),
    Row("pipelined_link", "cycles of a link between routers at the least load, normal; wires as pipelines",
        "LT 32 cycles, 5 cycles in a router", within(WORDS, 2), unit="cycles", runs=("pipelined normal *",)),
    Row("pipelined_gain", "UP with hint below normal up to 0.1 flits/node/cycle, least and most; wires as pipelines",
        "about 20 %", unit="%", number=20, reading_of=("least",), runs=("pipelined *",)),
]


def sweep(predicts):
    keys = {"traffic.packet_flits": 1, **san.flits(san.PACKET_BYTES, "store_and_forward", predicts)}
    # A node sends a flit in as many cycles as it has words.
    loads = {name: f"{begin / WORDS}:{end / WORDS}:{points}" for name, (begin, end, points) in LOADS.items()}
    return curves.Sweep(san.CONFIG, keys, **loads, low_cycles=50_000)


def pipelined(predicts):
    keys = {**PIPELINE, "router.switching": "virtual_cut_through"}
    if predicts:
        keys.update(san.PREDICTED, **{"prediction.serial": False})
    return curves.Sweep(san.CONFIG, keys, **PIPELINE_LOADS, low_cycles=20_000)


def knee(curve):
    """Between the two loads around it, in proportion."""
    loads = sorted(curve.at)
    twice = 2 * curve.at[loads[0]]
    for below, above in zip(loads, loads[1:]):
        low, high = curve.at[below], curve.at[above]
        if high is not None and high >= twice:
            return below + (above - below) * (twice - low) / (high - low)
    return None


def plan(setting):
    runs = {}
    for size in (san.WORD_BYTES, san.PACKET_BYTES):
        runs[f"alone {size}"] = fig11.run(setting, size, "store_and_forward", False)
    runs["alone predicted"] = fig11.run(setting, san.PACKET_BYTES, "store_and_forward", True)
    runs.update({f"tree {kind}": fig8.run(setting, kind, 3) for kind in ("straight", "none")})
    for name, predicts in (("normal", False), ("up", True)):
        runs.update(sweep(predicts).plan(name, setting.quick))
        runs.update(pipelined(predicts).plan(f"pipelined {name}", setting.quick))
    return runs


def tree_compared(results, alone):
    """Section 4.2.3: one prediction of UP here, and up to five of SS on the (4,4,3) tree. `alone`: mean latency here,
    by whether it is predicted."""
    tree = {kind: zero_load.packets(results[f"tree {kind}"]) for kind in ("straight", "none")}
    latency = {kind: sum(packet[-1] for packet in packets) for kind, packets in tree.items()}
    made, _ = fig8.predictions(results["tree straight"])
    most = max(packet[2] for packet in tree["straight"])
    every = made == sum(packet[2] for packet in tree["straight"])  # SS predicts at each visit
    here, _ = fig8.predictions(results["alone predicted"])
    return {"chances": [most if every else None, here / results["alone predicted"].metric("packets_born")],
            "as_much": (1 - alone[True] / alone[False]) / (1 - latency["straight"] / latency["none"])}


def evaluate(setting, results):
    normal, predicted = (curves.Curve(name, results, scale=WORDS) for name in ("normal", "up"))
    judged = [load for load in normal.at if load <= 0.15]
    gains = predicted.gains(normal, judged)
    latency = [{line["packet"]: line["latency_cycles"] for line in results[f"alone {size}"].packets()}
               for size in (san.WORD_BYTES, san.PACKET_BYTES)]
    alone = {predicts: results[f"alone {which}"].metric("latency_cycles_mean")
             for which, predicts in ((san.PACKET_BYTES, False), ("predicted", True))}
    ends = [curve.at[judged[0]] for curve in (normal, predicted)]
    values = {"least": min(gains), "most": max(gains),
              "words": sum(latency[0][packet] != latency[1][packet] for packet in set(latency[0]) | set(latency[1])),
              "alone": max(abs(mean - san.latency_cycles(san.PACKET_BYTES, predicts))
                           for predicts, mean in alone.items()),
              "latency": [normal.at[load] for load in (judged[0], judged[-1])],
              "latency_predicted": [predicted.at[load] for load in (judged[0], judged[-1])],
              "latency_ns": [cycles * san.PERIOD_NS for cycles in ends]}
    values.update(tree_compared(results, alone))
    wires = [curves.Curve(f"pipelined {name}", results) for name in ("normal", "up")]
    routers = 1 + 2 * san.SHARE_UP
    links = wires[0].at[min(wires[0].at)] - san.STAGES * routers - san.NODE_CYCLES - 2  # and both links of nodes
    values["pipelined_link"] = links / (routers - 1)
    pipelined_gains = wires[1].gains(wires[0], [load for load in wires[0].at if load <= 0.1])
    values["pipelined_gain"] = [min(pipelined_gains), max(pipelined_gains)]
    if not setting.quick:
        values["gain_high"] = predicted.gains(normal, [0.5])[0]
        values.update(knee=knee(wires[0]), knee_predicted=knee(wires[1]))
    table = curves.table([({"series": "normal"}, normal), ({"series": "UP with hint"}, predicted),
                          ({"series": "normal, wires as pipelines"}, wires[0]),
                          ({"series": "UP with hint, wires as pipelines"}, wires[1])])
    table = [{**line, "latency_ns": line["latency_cycles"] * san.PERIOD_NS} for line in table]
    notes = ["the gain and the knee fit two readings of a link: where it sends 8 B a cycle, loads are shares of it and "
             "the gain comes out; where it is a pipeline that takes a flit of 256 B every cycle (two flits a virtual "
             "channel), the knee of 0.15 flits/node/cycle does, and a hit saves stages alone",
             "with prediction a hit is on the next link one cycle after its first word came, needs credit for the "
             "packet and stores nothing"]

    def draw(figure):
        axes, second = figure.subplots(2, 1)
        for index, (label, curve) in enumerate(zip(("normal", "UP with hint"), wires)):
            second.plot(list(curve.at), list(curve.at.values()), "o-", color=f"C{index}", markersize=3, linewidth=1,
                        label=label)
        second.axvline(0.15, color="black", linestyle=":", linewidth=0.9, label="paper's knee")
        second.set_ylim(0, 500)
        second.set_xlim(left=0)
        second.set_xlabel("load, wires as pipelines (flits/node/cycle)")
        second.set_ylabel("mean latency (cycles)")
        second.legend()
        for index, (label, curve) in enumerate((("normal", normal), ("UP with hint", predicted))):
            axes.plot(list(curve.at), list(curve.at.values()), "o-", color=f"C{index}", markersize=3, linewidth=1,
                      label=label)
        axes.axvspan(0.02, 0.15, color="0.93", zorder=0, label="judged")
        axes.set_ylim(0, 500)
        axes.set_xlim(left=0)
        axes.set_xlabel("load (share of a link)")
        axes.set_ylabel("mean latency (cycles)")
        ns = axes.secondary_yaxis("right", functions=(lambda cycles: cycles * san.PERIOD_NS,
                                                      lambda value: value / san.PERIOD_NS))
        ns.set_ylabel("ns")
        axes.set_title(TITLE)
        axes.legend()

    return Findings(values, table, draw, notes)
