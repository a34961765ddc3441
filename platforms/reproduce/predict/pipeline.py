"""Reads the stages of packets' flits in the middle one of three routers out of the waveform: one predicted right, one wrong, one
whose predicted output a real request takes, and that request's own, at an input without a prediction."""

from reproduction import Findings, Row, Run, exactly
from reproduction import stages as flit_stages
from reproduction.vcd import Vcd

TITLE = "One packet through one router: hit, killed, lost, not predicted"
SOURCE = "Tateshita 2009, section 2.1 and fig. 2"
PERIOD_PS, CYCLES, FLITS = 1000, 8, 3
LIST = f"10 0 2 {FLITS}\n40 0 1 {FLITS}\n70 0 2 {FLITS}\n73 1 2 {FLITS}\n"  # cycle, source, destination
# By outcome: packet, input of the middle router, and the wave of the predicted output.
PACKETS = {"hits": ("0.0", "in1"), "wrong": ("0.1", "in1"), "lost": ("0.2", "in1"), "not_predicted": ("1.0", "in2")}
LABELS = {"hits": "hit", "wrong": "predicted wrong, killed", "lost": "lost to a real request", "not_predicted": "not predicted"}
STRAIGHT = "network.r1.out1.flit"
ROWS = [
    Row("hits", "stages of a head, hit", "ST (1 cycle)", exactly(["ST"]), hard=True),
    *[Row(name, f"stages of a head, {LABELS[name]}", "RC, VSA, ST (3 cycles)", exactly(["RC", "VSA", "ST"]), hard=True)
      for name in ("wrong", "lost", "not_predicted")],
    Row("wires", "head on the output's wires: cycles after it came into the buffer, in this order", "1, 3, 3, 3",
        exactly([1, 3, 3, 3]), hard=True, unit="cycles"),
    Row("body", "cycles of the hit's body flits in the router", "1 (output held)", exactly([1] * (FLITS - 1)), hard=True, unit="cycles"),
    Row("extra", "cycles that the wrong prediction costs the packet", "0", exactly(0), hard=True, unit="cycles"),
    Row("always_miss", "packets that always_miss delays or speeds up", "-", exactly(0), hard=True, unit="packets"),
    Row("leaves", "flits of the wrong prediction on the predicted output's wires", "0: killed", exactly(0), hard=True, unit="flits"),
    Row("counted", "visits counted: hits, wrong, lost", "-", exactly([1, 1, 1]), hard=True, unit="visits"),
]


def run(setting, kind):
    keys = {"prediction.kind": kind, "traffic.list": setting.input_file("four.list", LIST)}
    return Run("network", "platforms/reproduce/predict/pipeline.yaml", keys,
               ("--trace", "signals", "--trace-format", "vcd", "--trace", "packets"))


def plan(setting):
    return {kind: run(setting, kind) for kind in ("straight", "none", "always_miss")}


def arrivals(result):
    """By packet, the cycle of its last flit's arrival."""
    return {line["packet"]: int(line["tail_cycle"]) for line in result.packets()}


def stages(wave, packet, port):
    """VA and SA are one stage, which the waveform shows as SA."""
    rows = flit_stages.of_packet(wave, f"network.r1.{port}", packet, CYCLES, PERIOD_PS)
    return [["VSA" if stage == "SA" else stage for stage in row] for row in rows]


def cycles_to_wires(wave, packet, port):
    """Of the head, from the cycle in which it is in the buffer."""
    came = flit_stages.arrivals(wave, f"network.r1.{port}", packet)[0] + PERIOD_PS
    [left] = [time for path in wave.changes if path.startswith("network.r1.out") and path.endswith(".flit")
              for time, flit in wave.spans(path) if flit.startswith(f"{packet}.0")]
    return (left - came) // PERIOD_PS


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
        "counted": [result.metric(f"prediction_{name}") for name in ("hits", "wrong", "lost")]})
    table = [{"outcome": name, "packet": PACKETS[name][0], "flit": flit, **{f"cycle_{cycle}": stage for cycle, stage in enumerate(row)}}
             for name, rows in flits.items() for flit, row in enumerate(rows)]

    def draw(figure):
        for axes, (name, rows) in zip(figure.subplots(2, 2, sharex=True).flat, flits.items()):
            flit_stages.draw(axes, rows, CYCLES)
            axes.set_title(LABELS[name])
        figure.supxlabel("cycle (head in the buffer: 0)")

    notes = ["wait: in the buffer behind the head; VSA is SA in the waveform",
             "the last two are one cycle apart at the output: their flits take turns"]
    return Findings(values, table, draw, notes, sorted(result.folder.glob("network.*")))
