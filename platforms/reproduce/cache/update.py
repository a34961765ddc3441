# SPDX-License-Identifier: Apache-2.0
"""Packets one after the other from one switch to the next, while a link fails and returns: each change of routes
empties the caches of all switches, so that the next packet misses, and the one after that hits."""

from reproduction import Findings, Row, Run, exactly

from . import equations, switches

TITLE = "Latency of a switch before and after a change of routes"
SOURCE = "Hirasawa 2020, section 3.2"
# Two switches, and a third beside them whose link fails and returns: no packet takes it.
SWITCHES = "\n".join([*(f"router {router} ports {ports}" for router, ports in ((0, 2), (1, 3), (2, 1))),
                      "link 0.1 1.1", "link 1.2 2.0", "node 0 at 0", "node 1 at 1"]) + "\n"
EVERY, FLITS = 1000, 1  # cycles between packets
CHANGES = (2, 4)  # packets before which routes change: a link fails, and returns
PACKETS = 6
CASE = equations.CASES[1]
EXPECTED = [CASE["rest"] + CASE["miss" if number in (0, *CHANGES) else "hit"] for number in range(PACKETS)]
CHANGED_EARLIER = EVERY // 2
OTHER_LINK = 1
ROWS = [
    Row("emptied", "time in a switch of packets 1 to 6; routes change before the third and the fifth",
        "the cache is emptied where routes change: "
        + ", ".join("miss" if number in (0, *CHANGES) else "hit" for number in range(PACKETS)),
        exactly(EXPECTED), unit="ns", number=EXPECTED, runs=("cached",)),
    Row("unchanged", "the same without a change of routes", "no update without a change: one miss, then hits",
        exactly([EXPECTED[0]] + [EXPECTED[1]] * (PACKETS - 1)), unit="ns", runs=("no change",)),
]


def plan(setting):
    packets = "".join(f"{EVERY * number} 0 1 {FLITS}\n" for number in range(PACKETS))
    keys = {"topology.kind": "file", "topology.file": setting.input_file("switches.topology", SWITCHES),
            "routing.kind": "up_down", "routing.paths": "one", "traffic.kind": "list",
            "traffic.list": setting.input_file("packets.list", packets), "measure.warmup_cycles": 0,
            "measure.cycles": EVERY * (PACKETS + 1), "router.va_cycles": 1, "router.sa_cycles": 1,
            "router.st_cycles": CASE["rest"] - 2, **switches.cached(1, warm=False)}
    down, up = (EVERY * packet - CHANGED_EARLIER for packet in CHANGES)
    return {"cached": Run("network", keys={**keys, "link.faults": f"{OTHER_LINK}@{down}:{up}"}, options=("--records",)),
            "no change": Run("network", keys=keys, options=("--records",))}


def switch_ns(result):
    """Of each packet, the mean over its switches; a cycle is 1 ns."""
    return [int(packet["router_cycles"]) / int(packet["hops"]) for packet in result.packets()]


def evaluate(_setting, results):
    times = {name: switch_ns(result) for name, result in results.items()}
    table = [{"routes": name, "packet": number + 1, "switch_ns": time}
             for name, each in times.items() for number, time in enumerate(each)]
    values = {"emptied": times["cached"], "unchanged": times["no change"]}
    notes = [f"a link that no packet takes fails in cycle {EVERY * CHANGES[0] - CHANGED_EARLIER:,} and returns in "
             f"{EVERY * CHANGES[1] - CHANGED_EARLIER:,}"]
    return Findings(values, table, lambda figure: draw(figure, times), notes)


def draw(figure, times):
    axes = figure.subplots()
    for name, label in (("cached", "routes change"), ("no change", "no change")):
        axes.plot(range(1, PACKETS + 1), times[name], "o-", label=label)
    axes.set_xlabel("packet")
    axes.set_ylabel("latency of a switch (ns)")
    axes.set_ylim(bottom=0)
    axes.set_title(TITLE)
    axes.legend()
