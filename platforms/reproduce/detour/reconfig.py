# SPDX-License-Identifier: Apache-2.0
"""Links and nodes that fail and return under load: the outcome of every message, and the five steps of a
reconfiguration in the waveform."""

from reproduction import Findings, Row, Run, above, exactly, holds
from reproduction.vcd import Vcd

TITLE = "Reconfiguration under load: messages and steps"
SOURCE = "Yoshinaga 2004, sections 2.4, 3 and 3.1"
LOSSES = {"recovering": {"router.vcs": 2}, "everything": {"router.vcs": 2},
          "nothing": {"router.vcs": 3, "routing.ud_vcs": 2}}
DIES, RETURNS, LAST = 2000, 6000, 9000  # cycles
# Router 0 is the root of a tree without faults. A second link dies while routers compute their tables for the first.
CASES = {
    "link": f"link 44@{DIES}:{RETURNS}",
    "node": f"router 55@{DIES}:{RETURNS}",
    "root": f"router 0@{DIES}:{RETURNS}",
    "two": f"link 44@{DIES}:{RETURNS}, link 150@{DIES}:{RETURNS}",
    "within": f"link 44@{DIES}:{RETURNS}, link 150@{DIES + 100}:{RETURNS + 100}",
}
RETRY = {"retry.timeout_cycles": 2000}  # above the longest pause
LINKS = ["link", "two", "within"]  # both ends of every message live
ALONE = [case for case in CASES if case != "within"]
CAUSES = ["in_recovery", "link_down", "dead_router", "unreachable", "tables_changed", "no_way"]
STEPS = ["agreed", "root", "down", "all", "up"]
ROWS = [
    Row("lost", "messages born, and neither delivered nor dropped with a cause, all cases and choices", "-", exactly(0),
        unit="messages"),
    Row("other", "messages dropped for another cause than recovery, the fault, a dead or a cut-off end, all cases",
        "only those in recovery",
        exactly(0), unit="messages", section="3"),
    Row("fewer", "messages dropped of all less those dropped of the ones in recovery, by case, the least",
        "fewer than if all are dropped", above(0), unit="messages", section="3"),
    Row("kept", "messages in recovery that are dropped with a second UD-VC, faults alone", "a multiplexed UD-VC",
        exactly(0),
        unit="messages", section="2.4"),
    Row("retried", f"messages not delivered with retry, links alone ({', '.join(LINKS)}), all choices",
        "discarded and sent again", exactly(0),
        unit="messages", section="2.4", runs=("* retry",)),
    Row("repeats", "packets sent again there, by choice", "-", unit="packets"),
    *[Row(f"dropped_{losses}",
          f"messages dropped of "
          f"{'all' if losses == 'everything' else 'those in recovery' if losses == 'recovering' else 'none'}"
          f" ({losses}): {', '.join(CASES)}", "-", unit="messages") for losses in LOSSES],
    Row("cycles", f"from detection until all run again, faults and returns, {', '.join(CASES)}: the longest", "-",
        unit="cycles"),
    *[Row(f"step_{step}", text, paper, holds(), section="3.1", runs=("wave",)) for step, text, paper in (
        ("agreed", "routers of the region stand before any other, those of no region run on",
         "(1), (2): the region stops"),
        ("root", "the root is a router of the region, and the first to compute",
         "(2), (3): a node of the region computes first"),
        ("down", "every other router computes behind one of its neighbours", "(3), (4): broadcast down, each computes"),
        ("all", "no router runs again before all have new tables",
         "(5): complete at the leaves; reduction at the root"),
        ("up", "the root runs first, every other router behind one of its neighbours",
         "(5): resumption is broadcast"))],
]
WIDTH = 5  # of the network in the waveform
RUNNING, AGREEING, COMPUTING, REDUCING, WAITING = range(5)


def keys(case, losses):
    return {"topology.kind": "torus", "topology.radices": [10, 10], "routing.kind": "detour_ud", **LOSSES[losses],
            "faults.losses": losses,
            "faults.events": CASES[case], "traffic.to_self": False, "traffic.load_flits_per_node_cycle": 0.1,
            "traffic.packet_flits": 16,
            "traffic.last_cycle": LAST, "measure.warmup_cycles": 0, "measure.cycles": LAST + 1,
            "measure.drain_cycles": 10_000_000}


def shown(quick):
    return [(case, losses) for case in (["link", "root"] if quick else CASES) for losses in LOSSES]


def plan(setting):
    runs = {f"{case} {losses}": Run("network", keys=keys(case, losses), seconds=2)
            for case, losses in shown(setting.quick)}
    runs.update({f"{case} {losses} retry": Run("network", keys={**keys(case, losses), **RETRY}, seconds=2)
                 for case, losses in shown(setting.quick) if case in LINKS})
    runs["wave"] = Run("network", keys={
        "topology.kind": "torus", "topology.radices": [WIDTH, WIDTH], "routing.kind": "detour_ud", "router.vcs": 2,
        "faults.events": "link 20@500", "traffic.to_self": False, "traffic.load_flits_per_node_cycle": 0.1,
        "traffic.packet_flits": 16,
        "measure.warmup_cycles": 0, "measure.cycles": 3000, "waves.routers": []},
        options=("--waves", "--waves-format", "vcd"), seconds=2)
    return runs


class Phases:
    """Times at which each router stopped, computed, had new tables and ran again, in ps; of one reconfiguration."""

    def __init__(self, wave):
        routers = range(WIDTH * WIDTH)
        self.changes = {router: wave.changes[f"network.r{router}.reconfiguration.phase"] for router in routers}
        self.region = {router for router in routers
                       if any(value for _, value in wave.changes[f"network.r{router}.reconfiguration.region"])}
        self.root = wave.changes["network.r0.reconfiguration.root"][-1][1]
        self.stands = {router: self.first(router, lambda phase: phase != RUNNING) for router in routers}
        self.computes = {router: self.first(router, lambda phase: phase == COMPUTING) for router in routers}
        self.updated = {router: self.first(router, lambda phase: phase in (REDUCING, WAITING)) for router in routers}
        self.runs = {router: next(time for time, phase in self.changes[router]
                                  if phase == RUNNING and time > self.updated[router])
                     for router in routers}

    def first(self, router, which):
        return next(time for time, phase in self.changes[router] if which(phase))

    def neighbours(self, router):
        x, y = router % WIDTH, router // WIDTH
        return [(x + dx) % WIDTH + WIDTH * ((y + dy) % WIDTH) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]

    def behind(self, one, other):
        """Every router but the root does `one` after a neighbour that does `other`."""
        return all(any(other[near] < one[router] for near in self.neighbours(router))
                   for router in self.changes if router != self.root)

    def verdicts(self):
        others = set(self.changes) - self.region
        return {
            "agreed": max(self.stands[router] for router in self.region) < min(self.computes[router]
                                                                               for router in others)
            and all(self.stands[router] == self.computes[router] for router in others),
            "root": self.root in self.region and self.computes[self.root] == min(self.computes.values()),
            "down": self.behind(self.computes, self.updated),
            "all": max(self.updated.values()) < min(self.runs.values()),
            "up": self.runs[self.root] == min(self.runs.values()) and self.behind(self.runs, self.runs)}


def drops(result):
    return {row["cause"]: row["packets"] for row in result.table("drops")}


def line(case, losses, result):
    causes = drops(result)
    episodes = result.table("reconfigurations")
    return {"case": case, "losses": losses, "born": result.metric("packets_born"),
            "delivered": result.metric("packets_delivered"),
            **{cause: causes[cause] for cause in CAUSES},
            "longest_cycles": max(row["to_cycle"] - row["from_cycle"] for row in episodes),
            "reconfigurations": len(episodes),
            "control_messages": result.metric("control_messages")}


def evaluate(setting, results):
    table = [line(case, losses, results[f"{case} {losses}"]) for case, losses in shown(setting.quick)]
    phases = Phases(Vcd(results["wave"].folder / "network.vcd"))
    values = {
        "lost": sum(entry["born"] - entry["delivered"] - sum(entry[cause] for cause in CAUSES) for entry in table),
        "other": sum(entry["no_way"] + (0 if entry["losses"] == "everything" else entry["tables_changed"])
                     for entry in table),
        "kept": sum(entry["in_recovery"] for entry in table if entry["losses"] == "nothing" and entry["case"] in ALONE),
        "cycles": max(entry["longest_cycles"] for entry in table),
        **{f"step_{step}": verdict for step, verdict in phases.verdicts().items()}}
    retried = {losses: [results[f"{case} {losses} retry"]
                        for case, own in shown(setting.quick) if own == losses and case in LINKS]
               for losses in LOSSES}
    values["retried"] = sum(result.metric("packets_born") - result.metric("packets_delivered")
                            for found in retried.values() for result in found)
    values["repeats"] = [sum(result.metric("packets_repeated") for result in found) for found in retried.values()]
    for losses in LOSSES:
        values[f"dropped_{losses}"] = [entry["in_recovery"] + entry["tables_changed"]
                                       for entry in table if entry["losses"] == losses]
    values["fewer"] = min(all_of - recovering for all_of, recovering in zip(values["dropped_everything"],
                                                                            values["dropped_recovering"]))
    notes = [f"10x10 torus at 0.1 flits/node/cycle to cycle {LAST}, drained; faults at {DIES}, returns at {RETURNS}",
             f"waveform: link 20 of a {WIDTH}x{WIDTH} torus dies in cycle 500; its root is router {phases.root}"]
    return Findings(values, table, lambda figure: draw(figure, phases), notes)


def draw(figure, phases):
    from matplotlib.patches import Patch  # matplotlib is loaded when something is drawn

    figure.set_size_inches(9, 5.5)
    axes = figure.subplots()
    colours = {AGREEING: "C1", COMPUTING: "C3", REDUCING: "C0", WAITING: "0.75"}
    names = {AGREEING: "agrees on the region", COMPUTING: "computes tables", REDUCING: "waits for those below",
             WAITING: "waits for the root"}
    order = sorted(phases.changes, key=lambda router: (phases.computes[router], router))
    for place, router in enumerate(order):
        spans = phases.changes[router]
        for (begin, phase), (end, _) in zip(spans, spans[1:]):
            if phase in colours:
                axes.barh(place, (end - begin) / 1e3, left=begin / 1e3, color=colours[phase], height=0.8)
    axes.set_yticks(range(len(order)), [f"{router}{' root' if router == phases.root else ''}" for router in order],
                    fontsize=7)
    axes.set_ylabel("router, by the time of its update")
    axes.set_xlabel("cycle")
    axes.set_xlim(left=min(phases.stands.values()) / 1e3 - 50)
    axes.legend(handles=[Patch(color=colours[phase], label=names[phase]) for phase in colours], loc="upper left")
