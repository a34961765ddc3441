# SPDX-License-Identifier: Apache-2.0
"""Virtual channels of the four routers: how few each one takes, and what each is used for at four, over all pairs of
nodes of the 10x10 torus; the dead nodes and links that each router bears; and cells, flip-flops and clocks of their
Verilog (hardware.py)."""

import csv
import dataclasses
import io

from reproduction import Findings, Row, Run, above, exactly, holds

from . import fault_sets, hardware, routers

TITLE = "Virtual channels of the four routers"
SOURCE = "Yoshinaga 2004, section 4.2 and table 1"
LEAST = {"dm": 2, "duato": 3, "nf": 4, "ud": 2}
SPLIT = {"dm": [4, 0, 0], "duato": [2, 2, 0], "nf": [2, 1, 1], "ud": [0, 3, 1]}
KINDS = ["one output", "all shortest", "some"]
# Any one node or link that is dead: all of the torus; in quick versions those at two corners and in the middle.
SINGLE, QUICK_SINGLE = range(100), (0, 44, 99)
HARDWARE = {name: {"cells": cells, "flip_flops": flip_flops, "clock_mhz": routers.ROUTERS[name].mhz}
            for name, cells, flip_flops in (("dm", 11196, 5205), ("duato", 18549, 5360), ("nf", 13207, 5325),
                                            ("ud", 20098, 6341))}
QUICK_SETS = 2  # random sets of quick versions, the last ones
FAULTY = {"dm": False, "duato": False, "nf": True, "ud": True}
ROWS = [
    Row("least", "least virtual channels a physical channel: DM-Order, Duato, NF, UD", "2, 3, 4, 2",
        exactly(list(LEAST.values()))),
    *[Row(f"split_{name}", f"{router.label}, of 4: not adaptive, fully adaptive, partly adaptive",
          " / ".join(map(str, SPLIT[name])),
          exactly(SPLIT[name])) for name, router in routers.ROUTERS.items()],
    Row("bears", "bears a dead node: DM-Order, Duato, NF, UD", "no, no, yes, yes", exactly(list(FAULTY.values()))),
    Row("nf_single", "single dead nodes and links that NF refuses", "bears at least one", exactly(0), unit="faults"),
    Row("nf_several", f"of {len(fault_sets.SEEDS)} random sets of 4 dead nodes, those that NF refuses",
        "by their places not two or more", above(0), unit="sets"),
    Row("ud_several", "the same, UD", "any number", exactly(0), unit="sets"),
]


def ratio(what, name):
    """A router's number in the paper to DM-Order's."""
    return round(HARDWARE[name][what] / HARDWARE["dm"][what], 2)


ROWS_OF_HARDWARE = [
    Row("cells_rise", "cells rise: DM-Order, Duato, UD", "11,196, 18,549, 20,098", holds(), quick=False),
    Row("cells_nf", "cells of NF: above DM-Order's, below Duato's", "13,207", holds(), quick=False),
    Row("flip_flops_rise", "flip-flops with buffers rise: DM-Order, Duato, UD", "5,205, 5,360, 6,341", holds(),
        quick=False),
    Row("flip_flops_nf", "flip-flops of NF: above DM-Order's, below Duato's", "5,325", holds(), quick=False),
    Row("clocks_fall", "clocks fall: DM-Order, Duato, UD", "79, 55, 48 MHz", holds(), quick=False),
    Row("clock_nf", "clock of NF: below Duato's, above UD's", "52 MHz", holds(), quick=False),
    *[Row(f"{what}_ratio_{name}", f"{text}, {router.label} to DM-Order", str(ratio(what, name)),
          number=ratio(what, name), quick=False)
      for what, text in (("cells", "cells"), ("flip_flops", "flip-flops with buffers"), ("clock_mhz", "clock"))
      for name, router in routers.ROUTERS.items() if name != "dm"],
]
ROWS += [dataclasses.replace(row, measurable=hardware.HERE) for row in ROWS_OF_HARDWARE]


def plan(setting):
    runs = {}
    for name, router in routers.ROUTERS.items():
        for vcs in range(1, 5):
            keys = {**router.keys, "router.vcs": vcs, "measure.most_cycles": 200}
            runs[f"{name} {vcs}"] = Run("network", routers.CONFIG, keys, seconds=0.1, may_be_refused=True)
        runs[f"{name}, node 44"] = faulty(name, {"faults.routers": [44]})
        # A channel that is for detours alone is offered where there is something to get round.
        for dead in (0, 4) if router.bears_faults else (0,):
            faults = next(iter(fault_sets.canonical_sets(dead).values()))
            runs[f"{name} use, {dead} dead"] = Run("network", routers.CONFIG, {**router.keys, **faults},
                                                   ("--print-vcs",), 0.2, prints=True)
    runs.update({f"nf, {fault} {place}": faulty("nf", {f"faults.{fault}s": [place]})
                 for fault, place in singles(setting.quick)})
    runs.update({f"{name}, {label}": faulty(name, keys) for name in ("nf", "ud")
                 for label, keys in several(setting.quick).items()})
    return runs


def several(quick):
    """Random sets of 4 dead nodes."""
    sets = fault_sets.random_sets(4)
    return dict(list(sets.items())[-QUICK_SETS:]) if quick else sets


def faulty(name, faults):
    """A router with dead nodes or links, which it may refuse."""
    return Run("network", routers.CONFIG, {**routers.ROUTERS[name].keys, **faults, "measure.most_cycles": 200},
               seconds=0.1, may_be_refused=True)


def singles(quick):
    """Kind and number of each single fault; a node's links are those to its east and south."""
    return [(fault, place) for node in (QUICK_SINGLE if quick else SINGLE)
            for fault, place in (("router", node), ("link", 2 * node), ("link", 2 * node + 1))]


def refused(results, name, labels):
    return sum(results[f"{name}, {label}"].refusal is not None for label in labels)


def uses(result):
    """Lines of --print-vcs as dicts, those of channels that are offered to anybody, by channel."""
    lines = list(csv.DictReader(io.StringIO(result.printed)))
    return {int(line["vc"]): line for line in lines if int(line["pairs"])}


def kind(line):
    """Index in KINDS."""
    if line["one_output"] == line["pairs"]:
        return 0
    return 1 if line["all_shortest"] == line["pairs"] else 2


def channels(results, name):
    """Of each virtual channel the line of its use: without faults, or with them if it is for faults alone."""
    found = uses(results[f"{name} use, 0 dead"])
    if routers.ROUTERS[name].bears_faults:
        found = {**uses(results[f"{name} use, 4 dead"]), **found}
    return [found[vc] for vc in sorted(found)]


def evaluate(setting, results):
    found = {name: channels(results, name) for name in routers.ROUTERS}
    values = {"least": [min(vcs for vcs in range(1, 5) if results[f"{name} {vcs}"].refusal is None)
                        for name in routers.ROUTERS]}
    values["bears"] = [results[f"{name}, node 44"].refusal is None for name in routers.ROUTERS]
    values["nf_single"] = refused(results, "nf", [f"{fault} {place}" for fault, place in singles(setting.quick)])
    for name in ("nf", "ud"):
        values[f"{name}_several"] = refused(results, name, several(setting.quick))
    for name, lines in found.items():
        values[f"split_{name}"] = [sum(kind(line) == which for line in lines) for which in range(3)]
    costs = hardware.costs() if hardware.HERE and not setting.quick else None
    values.update(judge_hardware(costs) if costs else {row.key: None for row in ROWS_OF_HARDWARE})
    table = [{"router": routers.ROUTERS[name].label, **line, "kind": KINDS[kind(line)]} for name, lines in found.items()
             for line in lines]
    notes = ["a channel that is offered without faults is judged without them, another one with four dead nodes",
             hardware.text(costs) if costs else "cells, flip-flops and clocks are those of the full version"]
    return Findings(values, table, lambda figure: draw(figure, values), notes)


def judge_hardware(costs):
    """Values of the rows on cells, flip-flops and clocks."""
    found = {name: {"cells": row["cells"], "flip_flops": row["flip_flops"] + hardware.storage_bits(name, row),
                    "clock_mhz": row["clock_mhz"]} for name, row in costs.items()}
    values = {f"{what}_ratio_{name}": round(found[name][what] / found["dm"][what], 3)
              for what in HARDWARE["dm"] for name in found if name != "dm"}
    for what in ("cells", "flip_flops"):
        dm, duato, nf, ud = (found[name][what] for name in ("dm", "duato", "nf", "ud"))
        values[f"{what}_rise"] = dm < duato < ud
        values[f"{what}_nf"] = dm < nf < duato
    dm, duato, nf, ud = (found[name]["clock_mhz"] for name in ("dm", "duato", "nf", "ud"))
    return {**values, "clocks_fall": dm > duato > ud, "clock_nf": duato > nf > ud}


def draw(figure, values):
    axes = figure.subplots()
    bottom = [0] * len(routers.ROUTERS)
    for which, label in enumerate(["not adaptive", "fully adaptive", "partly adaptive"]):
        heights = [values[f"split_{name}"][which] for name in routers.ROUTERS]
        axes.bar([router.label for router in routers.ROUTERS.values()], heights, bottom=bottom, label=label)
        bottom = [low + height for low, height in zip(bottom, heights)]
    axes.plot(range(len(LEAST)), values["least"], "k_", markersize=30, label="least")
    axes.set_ylabel("virtual channels a physical channel")
    axes.set_ylim(0, 5.5)
    axes.legend(ncol=4, loc="upper center")
    axes.set_title(TITLE)
