# SPDX-License-Identifier: Apache-2.0
"""Bandwidth of the network against message size."""

from . import pictures, routers
from .exchange import Exchange
from .figures import Figure

UP_TO_256 = [16, 32, 64, 96, 128, 256]
FROM_64 = [64, 96, 128, 256]
WITHOUT_FAULTS = ["dm", "duato", "ud", "nf"]


def exchange(pattern):
    return Exchange(pattern, pattern, routers.SIZES, lambda size: (size, {}), quick=[16, 64])


WHATS = {"bandwidth_mb_s": routers.bandwidth_mb,
         "flits_per_cycle": lambda router, result: routers.flits_per_cycle(result),
         "recovered_share": routers.recovered_share}


def curves(pattern):
    return lambda axes, found, chosen, spread: pictures.curves(axes, found[pattern], chosen, None,
                                                               routers.bandwidth_mb, spread)


def figure(pattern, exchanges, rows, values):
    return Figure(exchanges, rows, values,
                  lambda found: found[pattern].table(lambda size: {"message_bytes": size}, WHATS),
                  curves(pattern), axis)


def axis(axes, points):
    pictures.size_axis(axes, points, "bandwidth of the network (MB/s)")


def over(found, a, b, sizes, kind="canonical"):
    return found.percent_above(routers.bandwidth_mb, a, b, sizes, kind)


def least(values):
    """None if one was not measured."""
    values = list(values)
    return min(values) if None not in values else None


def above_in_cycles(found, a, b, sizes):
    """Router a over b without faults, at equal clocks: the least over the sizes, in per cent of b."""
    return routers.above_in_cycles(over(found, (a, 0), (b, 0), sizes), a, b)


def falls_with_faults(found, sizes, of=("ud", "nf"), kind="canonical"):
    """The least step down from 0 to 2 and from 2 to 4 dead nodes, in per cent of the upper value's follower."""
    return least(over(found, (router, fewer), (router, more), sizes, kind) for router in of
                 for fewer, more in ((0, 2), (2, 4)))


def falls_at_large(found, series):
    """How far 512 B lies below the highest bandwidth, in per cent of 512 B's; the least of the series."""
    if 512 not in found.points or not all(found.has(*one) for one in series):
        return None
    return min(max(100 * (found.mean(routers.bandwidth_mb, *one, size) / found.mean(routers.bandwidth_mb, *one,
                                                                                    512) - 1)
                   for size in found.points) for one in series)


def loss(found, router, dead, size, kind="canonical"):
    """By faults, in per cent of the bandwidth without."""
    return 100 * (1 - found.mean(routers.bandwidth_mb, router, dead, size,
                                 kind) / found.mean(routers.bandwidth_mb, router, 0, size))


def most(values):
    """None if one was not measured."""
    values = list(values)
    return max(values) if None not in values else None
