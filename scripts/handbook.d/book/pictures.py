# SPDX-License-Identifier: Apache-2.0
"""Pictures of the pages, as SVG: graphs (pictures/*.dot), time tables (pictures/*.cycles), the sources' own tables."""

import html
import pathlib
import re
import subprocess
from typing import Dict, List, Tuple

from .errors import Wrong

RECEIVER = "models/tsuji/nic/receiver/receiver_sequence.h"
# Graphs whose nodes are the values of an enumeration: (graph, source, enumeration, values that no node has).
HELD = (
    ("sender_rhm", "models/tsuji/nic/sender/read_header.h", "State", ()),
    ("sender_spm", "models/tsuji/nic/sender/send_packet.h", "State", ()),
    ("prediction", "models/tsuji/router/flit_router.h", "PredictionOutcome", ()),
)
STYLE = ('graph [fontname="sans-serif", fontsize=11, bgcolor="white", pad=0.2]; '
         'node [fontname="sans-serif", fontsize=11, shape=box, style="rounded,filled", fillcolor="#eef4fb", '
         'color="#3465a4", height=0.3, margin="0.12,0.05"]; '
         'edge [fontname="sans-serif", fontsize=10, color="#555555", arrowsize=0.7];')
CELL, ROW, LEFT, TOP = 74, 30, 190, 34


def without_comments(text: str) -> str:
    """C++ without its comments."""
    return re.sub(r"//[^\n]*", "", text)


def enumeration(text: str, name: str) -> List[str]:
    """The values of an enumeration of a source."""
    found = re.search(rf"enum class {name}\b[^{{;]*\{{([^}}]*)\}}", without_comments(text))
    if not found:
        raise Wrong(f"pictures: no enumeration {name} in the source")
    return re.findall(r"\w+", found.group(1))


def receiver(text: str) -> str:
    """The graph of the Receiver's states, from its table of transitions."""
    rows = re.findall(r"\{ReceiverState::(\w+), ReceiverEvent::(\w+), ReceiverState::(\w+)\}", without_comments(text))
    declared = re.search(r"std::array<ReceiverTransition, (\d+)>", text)
    if not declared or int(declared.group(1)) != len(rows):
        raise Wrong(f"pictures: {RECEIVER}: {len(rows)} transitions read, another number declared")
    states = enumeration(text, "ReceiverState")
    edges: Dict[Tuple[str, str], List[str]] = {}
    for before, event, after in rows:
        edges.setdefault((before, after), []).append(event)
    lines = [f"  {state};" for state in states]
    lines += [f'  {before} -> {after} [label="{", ".join(events)}"];' for (before, after), events in edges.items()]
    return "digraph receiver {\n  rankdir=TB; nodesep=0.4; ranksep=0.35;\n" + "\n".join(lines) + "\n}\n"


def nodes(graph: str) -> List[str]:
    """The nodes of a graph that represent a value of an enumeration: those with an identity in lower case."""
    return sorted(set(re.findall(r"^  ([a-z_]+)(?: \[[^\]]*\])?;", graph, re.M)))


def hold(name: str, graph: str, values: List[str]) -> None:
    """Wrong where a graph's nodes are not the values of the enumeration that it shows."""
    if nodes(graph) != sorted(values):
        raise Wrong(f"pictures/{name}.dot: nodes {nodes(graph)}, but the source has {sorted(values)}")


def svg(graph: str) -> str:
    """A graph as graphviz draws it."""
    styled = re.sub(r"\{", "{ " + STYLE.replace("\\", "\\\\"), graph, count=1)
    try:
        done = subprocess.run(["dot", "-Tsvg"], input=styled, capture_output=True, text=True, timeout=60)
    except OSError as error:
        raise Wrong(f"dot: cannot be started: {error.strerror}") from error
    if done.returncode != 0 or done.stderr.strip():
        raise Wrong(f"dot: {done.stderr.strip()}")
    return done.stdout


def cycles(text: str) -> str:
    """A time table as SVG. Its first line has the columns' names, each further one `row: cell cell ...`, `.` for an
    empty cell, `A*3` for one over three columns, and `_` for a space."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    columns = lines[0].split()
    rows = [line.split(": ", 1) for line in lines[1:]]
    width, height = LEFT + CELL * len(columns) + 10, TOP + ROW * len(rows) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for at, name in enumerate(columns):
        x = LEFT + CELL * at
        parts.append(f'<text x="{x + CELL / 2}" y="20" text-anchor="middle" fill="#555">{shown(name)}</text>')
        parts.append(f'<line x1="{x}" y1="28" x2="{x}" y2="{height - 6}" stroke="#ddd"/>')
    for number, (row, cells) in enumerate(rows):
        y, x = TOP + ROW * number, LEFT
        parts.append(f'<text x="{LEFT - 10}" y="{y + 19}" text-anchor="end">{shown(row)}</text>')
        for cell in cells.split():
            name, _, times = cell.partition("*")
            over = int(times or 1)
            if name != ".":
                parts.append(f'<rect x="{x + 2}" y="{y + 2}" width="{CELL * over - 4}" height="{ROW - 6}" rx="4" '
                             'fill="#eef4fb" stroke="#3465a4"/>')
                parts.append(f'<text x="{x + CELL * over / 2}" y="{y + 19}" text-anchor="middle">{shown(name)}</text>')
            x += CELL * over
        if x > LEFT + CELL * len(columns):
            raise Wrong(f"pictures: a row of more than {len(columns)} columns: {row}")
    return "\n".join([*parts, "</svg>", ""])


def shown(word: str) -> str:
    """A word of a time table as text of SVG."""
    return html.escape(word.replace("_", " "))


def drawn(project: pathlib.Path) -> Dict[str, str]:
    """All pictures, by file name."""
    folder = project / "scripts/handbook.d/pictures"
    graphs = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.dot"))}
    for name, source, values, absent in HELD:
        declared = enumeration((project / source).read_text(encoding="utf-8"), values)
        hold(name, graphs[name], [value for value in declared if value not in absent])
    graphs["receiver"] = receiver((project / RECEIVER).read_text(encoding="utf-8"))
    found = {f"{name}.svg": svg(graph) for name, graph in graphs.items()}
    found.update({f"{path.stem}.svg": cycles(path.read_text(encoding="utf-8"))
                  for path in sorted(folder.glob("*.cycles"))})
    return found
