# SPDX-License-Identifier: Apache-2.0
"""Reads the stages of packets' flits in the middle one of three routers out of the waveform: one predicted right, one
wrong, one whose predicted output a real request takes, and that request's own, at an input without a prediction. Then
off-chip, at a switch of a (2,2,2) tree with flits of 4 words: one predicted right, and one that its hint bits hold
back."""

from reproduction import Findings, Row, Run, exactly
from reproduction import stages as flit_stages
from reproduction.vcd import Vcd

from . import san

TITLE = "One packet through one router: hit, killed, lost, not predicted"
SOURCE = "Tateshita 2009, section 2.1 and fig. 2"
PERIOD_PS, CYCLES, FLITS = 1000, 8, 3
LIST = f"10 0 2 {FLITS}\n40 0 1 {FLITS}\n70 0 2 {FLITS}\n73 1 2 {FLITS}\n"  # cycle, source, destination
# By outcome: packet, input of the middle router, and the wave of the predicted output.
PACKETS = {"hits": ("0.0", "in1"), "wrong": ("0.1", "in1"), "lost": ("0.2", "in1"), "not_predicted": ("1.0", "in2")}
LABELS = {"hits": "hit", "wrong": "predicted wrong, killed", "lost": "lost to a real request",
          "not_predicted": "not predicted"}
STRAIGHT = "network.r1.out1.flit"
# Off-chip: the first goes up, the second stays below its switch.
SAN_LIST = "10 0 2 2\n60 0 1 2\n"
SAN_PACKETS, SAN_LABELS = {"san_hit": "0.0", "san_hint": "0.1"}, {"san_hit": "off-chip: hit",
                                                                  "san_hint": "off-chip: held back by the hint"}
SAN_IN, SAN_UP, SAN_PERIOD_PS, SAN_CYCLES, SAN_WORDS = "network.r0.in0", "network.r0.out2.flit", 3200, 14, 4
ROWS = [
    Row("hits", "stages of a head, hit", "ST (1 cycle)", exactly(["ST"])),
    *[Row(name, f"stages of a head, {LABELS[name]}", "RC, VSA, ST (3 cycles)", exactly(["RC", "VSA", "ST"]))
      for name in ("wrong", "lost", "not_predicted")],
    Row("wires", "head on the output's wires: cycles after it came into the buffer, in this order", "1, 3, 3, 3",
        exactly([1, 3, 3, 3]), unit="cycles"),
    Row("body", "cycles of the hit's body flits in the router", "1 (output held)", exactly([1] * (FLITS - 1)),
        unit="cycles"),
    Row("extra", "cycles that the wrong prediction costs the packet", "0", exactly(0), unit="cycles"),
    Row("always_miss", "packets that always_miss delays or speeds up", "-", exactly(0), unit="packets"),
    Row("leaves", "flits of the wrong prediction on the predicted output's wires", "0: killed", exactly(0),
        unit="flits"),
    Row("track", "prediction's track in the waveform, both inputs", "-", exactly(["hit", "wrong", "lost", "none"])),
    Row("san_hit", "off-chip hit: cycles from its flits on this link to the same on the next one",
        "1 (serial data pass)", exactly([1, 1]),
        unit="cycles"),
    Row("san_hint", "stages of a head that the hint holds back", "Des, RC, VSA, ST, Ser",
        exactly(["Des", "RC", "VSA", "ST", "Ser"])),
    Row("san_hint_wires", "the same head: cycles from this link to the next one", f"LT + 5 = {SAN_WORDS + 5}",
        exactly(SAN_WORDS + 5),
        unit="cycles"),
    Row("san_extra", "cycles that the wrong prediction costs that packet", "0", exactly(0), unit="cycles"),
    Row("san_leaves", "its flits on the predicted output's wires", "0: hint bit", exactly(0), unit="flits"),
    Row("counted", "visits counted: hits, wrong, lost", "-", exactly([1, 1, 1]), unit="visits"),
]


def run(setting, kind):
    keys = {"prediction.kind": kind, "traffic.list": setting.input_file("four.list", LIST)}
    return Run("network", "platforms/reproduce/predict/pipeline.yaml", keys,
               ("--waves", "--waves-format", "vcd", "--records"))


def san_run(setting, predicts):
    keys = {"topology.up_links": 2, "topology.down_links": 2, "link.inject_latency_cycles": 1,
            "link.eject_latency_cycles": 1,
            "router.vcs": 1, **san.flits(SAN_WORDS * san.WORD_BYTES, "virtual_cut_through", predicts),
            "router.buffer_flits": 2,
            "traffic.kind": "list", "traffic.list": setting.input_file("san.list", SAN_LIST),
            "measure.warmup_cycles": 0,
            "measure.cycles": 120, "waves.slots": True}
    return Run("network", san.CONFIG, keys, ("--waves", "--waves-format", "vcd", "--records"))


def plan(setting):
    return {**{kind: run(setting, kind) for kind in ("straight", "none", "always_miss")},
            "san": san_run(setting, True), "san none": san_run(setting, False)}


def arrivals(result):
    """By packet, the cycle of its last flit's arrival."""
    return {line["packet"]: int(line["tail_cycle"]) for line in result.packets()}


def vsa(rows):
    """VA and SA are one stage, which the waveform shows as SA."""
    return [["VSA" if stage == "SA" else stage for stage in row] for row in rows]


def stages(wave, packet, port):
    return vsa(flit_stages.of_packet(wave, f"network.r1.{port}", packet, CYCLES, PERIOD_PS))


def cycles_to_wires(wave, packet, port):
    """Of the head, from the cycle in which it is in the buffer."""
    came = flit_stages.arrivals(wave, f"network.r1.{port}", packet)[0] + PERIOD_PS
    [left] = [time for path in wave.changes if path.startswith("network.r1.out") and path.endswith(".flit")
              for time, flit in wave.spans(path) if flit.startswith(f"{packet}.0")]
    return (left - came) // PERIOD_PS


def san_cycles_between(wave, packet):
    """Of each flit, between this link's wires and the next one's."""
    [out] = [path[:-len(".flit")] for path in wave.changes
             if path.startswith("network.r0.out") and path.endswith(".flit")
             and any(flit.startswith(f"{packet}.") for _, flit in wave.spans(path))]
    return [(left - came) // SAN_PERIOD_PS for came, left in zip(flit_stages.arrivals(wave, SAN_IN, packet),
                                                                 flit_stages.arrivals(wave, out, packet))]


def san_values(results):
    """Rows, and stages of the flits by packet."""
    wave = Vcd(results["san"].folder / "network.vcd")
    flits = {name: vsa(flit_stages.of_packet(wave, SAN_IN, packet, SAN_CYCLES, SAN_PERIOD_PS, lag=0))
             for name, packet in SAN_PACKETS.items()}
    held_back = SAN_PACKETS["san_hint"]
    ends = [arrivals(results[name]) for name in ("san", "san none")]
    return {"san_hit": san_cycles_between(wave, SAN_PACKETS["san_hit"]),
            "san_hint": [stage for stage in flits["san_hint"][0] if stage],
            "san_hint_wires": san_cycles_between(wave, held_back)[0],
            "san_extra": ends[0][held_back] - ends[1][held_back],
            "san_leaves": sum(flit.startswith(f"{held_back}.") for _, flit in wave.spans(SAN_UP))}, flits


def evaluate(setting, results):
    result = results["straight"]
    wave = Vcd(result.folder / "network.vcd")
    flits = {name: stages(wave, *place) for name, place in PACKETS.items()}
    ends = {kind: arrivals(each) for kind, each in results.items()}
    wrong = PACKETS["wrong"][0]
    values = {name: [stage for stage in rows[0] if stage] for name, rows in flits.items()}
    values.update({
        "wires": [cycles_to_wires(wave, *place) for place in PACKETS.values()],
        "body": [sum(bool(stage) for stage in row) for row in flits["hits"][1:]],
        "extra": ends["straight"][wrong] - ends["none"][wrong],
        "always_miss": sum(ends["always_miss"][packet] != cycle for packet, cycle in ends["none"].items()),
        "leaves": sum(flit.startswith(f"{wrong}.") for _, flit in wave.spans(STRAIGHT)),
        "track": flit_stages.predictions(wave, "network.r1.in1") + flit_stages.predictions(wave, "network.r1.in2"),
        "counted": [result.metric(f"prediction_{name}") for name in ("hits", "wrong", "lost")]})
    off_chip, san_flits = san_values(results)
    values.update(off_chip)
    flits.update(san_flits)
    table = [{"outcome": name, "flit": flit, **{f"cycle_{cycle}": row[cycle] if cycle < len(row) else ""
                                                for cycle in range(SAN_CYCLES)}}
             for name, rows in flits.items() for flit, row in enumerate(rows)]

    def draw(figure):
        for axes, (name, rows) in zip(figure.subplots(3, 2).flat, flits.items()):
            flit_stages.draw(axes, rows, SAN_CYCLES if name in SAN_PACKETS else CYCLES)
            axes.set_title({**LABELS, **SAN_LABELS}[name])
        figure.supxlabel("cycle (0: head in the buffer; off-chip: its first word on this link)")

    notes = ["wait: in the buffer behind the head; VSA is SA in the waveform",
             "lost and not predicted are one cycle apart at the output: their flits take turns",
             "off-chip: flits of 4 words; the waveform is in the folder off_chip"]
    waves = [sorted(results[name].folder.glob("network.*")) for name in ("straight", "san")]
    return Findings(values, table, draw, notes, waves[0], {"off_chip": waves[1]})
