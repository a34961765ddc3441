# SPDX-License-Identifier: Apache-2.0
"""Mean latency of 64-byte messages against bandwidth: the gap between an arrival and the message that it allows is
swept."""

from . import pictures, routers
from .exchange import Exchange
from .figures import Figure

BYTES = 64
GAPS = [0, 8, 16, 24, 32, 48, 64, 100, 200, 400, 1600]  # cycles


def run_of(gap):
    return BYTES, {"traffic.gap_cycles": gap}


def exchange(pattern):
    return Exchange(pattern, pattern, GAPS, run_of, quick=[0, 1600])


WHATS = {"bandwidth_mb_s": routers.bandwidth_mb, "latency_us": routers.latency_us}
NOTES = ["capacity: the highest bandwidth of any gap; at saturation: without a gap"]


def figure(pattern, exchanges, rows, values):
    return Figure(exchanges, rows, values, lambda found: found[pattern].table(lambda gap: {"gap_cycles": gap}, WHATS),
                  lambda axes, found, chosen, spread: pictures.curves(axes, found[pattern], chosen,
                                                                      routers.bandwidth_mb,
                                                                      routers.latency_us, spread), axis, NOTES)


def axis(axes, _points):
    axes.set_xlabel("bandwidth of the network (MB/s)")
    axes.set_ylabel("mean latency (us)")
    axes.set_ylim(bottom=0)


def capacity(found, router, dead, kind="canonical"):
    """The highest bandwidth, in MB/s; None: not measured."""
    if not found.has(router, dead, kind):
        return None
    return max(found.mean(routers.bandwidth_mb, router, dead, gap, kind) for gap in found.points)


def above(found, a, b, kind="canonical"):
    """Capacity of series a above b's, in per cent."""
    values = [capacity(found, *one, kind if one[1] else "canonical") for one in (a, b)]
    return None if None in values else 100 * (values[0] / values[1] - 1)


def above_in_cycles(found, a, b):
    """Capacity of router a above b's without faults, at equal clocks, in per cent."""
    return routers.above_in_cycles(above(found, (a, 0), (b, 0)), a, b)


def rise(found, series):
    """Of the latency from the greatest gap to none, in per cent; the least of the series that are measured."""
    return min(100 * (found.mean(routers.latency_us, *one, found.points[0])
                      / found.mean(routers.latency_us, *one, found.points[-1]) - 1)
               for one in series if found.has(*one))


def low_load(found, dead_of):
    """Spread of the series' latencies at the greatest gap, in per cent of the highest latency of any."""
    series = [one for one in found.exchange.series if dead_of(one[1]) and found.has(*one)]
    low = [found.mean(routers.latency_us, *one, found.points[-1]) for one in series]
    high = max(found.mean(routers.latency_us, *one, gap) for one in series for gap in found.points)
    return 100 * (max(low) - min(low)) / high


def loss(found, router, dead, kind="canonical"):
    """Of capacity by faults, in per cent."""
    values = [capacity(found, router, dead, kind), capacity(found, router, 0)]
    return None if None in values else 100 * (1 - values[0] / values[1])


def saturated_latency(found, a, b, kind="canonical"):
    """Of series a less b's at the highest load, in per cent of b's."""
    if not (found.has(*a, kind) and found.has(*b, kind)):
        return None
    return (100 * (found.mean(routers.latency_us, *a, found.points[0],
                              kind) / found.mean(routers.latency_us, *b, found.points[0], kind) - 1))
