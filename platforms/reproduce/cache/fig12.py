# SPDX-License-Identifier: Apache-2.0
"""Single packets on a 21x21x21 torus with caches of 128 to 16,384 entries, between nodes at the largest distance."""

from reproduction import Findings, Row, at_most, within

from . import zero_load

TITLE = "Longest zero-load latency against entries per port, 21x21x21"
SOURCE = "Hirasawa 2020, section 6.4.2 and fig. 12"
RADIX = 21
ENTRIES = [128, 256, 512, 1024, 2048, 4096, 8192, 9261, 16384]
QUICK = [128, 9261]
ROWS = [
    Row("128", "reduction with 128 entries", "9 %", within(9, 0.5), unit="%", points=((1, 128, 9),),
        runs=("128", "conventional")),
    Row("9261", "reduction with 9,261 entries", "19 %", within(19, 0.5), unit="%", points=((1, 9261, 19),),
        runs=("9261", "conventional")),
    Row("flat", "change from 9,261 entries on", "constant", at_most(0.0), unit="points", quick=False),
    Row("rises", "largest fall from one size to the next", "rises smoothly", at_most(0.25), unit="points"),
    Row("equation", "simulation against eq. 3-4, largest difference", "eq. 3-4", at_most(1.0), unit="%"),
    Row("equation_none", "the same without a cache, where nothing is drawn", "eq. 3-4", at_most(1e-9), unit="%"),
]


def plan(setting):
    runs = {f"{entries}": zero_load.run(RADIX, entries, 50 if setting.quick else 200)
            for entries in (QUICK if setting.quick else ENTRIES)}
    return {**runs, "conventional": zero_load.run(RADIX, 0, 1)}


def evaluate(setting, results):
    sizes = QUICK if setting.quick else ENTRIES
    table = [zero_load.line(RADIX, entries, results[f"{entries}"], results["conventional"]) for entries in sizes]
    gain = {line["entries"]: line["reduction_percent"] for line in table}
    flat = [gain[entries] for entries in sizes if entries >= RADIX**3]
    values = {"128": gain[128], "9261": gain[9261], "flat": max(flat) - min(flat),
              "rises": max(gain[few] - gain[more] for few, more in zip(sizes, sizes[1:])),
              "equation": zero_load.largest_error(table),
              "equation_none": zero_load.largest_error(table, ["conventional"])}
    return Findings(values, table, lambda figure: zero_load.draw(figure, table, "entries", "entries per port", TITLE))
