# SPDX-License-Identifier: Apache-2.0
"""Bandwidth against the block timeout, both patterns, without faults and with 4 dead nodes: the runs of figs. 11 and
12."""

import statistics

from reproduction import Row, at_most, below, within

from . import recovered, routers
from .figures import Figure

TITLE = "Bandwidth against block timeout"
SOURCE = "Yoshinaga 2004, section 5.2"
PATTERNS = ["transpose", "random"]
SMALL, LARGE = [16, 32, 64, 96, 128], [256, 512]  # bytes
ROWS = [
    *[Row(f"faultless_{pattern}",
          f"without faults, {pattern}: bandwidth at 64 and 256 clocks against 128, 16 to 128 B, the most",
          "hardly any effect", at_most(3), unit="%") for pattern in PATTERNS],
    *[Row(f"large_{pattern}", f"the same at 256 and 512 B, {pattern}", "hardly any effect", at_most(3), unit="%")
      for pattern in PATTERNS],
    Row("dead", "4 dead nodes, transpose: bandwidth at 64 clocks against 128, mean over sizes", "about -10 %",
        within(-10, 5), unit="%",
        quick=False),
    Row("dead_falls", "the same, below", "falls", below(0), unit="%"),
    Row("dead_more", "the same, below that without faults", "shows with faults", below(0), unit="points"),
    Row("dead_sizes", "the same by size, 16 to 512 B", "-", unit="%"),
    Row("dead_random", "the same as the mean, random", "-", unit="%"),
]


def against(measured, pattern, dead, timeout, size):
    """Bandwidth at a timeout above that at 128 cycles, in per cent."""
    values = [measured[recovered.name(pattern, cycles)].mean(routers.bandwidth_mb, "ud", dead, size)
              for cycles in (timeout, 128)]
    return 100 * (values[0] / values[1] - 1)


def values(measured):
    found = measured[recovered.name("transpose", 128)]
    if not all(found.has(*one) for one in recovered.SERIES):
        return {}
    result = {}
    for pattern in PATTERNS:
        for key, sizes in (("faultless", SMALL), ("large", LARGE)):
            result[f"{key}_{pattern}"] = max(abs(against(measured, pattern, 0, timeout, size)) for timeout in (64, 256)
                                             for size in sizes
                                             if size in found.points)
    result["dead_sizes"] = [against(measured, "transpose", 4, 64, size) for size in found.points]
    result["dead"] = result["dead_falls"] = statistics.fmean(result["dead_sizes"])
    result["dead_more"] = result["dead"] - statistics.fmean(against(measured, "transpose", 0, 64, size)
                                                            for size in found.points)
    result["dead_random"] = statistics.fmean(against(measured, "random", 4, 64, size) for size in found.points)
    return result


def table(found):
    return [{"pattern": pattern, **line} for pattern in PATTERNS for line in recovered.table(found, pattern)]


def draw(axes, found, chosen, spread):
    recovered.curves(axes, found, "transpose", routers.bandwidth_mb, chosen, spread)


FIGURE = Figure([recovered.exchange(pattern, timeout) for pattern in PATTERNS for timeout in recovered.TIMEOUTS], ROWS,
                values, table, draw,
                lambda axes, points: recovered.pictures.size_axis(axes, points, "bandwidth, transpose (MB/s)"))
plan, evaluate = FIGURE.plan, FIGURE.evaluate
