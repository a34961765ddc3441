# SPDX-License-Identifier: Apache-2.0
"""Mistakes of a simulator of Cenju-4's network: parameters of independent.py that are off by one, and other readings of
its pages. independent_test.py --planted finds each of them out."""

import independent
from independent import SYNC


def network(output=independent.Output, table=independent.Table, **methods):
    return {"network": type("Mistaken", (independent.Network,),
                            {"output_class": output, "table_class": table, **methods})}


class FromInputOne(independent.Output):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.turn = 1


class CountsWithRoom(independent.Output):
    def choose(self, now):
        self.now = now
        super().choose(now)

    def count(self, asking, chosen):
        def has_room(targets):
            return all(self.fifos[t].room(self.now, self.network.credits) for t in targets)
        super().count({i: a for i, a in asking.items() if i == chosen or has_room(a[1])}, chosen)


class CountsCasts(independent.Output):
    def count(self, asking, chosen):
        if chosen < len(self.inputs):
            super().count(asking, chosen)


class CountsUnreserved(independent.Output):
    def count(self, asking, chosen):
        if self.kept_for in (None, chosen):
            super().count(asking, chosen)
        else:
            self.passed[chosen] = 0


class KeepsForForks(independent.Output):
    def count(self, asking, chosen):
        super().count({i: a for i, a in asking.items() if i == chosen or len(a[1]) > 1}, chosen)


class KeepsForLowest(independent.Output):
    def count(self, asking, chosen):
        turn, self.turn = self.turn, 0
        super().count(asking, chosen)
        self.turn = turn


class LowestSid(independent.Output):
    def owed_in_turn(self, now):
        self.sid_turn = 0
        return super().owed_in_turn(now)


class OverwrittenOwed(independent.Output):
    def owed_in_turn(self, now):
        for rounds in self.owed.values():
            for i in range(len(rounds)):
                rounds[i] = rounds[-1]
        return super().owed_in_turn(now)


class BlockingSid(independent.Output):
    def owed_in_turn(self, now):
        owed, first = self.owed, min(self.owed, key=lambda s: (s < self.sid_turn, s))
        self.owed = {first: owed[first]}
        try:
            return super().owed_in_turn(now)
        finally:
            self.owed = owed


class LastInTurn(independent.Table):
    def in_turn(self, waiting):
        return max(waiting, key=lambda i: (i - self.turn) % len(self.fifos))


class ByOutput(independent.Table):
    """Round robin over output x N + input."""

    def in_turn(self, waiting):
        n = len(self.outputs)

        def place(i):
            return i % n * n + i // n
        return min(waiting, key=lambda i: (place(i) - place((self.turn - 1) % n ** 2) - 1) % n ** 2)


class EarlyTable(independent.Table):
    def begin(self, now, chosen):
        packet = self.fifos[chosen].packets[0][0]
        self.network.pop(self.fifos[chosen], now)
        self.network.at(self.free_at, lambda: self.enter(self.free_at, chosen, packet))


def lowest_served(self, stage, line, packet):
    """The FIFO of the lowest output that the switch's entry serves, in redundant stages, too."""
    if packet.kind == SYNC and stage < self.p["stages"]:
        return [min(self.members[packet.sid][stage, self.wiring.switch(stage, line)][1])]
    return independent.Network.targets(self, stage, line, packet)


def mistakes(parameters):
    """name -> arguments of independent_test.by_independent, for a network of these parameters."""
    def more(key):
        return {"changes": {key: parameters[key] + 1}}

    other_signal = "credits" if parameters["room_signal"] == "wire" else "wire"
    return {
        "single casts take a cycle more": more("single_cast_cycles"),
        "multicasts take a cycle more": more("multicast_cycles"),
        "synchronizations take a cycle more": more("synchronization_cycles"),
        "an access to the table takes a cycle more": more("table_access_cycles"),
        "FIFOs hold a packet more": more("fifo_packets"),
        "nodes' FIFOs hold a packet more": more("node_fifo_packets"),
        "cables are a cycle longer": more("cable_cycles"),
        "a multicast is passed over once more": more("reserve_after"),
        "the other room signal": {"changes": {"room_signal": other_signal}},
        "an output's round robin begins at input 1": network(FromInputOne),
        "a multicast without room is not passed over": network(CountsWithRoom),
        "a multicast is not passed over by synchronizations": network(CountsCasts),
        "a multicast is not passed over while FIFOs are kept": network(CountsUnreserved),
        "no FIFO is kept for a multicast to one target": network(KeepsForForks),
        "FIFOs are kept for the multicast of the lowest input": network(KeepsForLowest),
        "the lowest owed sid goes first": network(LowestSid),
        "an owed packet is overwritten": network(OverwrittenOwed),
        "an owed sid holds up another": network(BlockingSid),
        "the table takes the last in turn": network(table=LastInTurn),
        "the table's turn goes by output": network(table=ByOutput),
        "a synchronization leaves its FIFO as the access begins": network(table=EarlyTable),
        "a synchronization goes into the lowest FIFO of a redundant switch": network(targets=lowest_served),
    }
