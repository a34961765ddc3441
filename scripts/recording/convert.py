# SPDX-License-Identifier: Apache-2.0
"""Time-independent traces as SimGrid's own replay takes them, of any of its versions, to this project's (README.md).

usage: convert.py IN... -o OUT.ti.zst [--tags yes|no]
"""

from __future__ import annotations

import argparse
import collections
import decimal
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import Any

import collective_messages as messages
from rank_text import LARGEST_BYTES, LARGEST_TAG, LARGEST_VALUE, MOST_RANKS, Rank, Refusal, Trace, pack

ZSTD = b"\x28\xb5\x2f\xfd"
NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE]\+?[0-9]{1,2})?|[0-9]+(\.[0-9]*)?[eE]-[0-9]{1,2}")
RANK = re.compile(r"p?([0-9]+)")
# Bytes of SMPI's numbers of MPI's own datatypes, from 0.
DATATYPES = [int(size) for size in (
    "8 4 1 2 8 4 1 8 1 1 2 4 8 8 16 4 1 1 2 4 8 1 2 4 8 8 16 32 8 8 8 16 16 8 8 8 16 16 4 4 8 16 8 16 16 4 2 4 8 16 32 "
    "1 8 16 32"
).split()] + [None, None, 1, 8, 8]
UNSIZED = -1
NOTHING = ("comm_size", "comm_split", "comm_dup", "location")
MESSAGES = ("send", "isend", "recv", "irecv")
WORDS = (
    *NOTHING, "init", "finalize", "compute", "sleep", *MESSAGES, "sendrecv", "wait", "waitall", "test", "barrier",
    "bcast", "reduce",
    "allreduce", "alltoall", "alltoallv", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv",
    "reducescatter",
    "scan", "exscan",
)


class Line:
    """One operation, with its file and line."""

    __slots__ = ("path", "number", "text", "words", "word")

    def __init__(self, path: pathlib.Path, number: int, text: str) -> None:
        self.path, self.number, self.text = path, number, text
        self.words = text.split()
        self.word = self.words[1].lower() if len(self.words) > 1 else ""

    def refuse(self, at: int, problem: str, accepted: str) -> None:
        """About word `at`, or about the line where it has no such word."""
        places = [match.start() for match in re.finditer(r"\S+", self.text)]
        at = at if 0 <= at < len(places) else 0
        raise Refusal(
            f"{self.path}:{self.number}:{places[at] + 1 if places else 1}: {problem} (got '{self.words[at]}'; "
            f"accepted: {accepted})"
        )

    def size(self) -> int:
        return len(self.words) - 2

    def expect(self, counts: Iterable[Any] | tuple[int, ...], form: str) -> None:
        if self.size() not in counts:
            self.refuse(1, f"{self.size()} arguments", form)

    def number_at(self, at: int, largest: int = LARGEST_VALUE) -> int:
        """A whole number, in any notation."""
        text = self.words[at]
        value = decimal.Decimal(text) if NUMBER.fullmatch(text) else None
        if value is None or value != value.to_integral_value() or value > largest:
            self.refuse(at, "not a whole number in its range", f"0..{largest}, also as 1e6")
        return int(value)

    def flops_at(self, at: int) -> Any:
        text = self.words[at]
        if not NUMBER.fullmatch(text) or decimal.Decimal(text) > LARGEST_VALUE:
            self.refuse(at, "not a number of flops", f"0..{LARGEST_VALUE}, also as 1e9 or 0.5")
        return decimal.Decimal(text)

    def bytes_at(self, at: int, of_type: int) -> int:
        """A number of elements in bytes."""
        size = self.number_at(at) * of_type
        if size > LARGEST_BYTES:
            self.refuse(at, f"{size} bytes are more than a replay takes", f"0..{LARGEST_BYTES} bytes")
        return size

    def rank_at(self, at: int, ranks: int) -> int:
        match = RANK.fullmatch(self.words[at])
        if match is None or int(match[1]) >= ranks:
            hint = ("; the source that a receive from any rank took is not in the trace"
                    if self.words[at].startswith("-") else "")
            self.refuse(at, "not a rank", f"0..{ranks - 1}{hint}")
        return int(match[1])

    def bytes_of_type(self, at: int, default: int) -> int:
        """Of a datatype's number; the default where the line ends before it. SimGrid reads -1 as the default, too."""
        if at >= len(self.words) or self.words[at] == "-1":
            return default
        text = self.words[at]
        size = DATATYPES[int(text)] if text.isascii() and text.isdigit() and int(text) < len(DATATYPES) else None
        if size is None:
            self.refuse(at, "not a datatype that has bytes",
                        f"SMPI's numbers of MPI's own types, 0..{len(DATATYPES) - 1}")
        return size


# Files


def content(path: pathlib.Path) -> list[str]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refusal(f"{path}: cannot be read: {error.strerror}") from error
    if data.startswith(ZSTD):
        done = subprocess.run(["zstd", "-dcq", "--long=30"], input=data, capture_output=True)
        if done.returncode:
            raise Refusal(f"{path}: {done.stderr.decode(errors='replace').strip()}")
        data = done.stdout
    return data.decode(errors="replace").splitlines()


def files_of(path: pathlib.Path, lines: list[str]) -> list[pathlib.Path] | None:
    """The files that an index lists, one a line: relative to the index, or else to the present folder. None: no
    index."""
    names = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not names or any(len(name.split()) != 1 for name in names):
        return None
    listed = [next((at for at in (path.parent / name, pathlib.Path(name)) if at.is_file()), None) for name in names]
    if None in listed:
        raise Refusal(f"{path}: an index of files, of which {names[listed.index(None)]!r} is not there")
    return listed


def read(paths: list[pathlib.Path]) -> dict[int, list[tuple[pathlib.Path, int, str]]]:
    """Path, number and text of every rank's lines, in the order of the files; a section mark is of the rank of the line
    before."""
    ranks = collections.defaultdict(list)
    for path in paths:
        lines = content(path)
        listed = files_of(path, lines)
        if listed is not None:
            for rank, more in read(listed).items():
                ranks[rank] += more
            continue
        rank = None
        for number, text in enumerate(lines, 1):
            if text.lstrip().startswith("#"):
                if rank is not None and text.split() in (["#", "roi_begin"], ["#", "roi_end"]):
                    ranks[rank].append((path, number, text))
                continue
            line = Line(path, number, text)
            if line.words:
                rank = line.rank_at(0, MOST_RANKS)
                if line.word not in WORDS:
                    line.refuse(1, "unknown operation", " ".join(WORDS))
                ranks[rank].append((path, number, text))
    return ranks


def parsed(lines: list[tuple[pathlib.Path, int, str]]) -> Iterable[Any]:
    """The words of lines, which take several times the memory of their text."""
    return (Line(*line) for line in lines)


def is_mark(line: Any) -> bool:
    return line.words[0] == "#"


# Tags: SimGrid's traces have them since 3.20


def shows_tags(line: Any) -> bool | None:
    """True or False where a line can only be of a trace with tags or without, None where it may be of both."""
    if line.words[0].startswith("p") or line.words[1] in ("Isend", "Irecv"):
        return False
    if line.word in ("wait", "test"):
        return line.size() > 0
    if line.word not in MESSAGES:
        return None
    if line.size() != 3:
        return line.size() > 3
    # PEER TAG SIZE or PEER SIZE DATATYPE
    last = line.words[-1]
    is_type = last == "-1" or last.isascii() and last.isdigit() and int(last) < len(DATATYPES)
    return None if is_type else True


def tags_of(ranks: dict[int, list[tuple[pathlib.Path, int, str]]], asked: bool | None) -> bool | None:
    first = None
    for lines in ranks.values():
        for line in parsed(lines):
            shown = None if is_mark(line) else shows_tags(line)
            if shown is None:
                continue
            if asked is not None and shown != asked:
                line.refuse(1, "not a line of a trace " + ("with" if asked else "without") + " tags", "as --tags says")
            if first is None:
                first = (shown, line)
            if shown != first[0]:
                with_tag, without = (line, first[1]) if shown else (first[1], line)
                line.refuse(1, f"messages with tags ({with_tag.path}:{with_tag.number}) and without "
                            f"({without.path}:{without.number})",
                            "one of both in a trace")
    return asked if asked is not None else first is None or first[0]


class Form:
    """How messages are written: with a tag or without, and the bytes of a line without a datatype."""

    def __init__(self, tags: bool) -> None:
        self.tags, self.default = tags, 1

    def init(self, line: Any) -> None:
        line.expect((0, 1), "init, or init 1 for MPI_DOUBLE where no datatype stands")
        self.default = 8 if line.size() else 1

    def message(self, line: Any, ranks: int) -> tuple[int, int, int]:
        """(peer, tag, bytes)"""
        at = 4 if self.tags else 3
        shortest = at - 1 if self.tags or line.word.endswith("send") else at - 2
        line.expect(range(shortest, at + 1), "PEER TAG SIZE [DATATYPE]" if self.tags else "PEER SIZE [DATATYPE]")
        peer = line.rank_at(2, ranks)
        tag = line.number_at(3, LARGEST_TAG) if self.tags else 0
        if at >= len(line.words) or (line.words[at] == "-1" and line.word.endswith("recv")):
            return peer, tag, UNSIZED
        return peer, tag, line.bytes_at(at, line.bytes_of_type(at + 1, self.default))

    def exchange(self, line: Any, ranks: int) -> tuple[int, int, int, int]:
        """(to, bytes, from, bytes)"""
        line.expect((4, 6), "sendRecv SIZE DST SIZE SRC [DATATYPE DATATYPE]")
        sent = line.bytes_at(2, line.bytes_of_type(6, self.default))
        received = line.bytes_at(4, line.bytes_of_type(7, self.default))
        return line.rank_at(3, ranks), sent, line.rank_at(5, ranks), received


class Sizes:
    """Bytes of the sends, in their order, for receives that do not say theirs."""

    def __init__(self, ranks: dict[int, list[tuple[pathlib.Path, int, str]]], tags: bool) -> None:
        self._sent = collections.defaultdict(list)
        self._taken = collections.Counter()
        for rank in sorted(ranks):
            form = Form(tags)
            for line in parsed(ranks[rank]):
                if line.word == "init":
                    form.init(line)
                elif line.word in ("send", "isend"):
                    peer, tag, size = form.message(line, len(ranks))
                    self._sent[rank, peer, tag].append(size)
                elif line.word == "sendrecv":
                    to, size, _, _ = form.exchange(line, len(ranks))
                    self._sent[rank, to, 0].append(size)

    def take(self, line: Any, source: int, rank: int, tag: int, size: int) -> int:
        key = source, rank, tag
        at = self._taken[key]
        self._taken[key] += 1
        if size != UNSIZED:
            return size
        if at >= len(self._sent[key]):
            line.refuse(1, f"a receive without a size, of a message that rank {source} does not send",
                        "a size, or its send")
        return self._sent[key][at]


class Player:
    """Plays the lines of one rank on a Rank."""

    def __init__(self, trace: Any, sizes: Any, rank: int, ranks: int, tags: bool, lines: list[Any]) -> None:
        self.out = Rank(trace, rank, ranks)
        self.trace, self.sizes, self.rank, self.ranks, self.tags = trace, sizes, rank, ranks, tags
        self.form = Form(tags)
        self.fraction = decimal.Decimal(0)
        self.requests = 0
        self.open: list[Any] = []  # (request, its line's source, destination and tag), oldest first
        self.waited_for_all = self.finished = False
        self.collectives = 0
        self.tests_that_wait = last_tests(lines, tags)
        waits = sum(line.word == "wait" for line in lines)
        self.any_request = waits >= sum(line.word in ("isend", "irecv") for line in lines)

    def play(self, lines: list[Any]) -> None:
        for at, line in enumerate(lines):
            if is_mark(line):
                self.out.comment(" ".join(line.words))
                continue
            if self.finished:
                line.refuse(1, "an operation after finalize", "finalize as a rank's last operation")
            if line.word == "test":
                line.expect((3,) if self.tags else (0,), "test SRC DST TAG" if self.tags else "test")
                if at in self.tests_that_wait:
                    self.wait(line)
            elif line.word in NOTHING:
                continue
            elif hasattr(self, line.word):
                getattr(self, line.word)(line)
            else:
                self.collective(line)
        self.trace.collectives.leave(0, f"rank {self.rank}", self.collectives)
        self.out.finalize()

    def init(self, line: Any) -> None:
        self.form.init(line)

    def finalize(self, line: Any) -> None:
        line.expect((0,), "finalize")
        self.finished = True

    def computed(self, flops: Any) -> None:
        self.fraction += flops
        whole = int(self.fraction)
        self.fraction -= whole
        self.out.compute(whole)

    def compute(self, line: Any) -> None:
        line.expect((1,), "compute FLOPS")
        self.computed(line.flops_at(2))

    def sleep(self, line: Any) -> None:
        line.expect((1,), "sleep SECONDS")
        self.computed(line.flops_at(2) * 10**9)

    def send(self, line: Any) -> None:
        self.out.send(*self.form.message(line, self.ranks))

    def recv(self, line: Any) -> None:
        peer, tag, size = self.form.message(line, self.ranks)
        self.out.receive(peer, tag, self.sizes.take(line, peer, self.rank, tag, size))

    def _new(self, source: int, destination: int, tag: int) -> int:
        self.requests += 1
        self.open.append((self.requests, (source, destination, tag)))
        return self.requests

    def isend(self, line: Any) -> None:
        peer, tag, size = self.form.message(line, self.ranks)
        self.out.begin_send(self._new(self.rank, peer, tag), peer, tag, size)

    def irecv(self, line: Any) -> None:
        peer, tag, size = self.form.message(line, self.ranks)
        size = self.sizes.take(line, peer, self.rank, tag, size)
        self.out.begin_receive(self._new(peer, self.rank, tag), peer, tag, size)

    def sendrecv(self, line: Any) -> None:
        to, sent, source, received = self.form.exchange(line, self.ranks)
        received = self.sizes.take(line, source, self.rank, 0, received)
        requests = [self._new(source, self.rank, 0), self._new(self.rank, to, 0)]
        self.out.begin_receive(requests[0], source, 0, received)
        self.out.begin_send(requests[1], to, 0, sent)
        self.out.wait(requests)
        del self.open[-2:]

    def wait(self, line: Any) -> None:
        at = self._waited(line)
        if at is None:
            # SimGrid's own waitall waits for all, also where the program's did not.
            if not self.waited_for_all:
                line.refuse(1, "a wait for a request that this rank does not have", "an isend or irecv before it")
            return
        self.out.wait([self.open.pop(at)[0]])

    def _waited(self, line: Any) -> int | None:
        """Place of the request among the open ones: the oldest of the line's ranks and tag, or without tags the
        newest."""
        line.expect((3,) if self.tags else (0,), f"{line.word} SRC DST TAG" if self.tags else line.word)
        if self.tags:
            key = (line.rank_at(2, self.ranks), line.rank_at(3, self.ranks), line.number_at(4, LARGEST_TAG))
            if self.rank not in key[:2]:
                line.refuse(2, "a wait for other ranks' message", f"rank {self.rank} as source or destination")
            return next((at for at, (_, one) in enumerate(self.open) if one == key), None)
        newest = range(len(self.open) - 1, -1, -1)
        # Before 3.10 nobody waits for an Isend: where there are fewer waits than requests, a wait means a receive.
        receives = [at for at in newest if self.open[at][1][1] == self.rank]
        return next(iter(receives if receives and not self.any_request else newest), None)

    def waitall(self, line: Any) -> None:
        line.expect((0, 1), "waitall [N]")
        self.out.wait([request for request, _ in self.open])
        self.open.clear()
        self.waited_for_all = True

    def barrier(self, line: Any) -> None:
        line.expect((0,), "barrier")
        self._meet(line, "barrier")
        self.out.op("barrier")

    def _meet(self, line: Any, operation: str) -> None:
        self.trace.collectives.meet(0, f"{line.path}:{line.number}", self.collectives, operation)
        self.collectives += 1

    def _types(self, line: Any, at: int) -> list[int]:
        return [line.bytes_of_type(at, self.form.default), line.bytes_of_type(at + 1, self.form.default)]

    def _root(self, line: Any, at: int) -> int:
        return line.rank_at(at, self.ranks) if at < len(line.words) else 0

    def bcast(self, line: Any) -> None:
        line.expect((1, 2, 3), "bcast SIZE [ROOT [DATATYPE]]")
        size, root = line.bytes_at(2, line.bytes_of_type(4, self.form.default)), self._root(line, 3)
        self._meet(line, f"bcast {size} bytes from {root}")
        self.out.op(f"bcast {size} {root} 6")

    def reduce(self, line: Any) -> None:
        line.expect((2, 3, 4), "reduce SIZE FLOPS [ROOT [DATATYPE]]")
        size, root = line.bytes_at(2, line.bytes_of_type(5, self.form.default)), self._root(line, 4)
        self._meet(line, f"reduce {size} bytes to {root}")
        self.out.op(f"reduce {size} 0 {root} 6")
        self.computed(line.flops_at(3))

    def allreduce(self, line: Any) -> None:
        line.expect((2, 3), "allreduce SIZE FLOPS [DATATYPE]")
        size = line.bytes_at(2, line.bytes_of_type(4, self.form.default))
        self._meet(line, f"allreduce {size} bytes")
        self.out.op(f"allreduce {size} 0 6")
        self.computed(line.flops_at(3))

    def _equal(self, line: Any, first: int, second: int) -> int:
        """Bytes to each rank, which are those from each."""
        if first != second:
            line.refuse(3, f"{first} bytes to each rank and {second} from each", "equal")
        return first

    def alltoall(self, line: Any) -> None:
        line.expect((2, 4), f"{line.word} SIZE SIZE [DATATYPE DATATYPE]")
        types = self._types(line, 4)
        size = self._equal(line, line.bytes_at(2, types[0]), line.bytes_at(3, types[1]))
        self._meet(line, f"{line.word} {size} bytes")
        self.out.all_to_all(size)

    allgather = alltoall

    def _sizes(self, line: Any, at: int, bytes_each: int) -> list[int]:
        return [line.bytes_at(place, bytes_each) for place in range(at, at + self.ranks)]

    def alltoallv(self, line: Any) -> None:
        counts = 2 * self.ranks + 2
        line.expect((counts, counts + 2),
                    f"alltoallv SIZE s_0..s_{self.ranks - 1} SIZE r_0..r_{self.ranks - 1} [DATATYPE DATATYPE]")
        types = self._types(line, 2 + counts)
        sent, received = self._sizes(line, 3, types[0]), self._sizes(line, 4 + self.ranks, types[1])
        self._meet(line, "alltoallv")
        self.out.all_to_all_counted(sent, received)

    def allgatherv(self, line: Any) -> None:
        given = 1 + self.ranks
        line.expect((given, given + 2, given + self.ranks, given + 2 + self.ranks),
                    f"allgatherv SIZE r_0..r_{self.ranks - 1} [DATATYPE DATATYPE] [{self.ranks} places]")
        # Two words more are datatypes, also where two ranks could have two places.
        types = self._types(line, 2 + given) if line.size() in (given + 2,
                                                                given + 2 + self.ranks) else [self.form.default] * 2
        received = self._sizes(line, 3, types[1])
        own = self._equal(line, line.bytes_at(2, types[0]), received[self.rank])
        self._meet(line, "allgatherv " + " ".join(map(str, received)))
        self.out.all_to_all_counted([own] * self.ranks, received)

    def collective(self, line: Any) -> None:
        """Operations that the trace format does not have, as their messages."""
        steps = getattr(self, "_steps_of_" + line.word.replace("exscan", "scan"))(line)
        self.out.steps(steps, range(self.ranks), self.trace.tags.of(0, "collective"))
        if line.word in ("scan", "exscan"):
            self.computed(line.flops_at(3))
        elif line.word == "reducescatter":
            self.computed(line.flops_at(2 + self.ranks))

    def _rooted(self, line: Any, at: int, word: str) -> tuple[int, list[int]]:
        root = self._root(line, at)
        self._meet(line, f"{word} with root {root}")
        return root, self._types(line, at + 1)

    def _steps_of_gather(self, line: Any) -> Iterable[Any]:
        line.expect((2, 3, 5), "gather SIZE SIZE [ROOT [DATATYPE DATATYPE]]")
        root, types = self._rooted(line, 4, "gather")
        at = 3 if self.rank == root else 2
        return messages.gather(self.rank, self.ranks, root, [line.bytes_at(at, types[at - 2])] * self.ranks)

    def _steps_of_scatter(self, line: Any) -> Iterable[Any]:
        line.expect((2, 3, 5), "scatter SIZE SIZE [ROOT [DATATYPE DATATYPE]]")
        root, types = self._rooted(line, 4, "scatter")
        at = 2 if self.rank == root else 3
        return messages.scatter(self.rank, self.ranks, root, [line.bytes_at(at, types[at - 2])] * self.ranks)

    def _steps_of_gatherv(self, line: Any) -> Iterable[Any]:
        given = 1 + self.ranks
        line.expect((given, given + 1, given + 3), f"gatherv SIZE r_0..r_{self.ranks - 1} [ROOT [DATATYPE DATATYPE]]")
        root, types = self._rooted(line, 2 + given, "gatherv")
        sizes = self._sizes(line, 3, types[1]) if self.rank == root else [line.bytes_at(2, types[0])] * self.ranks
        return messages.gather(self.rank, self.ranks, root, sizes)

    def _steps_of_scatterv(self, line: Any) -> Iterable[Any]:
        given = 1 + self.ranks
        line.expect((given, given + 1, given + 3), f"scatterv s_0..s_{self.ranks - 1} SIZE [ROOT [DATATYPE DATATYPE]]")
        root, types = self._rooted(line, 2 + given, "scatterv")
        at_root = self.rank == root
        sizes = self._sizes(line, 2, types[0]) if at_root else [line.bytes_at(1 + given, types[1])] * self.ranks
        return messages.scatter(self.rank, self.ranks, root, sizes)

    def _steps_of_reducescatter(self, line: Any) -> Iterable[Any]:
        given = self.ranks + 1
        line.expect((given, given + 1), f"reducescatter r_0..r_{self.ranks - 1} FLOPS [DATATYPE]")
        sizes = self._sizes(line, 2, line.bytes_of_type(2 + given, self.form.default))
        self._meet(line, "reducescatter " + " ".join(map(str, sizes)))
        return messages.reduce_scatter(self.rank, self.ranks, sizes)

    def _steps_of_scan(self, line: Any) -> Iterable[Any]:
        line.expect((2, 3), f"{line.word} SIZE FLOPS [DATATYPE]")
        size = line.bytes_at(2, line.bytes_of_type(4, self.form.default))
        self._meet(line, f"scan {size} bytes")
        return messages.scan(self.rank, self.ranks, size)


def last_tests(lines: list[Any], tags: bool) -> set[int]:
    """Places of tests that must have found their request complete, as no wait for it follows: the last of a request."""
    opened, tested = [], {}
    for at, line in enumerate(lines):
        if line.word in ("isend", "irecv"):
            opened.append((at, tuple(line.words[2:4]) if tags else None, line.word))
        elif line.word == "waitall":
            opened.clear()
        elif line.word in ("wait", "test"):
            found = [one for one in opened if not tags or _is_request(line, *one)]
            if found:
                one = found[0] if tags else found[-1]
                if line.word == "wait":
                    opened.remove(one)
                else:
                    tested[one[0]] = at
    return {tested[request] for request, _, _ in opened if request in tested}


def _is_request(line: Any, _: int, peer_and_tag: tuple[str, ...] | None, word: str) -> bool:
    ends = line.words[2:5]
    return len(ends) == 3 and (ends[1] if word == "isend" else ends[0], ends[2]) == peer_and_tag


def write(ranks: dict[int, list[tuple[pathlib.Path, int, str]]], tags: bool, file: Any) -> int:
    trace = Trace(file)
    for rank in range(len(ranks)):
        if rank not in ranks:
            raise Refusal(f"rank {rank} has no operation, and rank {max(ranks)} has")
    sizes = Sizes(ranks, tags)
    for rank in range(len(ranks)):
        lines = list(parsed(ranks[rank]))
        Player(trace, sizes, rank, len(ranks), tags, lines).play(lines)
    trace.balance.check()
    return trace.operations


def main() -> int:
    arguments = argparse.ArgumentParser(prog="convert_trace", add_help=False)
    arguments.add_argument("inputs", type=pathlib.Path, nargs="+", metavar="IN")
    arguments.add_argument("-o", type=pathlib.Path, required=True, metavar="OUT.ti.zst", dest="output")
    arguments.add_argument("--tags", choices=("yes", "no"))
    options = arguments.parse_args()
    try:
        ranks = read(options.inputs)
        if not ranks:
            raise Refusal(f"{options.inputs[0]}: no operation")
        asked = None if options.tags is None else options.tags == "yes"
        with tempfile.NamedTemporaryFile("w", suffix=".ti") as file:
            operations = write(ranks, tags_of(ranks, asked), file)
            file.flush()
            pack(file.name, options.output)
    except Refusal as refusal:
        print(f"convert_trace: {refusal}", file=sys.stderr)
        return 2
    print(f"{options.output}: {len(ranks)} ranks, {operations} operations, {options.output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
