# SPDX-License-Identifier: Apache-2.0
"""scripts/import_graph: a graph of another tool as a topology file of `network`, a router for each vertex."""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
from typing import Callable, NamedTuple

from ..errors import Refused
from . import edge_list, graphml, metis
from .graph import Graph


class Format(NamedTuple):
    """A format: its reader, and the ends of its files' names."""

    read: Callable[[pathlib.Path], Graph]
    suffixes: tuple[str, ...]


FORMATS = {"metis": Format(metis.read, (".graph", ".metis")),
           "edge_list": Format(edge_list.read, (".edges", ".edgelist", ".el")),
           "graphml": Format(graphml.read, (".graphml",))}


def format_of(path: pathlib.Path) -> str:
    for name, entry in FORMATS.items():
        if path.suffix in entry.suffixes:
            return name
    accepted = [suffix for entry in FORMATS.values() for suffix in entry.suffixes]
    raise Refused(path, "", "no format by this end of a file's name", path.suffix,
                  f"{', '.join(accepted)}, or --format {'|'.join(FORMATS)}")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="import_graph", description="Writes a graph of another tool as a topology "
                                     "file of the platform network, to the standard output: a router for each vertex, "
                                     "a link for each edge. Comments name the properties that are lost. Exit 2: the "
                                     "file is no such graph.")
    parser.add_argument("--format", choices=list(FORMATS), help="default: by the end of the file's name")
    parser.add_argument("--nodes-per-router", type=int, default=1, metavar="N", help="nodes at each router (1)")
    parser.add_argument("file", type=pathlib.Path)
    arguments = parser.parse_args(words)
    try:
        if arguments.nodes_per_router not in range(1, 1024):
            raise Refused("--nodes-per-router", "", "out of range", arguments.nodes_per_router, "an integer 1..1023")
        graph = FORMATS[arguments.format or format_of(arguments.file)].read(arguments.file)
        graph.check_connected()
        print(graph.text(arguments.file.name, arguments.nodes_per_router), end="")
        return 0
    except Refused as refusal:
        print(f"import_graph: {refusal}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # the reader may stop reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
