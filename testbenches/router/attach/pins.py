# SPDX-License-Identifier: Apache-2.0
"""Pins of a top module, as `verilator --xml-only` lists them, and pieces of them."""

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
class Pin:
    name: str
    variable: str  # of the Verilated class
    direction: str  # input, output, inout
    left: int
    right: int
    packed: bool = True  # false: an unpacked array, whose bits have no order

    @property
    def width(self):
        return abs(self.left - self.right) + 1

    @property
    def ascending(self):
        return self.left < self.right

    @property
    def range(self):
        return f"[{self.left}:{self.right}]"

    def bit(self, index):
        """Place of RTL's index in the value, 0 being the low end."""
        return self.right - index if self.ascending else index - self.right

    def has(self, index):
        return min(self.left, self.right) <= index <= max(self.left, self.right)


@dataclasses.dataclass
class Slice:
    """Bits of a pin, from `low` on."""
    pin: Pin
    low: int
    width: int

    def piece(self, left, right):
        """Bits of this slice as of a separate vector that counts from 0 in the pin's direction; None: there are
        none."""
        if max(left, right) >= self.width or (left < right) != self.pin.ascending and left != right:
            return None
        first = self.width - 1 - right if self.pin.ascending else right
        return Slice(self.pin, self.low + first, abs(left - right) + 1)

    def bits(self):
        return {(self.pin.name, self.low + bit) for bit in range(self.width)}

    @property
    def own_range(self):
        return f"[0:{self.width - 1}]" if self.pin.ascending else f"[{self.width - 1}:0]"


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


def _width(types, node):
    """Bits of a packed type; None for others."""
    if node.tag == "basicdtype":
        return abs(int(node.get("left", 0)) - int(node.get("right", 0))) + 1
    if node.tag in ("refdtype", "enumdtype", "memberdtype"):
        return _width(types, types[node.get("sub_dtype_id")])
    if node.tag == "structdtype":
        widths = [_width(types, member) for member in node.iter("memberdtype")]
        return None if None in widths else sum(widths)
    if node.tag == "uniondtype":
        widths = [_width(types, member) for member in node.iter("memberdtype")]
        return None if None in widths else max(widths)
    if node.tag == "packarraydtype":
        inner = _width(types, types[node.get("sub_dtype_id")])
        ends = [int(const.get("name").rpartition("h")[2], 16) for const in node.iter("const")]
        return None if inner is None or len(ends) < 2 else inner * (abs(ends[0] - ends[1]) + 1)
    return None


def _pin(types, var):
    names = var.get("name"), var.get("origName"), var.get("dir")
    node = types[var.get("dtype_id")]
    while node.tag in ("refdtype", "enumdtype"):
        node = types[node.get("sub_dtype_id")]
    if node.tag == "basicdtype":
        return Pin(*names, int(node.get("left", 0)), int(node.get("right", 0)))
    width = _width(types, node)
    return Pin(*names, (width or 1) - 1, 0, width is not None)


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


def verilate(arguments, folder):
    """(pins, files), or the match of ERROR of the first message."""
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(["verilator", "--xml-only", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--prefix", "Vtop",
                               "--Mdir", scratch, *arguments],
                              cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            errors = [error for error in ERROR.finditer(done.stderr) if not error["text"].startswith("Exiting due to")]
            return errors[0] if errors else ERROR.match("%Error: " + " ".join(done.stderr.split()))
        return read_pins(pathlib.Path(scratch) / "Vtop.xml")


def near(name, pins, directions):
    """Names of pins to choose from, the most similar first."""
    names = [pin.name for pin in pins.values() if pin.direction in directions]
    close = difflib.get_close_matches(name, names, 3, 0.3)
    return ", ".join(close or names[:8]) or "none: the top module has no such pins"
