# SPDX-License-Identifier: Apache-2.0
"""BookSim2's topology files (`topology = anynet`): lines `router|node ID`, with `router|node ID [LATENCY]` for each
link. A latency holds for the direction from the router that the line begins with; without one it is 1."""

from __future__ import annotations

import pathlib
from typing import Iterator, TYPE_CHECKING

from ..errors import Refused

if TYPE_CHECKING:
    from ..booksim.configuration import Configuration

ACCEPTED = "router|node ID, then router|node ID [LATENCY] for each link"


class Network:
    """`links`: latency by (from, to) of routers; `nodes`: router and latency of each node."""

    def __init__(self, wanted: Configuration) -> None:
        self.links, self.nodes, self.routers = {}, {}, set()
        self.wanted = wanted
        self.path = pathlib.Path(wanted.values.get("network_file", ""))
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as problem:
            raise wanted.refused("network_file", f"cannot be read: {problem}", "a topology file of BookSim2, from the "
                                 "working directory") from None
        for number, line in enumerate(lines, 1):
            self.read_line(number, line.split())
        self.check()

    def read_line(self, number: int, words: list[str]) -> None:
        if not words:
            return
        ends = list(self.ends(number, words))
        head_kind, head, _ = ends[0]
        for kind, end, latency in ends[1:]:
            if head_kind == kind == "node":
                raise self.refused(number, "a link between two nodes", f"node {end}")
            if head_kind == kind:
                self.routers |= {head, end}
                self.links[head, end] = latency or self.links.get((head, end), 1)
                self.links.setdefault((end, head), 1)
                continue
            router, node = (head, end) if kind == "node" else (end, head)
            self.routers.add(router)
            if self.nodes.setdefault(node, (router, 1))[0] != router:
                raise self.refused(number, "a node at two routers", f"node {node}")
            self.nodes[node] = router, latency or self.nodes[node][1]

    def ends(self, number: int, words: list[str]) -> Iterator[tuple[str, int, int]]:
        """(kind, number, latency or 0) of each end that a line names."""
        at = 0
        while at < len(words):
            if words[at] not in ("router", "node") or not words[at + 1:at + 2] or not words[at + 1].isdigit():
                raise self.refused(number, "no end of a link", " ".join(words[at:at + 2]))
            latency = words[at + 2] if at > 0 and words[at + 2:] and words[at + 2].isdigit() else "0"
            if at > 0 and latency == "0" and words[at + 2:at + 3] == ["0"]:
                raise self.refused(number, "no latency of a link", "0")
            yield words[at], int(words[at + 1]), int(latency)
            at += 2 if latency == "0" else 3

    def check(self) -> None:
        if sorted(self.nodes) != list(range(len(self.nodes))) or not self.nodes:
            raise self.refused(0, "nodes are not numbered from 0 without holes", f"{len(self.nodes)} nodes")
        if sorted(self.routers) != list(range(len(self.routers))):
            raise self.refused(0, "routers are not numbered from 0 without holes", f"{len(self.routers)} routers")
        latencies = {latency for latency in self.links.values()}
        if len(latencies) > 1:  # its routes are shortest by latency, those of source_table by hops
            raise self.refused(0, "routes by unequal latencies are not translated",
                               ", ".join(map(str, sorted(latencies))))

    def refused(self, number: int, problem: str, value: str) -> Refused:
        place = f"{self.path}:{number}" if number else str(self.path)
        return Refused(place, "", problem, value, ACCEPTED)

    def text(self) -> str:
        """The topology file of `network`."""
        lines = [f"# {self.path.name} of BookSim2"]
        lines += [f"link {one} {other} latency {latency}" for (one, other), latency in sorted(self.links.items())
                  if one < other]
        lines += [f"node {node} at {router} latency {latency}"
                  for node, (router, latency) in sorted(self.nodes.items())]
        return "\n".join(lines) + "\n"
