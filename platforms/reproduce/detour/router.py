# SPDX-License-Identifier: Apache-2.0
"""Clocks a hop of single messages, router by router out of waveforms: the four routers without faults, Detour-UD round
a dead link and in recovery; and the virtual channels and bits of one Detour-UD router, counted in its waveform and in
the tables that the platform writes."""

import re

import yaml

from reproduction import Findings, Row, Run, exactly
from reproduction import stages as flit_stages
from reproduction.runs import ROOT
from reproduction.vcd import Vcd

from . import routers, tables

TITLE = "A router of Yoshinaga 2004: clocks a hop, virtual channels, bits"
SOURCE = "Yoshinaga 2004, sections 4.1 and 4.3"
PERIOD_PS, CYCLES = 1000, 8
FLITS, APART = 4, 300  # of messages, of which one is in the network at a time
HOP, TABLE_HOP = 5, 10
ROWS = [
    Row("hop", "clocks a hop of DM-Order, Duato, Detour-NF, Detour-UD, without contention", "5",
        exactly([[HOP]] * len(routers.ROUTERS)), unit="clocks", section="4.3", runs=("hop *",)),
    Row("stages", "a head's stages after its latch", "address decode, 2 clocks of arbitration, transfer",
        exactly(["RC", "VA", "SA", "ST"]), section="4.3", runs=("hop ud",)),
    Row("outside", "Detour-UD round a dead link: clocks a hop outside the fault region", "5", exactly([HOP]),
        unit="clocks", section="4.3", runs=("around",)),
    Row("region", "the same: in the fault region, where the routing table is read", "5 + 5", exactly([TABLE_HOP]),
        unit="clocks", section="4.3", runs=("around",)),
    Row("recovery", "clocks a hop of a message in recovery from deadlock", "5 + 5", exactly([TABLE_HOP]),
        unit="clocks", section="4.3", runs=("recovery",)),
    Row("vcs", "virtual channels of a router: 4 network ports, processor interface", "4 x 4 + 2",
        exactly([4, 4, 4, 4, 2]), by_definition=True, section="4.1", runs=("slots",)),
    Row("buffer_bits", "bits of a router's buffers", "32 bits x 8 flits a virtual channel: 4,608", exactly(4608),
        unit="bits", by_definition=True, section="4.3", runs=("slots",)),
    Row("table_bits", "bits of a router's routing table", "8 bits x 100 words: 800", exactly(800),
        unit="bits", section="4.3", runs=("tables",)),
]
# Messages without faults, from router to router: one to three hops in x, in y, and round a corner.
HOPS = [(0, 1), (0, 3), (0, 97), (0, 30), (12, 34)]
# Round tables.DEAD: within the fault region, into it, out of it, and far from it.
AROUND = [(tables.NAMES[a], tables.NAMES[b]) for a, b in ("EB", "CB", "AG", "DF")] + [(40, 45), (45, 99), (0, 9)]
# One fully adaptive virtual channel of the link from router 1 to 2, taken by a message of 200 flits from 0 to 2; the
# message from 1 to 4 has no other shortest route, and is in recovery when it has waited for the timeout.
BLOCKED = "10 0 2 200\n40 1 4 4\n"
RECOVERING = "1.0"


def listed(setting, name, text, keys, router="ud", options=("--waves", "--waves-format", "vcd")):
    machine = yaml.safe_load((ROOT / routers.CONFIG).read_text(encoding="utf-8"))
    lines = len(text.splitlines())
    return Run("network", keys={
        **{f"{section}.{key}": value for section in ("topology", "router") for key, value in machine[section].items()},
        **routers.ROUTERS[router].keys, "clock_period_ps": PERIOD_PS, "traffic.kind": "list",
        "traffic.list": setting.input_file(f"{name}.list", text), "measure.warmup_cycles": 0,
        "measure.cycles": APART * (lines + 2), "waves.routers": "[]", **keys}, options=options, seconds=0.3)


def messages(ends):
    return "".join(f"{10 + APART * number} {start} {end} {FLITS}\n" for number, (start, end) in enumerate(ends))


def plan(setting):
    return {
        **{f"hop {name}": listed(setting, "hops", messages(HOPS), {}, name) for name in routers.ROUTERS},
        "around": listed(setting, "around", messages(AROUND), tables.DEAD),
        "recovery": listed(setting, "blocked", BLOCKED, {"router.vcs": 2, "router.node_vcs": 1,
                                                         "router.block_timeout_cycles": 16}),
        "slots": listed(setting, "one", messages(HOPS[:1]), {"waves.routers": "[0]", "waves.slots": True}),
        "tables": tables.run(tables.DEAD)}


def visits(wave, packet):
    """(router, clocks) of each router that a packet's head passes, in turn: from the wires of its input to those of the
    next router's, or of the node."""
    seen = sorted((time, path) for path in wave.changes if path.endswith(".flit")
                  for time, flit in wave.spans(path) if flit.startswith(f"{packet}.0 "))
    return [(int(re.fullmatch(r"network\.r(\d+)\.in\d+\.flit", path)[1]), (left - came) / PERIOD_PS)
            for (came, path), (left, _) in zip(seen, seen[1:])]


def packets(wave):
    """Names of all packets in a waveform."""
    return sorted({".".join(flit.split(".")[:2]) for path in wave.changes if path.endswith(".flit")
                   for _, flit in wave.spans(path)})


def lines_of(run, wave):
    """A line for the figure's data of each router that each packet passes."""
    return [{"run": run, "packet": packet, "router": router, "clocks": clocks}
            for packet in packets(wave) for router, clocks in visits(wave, packet)]


def clocks_of(lines):
    """All that occur."""
    return sorted({line["clocks"] for line in lines})


def without_last(lines):
    """But for each packet's last router, which ejects it."""
    return [line for line, after in zip(lines, [*lines[1:], None]) if after and after["packet"] == line["packet"]]


def slots(wave):
    """Buffer places of each input virtual channel of a router, by its port and number."""
    found = {}
    for path in wave.changes:
        if place := re.fullmatch(r"network\.r0\.in(\d+)\.vc(\d+)\.slot\d+", path):
            at = int(place[1]), int(place[2])
            found[at] = found.get(at, 0) + 1
    return found


def table_bits(result):
    """Of a router in the fault region, which has words of both tables: a bit for each of its ports to other routers in
    each word. None if routers differ."""
    read = tables.Tables(result)
    ports = {router: sum(1 for at, _ in read.far if at == router) for router in read.region}
    found = {sum(len(words[router]) * ports[router] for words in read.words.values()) for router in ports}
    return found.pop() if len(found) == 1 else None


def evaluate(_setting, results):
    waves = {name: Vcd(result.folder / "network.vcd") for name, result in results.items() if name != "tables"}
    table = [line for name, wave in waves.items() if name != "slots" for line in lines_of(name, wave)]
    region = tables.Tables(results["tables"]).region

    def of(run, lines):
        return [line for line in lines if line["run"] == run]

    around = without_last(of("around", table))
    recovering = without_last([line for line in of("recovery", table) if line["packet"] == RECOVERING])
    places = slots(waves["slots"])
    head = flit_stages.of_packet(waves["slots"], "network.r0.in4", "0.0", CYCLES, PERIOD_PS)[0]
    values = {
        "hop": [clocks_of(of(f"hop {name}", table)) for name in routers.ROUTERS],
        "stages": [stage for stage in head if stage],
        "outside": clocks_of(line for line in around if line["router"] not in region),
        "region": clocks_of(line for line in around if line["router"] in region),
        # The first router is where it has waited.
        "recovery": clocks_of(recovering[1:]),
        "vcs": [sum(1 for port, _ in places if port == at) for at in sorted({port for port, _ in places})],
        "buffer_bits": 8 * routers.FLIT_BYTES * sum(places.values()),
        "table_bits": table_bits(results["tables"])}
    notes = ["a hop: from a head on the wires of a router's input to the head on those of its output; the latch is the "
             "link's cycle", "a message that leaves the network at a router reads no table there",
             "recovery: one fully adaptive virtual channel beside that of recovery, so that a message blocks another",
             "flits of the model have no width: 32 bits are those by which all figures count bytes"]
    return Findings(values, table, lambda figure: draw(figure, table, region), notes,
                    sorted(results["slots"].folder.glob("network.*")),
                    {"around": sorted(results["around"].folder.glob("network.*")),
                     "recovery": sorted(results["recovery"].folder.glob("network.*"))})


def draw(figure, table, region):
    axes = figure.subplots()
    lines = [line for line in table if line["run"] in ("around", "recovery")]
    colours = {"recovery": "C3", True: "C0", False: "0.7"}
    labels = {"recovery": "message that comes into recovery", True: "in the fault region", False: "outside"}
    for number, line in enumerate(lines):
        kind = "recovery" if line["run"] == "recovery" else line["router"] in region
        axes.bar(number, line["clocks"], color=colours[kind], label=labels.pop(kind, None))
    for clocks in (HOP, TABLE_HOP):
        axes.axhline(clocks, color="black", linewidth=0.7, linestyle="--")
    axes.set_xlabel("routers that messages pass, one after the other")
    axes.set_ylabel("input wires to output wires (clocks)")
    axes.set_title(TITLE, fontsize=10)
    axes.legend()
