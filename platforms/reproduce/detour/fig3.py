# SPDX-License-Identifier: Apache-2.0
"""Words of node E's two routing tables, with the link between A and B dead."""

from reproduction import Findings, Row, exactly

from . import tables

TITLE = "The routing tables of node E"
SOURCE = "Yoshinaga 2004, section 2.3 and fig. 3"
# The printed row G is H's, and H has none: a row was lost. G is two rows below E's, by H.
PRINTED = {"A": ("0010", "0010"), "B": ("0001", "0010"), "C": ("0010", "0010"), "D": ("1010", "0010"),
           "E": ("0000", "0000"),
           "F": ("0011", "0010"), "H": ("0001", "0001"), "G": ("0001", "0010")}
ROWS = [Row(name, f"E's words for {name}, torus and up/down (N, E, W, S)",
            " / ".join(words) + (", one of the lost row" if name in "GH" else ""), exactly(list(words)))
        for name, words in PRINTED.items()]


def plan(setting):
    return {"tables": tables.run(tables.DEAD)}


def evaluate(setting, results):
    read = tables.Tables(results["tables"])
    here = tables.NAMES["E"]
    values = {name: [read.word(kind, here, tables.NAMES[name]) for kind in ("torus", "up_down")] for name in PRINTED}
    table = [{"destination": name, "torus": words[0], "up_down": words[1]} for name, words in values.items()]
    return Findings(values, table, lambda figure: draw(figure, read))


def draw(figure, read):
    panels = figure.subplots(1, 2, sharey=True)
    for axes, kind, title in zip(panels, ("torus", "up_down"), ("torus table", "up/down table")):
        places = {tables.place(router): name for name, router in tables.NAMES.items()}
        tables.draw_map(axes, {at: "C1" if name == "E" else "0.8" for at, name in places.items()}, places,
                        [(tables.place(tables.NAMES["A"]), tables.place(tables.NAMES["B"]))])
        for at, name in places.items():
            axes.text(at[0], at[1] + 0.3, read.word(kind, tables.NAMES["E"], tables.NAMES[name]), ha="center",
                      fontsize=8)
        axes.margins(0.25)
        axes.set_title(f"{title} of E, N E W S")
