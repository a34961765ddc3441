# SPDX-License-Identifier: Apache-2.0
"""BookSim2's flattened butterfly as a HyperX with its order of ports. Its nodes are numbered by the rows of a square
grid, on which each router has a square of them."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from .translation import Reader

# Routers lie on a grid of x by y, each among xr by yr nodes.
GRID = {"c": "1", "x": "8", "y": "8", "xr": "1", "yr": "1"}
DIMENSIONS = 4  # of BookSim2's flatfly
SQUARE = 3  # largest square of nodes whose links all have one length


@dataclasses.dataclass(frozen=True)
class Grid:
    """`columns` of routers, each with `side` by `side` nodes."""

    columns: int
    side: int

    def node(self, number: int) -> int:
        """Number of BookSim2's node, counted router by router."""
        row, column = divmod(number, self.columns * self.side)
        router = row // self.side * self.columns + column // self.side
        return router * self.side ** 2 + row % self.side * self.side + column % self.side


def keys(read: Reader, radix: int, dimensions: int) -> tuple[dict[str, Any], Grid]:
    routers = radix ** dimensions
    columns = routers if dimensions == 1 else math.isqrt(routers)
    if dimensions > DIMENSIONS or dimensions > 1 and columns ** 2 != routers:
        raise read.refused("n", "not translated: routers are no square grid", f"1, or k^n a square, up to {DIMENSIONS}")
    lengths = read.integer("use_noc_latency", 0, 1)
    side = read.integer("xr", 1, SQUARE if lengths else 8)
    needed = {"yr": side, "c": side * side, "x": columns, "y": columns}
    if dimensions > 2:
        needed["use_noc_latency"] = 0
    for key, value in needed.items():
        if read.integer(key, 0, 1 << 20) != value:
            raise read.refused(key, "not translated with this k, n and xr", f"{value} with flatfly")
    there: dict[str, Any] = {"topology.kind": "hyperx", "topology.radices": [radix] * dimensions,
                             "topology.nodes_per_router": side * side, "topology.one_way_ports": True}
    if lengths:
        there.update({"topology.dimension_latency_cycles": [side], "topology.step_latency_cycles": [side]})
    return there, Grid(columns, side)


def routing(read: Reader, function: str, vcs: int) -> dict[str, Any]:
    if function == "ran_min":
        return {"routing.kind": "minimal"}
    if vcs % 2:
        raise read.refused("num_vcs", "the channels of the two legs overlap", f"an even number with {function}")
    if function == "valiant":
        return {"routing.kind": "valiant", "routing.early_exit": True}
    between = {"routing.intermediates": "differing_dimensions"} if read.integer("n", 1, DIMENSIONS) > 1 else {}
    return {"routing.kind": "ugal", "routing.queue": "credits", "routing.adaptive_threshold": 2, **between}
