# SPDX-License-Identifier: Apache-2.0
"""Routing tables of Detour-UD on the 10x10 torus, out of the certificate that the platform writes, and the nodes of
figs. 2 to 4."""

import json

from reproduction import Run

WIDTH = 10
# Router x + 10 y is at (x, y); the figures' rows run downwards, so W and N are towards lower coordinates.
NAMES = {name: x + WIDTH * y for name, (x, y) in
         {"A": (4, 4), "B": (4, 5), "C": (3, 4), "D": (4, 3), "E": (5, 4), "F": (3, 5), "G": (4, 6),
          "H": (5, 5)}.items()}
PORTS = "EWSN"  # of a router of the model, 0 to 3
ORDER = "NEWS"  # of the bits in a word of fig. 3


def run(faults, distance=2):
    keys = {"topology.kind": "torus", "topology.radices": [WIDTH, WIDTH], "routing.kind": "detour_ud", "router.vcs": 4,
            "routing.region_distance": distance, **faults}
    return Run("network", keys=keys, options=("--certificate", "{folder}/certificate.json"), seconds=0.2, prints=True)


def link(router, port):
    """Number of the link at a router's E or S port, as the platform numbers those of a torus."""
    return 2 * router + "ES".index(port)


# The dead link of figs. 2 to 4, between A and B.
DEAD = {"faults.links": [link(NAMES["A"], "S")]}


class Tables:
    """A certificate. Routers are numbers."""

    def __init__(self, result):
        data = json.loads((result.folder / "certificate.json").read_text())
        self.region, self.root = data["region"], data["root"]
        self.words = {kind: {int(router): [int(digit, 16) for digit in text] for router, text in words.items()}
                      for kind, words in data["tables"].items()}
        self.far = {}
        for a, port_a, b, port_b in data["topology"]["links"]:
            self.far[a, PORTS[port_a]], self.far[b, PORTS[port_b]] = b, a
        dead = [data["topology"]["links"][number] for number in data["faults"]["links"]]
        self.dead = [{a, b} for a, _, b, _ in dead]

    def ports(self, kind, router, to):
        word = self.words[kind][router][to]
        return {port for number, port in enumerate(PORTS) if word >> number & 1}

    def word(self, kind, router, to):
        """As fig. 3 prints it."""
        ports = self.ports(kind, router, to)
        return "".join("1" if port in ports else "0" for port in ORDER)

    def ways(self, kind, router, to):
        """All routes by the table from router to router, as tuples of routers."""
        if router == to:
            return [(to,)]
        return [(router, *rest) for port in sorted(self.ports(kind, router, to))
                for rest in self.ways(kind, self.far[router, port], to)]


def names_of(routers):
    """In the figures' letters; routers without one as numbers."""
    letters = {router: name for name, router in NAMES.items()}
    return "".join(sorted(letters.get(router, f"({router})") for router in routers))


def way_of(routers):
    letters = {router: name for name, router in NAMES.items()}
    return "-".join(letters.get(router, str(router)) for router in routers)


def draw_map(axes, colours, labels, dead_links=()):
    """Nodes of a part of the torus: `colours` and `labels` by (x, y)."""
    for (x, y), colour in colours.items():
        axes.plot(x, y, "o", color=colour, markersize=17)
    for (x, y), label in labels.items():
        axes.text(x, y, label, ha="center", va="center", fontsize=8)
    for (x0, y0), (x1, y1) in dead_links:
        axes.plot([x0, x1], [y0, y1], color="red", linewidth=2, linestyle=":")
    axes.set_aspect("equal")
    axes.yaxis.set_inverted(True)  # rows run downwards
    axes.set_xticks(sorted({x for x, _ in colours}))
    axes.set_yticks(sorted({y for _, y in colours}))
    axes.set_xlabel("x (hops)")
    axes.set_ylabel("y (hops)")


def place(router):
    return router % WIDTH, router // WIDTH
