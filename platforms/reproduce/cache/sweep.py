# SPDX-License-Identifier: Apache-2.0
"""Fig. 7 and 9 around their operating points: node speeds and cables, with and without a cache. No verdicts."""

from reproduction import Findings, Reading, Row

from . import programs
from .applications import timed_cycles

SPEEDS = [0.5, 1, 2]  # of the nodes, beside the operating point's
CABLES_NS = [25, 100, 200]
CROSS = [(speed, cable) for speed in SPEEDS for cable in CABLES_NS if speed == 1 or cable == 100]
SHORT_CABLES = [(1, cable) for cable in CABLES_NS if cable <= 100]
SERIES = ("conventional", "cached")


class Sweep:
    def __init__(self, figure, name, gflops, points):
        self.figure, self.name, self.gflops, self.points = figure, name, gflops, points

    def title(self):
        return f"{self.name}'s mean gain over node speed and cable latency"

    def key(self, speed, cable):
        return f"x{self.gflops * speed:g}_{cable}ns"

    def rows(self):
        return [Row(self.key(speed, cable),
                    f"mean gain, nodes {self.gflops * speed:g} x the recording core, cables {cable} ns",
                    f"+{self.figure.paper} % (operating point)" if (speed, cable) == (1, 100) else "-", unit="%",
                    number=self.figure.paper if (speed, cable) == (1, 100) else None,
                    runs=(f"* {self.key(speed, cable)}",))
                for speed, cable in self.points]

    def shown(self, setting):
        return SHORT_CABLES if setting.quick else self.points

    def keys(self, speed, cable):
        # The operating point itself is the very run of its figure.
        if (speed, cable) == (1, 100):
            return {}
        # A buffer holds more than a credit's loop, as in case1_64.yaml, and whole packets of 11 flits.
        return {"node.gflops": self.gflops * speed, "link.latency_cycles": cable, "link.inject_latency_cycles": cable,
                "link.eject_latency_cycles": cable, "router.buffer_flits": 352 if cable <= 100 else 550}

    def plan(self, setting):
        seed = self.figure.seeds[0]
        return {f"{name} {series} {self.key(*point)}": self.figure.run(setting, name, series, seed, **self.keys(*point))
                for point in self.shown(setting) for name in programs.names(setting) for series in SERIES}

    def evaluate(self, setting, results):
        table = []
        for point in self.shown(setting):
            cycles = {name: [timed_cycles(results[f"{name} {series} {self.key(*point)}"]) for series in SERIES]
                      for name in programs.names(setting)}
            gains = {f"{name}_gain_percent": 100 * (slow / fast - 1) for name, (slow, fast) in cycles.items()}
            table.append({"node_gflops": self.gflops * point[0], "cable_ns": point[1],
                          "mean_gain_percent": sum(gains.values()) / len(gains), **gains})
        values = {self.key(*point): line["mean_gain_percent"] for point, line in zip(self.shown(setting), table)}
        return Findings(values, table, lambda figure: self.draw(figure, table),
                        [f"{self.figure.machine}, case {self.figure.case}"], readings=self.readings(setting, values))

    def readings(self, setting, values):
        """Of the figure's mean gain, around the operating point; short versions play too few applications for one."""
        [mean] = [row for row in self.figure.rows() if row.key == "mean"]
        return [] if setting.quick else [
            Reading(f"cache.{self.name}", mean.key, row.text, values[row.key], row.read_as(values[row.key], mean))
            for row in self.rows() if row.key in values and row.number is None]

    def draw(self, figure, table):
        axes = figure.subplots()
        for index, speed in enumerate(sorted({line["node_gflops"] for line in table})):
            lines = [line for line in table if line["node_gflops"] == speed]
            axes.plot([line["cable_ns"] for line in lines], [line["mean_gain_percent"] for line in lines], "o-",
                      color=f"C{index}", label=f"nodes {speed:g} x the recording core")
        axes.axhline(self.figure.paper, color="black", linestyle=":", linewidth=0.9, label="paper's mean")
        axes.set_ylim(bottom=0)
        axes.set_xlabel("cable latency (ns)")
        axes.set_ylabel("mean gain (%)")
        axes.set_title(self.title())
        axes.legend()
