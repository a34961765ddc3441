#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Networks without modules give the results, tables and files of the same networks with a process for each module."""

import random

import machine

SHORT = {"topology.kind": "mesh", "topology.radices": "[5, 5]", "measure.warmup_cycles": 200, "measure.cycles": 600,
         "traffic.load_flits_per_node_cycle": 0.3, "observe.port_waits": "true", "energy.report": "true"}
TREE = {**SHORT, "topology.kind": "fat_tree", "topology.radices": None, "topology.up_links": 3,
        "topology.down_links": 3, "topology.levels": 2}
# Keys, and the tables that have rows.
RUNS = [
    (SHORT, ["hops"]),
    ({**SHORT, "prediction.kind": "straight"}, ["hops", "predictions"]),
    ({**SHORT, "prediction.kind": "last_destination", "router.rc_cycles": 0}, ["predictions"]),
    ({**SHORT, "prediction.kind": "oracle", "link.latency_cycles": 3}, ["predictions"]),
    ({**SHORT, "prediction.kind": "latest_port", "router.vcs": 14}, ["predictions"]),
    ({**TREE, "prediction.kind": "up"}, ["predictions"]),
    ({**SHORT, "router.vcs": 16, "routing.kind": "duato", "router.atomic_vcs": "true"}, ["hops"]),
    # More virtual channels than 127.
    ({**SHORT, "topology.radices": "[3, 3]", "router.vcs": 16, "topology.nodes_per_router": 6}, ["hops"]),
    ({**SHORT, "topology.radices": "[3, 3]", "router.vcs": 16, "topology.nodes_per_router": 6,
      "prediction.kind": "latest_port"}, ["predictions"]),
]
LISTED = {"traffic.kind": "list", "measure.cycles": 400, "router.vcs": 3, "router.buffer_flits": 4}


def packets(random, nodes, channels):
    """Text of a list of packets that wait for each other, each on a channel of `channels` or on any."""
    lines = [(random.randrange(300), random.randrange(nodes), random.randrange(nodes), random.randint(1, 5))
             for _ in range(60 * nodes)]
    return "".join(f"{' '.join(map(str, line))}{random.choice(channels)}\n" for line in sorted(lines))


class WithoutModules(machine.MachineTest):
    def listed(self, text, keys):
        path = self.folder / "packets.list"
        path.write_text(text)
        return self.passes("--records", keys={**LISTED, "traffic.list": path, **keys})

    def run_as(self, keys, **how):
        done = self.passes("--report", "--records", keys={key: value for key, value in {**keys, **how}.items()
                                                          if value is not None})
        result = done.json()
        for part in ("wall_seconds", "module_steps"):
            result["metrics"].pop(part, None)
        del result["config"]
        return result, {path.name: path.read_bytes() for path in done.out.glob("*.csv")}

    def test_results_tables_and_files_are_those_of_modules(self):
        for keys, tables in RUNS:
            with self.subTest(keys=keys):
                result, files = self.run_as(keys)
                expected, expected_files = self.run_as(keys, **{"run.processes": "process_each"})
                self.assertEqual(result, expected)
                self.assertEqual(sorted(files), sorted(expected_files))
                self.assertEqual([name for name in files if files[name] != expected_files[name]], [])
                self.assertIn("packets.csv", files)
                for table in tables:
                    self.assertTrue(result["tables"][table]["rows"], table)

    def test_packets_of_a_list_take_their_channels(self):
        mesh = {"topology.kind": "mesh", "topology.radices": "[3, 3]"}
        text = packets(random.Random(3), 9, ["", " 0", " 2"])
        dense, modules = (self.listed(text, {**mesh, "run.processes": how}) for how in ("one_for_all", "process_each"))
        self.assertEqual((dense.out / "packets.csv").read_bytes(), (modules.out / "packets.csv").read_bytes())
        others = self.listed(text.replace(" 2\n", " 1\n"), mesh)
        self.assertNotEqual((dense.out / "packets.csv").read_bytes(), (others.out / "packets.csv").read_bytes())

    def test_a_router_of_more_than_64_ports_is_one_of_fewer_whose_other_ports_are_at_rest(self):
        """The nodes of the first routers have ports 65..69 in the large network, 9..13 in the small one."""
        text = packets(random.Random(5), 50, [""])
        small, large = (self.listed(text, {"topology.kind": "hyperx", "topology.radices": f"[{routers}]",
                                           "topology.nodes_per_router": 5, **more})
                        for routers, more in ((10, {"run.processes": "process_each"}), (66, {})))
        self.assertEqual((small.out / "packets.csv").read_bytes(), (large.out / "packets.csv").read_bytes())
        self.assertGreater(small.json()["metrics"]["latency_cycles_mean"]["value"], 20)


if __name__ == "__main__":
    machine.main()
