# SPDX-License-Identifier: Apache-2.0
"""Reads the stages of a packet's flits out of the waveform of three switches in a row."""

from reproduction import Findings, Row, Run, exactly, holds
from reproduction import stages as flit_stages
from reproduction.vcd import Vcd

TITLE = "A packet of 4 flits through a switch of 4 stages"
SOURCE = "Hirasawa 2020, section 2.2 and fig. 3"
ROWS = [
    Row("head", "stages of the head, cycle by cycle", "RC, VA, SA, ST in successive stages",
        exactly(["RC", "VA", "SA", "ST"])),
    Row("body", "cycles of ST behind the head's, flits 1 to 3", "one stage behind each other", exactly([1, 2, 3]),
        unit="cycles"),
    Row("body_stages", "stages of each body flit", "SA, ST", exactly([["SA", "ST"]] * 3)),
    Row("alike", "the same in all three switches", "-", holds()),
]
PERIOD_PS, SWITCHES, CYCLES = 1000, 3, 8


def plan(setting):
    return {"packet": Run("network", "platforms/network/pipeline.yaml",
                          options=("--waves", "--waves-format", "vcd"))}


def stages(wave, switch):
    """For each flit the stage in each cycle from the head's arrival on."""
    port = f"network.r{switch}.in{'2' if switch == 0 else '1'}"
    return flit_stages.of_packet(wave, port, "0.0", CYCLES, PERIOD_PS)


def evaluate(setting, results):
    wave = Vcd(results["packet"].folder / "network.vcd")
    switches = [stages(wave, switch) for switch in range(SWITCHES)]
    flits = switches[0]
    left = [row.index("ST") for row in flits]
    values = {"head": [stage for stage in flits[0] if stage], "body": [cycle - left[0] for cycle in left[1:]],
              "body_stages": [[stage for stage in row if stage not in ("", "wait")] for row in flits[1:]],
              "alike": all(other == flits for other in switches)}
    table = [{"switch": switch, "flit": flit, **{f"cycle_{cycle}": stage for cycle, stage in enumerate(row)}}
             for switch, rows in enumerate(switches) for flit, row in enumerate(rows)]

    def draw(figure):
        axes = figure.subplots()
        flit_stages.draw(axes, flits, CYCLES)
        axes.set_xlabel("cycle (head's arrival: 0)")
        axes.set_title("Stages of a packet's flits in the first switch, read from the waveform")

    return Findings(values, table, draw, ["wait: in the buffer behind the head"],
                    sorted(results["packet"].folder.glob("network.*")))
