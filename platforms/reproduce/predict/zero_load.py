# SPDX-License-Identifier: Apache-2.0
"""Packets alone in a network, one after the other, and the hits of each from its record."""

import random

from reproduction import Run

APART_CYCLES = 100  # between births; a packet takes less than half of it
FLITS = 5


def every_pair(nodes):
    pairs = [(source, destination) for source in range(nodes) for destination in range(nodes)]
    random.Random(1).shuffle(pairs)  # an order of no meaning: inputs that share a port up hold it in turn
    return pairs


def sampled_pairs(nodes, count):
    draw = random.Random(1)
    return [(draw.randrange(nodes), draw.randrange(nodes)) for _ in range(count)]


def run(setting, config, name, pairs, keys, seconds, apart=APART_CYCLES, flits=FLITS):
    """`name` of the list of packets. Each has a record."""
    lines = "".join(f"{apart * number} {source} {destination} {flits}\n"
                    for number, (source, destination) in enumerate(pairs))
    keys = {"traffic.kind": "list", "traffic.list": setting.input_file(f"{name}.list", lines),
            "measure.warmup_cycles": 0,
            "measure.cycles": apart * len(pairs), **keys}
    return Run("network", config, keys, ("--records",), seconds)


def packets(result):
    """Of each packet, in order: source, destination, visits to routers, hits, latency. A visit takes three cycles, RC,
    VSA and ST, and a hit ST alone. ValueError where that is not what the routers have counted, or packets meet."""
    found, lines = [], result.packets()
    for before, line in zip([None] + lines, lines):
        if before is not None and int(before["tail_cycle"]) >= int(line["created_cycle"]):
            raise ValueError(f"packets {before['packet']} and {line['packet']} are under way at once")
        visits, cycles = int(line["hops"]), int(line["router_cycles"])
        if (3 * visits - cycles) % 2:
            raise ValueError(f"packet {line['packet']}: {visits} visits and {cycles} cycles in routers")
        found.append((int(line["source"]), int(line["destination"]), visits, (3 * visits - cycles) // 2,
                      int(line["latency_cycles"])))
    for metric, place in (("prediction_visits", 2), ("prediction_hits", 3)):
        if metric in result.json["metrics"] and result.metric(metric) != sum(packet[place] for packet in found):
            raise ValueError(f"{metric}: routers have counted {result.metric(metric)}, "
                             f"the records say {sum(packet[place] for packet in found)}")
    return found
