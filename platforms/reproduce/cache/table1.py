# SPDX-License-Identifier: Apache-2.0
"""One packet through one switch, three times: without a cache, with one that misses, and again when it hits."""

from reproduction import Findings, Row, Run, exactly

from . import equations, switches

TITLE = "Latency of a switch with and without a routing-table cache"
SOURCE = "Hirasawa 2020, section 5.1 and table 1"
PAPER = {1: {"none": 100, "hit": 77, "miss": 102}, 2: {"none": 60, "hit": 42, "miss": 62}}
TEXTS = {"none": "no cache", "hit": "cache, hit", "miss": "cache, miss"}
ROWS = [Row(f"case{case}_{name}", f"case {case}, {TEXTS[name]}", f"{value} ns", exactly(value), unit="ns",
            by_definition=True, runs=(f"case{case} {'none' if name == 'none' else 'cached'}",))
        for case, values in PAPER.items() for name, value in values.items()]
LIST = "0 0 1 1\n1000 0 1 1\n"  # cycle, source, destination, flits: the second finds what the first has brought
SWITCH = "router 0 ports 2\nnode 0 at 0\nnode 1 at 0\n"


def plan(setting):
    common = {"topology.kind": "file", "topology.file": setting.input_file("switch.topology", SWITCH),
              "routing.kind": "up_down", "routing.paths": "one", "traffic.kind": "list",
              "traffic.list": setting.input_file("two.list", LIST),
              "measure.warmup_cycles": 0, "measure.cycles": 3000, "router.va_cycles": 1, "router.sa_cycles": 1}
    runs = {}
    for case, times in equations.CASES.items():
        keys = {**common, "router.st_cycles": times["rest"] - 2}
        for name, lookup in (("none", switches.conventional(case)), ("cached", switches.cached(case, warm=False))):
            runs[f"case{case} {name}"] = Run("network", keys={**keys, **lookup}, options=("--records",))
    return runs


def switch_cycles(result):
    """Of each packet, the cycles between its head's arrival and its departure; 1 ns each."""
    # A packet of one flit: what is not on links, and not the source's cycle, is the switch.
    return [int(packet["latency_cycles"]) - int(packet["link_cycles"]) - int(packet["serialization_cycles"])
            for packet in result.packets()]


def evaluate(setting, results):
    values, table = {}, []
    for case in PAPER:
        without, again = switch_cycles(results[f"case{case} none"])
        miss, hit = switch_cycles(results[f"case{case} cached"])
        if without != again:
            raise ValueError(f"case {case}: two packets through a switch without cache take {without} and {again} "
                             f"cycles")
        for name, value in (("none", without), ("hit", hit), ("miss", miss)):
            values[f"case{case}_{name}"] = value
            lookup = equations.CASES[case][name]
            table.append({"case": case, "lookup": name, "latency_ns": value, "table1_lookup_ns": lookup,
                          "table1_rest_ns": equations.CASES[case]["rest"]})

    def draw(figure):
        axes = figure.subplots()
        rest = [line["table1_rest_ns"] for line in table]
        places = [index + index // 3 for index in range(len(table))]
        axes.bar(places, [line["latency_ns"] - part for line, part in zip(table, rest)], label="look-up", bottom=rest)
        axes.bar(places, rest, color="0.8", label="all other stages")
        for place, line in zip(places, table):
            axes.text(place, line["latency_ns"] + 1, line["latency_ns"], ha="center")
        axes.set_xticks(places, [f"case {line['case']}\n{TEXTS[line['lookup']]}" for line in table])
        axes.set_ylabel("latency of a switch (ns)")
        axes.set_title("One packet of one flit through one switch")
        axes.legend()

    return Findings(values, table, draw)
