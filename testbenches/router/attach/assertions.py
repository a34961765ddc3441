# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog assertions of a described router, to be bound to its top module in any simulator.

Immediate assertions in clocked blocks, which Verilator (--assert) and Icarus (-g2012) know, too.
"""

HEADER = """// {made}{file}.
// Rules of {top}'s pins, checked at each rising edge of {clock} after the reset: compile this file beside the RTL.
// `out`: what leaves the router; `in`: what its neighbour or bench sends.
`begin_keywords "1800-2012"
/* verilator lint_off UNUSED */
/* verilator lint_off WIDTH */
module {name}_assertions (
{pins}
);
  wire active = {reset};
"""

FOOTER = """endmodule

`ifndef __ICARUS__  // which has no bind: its bench has an instance beside the router
bind {top} {name}_assertions {name}_assertions_i (
{bound}
);
`endif
`end_keywords
"""

MADE = "Made by scripts/attach_rtl --assertions from "


def quoted_pin(pin):
    return f"  input wire [{pin.width - 1}:0] {pin.name}"


ORDER = "a head within a packet, or a flit without its head"


class Side:
    """What the flits of a port in one direction are, as expressions of pins."""

    def __init__(self, about, place, side, channel=None):
        """`place`: of the port in Description.sides; `channel`: (name, section, virtual channels)."""
        port = place % len(about.ports)
        self.about, self.fields = about, about.sides[place][side]
        self.vcs = channel[2] if channel else about.vcs
        self.side, self.prefix = side, f"{channel[0]}_{side}{port}" if channel else f"{side}{port}"
        while any(pin.startswith(self.prefix) for pin in about.pins):
            self.prefix = "of_" + self.prefix  # a name of no pin's
        self.label = f"{side} of port {about.ports[port]}" + (f", channel {channel[0]}" if channel else "")
        depths = about.port_buffer_flits
        self.depth = depths[port] if depths else about.buffer_flits

    def bits(self, role):
        piece = self.fields[role].slice
        return f"{piece.pin.name}[{piece.low} +: {piece.width}]"

    def mask(self, role):
        """A bit for each virtual channel, that of channel 0 lowest."""
        field = self.fields[role]
        if not field.first_high:
            return self.bits(role)
        piece = field.slice
        return "{" + ", ".join(f"{piece.pin.name}[{piece.low + bit}]" for bit in range(piece.width)) + "}"

    def numbered(self, flag, number):
        """The mask with the bit of a number, where the flag is high."""
        return f"(({self.bits(flag)} ? {self.vcs}'d1 : {self.vcs}'d0) << {self.bits(number)})"

    def flits(self):
        if self.fields["valid"].slice.width > 1 or self.vcs == 1:
            return self.mask("valid")
        return self.numbered("valid", "vc")

    def credits(self):
        return self.numbered("credit", "credit_vc") if "credit_vc" in self.fields else self.mask("credit")

    def kind(self, *numbers):
        return "(" + " || ".join(f"{self.bits('kind')} == {self.about.kinds[number]}" for number in numbers) + ")"

    def head(self):
        if "kind" in self.fields:
            return self.kind(1, 3)
        return self.bits("is_head") if "is_head" in self.fields else None

    def tail(self):
        if "kind" in self.fields:
            return self.kind(2, 3)
        return self.bits("is_tail") if "is_tail" in self.fields else None

    def common(self):
        """Fields of all flits."""
        body = () if "body_payload" in self.fields else ("payload",)
        return [role for role in ("vc", "is_head", "is_tail", "kind", *body) if role in self.fields]

    def pins(self, roles):
        """The bits of fields, one after the other."""
        pieces = {(field.slice.pin.name, field.slice.low, field.slice.width)
                  for field in (self.fields[role] for role in roles)}
        return "{" + ", ".join(f"{name}[{low} +: {width}]" for name, low, width in sorted(pieces)) + "}"


def rule(condition, side, text, v="v"):
    """A condition of X does not fail: X has a separate rule."""
    channel = f", virtual channel %0d: {text}\", {v}" if v else f": {text}\""
    return f"assert (({condition}) !== 1'b0) else $error(\"{side.label}{channel});"


def clocked(clock, reset, lines):
    """A block of which `reset` runs before the first cycle and `lines` in each one, with `v` as a virtual channel."""
    return "\n".join([f"  always @(posedge {clock})", "    if (active) begin", *(f"      {line}" for line in reset),
                      "    end else begin", *(f"      {line}" for line in lines), "    end", ""])


def for_each_vc(side, lines):
    return [f"for (int v = 0; v < {side.vcs}; v = v + 1) begin", *(f"  {line}" for line in lines), "end"]


def of_credits(side, about, clock):
    """Places of the buffer after the pins: a credit returns for each that a flit has taken."""
    p = side.prefix
    used, flit, credit = f"{p}_used[v]", f"{p}_flit[v]", f"{p}_credit[v]"
    late = side.side == "in" or about.follow_inputs  # a credit may be used in the cycle in which it comes
    room = f"{side.depth} + {credit}" if late else f"{side.depth}"
    lines = for_each_vc(side, [
        rule(f"!{flit} || {used} + {flit} <= {room}", side, "a flit without a credit"),
        rule(f"!{credit} || {used} + {flit} > 0", side, "a credit without a flit"),
        f"{used} <= {used} + {flit} - {credit};"])
    return [f"  wire [{side.vcs - 1}:0] {p}_credit = {side.credits()};", f"  integer {p}_used [0:{side.vcs - 1}];",
            clocked(clock, for_each_vc(side, [f"{used} <= 0;"]), lines)]


def of_order(side, clock):
    """Heads and tails of each virtual channel take turns."""
    p, head, tail = side.prefix, side.head(), side.tail()
    if "length" in side.fields and (head is None or tail is None):
        return of_length(side, clock)
    if head is None or tail is None:
        return []
    lines = for_each_vc(side, [
        f"if ({p}_moves[v]) begin", "  " + rule(f"({head}) != {p}_open[v]", side, ORDER),
        f"  {p}_open[v] <= !({tail});", "end"])
    return [f"  reg [{side.vcs - 1}:0] {p}_open;", clocked(clock, [f"{p}_open <= 0;"], lines)]


def of_length(side, clock):
    """A packet has as many flits as its head says."""
    p, head = side.prefix, side.head()
    length = f"({side.bits('length')} + {side.about.length_minus})"
    first = f"{p}_left[v] == 0"
    known = [rule(f"({head}) == ({first})", side, ORDER)] if head else []
    lines = for_each_vc(side, [
        f"if ({p}_moves[v]) begin", *(f"  {line}" for line in known),
        "  " + rule(f"!({first}) || {length} != 0", side, "a packet of no flit"),
        f"  {p}_left[v] <= ({first} ? {length} : {p}_left[v]) - 1;", "end"])
    return [f"  integer {p}_left [0:{side.vcs - 1}];", clocked(clock, for_each_vc(side, [f"{p}_left[v] <= 0;"]), lines)]


def of_ready(side, clock):
    """A flit stays until it is taken."""
    p, ready = side.prefix, side.mask("ready")
    flit = side.pins([role for role in side.fields if role != "ready"])
    return [f"  reg [{side.vcs - 1}:0] {p}_waited;", f"  reg [$bits({flit})-1:0] {p}_before;",
            clocked(clock, [f"{p}_waited <= 0;"],
                    [*for_each_vc(side, [rule(f"!{p}_waited[v] || {p}_flit[v] && {p}_before == {flit}", side,
                                              "a flit changes before it is taken")]),
                     f"{p}_waited <= {p}_flit & ~{ready};", f"{p}_before <= {flit};"])]


def of_off(side, about, clock):
    """At most the reserve comes after off."""
    p = side.prefix
    wire = side.mask("off") if about.off_is_high else f"~{side.mask('on')}"
    lines = for_each_vc(side, [
        rule(f"!{p}_flit[v] || !{p}_off[v] || {p}_after[v] < {about.reserve_flits}", side, "a flit too many after off"),
        f"{p}_after[v] <= {p}_off[v] ? {p}_after[v] + {p}_flit[v] : 0;"])
    return [f"  wire [{side.vcs - 1}:0] {p}_off = {wire};", f"  integer {p}_after [0:{side.vcs - 1}];",
            clocked(clock, for_each_vc(side, [f"{p}_after[v] <= 0;"]), lines)]


def known(side, clock):
    """No X in what says that a flit or a credit is there, nor in a flit."""
    if side.side == "in":
        backs = [role for role in ("credit", "ready", "on", "off") if role in side.fields]
        lines = [rule(f"^{side.bits(role)} !== 1'bx", side, f"X in {role}", None) for role in backs]
    else:
        lines = [rule(f"^{side.bits('valid')} !== 1'bx", side, "X in valid", None)]
        if side.common():
            flit = side.pins(side.common())
            lines.append(rule(f"!(|{side.prefix}_flit) || ^{flit} !== 1'bx", side, "X in a flit", None))
    return [clocked(clock, [], lines)]


def source(about, file):
    field = about.clock.slice
    clock = field.pin.name if field.pin.width == 1 else f"{field.pin.name}[{field.low}]"
    reset = about.reset.slice
    wire = f"{reset.pin.name}[{reset.low}]"
    parts = [HEADER.format(made=MADE, file=file, top=about.top, clock=clock, name=about.name,
                           pins=",\n".join(quoted_pin(pin) for pin in about.pins.values() if pin.packed),
                           reset=wire if about.reset_high else f"!{wire}")]
    for place in range(len(about.sides)):
        channel = about.channels[place // len(about.ports)] if about.channels else None
        for name in ("in", "out"):
            side = Side(about, place, name, channel)
            parts.append(f"  // {side.label}")
            parts.append(f"  wire [{side.vcs - 1}:0] {side.prefix}_flit = {side.flits()};")
            taken = f" & {side.mask('ready')}" if "ready" in side.fields else ""
            parts.append(f"  wire [{side.vcs - 1}:0] {side.prefix}_moves = {side.prefix}_flit{taken};")
            if about.flow == "credits":
                parts += of_credits(side, about, clock)
            elif about.flow == "valid_ready":
                parts += of_ready(side, clock)
            else:
                parts += of_off(side, about, clock)
            parts += of_order(side, clock)
            parts += known(side, clock)
    for error in about.errors:
        piece = error.slice
        wire = f"{piece.pin.name}[{piece.low} +: {piece.width}]"
        said = f"{error.value.text()} is %0d"
        parts.append(clocked(clock, [], [f"assert ({wire} == 0) else $error(\"{said}\", {wire});"]))
    bound = ",\n".join(f"  .{pin.name}({pin.name})" for pin in about.pins.values() if pin.packed)
    made = f"\n{about.made_top}" if about.made_top else ""
    return "\n".join(parts) + FOOTER.format(top=about.top, name=about.name, bound=bound) + made
