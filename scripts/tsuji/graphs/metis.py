# SPDX-License-Identifier: Apache-2.0
"""METIS's graph files (manual of METIS 5.1, 4.1.1): a line `VERTICES EDGES [FMT [WEIGHTS]]`, then a line for each
vertex with its neighbours from 1, each edge at both of its ends. FMT's digits: sizes of vertices, their weights,
weights of edges."""

from __future__ import annotations

import pathlib

from .graph import Graph, Line, lines_of, Word

MOST = 1 << 20
HEADER = "VERTICES EDGES [FMT [WEIGHTS]]"


class Header:
    """The first line: numbers of vertices and edges, words before the neighbours, whether edges have weights."""

    def __init__(self, line: Line) -> None:
        if len(line.words) < 2:
            raise line.end.refused("the line has too few fields", HEADER)
        if len(line.words) > 4:
            raise line.words[4].refused("unexpected word", HEADER)
        self.vertices = line.words[0].number(1, MOST)
        self.edges, self.edges_word = line.words[1].number(0, MOST * 1024), line.words[1]
        fmt = line.words[2].text if line.words[2:] else "0"
        if not fmt or len(fmt) > 3 or fmt.strip("01"):
            raise line.words[2].refused("no format", "up to three digits 0 or 1")
        sizes, weights, self.weighted = (digit == "1" for digit in fmt.zfill(3))
        constraints = line.words[3].number(0, 1000) if line.words[3:] else 1
        if line.words[3:] and not weights and constraints:
            raise line.words[3].refused("weights of vertices that FMT excludes", "FMT with a second digit of 1")
        self.skipped = sizes + weights * constraints
        self.losses = {loss for loss, there in (("sizes of vertices", sizes), ("weights of vertices", weights),
                                                ("weights of edges", self.weighted)) if there}


def read(path: pathlib.Path) -> Graph:
    lines = lines_of(path, "%")
    first = next(lines, None)
    header = Header(first or Line([], Word("", f"{path}:1:1")))
    graph = Graph()
    graph.losses = header.losses
    arcs: dict[tuple[int, int], Word] = {}
    for line in lines:
        if len(graph.labels) == header.vertices:
            if line.words:
                raise line.words[0].refused("more lines than vertices", f"{header.vertices} lines of vertices")
            continue
        read_vertex(line, len(graph.labels), header, arcs)
        graph.labels.append(Word(str(len(graph.labels) + 1), (line.words or [line.end])[0].place))
    if len(graph.labels) < header.vertices:
        raise Word(str(len(graph.labels)), str(path)).refused("fewer lines than vertices",
                                                              f"{header.vertices} lines of vertices")
    for (one, other), word in arcs.items():
        if (other, one) not in arcs:
            raise word.refused(f"vertex {other + 1} does not list vertex {one + 1}", "each edge at both of its ends")
        graph.add_link(one, other, word, arc=True)
    if len(graph.links) != header.edges:
        raise header.edges_word.refused("another number of edges", str(len(graph.links)))
    return graph


def read_vertex(line: Line, vertex: int, header: Header, arcs: dict[tuple[int, int], Word]) -> None:
    if len(line.words) < header.skipped:
        raise line.end.refused("the line has too few fields", f"{header.skipped} sizes and weights before neighbours")
    for word in line.words[:header.skipped]:
        word.number(0, 10**18 - 1)
    words = iter(line.words[header.skipped:])
    for word in words:
        arc = vertex, word.number(1, header.vertices) - 1
        if arc[1] == vertex:
            raise word.refused("an edge from a vertex to itself", "edges between two vertices")
        if arc in arcs:
            raise word.refused("an edge is listed twice", "one edge between two vertices")
        arcs[arc] = word
        if header.weighted:
            next(words, line.end).number(1, 10**18 - 1)
