# SPDX-License-Identifier: Apache-2.0
"""The root that each fault region gives: of regions that are alone, that reach over the wrap-around, and of two
together."""

from reproduction import Findings, Row, exactly

from . import tables

TITLE = "Location of the root"
SOURCE = "Yoshinaga 2004, section 3.1 and fig. 5"


def number(x, y):
    return x + tables.WIDTH * y


def dead_link(x, y, port):
    return {"faults.links": [tables.link(number(x, y), port)]}


def dead_nodes(*places):
    return {"faults.routers": [number(*place) for place in places]}


# Faults, the places of the dead nodes, and the region's vertex with the least coordinates, x first (decision of the
# project, on which "upper left" is silent: a region is no rectangle, and on a torus it may lie on both sides of the
# wrap-around).
CASES = {
    "link_across": ("a link between (5, 2) and (6, 2)", dead_link(5, 2, "E"), [], (4, 2)),
    "link_down": ("a link between (4, 4) and (4, 5)", dead_link(4, 4, "S"), [], (3, 4)),
    "node": ("node (6, 6)", dead_nodes((6, 6)), [(6, 6)], (4, 6)),
    "block": ("nodes (6, 6) and (7, 7)", dead_nodes((6, 6), (7, 7)), [(6, 6), (7, 7)], (4, 6)),
    "wrap_x": ("a link between (9, 5) and (0, 5)", dead_link(9, 5, "E"), [], (0, 4)),
    "wrap_both": ("node (0, 0)", dead_nodes((0, 0)), [(0, 0)], (0, 1)),
    "two": ("nodes (6, 2) and (2, 7): two regions", dead_nodes((6, 2), (2, 7)), [(6, 2), (2, 7)], (0, 7)),
    "second": ("node (6, 2) alone", dead_nodes((6, 2)), [(6, 2)], (4, 2)),
}
ROWS = [Row(name, f"root, {label} dead", "upper-left vertex"
            + (" (across the wrap-around: silent)" if "wrap" in name else
               " of one of them" if name == "two" else ""),
            exactly(list(root)))
        for name, (label, _, _, root) in CASES.items()]


def plan(setting):
    return {name: tables.run(faults) for name, (_, faults, _, _) in CASES.items()}


def evaluate(setting, results):
    read = {name: tables.Tables(results[name]) for name in CASES}
    values = {name: list(tables.place(found.root)) for name, found in read.items()}
    table = [{"faults": CASES[name][0], "root_x": values[name][0], "root_y": values[name][1],
              "region_nodes": len(found.region)}
             for name, found in read.items()]
    return Findings(values, table, lambda figure: draw(figure, read))


def draw(figure, read):
    figure.set_size_inches(10, 5.6)
    for axes, (name, found) in zip(figure.subplots(2, 4, sharex=True, sharey=True).flat, read.items()):
        label, _, dead, _ = CASES[name]
        axes.grid(False)
        for router in range(tables.WIDTH**2):
            colour = "C2" if router == found.root else "C1" if router in found.region else "0.85"
            axes.plot(*tables.place(router), "s", color=colour, markersize=6)
        for place in dead:
            axes.plot(*place, "x", color="red", markersize=7)
        for ends in found.dead:
            (x0, y0), (x1, y1) = sorted(tables.place(end) for end in ends)
            wraps = abs(x1 - x0) > 1 or abs(y1 - y0) > 1
            for xs, ys in ([[x0, x0 - 0.7], [y0, y0]],
                           [[x1, x1 + 0.7], [y1, y1]]) if wraps else ([[x0, x1], [y0, y1]],):
                axes.plot(xs, ys, color="red", linewidth=2)
        axes.set_title(label, fontsize=8)
        axes.set_aspect("equal")
        axes.set_ylim(tables.WIDTH - 0.3, -0.7)
    figure.supxlabel("x (hops): grey nodes, orange region, green root, red dead")
    figure.supylabel("y (hops), rows downwards")
