# SPDX-License-Identifier: Apache-2.0
"""Fields of the flits of a description's ports."""

import re

import yaml
from description import BACK_OF, COMMON, Field, FLIT, HEAD, LEAST_PAYLOAD_BITS, bits_for, first_high
from places import Refused, Section


class FlitsReader:
    """Part of Reader, which has `top`, `about`, slice() and use()."""

    def __init__(self):
        self.lanes = {}    # (pin, bit): port whose flit has it
        self.minus = None  # Value of length.minus
        self.vcs = 1       # of the channel that is read

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
