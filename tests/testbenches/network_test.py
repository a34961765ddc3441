#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""RTL in the switches of a whole network: every packet has its cycles, every switch its hits, as with models alone.

usage: network_test.py NETWORK_BENCH PLANTED_NETWORK
"""

import re
import sys
import unittest

from benches import BenchTest, run

GOOD, PLANTED = sys.argv[1:3]
CROWDED = "traffic.load_flits_per_node_cycle=0.9"  # several heads of a port ask in one cycle
SUMMARY = re.compile(r": (\d+) packets, the last in cycle \d+; (\d+) look-ups, (\d+) hits, (\d+) misses$", re.MULTILINE)
DIFFERENCE = re.compile(r"^packet (\d+\.\d+): (.*): from node (\d+) in cycle (\d+), head at node (\d+) in cycle (\d+), "
                        r"tail in"
                        r" cycle (\d+); here: from node (\d+) in cycle (\d+), head at node (\d+) in cycle (\d+), tail "
                        r"in"
                        r" cycle (\d+)$", re.MULTILINE)


def read_packets(path):
    rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("packet,")]
    return {int(row[1]): tuple(int(number) for number in row[2:]) for row in rows}


class Network(BenchTest):
    def setUp(self):
        super().setUp()
        self.models = self.folder / "models.csv"

    def run_models(self, *words):
        result = self.ends(0, GOOD, "--out", self.models, *words)
        return [int(number) for number in SUMMARY.search(result.stdout).groups()]

    def assert_equal_with_rtl(self, switches, *words):
        out = self.folder / "rtl.csv"
        result = self.ends(0, GOOD, "--rtl", switches, "--against", self.models, "--out", out, *words)
        self.assertIn("every packet and every switch", result.stdout)
        self.assertEqual(out.read_text(encoding="utf-8"), self.models.read_text(encoding="utf-8"))


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
        words = ("--device", "switch_4x4x4", "topology.radices=4,4,4", "router.vcs=8", "traffic.packet_flits=1",
                 "traffic.last_cycle=1000", CROWDED)
        self.run_models(*words)
        self.assert_equal_with_rtl("all", *words)

    def test_the_order_in_which_modules_run_does_not_show(self):
        self.run_models(CROWDED)
        for words in (("run.shuffle_seed=7",), ("run.shuffle_seed=8",), ("run.processes=process_each",)):
            with self.subTest(words=words):
                self.assert_equal_with_rtl("all", CROWDED, *words)

    def test_links_that_fail_flush_the_caches_of_rtl(self):
        words = (CROWDED, "topology.kind=mesh", "link.faults=3@700:1500,5@2000")
        self.run_models("topology.kind=mesh", CROWDED)
        without = read_packets(self.models)
        self.run_models(*words)
        self.assertNotEqual(read_packets(self.models), without)
        self.assert_equal_with_rtl("all", *words)


ROUTER = ("--device", "router_5x4")


class Routers(Network):
    """Whole routers as RTL."""

    def run_models(self, *words):
        result = self.ends(0, GOOD, *ROUTER, "--out", self.models, *words)
        self.assertIn("; 0 flits through RTL in 0 clocks", result.stdout)
        return int(re.search(r": (\d+) packets, ", result.stdout).group(1))

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
        slower = self.ends(1, GOOD, *ROUTER, "--against", self.models, "router.va_cycles=3")
        self.assertTrue(DIFFERENCE.search(slower.stdout), slower.stdout)
        scored = self.ends(0, GOOD, *ROUTER, "--score", "--against", self.models, "router.va_cycles=3")
        told = re.search(r"^(\d+) packets, 0 lost or changed; .* mean ([\d.]+) cycles in .*, here ([\d.]+); (\d+) "
                         r"equal, (\d+) later by"
                         r" up to (\d+) cycles, (\d+) earlier by up to (\d+)$", scored.stdout, re.MULTILINE)
        self.assertTrue(told, scored.stdout)
        packets, mean, here, equal, later, most, earlier, _ = (float(word) for word in told.groups())
        self.assertEqual(packets, equal + later + earlier)
        self.assertGreater(here, mean + 2)  # two cycles more a hop
        self.assertGreater(most, 2)

    def test_a_packet_that_is_missing_is_scored_as_lost(self):
        self.run_models()
        lines = self.models.read_text(encoding="utf-8").splitlines(True)
        packet = next(at for at, line in enumerate(lines) if line.startswith("packet,"))
        self.models.write_text("".join(lines[:packet] + lines[packet + 1:]), encoding="utf-8")
        scored = self.ends(1, GOOD, *ROUTER, "--score", "--against", self.models)
        self.assertIn(" 1 lost or changed; ", scored.stdout)

    def test_time_inside_of_rtl_is_one_part_of_the_latency(self):
        words = (*ROUTER, "--parts", "traffic.load_flits_per_node_cycle=0.4", "traffic.last_cycle=1500")
        parts = []
        for routers in ("none", "all"):
            result = self.ends(0, GOOD, *words, "--rtl", routers)
            told = re.search(r"^mean cycles of a packet: (.*)$", result.stdout, re.MULTILINE).group(1)
            parts.append({name: float(value) for name, value in (part.split() for part in told.split(", "))})
        models, rtl = parts
        for same in ("source_queue", "link", "serialization", "wait_body"):
            self.assertAlmostEqual(models.pop(same), rtl.pop(same), 2, same)
        inside = rtl.pop("inside")
        self.assertGreater(inside, 8)
        self.assertAlmostEqual(inside, sum(models.values()) - sum(rtl.values()), 1)
        self.assertEqual((rtl["router"], rtl["wait_vc"], rtl["wait_credit"], rtl["wait_switch"]), (0, 0, 0, 0))

    def test_a_waveform_has_the_own_signals_of_each_router_in_its_cycles(self):
        out = self.folder / "waves.csv"
        result = run(GOOD, *ROUTER, "--rtl", "5,6", "--wave", self.folder / "w", "--out", out, "traffic.last_cycle=300",
                     "clock_period_ps=800")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        flits = {int(router): int(count) for router, count in re.findall(r"^router,(\d+),(\d+)$",
                                                                         out.read_text(encoding="utf-8"), re.MULTILINE)}
        for router in (5, 6):
            wave = (self.folder / f"w.r{router}.vcd").read_text(encoding="utf-8")
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

    def test_waveforms_shadows_and_assertions_that_cannot_be_are_refused(self):
        for words, option in (((*ROUTER, "--rtl", "5", "--wave", self.folder / "none" / "w"), "--wave"),
                              ((*ROUTER, "--wave", "w"), "--wave"),
                              (("--rtl", "5", "--wave", "w"), "--wave"), (("--rtl", "5", "--shadow"), "--shadow"),
                              (("--rtl", "5", "--assertions", "warn"), "--assertions"),
                              ((*ROUTER, "--assertions", "stop"), "--assertions"),
                              ((*ROUTER, "--rtl", "5", "--assertions", "off"), "--assertions"),
                              ((*ROUTER, "--shadow"), "--shadow"), ((*ROUTER, "--score"), "--score")):
            with self.subTest(words=words):
                result = self.ends(2, GOOD, *words)
                self.assertIn(f"network_bench: {option}: ", result.stderr)
                self.assertIn("; accepted: ", result.stderr)

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
                result = self.ends(2, GOOD, *ROUTER, "--rtl", "all", setting)
                self.assertIn(f": {key}: ", result.stderr)
                self.assertIn("; accepted: ", result.stderr)
        self.ends(0, GOOD, *ROUTER, "router.switching=virtual_cut_through")


class Different(Network):
    def test_a_bug_in_rtl_is_told_with_the_packet_and_both_cycles(self):
        self.run_models()
        out = self.folder / "planted.csv"
        for switches in ("5", "all"):
            with self.subTest(switches=switches):
                result = self.ends(1, PLANTED, "--rtl", switches, "--against", self.models, "--out", out)
                told = DIFFERENCE.search(result.stdout)
                self.assertTrue(told, result.stdout)
                numbers = [int(number) for number in told.groups()[2:]]
                source, serial = map(int, told.group(1).split("."))
                packet = source << 32 | serial
                models, planted = read_packets(self.models), read_packets(out)
                # source, destination, injected, head, tail
                for side, row in ((models, numbers[:5]), (planted, numbers[5:])):
                    source, injected, destination, head, tail = row
                    self.assertEqual(side[packet], (source, destination, injected, head, tail))
                first = min(min(models[key][4], planted[key][4]) for key in models if models[key] != planted[key])
                self.assertEqual(min(numbers[4], numbers[9]), first)

    def test_with_models_alone_the_bug_is_not_there(self):
        self.run_models()
        self.ends(0, PLANTED, "--against", self.models)

    def test_rtl_of_another_memory_is_not_equal(self):
        self.run_models("lookup.cam_cycles=24")
        result = self.ends(1, GOOD, "--rtl", "5", "--against", self.models, "lookup.cam_cycles=24")
        self.assertTrue(DIFFERENCE.search(result.stdout), result.stdout)


class Keys(Network):
    """--list-keys, of which the word, the configuration and its end are in any place."""

    def listed(self, *words):
        result = self.ends(0, GOOD, *words)
        return set(re.findall(r"^([a-z_0-9]+(?:\.[a-z_0-9]+)+)(?:  \(without effect here\))?$", result.stdout,
                              re.MULTILINE))

    def test_all_and_those_with_a_word(self):
        every = self.listed("--list-keys")
        self.assertGreater(len(every), 80)
        found = self.listed("--list-keys", "dateline")
        self.assertIn("routing.dateline", found)
        self.assertLess(len(found), 10)
        file = self.folder / "small.yaml"
        file.write_text("router:\n  vcs: 4\n", encoding="utf-8")
        for words in (["--list-keys", "router.vcs=4"], ["--list-keys", file], [file, "--list-keys"]):
            self.assertEqual(self.listed(*words), every, words)

    def test_keys_without_effect_say_so(self):
        told = {words: run(GOOD, "--list-keys", "topology.stages", *words).stdout
                for words in ((), ("topology.kind=fly",))}
        self.assertEqual(["(without effect here)" in text for text in told.values()], [True, False], told)

    def test_a_key_of_before_is_refused_with_its_name_of_today(self):
        result = run(GOOD, "workload.packet_flits=4")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("workload.packet_flits: is called traffic.packet_flits since 0.2", result.stderr)

    def test_a_word_that_no_key_has_is_refused(self):
        result = run(GOOD, "--list-keys", "xyzzy")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("xyzzy", result.stderr)


class Refused(Network):
    def test_what_rtl_does_not_do_is_refused_with_what_would_be_accepted(self):
        for words, part in (
            (["--device", "nothing"], "switch_4x4"),
            (["--rtl", "16"], "0..15"),
            (["--rtl", "1,1"], "0..15"),
            (["--rtl", "1,"], "0..15"),
            (["--rtl", "some"], "none, all"),
            (["--against", self.folder / "nothing.csv"], "--out"),
            (["--out", self.folder / "none" / "models.csv"], "a file in a folder that can be written"),
            (["--rtl", "all", "lookup.blocking=true"], "--set lookup.blocking=true: lookup.blocking: "),
            (["--rtl", "all", "lookup.hash_cycles=2"], "(got '2'); accepted: 1"),
            (["--rtl", "all", "lookup.cache_cycles=3"], "(got '3'); accepted: 1"),
            (["--rtl", "all", "lookup.cam_pipelined=false"],
             "--set lookup.cam_pipelined=false: lookup.cam_pipelined: "),
            (["--rtl", "all", "router.vcs=8"], "--set router.vcs=8: router.vcs: "),
            (["--rtl", "all", "lookup.warm=all"], "none"),
            (["--rtl", "all", "topology.radices=5,4"], "16 nodes"),
            (["--rtl", "all", "topology.kind=mesh", "topology.radices=2,2,2"], "5 ports"),
            (["--rtl", "all", "routing.dateline=crossing"], "routing.dateline switching"),
            (["--rtl", "all", "clock_period_ps=3"], "4 or more"),
            (["lookup.kind=plain"], "--set lookup.kind=plain: lookup.kind: "),
            (["traffic.kind=closed_loop"], "--set traffic.kind=closed_loop: traffic.kind: "),
            (["router.vcs=1"], "--set router.vcs=1: router.vcs: "),
            (["link.faults=999@3"], "--set link.faults=999@3: link.faults: "),
            (["traffic.last_cycle=0"], "last cycle"),
            (["no.such_key=1"], "no.such_key"),
            (["/nowhere.yaml"], "/nowhere.yaml"),
        ):
            with self.subTest(words=words):
                result = self.ends(2, GOOD, *words)
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
                self.models.write_text(f"# a comment\n{packet}\n{switch}\n{line}\n", encoding="utf-8")
                self.refused(f"{self.models}:4:{place}: --against: {problem}", GOOD, "--against", self.models)

    def test_a_run_that_fails_leaves_the_file_of_the_run_before(self):
        """Without datelines a ring stands, and the watchdog ends the run."""
        self.run_models()
        before = self.models.read_bytes()
        result = self.ends(1, GOOD, "--out", self.models, "routing.dateline=none", "router.vcs=1",
                           "traffic.load_flits_per_node_cycle=1",
                           "traffic.packet_flits=16", "run.watchdog_cycles=500")
        self.assertIn("no flit has moved", result.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["models.csv"])
        self.assertEqual(self.models.read_bytes(), before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
