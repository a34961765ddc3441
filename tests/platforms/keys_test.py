# SPDX-License-Identifier: Apache-2.0
"""Every key of a platform, set alone, against --print-config: its own line changes and no other, but for those listed here.

    keys_test.py PLATFORM EXECUTABLE

USES says which keys decide something only with which words of others, RESOLVED which values another key fills in. From both
follows, for any configuration, which keys are printed as comments; a new key that depends on others needs a line in USES, but for
one of a kind (a topology, routing, pattern), whose meaning begins with the kinds that read it.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz"))
from fuzzing.keys import idle_keys, kinds_of, parse_keys, resolved_values, without_comment  # noqa: E402

PLATFORM, EXECUTABLE = None, None

GIVEN = "any text"  # of a key whose text must not be empty

CUBES = "mesh torus cube"
WITH_NODES = "demo trace jobs dma multicast barrier ping_pong exchange collective protocols boot"
NODE_SECTIONS = ["sender.*", "receiver.*", "memory.*", "cache.*", "processor.*", "library.*", "software.*", "os.*"]

# Keys (patterns), and the uses that they have: each is a list of (selector, words), of which one must hold.
NETWORK_USES = [
    ("topology.radices", [("topology.kind", CUBES)]),
    ("topology.nodes_per_router", [("topology.kind", CUBES)]),
    ("topology.wraps", [("topology.kind", "cube")]),
    ("topology.up_links topology.down_links topology.levels", [("topology.kind", "fat_tree")]),
    ("topology.radix topology.stages", [("topology.kind", "fly")]),
    ("topology.nodes topology.degree topology.seed", [("topology.kind", "random_grid random_regular")]),
    ("topology.wire_length topology.cycles_per_length", [("topology.kind", "random_grid")]),
    ("topology.file", [("topology.kind", "file")]),
    ("router.islip_iterations", [("router.va_allocator", "islip"), ("router.sa_allocator", "islip")]),
    ("router.va_requests", [("router.va_input_arbiter", "ports_and_vcs")]),
    ("router.selection", [("router.va_requests", "one"), ("router.va_input_arbiter", "vcs")]),
    ("router.sa_input_arbiter", [("router.sa_allocator", "separable matrix")]),
    ("router.matrix_first", [("router.va_allocator", "matrix"), ("router.sa_allocator", "matrix")]),
    ("routing.ties", [("routing.kind", "dimension_order source_table")]),
    ("routing.dateline", [("routing.kind", "dimension_order")]),
    ("routing.escape_return", [("routing.kind", "duato")]),
    ("routing.root routing.paths", [("routing.kind", "up_down")]),
    ("routing.up_port", [("routing.kind", "least_common_ancestor")]),
    ("prediction.context_heads", [("prediction.kind", "finite_context")]),
    ("prediction.entries", [("prediction.kind", "last_destination")]),
    ("prediction.top", [("prediction.kind", "straight")]),
    ("prediction.check prediction.serial",
     [("prediction.kind", "straight up latest_port finite_context last_destination always_miss oracle")]),
    ("routing.seed", [("routing.kind", "source_table")]),
    ("routing.seed", [("routing.ties", "auto random")]),
    ("routing.entries routing.room routing.distance routing.escape", [("routing.kind", "compact")]),
    ("router.table_*", [("routing.kind", "detour_ud")]),
    ("router.table_*", [("lookup.kind", "plain")]),
    ("lookup.search_width lookup.search_ends_early lookup.search_unit lookup.energy.compared_entry_nj",
     [("lookup.kind", "compact compact_cached")]),
    ("routing.region_distance routing.ud_vcs routing.ud_paths routing.root_priority", [("routing.kind", "detour_ud")]),
]

# Of every platform with synthetic traffic.
TRAFFIC_USES = [
    ("traffic.* measure.*", [("workload.kind", "synthetic")]),
    ("traffic.pattern traffic.to_self traffic.length", [("traffic.kind", "open_loop closed_loop")]),
    ("traffic.packet_flits traffic.largest_packet_flits traffic.lengths traffic.weights traffic.hotspots "
     "traffic.hotspot_share traffic.matrix", [("traffic.kind", "open_loop closed_loop")]),
    ("traffic.load_flits_per_node_cycle traffic.injection traffic.last_cycle "
     "traffic.burst_load_flits_per_node_cycle traffic.burst_cycles", [("traffic.kind", "open_loop")]),
    ("traffic.window traffic.gap_cycles", [("traffic.kind", "closed_loop")]),
    ("traffic.list", [("traffic.kind", "list")]),
    ("traffic.hotspots traffic.hotspot_share", [("traffic.pattern", "hotspot")]),
    ("traffic.matrix", [("traffic.pattern", "matrix")]),
    ("traffic.burst_load_flits_per_node_cycle traffic.burst_cycles", [("traffic.injection", "on_off")]),
    ("traffic.packet_flits", [("traffic.length", "fixed range")]),
    ("traffic.largest_packet_flits", [("traffic.length", "range")]),
    ("traffic.lengths traffic.weights", [("traffic.length", "weighted")]),
    ("measure.warmup_cycles measure.longest_warmup_cycles measure.cycles measure.drain_cycles",
     [("measure.mode", "cycles")]),
    ("measure.first_arrival measure.last_arrival measure.most_cycles", [("measure.mode", "arrivals")]),
    ("measure.longest_warmup_cycles", [("measure.warmup_cycles", "auto")]),
]

USES = {
    "lookup_study": NETWORK_USES + [
        ("study.seeds study.inserted study.ways", [("study.kind", "conflicts")]),
        ("study.ports study.lookups study.outstanding study.miss_every study.misses", [("study.kind", "throughput")]),
        ("study.pairs", [("study.kind", "zero_load")]),
        ("study.load_percent study.packet_flits study.packets study.flush_every", [("study.kind", "power")]),
    ],
    "compact_study": [use for use in NETWORK_USES if use[0].startswith("topology.")] + [
        ("study.entries", [("study.kind", "hops")]),
        ("study.stretch_percent study.margin_percent study.destinations", [("study.kind", "growth")]),
        ("study.times", [("study.kind", "proof")]),
        ("routing.entries", [("study.kind", "proof layers")]),
    ],
    "network": NETWORK_USES + TRAFFIC_USES + [
        ("faults.links faults.routers faults.random_links faults.random_routers faults.seed", [("routing.kind", "detour_ud detour_nf compact")]),
        ("faults.detection_cycles faults.table_cycles faults.resume faults.losses", [("routing.kind", "detour_ud")]),
        ("workload.trace workload.npb_steps workload.npb_gflops workload.compute_scale workload.ranks_per_node nic.kind",
         [("workload.kind", "trace")]),
        ("workload.trace", [("workload.npb", "")]),
        ("workload.npb_steps workload.npb_gflops", [("workload.npb", GIVEN)]),
        ("workload.placement nic.packet_bytes nic.flit_bytes nic.header_flits nic.eager_bytes nic.local_cycles node.* "
         "collectives.*", [("nic.kind", "plain")]),
        ("nic.fifo_packets nic.ready_packets nic.early_packets nic.retry_packets trace.nodes sizes.* " + " ".join(NODE_SECTIONS), [("nic.kind", "cenju4")]),
        ("processor.interrupt_ns os.page_fault_ns", [("os.paging", "on_demand")]),
    ],
    "cenju4": TRAFFIC_USES + [
        ("traffic.multicast_share traffic.multicast_nodes", [("traffic.kind", "open_loop")]),
        ("workload.trace workload.npb workload.npb_steps workload.npb_gflops workload.compute_scale",
         [("workload.kind", "demo trace jobs")]),
        ("workload.first_node", [("workload.kind", "trace jobs")]),
        ("workload.other_trace workload.other_first_node os.time_slice_us os.task_switch_ns", [("workload.kind", "jobs")]),
        ("workload.trace", [("workload.npb", "")]),
        ("workload.npb_steps workload.npb_gflops", [("workload.npb", GIVEN)]),
        ("workload.dma_bytes workload.dma_source workload.dma_destination workload.dma_protocol workload.dma_source_offset "
         "workload.dma_destination_offset workload.dma_returns library.realignment", [("workload.kind", "demo dma")]),
        ("workload.dma_returns", [("workload.dma_protocol", "remote_dma")]),
        ("library.barrier_fan_in", [("library.barrier", "hardware hierarchical")]),
        ("os.page_fault_ns", [("os.paging", "on_demand")]),
        ("workload.multicast_bytes", [("workload.kind", "demo multicast")]),
        ("workload.barrier_rounds workload.barrier_method workload.barrier_members", [("workload.kind", "demo barrier")]),
        ("workload.barrier_members", [("workload.barrier_method", "all_to_all binary_tree atomic_add multicast_add synchronization")]),
        ("workload.message_bytes workload.ping_pong_rounds workload.message_data workload.source_offset workload.system_call",
         [("workload.kind", "demo ping_pong")]),
        ("workload.rounds", [("workload.kind", "exchange collective")]),
        ("workload.exchange_method workload.exchange_bytes workload.exchange_peers", [("workload.kind", "exchange")]),
        ("workload.exchange_peers", [("workload.exchange_method", "staggered")]),
        ("workload.collective workload.collective_bytes", [("workload.kind", "collective")]),
        ("workload.collective_bytes", [("workload.collective", "broadcast all_reduce")]),
        ("sizes.synchronization_header_flits sender.* receiver.* memory.* cache.* processor.* library.* software.* os.* faults.*", [("workload.kind", WITH_NODES)]),
    ],
}

FITTING = {"mesh": "dimension_order", "torus": "dimension_order", "cube": "dimension_order",
           "fat_tree": "least_common_ancestor", "fly": "destination_digits"}
TURN_BACK = ["detour_ud", "detour_nf", "compact"]  # routings that may lead a packet back to where it came from


def fitting_routings(keys):
    """The topologies in the meaning of routing.kind that FITTING does not have."""
    meaning = keys["routing.kind"].meaning if "routing.kind" in keys else ""
    found = re.findall(r"(\w+) on an? ((?:\w+, )*?(?:\w+ or )?\w+)(?=, \w+ on |$)", meaning.partition("auto: ")[2])
    return {topology: routing for routing, kinds in found for topology in re.split(", | or ", kinds) if topology not in FITTING}


def resolve_routing(values):
    """routing.kind auto stands for a routing that fits the topology, and that decides what the router needs."""
    if values["routing.kind"] == "auto":
        values["routing.kind"] = FITTING.get(values["topology.kind"], "up_down")
    recovers = values["routing.kind"] == "detour_ud"
    diameter = sum(int(radix) - 1 for radix in values["topology.radices"].strip("[]").split(","))  # of a mesh
    needed = {"router.block_timeout_cycles": "128" if recovers else "0", "router.hop_limit": str(4 * diameter) if recovers else "0",
              "router.uturn_network": "true" if values["routing.kind"] in TURN_BACK else "false"}
    if "routing.ties" in values:
        fixed = values["routing.kind"] == "dimension_order" and values["lookup.kind"] != "plain"
        needed["routing.ties"] = "fixed" if fixed else "random"
    if "prediction.check" in values:
        late = (values["lookup.kind"] != "plain" and not recovers) or int(values["router.rc_cycles"]) > int(values["router.st_cycles"])
        needed["prediction.check"] = "leak" if values["prediction.serial"] == "true" else "wait" if late else "kill"
    values.update({key: value for key, value in needed.items() if values[key] == "auto"})


def resolve_traffic(values):
    """A list is measured from its first packet."""
    if values["traffic.kind"] == "list":
        values.update({"measure.warmup_cycles": "0", "measure.first_arrival": "1"})


def resolve_network(values):
    """A benchmark that is named is what runs."""
    resolve_routing(values)
    resolve_traffic(values)
    if values["workload.npb"] != '""':
        values["workload.kind"] = "trace"


RESOLVED = {"network": resolve_network, "lookup_study": resolve_routing,
            "cenju4": resolve_traffic, "compact_study": lambda values: None}

# Values where the one after the default is refused.
OTHER = {
    "traffic.lengths": "[3, 7]",
    "link.faults": "0@10:20",
    "routing.root_priority": "[5]",
    "network.stages": "4",
    "library.heap_bytes": "67108864",
    "topology.radices": "[3, 5]",
    "topology.wraps": "[0, 1]",
    "lookup.entries": "1024",
    "lookup.ways": "8",
    "workload.npb": "cg.A.64",
    "workload.dma_bytes": "8192",
    "workload.dma_source_offset": "8",
    "workload.dma_destination_offset": "16",
    "workload.multicast_bytes": "512",
    "workload.message_bytes": "16",
    "workload.source_offset": "8",
    "workload.exchange_bytes": "8",
    "workload.packet_flits": "25",
    "library.header_queue_bytes": "8192",
    "memory.bytes": "1073741824",
    "cache.bytes": "2097152",
    "cache.ways": "4",
    "os.log_buffer_bytes": "8192",
    "sender.read_ahead_packets": "2",
}
# Words that a platform never takes, with what it would take.
REFUSED = {
    "network": {
        "library.barrier=hardware": "tree or dissemination",
        "library.barrier=hierarchical": "tree or dissemination",
        "library.barrier=multicast_add": "tree or dissemination",
        "library.broadcast=hardware": "tree",
    }
}
# Settings that a word of a key needs beside it.
PARTNERS = {
    "traffic.kind=list": {"traffic.list": "/some_list"},
    "traffic.length=weighted": {"traffic.lengths": "[5]"},
    "traffic.packet_flits=116": {"sizes.header_flits": "19"},  # cenju4: longer than its largest packet
    "traffic.largest_packet_flits=116": {"sizes.header_flits": "19"},
    "topology.kind=file": {"topology.file": "/some_file"},
    "prediction.serial=true": {"prediction.check": "leak"},
    "faults.campaign.deaths=1": {"faults.campaign.link_mean_cycles": "1000"},
    "faults.losses=nothing": {"routing.ud_vcs": "2"},
    "deadlock.classify_timeouts=true": {"router.block_timeout_cycles": "64"},
}


def other_value(key):
    """One that is not the default."""
    if key.name in OTHER:
        return OTHER[key.name]
    if key.words:
        return next(word for word in key.words if word not in (key.default, key.default.strip('"')))
    if key.type == "path":
        return "/another_path"  # a relative one is printed otherwise
    if key.type == "text":
        return "another_text"
    if key.type == "list":
        return "[" + str(int(key.least) + 2) + "]"
    if key.type == "number":
        value = float(key.default)
        return f"{value + 1 if value + 1 <= key.most else (value + key.least) / 2:g}"
    value = 0 if key.default in key.other_words else int(key.default)
    return str(value + 1 if value < key.most else value - 1)


class Keys(unittest.TestCase):
    """All keys of one platform."""

    @classmethod
    def setUpClass(cls):
        cls.printed_before = {}
        cls.keys = parse_keys(cls.run_platform("--list-keys"))
        cls.uses = {name: [uses for patterns, uses in USES[PLATFORM]
                           if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split())]
                    for name in cls.keys}
        named = {pattern for patterns, _ in USES[PLATFORM] for pattern in patterns.split()}
        for name, key in cls.keys.items():
            kinds = kinds_of(key, cls.keys)
            if kinds and name not in named:
                cls.uses[name].append([kinds])
        FITTING.update(fitting_routings(cls.keys))

    @classmethod
    def run_platform(cls, *arguments):
        done = subprocess.run([EXECUTABLE, *arguments], capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise AssertionError(f"{PLATFORM} {' '.join(arguments)}: {done.stderr}If a key's value is refused that this test has "
                                 "made up, OTHER needs a better one, or PARTNERS what it needs beside it.")
        return done.stdout

    def printed(self, settings):
        """The resolved configuration with these settings."""
        arguments = tuple(f"--set={key}={value.strip(chr(34))}" for key, value in settings.items())
        if arguments not in self.printed_before:
            self.printed_before[arguments] = self.run_platform(*arguments, "--print-config", "all")
        return self.printed_before[arguments]

    def values(self, text):
        """Key to value as printed, of the idle ones, too."""
        values = resolved_values(text, self.keys)
        for line in text.splitlines():
            name, colon, value = line.removeprefix("# ").partition(": ")
            if line.startswith("# ") and colon and name in self.keys:
                values[name] = without_comment(value)
        return values

    def decides(self, name, values):
        """Whether a key decides something, as USES has it."""
        def holds(selector, words):
            word = values[selector].strip('"')
            given = word != "" if words == GIVEN else word == "" if words == "" else word in words.split()
            return given and self.decides(selector, values)
        return all(any(holds(*use) for use in uses) for uses in self.uses[name])

    def context(self, name, base):
        """Settings with which a key decides something: a word for each of its selectors, and what those need."""
        settings = {}
        for uses in self.uses[name]:
            selector, words = uses[0]
            settings.update(self.context(selector, base))
            if words == GIVEN:
                settings[selector] = OTHER[selector]
            elif words != "" and base[selector].strip('"') not in words.split():
                word = words.split()[0]
                settings.update({selector: word, **PARTNERS.get(f"{selector}={word}", {})})
        return settings

    def check(self, settings, name, value):
        """The key set on top of these settings: what changes is what follows from it."""
        partners = PARTNERS.get(f"{name}={value}", {})
        before, after = self.printed(settings), self.printed({**settings, **partners, name: value})
        old, new = self.values(before), self.values(after)
        asked = f"{PLATFORM}, {name}={value} on top of {settings}"
        expected = {key.name: key.default for key in self.keys.values()}
        for key, text in {**settings, **partners, name: value}.items():
            expected[key] = as_printed(self.keys[key], text)
        RESOLVED[PLATFORM](expected)
        self.assertNotEqual(old[name], new[name], f"{asked}: its own line does not change")
        changed = {key: new[key] for key in self.keys if new[key] != expected[key]}
        self.assertEqual(changed, {}, f"{asked}: these keys have changed, too: is one of them bound to the same member, or "
                                      "filled in from it (RESOLVED)?")
        idle = {key for key in self.keys if not self.decides(key, new)}
        self.assertEqual(idle_keys(after) & set(self.keys), idle,
                         f"{asked}: USES in {pathlib.Path(__file__).name} has to say which keys decide something with it")
        if idle == idle_keys(before) & set(self.keys) and [key for key in self.keys if old[key] != new[key]] == [name]:
            lines = [pair for pair in zip(before.splitlines(), after.splitlines()) if pair[0] != pair[1]]
            self.assertEqual((len(lines), len(before.splitlines())), (1, len(after.splitlines())), asked)

    def check_refused(self, settings, name, value):
        with self.assertRaisesRegex(AssertionError, f"{name}: .*accepted: {REFUSED[PLATFORM][f'{name}={value}']}"):
            self.printed({**settings, name: value})

    def test_keys_have_their_defaults(self):
        text = self.printed({})
        values = self.values(text)
        self.assertEqual(set(values), set(self.keys), "a key is listed that is not printed, or the reverse")
        expected = {name: key.default for name, key in self.keys.items()}
        RESOLVED[PLATFORM](expected)
        self.assertEqual(values, expected)
        self.assertEqual(idle_keys(text) & set(self.keys), {key for key in self.keys if not self.decides(key, values)},
                         f"USES in {pathlib.Path(__file__).name} has to say which keys decide something by default")

    def test_each_key_changes_its_own_line(self):
        base = self.values(self.printed({}))
        for name, key in self.keys.items():
            settings = self.context(name, base)
            for value in [word for word in key.words if word != key.default.strip('"')] or [other_value(key)]:
                with self.subTest(key=name, value=value):
                    if f"{name}={value}" in REFUSED.get(PLATFORM, {}):
                        self.check_refused(settings, name, value)
                    elif value != base[name]:  # which auto stands for
                        self.check(settings, name, value)

    def test_each_use_of_a_key_counts_by_itself(self):
        base = self.values(self.printed({}))
        for patterns, uses in USES[PLATFORM]:
            name = fnmatch.filter(self.keys, patterns.split()[0])[0]
            settings = self.context(name, base)
            for selector, words in uses:
                word = self.unused_word(selector, words)
                settings.update({selector: word, **PARTNERS.get(f"{selector}={word}", {})})
            values = {**self.values(self.printed({})), **{key: as_printed(self.keys[key], value)
                                                          for key, value in settings.items()}}
            if not all(self.decides(key, values) for key in settings):
                continue  # the selector's word makes one of the others idle, too
            with self.subTest(key=name, settings=settings):
                text = self.printed(settings)
                values = self.values(text)
                idle = {key for key in self.keys if not self.decides(key, values)}
                self.assertIn(name, idle)
                self.assertEqual(idle_keys(text) & set(self.keys), idle)

    def unused_word(self, selector, words):
        if words == "":
            return OTHER[selector]
        if words == GIVEN:
            return ""
        if words == "auto":
            return "77"
        return next(word for word in self.keys[selector].words if word not in words.split() and word != "auto")

    def test_nothing_is_listed_that_is_not_there(self):
        for patterns, uses in USES[PLATFORM]:
            for pattern in patterns.split():
                self.assertTrue(fnmatch.filter(self.keys, pattern), f"USES names {pattern}, which is no key")
            for selector, words in uses:
                for word in words.split() if words != GIVEN else []:
                    key = self.keys[selector]
                    self.assertIn(word, key.words + key.other_words, f"USES names a word of {selector}")


def as_printed(key, value):
    return f'"{value}"' if key.default.startswith('"') else value


if __name__ == "__main__":
    PLATFORM, EXECUTABLE = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
