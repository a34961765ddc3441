# SPDX-License-Identifier: Apache-2.0
"""GraphML (graphml.graphdrawing.org): elements `node` and `edge` of a single `graph`. Hyperedges and nested graphs are
refused."""

from __future__ import annotations

import pathlib
from xml.parsers import expat

from ..errors import Refused
from .graph import Graph, unreadable, Word

DIRECTED = {"true": True, "1": True, "false": False, "0": False}
LOST = {"data": "data of vertices and edges", "port": "ports"}


class Reader:
    """`edges`: source, target, whether it is directed."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path, self.graph = path, Graph()
        self.numbers: dict[str, int] = {}
        self.edges: list[tuple[Word, Word, bool]] = []
        self.directed: bool | None = None  # of edges without an attribute of their own; None before the graph
        self.depth = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self.begin
        self.parser.EndElementHandler = self.end
        self.elements = {"graph": self.read_graph, "node": self.read_node, "edge": self.read_edge}

    def read(self) -> Graph:
        try:
            self.parser.Parse(self.path.read_bytes(), True)
        except OSError as problem:
            raise unreadable(self.path, problem) from None
        except expat.ExpatError as problem:
            raise Refused(f"{self.path}:{problem.lineno}:{problem.offset + 1}", "",
                          f"no XML: {expat.ErrorString(problem.code)}", accepted="a GraphML file") from None
        if not self.numbers:
            raise Word("", str(self.path)).refused("no node in this file", "a graph with nodes")
        for source, target, directed in self.edges:
            self.graph.add_link(self.vertex(source), self.vertex(target), source, arc=directed)
        return self.graph

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        element = name.rpartition(" ")[2]
        if self.depth == 1 and element != "graphml":
            raise self.here(element).refused("another root", "graphml")
        if element == "hyperedge":
            raise self.here(element).refused("an edge of more than two vertices", "edge")
        if element in LOST:
            self.graph.losses.add(LOST[element])
        if element in self.elements:
            self.elements[element](attributes)

    def end(self, _: str) -> None:
        self.depth -= 1

    def here(self, text: str) -> Word:
        place = f"{self.path}:{self.parser.CurrentLineNumber}:{self.parser.CurrentColumnNumber + 1}"
        return Word(text, place)

    def attribute(self, attributes: dict[str, str], element: str, name: str) -> Word:
        if name not in attributes:
            raise self.here(element).refused(f"no attribute {name}", f'{element} with {name}="..."')
        return self.here(attributes[name])

    def read_graph(self, attributes: dict[str, str]) -> None:
        if self.directed is not None:
            raise self.here("graph").refused("a second or nested graph", "one graph in a file")
        default = self.attribute(attributes, "graph", "edgedefault")
        if default.text not in ("directed", "undirected"):
            raise default.refused("no edgedefault", "directed, undirected")
        self.directed = default.text == "directed"

    def read_node(self, attributes: dict[str, str]) -> None:
        label = self.attribute(attributes, "node", "id")
        if label.text in self.numbers:
            raise label.refused("a node is described twice", "one node of each id")
        self.numbers[label.text] = len(self.numbers)
        self.graph.labels.append(label)

    def read_edge(self, attributes: dict[str, str]) -> None:
        own = attributes.get("directed")
        if own is not None and own not in DIRECTED:
            raise self.here(own).refused("no value of directed", ", ".join(DIRECTED))
        directed = bool(self.directed) if own is None else DIRECTED[own]
        if directed:
            self.graph.losses.add("directions of edges; an edge and its reverse are one link")
        self.edges.append((self.attribute(attributes, "edge", "source"), self.attribute(attributes, "edge", "target"),
                           directed))

    def vertex(self, label: Word) -> int:
        if label.text not in self.numbers:
            raise label.refused("an edge of an unknown node", "the id of a node")
        return self.numbers[label.text]


def read(path: pathlib.Path) -> Graph:
    return Reader(path).read()
