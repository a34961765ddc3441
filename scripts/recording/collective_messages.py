# SPDX-License-Identifier: Apache-2.0
"""Collective operations that the trace format does not have, or not on a part of the ranks, as messages of one rank.

Ranks are numbers within the communicator. A step is (bytes out, to, bytes in, from), with None for a side that is
missing; both sides of a step begin at once, and the next step begins when both are over.
"""


from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Step = tuple[Any, Any, Any, Any]  # bytes and rank of a send, bytes and rank of a receive; None: there is none


def send(size: int | None, to: int) -> Step:
    return (size, to, None, None)


def receive(size: int | None, source: int) -> Step:
    return (None, None, size, source)


def barrier(me: int, ranks: int) -> Iterator[Step]:
    """Dissemination: in round k to the rank at distance 2^k."""
    distance = 1
    while distance < ranks:
        yield (0, (me + distance) % ranks, 0, (me - distance) % ranks)
        distance *= 2


def _children(place: int, ranks: int) -> tuple[list[int], int]:
    """Places below `place` in the binomial tree, and its own distance from the place above it (0: the root)."""
    distance = 1
    while distance < ranks and not place & distance:
        distance *= 2
    below: list[Any] = []
    step = distance // 2
    while step:
        if place + step < ranks:
            below.append(place + step)
        step //= 2
    return below, distance if place else 0


def broadcast(me: int, ranks: int, root: int, size: int) -> Iterator[Step]:
    """Binomial tree from the root, the largest subtree first."""
    place = (me - root) % ranks
    below, distance = _children(place, ranks)
    if distance:
        yield receive(size, (place - distance + root) % ranks)
    for child in below:
        yield send(size, (child + root) % ranks)


def reduce(me: int, ranks: int, root: int, size: int) -> Iterator[Step]:
    """The broadcast's tree, from its leaves to its root."""
    for out, to, _, source in reversed(list(broadcast(me, ranks, root, size))):
        yield send(size, source) if out is None else receive(size, to)


def all_reduce(me: int, ranks: int, size: int) -> Iterator[Step]:
    yield from reduce(me, ranks, 0, size)
    yield from broadcast(me, ranks, 0, size)


def all_to_all(me: int, ranks: int, sent: list[int], received: list[int]) -> Iterator[Step]:
    """In round k to rank + k, from rank - k. A block of no bytes is no message; a rank's own block stays where it
    is."""
    for distance in range(1, ranks):
        to, source = (me + distance) % ranks, (me - distance) % ranks
        yield (sent[to] or None, to, received[source] or None, source)


def gather(me: int, ranks: int, root: int, sizes: list[int]) -> Iterator[Step]:
    """Everybody's block straight to the root; `sizes` as the root knows them, elsewhere only one's own place counts."""
    if me != root:
        yield send(sizes[me] or None, root)
        return
    for distance in range(1, ranks):
        source = (root + distance) % ranks
        yield receive(sizes[source] or None, source)


def scatter(me: int, ranks: int, root: int, sizes: list[int]) -> Iterator[Step]:
    for out, to, into, source in gather(me, ranks, root, sizes):
        yield (into, source, out, to)


def reduce_scatter(me: int, ranks: int, sizes: list[int]) -> Iterator[Step]:
    """The whole to rank 0, from there every rank's block to it."""
    yield from reduce(me, ranks, 0, sum(sizes))
    yield from scatter(me, ranks, 0, sizes)


def scan(me: int, ranks: int, size: int) -> Iterator[Step]:
    """Along the ranks: what has come from the one before goes to the one after."""
    if me > 0:
        yield receive(size, me - 1)
    if me + 1 < ranks:
        yield send(size, me + 1)
