# SPDX-License-Identifier: Apache-2.0
"""UGAL-G, which reads the queues of all routers: more accepted adversarial load than UGAL-L, results without regard to
the order of modules, and no threads.
usage: ugal_global_test.py NETWORK"""

import machine

DRAGONFLY = {"topology.kind": "dragonfly", "topology.nodes_per_router": 2, "topology.group_routers": 4,
             "topology.global_links": 2, "router.vcs": 4, "routing.adaptive_threshold": 0,
             "measure.warmup_cycles": 1000, "measure.cycles": 2000, "measure.drain_cycles": 0}
ADVERSARIAL = {**DRAGONFLY, "traffic.pattern": "adversarial", "traffic.load_flits_per_node_cycle": 0.3}


class UgalGlobal(machine.MachineTest):
    def accepted(self, kind, **keys):
        done = self.passes(keys={**ADVERSARIAL, "routing.kind": kind, **keys})
        return done.metric("accepted_flits_per_node_cycle")

    def test_the_oracle_accepts_more_than_the_local_view(self):
        local, oracle = (self.accepted(kind) for kind in ("ugal", "ugal_g"))
        minimal = self.accepted("ugal_g", **{"routing.adaptive_threshold": 1_000_000})
        # Four routers' eight nodes share one link to the next group: 1/8 flit a node and cycle.
        self.assertAlmostEqual(minimal, 1 / 8, delta=0.01)
        self.assertGreater(local, 1.3 * minimal)
        self.assertGreater(oracle, 1.1 * local)

    def test_a_threshold_above_all_queues_is_minimal_routing(self):
        local, oracle = (self.passes(keys={**DRAGONFLY, "routing.kind": kind, "routing.adaptive_threshold": 1_000_000,
                                           "traffic.load_flits_per_node_cycle": 0.2})
                         for kind in ("ugal", "ugal_g"))
        for metric in ("hops_mean", "latency_cycles_mean"):
            self.assertEqual(local.metric(metric), oracle.metric(metric))

    def test_the_order_of_modules_does_not_show(self):
        fixed, shuffled, each = (
            self.passes(keys={**ADVERSARIAL, "routing.kind": "ugal_g", **keys}).metric("latency_cycles_mean")
            for keys in ({}, {"run.shuffle_seed": 7}, {"run.processes": "process_each"}))
        self.assertEqual(fixed, shuffled)
        self.assertEqual(fixed, each)

    def test_it_is_free_of_deadlock_and_needs_one_thread(self):
        proof = self.ends(0, "--check-deadlock", keys={**DRAGONFLY, "routing.kind": "ugal_g"})
        self.assertIn("free of deadlock: no cycle", proof.text)
        self.refused(["router.vcs", "4..16"], keys={**DRAGONFLY, "routing.kind": "ugal_g", "router.vcs": 3})
        self.refused(["--threads", "routing.kind", "reads the queues of all routers"], "--threads", "2",
                     keys={**DRAGONFLY, "routing.kind": "ugal_g", "link.latency_cycles": 4})


if __name__ == "__main__":
    machine.main()
