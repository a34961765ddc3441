# SPDX-License-Identifier: Apache-2.0
"""scripts/against_booksim: see platforms/reproduce/booksim/README.md."""

from __future__ import annotations

import argparse
import os
import pathlib
import shlex
import sys
from typing import Any, TYPE_CHECKING

from .. import runs
from ..errors import Refused, RunFailed
from . import configuration, packets, replay, set_ups, simulator, translation

if TYPE_CHECKING:
    from ..booksim.configuration import Configuration
    from ..booksim.replay import Means, Packets


def count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text}: accepted: an integer 1..1000000")
    return number


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="against_booksim",
                                     description="Plays a configuration in BookSim2, replays its packets here, and "
                                     "compares every packet's cycles of injection and end. Exit 0: all equal, 1: "
                                     "different, 2: bad arguments.")
    parser.add_argument("words", nargs="*", metavar="FILE|KEY=VALUE",
                        help="BookSim2's configuration, later words on top of earlier ones")
    parser.add_argument("--booksim", required=True, metavar="DIR",
                        help="a folder with a built BookSim2 that writes its packets")
    parser.add_argument("--fuzz", type=count, metavar="N", help="N random set-ups, on top of which the words are")
    parser.add_argument("--seed", type=int, default=1, help="of --fuzz (default: 1)")
    parser.add_argument("--adaptive", action="store_true",
                        help="--fuzz draws min_adapt, too: BookSim2 is repaired (handbook, Faults of BookSim2)")
    parser.add_argument("--seconds", type=count, default=600, metavar="S",
                        help="a run of BookSim2 may take (default: 600)")
    parser.add_argument("--out", type=pathlib.Path, default=runs.ROOT / "out" / "against_booksim", metavar="DIR",
                        help="configuration, packets and replay (default: out/against_booksim)")
    parser.add_argument("--list", type=pathlib.Path, metavar="FILE.gz",
                        help="BookSim2's packets, compressed, as scripts/reproduce keeps them")
    parser.add_argument("--platforms", type=pathlib.Path, default=runs.PLATFORMS, help=argparse.SUPPRESS)
    arguments = parser.parse_intermixed_args(words)
    if not arguments.words and not arguments.fuzz:
        parser.error("no configuration: a file of BookSim2 or KEY=VALUE, or --fuzz N")
    if arguments.list and arguments.fuzz:
        parser.error("--list: not with --fuzz, whose packets are of many runs")
    arguments.out, arguments.platforms = arguments.out.resolve(), arguments.platforms.resolve()
    return arguments


def compare(arguments: argparse.Namespace, booksim: pathlib.Path,
            wanted: Configuration) -> tuple[Means | Packets, tuple[Any, ...]]:
    """The answer of a replay, and notes about a difference."""
    translated = translation.translate(wanted)
    sent = simulator.run(booksim, wanted, arguments.out, arguments.seconds)
    if not translated.draws_channel:
        sent = [packet.without_channel() for packet in sent]
    elif any(packet.channel is None for packet in sent):
        raise Refused("", "--booksim", "its packets have no channel of injection, which this topology draws",
                      str(booksim), "a build with the log of platforms/reproduce/booksim/README.md")
    return replay.compare(translated, sent, arguments.out, arguments.platforms), translated.notes


def plural(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def one(arguments: argparse.Namespace, booksim: pathlib.Path) -> int:
    answer, notes = compare(arguments, booksim, configuration.read(arguments.words))
    if arguments.list:
        packets.write(arguments.list, answer.packets)
    for line in answer.lines():
        print(line)
    for note in () if answer.equal else notes:
        print(f"note: {note}")
    print(f"files: {arguments.out}")
    return 0 if answer.equal else 1


def fuzz(arguments: argparse.Namespace, booksim: pathlib.Path) -> int:
    on_top, bad, total = configuration.read(arguments.words), 0, 0
    for number in range(1, arguments.fuzz + 1):
        drawn = set_ups.draw_set_up(arguments.seed, number, arguments.adaptive)
        for key, value in on_top.values.items():
            drawn.set(key, value, on_top.places[key])
        answer, _ = compare(arguments, booksim, drawn)
        total += len(answer.packets)
        if not answer.equal:
            bad += 1
            print(f"set-up {number}: {' '.join(shlex.quote(f'{key}={value}') for key, value in drawn.values.items())}")
            print(*answer.lines(), sep="\n", flush=True)
    print(f"{plural(arguments.fuzz, 'set-up')}, {plural(total, 'packet')}: " +
          (f"{plural(bad, 'set-up')} with different packets" if bad else "all packets equal"))
    return 1 if bad else 0


def main(words: list[str]) -> int:
    arguments = parse(words)
    try:
        booksim = simulator.find(arguments.booksim)
        return (fuzz if arguments.fuzz else one)(arguments, booksim)
    except (Refused, RunFailed) as failure:
        print(f"against_booksim: {failure}", file=sys.stderr)
        return 2 if isinstance(failure, Refused) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # the reader may stop reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
