# SPDX-License-Identifier: Apache-2.0
"""In-transit routing with on-the-fly misrouting in runs of `network`. usage: in_transit_test.py NETWORK"""

import machine

# 9 groups of 4 routers, a global link between every two, two nodes a router.
DRAGONFLY = {"topology.kind": "dragonfly", "topology.nodes_per_router": 2, "router.vcs": 3, "router.buffer_flits": 16,
             "routing.kind": "in_transit", "traffic.packet_flits": 2, "measure.warmup_cycles": 1500,
             "measure.cycles": 1500, "measure.drain_cycles": 0}
# All packets are born before the measured window's end, and arrive.
ENDING = {**DRAGONFLY, "routing.adaptive_threshold": 0, "traffic.pattern": "adversarial",
          "traffic.load_flits_per_node_cycle": 0.3, "traffic.last_cycle": 1200, "measure.warmup_cycles": 0,
          "measure.cycles": 1200, "measure.drain_cycles": 5000, "link.latency_cycles": 3}


class InTransit(machine.MachineTest):
    def accepted(self, **keys):
        return self.passes(keys={**DRAGONFLY, "traffic.pattern": "adversarial",
                                 "traffic.load_flits_per_node_cycle": 0.4, **keys}).metric(
                                     "accepted_flits_per_node_cycle")

    def test_adversarial_traffic_leaves_the_one_link_between_two_groups(self):
        # A group's 8 nodes share the link to the next one.
        minimal = self.accepted(**{"routing.adaptive_threshold": 1_000_000})
        self.assertLess(minimal, 1 / 8 + 0.01)
        self.assertGreater(self.accepted(), 2 * minimal)

    def test_a_threshold_above_all_queues_is_minimal_routing(self):
        hops = [self.passes(keys={**DRAGONFLY, "traffic.load_flits_per_node_cycle": 0.2, **keys}).metric("hops_mean")
                for keys in ({"routing.adaptive_threshold": 1_000_000}, {"routing.kind": "minimal"},
                             {"routing.adaptive_threshold": 0})]
        self.assertAlmostEqual(hops[0], hops[1], delta=0.01)  # windows with other packets
        self.assertGreater(hops[2], hops[0] + 0.05)

    def test_packets_are_those_of_any_order_of_modules_process_and_thread(self):
        run = self.passes("--records", keys=ENDING)
        self.assertEqual(run.metric("packets_delivered"), run.metric("packets_born"))
        self.assertGreater(run.metric("hops_mean"), 3.2)
        for keys in ({"run.shuffle_seed": 7}, {"run.processes": "process_each"}):
            other = self.passes("--records", keys={**ENDING, **keys})
            self.assertEqual((run.out / "packets.csv").read_bytes(), (other.out / "packets.csv").read_bytes())
        alone, threads = (self.passes(*options, keys=ENDING).result_bytes(without_config=True)
                          for options in ((), ("--threads", "2")))
        self.assertEqual(alone, threads)

    def test_it_is_free_of_deadlock_and_refused_where_it_does_not_go(self):
        proof = self.ends(0, "--check-deadlock", keys=DRAGONFLY)
        self.assertIn("free of deadlock: no cycle", proof.text)
        self.assertIn("at most 8 links", proof.text)
        self.refused(["router.vcs", "3..16"], keys={**DRAGONFLY, "router.vcs": 2})
        self.refused(["routing.kind", "in_transit", "a dragonfly"],
                     keys={**DRAGONFLY, "topology.kind": "dragonfly_plus"})
        self.refused(["routing.kind", "lookup.kind local"], keys={**DRAGONFLY, "lookup.kind": "cam"})


if __name__ == "__main__":
    machine.main()
