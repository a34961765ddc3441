# SPDX-License-Identifier: Apache-2.0
"""Single packets on tori of 7^3 to 31^3 nodes with caches of 2,048 entries, between nodes at the largest distance."""

from reproduction import Findings, Row, at_most, within

from . import equations, zero_load

TITLE = "Longest zero-load latency against job size, K-ary 3-cube, 2,048 entries"
SOURCE = "Hirasawa 2020, section 6.4.1 and fig. 11"
RADICES = list(range(7, 32, 2))
QUICK = [7, 11, 15]
ROWS = [
    Row("fits", "reduction of jobs that fit, the least", "19 %", within(19, 0.5), unit="%",
        points=((1, 343, 19),)),
    Row("fits_most", "and the largest", "19 %", within(19, 0.5), unit="%"),
    Row("largest", "reduction at 29,791 nodes", "13 %", within(13, 0.5), unit="%", quick=False,
        points=((1, 29791, 13),), runs=("31 *",)),
    Row("step", "largest difference of a step from one size to the next from eq. 4's", "falls smoothly", at_most(0.25),
        unit="points"),
    Row("rise", "largest rise from one size to the next", "falls smoothly", at_most(0.25), unit="points",
        quick=False),
    Row("equation", "simulation against eq. 3-4, largest difference", "eq. 3-4", at_most(1.0), unit="%"),
    Row("equation_none", "the same without a cache, where nothing is drawn", "eq. 3-4", at_most(1e-9), unit="%"),
]


def falls(values):
    """From each to the next."""
    return [before - after for before, after in zip(values, values[1:])]


def plan(setting):
    runs = {}
    for radix in QUICK if setting.quick else RADICES:
        runs[f"{radix} cached"] = zero_load.run(radix, equations.ENTRIES, 50 if setting.quick else 200)
        runs[f"{radix} conventional"] = zero_load.run(radix, 0, 1)
    return runs


def evaluate(setting, results):
    table = [zero_load.line(radix, equations.ENTRIES, results[f"{radix} cached"], results[f"{radix} conventional"])
             for radix in (QUICK if setting.quick else RADICES)]
    gains = [line["reduction_percent"] for line in table]
    fits = [line["reduction_percent"] for line in table if line["nodes"] <= equations.ENTRIES]
    steps = falls(gains)
    closed = falls([line["eq4_reduction_percent"] for line in table])
    values = {"fits": min(fits), "fits_most": max(fits), "largest": None if setting.quick else gains[-1],
              "step": max(abs(step - own) for step, own in zip(steps, closed)), "rise": max(-step for step in steps),
              "equation": zero_load.largest_error(table),
              "equation_none": zero_load.largest_error(table, ["conventional"])}
    notes = [f"link delay C = {equations.LINK_NS} ns, which the paper does not give; fully associative caches, warmed "
             f"with "
             "uniform traffic at the ports on the measured routes; the mean over pairs at the largest distance"]
    return Findings(values, table, lambda figure: zero_load.draw(figure, table, "nodes", "nodes", TITLE), notes)
