# SPDX-License-Identifier: Apache-2.0
"""Heads' times at one 4x4 switch out of the waveforms of machines of four nodes: single casts one after the other, a
multicast to all nodes, and synchronizations of one to four members whose packets come at once; in both modes of the
switch."""

from reproduction import Findings, Row, exactly
from reproduction.vcd import Vcd

from . import machine

TITLE = "Latency of one switch: single cast, multicast, synchronization"
SOURCE = "Kanoh 2000, section 3"
NODES = 4
SWITCH = {"network.nodes": NODES, "network.radix": NODES, "network.stages": 1, "waves.lines": "[]"}
DRAWN = "event_per_packet"
MODES = {DRAWN: "", "flit_by_flit": "flit by flit: "}
# Cycle, source, destination, flits: the shortest and the largest packet, to another node and to the sender itself.
SINGLE_CASTS = "0 1 2 19\n1000 3 0 115\n2000 2 2 115\n"
MEMBERS, MEMBERS_SID = range(1, NODES + 1), "sync 1"  # sid 0 is the library's, of all nodes
SINGLE_NS, MULTICAST_NS, SYNCHRONIZATION_NS = 125, 187.5, 200
TABLE_NS = [0, 25, 50, 75]  # two cycles for each packet that the table reads before


def point(mode, bar, nanoseconds):
    return ((0, bar, nanoseconds),) if mode == DRAWN else ()


ROWS = [
    row for mode, text in MODES.items() for row in (
        Row(f"single {mode}", f"{text}single casts of 19 and 115 flits", "125 ns", exactly([SINGLE_NS] * 3),
            unit="ns", runs=(f"single {mode}",),
            points=point(mode, 0, SINGLE_NS), by_definition=True),
        Row(f"multicast {mode}", f"{text}a multicast, at each of its four outputs", "187.5 ns",
            exactly([MULTICAST_NS] * NODES), unit="ns",
            runs=(f"multicast {mode}",), points=point(mode, 1, MULTICAST_NS), by_definition=True),
        Row(f"synchronization {mode}", f"{text}a synchronization, alone at the table", "200 ns + a",
            exactly(SYNCHRONIZATION_NS), unit="ns",
            runs=(f"synchronization {mode} 1",),
            points=point(mode, 2, SYNCHRONIZATION_NS),
            by_definition=True),
        Row(f"a {mode}", f"{text}a: the last one's wait for the table, 1 to 4 synchronizations at once",
            "may have to wait for the table", exactly(TABLE_NS), unit="ns",
            runs=(f"synchronization {mode} *",)))
]


def run(kind, mode, keys):
    return machine.run(kind, {**SWITCH, "switch.mode": mode, **keys}, 0.1, config="",
                       options=("--waves", "--waves-format", "vcd"))


def plan(setting):
    runs = {}
    for mode in MODES:
        runs[f"single {mode}"] = run("synthetic", mode, {
            "traffic.kind": "list", "traffic.list": setting.input_file("single_casts.list", SINGLE_CASTS),
            "measure.cycles": 3000})
        runs[f"multicast {mode}"] = run("multicast", mode, {})
        for members in MEMBERS:
            runs[f"synchronization {mode} {members}"] = run("barrier", mode, {
                "barrier_method": "synchronization", "barrier_members": members, "barrier_rounds": 3})
    return runs


def heads(wave, side, text=""):
    """(time in ns, packet) of all heads of packets with `text` in their names, on the channels `out` of nodes or `in`
    to them, as the channel's sender puts them on the wires."""
    return sorted((time / 1000, packet) for node in range(NODES)
                  for time, packet in wave.spans(f"network.node{node}.{side}.packet") if text in packet)


def single_casts(wave):
    """ns from the head on the switch's input to the same head on its output; one packet is there at a time."""
    return [left - came for (came, _), (left, _) in zip(heads(wave, "out"), heads(wave, "in"), strict=True)]


def multicast(wave):
    """The same for the first multicast, at each of its outputs."""
    came, packet = heads(wave, "out", "multicast")[0]
    return [left - came for left, _ in heads(wave, "in", packet)]


def synchronization(wave, members):
    """The same for rounds of the members' own sid whose packets come at once, with no other at the table: the last of
    them completes the round, which leaves by the members' outputs at once. None if there is no such round, or rounds
    differ."""
    came, left, found = heads(wave, "out"), heads(wave, "in", MEMBERS_SID), set()
    for time in {time for time, packet in came if packet == MEMBERS_SID}:
        if [packet for at, packet in came if at == time] != [MEMBERS_SID] * members:
            continue
        outputs = [at - time for at, _ in left if at > time][:members]
        found.add(outputs[0] if len(outputs) == members and len(set(outputs)) == 1 else None)
    return found.pop() if len(found) == 1 else None


def evaluate(_setting, results):
    waves = {name: Vcd(next(result.folder.glob("*.vcd"))) for name, result in results.items()}
    values, table = {}, []
    for mode in MODES:
        together = [synchronization(waves[f"synchronization {mode} {members}"], members) for members in MEMBERS]
        alone = together[0]
        values[f"single {mode}"] = single_casts(waves[f"single {mode}"])
        values[f"multicast {mode}"] = multicast(waves[f"multicast {mode}"])
        values[f"synchronization {mode}"] = alone
        values[f"a {mode}"] = None if None in together else [each - alone for each in together]
        cases = [("single cast", values[f"single {mode}"][0]), ("multicast", values[f"multicast {mode}"][0]),
                 *((f"{members} synchronization{'s' * (members > 1)}", each)
                   for members, each in zip(MEMBERS, together))]
        table += [{"mode": mode, "packet": name, "latency_ns": each} for name, each in cases]
    notes = ["from a head on the wires of a switch's input to the head on those of its output",
             "a: two cycles an access, one packet at a time (handbook.d/rooms/crosspoint.md); the paper gives the "
             "symbol only"]
    return Findings(values, table, lambda figure: draw(figure, table), notes, files_of(results[f"single {DRAWN}"]),
                    {"multicast": files_of(results[f"multicast {DRAWN}"]),
                     "synchronization": files_of(results[f"synchronization {DRAWN} {NODES}"])})


def files_of(result):
    """The waveform, and what GTKWave reads beside it."""
    return sorted([*result.folder.glob("network.*"), *result.folder.glob("machine.*")])


def draw(figure, table):
    axes = figure.subplots()
    lines = [line for line in table if line["mode"] == DRAWN]
    axes.bar(range(len(lines)), [line["latency_ns"] or 0 for line in lines], color="C0")
    axes.set_xticks(range(len(lines)), [line["packet"].replace(" ", "\n", 1) for line in lines], fontsize=8)
    axes.set_ylabel("head to head (ns)")
    axes.set_title(TITLE, fontsize=10)
