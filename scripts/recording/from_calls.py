# SPDX-License-Identifier: Apache-2.0
"""The recorder's files of an MPI program's calls (recorder.c), one a rank, as one trace.

usage: from_calls.py FOLDER RANKS OUTPUT [--measured]
"""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import collective_messages as messages
from rank_text import Rank, Refusal, Trace, pack

UNKNOWN = -1


def rounded(flops: int) -> int:
    """A measured time: gaps below 1 us are nothing, the rest has two significant digits."""
    if flops < 1000:
        return 0
    scale = 10 ** max(len(str(flops)) - 2, 0)
    return (flops + scale // 2) // scale * scale


class Call:
    """Reads the lines of one rank and plays them on a Rank."""

    def __init__(self, trace: Any, rank: int, ranks: int, lines: list[list[str]]) -> None:
        self.trace = trace
        self.out = Rank(trace, rank, ranks)
        self.me = rank
        self.members: dict[Any, Any] = {}  # communicator -> its members' ranks in MPI_COMM_WORLD
        self.numbers: dict[Any, Any] = {}  # communicator -> number of its collective operations
        self.probed: set[Any] = set()  # (peer, tag) of messages that a probe has found, and no receive has taken yet
        self.groups: dict[Any, Any] = {}  # request of a collective operation -> its messages' requests
        self.matched = {words[1]: (int(words[2]), int(words[3])) for words in lines if words[0] == "match"}
        self.clears = sum(words == ["section", "clear"] for words in lines)  # of the timer that are still to come
        self.cancelled = {words[1] for words in lines if words[0] == "cancelled"}

    def play(self, lines: list[list[str]]) -> None:
        if not lines or lines[-1] != ["end"]:
            raise Refusal(f"rank {self.me} ends without MPI_Finalize")
        for words in lines:
            getattr(self, "do_" + words[0])(*words[1:])

    def _message(self, peer: Any, communicator: str, tag: Any) -> tuple[int, int]:
        return int(peer), self.trace.tags.of(int(communicator), int(tag))

    def do_compute(self, flops: str) -> None:
        self.out.compute(int(flops))

    def do_comm(self, name: str, *members: str) -> None:
        self.members[int(name)] = [int(member) for member in members]
        self.numbers.setdefault(int(name), 0)

    def do_match(self, *_: str) -> None:
        pass

    do_cancelled = do_match

    def do_send(self, peer: str, communicator: str, tag: str, size: str) -> None:
        self.out.send(*self._message(peer, communicator, tag), size)

    def do_isend(self, request: str, peer: str, communicator: str, tag: str, size: str) -> None:
        self.out.begin_send(_number(request), *self._message(peer, communicator, tag), size)

    def do_recv(self, peer: str, communicator: str, tag: str, size: str) -> None:
        message = self._message(peer, communicator, tag)
        if message in self.probed:
            self.probed.remove(message)
        else:
            self.out.receive(*message, size)

    def do_irecv(self, request: str, peer: str, communicator: str, tag: str, size: str) -> None:
        if request in self.cancelled:
            return
        known = self.matched[request] if UNKNOWN in (int(peer), int(tag)) else (peer, tag)
        message = self._message(known[0], communicator, known[1])
        if message in self.probed:
            self.probed.remove(message)
        else:
            self.out.begin_receive(_number(request), *message, size)

    def do_probe(self, peer: str, communicator: str, tag: str, size: str) -> None:
        """The program waits here for the message, as a receive does."""
        message = self._message(peer, communicator, tag)
        if message not in self.probed:
            self.probed.add(message)
            self.out.receive(*message, size)

    def do_done(self, *requests: str) -> None:
        every: list[Any] = []
        for request in requests:
            every += self.groups.pop(request, None) or [_number(request)]
        self.out.wait(every)

    def do_section(self, mark: str) -> None:
        if mark == "clear":
            self.clears -= 1
        elif self.clears == 0:
            self.out.comment(f"# roi_{mark}")

    def do_end(self) -> None:
        self.out.finalize()
        for communicator, number in self.numbers.items():
            if len(self.members[communicator]) > 1:
                self.trace.collectives.leave(communicator, f"rank {self.me}", number)

    def do_start(self, request: str, word: str, communicator: str, *numbers: str) -> None:
        steps = self._steps_at_once(word, *self._place(word, communicator, numbers))
        members, tag = self.members[int(communicator)], self._tag(communicator)
        self.groups[request] = self.out.begin_steps(_number(request), steps, members, tag) or [_number(request)]

    def _tag(self, communicator: str) -> int:
        return self.trace.tags.of(int(communicator), "collective")

    def _place(self, word: str, communicator: str, numbers: tuple[str, ...]) -> tuple[int, int, list[int]]:
        """My place in the communicator, its size, and the call's numbers; compares it with what other members call."""
        name = int(communicator)
        parsed = [int(number) for number in numbers]
        members = self.members[name]
        alike = " ".join([word, *map(str, parsed[:_alike(word, parsed)])])
        if len(members) > 1:
            self.trace.collectives.meet(name, f"rank {self.me}", self.numbers[name], alike)
        self.numbers[name] += 1
        return members.index(self.me), len(members), parsed

    def _blocking(self, word: str, communicator: str, *numbers: str) -> None:
        me, ranks, parsed = self._place(word, communicator, numbers)
        if ranks == 1:
            return
        if ranks == self.out.ranks and self._in_the_format(word, self.members[int(communicator)], me, parsed):
            return
        self.out.steps(_steps(word, me, ranks, parsed), self.members[int(communicator)], self._tag(communicator))

    def _in_the_format(self, word: str, members: list[int], me: int, numbers: list[int]) -> bool:
        """Writes an operation of all ranks as the trace's own; false if it has none."""
        size = numbers[-1] if numbers else 0
        if word == "barrier":
            self.out.op("barrier")
        elif word == "bcast":
            self.out.op(f"bcast {size} {members[numbers[0]]} 6")
        elif word == "reduce":
            self.out.op(f"reduce {size} 0 {members[numbers[0]]} 6")
        elif word == "allreduce":
            self.out.op(f"allreduce {size} 0 6")
        elif word in ("alltoall", "allgather"):
            self.out.all_to_all(size)
        elif word in ("alltoallv", "allgatherv"):
            sent, received = _blocks(word, me, len(members), numbers)
            self.out.all_to_all_counted(_by_rank(sent, members), _by_rank(received, members))
        else:
            return False
        return True

    def _steps_at_once(self, word: str, me: int, ranks: int, numbers: list[int]) -> Iterable[Any]:
        """A collective operation that does not block: every message straight to where it goes."""
        if word == "bcast":
            return messages.scatter(me, ranks, numbers[0], [numbers[1]] * ranks)
        if word == "reduce":
            return messages.gather(me, ranks, numbers[0], [numbers[1]] * ranks)
        return _steps(word, me, ranks, numbers)


for _word in (
    "barrier bcast reduce allreduce alltoall alltoallv allgather allgatherv gather gatherv scatter scatterv scan "
    "reduce_scatter reduce_scatter_block"
).split():
    setattr(Call, "do_" + _word, lambda self, *words, word=_word: self._blocking(word, *words))


def _number(request: str) -> int:
    """A number for the request that leaves room for the messages of a collective operation."""
    return int(request) << 32


def _alike(word: str, numbers: list[int]) -> int:
    """How many of a call's numbers are the same at all ranks."""
    if word == "alltoallv":
        return 0
    return 1 if word in ("gatherv", "scatterv") else len(numbers)


def _by_rank(sizes: list[int], members: list[int]) -> list[int]:
    ordered = [0] * len(sizes)
    for size, rank in zip(sizes, members):
        ordered[rank] = size
    return ordered


def _blocks(word: str, me: int, ranks: int, numbers: list[int]) -> tuple[list[int], list[int]]:
    """Bytes to every member and from every member of an operation between all pairs."""
    if word in ("alltoall", "allgather"):
        return [numbers[0]] * ranks, [numbers[0]] * ranks
    if word == "allgatherv":
        return [numbers[me]] * ranks, numbers
    return numbers[:ranks], numbers[ranks:]


def _steps(word: str, me: int, ranks: int, numbers: list[int]) -> Iterable[Any]:
    if word == "barrier":
        return messages.barrier(me, ranks)
    if word == "bcast":
        return messages.broadcast(me, ranks, *numbers)
    if word == "reduce":
        return messages.reduce(me, ranks, *numbers)
    if word == "allreduce":
        return messages.all_reduce(me, ranks, *numbers)
    if word == "scan":
        return messages.scan(me, ranks, *numbers)
    if word in ("reduce_scatter", "reduce_scatter_block"):
        return messages.reduce_scatter(me, ranks, numbers if word == "reduce_scatter" else numbers * ranks)
    if word in ("gather", "scatter", "gatherv", "scatterv"):
        root, sizes = numbers[0], numbers[1:]
        straight = messages.scatter if word.startswith("scatter") else messages.gather
        return straight(me, ranks, root, sizes if len(sizes) == ranks else sizes * ranks)
    return messages.all_to_all(me, ranks, *_blocks(word, me, ranks, numbers))


def write(folder: pathlib.Path, ranks: int, file: TextIO, measured: bool) -> int:
    trace = Trace(file, rounded if measured else lambda flops: flops)
    for rank in range(ranks):
        try:
            lines = [line.split() for line in (folder / f"rank{rank}").read_text().splitlines()]
        except FileNotFoundError:
            raise Refusal(f"rank {rank} ends without MPI_Finalize") from None
        Call(trace, rank, ranks, lines).play(lines)
    trace.balance.check()
    return trace.operations


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("ranks", type=int)
    arguments.add_argument("output", type=pathlib.Path)
    arguments.add_argument("--measured", action="store_true")
    options = arguments.parse_args()
    text = options.folder / "trace.ti"
    try:
        with text.open("w") as file:
            operations = write(options.folder, options.ranks, file, options.measured)
        pack(text, options.output)
    except Refusal as refusal:
        print(f"record_trace: {refusal}", file=sys.stderr)
        return 2
    print(f"{options.output}: {options.ranks} ranks, {operations} operations, {options.output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
