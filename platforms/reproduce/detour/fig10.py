# SPDX-License-Identifier: Apache-2.0
"""Mean latency of 64-byte messages to random nodes against bandwidth, without faults and with 2 and 4 dead nodes; fig.
8's runs beside it."""

import math

from reproduction import Row, above, exactly, holds, within

from . import bandwidth, latency, routers

TITLE = "Latency against bandwidth, random, 64 B"
SOURCE = "Yoshinaga 2004, section 5.1 and fig. 10"
ROUTERS = ["dm", "duato", "ud", "nf"]
HOP = 5  # clocks, section 4.3
ROWS = [
    Row("hop", "latency in cycles at the greatest gap, without faults, less a message's 16 flits, over the routers "
        "passed, rounded down: DM-Order, Duato, UD, NF", "5 clocks a hop without contention",
        exactly([HOP] * len(ROUTERS)), unit="clocks", section="4.3"),
    Row("ud_dm", "capacity: UD against DM-Order", "much alike", within(0, 10), unit="%"),
    Row("ud_duato", "capacity in cycles: UD against Duato", "at one clock much the same", within(0, 5),
        unit="%"),
    Row("steps", "capacity: each step from 0 to 2 and 4 dead nodes, UD and NF, the least", "falls with their number",
        above(0),
        unit="%"),
    Row("rises", "latency without a gap above that at the greatest gap, all series, the least",
        "latency as in fig. 8", above(0), unit="%"),
    Row("slower", "latency at saturation: each step from 0 to 2 and 4 dead nodes, UD and NF, the least",
        "grows with their number", above(0), unit="%"),
    *[Row(f"less_{dead}", f"capacity lost by {dead} dead nodes is less than in fig. 8, UD and NF",
          "less than in fig. 8", holds()) for dead in (2, 4)],
    Row("losses", "lost by 2 dead nodes: UD, in fig. 8; NF, in fig. 8; by 4", "-", unit="%"),
    Row("low", "spread of latencies at low load, without faults, of the highest latency", "-", unit="%"),
]


def clocks_a_hop(found, router):
    """Rounded down: at the greatest gap messages of a node still meet, for less than a clock a hop."""
    cycles, hops = (found.mean(lambda _, result, name=name: result.metric(name), router, 0, found.points[-1])
                    for name in ("latency_cycles_mean", "hops_mean"))
    return math.floor((cycles - latency.BYTES / routers.FLIT_BYTES) / hops)


def values(measured):
    random, transpose = measured["random"], measured["transpose"]
    pairs = [((router, fewer), (router, more)) for router in ("ud", "nf") for fewer, more in ((0, 2), (2, 4))]
    losses = {dead: [latency.loss(found, router, dead) for router in ("ud", "nf") for found in (random, transpose)]
              for dead in (2, 4)}
    borne = all(random.has(router, 0) for router in ROUTERS)
    result = {
        "ud_dm": latency.above(random, ("ud", 0), ("dm", 0)),
        "ud_duato": latency.above_in_cycles(random, "ud", "duato"),
        "steps": bandwidth.least(latency.above(random, fewer, more) for fewer, more in pairs),
        "slower": bandwidth.least(latency.saturated_latency(random, more, fewer) for fewer, more in pairs),
        "hop": [clocks_a_hop(random, router) for router in ROUTERS] if borne else None,
        "rises": latency.rise(random, random.exchange.series), "losses": losses[2] + losses[4],
        "low": latency.low_load(random, lambda dead: dead == 0)}
    for dead, (ud, ud_8, nf, nf_8) in losses.items():
        result[f"less_{dead}"] = None if None in losses[dead] else ud < ud_8 and nf < nf_8
    return result


FIGURE = latency.figure("random", [latency.exchange("random"), latency.exchange("transpose")], ROWS, values)
plan, evaluate = FIGURE.plan, FIGURE.evaluate
