# SPDX-License-Identifier: Apache-2.0
"""A second simulator of Cenju-4's network, written from Kanoh 2000, section 3, and the READMEs of
models/tsuji/crosspoint, models/tsuji/graph, models/tsuji/network and models/tsuji/link; the sources of switch, arbiter,
table and channel were opened when it agreed. independent_test.py compares the two.

    independent.py STIMULUS     # prints each departure and each delivery, as played_packets does

A loop over the cycles in which something happens: first slots are freed and accesses to tables end, then tables begin
an access, then sources and outputs start packets.

Readings of what those pages leave open; each other one that was tried differs from the model (independent_mistakes.py):

- Turns. Every round robin begins at 0 and goes on after the one that was served: an output over its inputs, then its
  synchronizations; among the sids that it owes from sid 0, over those whose target may be filled; a table over
  input x N + output of its FIFOs.
- Passed over. A multicast head counts every packet that its output starts while it waits for it, with room or without,
  synchronizations included, also while FIFOs are kept for another. Only its own start clears the count.
- Reservation. It is made in the cycle in which the count gets there, for a multicast to one target, too; a FIFO that is
  kept is closed to synchronizations as well.
- Heads. A packet is head of its FIFO from the cycle in which the slot before it is free: F cycles after a cast began to
  leave, with the end of the table's access after a synchronization. It may request its output, or be read, in that
  cycle.
- Room. A slot is taken in the cycle in which the head arrives. A sender sees in cycle c the wire's level of cycle
  c - 1 - latency, and does not look before that level has the last packet; with credits it sees freed slots alone.
- Table. An access ends in the cycle in which the next one may begin and in which the completed round requests its
outputs.
  The packet that completed a round leaves at every output, with its own length, also if the next round is complete.
- Redundant stages. A switch has radix neighbouring lines; its entry expects and serves all ports of members. A
  synchronization, too, goes into the FIFO of its own line there: the lowest output that this packet needs.
"""

import collections
import heapq
import sys

SINGLE, MULTI, SYNC = "single", "multicast", "synchronization"

DEFAULTS = {
    "nodes": 16, "radix": 4, "stages": 2, "fifo_packets": 1, "cable_cycles": 0, "reserve_after": 4,
    "single_cast_cycles": 10, "multicast_cycles": 15, "synchronization_cycles": 16, "table_access_cycles": 2,
    "node_fifo_packets": 2, "room_signal": "wire", "mode": "event_per_packet",
    "shuffle_seed": 0,
}


class Packet:
    """A line of the stimulus."""

    def __init__(self, words):
        self.id, self.cycle, self.source, self.flits, self.stall = map(int, words[:5])
        self.kind = words[5]
        self.sid, self.gap = None, 0
        if self.kind == SINGLE:
            self.nodes = 1 << int(words[6])
        elif self.kind == MULTI:
            self.nodes = int(words[7], 0) << 64 * int(words[6])
        else:
            self.sid, self.nodes, self.gap = int(words[6]), int(words[7], 0), int(words[8])


def nodes_of(bits):
    return [node for node in range(bits.bit_length()) if bits >> node & 1]


def read_stimulus(text):
    """Parameters and packets: a line `packet ID CYCLE SOURCE FLITS STALL KIND ...`, or `KEY VALUE`."""
    parameters, packets = dict(DEFAULTS), []
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == "packet":
            packets.append(Packet(words[1:]))
        elif words:
            old = parameters[words[0]]
            parameters[words[0]] = words[1] if isinstance(old, str) else int(words[1])
    return parameters, packets


class Wiring:
    """Butterfly of the last n stages, most significant digit first; stages before them are redundant."""

    def __init__(self, nodes, radix, stages):
        digits, self.lines = 1, radix
        while self.lines < nodes:
            digits, self.lines = digits + 1, self.lines * radix
        self.radix, self.stages = radix, stages
        # Distance of the lines of one switch; a redundant stage has neighbours in a switch, as the last stage has.
        self.weight = [1] * (stages - digits) + [radix ** k for k in range(digits - 1, -1, -1)]
        self.routes = [False] * (stages - digits) + [True] * digits
        self.behind = {}

    def port(self, stage, line):
        return line // self.weight[stage] % self.radix

    def switch(self, stage, line):
        """The lowest line of a switch names it."""
        return line - self.port(stage, line) * self.weight[stage]

    def line(self, stage, switch, port):
        return switch + port * self.weight[stage]

    def outputs(self, stage, line, nodes):
        """Outputs that lead to some of `nodes` (bits), for a packet that comes on `line`."""
        if not self.routes[stage]:
            return [self.port(stage, line)]
        weight = self.weight[stage]
        base = line // (weight * self.radix) * (weight * self.radix)
        block = (1 << weight) - 1
        return [o for o in range(self.radix) if nodes >> (base + o * weight) & block]

    def synchronization(self, members):
        """(stage, switch) -> (inputs, outputs) that lie on a path between two members."""
        nodes = nodes_of(members)
        entries = {}
        lines = {destination: set(nodes) for destination in nodes}  # of the paths to each, stage by stage
        for stage in range(self.stages):
            for destination, here in lines.items():
                after = set()
                for line in here:
                    switch = self.switch(stage, line)
                    port = self.port(stage, line)
                    out = self.port(stage, destination) if self.routes[stage] else port
                    inputs, outputs = entries.setdefault((stage, switch), (set(), set()))
                    inputs.add(port)
                    outputs.add(out)
                    after.add(self.line(stage, switch, out))
                lines[destination] = after
        return entries


class Fifo:
    """A FIFO of whole packets at the end of a channel, and the sender's knowledge of its room wire."""

    def __init__(self, slots, sender):
        self.slots, self.sender = slots, sender
        self.packets = collections.deque()  # (packet, cycle in which it is through the pipeline, its next FIFOs)
        self.head_since = 0
        self.sent = self.seen_free = 0
        self.known_from = 0  # the wire shows the last packet

    def room(self, now, credits):
        return self.sent - self.seen_free < self.slots and (credits or now >= self.known_from)


class Source:
    """A node's queue: packets in the order of the cycles from which they may leave, then of numbers."""

    def __init__(self, network, node):
        self.network, self.stage, self.line, self.fifos = network, 0, node, []
        self.queue, self.free_at = [], 0

    def add(self, packet, cycle):
        heapq.heappush(self.queue, (cycle, packet.id, packet))
        self.network.look(self, cycle)

    def choose(self, now):
        if now < self.free_at or not self.queue or self.queue[0][0] > now:
            return
        packet = self.queue[0][2]
        targets = self.network.targets(0, self.line, packet)
        if all(self.fifos[t].room(now, self.network.credits) for t in targets):
            heapq.heappop(self.queue)
            self.network.departures.append((packet.id, now))
            self.network.send(self, now, packet, targets)


class Output:
    """An output of a switch: round robin over its N FIFO heads and, as requester N, the synchronizations it owes."""

    def __init__(self, network, stage, line):
        self.network, self.stage, self.line, self.fifos = network, stage, line, []
        self.inputs = []  # FIFOs of this output, by input
        self.free_at = self.turn = self.sid_turn = 0
        self.passed = collections.Counter()  # by input: others served while its multicast head waited
        self.kept_for, self.kept = None, frozenset()
        self.owed = {}  # sid -> packets of completed rounds, oldest first

    def may_fill(self, now, requester, targets):
        if self.kept_for not in (None, requester) and not self.kept.isdisjoint(targets):
            return False
        return all(self.fifos[t].room(now, self.network.credits) for t in targets)

    def owed_in_turn(self, now):
        """The packet of the first owed sid, from the turn on, whose target may be filled."""
        for sid in sorted(self.owed, key=lambda s: (s < self.sid_turn, s)):
            packet = self.owed[sid][0]
            targets = self.network.targets(self.stage, self.line, packet)
            if self.may_fill(now, len(self.inputs), targets):
                return packet, targets
        return None

    def requests(self, now):
        """input -> (packet, targets) of the FIFO heads that are through the pipeline, with room or without."""
        asking = {}
        for i, fifo in enumerate(self.inputs):
            if fifo.packets:
                packet, ready, targets = fifo.packets[0]
                if packet.kind != SYNC and now >= ready and now >= fifo.head_since:
                    asking[i] = (packet, targets)
        return asking

    def choose(self, now):
        if now < self.free_at:
            return
        asking = self.requests(now)
        startable = {i: r for i, r in asking.items() if self.may_fill(now, i, r[1])}
        owed = self.owed_in_turn(now) if self.owed else None
        n = len(self.inputs)
        if owed:
            startable[n] = owed
        if not startable:
            return
        chosen = min(startable, key=lambda i: (i - self.turn) % (n + 1))
        packet, targets = startable[chosen]
        self.turn = (chosen + 1) % (n + 1)
        self.count(asking, chosen)
        if chosen == n:
            rounds = self.owed[packet.sid]
            rounds.popleft()
            if not rounds:
                del self.owed[packet.sid]
            self.sid_turn = packet.sid + 1
        else:
            self.network.free(self.inputs[chosen], now + packet.flits)
        self.network.send(self, now, packet, targets)

    def count(self, asking, chosen):
        """Multicast heads that were passed over, and the reservation for the next in turn of those that waited."""
        n = len(self.inputs)
        self.passed[chosen] = 0
        if self.kept_for == chosen:
            self.kept_for, self.kept = None, frozenset()
        for i, (packet, _) in asking.items():
            if i != chosen and packet.kind == MULTI:
                self.passed[i] += 1
        late = [i for i in asking if self.passed[i] >= self.network.p["reserve_after"]]
        if self.kept_for is None and late:
            self.kept_for = min(late, key=lambda i: (i - self.turn) % (n + 1))
            self.kept = frozenset(asking[self.kept_for][1])


class Table:
    """A switch's synchronization table: one access at a time, round robin over input x N + output."""

    def __init__(self, network, stage, switch):
        self.network, self.stage, self.switch = network, stage, switch
        self.fifos = []  # by input x N + output
        self.outputs = []
        self.free_at = self.turn = 0
        self.come = {}  # sid -> packets by input

    def in_turn(self, waiting):
        return min(waiting, key=lambda i: (i - self.turn) % len(self.fifos))

    def choose(self, now):
        if now < self.free_at:
            return
        waiting = []
        for i, fifo in enumerate(self.fifos):
            if fifo.packets:
                packet, ready, _ = fifo.packets[0]
                if packet.kind == SYNC and now >= ready and now >= fifo.head_since:
                    waiting.append(i)
        if waiting:
            chosen = self.in_turn(waiting)
            self.turn = (chosen + 1) % len(self.fifos)
            self.free_at = now + self.network.p["table_access_cycles"]
            self.begin(now, chosen)

    def begin(self, now, chosen):
        def end():
            self.network.pop(self.fifos[chosen], self.free_at)
            self.enter(self.free_at, chosen, packet)
        packet = self.fifos[chosen].packets[0][0]
        self.network.at(self.free_at, end)

    def enter(self, now, chosen, packet):
        """The access is done: the packet is in the table, and its round may be complete."""
        inputs, outputs = self.network.members[packet.sid][self.stage, self.switch]
        come = self.come.setdefault(packet.sid, collections.Counter())
        come[chosen // self.network.p["radix"]] += 1
        assert max(come.values()) <= 2, "third packet of a sid at an input"
        if all(come[i] for i in inputs):
            come.subtract(inputs)
            for o in outputs:
                rounds = self.outputs[o].owed.setdefault(packet.sid, collections.deque())
                rounds.append(packet)
                assert len(rounds) <= 2, "third owed packet of a sid at an output"
        for sender in self.outputs:
            self.network.look(sender, now)
        self.network.look_table(self, now)


class Network:
    output_class, table_class = Output, Table

    def __init__(self, parameters, packets):
        self.p = parameters
        self.wiring = Wiring(self.p["nodes"], self.p["radix"], self.p["stages"])
        self.latency = 1 + self.p["cable_cycles"]
        self.credits = self.p["room_signal"] == "credits"
        # From a head's arrival to its first request; the channel's own cycle is inside the times.
        self.pipeline = {SINGLE: self.p["single_cast_cycles"] - 1, MULTI: self.p["multicast_cycles"] - 1,
                         SYNC: self.p["synchronization_cycles"] - 1 - self.p["table_access_cycles"]}
        self.departures, self.deliveries = [], []
        self.cycles, self.agenda = [], {}
        self.node_free = [0] * self.p["nodes"]
        self.build()
        self.members = {q.sid: self.wiring.synchronization(q.nodes) for q in
                        {q.sid: q for q in packets if q.kind == SYNC}.values()}
        self.rounds = {}  # (node, sid) -> packets of the rounds to come
        self.queue(packets)

    def build(self):
        wiring, stages, radix = self.wiring, self.p["stages"], self.p["radix"]
        self.sources = [Source(self, node) for node in range(wiring.lines)]
        self.senders = [self.sources]
        self.tables = []
        for stage in range(stages):
            self.senders.append([self.output_class(self, stage + 1, line) for line in range(wiring.lines)])
            for sender in self.senders[stage]:
                sender.fifos = [Fifo(self.p["fifo_packets"], sender) for _ in range(radix)]
            self.tables.append({})
            for switch in sorted({wiring.switch(stage, line) for line in range(wiring.lines)}):
                table = self.table_class(self, stage, switch)
                lines = [wiring.line(stage, switch, port) for port in range(radix)]
                table.fifos = [fifo for line in lines for fifo in self.senders[stage][line].fifos]
                table.outputs = [self.senders[stage + 1][line] for line in lines]
                for o, output in enumerate(table.outputs):
                    output.inputs = [self.senders[stage][line].fifos[o] for line in lines]
                for line in lines:
                    for o, fifo in enumerate(self.senders[stage][line].fifos):
                        fifo.table, fifo.output = table, table.outputs[o]
                self.tables[stage][switch] = table
        for sender in self.senders[stages]:
            sender.fifos = [Fifo(self.p["node_fifo_packets"], sender)]

    def queue(self, packets):
        for packet in packets:
            if packet.kind == SYNC:
                rounds = self.rounds.setdefault((packet.source, packet.sid), collections.deque())
                rounds.append(packet)
                if len(rounds) > 1:
                    continue
            self.sources[packet.source].add(packet, packet.cycle)

    # The agenda.

    def plan(self, cycle):
        if cycle not in self.agenda:
            self.agenda[cycle] = ([], {}, {})
            heapq.heappush(self.cycles, cycle)
        return self.agenda[cycle]

    def at(self, cycle, action):
        self.plan(cycle)[0].append(action)

    def look_table(self, table, cycle):
        self.plan(cycle)[1][table] = None

    def look(self, sender, cycle):
        self.plan(cycle)[2][sender] = None

    def run(self):
        while self.cycles:
            now = heapq.heappop(self.cycles)
            actions, tables, senders = self.agenda[now]
            for action in actions:
                action()
            for table in tables:
                table.choose(now)
            for sender in senders:
                sender.choose(now)
            del self.agenda[now]
        return self

    # Packets on channels and in FIFOs.

    def targets(self, stage, line, packet):
        """The FIFOs of the switch, or of the node, at the end of channel `line` that the packet goes into."""
        if stage == self.p["stages"]:
            return (0,)
        if packet.kind == SYNC:
            return self.wiring.outputs(stage, line, packet.nodes)[:1]
        return self.wiring.outputs(stage, line, packet.nodes)

    def send(self, sender, now, packet, targets):
        head = now + self.latency
        sender.free_at = now + packet.flits
        self.look(sender, sender.free_at)
        for t in targets:
            fifo = sender.fifos[t]
            fifo.sent += 1
            fifo.known_from = head + 1 + self.latency
            self.look(sender, fifo.known_from)
            if sender.stage == self.p["stages"]:
                self.deliver(fifo, sender.line, packet, head)
                continue
            if not fifo.packets:
                fifo.head_since = head
            ready = head + self.pipeline[packet.kind]
            if packet.kind == SYNC:
                fifo.packets.append((packet, ready, None))
                self.look_table(fifo.table, ready)
            else:
                output = fifo.output
                fifo.packets.append((packet, ready, self.targets(output.stage, output.line, packet)))
                self.look(output, ready)

    def free(self, fifo, cycle):
        self.at(cycle, lambda: self.pop(fifo, cycle))

    def pop(self, fifo, now):
        fifo.packets.popleft()
        fifo.head_since = now
        if fifo.packets and fifo.packets[0][0].kind == SYNC:
            self.look_table(fifo.table, now)
        self.look(fifo.output, now)
        self.show_room(fifo, now)

    def show_room(self, fifo, freed):
        """A register, and the way back over the channel."""
        def seen():
            fifo.seen_free += 1
        self.at(freed + 1 + self.latency, seen)
        self.look(fifo.sender, freed + 1 + self.latency)

    def deliver(self, fifo, node, packet, head):
        assert packet.nodes >> node & 1
        self.deliveries.append((packet.id, node, head, head + packet.flits - 1))
        self.node_free[node] = max(self.node_free[node], head + packet.flits) + packet.stall
        self.show_room(fifo, self.node_free[node])
        if packet.kind == SYNC:
            rounds = self.rounds[node, packet.sid]
            done = rounds.popleft()
            if rounds:
                self.sources[node].add(rounds[0], max(rounds[0].cycle, head + done.gap))


def result_lines(network):
    return ([f"left {i} {c}" for i, c in sorted(network.departures)] +
            [f"came {i} {n} {h} {t}" for i, n, h, t in sorted(network.deliveries)])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        parameters, packets = read_stimulus(file.read())
    print("\n".join(result_lines(Network(parameters, packets).run())))


if __name__ == "__main__":
    main()
