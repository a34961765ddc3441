# SPDX-License-Identifier: Apache-2.0
"""The page of hardware costs: a table, curves over the varied parameters, parts, longest paths."""

from __future__ import annotations

import io
import json
import pathlib
from typing import Any

from tsuji import curve_looks, document
from tsuji.folders import write_text
from tsuji.tables import write_csv

CURVES = (("area", "area of logic [um2]"), ("flip_flops", "flip-flops"), ("memory_bits", "memory bits"),
          ("path_ns", "longest path [ns]"))


def curve(rows: list[dict[str, Any]], varied: list[str], axis: str) -> bytes:
    """SVG: each quantity over the parameter `axis`, a line for each combination of the others."""
    figure, panels = curve_looks.new_figure(len(CURVES), figsize=(7, 10))
    others = [name for name in varied if name != axis]
    lines: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        lines.setdefault((row["design"], *(row[name] for name in others)), []).append(row)
    for number, (key, line) in enumerate(lines.items()):
        line.sort(key=lambda row: row[axis])
        name = " ".join([str(key[0]), *(f"{other}={value}" for other, value in zip(others, key[1:]))])
        look = {"color": curve_looks.COLORS[number % len(curve_looks.COLORS)],
                "marker": curve_looks.SHAPES[number % len(curve_looks.SHAPES)],
                "linestyle": curve_looks.LINES[number // len(curve_looks.COLORS) % len(curve_looks.LINES)]}
        for panel, (quantity, _) in zip(panels, CURVES):
            panel.plot([row[axis] for row in line], [row[quantity] for row in line], label=name, markersize=4, **look)
    for panel, (_, label) in zip(panels, CURVES):
        panel.set_ylabel(label)
        panel.set_ylim(0)
        panel.grid(alpha=0.3)
    panels[-1].set_xlabel(axis)
    panels[-1].set_xticks(sorted({row[axis] for row in rows}))
    if len(lines) > 1:
        curve_looks.legend_beside(panels[0], panels[0].get_legend_handles_labels()[0], fontsize=8)
    text = io.BytesIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def costs_table(costs: list[Any]) -> str:
    heads = ["design", "cells", "flip-flops", "area [um2]", "memory bits", "longest path [ns]", "clock [MHz]"]
    lines = []
    for cost in costs:
        row, path = cost.row(), cost.path
        of_path = ["-"] * 2 if path is None else [f"{path.ns:.2f}", f"{row['clock_mhz']:.1f}"]
        lines.append(document.line([cost.design.text(), row["cells"], row["flip_flops"], f"{row['area']:.0f}",
                                    row["memory_bits"], *of_path]))
    return document.table(heads, lines)


def paths_table(costs: list[Any]) -> str:
    lines = [document.line([cost.design.text(), cost.path.gates, cost.path.begin, cost.path.end])
             for cost in costs if cost.path is not None]
    return "<h2>Longest paths</h2>" + document.table(["design", "gates", "from", "to"], lines) if lines else ""


def parts_table(cost: Any) -> str:
    whole = sum(part.area for part in cost.netlist.parts)
    return f"<h2>Parts of {cost.design.text()}</h2>" + document.table(
        ["module", "instances", "cells", "area [um2]", "share"],
        [document.line([part.module, part.instances, part.cells, f"{part.area:.0f}",
                        f"{100 * part.area / whole if whole else 0:.1f} %"]) for part in cost.netlist.parts])


def memories_table(costs: list[Any]) -> str:
    """Memories of one shape in one line."""
    lines = []
    for cost in costs:
        shapes: dict[tuple[int, ...], int] = {}
        for memory in cost.netlist.memories:
            shape = (memory.words, memory.width, memory.read_ports, memory.write_ports)
            shapes[shape] = shapes.get(shape, 0) + 1
        lines += [document.line([cost.design.text(), number, *shape]) for shape, number in shapes.items()]
    heads = ["design", "number", "words", "bits a word", "read ports", "write ports"]
    return "<h2>Memories</h2>" + document.table(heads, lines) if lines else ""


def body(costs: list[Any], library: Any, options: Any) -> str:
    varied = list(costs[0].design.varied)
    rows = [cost.row() for cost in costs]
    parts = [f"<p>Cells of {library.path.name}, logic made for speed. Wires have no delay and no area. "
             + ("Memories are made of flip-flops." if options.memories == "flip_flops" else
                "Memories are counted in bits: they have no area and no access time, and paths begin and end at their "
                "ports.")
             + "</p>", costs_table(costs)]
    for axis in varied:
        if len({row[axis] for row in rows}) > 1:
            parts.append(f"<h2>Over {axis}</h2>" + document.picture(curve(rows, varied, axis), f"cost over {axis}"))
    parts += [paths_table(costs), memories_table(costs)]
    parts += [parts_table(cost) for cost in costs if cost.netlist.parts]
    return "\n".join(parts)


def write(out: pathlib.Path, costs: list[Any], library: Any, options: Any) -> None:
    """index.html, cost.csv and cost.json."""
    out.mkdir(parents=True, exist_ok=True)
    write_csv(out / "cost.csv", [cost.row() for cost in costs])
    told = {"library": library.path.name, "memories": options.memories,
            "designs": [cost.json() for cost in costs]}
    write_text(out / "cost.json", json.dumps(told, indent=1) + "\n")
    write_text(out / "index.html", document.whole("Hardware cost", "Hardware cost", body(costs, library, options)))
