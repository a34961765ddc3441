# SPDX-License-Identifier: Apache-2.0
"""Networks whose routers handle packets instead of flits (router.switch_hold packet): every result, also of sources
that listen to their packets, is that of a run with packet records, whose routers handle flits."""

import machine
from machine import MachineTest

CUT = {"router.switching": "virtual_cut_through", "router.switch_hold": "packet", "router.buffer_flits": 64,
       "topology.kind": "torus", "topology.radices": "[4,2]"}


class WholePackets(MachineTest):
    def same(self, **keys):
        keys = {**CUT, **{key.replace("__", "."): value for key, value in keys.items()}}
        runs = [self.passes(*options, keys=keys) for options in ([], ["--records"])]
        metrics = [run.json()["metrics"] for run in runs]
        for metric in metrics:
            del metric["wall_seconds"]
        self.assertEqual(metrics[0], metrics[1])
        self.assertEqual(runs[0].json().get("histograms"), runs[1].json().get("histograms"))
        self.assertGreater(metrics[0]["flit_hops"]["value"], 2000)

    def test_a_trace(self):
        self.same(workload__kind="trace", workload__npb="is.S.8", workload__npb_steps=1)

    def test_a_collective_operation(self):
        self.same(workload__kind="collective", workload__collective_bytes=40000)

    def test_closed_loops_that_are_not_drained(self):
        self.same(traffic__kind="closed_loop", traffic__length="range", traffic__packet_flits=3,
                  traffic__largest_packet_flits=12, measure__cycles=3001, measure__drain_cycles=0)

    def test_a_load_whose_warm_up_ends_by_itself(self):
        self.same(traffic__packet_flits=9, traffic__load_flits_per_node_cycle=0.4, measure__warmup_cycles="auto",
                  measure__cycles=3001, measure__drain_cycles=0)


if __name__ == "__main__":
    machine.main()
