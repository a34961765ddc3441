#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""RTL in the switches of a whole network: every packet has its cycles, every switch its hits, as with models alone.

usage: network_test.py NETWORK_BENCH PLANTED_NETWORK
"""

import csv
import json
import re
import sys
import unittest

from benches import BenchTest, metrics_of, with_set

GOOD, PLANTED = sys.argv[1:3]
CROWDED = "traffic.load_flits_per_node_cycle=0.9"  # several heads of a port ask in one cycle
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

    def run_models(self, *words):
        """Packets, look-ups, hits and misses."""
        self.network(0, GOOD, "--out", self.models.parent, "compare.record=true", *words)
        switches = read_rows(self.models, "switch").values()
        return [len(read_packets(self.models)), *(map(sum, zip(*switches)) if switches else (0, 0, 0))]

    def assert_equal_with_rtl(self, switches, *words):
        self.network(0, GOOD, f"rtl.routers={switches}", f"compare.against={self.models}", "compare.record=true",
                     *words)
        self.assertEqual((self.out / "run.csv").read_text(encoding="utf-8"), self.models.read_text(encoding="utf-8"))
        self.assertEqual(metrics_of(self.out)["compared_packets"], len(read_packets(self.models)))


class Equal(Network):
    def test_one_switch_and_all_switches(self):
        for words, of in (((), ("5", "0,3,6")), ((CROWDED,), ("all",)),
                          (("traffic.load_flits_per_node_cycle=0.02",), ("all",)),
                          (("--seed", "2"), ("0,3,6",)), ((CROWDED, "traffic.packet_flits=1"), ("all",)),
                          (("topology.kind=mesh", "topology.radices=3,3", "router.vcs=2"), ("5", "all"))):
            with self.subTest(words=words):
                packets, lookups, hits, misses = self.run_models(*words)
                self.assertEqual(lookups, hits + misses)
                # Enough happens for a difference to show.
                self.assertGreater(packets, 300)
                self.assertGreater(hits, 500)
                self.assertGreater(misses, 500)
                for switches in of:
                    self.assert_equal_with_rtl(switches, *words)

    def test_many_virtual_channels_whose_answers_come_together(self):
        words = ("rtl.device=switch_4x4x4", "topology.radices=4,4,4", "router.vcs=8", "traffic.packet_flits=1",
                 "traffic.last_cycle=1000", CROWDED)
        self.run_models(*words)
        self.assert_equal_with_rtl("all", *words)

    def test_the_order_in_which_modules_run_does_not_show(self):
        self.run_models(CROWDED)
        for words in (("run.shuffle_seed=7",), ("run.shuffle_seed=8",), ("run.processes=process_each",)):
            with self.subTest(words=words):
                self.assert_equal_with_rtl("all", CROWDED, *words)

    def test_a_cam_of_rtl_behind_caches_as_modules(self):
        for words, switches in (((), "all"), ((CROWDED, "lookup.cam_pipelined=false"), "0,3,6"),
                                ((CROWDED, "lookup.cam_cycles=12", "router.route_at=arrival", "lookup.warm=all"),
                                 "all"),
                                ((CROWDED, "topology.kind=mesh", "link.faults=3@700:1500,5@2000"), "all")):
            with self.subTest(words=words):
                words = ("rtl.device=cam_16", *words)
                packets, _, _, misses = self.run_models(*words)
                self.assertGreater(min(packets, misses), 500)
                self.assert_equal_with_rtl(switches, *words)

    def test_links_that_fail_flush_the_caches_of_rtl(self):
        words = (CROWDED, "topology.kind=mesh", "link.faults=3@700:1500,5@2000")
        self.run_models("topology.kind=mesh", CROWDED)
        without = read_packets(self.models)
        self.run_models(*words)
        self.assertNotEqual(read_packets(self.models), without)
        self.assert_equal_with_rtl("all", *words)


ROUTER = ("rtl.device=router_5x4",)


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
                for routers in ("5", "0,3,6", "all"):
                    self.assert_equal_with_rtl(routers, *ROUTER, *words)

    def test_the_order_in_which_modules_run_does_not_show(self):
        self.run_models(CROWDED, "traffic.last_cycle=1500")
        for words in (("run.shuffle_seed=7",), ("run.shuffle_seed=8",), ("run.processes=process_each",)):
            with self.subTest(words=words):
                self.assert_equal_with_rtl("all", *ROUTER, CROWDED, "traffic.last_cycle=1500", *words)

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
        words = (*ROUTER, "--trace", "packets", "traffic.load_flits_per_node_cycle=0.4", "traffic.last_cycle=1500")
        means = []
        for routers in ("", "all"):
            self.network(0, GOOD, *words, f"rtl.routers={routers}")
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

    def test_a_waveform_has_the_own_signals_of_each_router_in_its_cycles(self):
        result = self.network(0, GOOD, *ROUTER, "rtl.routers=5,6", "rtl.wave=true", "compare.record=true",
                              "traffic.last_cycle=300",
                              "measure.cycles=301", "clock_period_ps=800")
        self.assertEqual(result.stderr, "")
        flits = {router: row[0] for router, row in read_rows(self.out / "run.csv", "router").items()}
        for router in (5, 6):
            wave = (self.out / f"rtl.r{router}.vcd").read_text(encoding="utf-8")
            self.assertIn(" $scope module vc_router ", wave)
            codes = {name: code for code, name in re.findall(r"^ +\$var wire +\d+ (\S+) (\w+) ",
                                                             wave.partition("$scope module vc_router")[0],
                                                             re.MULTILINE)}
            values, left, time = {}, 0, 0
            for line in wave.partition("$enddefinitions")[2].splitlines():
                if line.startswith("#"):
                    # Behind an edge, the outputs are the next cycle's.
                    left += bin(int(values.get(codes["out_valid"], "0"), 2)).count("1") if time % 800 == 400 else 0
                    time = int(line[1:])
                    self.assertIn(time % 800, (0, 400))
                elif line.startswith("b"):
                    value, code = line[1:].split()
                    values[code] = value
            self.assertEqual(left, flits[router])

    def test_all_of_the_platform_network_is_there(self):
        """A sweep, a waveform of the network, and an application through RTL."""
        short = ("topology.radices=2,2", "measure.cycles=300", "traffic.last_cycle=0")
        self.network(0, GOOD, *ROUTER, "rtl.routers=all", "--sweep-load", "0.1:0.2:2", *short)
        sweep = json.loads((self.out / "result.json").read_text(encoding="utf-8"))["tables"]["sweep"]
        self.network(0, GOOD, *ROUTER, "--sweep-load", "0.1:0.2:2", *short)
        self.assertEqual(json.loads((self.out / "result.json").read_text(encoding="utf-8"))["tables"]["sweep"], sweep)
        waves = []
        for routers in ("", "all"):
            self.network(0, GOOD, *ROUTER, f"rtl.routers={routers}", "--trace", "signals", "--trace-format", "vcd",
                         "trace.routers=[]", *short,
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
                # The same packets, each for a time of its own, and nothing stays.
                self.assertEqual([value for _, value in rtl[path]], [value for _, value in values], path)
                self.assertIn(rtl[path][-1][1], ("", "s"), path)
        trace = self.folder / "two.ti"
        trace.write_text("0 init\n0 send 1 0 800 6\n0 finalize\n1 init\n1 recv 0 0 800 6\n1 finalize\n",
                         encoding="utf-8")
        times = []
        for routers in ("", "all"):
            self.network(0, GOOD, *ROUTER, f"rtl.routers={routers}", "workload.kind=trace", f"workload.trace={trace}",
                         "topology.radices=2,2")
            times.append((metrics_of(self.out)["simulated_cycles"], metrics_of(self.out)["packets_delivered"]))
        self.assertEqual(times[0], times[1])
        self.assertGreater(times[0][1], 1)

    def test_waveforms_shadows_and_assertions_that_cannot_be_are_refused(self):
        for words, key in (((*ROUTER, "rtl.wave=true"), "rtl.wave"), (("rtl.routers=5", "rtl.wave=true"), "rtl.wave"),
                           (("rtl.routers=5", "rtl.shadow=true"), "rtl.shadow"),
                           (("rtl.routers=5", "rtl.assertions=warn"), "rtl.assertions"),
                           ((*ROUTER, "rtl.assertions=stop"), "rtl.assertions"),
                           ((*ROUTER, "rtl.routers=5", "rtl.assertions=off"), "rtl.assertions"),
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
        for words, key in ((("--device", "router_5x4"), "--set rtl.device"), (("--rtl", "all"), "--set rtl.routers"),
                           (("--against", "x.csv"), "--set compare.against"), (("--score",), "--set compare.score"),
                           (("--wave", "w"), "--set rtl.wave"), (("--record", "w"), "--set rtl.record"),
                           (("--shadow",), "--set rtl.shadow"),
                           (("--assertions", "warn"), "--set rtl.assertions"), (("--parts",), "--trace packets")):
            with self.subTest(words=words):
                self.assertIn(f"; accepted: {key}", self.network(2, GOOD, *words).stderr)

    def test_a_key_that_the_twin_was_not_made_with_is_refused(self):
        for setting, key in (("router.va_cycles=2", "router.va_cycles"),
                             ("router.sa_allocator=matrix", "router.sa_allocator"),
                             ("router.rc_cycles=2", "router.rc_cycles"), ("router.st_cycles=2", "router.st_cycles"),
                             ("router.sa_cycles=2", "router.sa_cycles"),
                             ("router.va_allocator=separable", "router.va_allocator"),
                             ("router.islip_iterations=2", "router.islip_iterations"),
                             ("link.credit_process_cycles=2", "link.credit_process_cycles"),
                             ("router.va_input_arbiter=ports_and_vcs", "router.va_input_arbiter"),
                             ("router.atomic_vcs=true", "router.atomic_vcs"), ("router.vcs=2", "router.vcs"),
                             ("router.node_vcs=2", "router.node_vcs"),
                             ("router.buffer_flits=4", "router.buffer_flits"),
                             ("router.uturn_network=true", "router.uturn_network"),
                             ("router.uturn_node=false", "router.uturn_node"), ("lookup.kind=cached", "lookup.kind"),
                             ("prediction.kind=straight", "prediction.kind"),
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
                result = self.network(2, GOOD, *ROUTER, "rtl.routers=all", setting)
                self.assertIn(f": {key}: ", result.stderr)
                self.assertIn("; accepted: ", result.stderr)
        self.network(0, GOOD, *ROUTER, "router.switching=virtual_cut_through")


class Different(Network):
    def test_a_bug_in_rtl_is_told_with_the_packet_and_both_cycles(self):
        self.run_models()
        for switches in ("5", "all"):
            with self.subTest(switches=switches):
                result = self.network(1, PLANTED, f"rtl.routers={switches}", f"compare.against={self.models}",
                                      "compare.record=true")
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

    def test_rtl_of_another_memory_is_not_equal(self):
        self.run_models("lookup.cam_cycles=24")
        result = self.network(1, GOOD, "rtl.routers=5", f"compare.against={self.models}", "lookup.cam_cycles=24")
        self.assertTrue(DIFFERENCE.search(result.stderr), result.stderr)


class Keys(Network):
    def test_a_device_has_defaults_of_its_own(self):
        for device, key, value in (("switch_4x4", "lookup.entries", "4"), ("switch_4x4x4", "lookup.entries", "64"),
                                   ("cam_16", "lookup.cam_sharing", "switch"),
                                   ("cam_16", "lookup.cam_chip_cycles", "4"),
                                   ("router_5x4", "lookup.kind", "plain"),
                                   ("router_5x4", "router.sa_allocator", "islip")):
            text = self.ends(0, GOOD, "--print-config", "all", "--set", f"rtl.device={device}").stdout
            section, name = key.split(".")
            self.assertRegex(text.partition(f"\n{section}:\n")[2], rf"^(  .*\n)*?  {name}: {value}\b")

    def test_a_key_that_is_set_wins_over_the_default_of_a_device(self):
        text = self.ends(0, GOOD, "--print-config", "all", "--set", "rtl.device=switch_4x4x4", "--set",
                         "lookup.ways=2").stdout
        self.assertRegex(text.partition("\nlookup:\n")[2], r"^(  .*\n)*?  ways: 2\b")


class Refused(Network):
    def test_what_rtl_does_not_do_is_refused_with_what_would_be_accepted(self):
        for words, part in (
            (["rtl.device=nothing"], "switch_4x4"),
            (["rtl.routers=16"], "0..15"),
            (["rtl.routers=1,1"], "0..15"),
            (["rtl.routers=1,"], "0..15"),
            (["rtl.routers=some"], "all, or numbers"),
            ([f"compare.against={self.folder / 'nothing.csv'}"], "compare.against: "),
            (["rtl.routers=all", "lookup.blocking=true"], "--set lookup.blocking=true: lookup.blocking: "),
            (["rtl.routers=all", "lookup.hash_cycles=2"], "(got '2'); accepted: 1"),
            (["rtl.routers=all", "lookup.cache_cycles=3"], "(got '3'); accepted: 1"),
            (["rtl.routers=all", "lookup.cam_pipelined=false"],
             "--set lookup.cam_pipelined=false: lookup.cam_pipelined: "),
            (["rtl.routers=all", "router.vcs=8"], "--set router.vcs=8: router.vcs: "),
            (["rtl.routers=all", "lookup.warm=all"], "none"),
            (["rtl.routers=all", "topology.radices=5,4"], "16 nodes"),
            (["rtl.routers=all", "topology.kind=mesh", "topology.radices=2,2,2"], "5 ports"),
            (["rtl.routers=all", "routing.dateline=crossing"], "routing.dateline switching"),
            (["rtl.routers=all", "clock_period_ps=15"], "16 or more"),
            (["rtl.device=cam_16", "lookup.model=fast"], "(got 'fast'); accepted: modules"),
            (["rtl.device=cam_16", "lookup.cam_sharing=none"], "(got 'none'); accepted: switch"),
            (["rtl.device=cam_16", "lookup.cam_entries=17"], "at most 16"),
            (["rtl.device=cam_16", "lookup.cam_chip_cycles=5"], "(got '5'); accepted: 4"),
            (["lookup.kind=plain"], "--set lookup.kind=plain: lookup.kind: "),
            (["router.vcs=1"], "--set router.vcs=1: router.vcs: "),
        ):
            with self.subTest(words=words):
                result = self.network(2, GOOD, *words)
                self.assertIn(part, result.stdout + result.stderr)

    def test_a_file_that_is_no_run_is_refused(self):
        packet, switch = "packet,1,0,2,3,4,5", "switch,0,1,2,3"
        for line, place, problem in (
                ("packet,1,2", 1, "the line ends too early"), (packet + ",6", 19, "more than a line holds"),
                ("pocket,1,0,2,3,4,5", 1, "not a line of a packet, a switch or a router"),
                ("switch,-1,1,2,3", 8, "not a number"),
                ("switch,0,1,+2,3", 12, "not a number"), ("switch,0,1,,3", 12, "not a number"),
                ("switch,0,1,2,3 ", 14, "not a number"),
                ("packet,1,4294967296,2,3,4,5", 10, "not a number from 0 to 4294967295"),
                ("packet,1,0,2,3,4,18446744073709551616", 18, "not a number"), (packet, 1, "the same packet"),
                (switch, 1, "the same packet, switch or router")):
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
        result = self.network(0, GOOD, "rtl.routers=all", f"compare.against={self.models}", *busy)
        self.assertIn("about packets alone", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
