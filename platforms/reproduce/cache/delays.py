# SPDX-License-Identifier: Apache-2.0
"""A message of one packet from every node at once, in the machines of fig. 7-9: the time that each spends in a switch,
without a cache and with one that holds every way. Waits for outputs are not part of it; a look-up that waits for
another one is."""

from reproduction import Row, Run, exactly

from . import equations

SERIES = ("conventional", "cached")
BYTES, DOUBLE = 8, 6  # size of the messages, and the traces' number of their type


def row(case):
    """Table 1, in the machine that runs the applications."""
    times = equations.CASES[case]
    paper = [times["rest"] + times[lookup] for lookup in ("none", "hit")]
    return Row("switch", "time in a switch, a message of every node at once: no cache, cache (all that occur)",
               f"{paper[0]} / {paper[1]} ns (table 1)", exactly([[time] for time in paper]), unit="ns",
               by_definition=True)


def trace(ranks):
    """Every rank sends to another one, all to different ones, and waits for its own message. Routes cross in many
    switches."""
    lines = []
    for rank in range(ranks):
        sources = [other for other in range(ranks) if target(other, ranks) == rank]
        lines += [f"{rank} init", f"{rank} send {target(rank, ranks)} 0 {BYTES} {DOUBLE}",
                  *(f"{rank} recv {source} 0 {BYTES} {DOUBLE}" for source in sources), f"{rank} finalize"]
    return "\n".join(lines) + "\n"


def target(rank, ranks):
    return (7 * rank + 3) % ranks


def plan(setting, config, ranks, keys_of, seed=None):
    """`keys_of(series)`: keys of its look-ups."""
    path = setting.input_file(f"one_message_each{ranks}.ti", trace(ranks))
    topology = {} if seed is None else {"topology.seed": seed}
    return {f"switch {series}": Run("network", config, {"workload.kind": "trace", "workload.trace": path,
                                                        **keys_of(series), **topology},
                                    ("--records",), seconds=0.3)
            for series in SERIES}


def value(results):
    """All times in a switch that occur, by series; a cycle is 1 ns."""
    return [sorted({int(packet["router_cycles"]) / int(packet["hops"])
                    for packet in results[f"switch {series}"].packets()}) for series in SERIES]
