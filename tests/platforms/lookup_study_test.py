# SPDX-License-Identifier: Apache-2.0
"""The platform lookup_study from outside: its answers against closed forms that need no model, and what it refuses."""

import machine

TORUS = {"topology.kind": "torus", "routing.kind": "dimension_order", "router.va_cycles": 1, "router.sa_cycles": 1}


class Studies(machine.MachineTest):
    def study(self, kind, **keys):
        return self.passes(keys={"study.kind": kind, **keys})

    def test_more_keys_than_entries_evict_the_difference(self):
        # Fully associative: nothing but capacity. One key more than fits evicts one, in every cache.
        done = self.study("conflicts", **{"lookup.entries": 16, "lookup.ways": 16, "study.ways": "[16]",
                                          "study.inserted": "[15,16,17,40]", "study.seeds": 7})
        [few, full, more, many] = done.json()["tables"]["conflicts"]["rows"]
        names = [column["name"] for column in done.json()["tables"]["conflicts"]["columns"]]
        at = {name: index for index, name in enumerate(names)}
        self.assertEqual([row[at["evicted"]] for row in (few, full, more, many)], [0, 0, 7 * 1, 7 * 24])
        self.assertEqual([row[at["evicted_squares"]] for row in (few, full, more, many)], [0, 0, 7, 7 * 24 * 24])
        self.assertEqual([row[at["seeds_without"]] for row in (few, full, more, many)], [7, 7, 0, 0])

    def test_destinations_of_a_ring_and_a_mesh(self):
        ring = self.study("destinations", **TORUS, **{"topology.radices": "[7]"}).json()["tables"]["ports"]["rows"]
        self.assertEqual(sorted({(row[2], row[3]) for row in ring}),
                         [("dimension 0 down", 3), ("dimension 0 up", 3), ("injection", 6)])
        line = self.study("destinations", **{**TORUS, "topology.kind": "mesh"}, **{"topology.radices": "[4]"})
        up = {row[0]: row[3] for row in line.json()["tables"]["ports"]["rows"] if row[2] == "dimension 0 up"}
        self.assertEqual(up, {1: 3, 2: 2, 3: 1})  # what lies ahead, this router's own node included

    def test_throughput_is_that_of_the_slowest_stage(self):
        def rate(**keys):
            return self.study("throughput", **{"study.lookups": 20000, "lookup.cam_pipelined": "false", **keys})

        one = rate(**{"lookup.kind": "cam", "lookup.cam_cycles": 10})
        self.assertAlmostEqual(one.metric("lookups_per_second") / 1e8, 1, delta=0.001)
        self.assertEqual(one.metric("miss_ratio"), 1)
        slow = rate(**{"lookup.kind": "cached", "lookup.cache_cycles": 4})
        self.assertAlmostEqual(slow.metric("lookups_per_second") / 2.5e8, 1, delta=0.001)
        self.assertEqual(slow.metric("miss_ratio"), 0)
        missing = rate(**{"lookup.kind": "cached", "lookup.cam_cycles": 10, "study.miss_every": 5, "study.ports": 3})
        self.assertAlmostEqual(missing.metric("lookups_per_second") / 5e8, 1, delta=0.01)
        self.assertAlmostEqual(missing.metric("miss_ratio"), 0.2, delta=1e-9)
        # Little's law: outstanding requests, each for a round of hash, cache and memory and a cycle to the next one.
        few = rate(**{"lookup.kind": "cached", "lookup.cam_pipelined": "true", "lookup.cam_cycles": 38,
                      "study.miss_every": 1, "study.outstanding": 10})
        self.assertAlmostEqual(few.metric("lookups_per_second") / (10 / 40e-9), 1, delta=0.001)

    def test_zero_load_latency_where_everything_fits(self):
        keys = {**TORUS, "topology.radices": "[5,7]", "link.latency_cycles": 20, "link.inject_latency_cycles": 20,
                "link.eject_latency_cycles": 20, "router.st_cycles": 73, "study.pairs": 5}
        switches = 1 + 2 + 3
        links = 20 * (switches + 1)
        cached = self.study("zero_load", **keys, **{"lookup.kind": "cached", "lookup.entries": 64, "lookup.ways": 64})
        self.assertEqual(cached.metric("head_latency_ns_mean"), 77 * switches + links)
        self.assertEqual(cached.metric("lookup_misses"), 0)
        none = self.study("zero_load", **keys, **{"lookup.kind": "cam"})
        self.assertEqual(none.metric("head_latency_ns_mean"), 100 * switches + links)

    def test_throughput_with_the_most_look_ups_under_way(self):
        many = self.study("throughput", **{"lookup.kind": "cam", "lookup.cam_pipelined": "false", "study.ports": 20,
                                           "study.outstanding": 65534, "study.lookups": 2000})
        self.assertEqual(many.metric("lookups"), 40000)

    def test_zero_load_waits_for_every_credit(self):
        keys = {**TORUS, "topology.radices": "[3]", "lookup.kind": "cam", "study.pairs": 30, "router.buffer_flits": 1}
        usual = self.study("zero_load", **keys)
        for key in ("link.node_credit_process_cycles", "link.credit_process_cycles"):
            slow = self.study("zero_load", **keys, **{key: 10 ** 6})
            for metric in ("packets", "head_latency_ns_mean", "hops_max"):
                self.assertEqual(slow.metric(metric), usual.metric(metric))

    def test_zero_load_counts_what_faults_take(self):
        keys = {**TORUS, "topology.radices": "[5,3]", "lookup.kind": "cam", "study.pairs": 40}
        whole = self.study("zero_load", **keys)
        some = self.study("zero_load", **keys, **{"link.faults": "14@1,12@55"})
        self.assertGreater(some.metric("packets_dropped"), 0)
        self.assertGreater(some.metric("packets"), 0)
        self.assertEqual(some.metric("packets") + some.metric("packets_dropped"), whole.metric("packets"))
        links = ",".join(f"{link}@1" for link in range(30))
        none = self.study("zero_load", **keys, **{"link.faults": links})
        self.assertEqual((none.metric("packets"), none.metric("packets_dropped")), (0, 40))
        self.assertEqual([none.metric(name) for name in ("head_latency_ns_mean", "hops_max")], [None, None])

    def test_power_is_that_of_the_accesses(self):
        keys = {"study.packets": 300, "study.packet_flits": 30, "router.buffer_flits": 60, "lookup.energy.cam_nj": 5,
                "lookup.energy.cache_nj": 0.5, "lookup.energy.cam_static_mw": 7, "lookup.energy.cache_static_mw": 3}
        cam = self.study("power", **keys, **{"lookup.kind": "cam"})
        # Seven ports, a packet each in 30 ns: 7 x 5 nJ / 30 ns.
        self.assertAlmostEqual(cam.metric("power_mw"), 7 + 7 * 5 / 30 * 1e3)
        flushed = self.study("power", **keys, **{"lookup.kind": "cached", "lookup.warm": "all",
                                                 "study.flush_every": 100})
        self.assertEqual(flushed.metric("cam_accesses"), 3 * 7)
        self.assertAlmostEqual(flushed.metric("power_mw"), 7 + 7 * 3 + 7 * (0.5 + 0.01 * 5) / 30 * 1e3)
        idle = self.study("power", **keys, **{"lookup.kind": "cached", "study.load_percent": 0})
        self.assertEqual(idle.metric("power_mw"), 28)


class Refusals(machine.MachineTest):
    def test_what_a_study_is_not_made_for(self):
        for parts, keys in (
                (["study.kind", "conflicts"], {"study.kind": "magic"}),
                (["lookup.ways", "3"], {"study.kind": "conflicts", "study.ways": "[3]"}),
                (["topology.kind", "torus"], {"study.kind": "zero_load", "lookup.kind": "cam"}),
                (["topology.radices", "odd"], {"study.kind": "zero_load", "lookup.kind": "cam",
                                               "topology.kind": "torus",
                                               "topology.radices": "[5,6]"}),
                (["lookup.model", "fast"],
                 {"study.kind": "throughput", "lookup.kind": "cached", "lookup.model": "modules"}),
                (["lookup.kind", "cam, cached or ideal"], {"study.kind": "throughput"}),
                (["lookup.kind", "cam, cached or ideal"], {"study.kind": "power"}),
                (["lookup.cam_entries", "1073741824", "1..1048576"],
                 {"study.kind": "throughput", "lookup.kind": "cam", "lookup.cam_entries": 1 << 30}),
                (["lookup.cam_entries", "no entry is left", "2..1048576"],
                 {"study.kind": "throughput", "lookup.kind": "cam", "lookup.cam_entries": 1, "study.miss_every": 3}),
                (["default: router.buffer_flits", "25 flits", "at least 25"],
                 {"study.kind": "power", "lookup.kind": "cam", "router.switching": "virtual_cut_through"}),
                (["routing.kind", "valiant", "follow one route for each pair"],
                 {"study.kind": "destinations", "routing.kind": "valiant", "router.vcs": 2}),
                (["study.load_percent", "0..100"], {"study.kind": "power", "study.load_percent": 101}),
                (["study.pairs", "no effect", "study.kind"],
                 {"study.kind": "power", "lookup.kind": "cam", "study.pairs": 3})):
            self.refused(parts, keys=keys)


if __name__ == "__main__":
    machine.main()
