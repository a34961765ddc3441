# SPDX-License-Identifier: Apache-2.0
"""The platform compact_study from outside: its answers against the paper and against closed forms, and what it
refuses."""

import machine

GRID = {"topology.nodes": 64, "topology.wire_length": 3}


def rows(run, name):
    table = run.json()["tables"][name]
    columns = [column["name"] for column in table["columns"]]
    return [dict(zip(columns, row)) for row in table["rows"]]


class Studies(machine.MachineTest):
    def study(self, kind, **keys):
        return self.passes(keys={"study.kind": kind, **keys})

    def test_the_papers_bits_and_stretch(self):
        done = self.study("hops", **{"topology.wire_length": 2, "study.entries": "[25]", "study.seeds": 20})
        found = rows(done, "hops")
        self.assertEqual([row["seed"] for row in found], list(range(1, 21)))
        for row in found:
            self.assertEqual((row["entry_bits"], row["table_bits"], row["full_table_bits"]), (10, 250, 512))
            self.assertEqual((row["fits"], row["livelocks"]), (1, 0))
        stretch = sum(row["average"] / row["shortest_average"] for row in found) / len(found)
        self.assertAlmostEqual(stretch, 1.11, delta=0.03)  # Compact Tables, section 4

    def test_entries_that_do_not_fit_are_counted(self):
        done = self.study("hops", **GRID, **{"study.entries": "[0,5,64]", "study.first_seed": 7, "study.seeds": 2})
        for need, few, all_entries in (rows(done, "hops")[:3], rows(done, "hops")[3:]):
            self.assertEqual(need["entries"], need["needed"])
            self.assertEqual(need["beside"] + need["completion"], need["needed"])
            self.assertEqual((few["fits"], few["average"]), (0, None))
            self.assertGreater(need["average"], all_entries["average"])
            self.assertEqual(all_entries["average"], all_entries["shortest_average"])
            self.assertEqual((all_entries["stretch"], all_entries["stored"]), (1, 64 * 63))
        self.assertEqual(done.metric("refused"), 2)
        self.assertEqual([row["seed"] for row in rows(done, "hops")], [7] * 3 + [8] * 3)

    def test_a_torus_needs_an_entry_a_direction_and_has_shortest_paths_round_its_rings(self):
        [row] = rows(self.study("hops", **{"topology.kind": "torus", "topology.radices": "[8,8]",
                                           "routing.distance": "wrapped"}), "hops")
        self.assertEqual((row["needed"], row["stored"], row["stretch"]), (4, 256, 1))
        self.assertAlmostEqual(row["average"], 4 * 64 / 63)  # of 8 coordinates 0..4..1 away, two dimensions
        [row] = rows(self.study("hops", **{"topology.kind": "mesh", "topology.radices": "[5]"}), "hops")
        self.assertEqual((row["needed"], row["average"], row["longest"]), (2, 2, 4))

    def test_every_pair_is_proved(self):
        done = self.study("proof", **GRID, **{"study.seeds": 3, "routing.entries": 20, "routing.room": "needed"})
        self.assertEqual(done.metric("failures"), 0)
        for row in rows(done, "proof"):
            self.assertEqual((row["entries"], row["pairs"], row["layers_with_cycles"]), (20, 64 * 63, 0))
            self.assertGreaterEqual(row["layers"], 2)
        with_times = self.study("proof", **GRID, **{"study.times": "true"})
        self.assertGreaterEqual(with_times.metric("layers_seconds"), 0)
        self.assertNotIn("layers_seconds", done.json()["metrics"])

    def test_layers_and_bits_of_all_schemes(self):
        done = self.study("layers", **{"topology.kind": "mesh", "topology.radices": "[4,4]", "routing.entries": 6})
        [row] = rows(done, "layers")
        self.assertLessEqual(row["tree_intervals"], 4)
        self.assertGreaterEqual(row["compact_lash"], 1)
        bits = {row["scheme"]: row for row in rows(done, "bits")}
        self.assertEqual(bits["full table"]["all"], 16 * 2)
        self.assertEqual(bits["compact with layers"]["table"], 6 * (4 + 2))
        self.assertEqual(bits["compact with layers"]["state"], row["compact"] * 12)
        self.assertEqual(bits["compact with tree"]["state"], 4 * 2 * 4 + 2)
        self.assertEqual(bits["up_down"]["all"], 2 * 32 + 4)

    def test_growth_finds_the_fewest_entries(self):
        [found] = rows(self.study("growth", **GRID, **{"study.stretch_percent": 10}), "growth")
        self.assertLessEqual(found["average"], 1.1 * found["shortest_average"])
        [few, enough] = rows(self.study("hops", **GRID,
                                        **{"study.entries": f"[{found['entries'] - 1},{found['entries']}]"}), "hops")
        self.assertGreater(few["average"], 1.1 * few["shortest_average"])
        self.assertEqual(enough["average"], found["average"])
        [sampled] = rows(self.study("growth", **GRID, **{"study.destinations": 16}), "growth")
        self.assertLess(abs(sampled["entries"] - found["entries"]), found["entries"] / 2)
        self.assertEqual(found["too_few"], found["entries"] - 1)
        [near] = rows(self.study("growth", **GRID, **{"study.margin_percent": 20}), "growth")
        self.assertLess(near["too_few"], near["entries"] - 1)
        self.assertLessEqual(near["too_few"], found["too_few"])
        self.assertGreaterEqual(near["entries"], found["entries"])
        self.assertLessEqual(near["entries"] - near["too_few"] - 1, 0.2 * near["entries"])
        [none] = rows(self.study("growth", **GRID, **{"study.stretch_percent": 0}), "growth")
        self.assertEqual(none["average"], none["shortest_average"])


class Refusals(machine.MachineTest):
    def test_values_that_do_not_do(self):
        for keys, key, text in (
                ({"topology.nodes": 60}, "topology.nodes", "49 or 64"),
                ({"topology.nodes": 81, "topology.degree": 3}, "topology.degree", "odd number of wire ends"),
                ({"topology.nodes": 64, "topology.wire_length": 1}, "topology.wire_length", "may be wired to 2 others"),
                ({"topology.kind": "random_regular"}, "topology.kind", "has no coordinates"),
                ({"topology.kind": "fat_tree", "topology.levels": 1}, "topology.kind", "has one router"),
                ({"study.kind": "growth", "topology.kind": "fat_tree", "topology.levels": 1}, "topology.kind",
                 "has one router"),
                ({"topology.nodes": 64, "routing.distance": "wrapped"}, "routing.distance", "has no rings"),
                ({"topology.kind": "torus", "study.seeds": 2}, "study.seeds", "has no seed"),
                ({"study.kind": "proof", "routing.entries": 3}, "routing.entries", " needs "),
                ({"study.kind": "proof", "study.entries": "[3]"}, "study.entries", "no effect"),
                ({"routing.entries": 30}, "routing.entries", "no effect"),
                ({"study.times": "true"}, "study.times", "no effect")):
            with self.subTest(keys=keys):
                self.refused([key, text], keys=keys)


if __name__ == "__main__":
    machine.main()
