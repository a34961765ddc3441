# SPDX-License-Identifier: Apache-2.0
"""Valid input files, drawn from a random number generator: topologies, packet lists, matrices, traces."""

import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "platforms"))
import machine  # noqa: E402  (the tests' own random MPI programs)


def topology_text(rng):
    """A connected graph, with every kind of statement that a topology file may have."""
    routers = rng.randint(1, 9)
    lines = []
    for router in range(1, routers):
        lines.append(link_line(rng, router, rng.randrange(router)))
    for _ in range(rng.randint(0, routers)):
        a, b = rng.randrange(routers), rng.randrange(routers)
        if a != b:
            lines.append(link_line(rng, a, b))
            if rng.random() < 0.2:
                lines[-1] += " one-way"
    nodes = 0
    for router in range(routers):
        for _ in range(rng.choice([1, 1, 1, 2, 0] if routers > 1 else [2])):
            place = f"in {router} out {rng.randrange(routers)}" if rng.random() < 0.1 else f"at {router}"
            lines.append(f"node {nodes} {place}")
            nodes += 1
    if nodes == 0:
        lines.append("node 0 at 0")
    if rng.random() < 0.3:
        lines += [f"router {router} at {router} {router % 3}" for router in range(routers)]
    rng.shuffle(lines)
    return "# a random graph\n" + "\n".join(lines) + "\n"


def link_line(rng, a, b):
    latency = rng.choice(["", "", f" latency {rng.randint(1, 9)}", f" latency {rng.choice([1, 2, 40, 300])}"])
    return f"link {a} {b}{latency}"


def packet_list_text(rng, nodes, longest):
    """Packets of each source in the order of their cycles."""
    lines, cycle = [], 0
    horizon = rng.choice([1, 10, 100, 1000])
    for _ in range(rng.randint(1, 120)):
        cycle += rng.choice([0, rng.randrange(horizon)])
        if rng.random() < 0.001:
            cycle += rng.choice([2 ** 40, 2 ** 61])  # beyond what a clock may count
        lines.append(f"{cycle} {rng.randrange(nodes)} {rng.randrange(nodes)} {rng.randint(1, longest)}")
    return "\n".join(lines) + "\n"


def matrix_text(rng, nodes):
    pairs = [(a, b) for a in range(nodes) for b in range(nodes) if a != b or rng.random() < 0.1]
    chosen = rng.sample(pairs, min(len(pairs), rng.randint(1, 3 * nodes))) or [(0, 0)]
    if rng.random() < 0.5:  # a closed loop wants every receiver to send
        senders = {a for a, _ in chosen}
        chosen = [(a, b) for a, b in chosen if b in senders] or [(0, 0)]
    return "".join(f"{a} {b} {rng.choice([1, 2, 0.5, rng.random()])}\n" for a, b in chosen)


def trace_text(rng, ranks):
    program = machine.RandomProgram(rng.getrandbits(32), ranks, phases=rng.randint(1, 3), messages=rng.randint(1, 8),
                                    largest=rng.choice([64, 3000, 9000]))
    return machine.trace_text(program.operations)


class InputFolder:
    """Writes files with names of their own, the same for the same calls."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.names = []

    def write(self, kind, text):
        path = self.folder / f"{len(self.names) + 1}_{kind}"
        self.names.append(str(path))
        path.write_text(text, encoding="utf-8")
        return str(path)
