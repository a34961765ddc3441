#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""RTL in a whole network: every packet has its cycles, every switch its hits, as with models alone.

usage: network_test.py NETWORK_BENCH PLANTED_NETWORK
"""

import csv
import json
import re
import shutil
import sys
import unittest

from benches import BenchTest, counted_in, metrics_of, with_set

GOOD, PLANTED = sys.argv[1:3]
RTL = ("--rtl",)
MODULES = ("lookup.model=modules",)
SHARED = (*MODULES, "lookup.cam_sharing=switch")
FILLS = ("lookup_fills", "lookup_refills")
CROWDED = "traffic.load_flits_per_node_cycle=0.9"  # several heads of a port make requests in one cycle
DIFFERENCE = re.compile(r"_(?:bench|network): model failure: comparison, cycle (\d+), packet (\d+\.\d+): (.*): from "
                        r"node (\d+) in cycle (\d+), "
                        r"head at node (\d+) in cycle (\d+), tail in cycle (\d+); here: from node (\d+) in cycle "
                        r"(\d+), "
                        r"head at node (\d+) in cycle (\d+), tail in cycle (\d+)$", re.MULTILINE)


def read_rows(path, kind):
    rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines() if line.startswith(kind + ",")]
    return {int(row[1]): tuple(int(number) for number in row[2:]) for row in rows}


def read_vcd(path):
    """{signal: [(time, value)]}."""
    head, _, body = path.read_text(encoding="utf-8").partition("$enddefinitions")
    scopes, signals, time = [], {}, 0
    for line in head.splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            signals[words[3]] = (".".join([*scopes, words[4]]), [])
    for line in body.splitlines():
        if line.startswith("#"):
            time = int(line[1:])
        elif line[:1] in ("b", "s"):
            value, code = line.split(" ")
            signals[code][1].append((time, value))
        elif line[:1] in ("0", "1"):
            signals[line[1:]][1].append((time, line[0]))
    return dict(signals.values())


def read_packets(path):
    return read_rows(path, "packet")


class Network(BenchTest):
    def setUp(self):
        super().setUp()
        self.models = self.folder / "models/run.csv"
        self.out = self.folder / "out"

    def network(self, status, executable, *words):
        """Ends with this status. Results go to self.out, unless the words have another folder."""
        out = () if "--out" in words else ("--out", self.out)
        return self.ends(status, executable, *out, *with_set(words))

    def mechanisms(self, folder):
        """Hits and misses as the run's probes saw them."""
        return json.loads((folder / "result.json").read_text(encoding="utf-8"))["tables"]["mechanisms"]

    def run_models(self, *words):
        """Packets, look-ups, hits and misses."""
        self.network(0, GOOD, "--out", self.models.parent, "compare.record=true", *words)
        switches = read_rows(self.models, "switch").values()
        return [len(read_packets(self.models)), *(map(sum, zip(*switches)) if switches else (0, 0, 0))]

    def assert_equal_with_rtl(self, places, *words):
        self.network(0, GOOD, "--rtl", places, f"compare.against={self.models}", "compare.record=true", *words)
        self.assertEqual((self.out / "run.csv").read_text(encoding="utf-8"), self.models.read_text(encoding="utf-8"))
        self.assertEqual(metrics_of(self.out)["compared_packets"], len(read_packets(self.models)))


class Equal(Network):
    def test_one_switch_and_all_switches(self):
        for words, of in (((), ("5", "0+3+6")), ((CROWDED,), ("all",)),
                          (("traffic.load_flits_per_node_cycle=0.02",), ("all",)),
                          (("--seed", "2"), ("0+3+6",)), ((CROWDED, "traffic.packet_flits=1"), ("all",)),
                          (("topology.kind=mesh", "topology.radices=3,3", "router.vcs=2"), ("5", "all"))):
            with self.subTest(words=words):
                packets, lookups, hits, misses = self.run_models(*words)
                self.assertEqual(lookups, hits + misses)
                # Enough happens for a difference to show.
                self.assertGreater(packets, 300)
                self.assertGreater(hits, 500)
                self.assertGreater(misses, 500)
                for switches in of:
                    self.assert_equal_with_rtl(f"switch={switches}", *words)

    def test_many_virtual_channels_whose_answers_come_together(self):
        words = ("lookup.entries=64", "lookup.ways=4", "topology.radices=4,4,4", "router.vcs=8",
                 "traffic.packet_flits=1", "traffic.last_cycle=1000", CROWDED)
        self.run_models(*words)
        self.assert_equal_with_rtl("switch=all", *words)

    def test_the_order_in_which_modules_run_does_not_show(self):
        self.run_models(CROWDED)
        for words in (("run.shuffle_seed=7",), ("run.shuffle_seed=8",), ("run.processes=process_each",)):
            with self.subTest(words=words):
                self.assert_equal_with_rtl("switch=all", CROWDED, *words)

    def test_cams_and_caches_of_rtl_in_the_place_of_modules(self):
        """With faults, with answers of one virtual channel that come together, and beside models."""
        faults = (CROWDED, "topology.kind=mesh", "link.faults=3@700:1500,5@2000")
        shared = ("lookup.cam_sharing=switch",)
        for words, places in (((), "cache=all"),
                              (shared, "cam=all"),
                              (shared, "cam=5+6,cache=5.2+6+7.0"),
                              ((CROWDED, "router.route_at=arrival", "lookup.blocking=true", "lookup.hash_cycles=2"),
                               "cache=all"),
                              ((CROWDED, "lookup.cam_pipelined=false"), "cam=0+3+6,cache=3+4.1"),
                              ((CROWDED, *shared, "lookup.cam_cycles=12", "router.route_at=arrival",
                                "lookup.warm=all"), "cam=all"),
                              ((*faults, *shared, "router.route_at=arrival"), "cam=all,cache=all"),
                              ((CROWDED, "lookup.entries=64", "lookup.ways=4", "topology.kind=mesh",
                                "topology.radices=8,8", "traffic.last_cycle=500", "run.shuffle_seed=7"), "cache=all"),
                              (faults, "cache=all"), (faults, "switch=0+3,cache=5+6.1")):
            with self.subTest(words=words, places=places):
                words = (*MODULES, *words)
                packets, _, hits, misses = self.run_models(*words)
                self.assertGreater(min(packets, hits, misses), 500)
                metrics, mechanisms = metrics_of(self.models.parent), self.mechanisms(self.models.parent)
                self.assert_equal_with_rtl(places, *words)
                if "switch" in places:
                    continue  # counts look-ups, hits and misses alone
                self.assertEqual(self.mechanisms(self.out), mechanisms)
                # Everything is counted at the pins; they do not show the kind of a fill in the cycle of a flush.
                rtl = metrics_of(self.out)
                for name, value in metrics.items():
                    if name.startswith(("lookup", "cam_")) and (name not in FILLS or faults[-1] not in words):
                        self.assertEqual(rtl[name], value, name)
                self.assertEqual(sum(rtl[name] for name in FILLS), sum(metrics[name] for name in FILLS))

    def test_a_waveform_has_the_look_ups_of_caches_of_rtl(self):
        waves = []
        for places in ("", "cache=all"):
            self.network(0, GOOD, *MODULES, f"rtl.places={places}", "--waves", "--waves-format", "vcd",
                         "traffic.last_cycle=200", "measure.cycles=201")
            waves.append(read_vcd(self.out / "network.vcd"))
        self.assertTrue(any("cache" in path for path in waves[0]))
        self.assertEqual(*waves)

    def test_links_that_fail_flush_the_caches_of_rtl(self):
        words = (CROWDED, "topology.kind=mesh", "link.faults=3@700:1500,5@2000")
        self.run_models("topology.kind=mesh", CROWDED)
        without = read_packets(self.models)
        self.run_models(*words)
        self.assertNotEqual(read_packets(self.models), without)
        self.assert_equal_with_rtl("switch=all", *words)


ROUTER = ("lookup.kind=local",)
TREE = ("topology.kind=fat_tree", "router.uturn_network=true", "topology.up_links=2", "topology.down_links=2",
        "topology.levels=3")


class Routers(Network):
    """Whole routers as RTL."""

    def run_models(self, *words):
        packets = super().run_models(*ROUTER, *words)[0]
        self.assertNotIn("rtl_flits", metrics_of(self.models.parent))
        return packets

    def test_one_router_and_all_in_meshes_and_tori(self):
        short = "traffic.last_cycle=1500"
        for words in ((), ("topology.kind=mesh", CROWDED), (short, CROWDED, "traffic.packet_flits=1"),
                      (short, "link.latency_cycles=3"),
                      (short, "topology.radices=8,8", "--seed", "2"),
                      (short, "topology.kind=mesh", "topology.radices=8,8")):
            with self.subTest(words=words):
                self.assertGreater(self.run_models(*words), 1000)
                for routers in ("5", "0+3+6", "all"):
                    self.assert_equal_with_rtl(f"router={routers}", *ROUTER, *words)

    def test_heads_choose_among_candidates(self):
        duato = ("routing.kind=duato", "router.atomic_vcs=true")
        mesh = ("topology.kind=mesh", "router.atomic_vcs=true")
        for words in ((*duato, CROWDED), (*duato, *mesh), (*duato, "topology.radices=6,5", "traffic.packet_flits=1"),
                      (*mesh, CROWDED, "routing.kind=west_first"), (*mesh, "routing.kind=negative_first")):
            with self.subTest(words=words):
                self.assertGreater(self.run_models("traffic.last_cycle=1500", *words), 300)
                self.assert_equal_with_rtl("router=all", *ROUTER, "traffic.last_cycle=1500", *words)

    def test_blocked_heads_are_counted_as_the_model_counts_them(self):
        busy = ("router.atomic_vcs=true", "router.block_timeout_cycles=32", "traffic.last_cycle=1000", CROWDED)
        duato = ("routing.kind=duato",)
        for words in ((), duato, (*duato, "topology.kind=mesh", "link.latency_cycles=3")):
            with self.subTest(words=words):
                self.run_models(*ROUTER, *busy, *words)
                timeouts = metrics_of(self.models.parent)["heads_timed_out"]
                self.assertGreater(timeouts, 100)
                self.assert_equal_with_rtl("router=all", *ROUTER, *busy, *words)
                self.assertEqual(metrics_of(self.out)["heads_timed_out"], timeouts)

    def predictions(self, folder):
        """Metrics of prediction, and the counts of each input."""
        tables = json.loads((folder / "result.json").read_text(encoding="utf-8"))["tables"]
        return ({name: value for name, value in metrics_of(folder).items() if name.startswith("prediction_")},
                tables["predictions"])

    def test_heads_hit_and_miss_as_the_model_counts_them(self):
        straight, latest, mesh = "prediction.kind=straight", "prediction.kind=latest_port", "topology.kind=mesh"
        up = ("prediction.kind=up", *TREE)
        quiet = "traffic.load_flits_per_node_cycle=0.05"
        counted = ("hits", "wrong", "lost", "not_idle", "not_predicted", "saved_cycles")
        for words, places in (((straight, quiet), "all"), ((straight, quiet, mesh), "5+6"),
                              ((straight, mesh, "rtl.shadow=true"), "all"),
                              ((straight, CROWDED, "traffic.packet_flits=1", "traffic.last_cycle=1500"), "all"),
                              ((straight, quiet, mesh, "topology.radices=8,8", "link.latency_cycles=3"), "all"),
                              ((latest, quiet), "all"), ((latest, quiet, mesh), "5+6"),
                              ((latest, mesh, "rtl.shadow=true"), "all"),
                              ((latest, CROWDED, "traffic.packet_flits=1", "traffic.last_cycle=1500"), "all"),
                              ((*up, quiet), "all"), ((*up, "rtl.shadow=true"), "0+4+9"),
                              ((*up, CROWDED, "topology.down_links=3", "traffic.packet_flits=1"), "all"),
                              ((*up, quiet, "topology.up_links=1", "topology.down_links=4", "topology.levels=2"),
                               "all")):
            with self.subTest(words=words):
                models = [word for word in words if not word.startswith("rtl.")]
                self.assertGreater(self.run_models(*models), 300)
                of_models = self.predictions(self.models.parent)
                for name in counted if quiet not in words or up[0] not in words else counted[:2]:
                    self.assertGreater(of_models[0][f"prediction_{name}"], 10, name)
                self.assert_equal_with_rtl(f"router={places}", *ROUTER, *words)
                self.assertEqual(self.predictions(self.out), of_models)

    def test_predictions_that_the_twin_does_not_have_are_refused(self):
        for words, told in ((("prediction.kind=finite_context",), "(SS)) with prediction.kind straight; "),
                            (("prediction.kind=latest_port", "router.uturn_network=true"),
                             "latest output) with router.uturn_network false; "),
                            (("router.uturn_network=true",), "with topology.kind fat_tree"),
                            (("prediction.kind=none", *TREE), "with prediction.kind up"),
                            (("prediction.kind=straight", "prediction.check=wait"),
                             "(SS)) with prediction.check kill; ")):
            with self.subTest(words=words):
                self.assertIn(told, self.network(2, GOOD, *ROUTER, "--rtl", "router=all", *words).stderr)

    def test_timeouts_that_the_twin_does_not_have_are_refused(self):
        for words, told in ((("router.block_timeout_cycles=31",),
                             "timeout_5x4 (adaptive_5x4 whose heads time out after 32 "
                             "cycles) with router.block_timeout_cycles 32"),
                            (("router.block_timeout_cycles=32", "deadlock.classify_timeouts=true"),
                             "with deadlock.classify_timeouts false")):
            with self.subTest(words=words):
                self.assertIn(told, self.network(2, GOOD, *ROUTER, "router.atomic_vcs=true", "--rtl", "router=all",
                                                 *words).stderr)

    def test_detour_routers_recover_as_their_models_do(self):
        nf = ("routing.kind=detour_nf", "router.atomic_vcs=true")
        ud = ("routing.kind=detour_ud", "router.atomic_vcs=true", "router.block_timeout_cycles=16",
              "router.hop_limit=4")
        dead = "faults.routers=[5]"
        timeout, hops = "recoveries_by_timeout", "recoveries_by_hops"
        # A long packet comes back to a router in which some of its flits still are.
        for words, least in ((nf, {}), ((*nf, dead), {}), ((*nf, "faults.links=[3,9]", "traffic.packet_flits=16"), {}),
                             (ud, {timeout: 100}), ((*ud, dead), {timeout: 100}),
                             ((*ud, "faults.links=[0,1,3,8,9,11]"), {timeout: 100, hops: 50}),
                             ((*ud, "faults.links=[0,1,3,8,9,11]", "traffic.packet_flits=16"), {timeout: 30})):
            with self.subTest(words=words):
                words = (*ROUTER, CROWDED, "traffic.last_cycle=1500", *words)
                self.assertGreater(self.run_models(*words), 300)
                model = metrics_of(self.models.parent)
                self.assert_equal_with_rtl("router=all", *words)
                for name, count in least.items():
                    self.assertGreater(model[name], count)
                rtl = metrics_of(self.out)
                self.assertEqual({name: rtl[name] for name in model if "recover" in name},
                                 {name: value for name, value in model.items() if "recover" in name})

    def test_what_the_detour_twin_lacks_is_refused(self):
        ud = {"routing.kind": "detour_ud", "router.atomic_vcs": "true", "router.block_timeout_cycles": 16,
              "router.hop_limit": 4}
        detour = "recovery after 16 cycles or 4 hops) with "
        for key, value, told in (("topology.kind", "mesh", detour + "topology.kind torus"),
                                 ("topology.radices", "4,5", "topology.radices: the RTL has its place as a parameter"),
                                 ("router.hop_limit", 5, detour + "router.hop_limit 4"),
                                 ("router.block_timeout_cycles", 15, detour + "router.block_timeout_cycles 16"),
                                 ("routing.ud_vcs", 2, detour + "routing.ud_vcs 1"),
                                 ("router.table_ports", 1, detour + "router.table_ports 2"),
                                 ("router.table_cycles", 4, detour + "router.table_cycles 5"),
                                 ("router.table_pipelined", "false", detour + "router.table_pipelined true"),
                                 ("deadlock.classify_timeouts", "true", detour + "deadlock.classify_timeouts false"),
                                 ("faults.events", "router 5@100", "faults.events")):
            with self.subTest(key=key):
                words = [f"{name}={of}" for name, of in {**ud, key: value}.items()]
                self.assertIn(told, self.network(2, GOOD, *ROUTER, "--rtl", "router=all", *words).stderr)

    def test_choices_that_the_table_does_not_hold_are_refused(self):
        duato = ("routing.kind=duato", "router.atomic_vcs=true")
        for words, told in (((*duato, "routing.escape_return=false"),
                             "inputs of router 0 have different routes to node"),
                            ((*duato, "router.selection=first"), "with router.selection most_credits"),
                            (("routing.ties=random", "router.atomic_vcs=true"), "no table has it"),
                            (("routing.kind=duato", "router.atomic_vcs=false", "router.switching=virtual_cut_through"),
                             "wormhole")):
            with self.subTest(words=words):
                self.assertIn(told, self.network(2, GOOD, *ROUTER, "--rtl", "router=all", *words).stderr)

    def test_the_order_in_which_modules_run_does_not_show(self):
        self.run_models(CROWDED, "traffic.last_cycle=1500")
        for words in (("run.shuffle_seed=7",), ("run.shuffle_seed=8",), ("run.processes=process_each",)):
            with self.subTest(words=words):
                self.assert_equal_with_rtl("router=all", *ROUTER, CROWDED, "traffic.last_cycle=1500", *words)

    def test_a_difference_is_told_and_scored(self):
        self.run_models()
        slower = self.network(1, GOOD, *ROUTER, f"compare.against={self.models}", "router.va_cycles=3")
        self.assertTrue(DIFFERENCE.search(slower.stderr), slower.stderr)
        self.network(0, GOOD, *ROUTER, "compare.score=true", f"compare.against={self.models}", "compare.record=true",
                     "router.va_cycles=3")
        score = {name.removeprefix("compared_"): value
                 for name, value in metrics_of(self.out).items() if name.startswith("compared_")}
        before, here = read_packets(self.models), read_packets(self.out / "run.csv")
        self.assertEqual(set(before), set(here))
        later = [(here[packet][4] - here[packet][2]) - (before[packet][4] - before[packet][2]) for packet in here]
        latencies = [sum(row[4] - row[2] for row in rows.values()) / len(rows) for rows in (before, here)]
        self.assertEqual(score["packets"], len(here))
        self.assertEqual([score[f"packets_{how}"] for how in ("equal", "later", "earlier")],
                         [later.count(0), sum(more > 0 for more in later), sum(more < 0 for more in later)])
        self.assertEqual((score["most_later_cycles"], score["most_earlier_cycles"]), (max(later), max(0, -min(later))))
        for told, mean in zip((score["latency_cycles_before"], score["latency_cycles"]), latencies):
            self.assertAlmostEqual(told, mean, 9)
        self.assertGreater(latencies[1], latencies[0] + 2)  # two cycles more a hop

    def test_a_packet_that_is_missing_is_scored_as_lost(self):
        self.run_models()
        lines = self.models.read_text(encoding="utf-8").splitlines(True)
        packet = next(at for at, line in enumerate(lines) if line.startswith("packet,"))
        self.models.write_text("".join(lines[:packet] + lines[packet + 1:]), encoding="utf-8")
        scored = self.network(1, GOOD, *ROUTER, "compare.score=true", f"compare.against={self.models}")
        self.assertIn(": 1 packets are lost or changed: ", scored.stderr)

    def test_time_inside_of_rtl_is_one_part_of_the_latency(self):
        words = (*ROUTER, "--records", "traffic.load_flits_per_node_cycle=0.4", "traffic.last_cycle=1500")
        means = []
        for places in ("", "router=all"):
            self.network(0, GOOD, *words, f"rtl.places={places}")
            with open(self.out / "packets.csv", encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            names = list(rows[0])
            parts = names[names.index("latency_cycles") + 1:names.index("dropped_cycle")]
            means.append({name.removesuffix("_cycles"): sum(float(row[name]) for row in rows) / len(rows)
                          for name in parts})
        models, rtl = means
        for same in ("source_queue", "link", "serialization", "wait_body"):
            self.assertAlmostEqual(models.pop(same), rtl.pop(same), 2, same)
        inside = rtl.pop("inside")
        self.assertGreater(inside, 8)
        self.assertAlmostEqual(inside, sum(models.values()) - sum(rtl.values()), 1)
        self.assertEqual((rtl["router"], rtl["wait_vc"], rtl["wait_credit"], rtl["wait_switch"]), (0, 0, 0, 0))

    @unittest.skipIf(shutil.which("fst2vcd") is None, "no fst2vcd, which reads FST (Debian's gtkwave)")
    def test_a_waveform_has_the_own_signals_of_each_router_in_its_cycles(self):
        result = self.network(0, GOOD, *ROUTER, "--rtl", "router=5+6", "rtl.wave=true", "compare.record=true",
                              "traffic.last_cycle=300",
                              "measure.cycles=301", "clock_period_ps=800")
        self.assertEqual(result.stderr, "")
        flits = {router: row[0] for router, row in read_rows(self.out / "run.csv", "router").items()}
        for router in (5, 6):
            wave = self.folder / "own.vcd"
            self.ends(0, "fst2vcd", self.out / f"rtl.r{router}.fst", "-o", wave)
            signals = read_vcd(wave)
            own = f"r{router}.vc_router"
            self.assertIn(f"{own}.va.one.first_ports", signals)  # below its pins
            times = {time for values in signals.values() for time, _ in values}
            self.assertEqual({time % 800 for time in times}, {0, 400})
            # After an edge, the outputs are the next cycle's.
            out_valid, left = dict(signals[f"{own}.out_valid"]), 0
            for edge in range(400, max(times) + 1, 800):
                value = (["0"] + [value for time, value in out_valid.items() if time <= edge])[-1]
                left += value.count("1")
            self.assertEqual(left, flits[router])

    def test_a_waveform_of_pins_has_every_flit_by_router_port_and_virtual_channel(self):
        words = (*ROUTER, "traffic.last_cycle=1400", "measure.cycles=1401", "clock_period_ps=800")
        self.network(0, GOOD, *words, "--rtl", "router=all", "compare.record=true")
        plain = counted_in(self.out)
        packets = read_packets(self.out / "run.csv")
        flits = {router: row[0] for router, row in read_rows(self.out / "run.csv", "router").items()}
        self.network(0, GOOD, *words, "--rtl", "router=all", "rtl.wave=true", "--waves", "--waves-format", "vcd",
                     "waves.routers=[]")
        self.assertEqual(counted_in(self.out), plain)
        wave, names = read_vcd(self.out / "rtl.vcd"), {}
        for path, values in wave.items():
            router, port, vc, signal = [*path.split("."), "", ""][:4]
            if signal == "out_flit":
                shown = [value[1:] for _, value in values if value not in ("s", "s0")]
                names.setdefault(int(router[1:]), []).extend(shown)
                self.assertEqual(len(shown), len(set(shown)), path)
                # A virtual channel has the flits of one packet after those of another.
                for before, after in zip(shown, shown[1:]):
                    if not after.endswith("/0"):
                        self.assertEqual(after.split("/")[0], before.split("/")[0], path)
        self.assertEqual({router: len(set(found)) for router, found in names.items()}, flits)
        self.assertEqual(len({name.split("/")[0] for found in names.values() for name in found}), len(packets))
        edges = [time for time, value in wave["r3.clock"] if value.endswith("1")]
        self.assertEqual({time % 800 for time in edges}, {400})
        credits = sum(value.endswith("1") for path, values in wave.items() if path.startswith("r5.") and
                      path.endswith("in_credit") for _, value in values)
        self.assertGreater(credits, 100)
        shown = (self.out / "rtl.gtkw").read_text(encoding="utf-8")
        groups = re.findall(r"^@800200\n-(.*)$", shown, re.MULTILINE)
        self.assertEqual(groups[:3], ["router 0", "router 0, port 0", "router 0, port 0, virtual channel 0"])
        self.assertEqual(len(groups), len(set(groups)))
        self.assertIn("-router 5, port 2, virtual channel 3\n@820\nr5.port2.vc3.in_flit\n", shown)

    def test_a_waveform_of_pins_has_its_window(self):
        words = (*ROUTER, "--rtl", "router=5", "rtl.wave=true", "--waves", "--waves-format", "vcd", "waves.routers=[]",
                 "traffic.last_cycle=400")
        whole = ("rtl.wave_first_cycle=0", "rtl.wave_last_cycle=2000")

        def changes(*more):
            self.network(0, GOOD, *words, *more)
            return {path: values for path, values in read_vcd(self.out / "rtl.vcd").items() if values}

        def at(values, time):
            return [value for when, value in values if when <= time][-1]

        full = changes("--window", "100:200", *whole)
        self.assertEqual(min(time for values in full.values() for time, _ in values), 0)
        for window, first, last in ((("--window", "100:200"), 100_000, 200_500),
                                    (("rtl.wave_first_cycle=120", "rtl.wave_last_cycle=140"), 120_000, 140_500),
                                    (("--window", "100:200", "rtl.wave_last_cycle=140"), 100_000, 140_500)):
            with self.subTest(window=window):
                part = changes(*window)
                self.assertEqual(set(part), set(full))
                for path, values in part.items():
                    self.assertEqual(values[0], (first, at(full[path], first)), path)
                    within = [change for change in full[path] if first < change[0] <= last]
                    self.assertEqual([change for change in values[1:] if change[0] != last or change in within], within)
        result = self.network(2, GOOD, *words, "--window", "100:200", "rtl.wave_first_cycle=300")
        self.assertIn("rtl.wave_first_cycle: after the last cycle of --window (got '300'); accepted: 200 and less",
                      result.stderr)

    def test_a_model_beside_its_twin_has_the_cycles_of_all_packets(self):
        for words in ((), (CROWDED, "--seed", "2"), (CROWDED, "traffic.packet_flits=1", "topology.kind=mesh"),
                      (CROWDED, "routing.kind=duato", "router.atomic_vcs=true", "topology.kind=mesh")):
            with self.subTest(words=words):
                self.network(0, GOOD, *ROUTER, "--rtl", "router=all", "rtl.shadow=packets", *words)
                found = metrics_of(self.out)
                self.assertEqual([found[f"rtl_shadow_{key}"] for key in
                                  ("differing", "unfinished", "later_cycles_min", "later_cycles_max")], [0, 0, 0, 0])
                table = json.loads((self.out / "result.json").read_text(encoding="utf-8"))["tables"]["rtl_shadow"]
                self.assertEqual(sum(row[1] for row in table["rows"]), found["rtl_shadow_packets"])
                self.assertGreater(found["rtl_shadow_packets"], 1000)

    def test_table_reads_inside_rtl_are_counted_by_nobody(self):
        words = (*ROUTER, "routing.kind=detour_ud", "router.atomic_vcs=true", "router.block_timeout_cycles=16",
                 "router.hop_limit=4", "router.uturn_network=true", "traffic.load_flits_per_node_cycle=0.5")
        self.network(0, GOOD, *words)
        self.assertGreater(metrics_of(self.out)["table_reads"], 0)
        self.network(0, GOOD, *words, "--rtl", "router=all")
        self.assertIsNone(metrics_of(self.out)["table_reads"])
        self.assertIsNone(metrics_of(self.out)["table_wait_cycles_mean"])

    def test_all_of_the_platform_network_is_there(self):
        """A sweep, a waveform of the network, and an application through RTL."""
        short = ("topology.radices=2,2", "measure.cycles=300", "traffic.last_cycle=0")
        self.network(0, GOOD, *ROUTER, "--rtl", "router=all", "--sweep-load", "0.1:0.2:2", *short)
        sweep = json.loads((self.out / "result.json").read_text(encoding="utf-8"))["tables"]["sweep"]
        self.network(0, GOOD, *ROUTER, "--sweep-load", "0.1:0.2:2", *short)
        self.assertEqual(json.loads((self.out / "result.json").read_text(encoding="utf-8"))["tables"]["sweep"], sweep)
        waves = []
        for places in ("", "router=all"):
            self.network(0, GOOD, *ROUTER, f"rtl.places={places}", "--waves", "--waves-format", "vcd",
                         "waves.routers=[]", *short,
                         "traffic.last_cycle=200")
            waves.append(read_vcd(self.out / "network.vcd"))
        models, rtl = waves
        self.assertEqual(set(models), set(rtl))
        for path, values in models.items():
            if path.endswith((".flit", ".vc")):
                self.assertEqual(rtl[path], values, path)
            if path.endswith(".stage"):
                self.assertEqual(len(rtl[path]), 1, path)  # which stage is not known
            if path.endswith(".packet"):
                # Equal packets, each for a separate time, and nothing remains.
                self.assertEqual([value for _, value in rtl[path]], [value for _, value in values], path)
                self.assertIn(rtl[path][-1][1], ("", "s"), path)
        trace = self.folder / "two.ti"
        trace.write_text("0 init\n0 send 1 0 800 6\n0 finalize\n1 init\n1 recv 0 0 800 6\n1 finalize\n",
                         encoding="utf-8")
        times = []
        for places in ("", "router=all"):
            self.network(0, GOOD, *ROUTER, f"rtl.places={places}", "workload.kind=trace", f"workload.trace={trace}",
                         "topology.radices=2,2")
            times.append((metrics_of(self.out)["simulated_cycles"], metrics_of(self.out)["packets_delivered"]))
        self.assertEqual(times[0], times[1])
        self.assertGreater(times[0][1], 1)

    def test_waveforms_shadows_and_assertions_that_cannot_be_are_refused(self):
        for words, key in (((*ROUTER, "rtl.wave=true"), "rtl.wave"),
                           (("--rtl", "switch=5", "rtl.wave=true"), "rtl.wave"),
                           (("--rtl", "switch=5", "rtl.shadow=true"), "rtl.shadow"),
                           (("--rtl", "switch=5", "rtl.record=true"), "rtl.record"),
                           (("--rtl", "switch=5", "rtl.stall=0.5"), "rtl.stall"), (("--stall", "0.5"), "rtl.stall"),
                           (("--rtl", "switch=5", "--delay", "5"), "rtl.delay_cycles"),
                           (("--delay", "5"), "rtl.delay_cycles"),
                           ((*ROUTER, "--rtl", "router=5", "--delay", "1001"), "rtl.delay_cycles"),
                           ((*ROUTER, "--rtl", "router=5", "rtl.stall=1"), "rtl.stall"),
                           (("--rtl", "switch=5", "rtl.assertions=warn"), "rtl.assertions"),
                           ((*ROUTER, "rtl.assertions=stop"), "rtl.assertions"),
                           ((*ROUTER, "--rtl", "router=5", "rtl.assertions=off"), "rtl.assertions"),
                           ((*ROUTER, "rtl.record=true"), "rtl.record"), ((*ROUTER, "rtl.shadow=true"), "rtl.shadow"),
                           ((*ROUTER, "compare.score=true"), "compare.score")):
            with self.subTest(words=words):
                result = self.network(2, GOOD, *words)
                self.assertIn(f": {key}: ", result.stderr)
                self.assertIn("; accepted: ", result.stderr)

    def test_a_key_without_its_option_is_refused_with_it(self):
        done = self.ends(2, GOOD, "topology.radices=8,8")
        self.assertIn("; accepted: --set topology.radices=8,8 for a key", done.stderr)

    def test_options_of_before_are_refused_with_their_keys(self):
        for words, key in ((("--device", "router_5x4"), "--rtl DEVICE=PLACES"),
                           (("--against", "x.csv"), "--set compare.against"), (("--score",), "--set compare.score"),
                           (("--wave", "w"), "--set rtl.wave"), (("--record", "w"), "--set rtl.record"),
                           (("--shadow",), "--set rtl.shadow"),
                           (("--assertions", "warn"), "--set rtl.assertions"), (("--parts",), "--records")):
            with self.subTest(words=words):
                self.assertIn(f"; accepted: {key}", self.network(2, GOOD, *words).stderr)
        for key in ("rtl.device=router_5x4", "rtl.routers=all"):
            self.assertRegex(self.network(2, GOOD, key).stderr, r"rtl\.\w+: is called rtl\.places since 0\.2, with "
                             r"DEVICE=PLACES \(got '\w+'\); accepted: --rtl DEVICE=PLACES, as in --help$")

    def test_nodes_at_other_ports_are_refused(self):
        leads = "of router 0 leads to a node, and that of the RTL to a router"
        for words, told in ((("topology.radices=8",), "port 2 " + leads),
                            (("topology.kind=fat_tree", "topology.up_links=1"), "port 0 " + leads)):
            with self.subTest(words=words):
                result = self.network(2, GOOD, *ROUTER, "--rtl", "router=all", *words)
                self.assertIn(told, result.stderr)

    def test_a_key_that_the_twin_was_not_made_with_is_refused(self):
        for setting, key in (("router.va_cycles=2", "router.va_cycles"),
                             ("router.sa_allocator=matrix", "router.sa_allocator"),
                             ("router.rc_cycles=2", "router.rc_cycles"), ("router.st_cycles=2", "router.st_cycles"),
                             ("router.sa_cycles=2", "router.sa_cycles"),
                             ("router.va_allocator=separable", "router.va_allocator"),
                             ("router.islip_iterations=2", "router.islip_iterations"),
                             ("link.credit_process_cycles=2", "link.credit_process_cycles"),
                             ("router.va_input_arbiter=ports_and_vcs", "router.va_input_arbiter"),
                             ("router.vcs=2", "router.vcs"),
                             ("router.node_vcs=2", "router.node_vcs"),
                             ("router.buffer_flits=4", "router.buffer_flits"),
                             ("router.uturn_network=true", "router.uturn_network"),
                             ("router.uturn_node=false", "router.uturn_node"), ("lookup.kind=cached", "lookup.kind"),
                             ("prediction.kind=finite_context", "prediction.kind"),
                             ("router.des_cycles=1", "router.des_cycles"),
                             ("router.ser_cycles=1", "router.ser_cycles"),
                             ("router.vc_change_cycles=1", "router.vc_change_cycles"),
                             ("router.input_speedup=2", "router.input_speedup"),
                             ("router.route_at=arrival", "router.route_at"),
                             ("router.block_timeout_cycles=9", "router.block_timeout_cycles"),
                             ("router.hop_limit=9", "router.hop_limit"),
                             ("link.flit_cycles=2", "link.flit_cycles"), ("link.faults=3@700", "link.faults"),
                             ("topology.radices=10,10", "topology.kind"), ("topology.radices=2,2,2", "topology.kind"),
                             ("routing.dateline=crossing", "routing.kind"),
                             ("router.switching=virtual_cut_through", "router.switching")):
            with self.subTest(setting=setting):
                result = self.network(2, GOOD, *ROUTER, "--rtl", "router=all", setting)
                self.assertRegex(result.stderr, f": {key}: |with {key} ")
                self.assertIn("; accepted: ", result.stderr)
        self.network(0, GOOD, *ROUTER, "router.switching=virtual_cut_through")


class Different(Network):
    def test_a_bug_in_rtl_is_told_with_the_packet_and_both_cycles(self):
        for places, more in (("switch=5", ()), ("switch=all", ()), ("cache=5+6.0", MODULES)):
            self.run_models(*more)
            with self.subTest(places=places):
                result = self.network(1, PLANTED, "--rtl", places, f"compare.against={self.models}",
                                      "compare.record=true", *more)
                told = DIFFERENCE.search(result.stderr)
                self.assertTrue(told, result.stderr)
                numbers = [int(number) for number in told.groups()[3:]]
                source, serial = map(int, told.group(2).split("."))
                packet = source << 32 | serial
                models, planted = read_packets(self.models), read_packets(self.out / "run.csv")
                # source, destination, injected, head, tail
                for side, row in ((models, numbers[:5]), (planted, numbers[5:])):
                    source, injected, destination, head, tail = row
                    self.assertEqual(side[packet], (source, destination, injected, head, tail))
                first = min(min(models[key][4], planted[key][4]) for key in models if models[key] != planted[key])
                self.assertEqual((min(numbers[4], numbers[9]), int(told.group(1))), (first, first))

    def test_with_models_alone_the_bug_is_not_there(self):
        self.run_models()
        self.network(0, PLANTED, f"compare.against={self.models}")


class Refused(Network):
    def test_what_rtl_does_not_do_is_refused_with_what_would_be_accepted(self):
        for words, part in (
            ([*RTL, "nothing=5"], "--rtl nothing=5: rtl.places: there is no RTL of 'nothing' here"),
            ([*RTL, "nothing=5"], "accepted: DEVICE=PLACE+PLACE,DEVICE=PLACE with devices switch, cam, cache, router"),
            ([*RTL, "all"], "'all' is no DEVICE=PLACE"), ([*RTL, "switch=5,"], "'' is no DEVICE=PLACE"),
            ([*RTL, "switch=5,6"], "'6' is no DEVICE=PLACE"), ([*RTL, "switch=5,switch=6"], "'switch' twice"),
            ([*RTL, "switch=16"], "no place of this network (got 'switch=16'); accepted: all, or routers 0..15, "),
            ([*RTL, "switch=1+1"], "a place twice (got 'switch=1'); accepted: "), ([*RTL, "switch=1+"], "0..15"),
            ([*RTL, "switch="], "0..15"), ([*RTL, "switch=some"], "no place of this network (got 'switch=some')"),
            ([*RTL, "switch=5.2"], "no place of this network (got 'switch=5.2')"),
            ([*RTL, "switch=5+all"], "is not combined with other places (got 'switch=all')"),
            ([*RTL, "cache=5.5"], "no port of router 5 (got 'cache=5.5'); accepted: all, or routers 0..15, or their "
             "ports as ROUTER.PORT with ports 0..4"),
            ([*RTL, "cache=5.2+5"], "a place twice (got 'cache=5')"), ([*RTL, "cache=5+5.2"], "(got 'cache=5.2')"),
            ([*RTL, "cache=5.2+5.2"], "a place twice"), ([*RTL, "cache=5."], "no port of router 5"),
            ([*RTL, "switch=all,cache=5.2"], "part of the RTL of switch=5 (got 'cache=5'); accepted: one of the two"),
            ([*RTL, "cam=4,switch=4"], "part of the RTL of switch=4 (got 'cam=4')"),
            ([f"compare.against={self.folder / 'nothing.csv'}"], "compare.against: "),
            ([*RTL, "switch=all", "lookup.blocking=true"], "--set lookup.blocking=true: lookup.blocking: "),
            ([*RTL, "switch=all", "lookup.hash_cycles=2"], "(got '2'); accepted: 1"),
            ([*RTL, "switch=all", "lookup.cache_cycles=3"], "(got '3'); accepted: 1"),
            ([*RTL, "switch=all", "lookup.cam_cycles=24"], "(got '24'); accepted: 25"),
            ([*RTL, "switch=all", "lookup.cam_pipelined=false"],
             "--set lookup.cam_pipelined=false: lookup.cam_pipelined: "),
            ([*RTL, "switch=all", "lookup.cam_sharing=switch"], "(got 'switch'); accepted: none"),
            ([*RTL, "switch=all", "lookup.ways=4"], "no RTL of this device fits the network (got 'switch'); accepted: "
             "switch_4x4 (look-up pipelines of 5 ports, 16 nodes, caches of 2 sets of 2 ways) with lookup.ways 2; "
             "switch_4x4x4 "),
            ([*RTL, "switch=all", "router.vcs=8"], "with router.vcs 1..4, of nodes, too; switch_4x4x4"),
            ([*RTL, "switch=all", "lookup.warm=all"], "none"),
            ([*RTL, "switch=all", "topology.radices=5,4"], "16 nodes"),
            ([*RTL, "switch=all", "topology.kind=mesh", "topology.radices=2,2,2"], "5 ports"),
            ([*RTL, "switch=all", "routing.dateline=crossing"], "routing.dateline switching"),
            ([*RTL, "switch=all", "clock_period_ps=19"], "20 or more"),
            ([*RTL, "switch=all", *ROUTER], "(got 'local'); accepted: cached"),
            ([*RTL, "router=all"], "with lookup.kind local; up_5x4"),
            ([*RTL, "cam=all"], "lookup.model: the RTL was made with another value (got 'fast'); accepted: modules"),
            ([*RTL, "cache=all"], "(got 'fast'); accepted: modules"),
            ([*RTL, "cache=all", *ROUTER], "(got 'local'); accepted: cached"),
            ([*RTL, "cam=all", *MODULES], "(got 'none'); accepted: switch"),
            ([*RTL, "cam=all", *SHARED, "lookup.cam_entries=65"], "at most 64"),
            ([*RTL, "cam=all", *SHARED, "lookup.cam_chip_cycles=5"], "(got '5'); accepted: 4"),
            ([*RTL, "cache=5", *MODULES, "lookup.cache_cycles=2"], "(got '2'); accepted: 1"),
            ([*RTL, "cache=5", *MODULES, "lookup.warm=all"], "(got 'all'); accepted: none"),
            ([*RTL, "cache=5", *MODULES, "lookup.classify_misses=true"], "(got 'true'); accepted: false"),
            ([*RTL, "cache=5", *MODULES, "lookup.replacement=fifo"], "(got 'fifo'); accepted: lru"),
            ([*RTL, "cache=5", *MODULES, "lookup.entries=8"], "cache_4 (routing-table cache of 2 sets of 2 ways) with "
             "lookup.entries 4; cache_64 (routing-table cache of 16 sets of 4 ways) with lookup.entries 64"),
            (["--rtl", "switch=5", "--set", "rtl.places=switch=6"], "rtl.places"),
            (["router.vcs=1"], "--set router.vcs=1: router.vcs: "),
        ):
            with self.subTest(words=words):
                result = self.network(2, GOOD, *words)
                self.assertIn(part, result.stdout + result.stderr)

    def test_a_file_that_is_no_run_is_refused(self):
        packet, switch = "packet,1,0,2,3,4,5", "switch,0,1,2,3"
        for line, place, problem in (
                ("packet,1,2", 1, "the line has too few fields"), (packet + ",6", 19, "the line has too many fields"),
                ("pocket,1,0,2,3,4,5", 1, "not a line of a packet, a switch or a router"),
                ("switch,-1,1,2,3", 8, "not a number"),
                ("switch,0,1,+2,3", 12, "not a number"), ("switch,0,1,,3", 12, "not a number"),
                ("switch,0,1,2,3 ", 14, "not a number"),
                ("packet,1,4294967296,2,3,4,5", 10, "not a number from 0 to 4294967295"),
                ("packet,1,0,2,3,4,18446744073709551616", 18, "not a number"),
                (packet, 1, "this packet, switch or router is already in an earlier line"),
                (switch, 1, "this packet, switch or router is already in an earlier line")):
            with self.subTest(line=line):
                self.models.parent.mkdir(exist_ok=True)
                self.models.write_text(f"# a comment\n{packet}\n{switch}\n{line}\n", encoding="utf-8")
                self.refused(f"{self.models}:4:{place}: compare.against: {problem}", GOOD, "--set",
                             f"compare.against={self.models}")

    def test_counters_of_a_network_that_is_not_empty_are_not_compared(self):
        busy = ("traffic.last_cycle=0", "measure.cycles=500")
        self.run_models(*busy)
        self.assertEqual((read_rows(self.models, "switch"), read_rows(self.models, "router")), ({}, {}))
        self.assertGreater(len(read_packets(self.models)), 300)
        result = self.network(0, GOOD, "--rtl", "switch=all", f"compare.against={self.models}", *busy)
        self.assertIn("contain only packets", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
