# SPDX-License-Identifier: Apache-2.0
"""Studies of Detour-UD that are in no paper: a parameter of the router against bandwidth, both patterns, messages of 64
bytes."""

from reproduction import Findings, Row

from . import pictures, routers
from .exchange import Exchange, Measured

BYTES = 64


class Study:
    """`points`: values of the parameter by their labels; `keys(value)`. `quick`: labels of the quick version."""

    def __init__(self, parameter, points, keys, series, quick, notes=()):
        self.parameter, self.points, self.series, self.notes = parameter, points, series, list(notes)
        self.exchanges = {pattern: Exchange(pattern, pattern, list(points), lambda label: (BYTES, keys(points[label])),
                                            quick, series)
                          for pattern in routers.PATTERNS}
        self.rows = [Row(f"{pattern}_{dead}",
                         f"{pattern}, {dead} dead nodes: bandwidth at {parameter} {', '.join(points)}", "-",
                         unit="MB/s")
                     for pattern in routers.PATTERNS for _, dead in series]

    def plan(self, setting):
        return {name: run for exchange in self.exchanges.values() for name, run in exchange.plan(setting.quick).items()}

    def evaluate(self, setting, results):
        found = {pattern: Measured(exchange, setting.quick, results) for pattern, exchange in self.exchanges.items()}
        values = {f"{pattern}_{dead}": [measured.mean(routers.bandwidth_mb, router, dead, point)
                                        for point in measured.points]
                  for pattern, measured in found.items() for router, dead in self.series}
        whats = {"bandwidth_mb_s": routers.bandwidth_mb, "latency_us": routers.latency_us,
                 "recovered_share": routers.recovered_share}
        table = [{"pattern": pattern, **line} for pattern, measured in found.items()
                 for line in measured.table(lambda label: {self.parameter.replace(" ", "_"): label}, whats)]
        notes = ["rows: means over the canonical fault sets"] + self.notes
        return Findings(values, table, lambda figure: self.draw(figure, found), notes)

    def draw(self, figure, found):
        figure.set_size_inches(9, 4.2)
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (pattern, measured) in zip(panels, found.items()):
            pictures.curves(axes, measured, lambda dead: True, None, routers.bandwidth_mb)
            axes.set_title(pattern)
        for axes in panels:
            axes.set_xlabel(self.parameter)
            axes.set_ylabel("bandwidth of the network (MB/s)")
            axes.set_ylim(bottom=0)
            axes.legend()
