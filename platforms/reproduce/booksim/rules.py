# SPDX-License-Identifier: Apache-2.0
"""Replays packets of BookSim2 with all of its rules, under which no packet moves, and with one rule at a time as the
routers here have it by default, which alone moves packets."""

from reproduction import Findings, Row, above, exactly
from tsuji.booksim.packets import mean_latency

from . import set_ups

TITLE = "Each rule of BookSim2 by itself"
SOURCE = "BookSim2 28f43299 (Jiang 2013); topics/reproduction.md, Rules of BookSim2"
# By row: the set-up, and the keys that are taken from it.
RULES = {
    "va_input": ("mesh3", {"router.va_input_arbiter": "vcs"}),
    "sa_input": ("mesh4", {"router.sa_input_arbiter": "vcs"}),
    "requests": ("adaptive1", {"router.va_requests": "one"}),
    "escape": ("adaptive2", {"routing.escape_return": True}),
    "dateline": ("torus1", {"routing.dateline": "crossing"}),
    "credits": ("mesh6", {"link.credit_process_cycles": 1, "link.node_credit_process_cycles": 1}),
    "injection": ("mesh2", {"router.first_injection_vc": 1}),
    "matrix": ("mesh5", {"router.matrix_first": "lowest"}),
    # Departures from the papers of flatfly and dragonflynew.
    "phase": ("dragonfly3", {"routing.by_phase": False, "router.eject_routed_vcs": False}),
    "exit": ("exit1", {"routing.early_exit": False}),
    "queue": ("queue1", {"routing.queue": "port"}),
    "weights": ("weights1", {"routing.kind": "ugal", "router.vcs": 4, "router.eject_routed_vcs": False}),
}
SET_UPS = {name: set_ups.SetUp(set_up) for name, (set_up, _) in RULES.items()}


def rule_text(name):
    return ", ".join(f"{key} {str(value).lower()}" for key, value in RULES[name][1].items())


def kept_name(name):
    """Of the run beside a rule's, in which the rule is BookSim2's, too."""
    return f"{name}, kept"


ROWS = [Row(name, f"{RULES[name][0]}, {rule_text(name)}: packets with another cycle", "0 with BookSim2's rule",
            above(0), unit="packets", runs=(name,))
        for name in RULES]
ROWS += [Row(f"{name}_kept", f"{RULES[name][0]}, all rules BookSim2's: packets with another cycle", "0", exactly(0),
             unit="packets", runs=(kept_name(name),))
         for name in RULES]
ROWS += [Row(f"{name}_latency", f"{RULES[name][0]}, {rule_text(name)}: mean latency against BookSim2's",
             "0 with BookSim2's rule", unit="%")
         for name in RULES]


def plan(setting):
    return {**{name: SET_UPS[name].run(setting, keys) for name, (_, keys) in RULES.items()},
            **{kept_name(name): one.run(setting) for name, one in SET_UPS.items()}}


def evaluate(setting, results):
    values, table, notes = {}, [], []
    for name, one in SET_UPS.items():
        different = one.differences(results[name])
        notes += [f"{name}: {different[0].text()}"] if different else []
        theirs, here = mean_latency(one.packets), results[name].metric("latency_cycles_mean")
        values[name], values[f"{name}_latency"] = len(different), 100 * (here / theirs - 1)
        values[f"{name}_kept"] = len(one.differences(results[kept_name(name)]))
        table.append({"rule": name, "set_up": one.name, "keys": rule_text(name), "packets": len(one.packets),
                      "different": values[name],
                      "booksim_latency_mean_cycles": theirs, "latency_mean_cycles": here})

    def draw(figure):
        axes = figure.subplots()
        axes.barh(range(len(table)), [100 * line["different"] / line["packets"] for line in table])
        axes.set_yticks(range(len(table)), [f"{line['rule']} ({line['set_up']})" for line in table], fontsize=7)
        axes.invert_yaxis()
        axes.set_xlabel("packets with another cycle (%)")
        axes.set_title("One rule as here by default, the others as in BookSim2")

    return Findings(values, table, draw, notes)
