# SPDX-License-Identifier: Apache-2.0
"""Reference of the command lines: the --help of each executable, the first comment and the arguments of each script."""

import pathlib
import re
import sys
from typing import Dict, List, Optional

from .program import printed

EXECUTABLES = {
    "network": "virtual-channel networks of any topology, synthetic traffic or applications",
    "cenju4": "a Cenju-4 style machine, or its network alone",
    "lookup_study": "questions about route look-ups and their caches",
    "compact_study": "questions about compact routing tables",
    "soc": "an example: TLM-2.0 initiators and targets on a network",
    "skeleton": "a NAS Parallel Benchmark as a trace",
}
MODULE = re.compile(r'PYTHONPATH="\$root/([\w./]+)".* -m ([\w.]+) "\$@"')
FILE = re.compile(r'"\$python" "?(?:\$root/)?([\w./]+\.py)"? "\$@"')
ARGUMENTS_IN_COMMENT = ("check_certificate", "convert_trace", "migrate")  # Python whose help is the comment


def scripts(project: pathlib.Path) -> List[str]:
    """The scripts that a user calls: executables in scripts."""
    return sorted(path.name for path in (project / "scripts").iterdir()
                  if path.is_file() and path.stat().st_mode & 0o100)


def purpose(script: str) -> str:
    """The first comment of a script, which is its help where it is written in bash."""
    lines = []
    for line in script.splitlines()[1:]:
        if not line.startswith("#"):
            break
        if not line.startswith("# SPDX-"):
            lines.append(line[2:])
    return "\n".join(lines)


def arguments(project: pathlib.Path, name: str, script: str) -> Optional[str]:
    """Help text that argparse prints for a Python script, without running the script, which would install packages."""
    module, file = MODULE.search(script), FILE.search(script)
    if name in ARGUMENTS_IN_COMMENT or not (module or file):
        return None
    words = ["-m", module.group(2)] if module else [str(project / file.group(1))]
    path = project / (module.group(1) if module else "scripts")
    return printed(sys.executable, "-B", *words, "--help", cwd=str(project), python_path=str(path))


def block(text: str) -> List[str]:
    """A program's output as a block of code."""
    return ["```text", text.strip("\n"), "```", ""]


def pages(project: pathlib.Path, build: str) -> Dict[str, str]:
    """The pages below reference/commands."""
    executables = ["# Executables", "", "In `build/platforms`, or in `PREFIX/bin` of an installation.", ""]
    for name, what in EXECUTABLES.items():
        executables += [f"## `{name}`", "", f"For {what}.", "", *block(printed(f"{build}/platforms/{name}", "--help"))]
    of_scripts = ["# Scripts", "", "In `scripts`; each installs or names what it lacks.", ""]
    for name in scripts(project):
        script = (project / "scripts" / name).read_text(encoding="utf-8")
        of_scripts += [f"## `{name}`", "", *block(purpose(script))]
        help_text = arguments(project, name, script)
        of_scripts += block(help_text) if help_text else []
    return {"executables.md": "\n".join(executables), "scripts.md": "\n".join(of_scripts)}
