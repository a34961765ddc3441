# SPDX-License-Identifier: Apache-2.0
"""BookSim2's flattened butterfly of one dimension as a topology file, with its order of ports: a router's nodes, then
the other routers. With more dimensions the orders of inputs and of outputs differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .translation import Reader

# Routers lie on a grid of x by y, each among xr by yr nodes; no latency comes from it.
GRID = {"c": "1", "x": "8", "y": "8", "xr": "1", "yr": "1"}


def topology(read: Reader, routers: int, dimensions: int) -> str:
    if dimensions != 1:
        raise read.refused("n", "not translated: inputs and outputs are in different orders", "1 with flatfly")
    side = read.integer("xr", 1, 8)
    for key, needed in (("yr", side), ("c", side * side), ("x", routers), ("y", routers), ("use_noc_latency", 0)):
        if read.integer(key, 0, 1 << 20) != needed:
            raise read.refused(key, "not translated with this k and xr", f"{needed} with flatfly")
    return text(routers, side)


def text(routers: int, side: int) -> str:
    """Nodes are numbered by rows of the grid: those of a router are `side` by `side`."""
    nodes = side * side
    lines = [f"router {router} ports {nodes + routers - 1}" for router in range(routers)]
    lines += [f"link {low}.{nodes + high - 1} {high}.{nodes + low}"
              for low in range(routers) for high in range(low + 1, routers)]
    for node in range(routers * nodes):
        row, column = divmod(node, routers * side)
        lines.append(f"node {node} at {column // side}.{row * side + column % side}")
    return "\n".join(lines) + "\n"
