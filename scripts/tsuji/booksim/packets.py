# SPDX-License-Identifier: Apache-2.0
"""Packets of BookSim2: its log, the list for a replay, and the comparison with the replay's records."""

from __future__ import annotations

import dataclasses
import gzip
import pathlib
import zlib
from collections.abc import Callable
from typing import Any

from ..errors import Refused

FIELDS = "BORN SOURCE DESTINATION FLITS INJECTED ENDED [CHANNEL]"
FEWEST = 6


@dataclasses.dataclass(frozen=True)
class Packet:
    """A line of the log; all times are cycles. `channel`: the virtual channel of injection, where the log has it."""

    born: int
    source: int
    destination: int
    flits: int
    injected: int
    ended: int
    channel: int | None = None

    @property
    def key(self) -> tuple[int, int]:
        """A source gives birth to at most one packet in a cycle."""
        return self.born, self.source

    def line(self) -> str:
        return " ".join(str(field) for field in dataclasses.astuple(self) if field is not None)

    def without_channel(self) -> Packet:
        return dataclasses.replace(self, channel=None)


@dataclasses.dataclass(frozen=True)
class Difference:
    """A packet with other cycles in the replay; `injected` and `ended` are the replay's, None where it has not ended
    there."""

    packet: Packet
    injected: int | None
    ended: int | None

    @property
    def cycle(self) -> int:
        """The first cycle in which the two runs disagree about the packet."""
        theirs, ours = (self.packet.injected, self.packet.ended), (self.injected, self.ended)
        return min(cycle for pair in zip(theirs, ours) if pair[0] != pair[1] for cycle in pair if cycle is not None)

    def text(self) -> str:
        ours = "has not ended" if self.ended is None else f"injected {self.injected}, ended {self.ended}"
        packet = self.packet
        return (f"cycle {self.cycle}: packet of {packet.flits} flits from {packet.source} to {packet.destination}, "
                f"born {packet.born}: "
                f"BookSim2 injected {packet.injected}, ended {packet.ended}; replay {ours}")


def parse(text: str, place: pathlib.Path | str) -> list[Packet]:
    """Packets by birth, then source."""
    packets: list[Any] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not FEWEST <= len(words) <= FEWEST + 1 or not all(word.isdecimal() for word in words):
            raise Refused(f"{place}:{number}", "", "not a packet", line, FIELDS)
        packets.append(Packet(*map(int, words)))
    packets.sort(key=lambda packet: packet.key)
    if not packets:
        raise Refused(place, "", "the file has no packet", accepted=FIELDS)
    for one, other in zip(packets, packets[1:]):
        if one.key == other.key:
            raise Refused(place, "", f"two packets of node {one.source} in cycle {one.born}",
                          accepted="one traffic class")
    return packets


def read(path: pathlib.Path) -> list[Packet]:
    """A log, or a list that `write` has compressed."""
    data = path.read_bytes()
    try:
        return parse((gzip.decompress(data) if path.suffix == ".gz" else data).decode(), path)
    except (OSError, EOFError, UnicodeDecodeError) as problem:
        raise Refused(path, "", f"cannot be read: {problem}", accepted=FIELDS) from None


def write(path: pathlib.Path, packets: list[Packet]) -> None:
    """The same packets give the same bytes, with any Python: the header of gzip.compress is another in 3.11 and in
    3.13."""
    text = "".join(f"{packet.line()}\n" for packet in packets)
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)  # 16: with the header of gzip, without a time
    path.write_bytes(packer.compress(text.encode()) + packer.flush())


def replay_list(packets: list[Packet], source: Callable[..., Any] = lambda node: node,
                destination: Callable[..., Any] = lambda node: node,
                birth: Callable[..., int] = lambda packet: packet.born) -> str:
    """Text of the list for `traffic.list`; `source` and `destination` are the replay's numbers of BookSim2's nodes,
    `birth` is a packet's cycle of birth there."""
    lines = [(birth(packet), source(packet.source), destination(packet.destination), packet.flits,
              *(() if packet.channel is None else (packet.channel,))) for packet in packets]
    return "".join(f"{' '.join(map(str, line))}\n" for line in sorted(lines))


def differences(packets: list[Packet], records: list[dict[str, str]],
                source: Callable[..., Any] = lambda node: node,
                birth: Callable[..., int] = lambda packet: packet.born) -> list[Difference]:
    """Of BookSim2's packets and a replay's packets.csv (dicts of texts), by the first cycle that differs."""
    replayed = {(int(record["created_cycle"]), int(record["source"])): record for record in records}
    found: list[Any] = []
    for packet in packets:
        record = replayed.get((birth(packet), source(packet.source)))
        ended = int(record["tail_cycle"]) if record and record["tail_cycle"] else None
        injected = int(record["injected_cycle"]) if ended is not None else None
        if (injected, ended) != (packet.injected, packet.ended):
            found.append(Difference(packet, injected, ended))
    return sorted(found, key=lambda difference: (difference.cycle, difference.packet.key))


def mean_latency(packets: list[Packet]) -> float:
    return sum(packet.ended - packet.born for packet in packets) / len(packets)
