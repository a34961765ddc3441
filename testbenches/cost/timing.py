# SPDX-License-Identifier: Apache-2.0
"""The longest path of a netlist, by OpenSTA: without wires, and without the access time of memories."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
from collections.abc import Callable

PERIOD_NS = 100.0  # a longer path has a negative slack


class Failed(RuntimeError):
    """A tool failed."""


@dataclasses.dataclass
class Path:
    """From a register, memory or input to a register, memory or output."""

    ns: float  # with the register's set-up time
    gates: int  # between them
    begin: str
    end: str


def commands(library: pathlib.Path, netlist: pathlib.Path, top: str, clock: str | None) -> list[str]:
    return [f"read_liberty {{{library}}}", f"read_verilog {{{netlist}}}", f"link_design {top}",
            f"create_clock -name clock -period {PERIOD_NS:g}" + (f" [get_ports {clock}]" if clock else ""),
            "set_input_delay 0 -clock clock [all_inputs]",  # of the clock too, where it is ignored with a warning
            "set_output_delay 0 -clock clock [all_outputs]", "report_checks -path_delay max -digits 4", "exit"]


def read(said: str, spoken: Callable[[str], str]) -> Path | None:
    """The path in OpenSTA's words; None: there is none. `spoken` gives the source's name of a cell or pin."""
    if "No paths found" in said:
        return None
    found = [re.search(rf"^{kind}: (\S+)", said, re.MULTILINE) for kind in ("Startpoint", "Endpoint")]
    slack = re.search(r"^\s*(-?[\d.]+)\s+slack", said, re.MULTILINE)
    if slack is None or not all(found):
        raise Failed(f"OpenSTA found no slack:\n{said[-2000:]}")
    ends = [match[1] for match in found if match]
    cells = re.findall(r"^.*[\^v] (\S+)/\S+ \(\S+\)$", said, re.MULTILINE)
    begin, end = map(spoken, ends)
    return Path(PERIOD_NS - float(slack[1]), sum(cell not in ends for cell in cells), begin, end)


def longest(library: pathlib.Path, folder: pathlib.Path, top: str, clock: str | None,
            spoken: Callable[[str], str]) -> Path | None:
    """Of netlist.v in the folder. `clock` is an input's name; None: the module has no register."""
    script = folder / "timing.tcl"
    script.write_text("\n".join(commands(library, folder / "netlist.v", top, clock)) + "\n", encoding="utf-8")
    done = subprocess.run(["sta", "-no_splash", "-exit", str(script)], capture_output=True, text=True, check=False,
                          cwd=folder)
    said = done.stdout + done.stderr
    (folder / "timing.log").write_text(said, encoding="utf-8")
    if done.returncode != 0 or "Error:" in said:
        raise Failed(f"OpenSTA failed, see {folder / 'timing.log'}\n{said[-2000:]}")
    return read(said, spoken)
