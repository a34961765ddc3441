# SPDX-License-Identifier: Apache-2.0
"""Bandwidth of a matrix-transpose exchange against message size, by the four routers, without faults and with 2 and 4
dead nodes: means over the canonical sets and over random ones."""

import dataclasses
import math

from reproduction import Row, above, at_most, below, holds

from . import bandwidth, choices, pictures, routers
from .bandwidth import FROM_64, UP_TO_256, over
from .exchange import Exchange
from .figures import Figure

TITLE = "Bandwidth against message size, transpose"
SOURCE = "Yoshinaga 2004, section 5.1 and fig. 7"
CLOCKS = routers.ROUTERS["nf"].mhz / routers.ROUTERS["ud"].mhz  # table 1
STATEMENTS = [
    Row("duato_ud", "Duato above Detour-UD, 16 to 256 B, the least", "highest", above(0), unit="%"),
    Row("ud_nf", "Detour-UD above Detour-NF, 16 to 256 B, the least", "second", above(0), unit="%"),
    Row("ud_dm", "Detour-UD above DM-Order, 16 to 256 B, the least", "second", above(0), unit="%"),
    Row("nf_above_dm", "Detour-NF above DM-Order, 16 to 256 B, the least", "third, DM-Order fourth", above(0),
        unit="%"),
    Row("nf_dm", "Detour-NF against DM-Order, 16 to 256 B, the most", "about equal", at_most(20), unit="%"),
    Row("ud_duato_cycles", "Detour-UD above Duato in cycles (without the clocks), 16 to 256 B, the least",
        "more freedom, lower by its clock alone", above(0), unit="%"),
    Row("order_512", "the least of Duato over UD, UD over NF, NF over DM-Order at 512 B", "Duato, UD, NF, DM-Order",
        above(0), unit="%", quick=False),
    Row("falls", "each step from 0 to 2 and 4 dead nodes, UD and NF, the least", "falls with faults", above(0),
        unit="%"),
    *[Row(f"ud_nf_{dead}", f"UD above NF, {dead} dead nodes, 64 to 256 B, the least", "higher but for small messages",
          above(0), unit="%") for dead in (2, 4)],
    *[Row(f"ud_nf_{dead}_512", f"UD above NF, {dead} dead nodes, 512 B", "tends to NF's", above(0), unit="%",
          quick=False) for dead in (2, 4)],
    Row("ud_falls", "UD with dead nodes: the highest above 512 B, the least", "falls at large sizes", above(0),
        unit="%", quick=False),
    Row("tends", "UD/NF is nearer to 1 at 512 B than at 64 B, 2 and 4 dead nodes", "tends to NF's", holds(),
        quick=False),
    Row("small", "UD above NF at 16 B, 2 and 4 dead nodes, the most", "lower: tables are read more often", below(0),
        unit="%"),
]
# Of the alternatives, the one under which Detour-UD lies below Detour-NF at small sizes and above at larger ones; with
# a busy table port it lies above at all sizes up to 128 B.
SECOND = choices.CHOICES["window_2"]
ROWS = [
    *STATEMENTS,
    Row("at_512", "at 512 B: Duato over UD, UD over NF, NF over DM-Order", "-", unit="%"),
    Row("ud_nf_512_cycles", "UD above NF, 2 and 4 dead nodes, 512 B, in cycles (without the clocks)", "-", unit="%"),
    *[Row(f"random_{dead}", f"UD above NF, random sets of {dead} dead nodes, 64 B to 512 B, the least",
          "higher but for small messages",
          above(0), unit="%", quick=False) for dead in (2, 4)],
    Row("reads", "UD at 16 B, table reads a hop: each step from 0 to 2 and 4 dead nodes, the least",
        "tables are read more often", above(0), unit="reads"),
    Row("small_1", "UD below NF at 16 B with a window of one message, 2 and 4 dead nodes, the least: what its cycles "
        "take, over what its clock takes (table 1)", "the cause is that tables are read more often", above(1)),
    *[dataclasses.replace(row, key=f"second_{row.key}", text=f"{SECOND.label}: {row.text}", hard=False,
                          reading_of=(row.key,))
      for row in STATEMENTS],
]
WINDOW_1 = Exchange("window 1", "transpose", [16], lambda size: (size, {"traffic.window": 1}), quick=[16],
                    series=[(router, dead) for dead in (2, 4) for router in ("ud", "nf")])
OTHER = Exchange(f"transpose, {SECOND.label}", "transpose", routers.SIZES, lambda size: (size, {}), quick=[16, 64],
                 choice=SECOND)


def ratio(found, dead, size):
    return over(found, ("ud", dead), ("nf", dead), [size])


def tends(found):
    pairs = [(ratio(found, dead, 64), ratio(found, dead, 512)) for dead in (2, 4)]
    return (None if None in (value for pair in pairs for value in pair)
            else all(abs(near) > abs(far) for near, far in pairs))


def near_dm(found):
    values = [over(found, ("nf", 0), ("dm", 0), [size]) for size in UP_TO_256 if size in found.points]
    return None if None in values else max(map(abs, values))


def at_512(found):
    """Each router of the order over the next, in per cent; None: not measured."""
    return [over(found, (a, 0), (b, 0), [512]) for a, b in (("duato", "ud"), ("ud", "nf"), ("nf", "dm"))]


def reads(found):
    """Steps of Detour-UD's table reads a hop; the least."""
    shares = [found.mean(routers.table_reads_a_hop, "ud", dead, 16) for dead in (0, 2, 4)]
    return min(more - fewer for fewer, more in zip(shares, shares[1:]))


def over_clocks(percent):
    """Of two routers whose bandwidths differ by the product of cycles and clocks: the part of UD's cycles over that of
    its clock. What the text calls the cause of a lower bandwidth is the larger part, above 1. `percent`: UD above NF;
    None: not measured."""
    return None if percent is None else -math.log((1 + percent / 100) * CLOCKS) / math.log(CLOCKS)


def stated(found):
    """Values of STATEMENTS, by their keys."""
    result = {
        "duato_ud": over(found, ("duato", 0), ("ud", 0), UP_TO_256),
        "ud_nf": over(found, ("ud", 0), ("nf", 0), UP_TO_256),
        "ud_dm": over(found, ("ud", 0), ("dm", 0), UP_TO_256), "nf_dm": near_dm(found),
        "nf_above_dm": over(found, ("nf", 0), ("dm", 0), UP_TO_256),
        "ud_duato_cycles": bandwidth.above_in_cycles(found, "ud", "duato", UP_TO_256),
        "order_512": bandwidth.least(at_512(found)),
        "falls": bandwidth.falls_with_faults(found, routers.SIZES),
        "ud_falls": bandwidth.falls_at_large(found, [("ud", 2), ("ud", 4)]), "tends": tends(found),
        "small": bandwidth.most(ratio(found, dead, 16) for dead in (2, 4))}
    for dead in (2, 4):
        result[f"ud_nf_{dead}"] = over(found, ("ud", dead), ("nf", dead), FROM_64)
        result[f"ud_nf_{dead}_512"] = ratio(found, dead, 512)
    return result


def values(measured):
    found = measured["transpose"]
    result = {
        **stated(found),
        "at_512": at_512(found),
        "ud_nf_512_cycles": [routers.above_in_cycles(ratio(found, dead, 512), "ud", "nf") for dead in (2, 4)],
        "reads": reads(found),
        "small_1": bandwidth.least(over_clocks(ratio(measured[WINDOW_1.name], dead, 16)) for dead in (2, 4)),
        **{f"random_{dead}": over(found, ("ud", dead), ("nf", dead), FROM_64 + [512], "random") for dead in (2, 4)}}
    if OTHER.name in measured:
        result.update({f"second_{key}": value for key, value in stated(measured[OTHER.name]).items()})
    return result


def readings(found, quick):
    """Which of the statements hold under one reading alone, and under none: a note."""
    both = [stated(found["transpose"]), stated(found[OTHER.name])]
    judged = [row for row in STATEMENTS
              if (row.quick or not quick) and all(value[row.key] is not None for value in both)]
    kept = [{row.key for row in judged if row.tolerance.accepts(value[row.key])} for value in both]
    keys = [row.key for row in judged]
    parts = {"a window of 4 alone": kept[0] - kept[1], f"{SECOND.label} alone": kept[1] - kept[0],
             "neither": set(keys) - kept[0] - kept[1]}
    told = "; ".join(f"under {name}: {', '.join(key for key in keys if key in part) or 'none'}"
                     for name, part in parts.items())
    whole = "one reading fits" if len(keys) in map(len, kept) else "no single reading fits"
    return f"{whole} all of {len(keys)} statements: {len(kept[0] & kept[1])} hold under both; {told}"


def table(found):
    return [{"reading": name, **line} for name in ("transpose", OTHER.name) if name in found
            for line in found[name].table(lambda size: {"message_bytes": size}, bandwidth.WHATS)]


class TwoReadings(Figure):
    """Fig. 7 with a third panel: (b) under the second reading."""

    def evaluate(self, setting, results):
        findings = super().evaluate(setting, results)
        findings.notes.append(readings(self.found(setting.quick, results), setting.quick))
        return findings

    def draw(self, figure, found):
        figure.set_size_inches(13.5, 4.2)
        panels = figure.subplots(1, 3, sharey=True)
        titles = {"(a) without faults": ("transpose", False),
                  "(b) with dead nodes; x: random sets, bars: their range": ("transpose", True),
                  f"(b), {SECOND.label}": (OTHER.name, True)}
        for axes, (title, (name, dead)) in zip(panels, titles.items()):
            pictures.curves(axes, found[name], lambda number, dead=dead: (number > 0) == dead, None,
                            routers.bandwidth_mb)
            axes.set_title(title, fontsize=9)
        for axes in panels:
            self.axis(axes, found["transpose"].points)
            axes.legend(fontsize=7)


FIGURE = TwoReadings([bandwidth.exchange("transpose"), WINDOW_1, OTHER], ROWS, values, table,
                     bandwidth.curves("transpose"), bandwidth.axis)
plan, evaluate = FIGURE.plan, FIGURE.evaluate
