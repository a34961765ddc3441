# SPDX-License-Identifier: Apache-2.0
"""Replays the births of BookSim2's packets in a flattened butterfly of 8 routers under Valiant's routing, whose
intermediate routers both networks draw. All nodes of a router send to other routers: BookSim2 sends packets to a node
of their own router straight there, Valiant's routing here does not. Loads are shares of 0.6, at which the switches are
full."""

from reproduction import Findings, Row, holds

from . import drawn, set_ups

TITLE = "A flattened butterfly under Valiant's routing"
SOURCE = "BookSim2 28f43299 (Jiang 2013); platforms/reproduce/booksim/README.md"
SHARES = ("50", "80", "95")
# valiant50a, valiant50b, ...: percent of the plateau, and a letter for each list.
SET_UPS = {name: set_ups.SetUp(name) for name in set_ups.NAMES if name.startswith("valiant")}
ROWS = [row for share in SHARES for row in (
    Row(f"difference_{share}", f"{share} % of the plateau: mean latency less BookSim2's", "0", unit="cycles",
        runs=(f"valiant{share}*",)),
    Row(f"confidence_{share}", f"{share} % of the plateau: its 95 % interval, +-", "-", unit="cycles",
        runs=(f"valiant{share}*",)),
    Row(f"agree_{share}", f"{share} % of the plateau: 0 is in the interval", "-", holds(), runs=(f"valiant{share}*",)))]


def plan(setting):
    return drawn.plan(setting, SET_UPS)


def evaluate(setting, results):
    table = drawn.table(SET_UPS, results)
    values = {}
    for share in SHARES:
        mean, half = drawn.pooled_difference([line for line in table if line["set_up"].startswith(f"valiant{share}")])
        values.update({f"difference_{share}": mean, f"confidence_{share}": half, f"agree_{share}": abs(mean) <= half})
    return Findings(values, table, lambda figure: drawn.draw(figure, TITLE, table))
