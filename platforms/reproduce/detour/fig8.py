# SPDX-License-Identifier: Apache-2.0
"""Mean latency of 64-byte messages against bandwidth under a matrix-transpose exchange, without faults and with 2 and 4
dead nodes."""

from reproduction import Row, above, at_most, below

from . import bandwidth, choices, latency
from .exchange import Exchange

TITLE = "Latency against bandwidth, transpose, 64 B"
SOURCE = "Yoshinaga 2004, section 5.1 and fig. 8"
CLOSE_PERCENT = 10  # of the highest latency in the figure: how the project reads "the differences are small"
COMPARED = [("ud", 4), ("nf", 2)]
# Alternatives that change a run of the two, which differ by less than an alternative changes: the order is judged over
# all of them. In quick versions without a gap.
READINGS = {name: choice for name, choice in choices.CHOICES.items() if any(choice.keys(one) for one, _ in COMPARED)}
FASTER = [("duato", "ud", "Duato against UD"), ("ud", "nf", "UD against NF"), ("ud", "dm", "UD against DM-Order")]
FREEDOM = ["ud", "duato", "nf", "dm"]  # by the fully adaptive channels that each has
ROWS = [
    Row("low", "spread of latencies at low load, without faults, of the highest latency", "small",
        at_most(CLOSE_PERCENT), unit="%"),
    Row("low_dead", "the same with dead nodes", "small", at_most(CLOSE_PERCENT), unit="%"),
    Row("duato_ud", "capacity: Duato above UD", "by freedom and clock, as in fig. 7", above(0), unit="%"),
    Row("ud_nf", "capacity: UD above NF", "by freedom and clock, as in fig. 7", above(0), unit="%"),
    Row("ud_dm", "capacity: UD above DM-Order", "by freedom and clock, as in fig. 7", above(0), unit="%"),
    Row("freedom", "capacity in cycles (without the clocks): UD over Duato, Duato over NF, NF over DM-Order, the least",
        "the greater the freedom, the larger", above(0), unit="%"),
    Row("rises", "latency without a gap above that at the greatest gap, all series, the least",
        "saturates, and latency rises", above(0), unit="%"),
    *[Row(f"{a}_{b}_latency", f"latency at saturation: {text}", "lower, by freedom and clock", below(0), unit="%")
      for a, b, text in FASTER],
    Row("later", "capacity: UD with 4 dead nodes above NF with 2, the least of all readings", "saturates later",
        above(0), unit="%"),
    Row("later_each", f"the same: as it is, {', '.join(choice.label for choice in READINGS.values())}",
        "saturates later", unit="%"),
    Row("lower", "latency at saturation: UD with 4 dead nodes against NF with 2", "lower", below(0),
        unit="%"),
    Row("later_random", "capacity, random sets: UD with 4 dead nodes above NF with 2", "saturates later", above(0),
        unit="%", quick=False),
    Row("lower_random", "latency at saturation, random sets: UD with 4 dead nodes against NF with 2", "lower", below(0),
        unit="%",
        quick=False),
    Row("falls", "capacity lost by 2 and 4 dead nodes: UD, NF", "-", unit="%"),
]


def reading(choice):
    return Exchange(f"transpose, {choice.label}", "transpose", latency.GAPS, latency.run_of, quick=latency.GAPS[:1],
                    series=COMPARED, choice=choice)


def later(measured):
    """By reading: the default, and each alternative that both routers accept."""
    names = ["transpose", *(f"transpose, {choice.label}" for choice in READINGS.values())]
    return [latency.above(measured[name], *COMPARED) for name in names if name in measured]


def values(measured):
    found = measured["transpose"]
    each = later(measured)
    return {
        "low": latency.low_load(found, lambda dead: dead == 0),
        "low_dead": latency.low_load(found, lambda dead: dead > 0),
        **{f"{a}_{b}": latency.above(found, (a, 0), (b, 0)) for a, b, _ in FASTER},
        **{f"{a}_{b}_latency": latency.saturated_latency(found, (a, 0), (b, 0)) for a, b, _ in FASTER},
        "freedom": bandwidth.least(latency.above_in_cycles(found, a, b) for a, b in zip(FREEDOM, FREEDOM[1:])),
        "rises": latency.rise(found, found.exchange.series),
        "later": min((value for value in each if value is not None), default=None), "later_each": each,
        "lower": latency.saturated_latency(found, ("ud", 4), ("nf", 2)),
        "later_random": latency.above(found, ("ud", 4), ("nf", 2), "random"),
        "lower_random": latency.saturated_latency(found, ("ud", 4), ("nf", 2), "random"),
        "falls": [latency.loss(found, router, dead) for router in ("ud", "nf") for dead in (2, 4)]}


FIGURE = latency.figure("transpose", [latency.exchange("transpose"), *map(reading, READINGS.values())], ROWS, values)
plan, evaluate = FIGURE.plan, FIGURE.evaluate
