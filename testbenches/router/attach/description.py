# SPDX-License-Identifier: Apache-2.0
"""A router's description in YAML, checked against the pins of its RTL."""

import dataclasses
import difflib
import math
import pathlib
import re

import loops
import pins as rtl
import top as tops
import yaml
from places import Refused, Section, read

PAYLOAD_BITS = 44  # packet and sequence number
LEAST_PAYLOAD_BITS = 8  # that name a flit inside a router
MOST_VCS, MOST_PORTS, MOST_FLITS, MOST_PLACES = 16, 64, 5461, 256
MOST_CANDIDATES = 32  # of a routing
OWN_ARGUMENTS = ("--cc", "--sc", "--exe", "--build", "--binary", "--xml-only", "--lint-only", "--Mdir", "-Mdir",
                 "--prefix",
                 "--top-module", "--top", "--o")

TARGETS = ("all", "clean", "depend", "edit_cache", "help", "install", "package", "rebuild_cache", "test")

SECTIONS = ("name", "what", "verilator", "top", "parameters", "declarations", "interfaces", "clock", "reset", "place",
            "static", "errors", "table", "ports", "flow", "vcs", "buffer_flits",
            "reserve_flits", "outputs", "registers_between", "stands_when_empty", "settle_cycles", "limits", "in",
            "out", "flits", "heads", "bodies", "kinds", "channels", "network")
OF_CHANNELS = ("in", "out", "flits", "heads", "bodies")
BACK_OF = {"credits": ("credit", "credit_vc"), "valid_ready": ("ready",), "on_off": ("on", "off")}
FLOWS = tuple(BACK_OF)
AXES = ("x", "y", "z")
COMMON = ("is_head", "is_tail", "kind", "vc")
HEAD = ("destination", "router", "x", "y", "z", "output", "output_vcs", "length")
FLIT = COMMON + HEAD + ("payload",)
BACK = ("credit", "ready", "on", "off")  # against the flits
MASKS = (*BACK, "valid", "output_vcs", "vcs")
TABLE = ("valid", "row", "output", "vcs", "candidate", "lesser")
FOREIGN = (".c", ".cc", ".cpp", ".cxx")  # of DPI


@dataclasses.dataclass
class Field:
    """Bits and where the file names them."""
    slice: rtl.Slice
    value: object
    first_high: bool = False


@dataclasses.dataclass
class Description:
    """Everything that the generated source needs."""
    name: str = ""
    what: str = ""
    folder: pathlib.Path = None
    top: str = ""
    made_top: str = ""     # text of a module `top` around the described one; empty: `top` is the described one
    arguments: list = None
    files: list = None     # that Verilator has read
    circles: list = None   # signals of always blocks that are functions of each other
    foreign: list = None   # C and C++ files
    pins: dict = None
    clock: Field = None
    more_clocks: list = None  # (Field, rising edges a cycle)
    port_buffer_flits: list = None  # [port]; None: buffer_flits
    reset: Field = None
    reset_high: bool = True
    reset_cycles: int = 2
    place: dict = None     # router, x, y, z: Field
    parameters: dict = None  # router, x, y, z: name of a parameter of the top module
    radices: list = None   # of the mesh whose places the parameters are; None: no parameters
    network: str = ""      # keys of the network as YAML, each in its line and column of the description
    length_minus: int = 0
    reserve_flits: int = 1
    off_is_high: bool = False
    credit_limit_cycles: int = 64
    wait_limit_cycles: int = 1000
    static: list = None    # (Field, value)
    errors: list = None    # Field
    table: dict = None     # valid, row, output, vcs, candidate, lesser: Field
    candidates: int = 1    # of a head in the table
    ports: list = None     # names
    order: list = None     # [port of the network] number of the RTL's port
    flow: str = "credits"
    vcs: int = 1           # of all channels
    channels: list = None  # (name, Section of its pins, virtual channels); None: one channel, of the whole file
    buffer_flits: int = 8
    follow_inputs: bool = False
    stands_when_empty: bool = False
    settle_cycles: int = 16
    kinds: list = None     # body, head, tail, both
    sides: list = None     # [port]["in" or "out"][role]: Field; body_payload is a role; ports of each channel in turn

    def places(self):
        """Routers of the mesh that the RTL is made for."""
        return math.prod(self.radices)

    def place_arguments(self, router):
        """Verilator's arguments for one place; x counts first."""
        place, rest = {"router": router}, router
        for axis, radix in zip(AXES, self.radices):
            place[axis], rest = rest % radix, rest // radix
        return [f"-G{name}={place[key]}" for key, name in self.parameters.items()]


def bits_for(values):
    return max(1, (values - 1).bit_length())


def first_high(role, piece):
    """True if the first virtual channel of a mask is its highest bit."""
    return role in MASKS and piece.width > 1 and piece.ascending


class Reader:
    """Reads one file; the first thing that is wrong is Refused."""

    def __init__(self, path):
        self.top = read(path)
        self.about = Description(folder=pathlib.Path(path).resolve().parent)
        self.used = {}  # (pin, bit): [(Value, port, kind of flit)]
        self.lanes = {}  # (pin, bit): port whose flit has it
        self.minus = None  # Value of length.minus
        self.vcs = 1       # of the channel that is read
        self.inside = {}   # interface: {signal: name of its pin}

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

    # The network around the router

    def network(self):
        """Keys of the network, which the executable reads: their text, with all else of the file as blanks."""
        self.about.network = ""
        section = self.top.section("network")
        if section is None:
            return
        start, end = section.node.start_mark, section.node.end_mark
        text = pathlib.Path(section.file).read_text(encoding="utf-8")
        self.about.network = "\n" * start.line + " " * start.column + text[start.index:end.index].rstrip() + "\n"

    def radices(self):
        """Of the network's mesh."""
        topology = self.top.section("network")
        topology = topology and topology.section("topology")
        kind, radices = (topology.get("kind"), topology.get("radices")) if topology else (None, None)
        if kind:
            kind.word(["mesh", "torus"])
        return [value.number(2, 64) for value in radices.items()] if radices else [4, 4]

    def parameters(self):
        """The router's place as parameters of the top module."""
        about, place = self.about, self.top.section("place")
        section = place and place.section("parameters")
        about.parameters = {}
        for key in ("router", *AXES) if section else ():
            name = section.get(key)
            if name:
                about.parameters[key] = name.text()
        if not section:
            return
        section.done()
        if not about.parameters:
            section.refuse("no parameters", "router, or x, y, z, each with the name of a parameter")
        about.radices = self.radices()
        if about.places() > MOST_PLACES:
            section.refuse("a class for each place of the network, and there are too many",
                           f"network.topology.radices with {MOST_PLACES} routers at most", about.places())
        for axis in AXES[len(about.radices):]:
            if axis in about.parameters:
                section.values[axis].refuse(f"the network has {len(about.radices)} dimensions", "no such key")

    # Verilator

    def verilate(self):
        about, section = self.about, self.top.section("verilator")
        if section is None:
            self.top.need("verilator", "a section with files and arguments")
        files = section.get("files")
        sources = files.items() if files else []
        arguments = section.get("arguments")
        words = arguments.items() if arguments else []
        section.done()
        for word in words:
            if word.text().split("=")[0] in OWN_ARGUMENTS:
                word.refuse("attach_rtl gives this argument itself",
                            "arguments about the RTL: -f, +define+, -G, --language")
            if word.text() in ("--trace-fst", "--trace-threads"):
                word.refuse("attach_rtl chooses the format of waveforms", "--trace")
        for source in sources:
            if not (about.folder / source.text()).is_file():
                source.refuse("there is no such file", f"a file below {about.folder}")
        about.foreign = [about.folder / source.text() for source in sources if source.text().endswith(FOREIGN)]
        sources = [source for source in sources if not source.text().endswith(FOREIGN)]
        if not sources and not any(word.text() in ("-f", "-F") for word in words):
            section.refuse("no RTL", "files, or a list by -f in arguments")
        top = self.top.need("top", "the RTL's top module")
        about.top = top.text()
        place = self.top.section("place")
        parameters = place and place.section("parameters")
        told = words + (list(parameters.values.values()) if parameters else [])
        placed = about.place_arguments(0) if parameters else []
        made = self.made_top(section, [word.text() for word in words] + placed)
        told += list(made.told.values())
        rest = [*(word.text() for word in words), *(file.text() for file in sources)]

        def verilate(name, text="", read=rtl.read_pins):
            result = rtl.verilate([*placed, "--top-module", name, *rest], about.folder,
                                  *([(f"{name}.sv", text), read] if text else []))
            if isinstance(result, re.Match):
                self.refuse_rtl(result, sources, told, top, section, made)
            return result

        if not made.told:
            about.pins, about.files = verilate(about.top)
        if made.told or not all(pin.packed for pin in about.pins.values()):
            ports = verilate(made.name, made.skeleton(),
                             lambda path: rtl.read_ports(path, tops.INSTANCE, made.interfaces))
            about.made_top, names = made.module(ports)
            about.pins, about.files = verilate(made.name, about.made_top)
            about.files = [file for file in about.files if pathlib.Path(file).name != f"{made.name}.sv"]
            for name, (interface, pin) in names.items():
                about.pins[name].type = pin.type
                if interface:
                    self.inside.setdefault(interface, {})[pin.name] = name
            about.top = made.name
        about.arguments = ["--top-module", about.top, *rest]

    def made_top(self, section, arguments):
        """The top module that parameters, declarations and interfaces are for."""
        made = tops.Top(self.about.top, f"{self.about.name}_top", self.top.file)
        made.told = {}
        for name in ("parameters", "interfaces"):
            part = self.top.section(name)
            for key in part.values if part else ():
                made.told[key] = part.get(key)
                getattr(made, name)[key] = made.told[key].text()
        declarations = self.top.get("declarations")
        if declarations:
            made.told["declarations"] = declarations
            made.declarations = declarations.text()
        made.arguments = tops.set_by(arguments)
        for name in made.arguments:
            if name in made.parameters:
                made.told[name].refuse("an argument of Verilator's or the place sets this parameter, too", "once", name)
        return made

    @staticmethod
    def refuse_rtl(error, sources, words, top, section, made):
        """Verilator's message at the file's line of the description, or else of the module or the arguments."""
        file, text = error["file"] and pathlib.Path(error["file"]), error["text"]
        own = bool(file) and file.name == f"{made.name}.sv"
        named = [source for source in sources if file and pathlib.Path(source.text()) == file]
        # -GNAME=VALUE, or the name of a parameter of the place.
        told = [word for word in words
                if re.fullmatch(r"(-G)?(\w+)(=.*)?", word.text())
                and re.search(rf"\b{re.fullmatch(r'(-G)?(.*?)(=.*)?', word.text())[2]}\b", text)]
        told += [value for key, value in made.told.items() if re.search(rf"\b{re.escape(key)}\b", text)]
        told += [value for value in made.told.values()
                 if any(re.search(rf"\b{name}\b", value.text()) for name in re.findall(r"'(\w+)'", text))]
        if own:
            named = told or list(made.told.values())
        where = (named or told or [top if "--top-module" in text else words[0] if words else section])[0]
        message = text if not file or own else f"{error['file']}:{error['line']}: {text}"
        accepted = "RTL that Verilator reads"
        if re.search("nterface.*port|nterfaced port", text) and not made.interfaces:
            where, accepted = top, "the key interfaces, with an instance for each port that is an interface"
        where.refuse("the RTL does not verilate: " + message.strip(), accepted, where.shown())

    # Pins and their pieces

    def slice(self, value, directions, names=None):
        """Bits that a word like `flit_i[{index}*64 +: 64]` names."""
        text = value.text()
        names = names or {}
        for word in re.findall(r"{(.*?)}", text):
            if word not in names:
                value.refuse(f"a placeholder '{word}' that there is not",
                             "{port} and {index}" if names else "none: it is no port's")
            text = text.replace("{" + word + "}", str(names[word]))
        match = re.fullmatch(r"\s*([^\s.\[]+)\s*(.*?)\s*", text)
        name, rest = (match[1], match[2]) if match else (text, "")
        signals = self.inside.get(name)
        if signals:
            signal = re.match(r"\.(\w+)\s*", rest)
            if not signal or signal[1] not in signals:
                value.refuse(f"{name} is an interface", "one of its signals: "
                             + ", ".join(f"{name}.{known}" for known in signals))
            name, rest = signals[signal[1]], rest[signal.end():]
        pin = self.about.pins.get(name)
        accepted = rtl.near(name, self.about.pins, directions)
        if pin is None:
            value.refuse(f"the top module has no pin '{name}'", accepted)
        if pin.direction not in directions:
            value.refuse(f"the pin is an {pin.direction}", f"an {' or '.join(directions)}: {accepted}")
        if not pin.packed:
            value.refuse("an unpacked array has no order of bits", "a vector: write a top module that packs it")
        return self.part(value, rtl.Slice(pin, 0, pin.type), match[1] if match else name, rest)

    def part(self, value, piece, path, rest):
        """What members and indices like `.data[3][7:0]` name within a piece, whose own name is `path`."""
        while rest:
            member, index = re.match(r"\.\s*(\w+)\s*", rest), re.match(r"\[([^\]]*)\]\s*", rest)
            kind = piece.type
            if member:
                if kind.members is None or member[1] not in kind.members:
                    value.refuse(f"{path} has no member '{member[1]}'",
                                 ", ".join(f"{path}.{name}" for name in kind.members) if kind.members else
                                 f"{path}{kind.range}: no struct")
                piece = rtl.Slice(piece.pin, piece.low + kind.low_of_member(member[1]), kind.members[member[1]])
            elif index:
                piece = self.indexed(value, piece, path, index[1])
            else:
                value.refuse("not the end of a name",
                             "PIN, PIN.MEMBER, PIN[INDEX], PIN[LEFT:RIGHT], PIN[FIRST +: COUNT]")
            found = member or index
            path, rest = path + found[0].strip(), rest[found.end():]
        return piece

    def indexed(self, value, piece, path, inside):
        """An element of an array, or bits of a vector; bits of all else count from 0 at the low end."""
        kind = piece.type
        vector = kind.vector()
        left, right = self.ends(value, inside, vector.ascending)
        if kind.element and not re.search(":", inside):
            if not kind.has(left):
                value.refuse(f"{path}[{left}] is outside of the array", f"indices of {path}{kind.range}")
            return rtl.Slice(piece.pin, piece.low + kind.low_of(left), kind.element)
        shown = f"{path}[{left}:{right}]"
        for index in (left, right):
            if not vector.has(index):
                value.refuse(f"{shown} is outside of the pin, which is {vector.width} bits",
                             f"indices of {path}{vector.range}")
        if left != right and (left < right) != vector.ascending:
            value.refuse(f"{shown} is in the other bit order than the pin", f"the order of {path}{vector.range}")
        low = piece.low + min(vector.bit(left), vector.bit(right))
        return rtl.Slice(piece.pin, low, rtl.Type(left, right))

    @staticmethod
    def ends(value, inside, ascending):
        """Left and right index of the text in brackets."""
        try:
            first, second, sign = rtl.indices(inside)
        except ValueError:
            value.refuse("not an index",
                         "numbers with + - * / and brackets; LEFT:RIGHT, FIRST +: COUNT, FIRST -: COUNT")
        if not sign:
            return first, second
        if second < 1:
            value.refuse("no bits", "a count of 1 or more")
        low, high = (first, first + second - 1) if sign == "+" else (first - second + 1, first)
        return (low, high) if ascending else (high, low)

    def use(self, field, port="", flits="all"):
        """Notes the bits of a field; two fields must not meet, but those of heads may meet those of bodies."""
        for bit in field.slice.bits():
            for other, other_port, kind in self.used.setdefault(bit, []):
                if other_port == port and {kind, flits} == {"head", "body"}:
                    continue
                pin = field.slice.pin
                index = pin.right - bit[1] if pin.ascending else pin.right + bit[1]
                first, second = sorted((other, field.value), key=lambda value: value.node.start_mark.index)
                ports = " and ".join(sorted({name for name in (port, other_port) if name}))
                second.refuse(f"overlaps {first.key} of line {first.node.start_mark.line + 1} in bit "
                              f"{pin.name}[{index}]"
                              + (f", {ports}" if ports else ""), "bits of its own for each field",
                              f"{second.text()} and {first.text()}")
            self.used[bit].append((field.value, port, flits))
        return field

    def pin(self, value, directions, bits=None):
        """A field that belongs to no port."""
        field = Field(self.slice(value, directions), value)
        if bits and field.slice.width != bits:
            value.refuse(f"the pin has {field.slice.width} bits", f"{bits} bit{'s' if bits > 1 else ''}")
        return self.use(field)

    # Sections that belong to no port

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

    @staticmethod
    def at_least(field, bits, whose):
        if field.slice.width < bits:
            field.value.refuse(f"the field has {field.slice.width} bits, too few for {whose}", f"{bits} bits or more")

    def pins_of(self, name, keys, directions, others=()):
        section = self.top.section(name)
        fields = {}
        for key in keys if section else ():
            value = section.get(key)
            if value:
                fields[key] = self.pin(value, directions)
                fields[key].first_high = first_high(key, fields[key].slice)
                self.narrow(fields[key], 64)
        for key in others if section else ():
            section.get(key)
        if section:
            section.done()
        return fields

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

    # Flits

    def flits(self):
        about = self.about
        about.sides = []
        for name, section, vcs in about.channels or [(None, self.top, about.vcs)]:
            self.vcs = vcs
            self.flits_of(section, {} if name is None else {"channel": name})
        for channel in range(len(about.channels or [None])):
            self.check_head(about.sides[channel * len(about.ports)]["in"])
        self.kinds()

    def flits_of(self, top, channel):
        """The fields of all ports of a channel, whose pins are in a section."""
        about = self.about
        layouts = {name: top.section(name) for name in ("flits", "heads", "bodies")}
        sections = {side: top.section(side) for side in ("in", "out")}
        for side, section in sections.items():
            if section is None:
                top.need(side, "a section with the pins of a port's flits and credits")
        for index, port in enumerate(about.ports):
            names = {"index": index, "port": port, **channel}
            about.sides.append({side: self.side(side, section, layouts, names) for side, section in sections.items()})
        for section in (*layouts.values(), *sections.values()):
            if section:
                section.done()

    def side(self, side, section, layouts, names):
        """The fields of a port's flits in one direction, and of what goes against them."""
        about = self.about
        forward, back = ("input", "output") if side == "in" else ("output", "input")
        label = f"{side} of port {names['port']}" + (f", channel {names['channel']}" if "channel" in names else "")
        fields = {}

        def add(role, value, piece, kind="all"):
            fields[role] = self.use(Field(piece, value, first_high(role, piece)), label, kind)

        back_roles = BACK_OF[about.flow]
        for role in back_roles:
            value = section.get(role)
            if value:
                add(role, value, self.slice(value, [back], names))
        if about.flow == "on_off":
            self.on_or_off(side, section)
        else:
            section.need(back_roles[0],
                         f"the pin that {'tells of freed places' if about.flow == 'credits' else 'takes a flit'}")
        section.need("valid", "the pin that is high with a flit")
        for role in ("valid",) + FLIT:
            value = section.get(role)
            if value:
                value = self.length(value) if role == "length" else value
                add(role, value, self.slice(value, [forward], names), "head" if role in HEAD else "all")
        whole = section.get("flit")
        base = self.slice(whole, [forward], names) if whole else None
        for bit in sorted(base.bits()) if base else ():
            if self.lanes.setdefault(bit, label) != label:
                whole.refuse(f"{label} overlaps {self.lanes[bit]} in {base.pin.name}", "bits of its own for each port")
        self.layout(layouts, base, fields, add, label)
        self.check_side(section, fields, label)
        return fields

    def on_or_off(self, side, section):
        """The wire of both sides is high for one of the two."""
        found = [role for role in ("on", "off") if section.get(role)]
        if len(found) != 1:
            section.refuse(f"{len(found)} wires with flow on_off", "one of on and off: a bit a virtual channel")
        if side == "in":
            self.about.off_is_high = found[0] == "off"
        elif self.about.off_is_high != (found[0] == "off"):
            section.get(found[0]).refuse("not the wire of in", "on in both, or off in both", found[0])

    def length(self, value):
        """The bits of a length, which may count from another number than 0."""
        if not isinstance(value.node, yaml.MappingNode):
            return value
        section = Section(value.node, value.key, value.file)
        bits, minus = section.need("bits", "bits or a pin"), section.get("minus")
        section.done()
        about, number = self.about, minus.number(0, 255) if minus else 0
        if self.minus is not None and number != about.length_minus:
            minus.refuse(f"not the number of line {self.minus.node.start_mark.line + 1}", about.length_minus)
        about.length_minus, self.minus = number, minus or value
        return bits

    def layout(self, layouts, base, fields, add, label):
        """Fields that are described as bits of the flit."""
        for name, roles, kind in (("flits", COMMON + ("payload",), "all"), ("heads", HEAD + ("payload",), "head"),
                                  ("bodies", ("payload",), "body")):
            section = layouts[name]
            for role in roles if section else ():
                value = section.get(role)
                if value is None:
                    continue
                value = self.length(value) if role == "length" else value
                if base is None:
                    value.refuse(f"bits of a flit, and {label} has none", "the key flit in in and out")
                target = "body_payload" if name == "bodies" else role
                if target in fields:
                    value.refuse("the field is told twice", "once", f"{value.text()} and {fields[target].value.text()}")
                add(target, value, self.piece(value, base), kind)
        if "body_payload" in fields and "payload" not in fields:
            layouts["bodies"].refuse("the payload of bodies without that of heads", "heads.payload, too")

    def piece(self, value, base):
        """Bits of a flit: [LEFT:RIGHT], or a member of a struct."""
        text = value.text()
        if re.match(r"\w", text) and base.type.members is not None:
            return self.part(value, base, "flit", "." + text)
        if not (text.startswith("[") and text.endswith("]")):
            value.refuse("not bits of the flit", f"[LEFT:RIGHT] of {base.own_range}" + (
                f", or a member: {', '.join(base.type.members)}" if base.type.members else ""))
        left, right = self.ends(value, text[1:-1], base.ascending)
        piece = base.piece(left, right) if min(left, right) >= 0 else None
        if piece is None:
            value.refuse(f"not bits of the flit, which is {base.width} bits", f"[LEFT:RIGHT] of {base.own_range}")
        return piece

    @staticmethod
    def narrow(field, most):
        if field.slice.width > most:
            field.value.refuse(f"the field has {field.slice.width} bits", f"{most} bits at most")

    def check_side(self, section, fields, label):
        """Widths."""
        about, vcs = self.about, self.vcs
        vc_bits, port_bits = bits_for(vcs), bits_for(len(about.ports))
        if "payload" not in fields:
            section.refuse(f"{label} has no payload",
                           f"payload with {LEAST_PAYLOAD_BITS} bits or more here, in flits, or in heads and bodies")
        a_bit_each = vcs > 1 and "vc" not in fields and fields["valid"].slice.width > 1
        if vcs > 1 and "vc" not in fields and not a_bit_each:
            section.refuse(f"{label} has no virtual channel, and there are {vcs}", "the key vc here or in flits")
        exact = {"valid": vcs if a_bit_each else 1, "ready": vcs, "on": vcs, "off": vcs,
                 "is_head": 1, "is_tail": 1,
                 "credit": 1 if "credit_vc" in fields else vcs,
                 "output_vcs": vcs}
        least = {"payload": LEAST_PAYLOAD_BITS, "body_payload": LEAST_PAYLOAD_BITS, "vc": vc_bits,
                 "credit_vc": vc_bits, "kind": 1,
                 "output": port_bits}
        why = {"payload": "too few to name the flits inside", "vc": f"too few for {vcs} virtual channels",
               "credit_vc": f"too few for {vcs} virtual channels",
               "output": f"too few for {len(about.ports)} ports"}
        why["body_payload"] = why["payload"]
        for role, field in fields.items():
            width = field.slice.width
            if width != exact.get(role, width):
                field.value.refuse(f"the field has {width} bits",
                                   f"{exact[role]}: " + ("a bit a virtual channel" if exact[role] > 1 else "one bit"))
            if width < least.get(role, 1):
                field.value.refuse(f"the field has {width} bits, {why[role]}", f"{least[role]} bits or more")
            self.narrow(field, 64)

    def check_head(self, side):
        """Checks that a head carries its destination in a form that the RTL uses."""
        ways = [role for role in ("destination", "router", "x", "output") if role in side]
        if not ways:
            raise Refused(self.top.place, "heads", "nothing tells the RTL where a packet goes", "no field",
                          "destination, router, x (and y, z) or output")
        if "destination" in side and "router" in side:
            side["router"].value.refuse("the head has a node and a router", "one of destination and router")
        first = self.about.sides[0]["in"]
        for role, other in (("destination", "router"), ("router", "destination")):
            if role in side and other in first:
                side[role].value.refuse(f"the heads of the first channel have {other}", f"{other} in all channels")
        for before, axis in ("xy", "yz"):
            if axis in side and before not in side:
                side[axis].value.refuse(f"the coordinate {axis} without {before}", "x, then y, then z")

    def kinds(self):
        about = self.about
        section = self.top.section("kinds")
        has_kind = [field for side in about.sides for fields in side.values()
                    for role, field in fields.items() if role == "kind"]
        about.kinds = [0, 0, 0, 0]
        if not has_kind:
            if section:
                section.refuse("has no effect without a field kind", "no such key")
            return
        if section is None:
            self.top.need("kinds", "codes of body, head, tail and both (a head that is the tail)")
        width = min(field.slice.width for field in has_kind)
        values = [section.need(name, "a code") for name in ("body", "head", "tail", "both")]
        section.done()
        about.kinds = [value.number(0, (1 << min(width, 8)) - 1) for value in values]
        for value, code in zip(values, about.kinds):
            if about.kinds.count(code) > 1:
                value.refuse("two kinds of flits with one code", "a code of its own for each")

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
