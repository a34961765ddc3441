#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random packets through the crosspoint network, by the C++ model (played_packets.cpp) and by the simulator of
independent.py: each departure and each delivery is the same packet in the same cycle at the same node in both.

    independent_test.py build/played_packets                          # 24 set-ups
    independent_test.py --setups 5000 --seed 7 build/played_packets   # others, as many as wanted
    independent_test.py --planted build/played_packets                # simulators with a mistake are found out

A set-up is a network and its packets, drawn from the seed and the set-up's number. The first one that differs ends the
run with exit status 1, and its stimulus is kept: both programs read it.
"""

import argparse
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import independent
from independent import MULTI, SINGLE, SYNC
from independent_mistakes import mistakes

LONGEST_FLITS = 115
# Shares of packets, cycles and the like are drawn from short lists, so that their ends are met often.


def draw_parameters(rng):
    """Sizes, times and signals of a network."""
    radix = rng.choice([4, 4, 4, 4, 4, 2, 3, 5, 8, 16])
    nodes = rng.choice([rng.randint(2, 16), 16, rng.randint(17, 64), rng.randint(17, 64), 64, 64,
                        rng.randint(65, 256), rng.choice([rng.randint(65, 256), 1024])])
    digits = 1
    while radix ** digits < nodes:
        digits += 1
    return {
        "nodes": nodes, "radix": radix, "stages": digits + rng.choice([0, 0, 1, 2]),
        "fifo_packets": rng.randint(1, 4), "node_fifo_packets": rng.randint(1, 4),
        "cable_cycles": rng.choice([0, 0, rng.randint(1, 10)]),
        "room_signal": rng.choice(["wire", "wire", "credits"]),
        "reserve_after": rng.choice([4, 4, rng.randint(1, 8)]),
        "single_cast_cycles": rng.choice([10, 10, 10, rng.randint(6, 14)]),
        "multicast_cycles": rng.choice([15, 15, 15, rng.randint(6, 18)]),
        "synchronization_cycles": rng.choice([16, 16, 16, rng.randint(16, 20)]),
        "table_access_cycles": rng.choice([2, 2, 2, rng.randint(1, 4)]),
        "mode": rng.choice(["event_per_packet", "event_per_packet", "flit_by_flit"]),
        "shuffle_seed": rng.choice([0, rng.randint(1, 1000)]),
    }


class Stimulus:
    """About `packets` packets for a network of `nodes` nodes."""

    def __init__(self, rng, nodes, packets):
        self.rng, self.nodes, self.lines = rng, nodes, []
        self.born = collections.Counter()  # by source: its last cast
        shortest = rng.choice([2, 4, 7, 10])
        self.flits = (shortest, rng.choice([shortest, 12, 40, LONGEST_FLITS]))
        self.pause = rng.choice([0, 5, 20, 60, 200])  # of a source, twice the mean
        self.stall = rng.choice([0, 0, 30, 300])
        self.sources = self.hot = range(nodes)
        if nodes > 64:
            self.add_casts(packets)
        elif rng.random() < 0.3:
            self.hold_up(packets)
        else:
            self.mix(packets)

    def text(self, parameters):
        keys = [f"{key} {value}" for key, value in parameters.items()]
        return "\n".join(keys + [f"packet {i} {line}" for i, line in enumerate(self.lines)]) + "\n"

    def mix(self, packets):
        share = self.rng.choice([0, 0.2, 0.8, 1])
        if share:
            self.add_synchronizations(int(packets * share), self.rng.choice([1, 3, 10, 30, 100]),
                                      self.rng.choice([1, 3, 10]), self.rng.choice([1, 3, 50]))
        self.hot = self.rng.sample(range(self.nodes), min(self.nodes, self.rng.choice([1, 3, self.nodes])))
        self.add_casts(packets - len(self.lines))

    def hold_up(self, packets):
        """Casts to a slow node hold up an output that owes a round, while the other members complete the next one."""
        stall, self.stall, self.pause = self.rng.choice([100, 300]), 0, self.rng.choice([0, 20])
        self.add_synchronizations(2 * packets, 5, 6, 1)
        self.stall = stall
        self.sources, self.hot = (self.rng.sample(range(self.nodes), min(self.nodes, n)) for n in (4, 1))
        self.add_casts(packets // 3)

    def add(self, cycle, source, flits, what):
        stall = self.rng.randint(0, self.stall) if self.rng.random() < 0.7 else 0
        self.lines.append(f"{cycle} {source} {flits} {stall} {what}")

    def members(self, size):
        """Bits of some of `size` nodes."""
        count = self.rng.choice([1, min(2, size), self.rng.randint(1, size), self.rng.randint(1, size), size])
        return sum(1 << node for node in self.rng.sample(range(size), count))

    def add_casts(self, packets):
        multicasts = self.rng.choice([0, 0.1, 0.5, 1])
        for _ in range(packets):
            source = self.rng.choice(self.sources)
            self.born[source] += self.rng.randint(0, self.pause)
            if self.rng.random() < multicasts:
                group = self.rng.randrange((self.nodes + 63) // 64)
                what = f"{MULTI} {group} {self.members(min(64, self.nodes - 64 * group)):#x}"
            else:
                what = f"{SINGLE} {self.rng.choice(self.hot if self.rng.random() < 0.7 else range(self.nodes))}"
            self.add(self.born[source], source, self.rng.randint(*self.flits), what)

    def add_synchronizations(self, packets, sids, rounds, gap):
        """Rounds of up to `sids` sids; each member sends the next up to `gap` cycles after its completion."""
        flits = self.rng.choice([(4, 12), (10, 10)])
        for sid in self.rng.sample(range(128), sids):
            bits = self.members(self.nodes)
            members = independent.nodes_of(bits)
            if self.lines and len(self.lines) + len(members) * rounds > packets:
                break
            for member in members:
                for _ in range(rounds):
                    self.add(self.rng.randint(0, 2 * self.pause), member, self.rng.randint(*flits),
                             f"{SYNC} {sid} {bits:#x} {self.rng.randint(1, gap)}")


def draw(seed, setup, packets):
    rng = random.Random(f"{seed} {setup}")
    parameters = draw_parameters(rng)
    return Stimulus(rng, parameters["nodes"], packets).text(parameters)


def by_model(executable, path):
    """The lines that the C++ model prints."""
    done = subprocess.run([executable, path], capture_output=True, text=True, check=False,
                          env={**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"})
    lines = done.stdout.splitlines()
    if done.returncode or not all(line.startswith(("left ", "came ")) for line in lines):
        raise RuntimeError(f"exit status {done.returncode} of {executable} {path}\n{done.stderr}{done.stdout[:300]}")
    return lines


def by_independent(text, network=independent.Network, changes=None):
    """The lines of the independent simulator, or of `network`, under changed parameters."""
    parameters, packets = independent.read_stimulus(text)
    parameters.update(changes or {})
    return independent.result_lines(network(parameters, packets).run())


def cycle_of(line):
    words = line.split()
    return int(words[2] if words[0] == "left" else words[3])


def first_difference(model, other):
    """Text on the earliest packet that differs, or None. Lines are counted: with a wrong identity one comes twice."""
    model_alone = collections.Counter(model) - collections.Counter(other)
    other_alone = collections.Counter(other) - collections.Counter(model)
    if not model_alone and not other_alone:
        return None
    first = min((*model_alone, *other_alone), key=lambda line: (cycle_of(line), line))
    key = " ".join(first.split()[:2 if first.startswith("left") else 3]) + " "
    both = ["; ".join(line for line in lines if line.startswith(key)) or "nothing" for lines in (model, other)]
    return (f"first difference: packet {first.split()[1]}\n  model:       {both[0]}\n  independent: {both[1]}\n"
            f"  lines of the model alone: {sum(model_alone.values())}, "
            f"of the independent simulator alone: {sum(other_alone.values())}")


def planted(arguments, folder):
    """Every mistake shows in one of the set-ups, and the first difference names packet and cycles."""
    left = set(mistakes(independent.DEFAULTS))
    for setup in range(arguments.setups):
        text = draw(arguments.seed, setup, arguments.packets)
        parameters = independent.read_stimulus(text)[0]
        if parameters["nodes"] > 64:  # which synchronize nothing
            continue
        (folder / "stimulus").write_text(text)
        model = by_model(arguments.executable, folder / "stimulus")
        if first_difference(model, by_independent(text)):
            print(f"set-up {setup} of seed {arguments.seed} differs without a mistake")
            return 1
        for name, mistake in mistakes(parameters).items():
            if name in left and first_difference(model, by_independent(text, **mistake)):
                print(f"found in set-up {setup}: {name}")
                left.remove(name)
        if not left:
            break
    for name in sorted(left):
        print(f"not found: {name}")
    # 1 cycle on the channel and 2 switches: packet 8 of 10 flits leaves in cycle 5.
    text = "nodes 16\nstages 2\npacket 8 5 3 10 0 single 9\n"
    (folder / "stimulus").write_text(text)
    told = first_difference(by_model(arguments.executable, folder / "stimulus"),
                            by_independent(text, changes={"single_cast_cycles": 11}))
    expected = "first difference: packet 8\n  model:       came 8 9 26 35\n  independent: came 8 9 28 37\n"
    if not told or not told.startswith(expected):
        print(f"{told}\nin the place of\n{expected}")
        return 1
    return 1 if left else 0


def difference_of(arguments, text, path, counts):
    """Text on the first difference of a set-up, or None; adds its packets to `counts`."""
    changes = {key: int(value) if value.isdigit() else value for key, value in arguments.change}
    try:
        other = by_independent(text, changes=changes)
        difference = first_difference(by_model(arguments.executable, path), other)
    except (AssertionError, RuntimeError) as problem:
        return f"{type(problem).__name__}: {problem}"
    kinds = collections.Counter(line.split()[6] for line in text.splitlines() if line.startswith("packet"))
    events = collections.Counter(line.split()[0] for line in other)
    counts.update(kinds + events)
    if not difference and events["left"] != sum(kinds.values()):
        difference = f"{events['left']} of {sum(kinds.values())} packets left, in both"
    return difference


def compared(arguments, folder):
    """Compares all set-ups and prints how much that was; an interrupt ends it early."""
    counts = collections.Counter()
    differing = done = 0
    try:
        for setup in range(arguments.first, arguments.first + arguments.setups):
            text = draw(arguments.seed, setup, arguments.packets)
            path = folder / f"seed_{arguments.seed}_setup_{setup}"
            path.write_text(text)
            difference = difference_of(arguments, text, path, counts)
            done += 1
            if not difference:
                path.unlink()
                continue
            differing += 1
            print(f"set-up {setup} of seed {arguments.seed}, kept as {path}\n{difference}", flush=True)
            if not arguments.keep_going:
                break
    except KeyboardInterrupt:
        print("interrupted")
    print(f"set-ups {done}, differing {differing}; single casts {counts[SINGLE]}, multicasts {counts[MULTI]}, "
          f"synchronizations {counts[SYNC]}, departures {counts['left']}, deliveries {counts['came']}")
    return 1 if differing else 0


def change(text):
    """KEY=VALUE of the command line."""
    key, _, value = text.partition("=")
    if key not in independent.DEFAULTS or not value:
        raise argparse.ArgumentTypeError(f"{text} is none of "
                                         + ", ".join(f"{key}=VALUE" for key in independent.DEFAULTS))
    return key, value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setups", type=int, default=24)
    parser.add_argument("--first", type=int, default=0, help="number of the first set-up")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packets", type=int, default=300, help="of a set-up, about")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--keep-going", action="store_true", help="on to the next set-up after a difference")
    parser.add_argument("--change", metavar="KEY=VALUE", action="append", default=[], type=change,
                        help="a parameter of the independent simulator alone")
    parser.add_argument("executable")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tsuji-independent-"))
    failed = (planted if arguments.planted else compared)(arguments, folder)
    if not failed or arguments.planted:
        shutil.rmtree(folder)
    return failed


if __name__ == "__main__":
    sys.exit(main())
