# SPDX-License-Identifier: Apache-2.0
"""Pins of a module, as `verilator --xml-only` lists them, and pieces of them."""

import ast
import dataclasses
import difflib
import operator
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree

ERROR = re.compile(r"^%Error[^:]*: (?:(?P<file>[^:\s]+):(?P<line>\d+):(?:\d+:)? )?(?P<text>.*)$", re.MULTILINE)


@dataclasses.dataclass
class Type:
    """Type of a pin: a vector, an array of `element`, or a struct or union of `members`."""
    left: int = 0
    right: int = 0
    element: object = None  # a Type
    unpacked: bool = False
    members: dict = None    # name: Type, the highest first
    union: bool = False
    scalar: bool = False    # a bit that was declared without a range

    @property
    def width(self):
        if self.members is not None:
            widths = [member.width for member in self.members.values()]
            return max(widths) if self.union else sum(widths)
        return (abs(self.left - self.right) + 1) * (self.element.width if self.element else 1)

    @property
    def is_vector(self):
        return self.element is None and self.members is None

    @property
    def packed(self):
        if self.members is not None:
            return all(member.packed for member in self.members.values())
        return not self.unpacked and (self.element is None or self.element.packed)

    @property
    def ascending(self):
        return self.is_vector and self.left < self.right

    @property
    def range(self):
        return f"[{self.left}:{self.right}]"

    def vector(self):
        """This type's bits in one vector: a vector itself, all else as a vector from 0 on."""
        return self if self.is_vector else Type(self.width - 1, 0)

    def bit(self, index):
        """Place of a vector's index in its value, 0 being the low end."""
        return self.right - index if self.ascending else index - self.right

    def has(self, index):
        return min(self.left, self.right) <= index <= max(self.left, self.right)

    def low_of(self, index):
        """Lowest bit of an array's element; of an unpacked array the lowest index has the lowest bits."""
        steps = index - min(self.left, self.right) if self.unpacked else \
            self.right - index if self.left < self.right else index - self.right
        return steps * self.element.width

    def low_of_member(self, name):
        names = list(self.members)
        return 0 if self.union else sum(self.members[after].width for after in names[names.index(name) + 1:])


@dataclasses.dataclass
class Pin:
    name: str
    variable: str  # of the Verilated class
    direction: str  # input, output, inout
    type: Type
    packed: bool = True  # false: an unpacked array, whose bits have no order

    @property
    def vector(self):
        return self.type.vector()

    @property
    def width(self):
        return self.type.width

    @property
    def ascending(self):
        return self.type.ascending

    @property
    def range(self):
        return self.vector.range

    @property
    def shown_range(self):
        """The range in a waveform and in a declaration."""
        return "" if self.type.scalar else self.range

    @property
    def right(self):
        return self.vector.right


@dataclasses.dataclass
class Slice:
    """Bits of a pin, from `low` on."""
    pin: Pin
    low: int
    type: Type

    @property
    def width(self):
        return self.type.width

    @property
    def ascending(self):
        return self.type.ascending

    def piece(self, left, right):
        """Bits of this slice as of a separate vector that counts from 0 in its direction; None: there are
        none."""
        if max(left, right) >= self.width or (left < right) != self.ascending and left != right:
            return None
        first = self.width - 1 - right if self.ascending else right
        return Slice(self.pin, self.low + first, Type(left, right))

    def bits(self):
        return {(self.pin.name, self.low + bit) for bit in range(self.width)}

    @property
    def own_range(self):
        return f"[0:{self.width - 1}]" if self.ascending else f"[{self.width - 1}:0]"


def arithmetic(text):
    """An integer of + - * / and brackets; ValueError for anything else."""
    kinds = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.floordiv}

    def value(node):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in kinds:
            return kinds[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        raise ValueError(text)
    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ZeroDivisionError, RecursionError) as error:
        raise ValueError(text) from error


def indices(text):
    """Left and right index of the text in brackets: 3, 7:0, 8 +: 4, 8 -: 4; the latter two as (first, count,
    sign)."""
    relative = re.split(r"([+-]):", text)
    if len(relative) == 3:
        return arithmetic(relative[0]), arithmetic(relative[2]), relative[1]
    left, colon, right = text.partition(":")
    return arithmetic(left), arithmetic(right if colon else left), ""


def _type(types, node):
    """Of a node of the type table; None: no bits."""
    if node.tag == "basicdtype":
        return Type(int(node.get("left", 0)), int(node.get("right", 0)), scalar=node.get("left") is None)
    if node.tag in ("refdtype", "enumdtype", "memberdtype"):
        return _type(types, types[node.get("sub_dtype_id")])
    if node.tag in ("structdtype", "uniondtype"):
        members = {member.get("name"): _type(types, member) for member in node.iter("memberdtype")}
        return None if None in members.values() else Type(members=members, union=node.tag == "uniondtype")
    if node.tag in ("packarraydtype", "unpackarraydtype"):
        element = _type(types, types[node.get("sub_dtype_id")])
        ends = [_signed(const.get("name")) for const in node.iter("const")]
        if element is None or len(ends) < 2:
            return None
        return Type(ends[0], ends[1], element, node.tag == "unpackarraydtype")
    return None


def _signed(literal):
    """The number of 32'sh3 or 32'hfffffffe."""
    value = int(literal.rpartition("h")[2], 16)
    return value - (1 << 32) if value >> 31 else value


def _pin(types, var, direction=None):
    found = _type(types, types[var.get("dtype_id")])
    return Pin(var.get("name"), var.get("origName"), direction or var.get("dir"), found or Type(),
               found is not None and found.packed)


def read_pins(path):
    """Pins by name, and the names of the files that Verilator has read, without its own."""
    tree = xml.etree.ElementTree.parse(path)
    types = {node.get("id"): node for node in tree.find("netlist/typetable")}
    top = next(module for module in tree.find("netlist") if module.get("topModule"))
    ports = [var for var in top.findall("var") if var.get("dir") in ("input", "output", "inout")]
    files = [file.get("filename") for file in tree.find("files")]
    # <built-in>, <command-line>, and with Verilator 5.032 .../include/verilated_std.sv and verilated_std_waiver.vlt.
    given = [name for name in files if not name.startswith("<")
             and not pathlib.PurePath(name).name.startswith("verilated_std")]
    return {pin.name: pin for pin in (_pin(types, var) for var in ports)}, given


def read_ports(path, name, interfaces):
    """Pins of the instance `name` in the top module, (interface, Pin): of a pin of an interface that interface's name,
    of the others None."""
    netlist = xml.etree.ElementTree.parse(path).find("netlist")
    types = {node.get("id"): node for node in netlist.find("typetable")}
    modules = {module.get("name"): module for module in netlist if module.tag in ("module", "iface")}
    top = next(module for module in modules.values() if module.get("topModule"))
    made = {instance.get("name"): instance.get("defName") for instance in top.iter("instance")}
    found = []
    for var in modules[made[name]].findall("var"):
        port = var.get("name")
        if var.get("dir") in ("input", "output", "inout"):
            found.append((None, _pin(types, var)))
        elif port in interfaces and var.get("vartype") == "ifaceref":
            interface = modules[made[port]]
            chosen = types[var.get("dtype_id")].get("modportname")
            signals = {signal.get("name"): signal for signal in interface.findall("var")}
            for modport in interface.findall("modport"):
                if modport.get("name") == chosen:
                    found += [(port, _pin(types, signals[signal.get("name")], f"{signal.get('direction')}put"))
                              for signal in modport.findall("modportvarref")]
    return found


def verilate(arguments, folder, top=("", ""), read=read_pins):
    """What `read` gives of Verilator's XML, or the match of ERROR of the first message. `top`: name and text of one
    more file."""
    with tempfile.TemporaryDirectory() as scratch:
        name, text = top
        if text:
            (pathlib.Path(scratch) / name).write_text(text, encoding="utf-8")
            arguments = [*arguments, f"{scratch}/{name}"]
        done = subprocess.run(["verilator", "--xml-only", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--prefix", "Vtop",
                               "--Mdir", scratch, *arguments],
                              cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            errors = [error for error in ERROR.finditer(done.stderr) if not error["text"].startswith("Exiting due to")]
            return errors[0] if errors else ERROR.match("%Error: " + " ".join(done.stderr.split()))
        return read(pathlib.Path(scratch) / "Vtop.xml")


def near(name, pins, directions):
    """Names of pins to choose from, the most similar first."""
    names = [pin.name for pin in pins.values() if pin.direction in directions]
    close = difflib.get_close_matches(name, names, 3, 0.3)
    return ", ".join(close or names[:8]) or "none: the top module has no such pins"
