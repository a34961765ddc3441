# SPDX-License-Identifier: Apache-2.0
"""Links that err: nothing is lost or overtakes, goodput and latency are those of go-back-N's closed form, a rate of 0
changes nothing, and every key counts."""

import machine
from machine import MachineTest

# Node 0 sends to node 1 over one link, as fast as it can.
PAIR = {"topology.kind": "mesh", "topology.radices": "[2]", "routing.kind": "dimension_order",
        "link.latency_cycles": 10, "router.buffer_flits": 256, "traffic.packet_flits": 4, "measure.cycles": 60000,
        "measure.warmup_cycles": 3000, "traffic.pattern": "bit_complement"}


class LinkErrors(MachineTest):
    def play(self, network=PAIR, load=0.05, **keys):
        """Keys of link.* are written without it."""
        named = {f"link.{key}" if "." not in key else key: value for key, value in keys.items()}
        return self.passes(keys={**network, "traffic.load_flits_per_node_cycle": load, **named})

    def test_a_rate_of_zero_changes_nothing(self):
        plain = self.play()
        self.assertEqual(self.play(bit_error_rate=0).result_bytes(without_config=True),
                         plain.result_bytes(without_config=True))
        self.assertNotIn("link_flits_damaged", plain.json()["metrics"])

    def test_goodput_is_that_of_the_closed_form(self):
        # Three links in a row err alike; the one between the routers has the longest round trip.
        for flit_cycles, process, rate in ((1, 2, 0.01), (2, 30, 0.02)):
            run = self.play(load=1, bit_error_rate=rate, flit_bits=1, flit_cycles=flit_cycles,
                            replay_process_cycles=process)
            each = flit_cycles + (2 * 10 + flit_cycles + process) * rate / (1 - rate)
            self.assertAlmostEqual(run.metric("accepted_flits_per_node_cycle") * each, 1, delta=0.04)

    def test_nothing_is_lost_and_errors_are_counted(self):
        torus = {"topology.kind": "torus", "topology.radices": "[4,4]", "routing.kind": "dimension_order"}
        for network in (PAIR, torus, {**torus, "router.switching": "virtual_cut_through"},
                        {**torus, "router.switching": "store_and_forward"},
                        {"topology.kind": "fat_tree", "routing.kind": "least_common_ancestor"}):
            run = self.play({**network, "traffic.last_cycle": 20000, "measure.cycles": 30000}, load=0.1,
                            bit_error_rate=1e-4)
            flits, damaged = run.metric("link_flits_checked"), run.metric("link_flits_damaged")
            rate = run.metric("link_flit_error_rate")
            self.assertAlmostEqual(rate, 1 - (1 - 1e-4) ** 128, places=12)
            # Every transmission, repeated ones too, is damaged with this probability.
            expected = flits * rate / (1 - rate)
            self.assertAlmostEqual(damaged, expected, delta=5 * expected ** 0.5)
            self.assertEqual(run.metric("packets_delivered"), run.metric("packets_born"))

    def test_replays_cost_latency(self):
        plain, erring = self.play(), self.play(bit_error_rate=1e-4)
        added = erring.metric("latency_cycles_mean") - plain.metric("latency_cycles_mean")
        rate = 1 - (1 - 1e-4) ** 128
        # A packet of 4 flits on links of latency 1, 10 and 1; flits behind a damaged one wait for it.
        shortest = sum(rate * (2 * latency + 3) for latency in (1, 10, 1))
        self.assertGreater(added, shortest)
        self.assertLess(added, 8 * shortest)
        slow = self.play(bit_error_rate=1e-4, replay_process_cycles=100)
        self.assertGreater(slow.metric("latency_cycles_mean"), erring.metric("latency_cycles_mean"))
        small = self.play(bit_error_rate=1e-4, flit_bits=16)
        self.assertLess(small.metric("link_flits_damaged"), erring.metric("link_flits_damaged"))

    def test_error_correction_takes_its_time_on_every_link(self):
        plain, corrected = self.play(load=0.001), self.play(load=0.001, fec_cycles=7)
        added = corrected.metric("latency_cycles_mean") - plain.metric("latency_cycles_mean")
        self.assertAlmostEqual(added, 3 * 7, delta=0.5)

    def test_failed_lanes_leave_their_share_of_the_rate(self):
        for lanes, faults, share in ((4, "[0]", 3 / 4), (4, "[0,0]", 2 / 4), (2, "[0]", 1 / 2), (8, "[0]", 7 / 8)):
            run = self.play(load=1, lanes=lanes, lane_faults=faults)
            self.assertAlmostEqual(run.metric("accepted_flits_per_node_cycle"), share, delta=0.01)
        # Of two links in a row, the one that errs and has lost a lane is the narrow one.
        both = self.play(load=1, lane_faults="[0]", bit_error_rate=0.01, flit_bits=1)
        each = 4 / 3 + (2 * 10 + 1 + 2) * 0.01 / 0.99
        self.assertAlmostEqual(both.metric("accepted_flits_per_node_cycle") * each, 1, delta=0.04)

    def test_failed_lanes_lose_nothing(self):
        torus = {"topology.kind": "torus", "topology.radices": "[4,4]", "routing.kind": "dimension_order",
                 "traffic.pattern": "uniform"}
        plain, run = (self.play({**PAIR, **torus, "traffic.last_cycle": 20000, "measure.cycles": 30000}, load=0.1,
                                lane_faults=faults) for faults in ("[]", "[0,3,3,17]"))
        self.assertEqual(run.metric("packets_delivered"), run.metric("packets_born"))
        self.assertEqual(run.metric("packets_born"), plain.metric("packets_born"))
        self.assertGreater(run.metric("latency_cycles_mean"), plain.metric("latency_cycles_mean"))
        self.assertNotIn("link_flits_damaged", run.json()["metrics"])

    def test_the_seed_decides_and_threads_do_not(self):
        network = {**PAIR, "topology.radices": "[4,4]", "measure.cycles": 5000, "link.bit_error_rate": 1e-3,
                   "traffic.load_flits_per_node_cycle": 0.05}
        run, again = self.passes(keys=network), self.passes(keys=network)
        self.assertEqual(run.result_bytes(), again.result_bytes())
        other = self.passes(keys={**network, "seed": 2})
        self.assertNotEqual(run.metric("link_flits_damaged"), other.metric("link_flits_damaged"))
        threads = self.passes("--threads", "2", keys=network)
        self.assertEqual(run.result_bytes(), threads.result_bytes())

    def test_a_process_for_each_module_computes_the_same(self):
        for switching in ("wormhole", "store_and_forward"):
            network = {**PAIR, "topology.radices": "[4,4]", "measure.cycles": 5000, "link.bit_error_rate": 1e-3,
                       "traffic.load_flits_per_node_cycle": 0.05, "router.switching": switching}
            one, each = (self.passes(keys={**network, "run.processes": processes}).result_bytes(without_config=True)
                         for processes in ("one_for_all", "process_each"))
            self.assertEqual(one, each)

    def test_what_cannot_be_is_refused(self):
        for rate, parts in ((1, ["link.bit_error_rate", "arrive damaged"]), (0.1, ["arrive damaged", "at most half"]),
                            (-1, ["link.bit_error_rate", "0..1"])):
            self.refused(parts, keys={**PAIR, "link.bit_error_rate": rate})
        self.refused(["link.lane_faults", "no such link", "0..0"], keys={**PAIR, "link.lane_faults": "[1]"})
        self.refused(["link.lane_faults", "no lane of this link works", "at most 1 times"],
                     keys={**PAIR, "link.lane_faults": "[0,0]", "link.lanes": 2})


if __name__ == "__main__":
    machine.main()
