# SPDX-License-Identifier: Apache-2.0
"""A module as cells of a standard-cell library, by yosys, with its memories apart."""

from __future__ import annotations

import collections
import dataclasses
import json
import pathlib
import re
from typing import Any

from netlist import run_yosys

# What a memory's cell takes in; its RD_DATA is what it gives. Clocks and resets are no logic.
TAKEN = ("RD_ADDR", "RD_EN", "WR_ADDR", "WR_DATA", "WR_EN")
# Load of an output, about five inputs, for which cells are sized; inputs are driven by the smallest buffer.
LOAD_PF = 0.05
FASTEST_PS = 1


class Library:
    """Areas and kinds of the cells of a Liberty file."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        text = path.read_text(encoding="utf-8", errors="replace")
        self.areas: dict[str, float] = {}
        self.flip_flops: set[str] = set()
        self.latches: set[str] = set()
        self.buffer: str | None = None  # the smallest
        for block in re.split(r"^\s*cell\s*\(", text, flags=re.MULTILINE)[1:]:
            name = re.match(r'\s*"?([^")\s]+)', block)
            area = re.search(r"^\s*area\s*:\s*([0-9.eE+-]+)", block, re.MULTILINE)
            if name is None or area is None:
                continue
            self.areas[name[1]] = float(area[1])
            if re.search(r"^\s*ff\s*\(", block, re.MULTILINE):
                self.flip_flops.add(name[1])
            elif re.search(r"^\s*latch\s*\(", block, re.MULTILINE):
                self.latches.add(name[1])
            elif re.search(r'function\s*:\s*"\s*A\s*"', block):
                if self.buffer is None or float(area[1]) < self.areas[self.buffer]:
                    self.buffer = name[1]


@dataclasses.dataclass
class Design:
    """What is synthesized: a module of Verilog files with its parameters."""

    name: str
    top: str
    sources: list[pathlib.Path]
    parameters: dict[str, str]
    varied: dict[str, int] = dataclasses.field(default_factory=dict)  # those of --vary

    def text(self) -> str:
        values = " ".join(f"{name}={value}" for name, value in self.varied.items())
        return f"{self.name} {values}".strip()


@dataclasses.dataclass
class Memory:
    """An array of words."""

    name: str
    words: int
    width: int
    read_ports: int
    write_ports: int

    @property
    def bits(self) -> int:
        return self.words * self.width


@dataclasses.dataclass
class Part:
    """A kind of module in the hierarchy below the top."""

    module: str
    instances: int = 0
    cells: int = 0  # of all instances, without the modules in them
    area: float = 0.0


@dataclasses.dataclass
class Netlist:
    """A module's cells."""

    cells: int
    flip_flops: int
    latches: int
    area: float
    memories: list[Memory]
    parts: list[Part]
    inputs: list[str]
    registers: dict[str, str]  # names of the source by cell

    def spoken(self, told: str) -> str:
        """A register, a memory's port or a pin as the source calls it, e.g. `in[0].line.count[2]`."""
        told = told.replace("\\", "")
        if port := re.match(r"memory_(\d+)_(\w+)", told):
            return f"{self.memories[int(port[1])].name}.{port[2]}"
        return self.registers.get(told, told)


def read_commands(design: Design) -> list[str]:
    sources = " ".join(f'"{source}"' for source in design.sources)
    kind = " -sv" if any(source.suffix == ".sv" for source in design.sources) else ""
    commands = [f"read_verilog{kind} {sources}"]
    if design.parameters:
        sets = " ".join(f"-set {name} {value}" for name, value in design.parameters.items())
        commands.append(f"chparam {sets} {design.top}")
    return [*commands, f"hierarchy -check -top {design.top}", f"rename -top {design.top}"]


def number(text: Any) -> int:
    """Of a parameter in a JSON netlist."""
    return int(text, 2) if isinstance(text, str) else int(text)


def take_memories(module: dict[str, Any]) -> list[Memory]:
    """Removes memories: what one gives becomes an input of the module, what it takes an output."""
    memories = []
    for name, cell in list(module["cells"].items()):
        if cell["type"] not in ("$mem", "$mem_v2"):
            continue
        sizes = cell["parameters"]
        memory = Memory(str(sizes.get("MEMID", name)).lstrip("\\"), number(sizes["SIZE"]), number(sizes["WIDTH"]),
                        number(sizes["RD_PORTS"]), number(sizes["WR_PORTS"]))
        for port in ("RD_DATA", *TAKEN):
            if bits := cell["connections"].get(port):
                direction = "input" if port == "RD_DATA" else "output"
                module["ports"][f"memory_{len(memories)}_{port}"] = {"direction": direction, "bits": bits}
        memories.append(memory)
        del module["cells"][name]
    return memories


def forget_names(module: dict[str, Any]) -> None:
    """Of cells and wires that yosys has named: another process gives the same names to others."""
    module["cells"] = {f"$kept${number}" if name.startswith("$") else name: cell
                       for number, (name, cell) in enumerate(module["cells"].items())}
    module["netnames"] = {name: net for name, net in module["netnames"].items() if not name.startswith("$")}


def count(module: dict[str, Any], library: Library) -> collections.Counter[str]:
    """Cells of the library, by name."""
    return collections.Counter(cell["type"] for cell in module["cells"].values() if cell["type"] in library.areas)


def registers_of(module: dict[str, Any], library: Library) -> dict[str, str]:
    """Names of registers by cell: of the wire that a flip-flop drives."""
    names: dict[int, str] = {}
    for name, net in sorted(module["netnames"].items(), key=lambda each: (each[1]["hide_name"], -len(each[0]))):
        for place, bit in enumerate(net["bits"]):
            if not net["hide_name"]:
                names.setdefault(bit, name if len(net["bits"]) == 1 else f"{name}[{place}]")
    flip_flops = {name: cell for name, cell in module["cells"].items() if cell["type"] in library.flip_flops}
    return {name: names[bits[0]].replace(" [", "[") for name, cell in flip_flops.items()
            for port, bits in cell["connections"].items()
            if cell["port_directions"][port] == "output" and bits[0] in names}


def instances(modules: dict[str, Any], top: str, library: Library) -> collections.Counter[str]:
    """Of each module in the hierarchy below `top`, and of `top`."""
    found = collections.Counter({top: 1})

    def descend(module: str, times: int) -> None:
        for cell in modules[module]["cells"].values():
            if cell["type"] in modules and cell["type"] not in library.areas:
                found[cell["type"]] += times
                descend(cell["type"], times)

    descend(top, 1)
    return found


def readable(module: str) -> str:
    """A module's name without the hash or the values of its parameters."""
    return re.sub(r"^\$paramod(?:\$[0-9a-f]+)?\\([^\\]+).*$", r"\1", module)


def parts_of(modules: dict[str, Any], top: str, library: Library) -> list[Part]:
    parts: dict[str, Part] = {}
    for module, times in instances(modules, top, library).items():
        part = parts.setdefault(readable(module), Part(readable(module)))
        cells = count(modules[module], library)
        part.instances += times
        part.cells += times * sum(cells.values())
        part.area += times * sum(library.areas[name] * number_of for name, number_of in cells.items())
    return sorted(parts.values(), key=lambda part: -part.area)


def map_commands(library: Library, folder: pathlib.Path) -> list[str]:
    """From word-level cells to the library's."""
    constraints = folder / "constraints"
    if library.buffer:
        constraints.write_text(f"set_driving_cell {library.buffer}\nset_load {LOAD_PF}\n", encoding="utf-8")
    sizes = f'-constr "{constraints}" ' if library.buffer else ""
    return ["opt_clean", "techmap", "opt -fast", f'dfflibmap -liberty "{library.path}"', "opt -fast",
            f'abc -liberty "{library.path}" {sizes}-D {FASTEST_PS}', "setundef -zero",
            "opt_clean -purge"]


def mapped(design: Design, library: Library, folder: pathlib.Path, options: Any, flat: bool
           ) -> tuple[dict[str, Any], list[Memory]]:
    """The modules of the mapped netlist, and the memories beside them. A flat one is written as netlist.v, too."""
    name = "flat" if flat else "parts"
    whole, cut, done = (folder / f"{name}_{step}.json" for step in ("whole", "cut", "mapped"))
    # State machines keep their encoding: flip-flops are those of the source.
    words = ["synth", "-nofsm", "-top", design.top, "-run", "begin:fine", *(["-flatten"] if flat else [])]
    memories_too = ["memory_map"] if options.memories == "flip_flops" else []
    run_yosys([*read_commands(design), " ".join(words), *memories_too, f'write_json "{whole}"'],
              folder / f"{name}_read.log")
    text = json.loads(whole.read_text(encoding="utf-8"))
    memories = []
    for module in text["modules"].values():
        forget_names(module)
        memories += take_memories(module)
    cut.write_text(json.dumps(text), encoding="utf-8")
    written = ["splitnets -ports", "opt_clean -purge", "rename -enumerate -pattern c%",  # the same names in both files
               f'write_verilog -noattr -noexpr "{folder}/netlist.v"'] if flat else []
    run_yosys([f'read_liberty -lib -ignore_miss_func "{library.path}"', f'read_json "{cut}"',
               *map_commands(library, folder), *written, f'write_json "{done}"'], folder / f"{name}_map.log")
    return json.loads(done.read_text(encoding="utf-8"))["modules"], memories


def synthesize(design: Design, library: Library, folder: pathlib.Path, options: Any) -> Netlist:
    """`folder` receives netlist.v and the tools' logs."""
    modules, memories = mapped(design, library, folder, options, True)
    whole = modules[design.top]
    cells = count(whole, library)
    parts = []
    if options.parts:
        parts = parts_of(mapped(design, library, folder, options, False)[0], design.top, library)
    flip_flops = sum(cells[name] for name in library.flip_flops)
    inputs = [name for name, port in whole["ports"].items() if port["direction"] == "input"]
    return Netlist(sum(cells.values()), flip_flops, sum(cells[name] for name in library.latches),
                   sum(library.areas[name] * number_of for name, number_of in cells.items()), memories, parts,
                   inputs, registers_of(whole, library))
