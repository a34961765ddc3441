#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/against_booksim with a fake BookSim2: translated and refused keys, the comparison, exit status, random
set-ups.

usage: against_booksim_test.py [CLASS] PLATFORMS
"""

import collections
import contextlib
import gzip
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import yaml
from own_folder import FolderTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SET_UPS = ROOT / "platforms" / "reproduce" / "booksim" / "set_ups"
sys.path.append(str(ROOT / "scripts"))

from tsuji import runs  # noqa: E402
from tsuji.booksim import configuration, main, packets, replay, set_ups, translation  # noqa: E402

PLATFORMS = None
Done = collections.namedtuple("Done", "returncode stdout stderr")
# Writes the packets of the file `packets` beside it, and the configuration that it was given.
FAKE = """#!/bin/sh
here=$(dirname "$0")
cp "$1" "$here/given.cfg"
[ -f "$here/packets" ] && cp "$here/packets" "$BOOKSIM_PACKETS"
cat "$here/words"
exit 255
"""
MESH = ["topology=mesh", "k=2", "n=1", "routing_function=dor", "routing_delay=1"]
FLATFLY = ["topology=flatfly", "k=3", "n=1", "c=4", "x=3", "y=3", "xr=2", "yr=2", "routing_function=ran_min",
           "use_noc_latency=0"]
DRAGONFLY = ["topology=dragonflynew", "k=2", "routing_function=min"]
ADAPTIVE = "routing_function=min_adapt wait_for_tail_credit=1"
ALONE = "0 0 1 1 0 12\n"  # a packet of one flit over two routers of four stages


class Case(FolderTest):
    def setUp(self):
        super().setUp()
        self.booksim = self.folder / "booksim2" / "src" / "booksim"
        self.booksim.parent.mkdir(parents=True)
        self.booksim.write_text(FAKE)
        self.booksim.chmod(0o755)
        self.says(ALONE)

    def says(self, log, words="Time taken is 100 cycles"):
        path = self.booksim.parent / "packets"
        path.unlink(missing_ok=True)
        if log is not None:
            path.write_text(log)
        (self.booksim.parent / "words").write_text(f"{words}\n")

    def call(self, *words):
        """In this process, whose folder is then the test's."""
        out, err = io.StringIO(), io.StringIO()
        os.chdir(self.folder)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main.main(["--booksim", str(self.folder / "booksim2"), "--platforms", str(PLATFORMS), "--out",
                                    str(self.folder / "out"), *map(str, words)])
            except SystemExit as end:
                status = end.code
        return Done(status, out.getvalue(), err.getvalue())

    def refused(self, parts, *words):
        done = self.ended(self.call(*words), 2)
        for part in parts:
            self.assertIn(part, done.stderr)


class Comparison(Case):
    def test_equal_packets_are_exit_0_and_kept_as_a_list(self):
        log = gzip.decompress((SET_UPS / "mesh4.packets.gz").read_bytes()).decode()
        self.says("".join(reversed(log.splitlines(True))))
        done = self.ended(self.call(SET_UPS / "mesh4.cfg", "--list", self.folder / "kept.gz"))
        self.assertIn(f"{len(log.splitlines()):,} packets, 0 different", done.stdout)
        kept, committed = ((folder / name).read_bytes()
                           for folder, name in ((self.folder, "kept.gz"), (SET_UPS, "mesh4.packets.gz")))
        self.assertEqual(gzip.decompress(kept), gzip.decompress(committed))
        # Time, level and system; what follows is up to zlib.
        self.assertEqual(kept[:10], committed[:10])

    def test_a_packet_with_another_cycle_is_exit_1_and_named(self):
        for line, text in (("0 0 1 1 0 13\n",
                            "cycle 12: packet of 1 flits from 0 to 1, born 0: BookSim2 injected 0, ended 13; "
                            "replay injected 0, ended 12"),
                           ("0 0 1 1 1 12\n",
                            "cycle 0: packet of 1 flits from 0 to 1, born 0: BookSim2 injected 1, ended 12; "
                            "replay injected 0, ended 12")):
            self.says(line + "50 1 0 1 50 62\n")
            done = self.ended(self.call(*MESH), 1)
            self.assertIn("2 packets, 1 different", done.stdout)
            self.assertIn(text, done.stdout)

    def test_the_first_difference_is_the_earliest_cycle(self):
        sent = packets.parse("0 0 1 1 0 30\n4 1 0 1 4 9\n", "log")
        records = [{"created_cycle": "0", "source": "0", "injected_cycle": "0", "tail_cycle": "12"},
                   {"created_cycle": "4", "source": "1", "injected_cycle": "5", "tail_cycle": "9"}]
        self.assertEqual([one.cycle for one in packets.differences(sent, records)], [4, 12])
        self.assertEqual([one.packet.source for one in packets.differences(sent, records)], [1, 0])
        [lost] = packets.differences(sent[:1], [])
        self.assertEqual((lost.cycle, lost.ended), (0, None))
        self.assertIn("replay has not ended", lost.text())

    def test_sources_of_a_fly_are_numbered_as_its_inputs(self):
        fly = translation.translate(configuration.read(["topology=fly", "k=4", "n=3", "routing_function=dest_tag"]))
        self.assertEqual([fly.source(node) for node in (0, 1, 4, 63)], [0, 16, 1, 63])
        self.assertEqual(sorted(map(fly.source, range(64))), list(range(64)))
        mesh = translation.translate(configuration.read(MESH))
        self.assertEqual(mesh.source(1), 1)

    def test_nodes_of_a_flatfly_are_squares_of_a_grid(self):
        def translated(*words):
            return translation.translate(configuration.read([*FLATFLY, *words]))

        done = translated()
        self.assertEqual([done.source(node) for node in (0, 1, 2, 6, 11)], [0, 1, 4, 2, 11])
        self.assertEqual(list(map(done.destination, range(12))), list(map(done.source, range(12))))
        square = translated("k=4", "n=2", "x=4", "y=4")
        # Node 19 is in row 2 and column 3 of the nodes: in row 1 and column 1 of the routers, above at the right.
        self.assertEqual([square.source(node) for node in (0, 8, 18, 19, 63)], [0, 2, 20, 21, 63])
        self.assertEqual(sorted(map(square.source, range(64))), list(range(64)))
        self.assertEqual((done.drawn, done.keys["routing.kind"], square.keys["topology.radices"]),
                         (False, "minimal", [4, 4]))
        self.assertTrue(square.keys["topology.one_way_ports"])
        self.assertNotIn("topology.step_latency_cycles", square.keys)
        self.assertEqual(translated("k=4", "n=2", "x=4", "y=4", "use_noc_latency=1").keys
                         ["topology.step_latency_cycles"], [2])
        drawn = translated("routing_function=valiant")
        self.assertEqual((drawn.drawn, drawn.keys["routing.kind"], drawn.keys["routing.early_exit"]),
                         (True, "valiant", True))
        drawn = translated("routing_function=ugal")
        self.assertEqual((drawn.drawn, drawn.keys["routing.kind"], drawn.keys["routing.queue"],
                          drawn.keys["routing.adaptive_threshold"]), (True, "ugal", "credits", 2))
        self.assertNotIn("routing.intermediates", drawn.keys)
        self.assertEqual(translated("k=4", "n=2", "x=4", "y=4", "routing_function=ugal").keys["routing.intermediates"],
                         "differing_dimensions")
        keys = translation.translate(configuration.read([*DRAGONFLY, "n=1", "routing_function=ugal", "num_vcs=3"])).keys
        self.assertEqual((keys["routing.kind"], keys["router.eject_routed_vcs"], keys["router.vcs"]),
                         ("ugal_by_phase", True, 3))

    def test_packets_of_a_flatfly_of_two_dimensions_are_equal(self):
        log = gzip.decompress((SET_UPS / "flatfly2.packets.gz").read_bytes()).decode()
        self.says(log)
        self.assertIn("4,143 packets, 0 different", self.ended(self.call(SET_UPS / "flatfly2.cfg"), 0).stdout)
        self.says(gzip.decompress((SET_UPS / "flatfly4.packets.gz").read_bytes()).decode())
        self.assertIn("1,373 packets, 0 different", self.ended(self.call(SET_UPS / "flatfly4.cfg"), 0).stdout)

    def test_a_dragonfly_needs_the_channels_of_injection(self):
        for name, packets_text in (("dragonfly1", "4,212"), ("dragonfly2", "3,043"), ("dragonfly3", "2,886")):
            log = gzip.decompress((SET_UPS / f"{name}.packets.gz").read_bytes()).decode()
            self.says(log)
            done = self.ended(self.call(SET_UPS / f"{name}.cfg", "--list", self.folder / "kept.gz"), 0)
            self.assertIn(f"{packets_text} packets, 0 different", done.stdout)
        self.assertEqual(gzip.decompress((self.folder / "kept.gz").read_bytes()).decode(), log)
        self.says("".join(f"{line.rsplit(' ', 1)[0]}\n" for line in log.splitlines()))
        self.refused(["--booksim: its packets have no channel of injection"], SET_UPS / "dragonfly3.cfg")
        # Packets on other channels end in other cycles.
        self.says("".join(f"{line[:-1]}{1 - int(line[-1]) % 2}\n" for line in log.splitlines()))
        self.ended(self.call(SET_UPS / "dragonfly3.cfg"), 1)

    def test_channels_of_injection_are_no_part_of_other_lists(self):
        self.says(f"{ALONE.strip()} 7\n")
        self.ended(self.call(*MESH, "--list", self.folder / "kept.gz"), 0)
        self.assertEqual(gzip.decompress((self.folder / "kept.gz").read_bytes()).decode(), ALONE)

    def test_a_packet_with_a_channel_is_born_when_it_is_injected(self):
        [given] = packets.parse("3 1 0 4 9 30 2\n", "log")
        alone, beside_routers = (translation.translate(configuration.read([*DRAGONFLY, "n=1", *words]))
                                 for words in ([], ["routing_function=ugal", "num_vcs=3"]))
        self.assertEqual((given.channel, alone.birth(given), beside_routers.birth(given)), (2, 9, 3))
        self.assertEqual(packets.replay_list([given], lambda node: node + 1, lambda node: node + 5, alone.birth),
                         "9 2 5 4 2\n")
        self.assertEqual(packets.replay_list([given.without_channel()]), "3 1 0 4\n")
        # The run measures up to the last birth, not to that of the packet that BookSim2 made last.
        two = packets.parse("3 1 0 4 9 30 2\n5 0 1 1 6 20 1\n", "log")
        of_two = replay.run(translation.translate(configuration.read([*DRAGONFLY, "n=1"])), two, pathlib.Path("list"))
        self.assertEqual(of_two.keys["measure.cycles"], 10)

    def test_the_run_is_whole_and_has_the_words_on_top_of_the_file(self):
        (self.folder / "a.cfg").write_text("// a comment\ntopology = mesh;\nk = 3; n = 1;\nrouting_function = "
                                           "dor;\nsim_type = latency;\n")
        self.assertEqual(self.call("a.cfg", "k=2").returncode, 0)
        given = (self.booksim.parent / "given.cfg").read_text().splitlines()
        self.assertLessEqual({"k = 2;", "n = 1;", "sim_type = throughput;"}, set(given))
        self.assertNotIn("k = 3;", given)

    def test_the_script_ends_with_the_status(self):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"}
        for words, status in ((["k=x"], 2), (["--help"], 0)):
            self.ended(subprocess.run([sys.executable, "-m", "tsuji.booksim.main", "--booksim",
                                       str(self.folder / "booksim2"), *MESH, *words],
                                      capture_output=True, text=True, env=environment, cwd=self.folder, timeout=60),
                       status)


class Drawn(Case):
    """Routes that BookSim2 draws: mean latencies are compared."""

    def test_a_mean_latency_within_the_replays_of_ten_seeds(self):
        log = gzip.decompress((SET_UPS / "tree1.packets.gz").read_bytes()).decode()
        for later, status, word in ((0, 0, "within"), (30, 1, "outside")):
            lines = [line.split() for line in log.splitlines()]
            self.says("".join(" ".join([*line[:5], str(int(line[5]) + later)]) + "\n" for line in lines))
            done = self.ended(self.call(SET_UPS / "tree1.cfg"), status)
            self.assertRegex(done.stdout,
                             rf"{len(lines):,} packets, routes drawn by both; .*{word} 35\.\d+ \+- [01]\.\d+ of a "
                             rf"replay")

    def test_packets_that_go_half_around_a_ring_are_drawn(self):
        torus = translation.translate(configuration.read(["topology=torus", "routing_function=dim_order", "num_vcs=2",
                                                          "k=4", "n=2"]))
        for source, destination, drawn in ((1, 9, True), (1, 6, False), (1, 3, True), (3, 0, False)):
            self.assertEqual(torus.is_drawn(packets.Packet(0, source, destination, 1, 0, 0)), drawn)
        mesh = translation.translate(configuration.read([*MESH, "k=4", "n=2"]))
        self.assertFalse(mesh.is_drawn(packets.Packet(0, 1, 9, 1, 0, 0)))
        balanced = translation.translate(configuration.read(["topology=torus", "routing_function=dim_order_bal",
                                                             "num_vcs=2", "k=5"]))
        self.assertTrue(balanced.is_drawn(packets.Packet(0, 0, 1, 1, 0, 0)))
        self.assertEqual(balanced.keys["routing.dateline"], "balanced")

    def test_the_interval_is_that_of_one_more_run(self):
        sent = packets.parse("0 0 1 1 0 14\n", "log")
        means = replay.Means(sent, [10.0] * 5 + [12.0] * 5)
        self.assertAlmostEqual(means.interval[0], 11)
        self.assertAlmostEqual(means.interval[1], 2.262 * (10 / 9)**0.5 * 1.1**0.5)
        self.assertFalse(means.equal)
        self.assertTrue(replay.Means(sent, [12.0] * 5 + [15.0] * 5).equal)


class Refusals(Case):
    def test_keys(self):
        for words, parts in ((["topology=cmesh"],
                              ["topology: not translated (got 'cmesh'); accepted: mesh, torus, fly, fattree"]),
                             (["routing_function=xy_yx"], ["routing_function", "dor, dim_order, min_adapt"]),
                             (["speculative=1"], ["speculative: not translated (got '1'); accepted: 0"]),
                             (["classes=10"], ["classes", "accepted: 1"]),
                             (["internal_speedup=2.0"], ["accepted: 1.0"]),
                             (["st_final_delay=2"], ["st_final_delay"]), (["vc_alloc_delay=2"], ["vc_alloc_delay"]),
                             (["sw_alloc_delay=2"], ["sw_alloc_delay"]), (["routing_delay=2"], ["an integer 0..1"]),
                             (["vc_allocator=wavefront"], ["separable_input_first(matrix)"]),
                             (["num_vcs=17"], ["1..16"]),
                             (["num_vcs=many"], ["1..16"]), (["sim_type=batch"], ["latency, throughput"]),
                             (["sw_allocator=islip(2)"], ["sw_allocator", "islip(1)"]),
                             (["num_vcs=4", "input_speedup=3"], ["input_speedup", "a divisor of 4"]),
                             (["routing_function=min_adapt", "num_vcs=1"], ["2..16 with min_adapt"]),
                             (["routing_function=min_adapt", "wait_for_tail_credit=0"],
                              ["wait_for_tail_credit", "1 with min_adapt"]),
                             (["topology=torus", "routing_function=dim_order", "num_vcs=3"],
                              ["an even number on a torus"]),
                             ([*FLATFLY, "n=3"], ["n: not translated: routers are no square", "k^n a square"]),
                             ([*FLATFLY, "k=2", "n=5"], ["n: not translated: routers are no square"]),
                             ([*FLATFLY, "k=4", "n=3", "x=8", "y=8", "use_noc_latency=1"],
                              ["use_noc_latency", "0 with flatfly"]),
                             ([*FLATFLY, "xr=4", "use_noc_latency=1"], ["xr", "1..3"]),
                             ([*DRAGONFLY, "n=1", "routing_function=ugal", "num_vcs=4"],
                              ["num_vcs: no other number in BookSim2", "3 with ugal on dragonflynew"]),
                             ([*DRAGONFLY, "n=2"], ["n: no such dragonfly"]),
                             ([*DRAGONFLY, "num_vcs=1"], ["num_vcs: each phase", "2..16 with dragonflynew"]),
                             ([*DRAGONFLY, "routing_function=valiant"], ["routing_function", "accepted: min, ugal"]),
                             ([*FLATFLY, "c=1"], ["c: not translated", "4 with flatfly"]),
                             ([*FLATFLY, "yr=1"], ["yr: not translated", "2 with flatfly"]),
                             ([*FLATFLY, "x=8"], ["x: not translated", "3 with flatfly"]),
                             ([*FLATFLY, "y=8"], ["y: not translated", "3 with flatfly"]),
                             ([*FLATFLY, "routing_function=min_adapt"], ["routing_function", "ran_min, valiant, ugal"]),
                             ([*FLATFLY, "routing_function=valiant", "num_vcs=3"],
                              ["num_vcs", "an even number with valiant"]),
                             (["no_such_key=1"], ["no_such_key: not a key that is translated"])):
            self.refused(["against_booksim: command line: ", *parts], *MESH, *words)

    def test_allocators_may_differ_where_one_is_no_islip(self):
        keys = translation.translate(configuration.read([*MESH, "vc_allocator=separable_input_first",
                                                         "sw_allocator=islip(3)"])).keys
        self.assertEqual((keys["router.va_allocator"], keys["router.sa_allocator"], keys["router.islip_iterations"]),
                         ("separable", "islip", 3))

    def test_files_and_arguments(self):
        (self.folder / "bad.cfg").write_text("topology = mesh;\n\nk 8;\n")
        self.refused(["bad.cfg:3: not an entry (got 'k 8;'); accepted: KEY = VALUE;"], "bad.cfg")
        self.refused(["gone.cfg: cannot be read"], "gone.cfg")
        (self.folder / "good.cfg").write_text("topology = mesh;\nspeculative = 1;\n")
        self.refused(["good.cfg:2: speculative"], "good.cfg")
        self.refused(["no configuration"])
        self.refused(["1..1000000"], "--fuzz", "0")
        self.refused(["--list"], "--fuzz", "1", "--list", "x.gz")
        self.refused(["=2", "KEY=VALUE"], "=2")
        self.booksim.unlink()
        self.refused(["no executable `booksim` in it"], *MESH)

    def test_a_booksim_that_writes_no_packets_or_does_not_end(self):
        self.assertEqual(self.call(*MESH).returncode, 0)
        self.says(None)  # and the log of that call is no answer
        self.refused(["BOOKSIM_PACKETS", "README.md"], *MESH)
        self.says(ALONE, "Simulation unstable, ending ...")
        done = self.ended(self.call(*MESH), 1)
        self.assertIn("has not ended its run: Simulation unstable, ending ...", done.stderr)

    def test_packets(self):
        self.says("0 0 1 1 0\n")
        self.refused(["packets.log:1: not a packet (got '0 0 1 1 0'); accepted: BORN SOURCE DESTINATION FLITS INJECTED "
                      "ENDED"], *MESH)
        self.says("0 0 1 1 0 12\n0 0 1 1 1 13\n")
        self.refused(["two packets of node 0 in cycle 0"], *MESH)
        self.says("")
        self.refused(["the file has no packet"], *MESH)
        self.says("0 0 7 1 0 12\n")
        self.refused(["packets.list"], *MESH)


class Translation(Case):
    """Every translated key changes the platform's keys."""

    def keys(self, *words):
        return translation.translate(configuration.read([*MESH, *words])).keys

    def test_each_key(self):
        for word, key, value in (("k=5", "topology.radices", [5]), ("n=2", "topology.radices", [2, 2]),
                                 ("num_vcs=3", "router.vcs", 3),
                                 ("vc_buf_size=5", "router.buffer_flits", 5),
                                 ("credit_delay=2", "link.credit_process_cycles", 2),
                                 ("wait_for_tail_credit=1", "router.atomic_vcs", True),
                                 ("routing_delay=0", "router.rc_cycles", 0),
                                 ("input_speedup=4", "router.input_speedup", 4),
                                 ("sw_allocator=separable_input_first", "router.sa_input_arbiter", "outputs"),
                                 ("vc_allocator=separable_input_first(matrix)", "router.matrix_first", "highest"),
                                 ("vc_allocator=separable_input_first", "router.va_allocator", "separable"),
                                 ("sw_allocator=separable_input_first(matrix)", "router.sa_allocator", "matrix"),
                                 ("sw_allocator=separable_input_first(matrix)", "router.matrix_first", "highest"),
                                 (ADAPTIVE, "routing.kind", "duato"), (ADAPTIVE, "router.va_requests", "all"),
                                 (ADAPTIVE, "routing.escape_return", False)):
            self.assertNotEqual(self.keys().get(key), value)
            self.assertEqual(self.keys(*word.split())[key], value, word)
        self.assertEqual(self.keys("vc_allocator=islip(2)", "sw_allocator=islip(2)")["router.islip_iterations"], 2)
        torus = ["topology=torus", "routing_function=dim_order"]
        self.assertEqual(self.keys(*torus)["link.latency_cycles"], 2)
        self.assertNotIn("link.latency_cycles", self.keys(*torus, "use_noc_latency=0"))
        self.assertNotIn("link.latency_cycles", self.keys())
        self.assertEqual(self.keys(*torus)["routing.dateline"], "crossing_down_inverted")
        fly = self.keys("topology=fly", "routing_function=dest_tag", "k=3", "n=2")
        self.assertEqual((fly["topology.radix"], fly["topology.stages"]), (3, 2))
        tree = self.keys("topology=fattree", "routing_function=nca", "k=3", "n=2")
        self.assertEqual([tree[f"topology.{key}"] for key in ("up_links", "down_links", "levels")], [3, 3, 2])

    def test_rules_are_those_of_the_yaml_file(self):
        file = runs.flat(yaml.safe_load((ROOT / "platforms" / "network" / "like_booksim.yaml").read_text()))
        defaults = translation.translate(configuration.read(["topology=mesh", "routing_function=dor"])).keys
        self.assertLessEqual(set(translation.LIKE_BOOKSIM), set(file))
        self.assertGreater(len(set(file) & set(defaults)), 10)
        for key in set(file) & set(defaults):
            self.assertEqual(file[key], defaults[key], key)

    def test_numbers_are_compared_as_numbers(self):
        self.keys("internal_speedup=1", "output_buffer_size=-1")


class Fuzz(Case):
    def test_equal_and_different_set_ups(self):
        done = self.ended(self.call("--fuzz", "3", *MESH))
        self.assertEqual(done.stdout, "3 set-ups, 3 packets: all packets equal\n")
        self.says("0 0 1 1 0 11\n")
        done = self.ended(self.call("--fuzz", "2", "--seed", "4", *MESH), 1)
        self.assertIn("2 set-ups, 2 packets: 2 set-ups with different packets", done.stdout)
        self.assertIn("set-up 2: topology=mesh k=2 n=1 routing_function=dor ", done.stdout)
        self.assertIn("1 packets, 1 different", done.stdout)
        drawn = set_ups.draw_set_up(4, 2, False).values
        self.assertIn(f"seed={drawn['seed']}\n", done.stdout)

    def test_draws_are_translated_and_follow_from_seed_and_number(self):
        kinds = set()
        for number in range(300):
            drawn = set_ups.draw_set_up(1, number, True)
            translation.translate(drawn)
            kinds.add((drawn.values["topology"], drawn.values["routing_function"]))
            self.assertEqual(drawn.values, set_ups.draw_set_up(1, number, True).values)
            self.assertNotEqual(drawn.values, set_ups.draw_set_up(2, number, True).values)
            self.assertNotEqual(set_ups.draw_set_up(1, number, False).values["routing_function"], "min_adapt")
        self.assertEqual(kinds, {("mesh", "dor"), ("mesh", "min_adapt"), ("torus", "dim_order"), ("fly", "dest_tag")})


class Committed(Case):
    """Files of platforms/reproduce/booksim/set_ups."""

    def test_each_list_has_its_configuration_version_and_command(self):
        names = {path.stem for path in SET_UPS.glob("*.cfg")}
        self.assertEqual(names, {path.name.split(".")[0] for path in SET_UPS.glob("*.packets.gz")})
        self.assertLess(sum(path.stat().st_size for path in SET_UPS.iterdir()), 3_300_000)
        for name in names:
            text = (SET_UPS / f"{name}.cfg").read_text()
            self.assertIn("BookSim2 28f43299", text)
            self.assertIn(f"{name}.packets.gz", text)
            fewest = 1 if name in ("exit1", "queue1") else 300  # lists to be read packet by packet
            self.assertGreater(len(packets.read(SET_UPS / f"{name}.packets.gz")), fewest, name)

    def test_a_changed_cycle_fails_the_id(self):
        place = self.folder / "papers"
        shutil.copytree(ROOT / "platforms" / "reproduce" / "booksim", place / "booksim",
                        ignore=shutil.ignore_patterns("__pycache__"))
        changed = place / "booksim" / "set_ups"
        for path in changed.iterdir():
            if path.name.split(".")[0] not in ("fly4", "mesh3"):
                path.unlink()
        sent = packets.read(changed / "fly4.packets.gz")
        sent[7] = packets.Packet(*[*map(int, sent[7].line().split()[:5]), sent[7].ended + 1])
        packets.write(changed / "fly4.packets.gz", sent)
        done = subprocess.run([sys.executable, "-m", "reproduction.main", "--platforms", str(PLATFORMS), "--out",
                               str(self.folder / "out"),
                               "--experiments", str(place), "booksim.packets"], capture_output=True, text=True,
                              timeout=300, cwd=self.folder,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "platforms" / "reproduce"),
                                   "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("hard rows that failed: booksim.packets fly4\n", done.stdout)
        rows = {row["key"]: row["measured"]
                for row in json.loads((self.folder / "out" / "booksim.packets" / "result.json").read_text())["rows"]}
        self.assertEqual(rows.pop("fly4"), 1)
        self.assertEqual(set(rows.values()), {0})


if __name__ == "__main__":
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
