# SPDX-License-Identifier: Apache-2.0
"""Polarized routing in runs of `network`. usage: polarized_test.py NETWORK"""

import machine

# 9 groups of 4 routers, a global link between every two, two nodes a router.
DRAGONFLY = {"topology.kind": "dragonfly", "topology.nodes_per_router": 2, "router.vcs": 8, "router.buffer_flits": 32,
             "traffic.packet_flits": 1, "measure.warmup_cycles": 1500, "measure.cycles": 1500,
             "measure.drain_cycles": 0}


class Polarized(machine.MachineTest):
    def accepted(self, **keys):
        return self.passes(keys={**DRAGONFLY, **keys}).metric("accepted_flits_per_node_cycle")

    def test_adversarial_traffic_leaves_the_one_link_between_two_groups(self):
        keys = {"traffic.pattern": "adversarial", "traffic.load_flits_per_node_cycle": 0.5}
        # A group's 8 nodes share the link to the next one.
        self.assertLess(self.accepted(**{**keys, "routing.kind": "minimal"}), 1 / 8 + 0.01)
        self.assertGreater(self.accepted(**{**keys, "routing.kind": "polarized"}), 2 / 8)

    def test_nothing_is_lost_and_no_order_of_modules_matters(self):
        keys = {**DRAGONFLY, "routing.kind": "polarized", "traffic.load_flits_per_node_cycle": 0.2,
                "traffic.last_cycle": 3000, "measure.cycles": 3000}
        run = self.passes(keys=keys)
        self.assertEqual(run.metric("packets_delivered"), run.metric("packets_born"))
        other = self.passes(keys={**keys, "run.shuffle_seed": 3})
        self.assertEqual(run.result_bytes(without_config=True), other.result_bytes(without_config=True))

    def test_hop_flits_weigh_the_links_left(self):
        """With much for each link, packets of light traffic take shortest paths."""
        hops = [self.passes(keys={**DRAGONFLY, "routing.kind": "polarized", "traffic.load_flits_per_node_cycle": 0.2,
                                  "routing.hop_flits": flits}).metric("hops_mean") for flits in (0, 1000)]
        minimal = self.passes(keys={**DRAGONFLY, "routing.kind": "minimal",
                                    "traffic.load_flits_per_node_cycle": 0.2}).metric("hops_mean")
        self.assertGreater(hops[0], hops[1] + 0.5)
        self.assertLess(hops[1], minimal + 0.1)


if __name__ == "__main__":
    machine.main()
