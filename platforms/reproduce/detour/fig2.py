# SPDX-License-Identifier: Apache-2.0
"""The fault region and the routes round a dead link between A and B: words of the routing tables, and single messages
through the network, hop by hop."""

from reproduction import Findings, Row, Run, exactly

from . import tables

TITLE = "Fault region and detours round a dead link"
SOURCE = "Yoshinaga 2004, section 2.2 and fig. 2"
WORDS = {"DG": "0111", "AG": "0110", "CB": "0001"}
ROWS = [
    Row("distance_1", "nodes of the fault region, distance 1", "A, B", exactly("AB")),
    Row("distance_2", "and distance 2", "A to H", exactly("ABCDEFGH")),
    *[Row(f"word_{ends}", f"torus table's word of {ends[0]} for {ends[1]} (N, E, W, S)", word, exactly(word))
      for ends, word in WORDS.items()],
    Row("L", "ways of messages from C to B", "C leads L to F", exactly(["C-F-B"])),
    Row("M", "nodes after A of messages from A to G", "D or A leads M left or right", exactly("CE")),
]
MESSAGES = 16  # enough for both sides of A: any free one is taken


def message(setting, name, start, end):
    """From a node to another, one after the other, before which the network is empty."""
    lines = "".join(f"{10 + 200 * number} {tables.NAMES[start]} {tables.NAMES[end]} 4\n" for number in range(MESSAGES))
    keys = {"topology.kind": "torus", "topology.radices": [10, 10], "routing.kind": "detour_ud", "router.vcs": 4,
            "traffic.kind": "list", "traffic.list": setting.input_file(f"{name}.list", lines),
            "measure.warmup_cycles": 0,
            "measure.cycles": 200 * MESSAGES + 200, "links.rows": 400, "router.selection": "random", **tables.DEAD}
    return Run("network", keys=keys, seconds=0.2)


def plan(setting):
    return {**{f"distance {distance}": tables.run(tables.DEAD, distance) for distance in (1, 2)},
            "L": message(setting, "L", "C", "B"), "M": message(setting, "M", "A", "G")}


def hops(result):
    """Pairs of routers between which flits have gone."""
    return [tuple(int(line[end].split(":")[0]) for end in ("from", "to"))
            for line in result.table("links") if line["flits"] > 0]


def ways(hops, here, end):
    """All routes by these hops, as tuples of routers."""
    if here == end:
        return [(end,)]
    return [(here, *rest) for a, b in hops if a == here for rest in ways(hops, b, end)]


def evaluate(setting, results):
    read = {distance: tables.Tables(results[f"distance {distance}"]) for distance in (1, 2)}
    near = tables.NAMES
    values = {f"distance_{distance}": tables.names_of(read[distance].region) for distance in read}
    values.update({f"word_{a}{b}": read[2].word("torus", near[a], near[b]) for a, b in WORDS})
    values["L"] = [tables.way_of(way) for way in ways(hops(results["L"]), near["C"], near["B"])]
    values["M"] = tables.names_of({b for a, b in hops(results["M"]) if a == near["A"]})
    table = [{"node": name, "x": tables.place(router)[0], "y": tables.place(router)[1],
              **{f"in_region_{distance}": router in read[distance].region for distance in read},
              **{f"word_for_{to}": read[2].word("torus", router, near[to]) for to in "BG"}}
             for name, router in near.items()]
    return Findings(values, table, lambda figure: draw(figure, read, results))


def draw(figure, read, results):
    axes = figure.subplots()
    near = {router: name for name, router in tables.NAMES.items()}
    shown = {(x, y) for x in range(2, 7) for y in range(2, 8)}
    colours = {at: "C1" if at[0] + 10 * at[1] in read[1].region else "C0"
               if at[0] + 10 * at[1] in read[2].region else "0.8"
               for at in shown}
    labels = {tables.place(router): name for router, name in near.items()}
    tables.draw_map(axes, colours, labels, [(tables.place(tables.NAMES["A"]), tables.place(tables.NAMES["B"]))])
    for name, colour, width in (("L", "C2", 4), ("M", "C3", 1)):
        for number, (a, b) in enumerate(hops(results[name])):
            (x0, y0), (x1, y1) = tables.place(a), tables.place(b)
            axes.annotate("", (x1, y1), (x0, y0),
                          arrowprops={"arrowstyle": "->", "color": colour, "linewidth": width, "shrinkA": 9,
                                      "shrinkB": 9})
            if number == 0:
                axes.plot([], [], color=colour, linewidth=width,
                          label={"L": "messages from C to B", "M": "messages from A to G"}[name])
    for colour, label in (("C1", "region, distance 1"), ("C0", "distance 2 adds")):
        axes.plot([], [], "o", color=colour, label=label)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    axes.set_title(TITLE)
