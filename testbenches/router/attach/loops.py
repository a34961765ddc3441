# SPDX-License-Identifier: Apache-2.0
"""Loops without a register through two adjacent valid/ready routers, as Verilator finds them."""

import pathlib
import re
import subprocess
import tempfile

import top as tops

PATH = re.compile(r"^%Warning-UNOPTFLAT: .*: '([^']*)'$|Example path: (\S+)$", re.MULTILINE)
TOP = "two_routers_side_by_side"


def _bits(field):
    """Indices of a field in its pin, the low end first."""
    pin, low = field.slice.pin, field.slice.low
    return [pin.right - bit if pin.ascending else pin.right + bit for bit in range(low, low + field.slice.width)]


def bench(about, linked):
    """Verilog of two routers, each port of one facing the same port of the other; without the links between them if not
    linked."""
    lines, ends = [], []
    values = ", ".join(f".{name}({value})" for name, value in tops.set_by(about.arguments).items())
    places = {name: place for place, name in enumerate(about.pins)}
    for router in "ab":
        pins = []
        for pin in about.pins.values():
            wire = f"{router}{places[pin.name]}"
            lines.append(f"  wire {pin.range} {wire};")
            pins.append(f"    .\\{pin.name} ({wire})")
            if pin.direction == "output":
                ends.append(f"^{wire}")
        lines.append(f"  {about.top} {f'#({values}) ' if values else ''}{router} (\n" + ",\n".join(pins) + ");")
    for near, far in ("ab", "ba") if linked else ():
        ports = len(about.ports)
        for side in (about.sides[first + port] for first in range(0, len(about.sides), ports) for port in about.order):
            for role, source in side["out"].items():
                drain = side["in"].get(role)
                if drain is None:
                    continue
                if role in ("ready", "on", "off"):  # against the flits
                    source, drain = drain, source
                for of, to in zip(_bits(source), _bits(drain)):
                    lines.append(f"  assign {far}{places[drain.slice.pin.name]}[{to}] = "
                                 f"{near}{places[source.slice.pin.name]}[{of}];")
    return (f"module {TOP} (output wire seen);\n" + "\n".join(lines) + f"\n  assign seen = "
            f"{' ^ '.join(ends)};\nendmodule\n")


def circles(about, linked):
    """Signals of the circles that Verilator names."""
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / f"{TOP}.v"
        file.write_text(bench(about, linked) + about.made_top, encoding="utf-8")
        arguments = [TOP if word == about.top and before == "--top-module" else word
                     for before, word in zip(["", *about.arguments], about.arguments) if not word.startswith("-G")]
        done = subprocess.run(["verilator", "--lint-only", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wwarn-UNOPTFLAT",
                               "--Mdir", scratch,
                               *arguments, str(file)], cwd=about.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"two routers side by side do not verilate: {done.stderr}")
        found = [first or second for first, second in PATH.findall(done.stderr)]
        names = {str(place): name for place, name in enumerate(about.pins)}
        known = [name.removeprefix(TOP + ".") for name in found if name.startswith(TOP) and ".__V" not in name]
        return [re.sub(r"^([ab])(\d+)$", lambda match: f"{match[1]}.{names[match[2]]}", name) for name in known]


def loop(about, registers):
    """(signals of a loop through two routers, signals of circles within one router); empty: there is none. With
    registers between them no loop is looked for."""
    if about.flow != "valid_ready":
        return [], []
    linked = [] if registers else circles(about, True)
    alone = circles(about, False) if linked or registers else []
    return ([name for name in dict.fromkeys(linked) if name not in alone],
            [name.partition(".")[2] for name in dict.fromkeys(alone) if name.startswith("a.")])
