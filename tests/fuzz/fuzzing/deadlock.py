# SPDX-License-Identifier: Apache-2.0
"""Random networks against the deadlock checker: what it calls free never deadlocks, and what it calls a cycle does.

A case is a topology, a routing that fits it, as few virtual channels and flits of buffers as they let through, and
links that fail. `--check-deadlock` gives a verdict; then the network runs far above its saturation until it must be
empty. Where a routing with one candidate has a circle, the packets that the checker names are sent until they stand in
it."""

import collections
import json
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import tempfile

from .pool import results

WALL_SECONDS = 300
LOAD_CYCLES = 600  # in which sources send
DRAIN_CYCLES = 1_000_000  # long enough for a link that returns, and for all that has piled up
MOST_TRIES = 30  # refusals of a case
MOST_ROUTERS = 36
PACKETS_OF_A_FLOW = 300  # of those that shall deadlock
CUBES = ("mesh", "torus", "cube")
REFUSED = r"packet from node (\d+) to (\d+): router .*?(?:down from cycle (\d+) on|back out of port).*; it (?:is )?"


class EndedRun:
    """A run that has ended."""

    def __init__(self, command, code, text, out):
        self.shown, self.code, self.text, self.out = shlex.join(command), code, text, out

    def metric(self, name):
        return json.loads((self.out / "result.json").read_text())["metrics"][name]["value"]

    def drops(self):
        table = json.loads((self.out / "result.json").read_text())["tables"]["drops"]
        return {row[0]: row[1] for row in table["rows"]}


class Failure(Exception):
    """A failure of a case, with the command that shows it."""

    def __init__(self, what, ended):
        super().__init__(f"{what}\n    {ended.shown}\n{ended.text[-3000:]}")


def draw_cube(rng, kind):
    dimensions = rng.choice([1, 1, 2, 2, 2, 3])
    largest = {1: 9, 2: 6, 3: 3}[dimensions]
    keys = {"topology.kind": kind, "topology.nodes_per_router": rng.choice([1, 1, 1, 2, 3])}
    keys["topology.radices"] = [rng.randint(2, largest) for _ in range(dimensions)]
    if dimensions < 3 and rng.random() < 0.5:
        keys["topology.radices"][-1] = rng.randint(4, largest)  # a ring on which packets can wait around the whole ring
    if kind == "cube":
        keys["topology.wraps"] = [rng.randint(0, 1) for _ in range(dimensions)]
    return keys


def topology_file(rng):
    """A connected graph of two-way links; nodes of their own ports, some routers with several, some with none."""
    routers = rng.randint(2, 14)
    links = [(router, rng.randrange(router)) for router in range(1, routers)]
    links += [tuple(rng.sample(range(routers), 2)) for _ in range(rng.randint(0, routers))]
    lines = [f"link {a} {b}" + (f" latency {rng.randint(1, 6)}" if rng.random() < 0.3 else "") for a, b in links]
    for node in range(rng.randint(2, routers + 3)):
        at = rng.randrange(routers)
        lines.append(f"node {node} at {at}" if rng.random() < 0.8
                     else f"node {node} in {at} out {rng.randrange(routers)}")
    return "\n".join(lines) + "\n"


LOW_DIAMETER = ("express_mesh", "hyperx", "dragonfly", "dragonfly_plus", "slim_fly", "polar_fly")


def draw_low_diameter(rng, kind):
    keys = {"topology.kind": kind, "topology.nodes_per_router": rng.choice([1, 1, 2])}
    if kind == "hyperx":
        keys["topology.radices"] = [rng.randint(2, 4) for _ in range(rng.choice([1, 2, 2, 3]))]
        keys["topology.trunks"] = [rng.choice([1, 1, 2])]
    elif kind == "express_mesh":
        keys["topology.radices"] = [rng.randint(4, 6), *(rng.randint(2, 5) for _ in range(rng.choice([0, 1])))]
        keys["topology.interval"] = rng.randint(2, 3)
    elif kind in ("slim_fly", "polar_fly"):
        keys["topology.field"] = rng.choice([3, 3, 4])
    else:
        routers = (["topology.group_routers"] if kind == "dragonfly" else ["topology.leaves", "topology.spines"])
        keys.update({key: rng.randint(2, 3) for key in routers})
        keys.update({"topology.global_links": rng.randint(1, 2), "topology.groups": rng.choice([0, 2, 3]),
                     "topology.arrangement": rng.choice(["absolute", "relative", "palmtree", "circulant"]),
                     "topology.global_latency_cycles": rng.choice([0, 0, 5])})
        if kind == "dragonfly":
            keys["topology.nodes_first"] = rng.choice(["true", "false"])
    return keys


def draw_topology(rng, folder):
    kind = rng.choice(["mesh", "torus", "torus", "cube", "fat_tree", "fly", "random_grid", "random_regular", "file",
                       "hyperx", "dragonfly", *LOW_DIAMETER])
    if kind in LOW_DIAMETER:
        return draw_low_diameter(rng, kind)
    if kind in CUBES:
        return draw_cube(rng, kind)
    if kind == "fat_tree":
        return {"topology.kind": kind, "topology.up_links": rng.randint(1, 3), "topology.down_links": rng.randint(2, 3),
                "topology.levels": rng.randint(1, 3)}
    if kind == "fly":
        return {"topology.kind": kind, "topology.radix": rng.randint(2, 4), "topology.stages": rng.randint(1, 3)}
    if kind == "file":
        path = folder / "topology.txt"
        path.write_text(topology_file(rng))
        return {"topology.kind": kind, "topology.file": path}
    if kind == "random_grid":
        return {"topology.kind": kind, "topology.nodes": rng.choice([9, 16, 25]), "topology.degree": rng.choice([3, 4]),
                "topology.wire_length": rng.randint(2, 4), "topology.cycles_per_length": rng.randint(0, 2),
                "topology.seed": rng.randint(1, 50)}
    return {"topology.kind": kind, "topology.nodes": rng.choice([8, 12, 20, 30]),
            "topology.degree": rng.choice([2, 3, 4]),
            "topology.seed": rng.randint(1, 50)}


def draw_routing(rng, topology):
    kind = topology["topology.kind"]
    kinds = ["up_down", "source_table"]
    if kind in CUBES:
        # A cube that happens not to wrap takes turn models as well; where it wraps they are refused, and drawn again.
        kinds += ["dimension_order"] * 4 + ["duato"] * 3 + ["valiant", "ugal", "ugal", "romm"]
        if len(topology["topology.radices"]) == 2:
            kinds += ["o1turn"]
        if kind != "torus":
            kinds += ["planar_adaptive"] * 2 + ["negative_first"] * 2
            kinds += ["west_first", "north_last"] if len(topology["topology.radices"]) == 2 else []
    if kind in LOW_DIAMETER:
        kinds += ["minimal", "minimal", "valiant", "ugal", "polarized"]
        kinds += {"dragonfly": ["par", "par", "in_transit", "in_transit"],
                  "hyperx": ["dal", "omni_war", "omni_war"]}.get(kind, [])
        kinds += ["ugal_by_phase"] if kind == "dragonfly" else []
    if kind == "fat_tree":
        kinds += ["least_common_ancestor"] * 4
    if kind == "fly":
        kinds = ["destination_digits"] * 3 + ["source_table"]
    keys = {"routing.kind": rng.choice(kinds)}
    more = {"dimension_order": {"routing.dateline": ["crossing", "crossing_down_inverted", "balanced", "switching",
                                                     "none", "none", "none"],
                                "routing.ties": ["random", "fixed", "fixed"]},
            "duato": {"routing.escape_return": ["true", "false"]},
            "ugal": {"routing.adaptive_threshold": [0, 0, 30], "routing.queue": ["port", "vcs", "hybrid", "credits"]},
            "valiant": {"routing.early_exit": ["true", "false"]},
            "par": {"routing.adaptive_threshold": [0, 0, 30], "routing.queue": ["port", "vcs", "hybrid"]},
            "in_transit": {"routing.adaptive_threshold": [0, 0, 30]},
            "ugal_by_phase": {"routing.adaptive_threshold": [0, 0, 30]},
            "dal": {"routing.hop_flits": [0, 1, 4]},
            "omni_war": {"routing.hop_flits": [0, 1], "routing.deroutes": [0, 1, 1, 2]},
            "polarized": {"routing.hop_flits": [0, 1, 4]},
            "up_down": {"routing.paths": ["all", "all", "one"], "routing.root": [0, 1]},
            "least_common_ancestor": {"routing.up_port": ["adaptive", "adaptive", "one_to_one", "random"]},
            "source_table": {"routing.ties": ["fixed", "random"]}}
    if kind == "hyperx":
        more["ugal"]["routing.intermediates"] = ["any", "differing_dimensions"]
    if kind == "dragonfly":
        more["minimal"] = {"routing.by_phase": ["true", "false"], "router.eject_routed_vcs": ["true", "false"]}
    keys.update({key: rng.choice(values) for key, values in more.get(keys["routing.kind"], {}).items()})
    return keys


def draw_router(rng, routing):
    """Few virtual channels and short buffers, and anything else that changes who waits for whom."""
    keys = {"router.vcs": rng.choice([1, 1, 1, 2, 3]), "router.buffer_flits": rng.choice([1, 2, 2, 3, 4]),
            "router.switching": rng.choice(["wormhole", "wormhole", "virtual_cut_through", "store_and_forward"]),
            "router.selection": rng.choice(["first", "most_credits", "round_robin", "random"]),
            "router.atomic_vcs": rng.choice(["true", "false"])}
    if routing["routing.kind"] in ("minimal", "valiant", "ugal", "romm", "o1turn", "dal", "omni_war", "polarized",
                                   "planar_adaptive"):
        keys["router.vcs"] = rng.choice([1, 2, 2, 4, 4])
    if routing["routing.kind"] == "par":
        keys["router.vcs"] = rng.choice([4, 5, 5, 6])
    if routing["routing.kind"] in ("in_transit", "ugal_by_phase"):
        keys["router.vcs"] = rng.choice([2, 3, 3, 4])
    if routing["routing.kind"] in ("duato", "dal") and keys["router.switching"] == "wormhole":
        keys["router.atomic_vcs"] = "true"
    rare = {"router.node_vcs": [1, 2, 3], "router.uturn_network": ["true"], "router.uturn_node": ["false"],
            "router.va_allocator": ["separable", "matrix"], "router.sa_allocator": ["separable", "matrix"],
            "router.va_cycles": [0, 2], "router.rc_cycles": [0, 2], "router.route_at": ["arrival"],
            "link.latency_cycles": [2, 5], "link.credit_latency_cycles": [1, 7], "router.ser_cycles": [2],
            "router.vc_change_cycles": [1], "link.flit_cycles": [2], "router.input_speedup": [2],
            "lookup.kind": ["cached"]}
    if keys["router.switching"] != "wormhole":
        rare["router.switch_hold"] = ["packet"]
    keys.update({key: rng.choice(values) for key, values in rare.items() if rng.random() < 0.12})
    return keys


def draw_faults(rng, links):
    """Each link's intervals lie apart."""
    if links == 0 or rng.random() < 0.6:
        return {}
    faults = []
    for link in rng.sample(range(links), min(links, rng.randint(1, 4))):
        down = rng.randint(1, LOAD_CYCLES)
        faults.append(f"{link}@{down}" + ("" if rng.random() < 0.3 else f":{down + rng.randint(1, 500)}"))
    return {"link.faults": ",".join(faults), "router.dead_route": rng.choice(["drop", "wait"])}


def draw_traffic(rng, router):
    whole = router["router.switching"] != "wormhole"
    longest = router["router.buffer_flits"] if whole else 3 * router["router.buffer_flits"] + 4
    keys = {"traffic.load_flits_per_node_cycle": rng.choice([0.6, 1.0, 1.0]),
            "traffic.packet_flits": rng.randint(1, longest),
            "traffic.last_cycle": LOAD_CYCLES}
    if rng.random() < 0.3:
        keys["traffic.to_self"] = "false"
    return keys


def has_one_candidate(keys):
    """Every packet has one path, whatever happens; its virtual channels may be several."""
    kind = keys["routing.kind"]
    return (kind in ("destination_digits", "source_table")
            or (kind == "dimension_order" and keys["routing.ties"] == "fixed")
            or (kind == "up_down" and keys["routing.paths"] == "one")
            or (kind == "least_common_ancestor" and keys["routing.up_port"] == "one_to_one"))


def fills_links(keys):
    """A node has as many virtual channels as a link: its packets can take all of the link's at a time. With fewer, what
    comes along a ring may always take the others first, and then no list of packets fills a circle for certain."""
    return int(keys.get("router.node_vcs", keys["router.vcs"])) >= int(keys["router.vcs"])


class Case:
    """One random network, drawn from its seed and number alone."""

    def __init__(self, executable, seed, number, folder):
        self.executable, self.folder = str(executable), pathlib.Path(folder)
        self.rng = random.Random(f"deadlock {seed}:{number}")
        self.runs = 0

    def run_network(self, keys, *arguments):
        self.runs += 1
        out = self.folder / f"run{self.runs}"
        command = [self.executable, *arguments]
        for key, value in keys.items():
            command += ["--set", f"{key}={value}"]
        writes = () if arguments else ("--quiet", "--out", str(out))
        done = subprocess.run([*command, *writes], capture_output=True, text=True, timeout=WALL_SECONDS, check=False)
        return EndedRun(command, done.returncode, done.stdout + done.stderr, out)

    def draw(self):
        """Keys that are accepted, and the verdict."""
        while True:
            topology = draw_topology(self.rng, self.folder)
            printed = self.run_network(topology, "--print-topology", "json")
            if printed.code != 0:
                continue
            shape = json.loads(printed.text)
            if len(shape["routers"]) > MOST_ROUTERS:
                continue
            routing = draw_routing(self.rng, topology)
            router = draw_router(self.rng, routing)
            keys = {**topology, **routing, **router, **draw_faults(self.rng, len(shape["links"]))}
            if self.rng.random() < 0.1:
                keys["router.dead_route"] = self.rng.choice(["drop", "wait"])
            keys.update(draw_traffic(self.rng, router))
            verdict = self.verdict(keys)
            if verdict is not None:
                return keys, verdict

    def verdict(self, keys):
        """With as many more virtual channels as a refusal asks for; None where something else is refused."""
        for _ in range(MOST_TRIES):
            checked = self.run_network(keys, "--check-deadlock")
            if checked.code in (0, 1) and "free of deadlock" in checked.text:
                return checked
            if checked.code != 2:
                raise Failure("the checker fails", checked)
            needed = re.search(r"router\.vcs.*accepted: (\d+)\.\.", checked.text)
            if not needed:
                return None
            keys["router.vcs"] = int(needed.group(1))
        return None

    def check(self):
        """A word for how it ended; raises Failure."""
        keys, verdict = self.draw()
        kind = keys["routing.kind"]
        free = "\nfree of deadlock" in verdict.text
        if free:
            self.must_drain(keys, verdict)
            dropped = re.search(REFUSED + "dropped", verdict.text)
            if dropped and has_one_candidate(keys):
                self.must_be_dropped(keys, dropped)
                return f"{kind}: free, a drop shown"
            return f"{kind}: free"
        if "a cycle of" in verdict.text and has_one_candidate(keys) and fills_links(keys):
            self.must_stand(keys, verdict)
            return f"{kind}: circle shown"
        for_ever = re.search(REFUSED + "waits for ever", verdict.text)
        if for_ever and has_one_candidate(keys):
            self.must_wait(keys, for_ever)
            return f"{kind}: waiting for ever shown"
        return f"{kind}: nothing proved"

    def must_drain(self, keys, verdict):
        """The whole load arrives or is dropped with a cause that the verdict names."""
        run = self.run_network({**keys, "measure.warmup_cycles": 0, "measure.cycles": LOAD_CYCLES + 1,
                                "measure.drain_cycles": DRAIN_CYCLES, "run.watchdog_cycles": 5000})
        if run.code != 0:
            raise Failure(f"called free, and the run ends with {run.code}; verdict:\n{verdict.text}", run)
        drops = run.drops()
        born, dropped = run.metric("packets_born"), sum(drops.values())
        if run.metric("measured_packets_undelivered") != 0:
            raise Failure("called free, and packets have not arrived", run)
        if born != run.metric("measured_packets") + dropped:
            raise Failure(f"{born} packets were born, {dropped} dropped", run)
        if "every packet can reach its node" in verdict.text and drops["no_way"] != 0:
            raise Failure("every packet has a route, and some were dropped for want of one", run)
        if "link.faults" not in keys and drops["link_down"] != 0:
            raise Failure("packets were lost with a link that was up", run)

    def must_stand(self, keys, verdict):
        """The packets that the circle names, as long as a buffer: each comes to hold a channel whole and waits for the
        next."""
        flows = re.findall(r"router (\d+) port \d+ vc \d+ -> router (\d+), held by a packet from node (\d+) to (\d+)",
                           verdict.text)
        packets = self.folder / "circle.list"
        flits = keys["router.buffer_flits"]
        rounds = [f"0 {source} {destination} {flits}" for _, _, source, destination in flows]
        packets.write_text("\n".join(rounds * PACKETS_OF_A_FLOW) + "\n")
        run = self.run_list(keys, packets, without=("link.faults",))
        if run.code != 1 or "no flit has moved" not in run.text:
            raise Failure(f"called not free, and the packets of its circle arrive; verdict:\n{verdict.text}", run)
        circle = run.text.partition("in a cycle:\n")[2].partition(" virtual channels hold")[0]
        standing = set(re.findall(r"  router (\d+), port", circle))
        if standing != {arrival for _, arrival, _, _ in flows}:
            raise Failure(f"stands, but not in the circle that was named: {verdict.text}", run)

    def must_wait(self, keys, found):
        """One packet that the checker says to wait forever does."""
        packets = self.folder / "waits.list"
        packets.write_text(f"{int(found.group(3) or 0) + 1} {found.group(1)} {found.group(2)} 1\n")
        run = self.run_list(keys, packets)
        if run.code != 1 or "no flit has moved" not in run.text:
            raise Failure("said to wait for ever, and does not: " + found.group(0), run)

    def must_be_dropped(self, keys, found):
        """One packet that was said to find no route is dropped for that, or before, where a link of its route has
        failed, too."""
        packets = self.folder / "drops.list"
        packets.write_text(f"{int(found.group(3) or 0) + 1} {found.group(1)} {found.group(2)} 1\n")
        run = self.run_list(keys, packets)
        if run.code != 0 or run.drops()["no_way"] != 1:
            raise Failure("said to be dropped, and is not: " + found.group(0), run)

    def run_list(self, keys, packets, without=()):
        kept = {key: value for key, value in keys.items() if not key.startswith("traffic.") and key not in without}
        kept.update({"traffic.kind": "list", "traffic.list": packets, "measure.warmup_cycles": 0,
                     "measure.cycles": 50_000,
                     "run.watchdog_cycles": 3000})
        return self.run_network(kept)


class DeadlockFuzzer:
    """Cases of one executable `network`; files of a failing one stay in `keep`."""

    def __init__(self, executable, scratch, keep, seed):
        self.executable, self.scratch, self.keep, self.seed = executable, scratch, pathlib.Path(keep), seed
        self.failures, self.ends = [], collections.Counter()

    def one(self, number):
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"deadlock-{number}-", dir=self.scratch))
        try:
            return number, Case(self.executable, self.seed, number, folder).check(), None
        except Failure as failure:
            kept = self.keep / f"deadlock-{self.seed}-{number}"
            shutil.copytree(folder, kept, dirs_exist_ok=True, ignore=shutil.ignore_patterns("run*"))
            return number, "failed", str(failure).replace(str(folder), str(kept))
        except subprocess.TimeoutExpired as stopped:
            return number, "failed", f"not ended after {WALL_SECONDS} s\n    {shlex.join(stopped.cmd)}"
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run(self, numbers, jobs, expired, tell):
        """All cases, or those until `expired()`."""
        for number, ended, failure in results(self.one, numbers, jobs, expired):
            self.ends[ended] += 1
            if failure is not None:
                self.failures.append(failure)
                tell(f"FAILED deadlock --seed {self.seed} --case {number}: {failure}")

    def text(self):
        return f"deadlock: {sum(self.ends.values())} cases\n" + "\n".join(
            f"  {count:5} {end}" for end, count in sorted(self.ends.items()))
