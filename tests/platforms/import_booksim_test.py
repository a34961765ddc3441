#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/import_booksim: `network` accepts imported keys, which have BookSim2's values; others are refused by name.

usage: import_booksim_test.py PLATFORMS
"""

import pathlib
import subprocess
import sys
import unittest

import yaml
from own_folder import FolderTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLATFORMS = None
MESH = ["topology=mesh", "k=4", "n=2", "routing_function=dor"]
FLATFLY = ["topology=flatfly", "k=4", "n=2", "c=4", "use_noc_latency=0", "num_vcs=4"]
GRID = ["topology=flatfly", "k=4", "n=2", "c=4", "x=4", "y=4", "xr=2", "yr=2", "num_vcs=4",
        "routing_function=ran_min"]
DRAGONFLY = ["topology=dragonflynew", "k=2", "n=1", "num_vcs=4"]


class Import(FolderTest):
    def call(self, *words):
        return subprocess.run([ROOT / "scripts" / "import_booksim", *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=100)

    def imported(self, *words):
        """Keys by section, of a configuration that `network` runs."""
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        path = self.folder / "imported.yaml"
        path.write_text(done.stdout)
        played = subprocess.run([PLATFORMS / "network", path, "--set", "measure.warmup_cycles=20", "--set",
                                 "measure.cycles=50", "--out", self.folder / "out"], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=100)
        self.assertEqual((played.returncode, played.stderr), (0, ""))
        self.notes = [line for line in done.stdout.splitlines() if line.startswith("#")]
        return yaml.safe_load(done.stdout)

    def refused(self, told, *words):
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(told, done.stderr)

    def test_traffic_and_measurement(self):
        keys = self.imported(*MESH, "traffic=bitcomp", "injection_rate=0.02", "packet_size=5", "sample_period=2000",
                             "warmup_periods=4", "seed=7")
        self.assertEqual(keys["traffic"], {"pattern": "bit_complement", "load_flits_per_node_cycle": 0.1,
                                           "packet_flits": 5})
        self.assertEqual(keys["measure"], {"warmup_cycles": 8000, "cycles": 2000})
        self.assertEqual(keys["seed"], 7)
        self.assertEqual(len(self.notes), 1)
        keys = self.imported(*MESH, "injection_rate=0.2", "packet_size=5", "injection_rate_uses_flits=1")
        self.assertEqual(keys["traffic"]["load_flits_per_node_cycle"], 0.2)
        self.assertNotIn("seed", keys)

    def test_every_pattern_runs(self):
        for pattern in ("uniform", "transpose", "bitcomp", "bitrev", "shuffle", "tornado", "neighbor", "randperm"):
            self.imported(*MESH, f"traffic={pattern}")

    def test_topologies_and_routings(self):
        keys = self.imported(*FLATFLY, "routing_function=ran_min", "credit_delay=2", "vc_buf_size=6")
        self.assertEqual(keys["topology"], {"kind": "hyperx", "radices": [4, 4], "nodes_per_router": 4})
        self.assertEqual(keys["routing"], {"kind": "minimal"})
        self.assertEqual((keys["router"]["vcs"], keys["router"]["buffer_flits"]), (4, 6))
        self.assertEqual(keys["link"]["credit_process_cycles"], 2)
        self.assertEqual(len(self.notes), 2)
        for routing in ("valiant", "ugal"):
            self.assertEqual(self.imported(*FLATFLY, f"routing_function={routing}")["routing"]["kind"], routing)
        keys = self.imported(*DRAGONFLY, "routing_function=min")
        self.assertEqual(keys["topology"], {"kind": "dragonfly", "nodes_per_router": 2, "group_routers": 4,
                                            "global_links": 2, "arrangement": "absolute",
                                            "global_latency_cycles": 100})
        self.assertEqual(keys["link"]["latency_cycles"], 10)
        self.assertEqual(self.imported(*DRAGONFLY, "routing_function=ugal")["routing"]["kind"], "ugal")
        keys = self.imported("topology=cmesh", "k=4", "n=2", "c=4", "use_noc_latency=0",
                             "routing_function=dor_no_express")
        self.assertEqual(keys["topology"], {"kind": "mesh", "radices": [4, 4], "nodes_per_router": 4})
        self.assertEqual(keys["routing"], {"kind": "dimension_order"})
        keys = self.imported("topology=torus", "k=4", "routing_function=dim_order")
        self.assertEqual((keys["topology"]["kind"], keys["link"]["latency_cycles"]), ("torus", 2))
        self.assertEqual(self.imported("topology=fly", "k=4", "n=2", "routing_function=dest_tag")["topology"],
                         {"kind": "fly", "radix": 4, "stages": 2})

    def test_latencies_by_the_lengths_of_links(self):
        self.assertEqual(self.imported(*GRID)["topology"], {
            "kind": "hyperx", "radices": [4, 4], "nodes_per_router": 4, "dimension_latency_cycles": [2, 2],
            "step_latency_cycles": [2, 2]})
        keys = self.imported(*GRID, "topology=cmesh", "routing_function=dor_no_express")
        self.assertEqual((keys["topology"]["kind"], keys["link"]["latency_cycles"]), ("mesh", 2))
        self.assertNotIn("step_latency_cycles", keys["topology"])
        for topology in ("cmesh", "flatfly"):  # complements are the same in any order of digits
            routing = {"cmesh": "dor_no_express", "flatfly": "ran_min"}[topology]
            keys = self.imported(*GRID, f"topology={topology}", f"routing_function={routing}", "traffic=bitcomp")
            self.assertEqual(keys["traffic"]["pattern"], "bit_complement")
            self.refused(f"traffic: nodes of {topology} have other numbers", *GRID, f"topology={topology}",
                         f"routing_function={routing}", "traffic=shuffle")

    def test_a_switch_that_is_held_to_the_tail_of_one_flit(self):
        held = ("topology=fattree", "k=2", "n=3", "routing_function=nca", "num_vcs=2", "hold_switch_for_packet=1")
        self.imported(*held)
        self.refused("hold_switch_for_packet: not translated (got '1'); accepted: 0", *held, "packet_size=2")

    def test_any_network(self):
        (self.folder / "net").write_text("router 0 node 0 node 1 3 router 1 2\n\nrouter 1 router 0 2 node 2\n"
                                         "node 3 router 2\nrouter 2 router 1 2\nrouter 1 router 2 2\n")
        net = ("--topology", "net.topology", "topology=anynet", "routing_function=min", "network_file=net", "num_vcs=1")
        keys = self.imported(*net)
        self.assertEqual(keys["topology"], {"kind": "file", "file": "net.topology"})
        self.assertEqual(keys["routing"], {"kind": "source_table"})
        self.assertEqual((self.folder / "net.topology").read_text().splitlines()[1:],
                         ["link 0 1 latency 2", "link 1 2 latency 2", "node 0 at 0 latency 1", "node 1 at 0 latency 3",
                          "node 2 at 1 latency 1", "node 3 at 2 latency 1"])
        self.refused("topology: needs a file for its topology (got 'anynet'); accepted: --topology FILE", *net[2:])
        self.refused("network_file: cannot be read", *net, "network_file=none")
        self.refused("--topology: no/net.topology: cannot be written", "--topology", "no/net.topology", *net[2:])
        for lines, told in {"router 0 router 1 2\nnode 0 router 0": "net: routes by unequal latencies are not",
                            "router 0 router 2\nnode 0 router 0": "net: routers are not numbered from 0",
                            "router 0 router 1\nnode 1 router 0": "net: nodes are not numbered from 0",
                            "router 0 router 1": "net: nodes are not numbered from 0",
                            "\nnode 0 node 1": "net:2: a link between two nodes (got 'node 1')",
                            "node 0 router 0\nnode 0 router 1": "net:2: a node at two routers (got 'node 0')",
                            "router 0 router": "net:1: no end of a link (got 'router')",
                            "router 0 5": "net:1: no end of a link (got '5')",
                            "node 0 router 0 0": "net:1: no latency of a link (got '0')"}.items():
            (self.folder / "net").write_text(lines)
            self.refused(told, *net)

    def test_a_file_and_words_on_top(self):
        (self.folder / "my.cfg").write_text("// comment\ntopology = mesh;\nk = 4;\nrouting_function = dor;\n")
        self.assertEqual(self.imported("my.cfg", "k=3")["topology"]["radices"], [3, 3])

    def test_keys_without_a_counterpart_are_refused(self):
        self.refused("import_booksim: command line: topology: not translated (got 'torus3'); accepted: mesh, torus",
                     "topology=torus3")
        self.refused("routing_function: not translated (got 'adaptive_xyyx'); accepted: ran_min, valiant, ugal",
                     *FLATFLY, "routing_function=adaptive_xyyx")
        self.refused("BookSim2's default: x: latencies by the lengths of links are translated for square grids of "
                     "routers and their nodes alone; accepted: 4, or use_noc_latency = 0", "topology=flatfly", "k=4",
                     "routing_function=ran_min")
        for key, other in (("n", "1"), ("y", "5"), ("yr", "1"), ("c", "2")):
            self.refused(f"{key}: latencies by the lengths of links", *GRID, f"{key}={other}")
        self.refused("xr: not translated (got '4'); accepted: an integer 1..3", *GRID, "xr=4")
        self.refused("internal_speedup: not translated (got '2.0'); accepted: 1.0", *DRAGONFLY,
                     "routing_function=min", "internal_speedup=2.0")
        self.refused("n: no such dragonfly", "topology=dragonflynew", "k=2", "n=2", "routing_function=min")
        self.refused("traffic: nodes of flatfly have other numbers (got 'transpose'); accepted: uniform, bitcomp",
                     *FLATFLY, "routing_function=ran_min", "traffic=transpose")
        self.refused("traffic: nodes of fly have other numbers", "topology=fly", "routing_function=dest_tag",
                     "traffic=shuffle")
        self.refused("traffic: not translated (got 'taper64')", *MESH, "traffic=taper64")
        self.refused("injection_process: not translated (got 'on_off'); accepted: bernoulli", *MESH,
                     "injection_process=on_off")
        self.refused("packet_size: not translated (got '{1,2}')", *MESH, "packet_size={1,2}")
        self.refused("packet_size: not translated (got '0'); accepted: an integer 1..100000", *MESH, "packet_size=0")
        self.refused("injection_rate: 2 flits a cycle", *MESH, "injection_rate=0.5", "packet_size=4")
        self.refused("injection_rate: not translated (got 'x'); accepted: a number 0..1", *MESH, "injection_rate=x")
        self.refused("sim_type: not translated (got 'batch')", *FLATFLY, "routing_function=ran_min", "sim_type=batch")
        self.refused("frobnicate: not a key that is translated", *MESH, "frobnicate=1")
        self.refused("frobnicate: not a key that is translated", *FLATFLY, "routing_function=ran_min", "frobnicate=1")


if __name__ == "__main__":
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
