# SPDX-License-Identifier: Apache-2.0
"""Operations of ranks as text of traces (scripts/handbook.d/rooms/workload.md), and the file that they go
to."""

from __future__ import annotations

import collections
import os
import pathlib
import subprocess
from collections.abc import Callable, Iterable, Sequence
from typing import Any

MOST_RANKS = 65535
MOST_OPERATIONS = 1 << 27
MOST_COUNTS = 1 << 28
LARGEST_BYTES = (1 << 32) - 1  # of a message that a replay takes
LARGEST_VALUE = (1 << 63) - 1
# Larger tags are those of other communicators and of collective operations.
LARGEST_TAG = (1 << 31) - 1 - (1 << 20)


class Refusal(Exception):
    """Input that is no trace: its text is the message."""


class Tags:
    """Numbers for tags. One of MPI_COMM_WORLD is itself; any other (communicator, tag) takes the next of the numbers
    above."""

    def __init__(self) -> None:
        self._numbers: dict[Any, Any] = {}

    def of(self, communicator: int, tag: Any) -> int:
        if communicator == 0 and isinstance(tag, int):
            return tag
        number = self._numbers.setdefault((communicator, tag), LARGEST_TAG + 1 + len(self._numbers))
        if number > (1 << 31) - 1:
            raise Refusal("more than 2^20 tags of communicators other than MPI_COMM_WORLD")
        return number


class Balance:
    """Messages of all ranks that are sent and not received, or received and not sent."""

    def __init__(self) -> None:
        self._open = collections.Counter()

    def sent(self, source: int, destination: int, tag: int) -> None:
        self._open[source, destination, tag] += 1

    def received(self, source: int, destination: int, tag: int) -> None:
        self._open[source, destination, tag] -= 1

    def check(self) -> None:
        for (source, destination, tag), number in sorted(self._open.items()):
            if number:
                what = "sends to it and it does not receive" if number > 0 else "does not send to it and it receives"
                tag_text = f"tag {tag}" if tag <= LARGEST_TAG else "a tag of another communicator"
                raise Refusal(f"rank {destination}: {abs(number)} messages with {tag_text} that rank {source} {what}")


class Collectives:
    """Operations of every communicator, which are the same at all its members; `at` is the place of one, for
    refusals."""

    def __init__(self) -> None:
        self._first: dict[Any, Any] = {}  # (communicator, its n-th operation) -> (operation, at)
        self._numbers: dict[Any, Any] = {}  # communicator -> (how many operations a member has done, at)

    def meet(self, communicator: int, at: str, number: int, operation: str) -> None:
        first, first_at = self._first.setdefault((communicator, number), (operation, at))
        if first != operation:
            raise Refusal(f"{at}: collective operation {number + 1} of a communicator is `{operation}` here and "
                          f"`{first}` at {first_at}")

    def leave(self, communicator: int, at: str, number: int) -> None:
        first, first_at = self._numbers.setdefault(communicator, (number, at))
        if first != number:
            raise Refusal(f"{at}: {number} collective operations of a communicator, and {first} at {first_at}")


class Trace:
    """The text of all ranks, and what holds over all of them."""

    def __init__(self, file: Any, round_flops: Callable[..., Any] = lambda flops: flops) -> None:
        self.file, self.round_flops = file, round_flops
        self.tags, self.balance, self.collectives = Tags(), Balance(), Collectives()
        self.operations = self.counts = 0

    def write(self, line: str) -> None:
        self.operations += 1
        if self.operations > MOST_OPERATIONS:
            raise Refusal(f"too long a trace (at most {MOST_OPERATIONS} operations)")
        self.file.write(line)

    def count(self, number: int) -> None:
        self.counts += number
        if self.counts > MOST_COUNTS:
            raise Refusal(f"too many counts of alltoallv (at most {MOST_COUNTS})")


class Rank:
    """One rank, from init to finalize. A request has the caller's number, which rises from one to the next."""

    def __init__(self, trace: Any, rank: int, ranks: int) -> None:
        self.trace, self.rank, self.ranks = trace, rank, ranks
        self._flops = 0
        self._open: dict[Any, Any] = {}  # request -> its key, oldest first
        self._by_key = collections.defaultdict(collections.deque)
        self.op("init")

    def op(self, text: str) -> None:
        self._end_computing()
        self.trace.write(f"{self.rank} {text}\n")

    def compute(self, flops: int) -> None:
        self._flops += flops

    def _end_computing(self) -> None:
        flops, self._flops = self.trace.round_flops(self._flops), 0
        if flops:
            self.trace.write(f"{self.rank} compute {flops}\n")

    def comment(self, text: str) -> None:
        self._end_computing()
        self.trace.file.write(text + "\n")

    def send(self, peer: int, tag: int, size: Any) -> None:
        self.trace.balance.sent(self.rank, peer, tag)
        self.op(f"send {peer} {tag} {size} 6")

    def receive(self, peer: int, tag: int, size: Any) -> None:
        self.trace.balance.received(peer, self.rank, tag)
        self.op(f"recv {peer} {tag} {size} 6")

    def begin_send(self, request: int, peer: int, tag: int, size: Any) -> None:
        self.trace.balance.sent(self.rank, peer, tag)
        self.op(f"isend {peer} {tag} {size} 6")
        self._opened(request, False, peer, tag)

    def begin_receive(self, request: int, peer: int, tag: int, size: Any) -> None:
        self.trace.balance.received(peer, self.rank, tag)
        self.op(f"irecv {peer} {tag} {size} 6")
        self._opened(request, True, peer, tag)

    def _opened(self, request: int, receives: bool, peer: int, tag: int) -> None:
        key = (receives and peer != self.rank, peer, tag)
        self._open[request] = key
        self._by_key[key].append(request)

    def open_requests(self) -> Any:
        return list(self._open)

    def wait(self, requests: Any) -> None:
        """Waits for these, if they are open, and for older ones of the same peer and tag: `wait` means the oldest."""
        wanted: set[Any] = set()
        for request in requests:
            if request in self._open:
                for older in self._by_key[self._open[request]]:
                    wanted.add(older)
                    if older == request:
                        break
        if len(wanted) > 1 and len(wanted) == len(self._open):
            self.op(f"waitall {len(wanted)}")
            self._open.clear()
            self._by_key.clear()
            return
        for request in sorted(wanted):
            receives, peer, tag = key = self._open.pop(request)
            self._by_key[key].popleft()
            source, destination = (peer, self.rank) if receives else (self.rank, peer)
            self.op(f"wait {source} {destination} {tag}")

    def steps(self, steps: Iterable[Any], members: Sequence[int], tag: int) -> None:
        """Messages of a collective operation of `members`, one step after the other."""
        for out, to, into, source in steps:
            if max(out or 0, into or 0) > LARGEST_BYTES:
                raise Refusal(f"rank {self.rank}: {max(out or 0, into or 0)} bytes are more than a replay takes "
                              f"(0..{LARGEST_BYTES})")
            if out is None and into is not None:
                self.receive(members[source], tag, into)
            elif into is None and out is not None:
                self.send(members[to], tag, out)
            elif out is not None:
                to, source = members[to], members[source]
                self.begin_receive(-2, source, tag, into)
                self.begin_send(-1, to, tag, out)
                self.wait([-2])
                self.wait([-1])

    def begin_steps(self, request: int, steps: Iterable[Any], members: list[int], tag: int) -> list[int]:
        """The same, all at once: the requests, with numbers from `request` on."""
        begun: list[Any] = []
        for out, to, into, source in steps:
            if into is not None:
                begun.append(request + len(begun))
                self.begin_receive(begun[-1], members[source], tag, into)
            if out is not None:
                begun.append(request + len(begun))
                self.begin_send(begun[-1], members[to], tag, out)
        return begun

    def all_to_all(self, size: int) -> None:
        self.op(f"alltoall {size} {size} 6 6")

    def all_to_all_counted(self, sent: list[int], received: list[int]) -> None:
        """Bytes to each rank, and from each."""
        self.trace.count(2 * self.ranks)
        words = [sum(sent), *sent, sum(received), *received]
        self.op(f"alltoallv {' '.join(map(str, words))} 6 6")

    def finalize(self) -> None:
        self.wait(self._open)
        self.op("finalize")


def pack(text: pathlib.Path | str, output: pathlib.Path) -> None:
    """Compresses the file `text` as `output`, whole or not at all."""
    part = pathlib.Path(f"{output}.part")
    try:
        done = subprocess.run(["zstd", "-q", "-f", "-19", "--no-check", text, "-o", part], capture_output=True,
                              text=True)
        if done.returncode:
            raise Refusal(f"{output}: cannot be written: {done.stderr.strip()}")
        os.replace(part, output)
    except OSError as error:
        raise Refusal(f"{output}: cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
