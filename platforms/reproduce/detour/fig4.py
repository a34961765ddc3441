# SPDX-License-Identifier: Apache-2.0
"""The breadth-first tree with root C, as the up/down tables follow it."""

from reproduction import Findings, Row, exactly, holds

from . import tables

TITLE = "The breadth-first tree of the up/down table"
SOURCE = "Yoshinaga 2004, section 2.3 and fig. 4"
DEPTHS = {"C": 0, "A": 1, "F": 1, "B": 2, "D": 2, "E": 2, "G": 3, "H": 3}
ROWS = [
    Row("root", "root", "C", exactly("C")),
    Row("depths", f"depths of {', '.join(DEPTHS)}", "figure", exactly(list(DEPTHS.values())), unit="hops"),
    Row("forbidden", "E's word for B leaves H out", "E-H-B is forbidden: up after down", holds()),
    Row("way", "ways from E to B", "by A, C and F", exactly(["E-A-C-F-B"])),
]


def plan(setting):
    return {"tables": tables.run(tables.DEAD)}


def evaluate(setting, results):
    read = tables.Tables(results["tables"])
    near = tables.NAMES
    found = {name: read.ways("up_down", read.root, near[name]) for name in DEPTHS}
    values = {
        "root": tables.names_of([read.root]),
        # From the root all routes only go down, and all routes of the table are equally long.
        "depths": [len(ways[0]) - 1 if len({len(way) for way in ways}) == 1 else None for ways in found.values()],
        "forbidden": near["H"] not in {read.far[near["E"], port]
                                       for port in read.ports("up_down", near["E"], near["B"])},
        "way": [tables.way_of(way) for way in read.ways("up_down", near["E"], near["B"])]}
    table = [{"node": name, "depth_hops": len(found[name][0]) - 1,
              "ways_from_the_root": " ".join(map(tables.way_of, found[name]))}
             for name in DEPTHS]
    return Findings(values, table, lambda figure: draw(figure, found))


def draw(figure, found):
    axes = figure.subplots()
    places = {tables.place(tables.NAMES[name]): name for name in found}
    depths = {name: len(ways[0]) - 1 for name, ways in found.items()}
    crossed = {tables.place(router): "0.85" for ways in found.values() for way in ways for router in way}
    tables.draw_map(axes, {**crossed, **{at: f"C{depths[name]}" for at, name in places.items()}}, places,
                    [(tables.place(tables.NAMES["A"]), tables.place(tables.NAMES["B"]))])
    for ways in found.values():
        for way in ways:
            for a, b in zip(way, way[1:]):
                (x0, y0), (x1, y1) = tables.place(a), tables.place(b)
                axes.annotate("", (x1, y1), (x0, y0), arrowprops={"arrowstyle": "->", "shrinkA": 9, "shrinkB": 9})
    for depth in sorted(set(depths.values())):
        axes.plot([], [], "o", color=f"C{depth}", label=f"depth {depth}")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    axes.set_title("ways down from the root C")
