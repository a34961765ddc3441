# SPDX-License-Identifier: Apache-2.0
"""scripts/import_booksim: a configuration of BookSim2 as one of the platform `network`, with its traffic. A key without
a counterpart is refused by name."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import sys
from typing import Any, TYPE_CHECKING

from ..errors import Refused
from . import anynet, configuration, translation

if TYPE_CHECKING:
    from ..booksim.configuration import Configuration
    from ..booksim.translation import Reader

PATTERNS = {"uniform": "uniform", "transpose": "transpose", "bitcomp": "bit_complement", "bitrev": "bit_reverse",
            "shuffle": "shuffle", "tornado": "tornado", "neighbor": "neighbour", "randperm": "permutation"}
# Topologies that this import takes with other keys than a replay, with their routing functions and those of `network`.
LOW_DIAMETER = {"cmesh": {"dor_no_express": "dimension_order"},
                "flatfly": {"ran_min": "minimal", "valiant": "valiant", "ugal": "ugal"},
                "dragonflynew": {"min": "minimal", "ugal": "ugal"}, "anynet": {"min": "source_table"}}
# Topologies that number nodes by their places on a grid, as `network` does with other digits of their numbers.
PERMUTED = ("cmesh", "flatfly")
DEFAULTS = {"traffic": "uniform", "injection_rate": "0.1", "injection_rate_uses_flits": "0", "packet_size": "1",
            "injection_process": "bernoulli", "sample_period": "1000", "warmup_periods": "3", "seed": "0", "c": "1",
            "perm_seed": "0", "n": "2", "x": "8", "y": "8", "xr": "1", "yr": "1"}
DRAWN = "random numbers are this simulator's: equal are means, not single packets"
OTHER_CHANNELS = "virtual channels and thresholds of adaptive routing are chosen by other rules"
OTHER_TIES = "of several shortest paths another may be taken"


def imported(wanted: Configuration, topology_path: pathlib.Path | None = None) -> tuple[dict[str, Any], list[str]]:
    """Keys of `network`, and notes about what differs. `topology_path`: the file that an anynet's topology is written
    to."""
    if wanted.values.get("hold_switch_for_packet") == "1" and value(wanted, "packet_size") == "1":
        wanted.set("hold_switch_for_packet", "0", wanted.places["hold_switch_for_packet"])  # held up to the tail
    topology = wanted.values.get("topology", translation.TRANSLATED["topology"])
    if topology in LOW_DIAMETER:
        keys, notes = low_diameter(wanted, topology, topology_path)
    else:
        if topology not in translation.ROUTINGS:
            raise wanted.refused("topology", "not translated",
                                 ", ".join(dict.fromkeys([*translation.ROUTINGS, *LOW_DIAMETER])))
        translated = translation.translate(wanted)
        keys, notes = dict(translated.keys), list(translated.notes)
    return {**keys, **traffic(wanted, topology)}, [DRAWN, *notes]


def value(wanted: Configuration, key: str) -> str:
    return wanted.values.get(key, DEFAULTS[key])


def number(wanted: Configuration, key: str, low: float, high: float, kind: type = int) -> Any:
    text = value(wanted, key)
    try:
        found = kind(text)
    except ValueError:
        found = None
    if found is None or not low <= found <= high:
        raise wanted.refused(key, "not translated", f"{'an integer' if kind is int else 'a number'} {low}..{high}")
    return found


def low_diameter(wanted: Configuration, topology: str,
                 topology_path: pathlib.Path | None) -> tuple[dict[str, Any], list[str]]:
    translation.check_keys(wanted)
    read = translation.Reader(wanted)
    routing = LOW_DIAMETER[topology][read.word("routing_function", tuple(LOW_DIAMETER[topology]))]
    read.word("sim_type", ("latency", "throughput"))
    vcs = read.integer("num_vcs", 1, 16)
    router_keys = translation.router_keys(read, vcs)
    there = any_network(wanted, topology_path) if topology == "anynet" else places(wanted, read, topology)
    keys: dict[str, Any] = {**translation.LIKE_BOOKSIM, **there, "routing.kind": routing, **router_keys,
                            "link.credit_process_cycles": read.integer("credit_delay", 0, 1000)}
    others: dict[str, list[str]] = {"cmesh": [], "anynet": [OTHER_TIES]}
    return keys, others.get(topology, [OTHER_CHANNELS])


def any_network(wanted: Configuration, topology_path: pathlib.Path | None) -> dict[str, Any]:
    network = anynet.Network(wanted)
    if topology_path is None:
        raise wanted.refused("topology", "needs a file for its topology", "--topology FILE before the configuration")
    try:
        topology_path.write_text(network.text(), encoding="utf-8")
    except OSError as problem:
        raise Refused("--topology", str(topology_path), f"cannot be written: {problem}",
                      accepted="a file for the topology") from None
    return {"topology.kind": "file", "topology.file": str(topology_path)}


def places(wanted: Configuration, read: Reader, topology: str) -> dict[str, Any]:
    if topology == "dragonflynew":
        k = read.integer("k", 1, 16)
        if read.integer("n", 1, 8) != 1:
            raise wanted.refused("n", "no such dragonfly in BookSim2", "1")
        return translation.dragonfly_keys(k)
    k, n, c = read.integer("k", 2, 64), read.integer("n", 1, 8), number(wanted, "c", 1, 256)
    keys = {"topology.kind": "hyperx" if topology == "flatfly" else "mesh", "topology.radices": [k] * n,
            "topology.nodes_per_router": c}
    if not read.integer("use_noc_latency", 0, 1):
        return keys
    # Routers lie on a grid of x by y, each among xr by yr nodes, which are one length apart.
    side = number(wanted, "xr", 1, 3)
    for key, needed in (("n", 2), ("x", k), ("y", k), ("yr", side), ("c", side * side)):
        if number(wanted, key, 0, 1 << 20) != needed:
            raise wanted.refused(key, "latencies by the lengths of links are translated for square grids of routers "
                                 "and their nodes alone", f"{needed}, or use_noc_latency = 0")
    if topology == "cmesh":
        return {**keys, "link.latency_cycles": c // n}
    return {**keys, "topology.dimension_latency_cycles": [side, side], "topology.step_latency_cycles": [side, side]}


def traffic(wanted: Configuration, topology: str) -> dict[str, Any]:
    pattern = value(wanted, "traffic")
    other_numbers = topology in LOW_DIAMETER or topology == "fly"
    # Every digit of a node's number becomes its complement, in whatever order the digits are.
    accepted = ["uniform", "bitcomp"] if topology in PERMUTED else ["uniform"] if other_numbers else [*PATTERNS]
    if pattern not in accepted:
        raise wanted.refused("traffic", "not translated" if pattern not in PATTERNS else
                             f"nodes of {topology} have other numbers", ", ".join(accepted))
    if value(wanted, "injection_process") != DEFAULTS["injection_process"]:
        raise wanted.refused("injection_process", "not translated", DEFAULTS["injection_process"])
    if not re.fullmatch(r"\d+", value(wanted, "packet_size")):
        raise wanted.refused("packet_size", "not translated", "an integer 1..100000")
    flits = number(wanted, "packet_size", 1, 100_000)
    load = number(wanted, "injection_rate", 0, 1, float)
    if not number(wanted, "injection_rate_uses_flits", 0, 1):
        load *= flits
    if load > 1:
        raise wanted.refused("injection_rate", f"{load:g} flits a cycle of each node", "at most 1")
    period = number(wanted, "sample_period", 1, 10**9)
    keys = {"traffic.pattern": PATTERNS[pattern], "traffic.load_flits_per_node_cycle": load,
            "traffic.packet_flits": flits, "measure.warmup_cycles": period * number(wanted, "warmup_periods", 0, 1000),
            "measure.cycles": period}
    return {**keys, "seed": number(wanted, "seed", 0, 2**31 - 1)} if "seed" in wanted.values else keys


def text(keys: dict[str, Any], notes: list[str]) -> str:
    """The keys as YAML, section by section, under the notes as comments."""
    sections: dict[str, list[str]] = {}
    for key, setting in keys.items():
        section, _, name = key.rpartition(".")
        sections.setdefault(section, []).append(f"{name}: {json.dumps(setting)}")
    lines = [f"# {note}" for note in notes]
    for section, entries in sections.items():
        lines += [f"{section}:", *(f"  {entry}" for entry in entries)] if section else entries
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="import_booksim", description="Writes a configuration of BookSim2 as one of "
                                     "the platform network, to the standard output. Exit 2: a key has no counterpart.")
    parser.add_argument("--topology", type=pathlib.Path, metavar="FILE",
                        help="with topology = anynet: file to which the topology is written")
    parser.add_argument("words", nargs="+", metavar="FILE|KEY=VALUE",
                        help="BookSim2's configuration, later words on top of earlier ones")
    arguments = parser.parse_args(words)
    try:
        print(text(*imported(configuration.read(arguments.words), arguments.topology)), end="")
        return 0
    except Refused as refusal:
        print(f"import_booksim: {refusal}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # the reader may stop reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
