# SPDX-License-Identifier: Apache-2.0
"""scripts/explore: facts of designs before any run."""

import json
import os
import random
import shutil
import subprocess

from explore_rig import PLATFORMS, main
from own_folder import FolderTest


def facts_of(*words):
    """Facts that the platform prints."""
    return json.loads(subprocess.run([str(PLATFORMS / "network"), *(part for word in words for part in ("--set", word)),
                                      "--print-design"], capture_output=True, text=True, check=True).stdout)


class Facts(FolderTest):
    """--print-design against runs and closed forms."""

    # With the cycles of a hop: four stages and a link.
    TOPOLOGIES = (
        (5, "topology.kind=mesh", "topology.radices=[4,4]"), (5, "topology.kind=torus", "topology.radices=[4,4]"),
        (5, "topology.kind=fat_tree", "topology.up_links=2", "topology.down_links=2", "topology.levels=3"),
        (8, "topology.kind=mesh", "topology.radices=[4,4]", "router.switching=store_and_forward",
         "router.buffer_flits=8"),
        (9, "topology.kind=torus", "topology.radices=[4,4]", "link.flit_cycles=3", "link.latency_cycles=5"),
        (11, "topology.kind=torus", "topology.radices=[4,4]", "link.flit_cycles=3", "link.latency_cycles=5",
         "link.whole_flit=true"),
        (8, "topology.kind=mesh", "topology.radices=[4,4]", "link.fec_cycles=3"),
        (5, "topology.kind=mesh", "topology.radices=[4,4]", "link.inject_latency_cycles=3",
         "link.eject_latency_cycles=6"),
        (15, "topology.kind=mesh", "topology.radices=[4,4]", "lookup.kind=cam", "lookup.cam_cycles=11"))

    def test_the_latency_without_contention_is_that_of_a_run_at_almost_no_load(self):
        """The packets of a run have other paths on the average than all pairs: by as many hops the latency differs."""
        for a_hop, *words in self.TOPOLOGIES:
            with self.subTest(words=words):
                keys = [*words, "traffic.packet_flits=4", "traffic.pattern=bit_complement"]
                facts, metrics = facts_of(*keys), self.run_of(*keys, "traffic.load_flits_per_node_cycle=0.0005",
                                                              "measure.warmup_cycles=0", "measure.cycles=40000")
                hops = metrics["hops_mean"] - 1 - facts["hops_mean"]
                self.assertAlmostEqual(facts["latency_cycles_without_contention"] + a_hop * hops,
                                       metrics["latency_cycles_mean"], delta=0.02)

    def test_hardware_is_that_of_the_energy_report(self):
        for _, *words in self.TOPOLOGIES:
            with self.subTest(words=words):
                facts = facts_of(*words)
                metrics = self.run_of(*words, "energy.report=true", "energy.flit_bits=32", "energy.tile_mm=2",
                                      "measure.cycles=10")
                self.assertEqual(32 * facts["buffer_flits"], metrics["buffer_bits"])
                self.assertEqual(32 * facts["link_channels"], metrics["wires"])
                self.assertEqual(64 * facts["link_tiles"], metrics["wire_length_mm"])
                bisection = facts["bisection_channels"]
                self.assertEqual(None if bisection is None else 32 * bisection, metrics["bisection_wires"])

    def test_channels_of_a_mesh(self):
        """An 8x8 mesh under uniform traffic: 224 channels of links, hops 5.25 with packets to the own node, and the
        middle channels are full at half a flit."""
        facts = facts_of("topology.kind=mesh", "topology.radices=[8,8]", "traffic.to_self=true")
        self.assertEqual((facts["link_channels"], facts["link_tiles"], facts["bisection_channels"]), (224, 224, 16))
        self.assertAlmostEqual(facts["hops_mean"], 5.25)
        self.assertAlmostEqual(facts["capacity_bound_flits_per_node_cycle"], 0.5)
        self.assertAlmostEqual(max(load for load, _ in facts["channel_loads"]), 2.0)
        self.assertEqual(sum(channels for _, channels in facts["channel_loads"]), 224 + 2 * 64)
        self.assertAlmostEqual(sum(load * channels for load, channels in facts["channel_loads"]), 64 * (5.25 + 2))
        self.assertEqual((facts["router_ports"], facts["router_ports_total"]), (5, 224 + 64))
        self.assertIsNone(facts["table_bits"])

    def test_loads_are_told_to_a_ten_thousandth(self):
        """Each link of a line of three nodes carries a third of a flit for each of two pairs of nodes."""
        facts = facts_of("topology.kind=mesh", "topology.radices=[3]")
        self.assertEqual(dict(map(tuple, facts["channel_loads"])), {0.6667: 4, 1.0: 6})

    def test_cycles_of_routers(self):
        """A look-up takes the place of the route computation: its memory alone, or a cache and after a miss the
        memory, too."""
        others = ("topology.radices=[4,4]", "router.va_cycles=0", "router.sa_cycles=2")
        for words, cycles in (((), (4, 4)), (("lookup.kind=cam", "lookup.cam_cycles=25"), (28, 28)),
                              (("lookup.kind=cached", "lookup.cam_cycles=25", "lookup.hash_cycles=2",
                                "lookup.cache_cycles=4"), (9, 34))):
            facts = facts_of(*others, *words)
            self.assertEqual((facts["router_cycles"], facts["router_cycles_miss"]), cycles)

    GRID = ("topology.kind=random_grid", "topology.nodes=64", "router.vcs=6")  # of degree 4

    def test_bits_of_tables(self):
        """Entries of 6 bits of coordinates and 2 of a port, and of each router the turns of three layers, or two
        numbers for each of four intervals and a port; of full tables a port and three layers for each router."""
        compact = (*self.GRID, "routing.kind=compact", "routing.entries=16")
        for words, bits in ((compact, 16 * 8 + 3 * 12),
                            ((*compact, "routing.escape=tree", "router.atomic_vcs=true"), 16 * 8 + 4 * 2 * 6 + 2),
                            ((*self.GRID, "routing.kind=source_table"), 64 * (2 + 3) + 3 * 12)):
            self.assertEqual(facts_of(*words)["table_bits"], 64 * bits)
        self.assertIsNone(facts_of("topology.kind=random_regular", "topology.nodes=16", "topology.degree=3",
                                   "routing.kind=source_table", "router.vcs=6")["table_bits"])

    def test_no_latency_is_told_where_it_depends_on_the_packet(self):
        searched = (*self.GRID, "routing.kind=compact", "routing.entries=16", "lookup.kind=compact")
        self.assertIsNone(facts_of(*searched)["latency_cycles_without_contention"])
        dragonfly = ("topology.kind=dragonfly", "routing.kind=minimal", "router.vcs=2")
        self.assertIsNotNone(facts_of(*dragonfly)["latency_cycles_without_contention"])
        self.assertIsNone(facts_of(*dragonfly, "link.classes=local latency 1, global latency 1 flit_cycles 2")
                          ["latency_cycles_without_contention"])

    def test_a_fat_tree_of_1024_nodes_has_a_bound(self):
        """It has as many links up as down: an ejection port is full first."""
        facts = facts_of("topology.kind=fat_tree", "topology.up_links=4", "topology.down_links=4", "topology.levels=5")
        self.assertEqual((facts["nodes"], facts["capacity_bound_kind"]), (1024, "upper_bound"))
        self.assertAlmostEqual(facts["capacity_bound_flits_per_node_cycle"], 1.0)

    def run_of(self, *words):
        from tsuji import Result

        out = self.folder / "run"
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([str(PLATFORMS / "network"), *(part for word in words for part in ("--set", word)), "--out",
                        str(out), "--quiet"], check=True, capture_output=True)
        return Result(out).metrics

    LINES = (("router.vcs=4",), ("router.vcs=4", "router.buffer_flits=12"), ("router.vcs=4", "router.sa_cycles=3"),
             ("router.vcs=4", "lookup.kind=cam"), ("router.vcs=4", "lookup.kind=cam", "lookup.cam_cycles=9"),
             ("router.vcs=4", "routing.kind=west_first"),
             ("router.vcs=4", "routing.kind=west_first", "lookup.kind=cam"),
             ("router.vcs=4", "routing.kind=west_first", "router.buffer_flits=9"), ("topology.kind=torus",),
             ("topology.kind=torus", "traffic.pattern=transpose"), ("topology.kind=torus", "link.latency_cycles=3"),
             ("topology.kind=torus", "router.switching=store_and_forward"), ("router.vcs=0",),
             ("topology.kind=torus", "traffic.packet_flits=9"), ("workload.npb=cg.S.64",), ())

    def answers(self, lines):
        words = [[part for word in line for part in ("--set", word)] + ["--print-design"] for line in lines]
        ended = subprocess.run([str(PLATFORMS / "network"), "--check-runs", "-"], capture_output=True, text=True,
                               input="".join(json.dumps(of) + "\n" for of in words), check=True)
        return [json.loads(line) for line in ended.stdout.splitlines()]

    # Values of keys of random designs. Some do not fit together, by paths or only with these.
    DRAWN = {"topology.kind": ("mesh", "torus", "random_regular"), "router.vcs": (1, 2, 4),
             "routing.kind": ("dimension_order", "west_first", "source_table"), "router.buffer_flits": (2, 5, 9),
             "router.switching": ("wormhole", "virtual_cut_through"), "lookup.kind": ("local", "cam", "cached"),
             "router.sa_cycles": (1, 3), "traffic.pattern": ("uniform", "transpose"), "traffic.packet_flits": (4, 5),
             "traffic.load_flits_per_node_cycle": (0.1, 0.2)}

    def test_random_designs_have_the_facts_of_one_alone_in_any_order(self):
        draws = random.Random(11)
        lines = [tuple(f"{key}={draws.choice(values)}" for key, values in self.DRAWN.items()) for _ in range(60)]
        alone = {line: self.answers([line])[0] for line in lines}
        self.assertGreater(len([answer for answer in alone.values() if "printed" in answer]), 8)
        self.assertGreater(len({answer.get("key") for answer in alone.values()}), 3)
        beside = sorted(lines, key=lambda line: [word for word in line if not word.startswith(
            ("router.buffer", "router.sw", "router.sa", "lookup", "prediction", "traffic.load"))])
        for order in (lines, beside, beside[::-1]):
            self.assertEqual(self.answers(order), [alone[line] for line in order])

    def test_a_refusal_of_the_paths_is_kept_for_the_next_design(self):
        """20 designs without paths take less than six times what a single one does: the table of 1,024 nodes is
        made once."""
        def seconds(lines):
            before = sum(os.times()[2:4])
            answers = self.answers(lines)
            self.assertTrue(all("too few virtual channels" in answer["refused"] for answer in answers))
            return sum(os.times()[2:4]) - before

        few = ("topology.kind=random_regular", "topology.nodes=1024", "routing.kind=source_table", "router.vcs=2")
        one = seconds([few])
        self.assertLess(seconds([(*few, f"router.buffer_flits={flits}") for flits in range(1, 21)]), 6 * one)

    def test_designs_after_others_have_the_facts_of_one_alone(self):
        """Paths of a design are kept for the next one. A refusal that needs the paths comes all the same."""
        answers, alone = self.answers, [self.answers([line])[0] for line in self.LINES]
        self.assertEqual([line for line, answer in zip(self.LINES, alone) if "refused" in answer],
                         [("router.vcs=4", "routing.kind=west_first", "lookup.kind=cam"), ("router.vcs=0",)])
        for order in (self.LINES, self.LINES[::-1], sorted(self.LINES)):
            with self.subTest(order=order):
                self.assertEqual(answers(order), [alone[self.LINES.index(line)] for line in order])

    def test_an_application_has_hardware_alone(self):
        facts = facts_of("workload.npb=cg.S.16", "topology.radices=[4,4]")
        self.assertEqual((facts["capacity_bound_kind"], facts["routers"]), ("none", 16))
        self.assertNotIn("channel_loads", facts)


if __name__ == "__main__":
    main()
