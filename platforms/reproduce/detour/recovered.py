# SPDX-License-Identifier: Apache-2.0
"""Share of messages that end in recovery, against message size, at block timeouts of 64, 128 and 256 clocks."""

import itertools
import statistics

from reproduction import Row, above, at_least, exactly

from . import pictures, routers
from .exchange import Exchange
from .figures import Figure

TIMEOUTS = [64, 128, 256]  # cycles
COLOURS = {64: "C3", 128: "C0", 256: "C2"}
SERIES = [("ud", 0), ("ud", 4)]
SMALL, LARGE = [16, 32, 64], [128, 256, 512]  # bytes: before the network with 4 dead nodes saturates, and after


def exchange(pattern, timeout):
    return Exchange(name(pattern, timeout), pattern, routers.SIZES,
                    lambda size: (size, {"router.block_timeout_cycles": timeout}), quick=[64, 256], series=SERIES)


def name(pattern, timeout):
    return f"{pattern}, timeout {timeout}"


ROWS = [
    *[Row(f"order_{dead}", f"share at 64 less that at 128, at 128 less 256 clocks, {dead} dead nodes, the least",
          "a shorter timeout recovers more", at_least(0), unit="% of messages") for dead in (0, 4)],
    *[Row(f"more_{dead}", f"the same as the mean over sizes, {dead} dead nodes, the least",
          "a shorter timeout recovers more", above(0), unit="% of messages") for dead in (0, 4)],
    Row("rises",
        "pairs of sizes of which the larger recovers more, without faults, share of those that differ, the least "
        "timeout",
        "tends to rise with size", above(0.5)),
    Row("steps", "steps to the next size at which the share falls, without faults, all timeouts",
        "tends to rise with size", exactly(0)),
    Row("small", "4 dead nodes: share above that without faults at 16 to 64 B, the least", "high at small sizes",
        above(0), unit="% of messages"),
    Row("large", "4 dead nodes: pairs of sizes from 128 B on of which the larger recovers more, the least timeout",
        "rises once the network is saturated", above(0.5), quick=False),
    Row("highest", "the highest share: without faults, 4 dead nodes", "-", unit="% of messages"),
]


class Shares:
    """In per cent of the measured messages, means over the canonical sets."""

    def __init__(self, measured, pattern):
        self.found = {timeout: measured[name(pattern, timeout)] for timeout in TIMEOUTS}
        self.sizes = self.found[TIMEOUTS[0]].points

    def share(self, timeout, dead, size):
        return 100 * self.found[timeout].mean(routers.recovered_share, "ud", dead, size)

    def order(self, dead):
        return min(self.share(short, dead, size) - self.share(long, dead, size)
                   for short, long in zip(TIMEOUTS, TIMEOUTS[1:]) for size in self.sizes)

    def more(self, dead):
        """How much more the shorter of two timeouts recovers, as a mean over the sizes; the least."""
        means = [statistics.fmean(self.share(timeout, dead, size) for size in self.sizes) for timeout in TIMEOUTS]
        return min(short - long for short, long in zip(means, means[1:]))

    def rising(self, dead, sizes):
        """Of the pairs of sizes with different shares, the part in which the larger size has the larger one; the least
        of the timeouts."""
        parts = []
        for timeout in TIMEOUTS:
            steps = [self.share(timeout, dead, large) - self.share(timeout, dead, small)
                     for small, large in itertools.combinations(sizes, 2)]
            different = [step for step in steps if step]
            if different:
                parts.append(sum(step > 0 for step in different) / len(different))
        return min(parts, default=None)

    def falling_steps(self):
        return sum(self.share(timeout, 0, large) < self.share(timeout, 0, small)
                   for timeout in TIMEOUTS for small, large in zip(self.sizes, self.sizes[1:]))


def values(measured, pattern):
    shares = Shares(measured, pattern)
    if not all(found.has(*one) for found in shares.found.values() for one in SERIES):
        return {}
    whole = shares.sizes == routers.SIZES
    return {
        **{f"order_{dead}": shares.order(dead) for dead in (0, 4)},
        **{f"more_{dead}": shares.more(dead) for dead in (0, 4)},
        "rises": shares.rising(0, shares.sizes), "steps": shares.falling_steps(),
        "small": min(shares.share(timeout, 4, size) - shares.share(timeout, 0, size) for timeout in TIMEOUTS
                     for size in SMALL if size in shares.sizes),
        "large": shares.rising(4, LARGE) if whole else None,
        "highest": [max(shares.share(timeout, dead, size) for timeout in TIMEOUTS for size in shares.sizes)
                    for dead in (0, 4)]}


def table(found, pattern):
    whats = {"recovered_share": routers.recovered_share, "bandwidth_mb_s": routers.bandwidth_mb}
    return [{"timeout_cycles": timeout, **line} for timeout in TIMEOUTS
            for line in found[name(pattern, timeout)].table(lambda size: {"message_bytes": size}, whats)]


def curves(axes, found, pattern, what, chosen, spread):
    for timeout in TIMEOUTS:
        def style(_router, dead, timeout=timeout):
            return COLOURS[timeout], f"timeout {timeout}" + (f", {dead} dead" if dead else "")

        pictures.curves(axes, found[name(pattern, timeout)], chosen, None, what, spread, style)


def percent(router, result):
    return 100 * routers.recovered_share(router, result)


def figure(pattern):
    return Figure([exchange(pattern, timeout) for timeout in TIMEOUTS], ROWS, lambda found: values(found, pattern),
                  lambda found: table(found, pattern),
                  lambda axes, found, chosen, spread: curves(axes, found, pattern, percent, chosen, spread),
                  lambda axes, points: pictures.size_axis(axes, points, "messages in recovery (%)"))
