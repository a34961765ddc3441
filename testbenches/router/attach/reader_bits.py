# SPDX-License-Identifier: Apache-2.0
"""Pins of the RTL that a description names, and their bits."""

import re

import pins as rtl
from description import Field, first_high


class BitsReader:
    """Part of Reader. The first thing that is wrong is Refused."""

    def __init__(self, top, about):
        self.top, self.about = top, about
        self.used = {}    # (pin, bit): [(Value, port, kind of flit)]
        self.inside = {}  # interface: {signal: name of its pin}

    def slice(self, value, directions, names=None):
        """Bits that a word like `flit_i[{index}*64 +: 64]` names."""
        text = value.text()
        names = names or {}
        for word in re.findall(r"{(.*?)}", text):
            if word not in names:
                value.refuse(f"an unknown placeholder '{word}'",
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

    @staticmethod
    def narrow(field, most):
        if field.slice.width > most:
            field.value.refuse(f"the field has {field.slice.width} bits", f"{most} bits at most")

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
