# SPDX-License-Identifier: Apache-2.0
"""Writes what is made of the description (scripts/nic_interface).

usage: python -m interface.main [--check] [--root DIR]
"""

import argparse
import pathlib
import sys
from typing import Dict, List, Optional

from . import c_header, cpp, rdl
from .description import SOURCE, Wrong, read

PROJECT = pathlib.Path(__file__).resolve().parents[2]


def files(project: pathlib.Path) -> Dict[str, str]:
    """Path to contents of all files that are made of the description."""
    of = read(project)
    folder = "models/tsuji/nic/"
    return {folder + "registers.h": cpp.registers(of), folder + "interface_values.h": cpp.values(of),
            "tests/nic/described_registers.h": cpp.table(of),
            folder + "software/tsuji_nic.h": c_header.text(of), folder + "software/tsuji_nic.rdl": rdl.text(of)}


def main(words: Optional[List[str]] = None) -> int:
    """Writes or compares; the exit status."""
    parser = argparse.ArgumentParser(prog="nic_interface", description=f"Makes files of {SOURCE}.")
    parser.add_argument("--check", action="store_true", help="writes nothing; status 1 if a file is not up to date")
    parser.add_argument("--root", type=pathlib.Path, default=PROJECT, help="the project's folder")
    asked = parser.parse_args(sys.argv[1:] if words is None else words)
    try:
        made = files(asked.root)
    except Wrong as wrong:
        print(f"nic_interface: {SOURCE}: {wrong}", file=sys.stderr)
        return 2
    old = [name for name, text in made.items()
           if not (asked.root / name).exists() or (asked.root / name).read_text(encoding="utf-8") != text]
    for name in old:
        print(f"{name}: {'differs from' if asked.check else 'made of'} {SOURCE}")
        if not asked.check:
            (asked.root / name).parent.mkdir(parents=True, exist_ok=True)
            (asked.root / name).write_text(made[name], encoding="utf-8")
    return 1 if asked.check and old else 0


if __name__ == "__main__":
    sys.exit(main())
