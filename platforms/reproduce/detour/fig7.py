# SPDX-License-Identifier: Apache-2.0
"""Bandwidth of a matrix-transpose exchange against message size, by the four routers, without faults and with 2 and 4
dead nodes: means over the canonical sets and over random ones."""

from reproduction import Row, above, at_most, below, holds

from . import bandwidth, routers
from .bandwidth import FROM_64, UP_TO_256, over
from .exchange import Exchange

TITLE = "Bandwidth against message size, transpose"
SOURCE = "Yoshinaga 2004, section 5.1 and fig. 7"
CLOCKS_PERCENT = 100 * (1 - routers.ROUTERS["ud"].mhz / routers.ROUTERS["nf"].mhz)
ROWS = [
    Row("duato_ud", "Duato above Detour-UD, 16 to 256 B, the least", "highest", above(0), unit="%"),
    Row("ud_nf", "Detour-UD above Detour-NF, 16 to 256 B, the least", "second", above(0), unit="%"),
    Row("ud_dm", "Detour-UD above DM-Order, 16 to 256 B, the least", "second", above(0), unit="%"),
    Row("nf_dm", "Detour-NF against DM-Order, 16 to 256 B, the most", "about equal", at_most(20), unit="%"),
    Row("at_512", "at 512 B: Duato over UD, UD over NF, UD over DM-Order", "-", unit="%"),
    Row("falls", "each step from 0 to 2 and 4 dead nodes, UD and NF, the least", "falls with faults", above(0),
        unit="%"),
    *[Row(f"ud_nf_{dead}", f"UD above NF, {dead} dead nodes, 64 to 256 B, the least", "higher but for small messages",
          above(0), unit="%") for dead in (2, 4)],
    *[Row(f"ud_nf_{dead}_512", f"UD above NF, {dead} dead nodes, 512 B", "tends to NF's", above(0), unit="%",
          quick=False) for dead in (2, 4)],
    Row("ud_nf_512_cycles", "the same in cycles (without the clocks)", "-", unit="%"),
    *[Row(f"random_{dead}", f"UD above NF, random sets of {dead} dead nodes, 64 B to 512 B, the least",
          "higher but for small messages",
          above(0), unit="%", quick=False) for dead in (2, 4)],
    Row("ud_falls", "UD with dead nodes: the highest above 512 B, the least", "falls at large sizes", above(0),
        unit="%", quick=False),
    Row("tends", "UD/NF is nearer to 1 at 512 B than at 64 B, 2 and 4 dead nodes", "tends to NF's", holds(),
        quick=False),
    Row("small", "UD above NF at 16 B, 2 and 4 dead nodes", "lower: tables are read more often", below(0), unit="%"),
    Row("small_1", "the same with a window of one message, in cycles: by more than the clocks' difference",
        "the cause is that tables are read more often", below(-CLOCKS_PERCENT), unit="%"),
]
WINDOW_1 = Exchange("window 1", "transpose", [16], lambda size: (size, {"traffic.window": 1}), quick=[16],
                    series=[(router, dead) for dead in (2, 4) for router in ("ud", "nf")])


def ratio(found, dead, size):
    return over(found, ("ud", dead), ("nf", dead), [size])


def tends(found):
    pairs = [(ratio(found, dead, 64), ratio(found, dead, 512)) for dead in (2, 4)]
    return (None if None in (value for pair in pairs for value in pair)
            else all(abs(near) > abs(far) for near, far in pairs))


def near_dm(found):
    values = [over(found, ("nf", 0), ("dm", 0), [size]) for size in UP_TO_256 if size in found.points]
    return None if None in values else max(map(abs, values))


def in_cycles(percent):
    """UD above NF, without the clocks; None: not measured."""
    clocks = routers.ROUTERS["nf"].mhz / routers.ROUTERS["ud"].mhz
    return None if percent is None else 100 * ((1 + percent / 100) * clocks - 1)


def values(measured):
    found = measured["transpose"]
    result = {
        "duato_ud": over(found, ("duato", 0), ("ud", 0), UP_TO_256),
        "ud_nf": over(found, ("ud", 0), ("nf", 0), UP_TO_256),
        "ud_dm": over(found, ("ud", 0), ("dm", 0), UP_TO_256), "nf_dm": near_dm(found),
        "at_512": [over(found, (a, 0), (b, 0), [512]) for a, b in (("duato", "ud"), ("ud", "nf"), ("ud", "dm"))],
        "falls": bandwidth.falls_with_faults(found, routers.SIZES),
        "ud_nf_512_cycles": [in_cycles(ratio(found, dead, 512)) for dead in (2, 4)],
        "ud_falls": bandwidth.falls_at_large(found, [("ud", 2), ("ud", 4)]), "tends": tends(found),
        "small": bandwidth.most(ratio(found, dead, 16) for dead in (2, 4)),
        "small_1": bandwidth.most(in_cycles(ratio(measured[WINDOW_1.name], dead, 16)) for dead in (2, 4))}
    for dead in (2, 4):
        result[f"ud_nf_{dead}"] = over(found, ("ud", dead), ("nf", dead), FROM_64)
        result[f"ud_nf_{dead}_512"] = ratio(found, dead, 512)
        result[f"random_{dead}"] = over(found, ("ud", dead), ("nf", dead), FROM_64 + [512], "random")
    return result


FIGURE = bandwidth.figure("transpose", [bandwidth.exchange("transpose"), WINDOW_1], ROWS, values)
plan, evaluate = FIGURE.plan, FIGURE.evaluate
