# SPDX-License-Identifier: Apache-2.0
"""Bits of the tables, from the study's own count."""

from reproduction import Findings, Row, exactly, within

from . import graphs

TITLE = "Bits of a router's table, 256 routers"
SOURCE = "Compact Tables, section 4"
ENTRIES = 25
SCHEMES = ["compact with layers", "compact with tree", "full table", "source_table", "up_down", "lash"]
ROWS = [
    Row("compact", "25 entries of a number and a port", "250", exactly(250), unit="bits", by_definition=True),
    Row("full", "ports for all destinations", "512", exactly(512), unit="bits", by_definition=True),
    Row("saved", "fewer", "51 %", within(51, 0.5), unit="%", by_definition=True),
    Row("compact_state", "with what keeps packets from deadlock: layers / tree, r = 2", "-", unit="bits"),
    Row("full_state", "the full table with the layers of shortest paths", "-", unit="bits"),
    Row("saved_state", "fewer, both by layers", "-", unit="%"),
]


def plan(setting):
    return {"hops": graphs.study("hops", 256, 2, 1, 1, study_entries=graphs.entry_list([ENTRIES])),
            "layers": graphs.study("layers", 256, 2, 1, 1, routing_entries=ENTRIES)}


def evaluate(setting, results):
    line = results["hops"].table("hops")[0]
    bits = {entry["scheme"]: entry for entry in results["layers"].table("bits")}
    compact, full = ENTRIES * line["entry_bits"], line["full_table_bits"]
    state = {name: bits[name]["all"] for name in SCHEMES}
    values = {"compact": line["table_bits"], "full": full, "saved": 100 * (1 - compact / full),
              "compact_state": [state["compact with layers"], state["compact with tree"]],
              "full_state": state["source_table"],
              "saved_state": 100 * (1 - state["compact with layers"] / state["source_table"])}
    table = [{"scheme": name, "table_bits": bits[name]["table"], "state_bits": bits[name]["state"],
              "comparator_bits": bits[name]["comparators"], "header_bits": bits[name]["header"]} for name in SCHEMES]

    def draw(figure):
        axes = figure.subplots()
        places = range(len(table))
        axes.bar(places, [entry["table_bits"] for entry in table], label="entries")
        axes.bar(places, [entry["state_bits"] for entry in table], bottom=[entry["table_bits"] for entry in table],
                 label="state against deadlock")
        axes.set_xticks(places, [name.replace(" with ", ",\n") for name in SCHEMES], fontsize=7)
        axes.set_ylabel("bits a router")
        axes.set_title(TITLE)
        axes.legend()

    notes = ["entries are sorted by hops, so they hold none; a router's number is its coordinates",
             "the paper is silent on deadlock: its 512 bits are ports alone"]
    return Findings(values, table, draw, notes)
