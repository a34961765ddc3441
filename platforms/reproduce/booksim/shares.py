# SPDX-License-Identifier: Apache-2.0
"""Series of lists at 50, 80 and 95 % of the plateau of a network whose intermediate routers
both networks draw. The plateau is what BookSim2's network accepts at an offered load of 1."""

from reproduction import Findings, Row, holds

from . import drawn, set_ups

SHARES = ("50", "80", "95")


class Series:
    """Lists `NAME50a`, `NAME50b`, ...: percent of the plateau, and a letter for each."""

    def __init__(self, name, traffic):
        self.name, self.traffic = name, traffic
        self.set_ups = {one: set_ups.SetUp(one) for one in set_ups.NAMES
                        if one.rstrip("abcd").rstrip("0123456789") == name}

    def rows(self):
        return [row for share in SHARES for row in self.rows_of(share)]

    def rows_of(self, share):
        where, runs = f"{self.traffic} traffic, {share} % of the plateau", (f"{self.name}{share}*",)
        return (Row(f"difference_{self.name}{share}", f"{where}: mean latency less BookSim2's", "0", unit="cycles",
                    runs=runs),
                Row(f"confidence_{self.name}{share}", f"{where}: its 95 % interval, +-", "-", unit="cycles", runs=runs),
                Row(f"agree_{self.name}{share}", f"{where}: 0 is in the interval", "-", holds(), runs=runs))

    def values(self, table):
        values = {}
        for share in SHARES:
            mean, half = drawn.pooled_difference([line for line in table
                                                  if line["set_up"].startswith(f"{self.name}{share}")])
            values.update({f"difference_{self.name}{share}": mean, f"confidence_{self.name}{share}": half,
                           f"agree_{self.name}{share}": abs(mean) <= half})
        return values


class Comparison:
    """The rows, runs and values of an ID: one or more series."""

    def __init__(self, title, *all_series):
        self.title, self.all_series = title, all_series
        self.rows = [row for one in all_series for row in one.rows()]

    def plan(self, setting):
        return {name: run for one in self.all_series for name, run in drawn.plan(setting, one.set_ups).items()}

    def evaluate(self, setting, results):
        table, values = [], {}
        for one in self.all_series:
            lines = drawn.table(one.set_ups, results)
            values.update(one.values(lines))
            table += lines
        return Findings(values, table, lambda figure: drawn.draw(figure, self.title, table))
