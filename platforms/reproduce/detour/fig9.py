# SPDX-License-Identifier: Apache-2.0
"""Bandwidth of messages to random nodes against message size, by the four routers, without faults and with 2 and 4 dead
nodes; fig. 7's runs beside it."""

import statistics

from reproduction import Row, above, below, holds, within

from . import bandwidth, routers
from .bandwidth import WITHOUT_FAULTS, least, most, over

TITLE = "Bandwidth against message size, random"
SOURCE = "Yoshinaga 2004, section 5.1 and fig. 9"
UP_TO_128 = [16, 32, 64, 96, 128]
EQUAL = [32, 64, 96]
ROWS = [
    Row("above", "above fig. 7 at 16 to 128 B, four routers without faults, the least", "higher than fig. 7", above(0),
        unit="%"),
    Row("above_dead", "the same, UD and NF with 2 and 4 dead nodes", "higher than fig. 7", above(0),
        unit="%"),
    Row("above_large", "the same at 256 and 512 B, four routers without faults, the least", "higher than fig. 7",
        above(0), unit="%", quick=False),
    Row("falls", "the highest above 512 B, four routers without faults, the least", "falls at large sizes", above(0),
        unit="%",
        quick=False),
    Row("nf_low", "NF against DM-Order and Duato, the most", "lower", below(0), unit="%"),
    Row("ud_low", "UD against DM-Order and Duato, the most", "lower", below(0), unit="%"),
    Row("ud_dm", "UD against DM-Order, mean of 32, 64 and 96 B", "the clocks' difference cancels", within(0, 10),
        unit="%", quick=False),
    Row("ud_dm_cycles", "the same in cycles (without the clocks)", "-", unit="%"),
    *[Row(f"loss_{dead}", f"lost by {dead} dead nodes, mean over sizes, less than in fig. 7, UD and NF",
          "less than in fig. 7", holds()) for dead in (2, 4)],
    *[Row(f"losses_{dead}", f"lost by {dead} dead nodes, mean over sizes: UD, in fig. 7; NF, in fig. 7", "-", unit="%")
      for dead in (2, 4)],
    Row("steps", "each step from 0 to 2 and 4 dead nodes, UD and NF, the least", "falls with their number", above(0),
        unit="%"),
]


def worst(found, router):
    """Above the nearer of DM-Order and Duato, at any size."""
    return most(over(found, (router, 0), (other, 0), [size]) for other in ("dm", "duato") for size in found.points)


def compared(random, transpose, series, sizes):
    """Random above transpose, in per cent."""
    sizes = [size for size in sizes if size in random.points]
    if not sizes or not all(found.has(*one) for found in (random, transpose) for one in series):
        return None
    return min(100 * (random.mean(routers.bandwidth_mb, *one, size) / transpose.mean(routers.bandwidth_mb, *one,
                                                                                     size) - 1)
               for one in series for size in sizes)


def mean_loss(found, router, dead):
    if not (found.has(router, 0) and found.has(router, dead)):
        return None
    return statistics.fmean(bandwidth.loss(found, router, dead, size) for size in found.points)


def against_dm(random):
    values = [over(random, ("ud", 0), ("dm", 0), [size]) for size in EQUAL]
    return None if None in values else statistics.fmean(values)


def values(measured):
    random, transpose = measured["random"], measured["transpose"]
    faultless, faulty = ([(router, 0) for router in WITHOUT_FAULTS],
                         [(router, dead) for router in ("ud", "nf") for dead in (2, 4)])
    equal = against_dm(random)
    result = {
        "above": compared(random, transpose, faultless, UP_TO_128),
        "above_dead": compared(random, transpose, faulty, UP_TO_128),
        "above_large": compared(random, transpose, faultless, [256, 512]),
        "falls": bandwidth.falls_at_large(random, faultless), "nf_low": worst(random, "nf"),
        "ud_low": worst(random, "ud"), "ud_dm": equal,
        "ud_dm_cycles": routers.above_in_cycles(equal, "ud", "dm"),
        "steps": least([bandwidth.falls_with_faults(random, random.points)])}
    for dead in (2, 4):
        losses = [(mean_loss(random, router, dead), mean_loss(transpose, router, dead)) for router in ("ud", "nf")]
        result[f"losses_{dead}"] = [value for pair in losses for value in pair]
        result[f"loss_{dead}"] = None if None in result[f"losses_{dead}"] else all(here < there
                                                                                   for here, there in losses)
    return result


FIGURE = bandwidth.figure("random", [bandwidth.exchange("random"), bandwidth.exchange("transpose")], ROWS, values)
plan, evaluate = FIGURE.plan, FIGURE.evaluate
