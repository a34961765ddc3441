# SPDX-License-Identifier: Apache-2.0
"""The fuzzer's knowledge of each platform beyond --list-keys: sizes that keep a run short (most are in
tests/keys/table.txt), and texts with a form of their own."""

import dataclasses
import pathlib
import re
import sys

from . import inputs
from .draw import NO_HINT, Hint

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "keys"))
import key_table  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Profile:
    name: str
    hints: dict
    topology_printer: str = ""  # executable below the build folder that says what the topology's keys make
    selectors: tuple = ()     # keys with words that choose which other keys matter, in the order of their drawing
    first: str = ""           # the section whose keys make the topology
    covered: tuple = ("run.processes", "run.shuffle_seed")  # every case runs with all their values
    executable: str = ""      # below the build folder; empty: platforms/NAME
    checks_deadlock: bool = False
    simulates: bool = True    # else there are no modes of a run
    logs: bool = False        # takes --log
    has_threads: bool = False  # takes --threads
    only_ranks: bool = False  # of the modes of a run, those with several ranks alone
    left_out: tuple = ()      # sections of which no key is drawn
    always_default: tuple = ()  # keys that no accepted case can draw away from their default

    def path(self, build):
        return build / (self.executable or f"platforms/{self.name}")


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def radices(rng, _network):
    while True:
        drawn = [rng.choice([2, 2, 3, 4, 5, 8]) for _ in range(rng.choice([1, 1, 2, 2, 2, 3]))]
        if product(drawn) <= rng.choice([8, 16, 16, 64]):
            return str(drawn).replace(" ", "")


def wraps(rng, _network):
    return str([rng.randint(0, 1) for _ in range(rng.choice([1, 2, 2, 3]))]).replace(" ", "")


def field(rng, _network):
    """Elements of a finite field: mostly a power of a prime, the least ones most often."""
    return str(rng.choice([3, 4, 5, 7, 3, 4, rng.randint(2, 9)]))


def grid_nodes(rng, _network):
    return str(rng.choice([4, 9, 16, 25, 9, 16, rng.randint(3, 20)]))


def topology_file(rng, network):
    return network.inputs.write("topology", inputs.topology_text(rng))


def faults(rng, network):
    if network.links == 0 or rng.random() < 0.1:
        return ""
    listed = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        down = rng.choice([1, rng.randint(1, 60), rng.randint(1, 800)])
        if rng.random() < 0.02:
            down = rng.choice([2 ** 40, 2 ** 62, 2 ** 64 - 16, 2 ** 64])
        up = f":{down + rng.choice([1, 10, rng.randint(1, 500)])}" if rng.random() < 0.6 else ""
        link = rng.randrange(network.links) + (rng.choice([network.links, 2 ** 32]) if rng.random() < 0.02 else 0)
        listed.append(f"{link}@{down}{up}")
    return ",".join(listed)


def packet_list(rng, network):
    longest = rng.choice([1, 4, 8, 8, 20])
    return network.inputs.write("list", inputs.packet_list_text(rng, network.nodes, longest))


def matrix(rng, network):
    return network.inputs.write("matrix", inputs.matrix_text(rng, network.nodes))


def trace(rng, network):
    most = min(network.nodes, 8)
    return network.inputs.write("trace", inputs.trace_text(rng, rng.choice([most, rng.randint(1, most)])))


def placement(rng, _network):
    """Without a file, which would need the number of ranks."""
    return rng.choice(["block", "round_robin", "random"])


def algorithm(rng, _network):
    """Of several operations; one that the drawn operation does not have is refused."""
    return rng.choice(["ring", "ring", "binomial", "staggered"])


def mapping(rng, network):
    """A place for each rank where there are as many as nodes."""
    nodes = list(range(network.nodes))
    rng.shuffle(nodes)
    return network.inputs.write("mapping", "".join(f"{rank} {node}\n" for rank, node in enumerate(nodes)))


def jobs(rng, network):
    """Up to three jobs, of which the first has ranks; the machine may be too small for them."""
    sections = []
    for name in "abc"[:rng.randint(1, 3)]:
        placement = rng.choice(["block", "round_robin", "random", "group"])
        if name == "a" or rng.random() < 0.5:
            ranks, size = rng.randint(1, 4), rng.choice([1, 100, 3000, 9000])
            sections.append(f"{name}: {{workload: {{kind: collective, collective_ranks: {ranks}, "
                            f"collective_bytes: {size}}}, job: {{placement: {placement}}}}}\n")
        else:
            load = rng.choice([0.05, 0.3, 0.9])
            sections.append(f"{name}: {{workload: {{kind: synthetic}}, "
                            f"traffic: {{load_flits_per_node_cycle: {load}}}, "
                            f"job: {{nodes: {rng.randint(1, 4)}, placement: {placement}}}}}\n")
    return network.inputs.write("jobs.yaml", "".join(sections))


def npb(rng, network):
    """Small benchmarks, of one to four ranks."""
    if rng.random() < 0.8:
        return ""
    ranks = max(power for power in (1, 2, 4) if power <= max(network.nodes, 1))
    return f"{rng.choice(['cg', 'is', 'mg', 'ep'])}.S.{ranks}"


def node_list(rng, network):
    return str(sorted(rng.sample(range(network.nodes), min(network.nodes, rng.randint(1, 3))))).replace(" ", "")


def packet_name(rng, network):
    return f"{rng.randrange(4)}.{rng.randrange(3)}"


def router_list(rng, network):
    count = rng.choice([0, 1, 2, 3])
    return str(sorted(rng.sample(range(network.routers), min(network.routers, count)))).replace(" ", "")


def link_list(rng, network):
    if network.links == 0:
        return "[]"
    return str(sorted(rng.sample(range(network.links), min(network.links, rng.choice([0, 1, 2, 5]))))).replace(" ", "")


def fault_events(rng, network):
    """Links and routers that die, most of them once, and some that come back."""
    events = []
    for _ in range(rng.choice([0, 1, 1, 2, 3, 6])):
        of_router = rng.random() < 0.3
        number = rng.randrange(network.routers if of_router else max(network.links, 1))
        dies = rng.choice([0, rng.randrange(1, 3000)])
        events.append(f"{'router' if of_router else 'link'} {number}@{dies}"
                      + (f":{dies + rng.randrange(1, 2000)}" if rng.random() < 0.5 else ""))
    return ", ".join(events)


def root(rng, network):
    return str(rng.randrange(network.routers))


def power_of_two(least, most):
    """A draw of powers of two, and now and then of what is none."""
    def draw(rng, _network):
        value = 2 ** rng.randint(least, most)
        return str(value + rng.choice([-1, 1]) if rng.random() < 0.03 else value)
    return draw


def fault_rate(rng, _network):
    """Mostly none: a lost packet is sent by nobody again, and the run ends there."""
    return "0" if rng.random() < 0.9 else str(rng.choice([1e-5, 1e-4, 1e-3, 0.1, 1]))


def some_nodes(rng, network, count):
    """Nodes of the network, each once; now and then one that it lacks."""
    nodes = rng.sample(range(max(network.nodes, count)), count)
    return nodes if rng.random() < 0.97 else [network.nodes, *nodes[1:]]


def tlm_initiators(rng, network):
    """The three of the platform soc, with limits of their own or not."""
    limits = [rng.choice(["", f" outstanding {rng.choice([1, 2, 5])}", f" requests {rng.choice([1, 3])}"])
              for _ in range(3)]
    return ", ".join(f"{name} node {node}{limit}" for name, node, limit
                     in zip(("cpu0", "cpu1", "dma"), some_nodes(rng, network, 3), limits))


def tlm_targets(rng, network):
    """The three of the platform soc, at the addresses of its processors and its DMA engine."""
    options = [rng.choice(["", f" queue {rng.choice([1, 2, 5])}", " dmi on"]) for _ in range(3)]
    return ", ".join(f"{name} node {node} base {base:#x} bytes 0x100000{option}" for name, node, base, option
                     in zip(("rom", "sram", "ram"), some_nodes(rng, network, 3), range(0, 1 << 22, 1 << 20), options))


# By the names that table.txt has for them.
DRAWS = {function.__name__: function for function in (radices, wraps, field, grid_nodes, topology_file, faults,
                                                      packet_list, matrix, trace, npb, node_list, algorithm, mapping,
                                                      jobs, packet_name, placement, router_list, link_list,
                                                      fault_events, root, power_of_two, fault_rate, tlm_initiators,
                                                      tlm_targets)}


def number_of(text):
    return float(text) if "." in text or "e" in text else int(text)


def hint_of(text):
    """A hint as table.txt has it: "usual=1..9 most=20 multiple=4 draw=FUNCTION(NUMBERS) always"."""
    found = {}
    for word in text.split():
        what, _, value = word.partition("=")
        if what == "usual":
            low, high = value.split("..")
            found[what] = (number_of(low), number_of(high))
        elif what == "draw":
            name, *numbers = re.findall(r"\w+", value)
            found[what] = DRAWS[name](*map(int, numbers)) if numbers else DRAWS[name]
        else:
            found[what] = number_of(value) if value else True
    return Hint(**found)


HINTS = {key: hint_of(text) for key, text in key_table.read()[1].items()}  # of all platforms


def entry_counts(rng, _network):
    return str([rng.choice([0, rng.randint(1, 9), rng.randint(1, 64)])
                for _ in range(rng.choice([1, 1, 2, 4]))]).replace(" ", "")


COMPACT_STUDY = {
    **HINTS,
    "topology.kind": Hint(draw=lambda rng, _: rng.choice(["torus", "mesh", "cube", "fat_tree", "file", "hyperx",
                                                          "express_mesh", "dragonfly", "dragonfly_plus", "slim_fly",
                                                          "polar_fly", "random_regular"] + 9 * ["random_grid"]),
                          always=True),
    "topology.nodes": Hint(draw=lambda rng, _: str(rng.choice([16, 36, 64, 100, 49, rng.randint(3, 80)])), always=True),
    "study.seeds": Hint(most=20, usual=(1, 3), always=True),
    "study.entries": Hint(draw=entry_counts, always=True),
    "study.destinations": Hint(most=200, usual=(0, 40)),
    "study.times": Hint(draw=lambda *_: "false"),  # processor times are not the same twice
    "routing.entries": Hint(usual=(6, 40)),
}

SWEEPS = {  # each case is many runs, and each of those may saturate
    **HINTS,
    "topology.radices": Hint(draw=lambda rng, _: rng.choice(["[2]", "[4]", "[2,2]", "[3,2]", "[4,4]"]), always=True),
    "workload.kind": Hint(draw=lambda rng, _: "trace" if rng.random() < 0.03 else "synthetic"),
    "traffic.kind": Hint(draw=lambda rng, _: rng.choice(["closed_loop", "list", "none"] + 20 * ["open_loop"])),
    "measure.cycles": Hint(most=1000, usual=(50, 500), always=True),
    "measure.warmup_cycles": Hint(most=500, usual=(0, 100), always=True),
    "measure.drain_cycles": Hint(most=2000, usual=(0, 1000), always=True),
}

# Every other case without, and none that needs levels.
PREDICTORS = 5 * ["none"] + ["straight", "latest_port", "finite_context", "last_destination", "oracle", "always_miss"]

DETOUR = {  # routings that bear dead links and routers, mostly with recovery
    **HINTS,
    "topology.kind": Hint(draw=lambda rng, _: rng.choice(["torus", "torus", "mesh"]), always=True),
    "routing.kind": Hint(draw=lambda rng, _: rng.choice(["detour_nf"] + 7 * ["detour_ud"]), always=True),
    "prediction.kind": Hint(draw=lambda rng, _: rng.choice(PREDICTORS), always=True),
    "prediction.check": Hint(draw=lambda rng, _: rng.choice(["kill", "wait", "leak"])),
    "lookup.kind": Hint(draw=lambda rng, _: rng.choice(3 * ["local"] + ["cam", "cached", "ideal"]), always=True),
    "workload.kind": Hint(draw=lambda rng, _: "trace" if rng.random() < 0.1 else "synthetic", always=True),
    "router.vcs": Hint(usual=(2, 4), always=True),
    "router.block_timeout_cycles": Hint(usual=(1, 150), always=True),
    "deadlock.classify_timeouts": Hint(always=True),
    "traffic.load_flits_per_node_cycle": Hint(usual=(0.1, 1), always=True),
    "faults.resume": Hint(draw=lambda rng, _: "reduced"),
    "faults.campaign.deaths": Hint(most=12), "faults.campaign.link_mean_cycles": Hint(most=200000, usual=(0, 60000)),
    "faults.campaign.router_mean_cycles": Hint(most=200000, usual=(0, 60000)),
    "faults.campaign.repair_cycles": Hint(most=5000, usual=(0, 1500)),
    "faults.campaign.first_cycle": Hint(most=3000), "faults.table_cycles": Hint(most=3000, usual=(0, 200)),
    "faults.detection_cycles": Hint(most=500, usual=(1, 30)),
    "run.watchdog_cycles": Hint(usual=(200, 4000)),
}

MACHINES = {  # whole nodes on any fabric, with every mechanism that fits it
    **DETOUR,
    "topology.kind": NO_HINT, "routing.kind": NO_HINT,
    "workload.kind": Hint(draw=lambda *_: "trace", always=True),
    "nic.kind": Hint(draw=lambda rng, _: rng.choice(["cenju4", "cenju4_groups", "cenju4_tree"]), always=True),
    "prediction.kind": Hint(draw=lambda rng, _: rng.choice(PREDICTORS + ["up"])),
    "retry.timeout_cycles": Hint(draw=lambda rng, _: str(rng.choice([0, rng.randint(200, 9000)])), always=True),
    "faults.campaign.deaths": Hint(most=3),
}

# Sets of virtual channels of 1 to 4 classes, with and without answers.
CLASS_LISTS = ("request vcs 0-1 answer reply, reply vcs 2-3 flits 5",
               "request vcs 0-2 answer reply, reply vcs 3-5 flits 1", "low vcs 0-1, high vcs 2-3",
               "a vcs 0 answer b, b vcs 1 flits 2 answer c, c vcs 2 flits 3",
               "request vcs 0-3 answer reply, reply vcs 4-7 flits 2 queue 1 delay 9",
               "one vcs 0-3, two vcs 0-3 share 3")

MODERN = {  # networks of low diameter under non-minimal and adaptive routing, mostly adversarial traffic
    **HINTS,
    "topology.kind": Hint(draw=lambda rng, _: rng.choice(2 * ["hyperx", "dragonfly"]
                                                         + ["dragonfly_plus", "slim_fly", "polar_fly", "express_mesh",
                                                            "torus", "mesh"]),
                          always=True),
    "topology.nodes_per_router": Hint(usual=(1, 2), most=3, always=True),
    "routing.kind": Hint(draw=lambda rng, _: rng.choice(["minimal", "valiant", "ugal", "ugal", "ugal_g",
                                                         "ugal_by_phase", "par", "in_transit", "in_transit",
                                                         "dal", "omni_war", "polarized", "romm", "o1turn",
                                                         "planar_adaptive"]), always=True),
    "routing.adaptive_threshold": Hint(usual=(0, 40)),
    "router.vcs": Hint(usual=(4, 8), always=True),
    "workload.kind": Hint(draw=lambda rng, _: "trace" if rng.random() < 0.05 else "synthetic", always=True),
    "traffic.kind": Hint(draw=lambda rng, _: rng.choice(["closed_loop", "list"] + 8 * ["open_loop"]), always=True),
    "traffic.pattern": Hint(draw=lambda rng, _: rng.choice(["adversarial", "adversarial", "uniform", "transpose"])),
    "traffic.load_flits_per_node_cycle": Hint(usual=(0.1, 1), always=True),
    "lookup.kind": Hint(draw=lambda rng, _: rng.choice(9 * ["local"] + ["cam", "cached", "ideal"])),
    "prediction.kind": Hint(draw=lambda rng, _: rng.choice(PREDICTORS)),
    "congestion.kind": Hint(draw=lambda rng, _: rng.choice(4 * ["none"] + ["token_bucket", "ecn", "ecn"]), always=True),
    "classes.list": Hint(draw=lambda rng, _: rng.choice(CLASS_LISTS)),
}

RANKS = {  # short runs of what several ranks take: packets of a load or of a trace, links and routers that fail
    **HINTS,
    "routing.kind": Hint(draw=lambda rng, _: rng.choice(5 * ["detour_ud"] + 4 * ["auto"]
                                                        + ["minimal", "duato", "ugal", "ugal_g", "up_down",
                                                           "west_first", "source_table", "valiant", "in_transit",
                                                           "compact"])),
    # An exchange takes long where ranks outnumber cores.
    "topology.radices": Hint(draw=lambda rng, _: rng.choice(["[2]", "[5]", "[3,2]", "[3,3]", "[4,4]", "[2,3,2]"]),
                             always=True),
    "measure.cycles": Hint(most=500, usual=(20, 250), always=True),
    "measure.warmup_cycles": Hint(most=200, usual=(0, 50), always=True),
    "measure.longest_warmup_cycles": Hint(most=300, always=True),
    "measure.drain_cycles": Hint(most=1000, usual=(0, 600), always=True),
    "measure.first_arrival": Hint(most=100, always=True), "measure.last_arrival": Hint(most=300, always=True),
    "traffic.last_cycle": Hint(most=300, usual=(1, 300), always=True),
    "workload.collective_bytes": Hint(most=3000, usual=(1, 400), always=True),
    "workload.collective_rounds": Hint(most=3, always=True), "workload.ranks_per_node": Hint(most=4),
    "nic.kind": Hint(draw=lambda *_: "packetizer"),
    "workload.kind": Hint(draw=lambda rng, _: rng.choice(["trace", "collective", "jobs"] + 9 * ["synthetic"]),
                          always=True),
    "lookup.kind": Hint(draw=lambda rng, _: rng.choice(8 * ["local"] + ["cached", "ideal"]), always=True),
    "faults.campaign.deaths": Hint(most=12), "faults.campaign.link_mean_cycles": Hint(most=200000, usual=(0, 60000)),
    "faults.campaign.repair_cycles": Hint(most=5000, usual=(0, 1500)),
    "faults.table_cycles": Hint(most=3000, usual=(0, 200)), "faults.detection_cycles": Hint(most=500, usual=(1, 30)),
}

SOC = {  # at least three nodes
    **HINTS,
    "topology.radices": Hint(draw=lambda rng, _: rng.choice(["[3,2]", "[3,2]", "[4,4]", "[3]", "[2,2,2]", "[8,2]"]),
                             always=True),
    "router.vcs": Hint(usual=(2, 6), always=True),
    "classes.list": Hint(draw=lambda rng, _: rng.choice(["request vcs 0 answer response, response vcs 1", ""])),
}

NETWORK_BENCH = {  # mostly what the RTL was made for
    **HINTS,
    "topology.kind": Hint(draw=lambda rng, _: rng.choice(["torus"] * 6
                                                         + ["mesh", "cube", "fat_tree", "fly", "random_grid", "file"]),
                          always=True),
    "topology.radices": Hint(draw=lambda rng, network: "[4,4]" if rng.random() < 0.6 else radices(rng, network),
                             always=True),
    "routing.dateline": Hint(draw=lambda rng, _: rng.choice(["switching"] * 6 + ["crossing", "balanced", "none"])),
    "traffic.kind": Hint(draw=lambda rng, _: rng.choice(["closed_loop"] + 5 * ["list"] + 20 * ["open_loop"])),
    "traffic.last_cycle": Hint(most=3000, usual=(1, 900), always=True),
    "lookup.kind": Hint(draw=lambda rng, _: "cam" if rng.random() < 0.03 else "cached"),
    # Nodes that hold packets back fill no buffers.
    "congestion.kind": Hint(draw=lambda rng, _: rng.choice(10 * ["none"] + ["token_bucket", "ecn"]), always=True),
}

# bench.py compares runs; constants of energy are a file.
COMPARED = ("compare.against", "compare.score", "energy.constants")
# Multicasts of the hardware are the profile machines'.
OF_OTHERS = ("library.broadcast", *COMPARED)

NETWORK_EXECUTABLE = "platforms/network"
TRAFFIC_WORDS = ("traffic.kind", "traffic.pattern", "traffic.injection", "traffic.length")
PROFILES = {profile.name: profile for profile in (
    Profile("network", HINTS, NETWORK_EXECUTABLE,
            ("workload.kind", "nic.kind", "topology.kind", "routing.kind", *TRAFFIC_WORDS, "measure.mode",
             "lookup.kind", "prediction.kind"),
            "topology", checks_deadlock=True, logs=True, has_threads=True, always_default=OF_OTHERS),
    Profile("detour", DETOUR, NETWORK_EXECUTABLE,
            ("workload.kind", "nic.kind", "topology.kind", "routing.kind", *TRAFFIC_WORDS, "measure.mode",
             "lookup.kind", "prediction.kind"),
            "topology", executable=NETWORK_EXECUTABLE, checks_deadlock=True, logs=True,
            has_threads=True, always_default=OF_OTHERS),
    Profile("modern", MODERN, NETWORK_EXECUTABLE,
            ("workload.kind", "topology.kind", "routing.kind", *TRAFFIC_WORDS, "lookup.kind", "prediction.kind"),
            "topology", executable=NETWORK_EXECUTABLE, checks_deadlock=True, logs=True, has_threads=True,
            left_out=("nic", "node", "sender", "receiver", "memory", "cache", "processor", "library", "software", "os"),
            always_default=OF_OTHERS),
    Profile("ranks", RANKS, NETWORK_EXECUTABLE,
            ("workload.kind", "topology.kind", "routing.kind", *TRAFFIC_WORDS, "measure.mode", "lookup.kind",
             "prediction.kind"),
            "topology", executable=NETWORK_EXECUTABLE, has_threads=True, only_ranks=True,
            left_out=("node", "sender", "receiver", "memory", "cache", "processor", "library", "software", "os"),
            always_default=OF_OTHERS),
    Profile("machines", MACHINES, NETWORK_EXECUTABLE,
            ("workload.kind", "nic.kind", "topology.kind", "routing.kind", "lookup.kind", "prediction.kind"),
            "topology", executable=NETWORK_EXECUTABLE, checks_deadlock=True, logs=True,
            has_threads=True,
            left_out=("traffic", "measure", "collectives"),
            always_default=COMPARED),
    Profile("cenju4", HINTS, "", ("workload.kind",), "network", logs=True),
    Profile("soc", SOC, NETWORK_EXECUTABLE, ("topology.kind", "routing.kind"), "topology",
            checks_deadlock=True, logs=True, left_out=("faults", "lookup", "prediction"),
            always_default=("energy.constants", *COMPARED[:2], "router.node_vcs", "link.faults")),
    Profile("lookup_study", HINTS, NETWORK_EXECUTABLE, ("study.kind", "topology.kind", "routing.kind", "lookup.kind"),
            "topology"),
    Profile("compact_study", COMPACT_STUDY, NETWORK_EXECUTABLE, ("topology.kind", "study.kind"), "topology", covered=(),
            simulates=False, always_default=("topology.radix", "topology.stages",
                                             "study.times")),  # a fly has one-way links; times vary
    Profile("sweeps", SWEEPS, NETWORK_EXECUTABLE,
            ("workload.kind", "topology.kind", "routing.kind", *TRAFFIC_WORDS, "measure.mode", "lookup.kind"),
            "topology", executable=NETWORK_EXECUTABLE,
            left_out=("workload", "nic", "node", "collectives", "sender", "receiver", "memory", "cache", "processor",
                      "library",
                      "software", "os", "faults", "links", "waves")),
    Profile("network_bench", NETWORK_BENCH, NETWORK_EXECUTABLE, ("topology.kind", "routing.kind", *TRAFFIC_WORDS),
            "topology",
            executable="testbenches/network_bench",
            left_out=("workload", "nic", "node", "collectives", "sender", "receiver", "memory", "cache", "processor",
                      "library",
                      "software", "os", "faults", "deadlock", "links", "trace", "measure", "rtl", "compare")),
)}
