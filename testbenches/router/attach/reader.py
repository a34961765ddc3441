# SPDX-License-Identifier: Apache-2.0
"""Reads a router's description in YAML."""

import difflib
import pathlib
import re

import loops
import pins as rtl
import yaml
from description import (AXES, FLOWS, Description, Field, MOST_CANDIDATES, MOST_FLITS, MOST_PORTS, MOST_VCS,
                         OF_CHANNELS, SECTIONS, TABLE, TARGETS, bits_for)
from places import Refused, Section, read
from reader_bits import BitsReader
from reader_flits import FlitsReader
from reader_verilator import VerilatorReader


class Reader(BitsReader, VerilatorReader, FlitsReader):
    """Reads one file; the first thing that is wrong is Refused."""

    def __init__(self, path):
        BitsReader.__init__(self, read(path), Description(folder=pathlib.Path(path).resolve().parent))
        FlitsReader.__init__(self)

    def read(self):
        top, about = self.top, self.about
        # First of all: a name that is spelled wrongly is no key that is missing.
        top.only(SECTIONS)
        name = top.need("name", "a word for the executable")
        about.name = name.text()
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", about.name):
            name.refuse("not a name", "letters, digits and _, a letter first")
        if about.name in TARGETS:
            name.refuse("a name that CMake has taken", f"another one than {', '.join(TARGETS)}")
        what = top.get("what")
        about.what = what.text() if what else f"{about.name}, a router in RTL"
        self.network()
        self.parameters()
        self.verilate()
        self.clock_and_reset()
        self.protocol()
        self.own_pins()
        self.port_names()
        self.table()
        self.flits()
        self.check_driven()
        self.check_loops(top.get("registers_between"))
        return about

    def network(self):
        """Keys of the network, which the executable reads: their text, with all else of the file as blanks."""
        self.about.network = ""
        section = self.top.section("network")
        if section is None:
            return
        start, end = section.node.start_mark, section.node.end_mark
        text = pathlib.Path(section.file).read_text(encoding="utf-8")
        self.about.network = "\n" * start.line + " " * start.column + text[start.index:end.index].rstrip() + "\n"

    def clock_and_reset(self):
        about, top = self.about, self.top
        clocks = top.need("clock", "the pin of the clock").items()
        about.clock = self.pin(clocks[0], ["input"], 1)
        about.more_clocks = [self.further_clock(value) for value in clocks[1:]]
        reset = top.section("reset")
        if reset is None:
            top.need("reset", "a section with pin, active and cycles")
        pin = reset.need("pin", "one input")
        if isinstance(pin.node.value, list) and len(pin.node.value) > 1:
            pin.refuse("more than one reset", "one pin; a second one in static, or tied to the first in a top of yours",
                       ", ".join(item.text() for item in pin.items()))
        about.reset = self.pin(pin, ["input"], 1)
        active = reset.need("active", "high or low")
        about.reset_high = active.word(["high", "low"]) == "high"
        cycles = reset.get("cycles")
        about.reset_cycles = cycles.number(1, 1000) if cycles else 2
        reset.done()

    def further_clock(self, value):
        """(Field, rising edges a cycle)"""
        if not isinstance(value.node, yaml.MappingNode):
            return self.pin(value, ["input"], 1), 1
        section = Section(value.node, value.key, value.file)
        field, times = self.pin(section.need("pin", "one input"), ["input"], 1), section.get("times")
        section.done()
        return field, times.number(1, 64) if times else 1

    def buffers(self, value):
        """Flits of a virtual channel's buffer, at all inputs or at each port's."""
        if not isinstance(value.node, yaml.MappingNode):
            self.about.buffer_flits = value.number(1, MOST_FLITS)
            return
        section = Section(value.node, value.key, value.file)
        ports = self.top.section("ports")
        names = [port.text() for port in ports.need("rtl", "names of the RTL's ports").items()] if ports else []
        depths = [section.need(name, f"1..{MOST_FLITS}").number(1, MOST_FLITS) for name in names]
        section.done()
        self.about.port_buffer_flits, self.about.buffer_flits = depths, max(depths, default=1)

    def protocol(self):
        about, top = self.about, self.top
        about.flow = top.need("flow", " or ".join(FLOWS)).word(FLOWS)
        credits = about.flow == "credits"
        vcs = top.get("vcs")
        about.vcs = vcs.number(1, MOST_VCS) if vcs else 1
        self.channels(vcs)
        for name in ("buffer_flits", "outputs"):
            value = top.get(name)
            if value and not credits and (name != "outputs" or about.flow == "valid_ready"):
                value.refuse(f"has no effect with flow {about.flow}", "no such key")
            if value and name == "outputs":
                about.follow_inputs = value.word(["registered", "combinational"]) == "combinational"
            elif value:
                self.buffers(value)
            elif credits and name == "buffer_flits":
                top.need(name, f"flits of a virtual channel's buffer, 1..{MOST_FLITS}")
        reserve = top.get("reserve_flits")
        if reserve and about.flow != "on_off":
            reserve.refuse(f"has no effect with flow {about.flow}", "no such key")
        about.reserve_flits = reserve.number(0, 64) if reserve else 1
        self.limits()
        stands = top.get("stands_when_empty")
        about.stands_when_empty = bool(stands) and stands.flag()
        settle = top.get("settle_cycles")
        if settle and not about.stands_when_empty:
            settle.refuse("has no effect without stands_when_empty", "no such key")
        about.settle_cycles = settle.number(1, 1_000_000) if settle else 16

    def channels(self, vcs):
        """Physical channels of a port, each with separate virtual channels."""
        about, channels = self.about, self.top.section("channels")
        about.channels = [] if channels else None
        if channels is None:
            return
        for name in ("vcs", *OF_CHANNELS):
            value = self.top.get(name)
            if value:
                value.refuse("each of the channels has it", f"{name} in the sections of channels")
        for name in channels.values:
            section, word = channels.section(name), _Named(channels.values[name], name)
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
                word.refuse("not a name", "letters, digits and _, a letter first")
            own = section.get("vcs")
            about.channels.append((name, section, own.number(1, MOST_VCS) if own else 1))
            section.only(("vcs", "flow", *OF_CHANNELS))
            flow = section.get("flow")
            if flow and flow.text() != about.flow:
                flow.refuse("channels with several kinds of flow control", about.flow)
        if len(about.channels) < 2:
            channels.refuse("there are no several channels", "two channels and more, or their keys without channels",
                            len(about.channels))
        about.vcs = sum(vcs for _, _, vcs in about.channels)
        if about.vcs > MOST_VCS:
            channels.refuse("too many virtual channels", f"{MOST_VCS} in all channels", about.vcs)

    def limits(self):
        limits = self.top.section("limits")
        for name in ("credit", "wait") if limits else ():
            value = limits.get(f"{name}_cycles")
            if value:
                setattr(self.about, f"{name}_limit_cycles", value.number(1, 1_000_000))
        if limits:
            limits.done()

    def own_pins(self):
        about, top = self.about, self.top
        about.static, about.errors = [], []
        static = top.section("static")
        for name in static.values if static else ():
            value = static.get(name)
            whole = self.use(Field(self.slice(_Named(value, name), ["input"]), value)).slice
            # The adapter writes 64 bits at most; those above keep the zeros in which inputs begin.
            low = rtl.Slice(whole.pin, whole.low, whole.type if whole.width <= 64 else rtl.Type(63, 0))
            about.static.append((Field(low, value), value.number(0, (1 << low.width) - 1)))
        about.place = self.pins_of("place", ("router", *AXES), ["input"], ["parameters"])
        errors = top.get("errors")
        about.errors = [self.pin(value, ["output"]) for value in (errors.items() if errors else ())]
        for field in about.errors:
            self.narrow(field, 64)

    def table(self):
        """Pins that write the routes, of one candidate or more for each node."""
        about, section = self.about, self.top.section("table")
        about.table = self.pins_of("table", TABLE, ["input"], ["candidates"])
        if not section:
            return
        if not {"valid", "row", "output"} <= set(about.table):
            section.refuse("an incomplete table", "valid, row and output, and vcs if it has them")
        self.at_least(about.table["output"], bits_for(len(about.ports)), f"{len(about.ports)} ports")
        if "vcs" in about.table:
            self.at_least(about.table["vcs"], about.vcs, f"{about.vcs} virtual channels")
        candidates = section.get("candidates")
        if not candidates:
            for key in ("candidate", "lesser"):
                if key in about.table:
                    about.table[key].value.refuse("has no effect without candidates", "candidates: 2 or more")
            return
        about.candidates = candidates.number(2, MOST_CANDIDATES)
        for key, why in (("candidate", "their numbers have no bits"), ("vcs", "nodes with fewer have no mark")):
            if key not in about.table:
                candidates.refuse(f"several candidates, and {why}", f"the key {key}, too")
        self.at_least(about.table["candidate"], bits_for(about.candidates), f"{about.candidates} candidates")

    def port_names(self):
        about = self.about
        ports = self.top.section("ports")
        if ports is None:
            self.top.need("ports", "a section with rtl and network")
        names = ports.need("rtl", "names of the RTL's ports in the order of their numbers")
        about.ports = [value.text() for value in names.items()]
        network = ports.need("network",
                             "for each port of the network's routers the RTL's: of a mesh +x, -x, +y, -y, node")
        ports.done()
        if len(about.ports) > MOST_PORTS:
            names.refuse("too many ports", f"{MOST_PORTS} at most", len(about.ports))
        for value in names.items():
            if about.ports.count(value.text()) > 1:
                value.refuse("two ports of one name", "a name of its own for each")
        about.order = []
        for value in network.items():
            if value.text() not in about.ports:
                value.refuse("the RTL has no such port", ", ".join(about.ports))
            if about.ports.index(value.text()) in about.order:
                value.refuse("the port stands at two of the network's", "each port once")
            about.order.append(about.ports.index(value.text()))
        if len(about.order) < 3:
            network.refuse("too few ports for a network", "3 or more: two neighbours and a node", len(about.order))

    def check_driven(self):
        """Every input has something that drives it."""
        driven = {name for name, _ in self.used}
        for pin in self.about.pins.values():
            if pin.direction == "input" and pin.name not in driven:
                static = self.top.values.get("static")
                place = static.place if static else self.top.place
                close = difflib.get_close_matches(pin.name,
                                                  [self.about.reset.slice.pin.name, self.about.clock.slice.pin.name], 1)
                hint = f"; there is one reset and one clock, and this one is like {close[0]}" if close else ""
                raise Refused(place, "static", f"nothing drives the input '{pin.name}'{hint}", pin.name,
                              "a field, or a constant in static")

    def check_loops(self, registers):
        """Two routers side by side settle: no valid or ready follows from itself within a cycle."""
        if registers and self.about.flow != "valid_ready":
            registers.refuse("has no effect with flow credits", "no such key")
        signals, self.about.circles = loops.loop(self.about, bool(registers) and registers.flag())
        if signals:
            self.top.values["flow"].refuse("two such routers side by side are a loop without a register: "
                                           + ", ".join(signals[:6]),
                                           "valid and ready that do not follow each other within a cycle; "
                                           "registers_between: true, "
                                           "if links have registers both ways, as the network's have, or if the loop "
                                           "goes through an always block, whose outputs Verilator takes for "
                                           "functions of all its inputs")


class _Named:
    """A key that is a pin's name, with the place of its value."""

    def __init__(self, value, name):
        self.value, self.name = value, name

    def text(self):
        return self.name

    def refuse(self, problem, accepted, value=None):
        self.value.refuse(problem, accepted, self.name if value is None else value)


def describe(path):
    """The Description in a file; Refused."""
    return Reader(path).read()
