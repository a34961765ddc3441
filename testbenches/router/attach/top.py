# SPDX-License-Identifier: Apache-2.0
"""A top module around the described one: it sets parameters that no argument of Verilator's can, and has a vector for
each pin: for arrays, and for each signal of an interface."""

import itertools
import re

MADE = "// Made by scripts/attach_rtl from "
INSTANCE = "router"


class Top:
    """Contract: skeleton() is Verilated, module() gets the pins that are read of it."""

    def __init__(self, module, name, file):
        self.module_name, self.name, self.file = module, name, file
        self.arguments = {}     # parameters that Verilator's arguments set: name: value
        self.parameters = {}    # name: expression
        self.interfaces = {}    # port: instance
        self.declarations = ""

    def instance_of(self, port):
        """TYPE #(PARAMETERS) (PORTS), with the name before the ports."""
        text = self.interfaces[port].strip()
        depth, start = 0, len(text)
        for at in range(len(text) - 1, -1, -1) if text.endswith(")") else ():
            depth += {")": 1, "(": -1}.get(text[at], 0)
            if depth == 0:
                start = len(text) if text[:at].rstrip().endswith("#") else at
                break
        return f"  {text[:start].rstrip()} {port} {text[start:] or '()'};"

    def text(self, pins, wires, connections):
        parameters = ", ".join(f"parameter {name} = {value}" for name, value in self.arguments.items())
        chosen = {**{name: name for name in self.arguments}, **self.parameters}
        values = ",\n".join(f"    .{name}({value})" for name, value in chosen.items())
        lines = [f"{MADE}{self.file}.",
                 f"module {self.name}{f' #({parameters})' if parameters else ''} (", ",\n".join(pins), ");",
                 *(f"  {line}".rstrip() for line in self.declarations.splitlines()),
                 *(self.instance_of(port) for port in self.interfaces), *wires,
                 f"  {self.module_name} " + (f"#(\n{values}\n  ) " if values else "") + INSTANCE + " (",
                 ",\n".join(f"    .\\{port} ({wire})" for port, wire in connections), "  );", "endmodule", ""]
        return "\n".join(lines)

    def skeleton(self):
        """The module without pins, which shows the types of the described module's pins."""
        return self.text([], [], [(port, port) for port in self.interfaces])

    def module(self, ports):
        """(text, {name of a pin: (interface, Pin)}) for pins as (interface, Pin)."""
        names, pins, wires = {}, [], []
        connections = [(port, port) for port in self.interfaces]
        for interface, pin in ports:
            name = pin.name if interface is None else f"{interface}_{pin.name}"
            while name in names or name in self.interfaces:
                name += "_"
            names[name] = interface, pin
            pins.append(f"  {pin.direction} wire {pin.shown_range} \\{name} ")
            if interface is not None:
                target = f"{interface}.{pin.name}"
            elif pin.packed:
                connections.append((pin.name, f"\\{name} "))
                continue
            else:
                target = f"array_{len(names)}"
                connections.append((pin.name, target))
                wires.append(self.array(target, pin.type))
            for piece, low, width in elements(target, pin.type):
                vector = f"\\{name} " if pin.packed else f"\\{name} [{low} +: {width}]"
                to, of = (piece, vector) if pin.direction == "input" else (vector, piece)
                wires.append(f"  assign {to} = {of};")
        return self.text(pins, wires, connections), names

    @staticmethod
    def array(name, kind):
        ranges = ""
        while kind.unpacked:
            ranges += kind.range
            kind = kind.element
        return f"  wire {kind.vector().range} {name} {ranges};"


def elements(name, kind):
    """(expression, lowest bit, width) of each packed element."""
    ends, low, inner = [], [], kind
    while inner.unpacked:
        ends.append(range(min(inner.left, inner.right), max(inner.left, inner.right) + 1))
        low.append(inner.low_of)
        inner = inner.element
    for indices in itertools.product(*ends):
        yield (name + "".join(f"[{index}]" for index in indices),
               sum(of(index) for of, index in zip(low, indices)), inner.width)


def set_by(words):
    """Parameters that arguments of Verilator's set: name: value."""
    return {match[1]: match[2] for match in (re.fullmatch(r"-G(\w+)=(.*)", word) for word in words) if match}
