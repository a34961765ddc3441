# SPDX-License-Identifier: Apache-2.0
"""Edge lists, as SNAP, KONECT and NetworkX write them: a line `VERTEX VERTEX [WEIGHT]...` for each edge; lines that
begin with # or % are comments. Vertices are integers or words."""

from __future__ import annotations

import pathlib
import re

from .graph import Graph, lines_of, Word

ACCEPTED = "VERTEX VERTEX [WEIGHT]... for each edge"


def read(path: pathlib.Path) -> Graph:
    edges = []
    vertices: dict[str, Word] = {}
    graph = Graph()
    for line in lines_of(path, "#%"):
        if not line.words:
            continue
        if len(line.words) == 1:
            raise line.end.refused("the line has too few fields", ACCEPTED)
        one, other = line.words[:2]
        edges.append((one, other))
        vertices.setdefault(one.text, one)
        vertices.setdefault(other.text, other)
        if line.words[2:]:
            graph.losses.add("weights of edges")
    if not edges:
        raise Word("", str(path)).refused("no edge in this file", ACCEPTED)
    graph.labels = in_order(vertices)
    number = {label.text: router for router, label in enumerate(graph.labels)}
    for one, other in edges:
        graph.add_link(number[one.text], number[other.text], one, arc=True)
    if len(graph.arcs) > len(graph.links):
        graph.losses.add("directions of edges; an edge and its reverse are one link")
    return graph


def in_order(vertices: dict[str, Word]) -> list[Word]:
    """Integers by value, words by their first place in the file."""
    if not all(re.fullmatch("[0-9]+", label) for label in vertices):
        return list(vertices.values())
    ordered = sorted(vertices, key=int)
    for label, after in zip(ordered, ordered[1:]):
        if int(label) == int(after):
            raise vertices[after].refused(f"another spelling of vertex {label}", "one spelling of a vertex")
    return [vertices[label] for label in ordered]
