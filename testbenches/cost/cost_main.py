# SPDX-License-Identifier: Apache-2.0
"""Hardware cost of RTL twins or of your Verilog: cells, flip-flops, area, memory bits, longest path and clock on a
standard-cell library. Wires have no delay and no area, and memories no access time."""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import itertools
import os
import pathlib
import re
import shutil
import sys
import tempfile
from typing import Any

import netlist
from tsuji.errors import Refused
from tsuji.progress import Progress

import cost_page
import timing
from synthesis import Design, Library, Netlist, synthesize

LIBRARY = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
VALUE = re.compile(r"-?\d+")


@dataclasses.dataclass
class Cost:
    """A design with its netlist and its longest path."""

    design: Design
    netlist: Netlist
    path: timing.Path | None

    def row(self) -> dict[str, Any]:
        """Of cost.csv. Area in the library's unit, um2 in the default one."""
        path = self.path
        memories = self.netlist.memories
        return {"design": self.design.name, **self.design.varied, "cells": self.netlist.cells,
                "flip_flops": self.netlist.flip_flops, "latches": self.netlist.latches, "area": self.netlist.area,
                "memories": len(memories), "memory_bits": sum(memory.bits for memory in memories),
                "path_ns": path and round(path.ns, 4), "clock_mhz": path and round(1000 / path.ns, 2),
                "path_gates": path and path.gates, "path_from": path and path.begin, "path_to": path and path.end}

    def json(self) -> dict[str, Any]:
        return {**self.row(), "top": self.design.top, "parameters": self.design.parameters,
                "memories": [{**dataclasses.asdict(memory), "bits": memory.bits} for memory in self.netlist.memories],
                "parts": [dataclasses.asdict(part) for part in self.netlist.parts]}


def assignment(word: str, option: str) -> tuple[str, str]:
    name, sign, value = word.partition("=")
    if not sign or not name.isidentifier():
        raise Refused(option, "", "is not a parameter with its value", word, "NAME=VALUE")
    return name, value


def set_values(words: list[str]) -> dict[str, str]:
    values = {}
    for word in words:
        name, value = assignment(word, "--set")
        if not VALUE.fullmatch(value) and not re.fullmatch(r'"[^"]*"', value):
            raise Refused("--set", name, "is neither an integer nor a string", value,
                          'an integer, or "TEXT" with its quotes')
        values[name] = value
    return values


def varied_values(words: list[str], fixed: dict[str, str]) -> dict[str, list[int]]:
    values: dict[str, list[int]] = {}
    for word in words:
        name, value = assignment(word, "--vary")
        parts = value.split(",")
        if name in values or name in fixed:
            raise Refused("--vary", name, "has values already", value, "each parameter once")
        if not all(VALUE.fullmatch(part) for part in parts) or len(set(parts)) < len(parts):
            raise Refused("--vary", name, "is no list of different integers", value, "e.g. 2,4,8")
        values[name] = [int(part) for part in parts]
    return values


def parameters_of(sources: list[pathlib.Path], top: str) -> set[str]:
    """Names that the module declares as parameters."""
    for source in sources:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", source.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
        found = re.search(rf"\bmodule\s+{re.escape(top)}\b(.*?)\bendmodule\b", text, re.DOTALL)
        if found:
            return set(re.findall(r"\bparameter\b[^=;)]*?(\w+)\s*=", found[1]))
    raise Refused("--top", "", "no file has this module", top, "a module of the files of --verilog")


def told_designs(options: Any) -> list[Design]:
    """The devices named, or the module of --verilog."""
    if options.verilog:
        if options.devices:
            raise Refused("--verilog", "", "goes without a device", options.devices[0], "files, and --top MODULE")
        for source in options.verilog:
            if not source.is_file():
                raise Refused("--verilog", "", "there is no such file", source, "files of Verilog")
        top = options.top or options.verilog[0].stem
        return [Design(top, top, [source.resolve() for source in options.verilog], {})]
    if options.top:
        raise Refused("--top", "", "goes with --verilog alone", options.top)
    folder = pathlib.Path(os.environ["TSUJI_BUILD"]) / "testbenches/devices"
    known = sorted(path.stem for path in folder.glob("*.json"))
    designs = []
    for device in known if options.devices == ["all"] else options.devices:
        if device not in known:
            raise Refused("", "", "there is no such device", device, "all, " + ", ".join(known))
        twin = netlist.Twin(folder / f"{device}.json")
        # A memory's first contents cost nothing.
        parameters = {name: value for name, value in twin.parameters.items() if not value.startswith('"')}
        designs.append(Design(device, twin.top, [pathlib.Path(source) for source in twin.sources], parameters))
    if not designs:
        raise Refused("", "", "no device", None, "all, " + ", ".join(known) + "; or --verilog FILE...")
    return designs


def all_designs(options: Any) -> list[Design]:
    """One for each combination of varied values."""
    fixed = set_values(options.set)
    varied = varied_values(options.vary, fixed)
    designs = []
    for design in told_designs(options):
        declared = parameters_of(design.sources, design.top)
        for name in [*fixed, *varied]:
            if name not in declared:
                raise Refused("--set" if name in fixed else "--vary", "", f"{design.top} has no such parameter", name,
                              ", ".join(sorted(declared)) or "none")
        for values in itertools.product(*varied.values()):
            chosen = dict(zip(varied, values))
            words = {name: str(value) for name, value in chosen.items()}
            designs.append(dataclasses.replace(design, parameters={**design.parameters, **fixed, **words},
                                               varied=chosen))
    return designs


def measure(design: Design, library: Library, options: Any, folder: pathlib.Path) -> Cost:
    folder.mkdir(parents=True)
    try:
        found = synthesize(design, library, folder, options)
    except RuntimeError as error:
        raise timing.Failed(f"{design.text()}: {error}") from error
    clock = options.clock if found.flip_flops else None
    if clock is not None and clock not in found.inputs:
        own = sorted(name for name in found.inputs if re.fullmatch(r"\w+", name) and not name.startswith("memory_"))
        raise Refused("--clock", "", f"{design.top} has no such input", clock, ", ".join(own))
    return Cost(design, found, timing.longest(library.path, folder, design.top, clock, found.spoken))


def measure_all(designs: list[Design], library: Library, options: Any, folder: pathlib.Path) -> list[Cost]:
    progress = Progress(len(designs), "design")
    done = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(measure, design, library, options, folder / str(number))
                   for number, design in enumerate(designs)]
        try:
            for _ in concurrent.futures.as_completed(waiting):
                done += 1
                progress.update(done, f"{done} of {len(designs)}")
        finally:
            for each in waiting:
                each.cancel()
            progress.wipe()
    costs = []
    for each in waiting:
        try:
            costs.append(each.result())
        except timing.Failed as error:
            print(f"hardware_cost: {error}", file=sys.stderr)
    return costs


def text_of(costs: list[Cost]) -> str:
    """A table for a terminal."""
    heads = ["design", "cells", "flip-flops", "area", "memory bits", "path ns", "clock MHz"]
    lines = [[cost.design.text(), str(row["cells"]), str(row["flip_flops"]), f"{row['area']:.0f}",
              str(row["memory_bits"]), "-" if cost.path is None else f"{cost.path.ns:.2f}",
              "-" if cost.path is None else f"{row['clock_mhz']:.1f}"] for cost in costs for row in [cost.row()]]
    widths = [max(len(line[column]) for line in [heads, *lines]) for column in range(len(heads))]
    return "\n".join("  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                               for column, (cell, width) in enumerate(zip(line, widths))) for line in [heads, *lines])


def parts_text(cost: Cost) -> str:
    whole = sum(part.area for part in cost.netlist.parts)
    return "\n".join([f"{cost.design.text()}, by kind of module (each synthesized alone):"]
                     + [f"  {part.module:24} {part.instances:5} x {part.cells:7} cells {part.area:10.0f} "
                        f"{100 * part.area / whole if whole else 0:5.1f} %" for part in cost.netlist.parts])


def parse(words: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="hardware_cost", description=__doc__)
    parser.add_argument("devices", nargs="*", metavar="DEVICE", help="twins of testbenches, or all")
    parser.add_argument("--verilog", nargs="+", type=pathlib.Path, metavar="FILE",
                        help="your own files instead of devices")
    parser.add_argument("--top", metavar="MODULE", help="of --verilog (the first file's name)")
    parser.add_argument("--clock", default="clock", metavar="INPUT", help="of the registers (clock)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter's value")
    parser.add_argument("--vary", action="append", default=[], metavar="NAME=A,B,...",
                        help="a parameter's values, each a design, drawn as a curve")
    parser.add_argument("--memories", choices=["apart", "flip_flops"], default="apart",
                        help="arrays of words are counted in bits (apart), or made of flip-flops")
    parser.add_argument("--parts", action="store_true", help="area by kind of module, each synthesized alone")
    parser.add_argument("--library", type=pathlib.Path, default=LIBRARY, metavar="FILE.lib",
                        help="cells in Liberty format (OSU 0.18 um, 1.8 V, typical)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="designs side by side (all cores)")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR",
                        help="receives index.html, cost.csv, cost.json, and netlist.v and logs of each design")
    return parser.parse_args(words)


def run(options: Any) -> int:
    if options.jobs < 1:
        raise Refused("--jobs", "", "is below 1", options.jobs, "1 or more")
    if not options.library.is_file():
        raise Refused("--library", "", "there is no such file", options.library, "a Liberty file")
    library = Library(options.library.resolve())
    if not library.flip_flops:
        raise Refused("--library", "", "has no cell with a flip-flop", options.library,
                      "a Liberty file of standard cells")
    designs = all_designs(options)
    with tempfile.TemporaryDirectory() as folder:
        logs = pathlib.Path(folder)
        if options.out is not None:
            logs = options.out / "designs"
            shutil.rmtree(logs, ignore_errors=True)
        costs = measure_all(designs, library, options, logs.resolve())
    print(text_of(costs))
    for cost in costs if options.parts else []:
        print(parts_text(cost))
    if options.out is not None and costs:
        cost_page.write(options.out, costs, library, options)
    return 0 if len(costs) == len(designs) else 1


def main(words: list[str]) -> int:
    options = parse(words)
    try:
        return run(options)
    except Refused as refusal:
        print(f"hardware_cost: {refusal}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
