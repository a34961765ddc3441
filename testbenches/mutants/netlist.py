# SPDX-License-Identifier: Apache-2.0
"""A twin as yosys' netlist, and mutants of it. A mutant changes one bit of one cell's port."""

import json
import os
import pathlib
import re
import subprocess

CTRL = "mutant"  # the input that selects one
CTRL_BITS = 16
# Ports at which a change is no change of logic: the clock, and what a memory's asynchronous reads do not have.
NO_LOGIC = {"CLK", "RD_CLK", "WR_CLK", "RD_EN", "RD_ARST", "RD_SRST"}

# No wider than needed, and nothing that is constant: a mutant there would be dead.
SIMPLER = ["opt -full", "wreduce", "opt -full", "memory_collect", "opt_clean -purge"]
# Registers have the zeros in which a simulation begins.
FROM_ZERO = ["opt_clean", "zinit -all"]


class Twin:
    """How a twin is made: DEVICE.json, which CMake writes."""

    def __init__(self, path):
        told = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        self.device, self.top, self.sources, self.parameters = (told[key]
                                                                for key in ("device", "top", "sources", "parameters"))

    @property
    def folder(self):
        """Sources are read there by path from it, so that cells have the same names everywhere."""
        return pathlib.Path(self.sources[0]).parent

    def read_commands(self):
        """yosys commands up to word-level cells, in source order: one flat module named as the twin's top."""
        commands = [f"read_verilog {' '.join(os.path.relpath(source, self.folder) for source in self.sources)}"]
        if self.parameters:
            sets = " ".join(f"-set {name} {value}" for name, value in self.parameters.items())
            commands.append(f"chparam {sets} {self.top}")
        return commands + [f"hierarchy -check -top {self.top}", "proc", "flatten", f"rename -top {self.top}"]


class Mutant:
    """One line that `mutate -list` has written."""

    def __init__(self, number, line):
        words = line.split()
        self.number = number
        self.options = {}
        self.sources = []
        for name, value in zip(words, words[1:]):
            if name == "-src":
                self.sources.append(value)
            elif name.startswith("-") and name != "-ctrl":
                self.options.setdefault(name[1:], value)

    def command(self, module=None, select=True):
        """The yosys command that makes it, with the input that selects it, or permanently."""
        options = {name: value for name, value in self.options.items() if name not in ("wire", "wirebit")}
        if module:
            options["module"] = module
        ctrl = f"-ctrl {CTRL} {CTRL_BITS} {self.number} " if select else ""
        return f"mutate {ctrl}" + " ".join(f"-{name} {value}" for name, value in options.items())

    def describe(self):
        """Its place for a reader: file and line, signal or cell, mode."""
        where = self.options.get("wire")
        if where:
            where += f"[{self.options.get('wirebit', '0')}]"
        else:
            cell = re.sub("[$][^$]*$", "", self.options["cell"])
            where = f"{cell}.{self.options['port']}[{self.options.get('portbit', '0')}]"
        line = next((f"{pathlib.PurePath(file).name}:{rest.split('.')[0]}" for file, _, rest in
                     (source.rpartition(":") for source in reversed(self.sources)) if not rest.startswith("0.")), "")
        mode = self.options["mode"] + (f" by bit {self.options['ctrlbit']}" if "ctrlbit" in self.options else "")
        return f"{mode} at {where}" + (f" ({self.options['port']}; {line})" if line else f" ({self.options['port']})")


def run_yosys(commands, log, folder=None):
    """`folder`: where it runs."""
    script = pathlib.Path(log).with_suffix(".ys")
    script.write_text("\n".join(commands) + "\n", encoding="utf-8")
    result = subprocess.run(["yosys", "-q", "-l", str(log), str(script)], capture_output=True, text=True, check=False,
                            cwd=folder)
    if result.returncode != 0:
        raise RuntimeError(f"yosys failed, see {log}\n{result.stderr[-2000:]}")


def choose(lines, count):
    """The first `count` mutants of a list but those at ports without logic, numbered from 1."""
    chosen = []
    for line in lines:
        mutant = Mutant(len(chosen) + 1, line)
        if mutant.options["port"] not in NO_LOGIC and len(chosen) < count:
            chosen.append(mutant)
    return chosen


def ones_at_outputs(text):
    """True where an output of an RTLIL text has a bit that is constantly 1."""
    outputs = set(re.findall(r"^  wire .*output \d+ (\S+)$", text, re.MULTILINE))
    connections = re.findall(r"^  connect (\S+)(?: \[[\d:]+\])? (.*)$", text, re.MULTILINE)
    return any(left in outputs and re.search(r"\d'[01]*1", right) for left, right in connections)


def draw(twin, count, seed, folder):
    """`count` mutants, spread by yosys over the sources, wires and cells; writes the netlist and the list."""
    listed = folder / "list.txt"
    netlist = folder / "twin.il"

    def write(before):
        run_yosys(twin.read_commands() + before + SIMPLER
                  + [f"write_rtlil {netlist}", f"mutate -list {count + count // 10 + 5} -seed {seed} -o {listed}"],
                  folder / "list.log", twin.folder)

    write([])
    # A register that becomes 1 at every edge is 0 before the first one.
    if ones_at_outputs(netlist.read_text(encoding="utf-8")):
        write(FROM_ZERO)
    chosen = choose(listed.read_text(encoding="utf-8").splitlines(), count)
    if len(chosen) < count:
        raise RuntimeError(f"{twin.device} has {len(chosen)} mutants, not {count}")
    return chosen


def write_all(mutants, folder, target):
    """One netlist with all of them. A net has one driver: where a mutant makes one bit of a word depend on another,
    Verilator 5.006 sees a loop, and does not always come to the right values."""
    run_yosys([f"read_rtlil {folder}/twin.il"] + [mutant.command() for mutant in mutants]
              + ["splitnets -driver", "opt_clean", f"write_verilog -noattr {folder}/mutants.v"], folder / "mutants.log")
    text = (folder / "mutants.v").read_text(encoding="utf-8")
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")
