# SPDX-License-Identifier: Apache-2.0
"""Replays the packets of BookSim2's runs and compares each packet's cycles of injection and end."""

from reproduction import Findings, Row, exactly
from tsuji.booksim.packets import mean_latency

from . import set_ups

TITLE = "Every packet in the cycles of BookSim2"
SOURCE = "BookSim2 28f43299 (Jiang 2013); platforms/reproduce/booksim/README.md"
SET_UPS = {name: set_ups.SetUp(name) for name in set_ups.NAMES if not name.startswith(set_ups.DRAWN)}
ROWS = [Row(name, f"{one.text()}: packets with another cycle", f"0 of {len(one.packets):,}", exactly(0),
            unit="packets")
        for name, one in SET_UPS.items()]


def plan(setting):
    return {name: one.run(setting) for name, one in SET_UPS.items()}


def evaluate(setting, results):
    values, table, notes = {}, [], []
    for name, one in SET_UPS.items():
        different = one.differences(results[name])
        values[name] = len(different)
        table.append({"set_up": name, "packets": len(one.packets), "different": len(different),
                      "booksim_latency_mean_cycles": mean_latency(one.packets),
                      "latency_mean_cycles": results[name].metric("latency_cycles_mean")})
        notes += [f"{name}: {different[0].text()}"] if different else []

    def draw(figure):
        axes = figure.subplots()
        places = range(len(table))
        axes.barh([place - 0.2 for place in places], [line["booksim_latency_mean_cycles"] for line in table], 0.4,
                  label="BookSim2")
        axes.barh([place + 0.2 for place in places], [line["latency_mean_cycles"] for line in table], 0.4,
                  label="replay")
        axes.set_yticks(list(places), [f"{line['set_up']} ({line['packets']:,})" for line in table], fontsize=7)
        axes.set_xscale("log")
        axes.invert_yaxis()
        axes.set_xlabel("mean latency (cycles)")
        axes.legend(fontsize=7)
        axes.set_title(f"{sum(line['packets'] for line in table):,} packets, "
                       f"{sum(line['different'] for line in table):,} with another cycle")

    return Findings(values, table, draw, notes)
