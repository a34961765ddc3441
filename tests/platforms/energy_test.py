#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Energy, wires and buffers: keys energy.*. usage: energy_test.py NETWORK"""

import pathlib
import unittest

import machine
import yaml

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "platforms/energy"
CONSTANTS, DSENT_CONSTANTS = FOLDER / "noxim.yaml", FOLDER / "dsent45.yaml"
ON = {"energy.report": "true"}
# Noxim's bin/power.yaml, commit 02c150cf: flits of a buffer, bits of a flit, J of a push and of a pop.
NOXIM = ((2, 32, 6.12e-13, 3.65e-13), (2, 64, 1.21e-12, 7.23e-13), (4, 32, 7.62e-13, 5.34e-13),
         (4, 64, 1.50e-12, 1.03e-12), (8, 32, 1.03e-12, 8.26e-13), (8, 64, 2.08e-12, 1.58e-12),
         (16, 32, 1.58e-12, 1.41e-12), (16, 64, 3.20e-12, 2.70e-12))


# DSENT (Graphite, commit 1b4bb98f), configs/router.cfg with Bulk45LVT, 1 GHz, 5 ports, 64 bits, one virtual channel:
# flits of a buffer, J of a write and of a read, W of leakage, m2 of the router.
DSENT = ((4, 1.240524e-12, 8.59058e-13, 0.00475452, 2.11031e-8), (8, 1.676848e-12, 1.309533e-12, 0.0073264, 3.17071e-8),
         (16, 2.403687e-12, 2.135235e-12, 0.01230066, 5.23466e-8))
DSENT_CROSSBAR, DSENT_LINK = 1.07367e-12, 2.58317e-12  # J of a flit, over 1 mm


def constants(path=CONSTANTS):
    """Numbers of the file, each in its unit."""
    return {name: float(value.split()[0]) for name, value in yaml.safe_load(path.read_text()).items()
            if name not in ("source", "technology")}


class Energy(machine.MachineTest):
    def parts(self, done):
        return {(row[0], row[1]): row[2:] for row in done.json()["tables"]["energy"]["rows"]}

    def test_look_ups_by_their_keys(self):
        keys = {"topology.radices": "[4, 4]", "measure.warmup_cycles": 0, "measure.cycles": 500, **ON,
                "lookup.kind": "cached", "lookup.energy.cache_nj": 0.5, "lookup.energy.cam_nj": 7}
        done = self.passes(keys=keys)
        parts = self.parts(done)
        cache, memory = parts["look-ups", "access of a cache"], parts["look-ups", "access of the memory"]
        self.assertEqual([cache[0], memory[0]], [done.metric("lookups"), done.metric("cam_accesses")])
        self.assertAlmostEqual(cache[1], 500 * cache[0], 6)
        self.assertAlmostEqual(memory[1], 7000 * memory[0], 6)
        self.assertAlmostEqual((cache[1] + memory[1]) / 1000, done.metric("lookup_dynamic_energy_nj"), 6)
        self.assertAlmostEqual(sum(cache[1:] + memory[1:]) / 1000, done.metric("lookup_energy_nj"), 6)
        searches = self.parts(self.passes(keys={**keys, "routing.kind": "compact", "lookup.kind": "compact"}))
        compared = searches["look-ups", "compared entry"]
        self.assertAlmostEqual(compared[1], 1.6 * compared[0], 6)
        self.assertGreater(compared[0], 100)

    def test_predictors_have_a_users_constant(self):
        keys = {"topology.radices": "[4, 4]", "measure.warmup_cycles": 0, "measure.cycles": 500, **ON,
                "prediction.kind": "straight"}
        done = self.passes(keys=keys)
        self.assertEqual(self.parts(done)["predictors", "head"], [done.metric("prediction_visits"), None, None])
        path = self.write("own.yaml", CONSTANTS.read_text() + "prediction: 20 fJ\n")
        own = self.passes(keys={**keys, "energy.constants": path})
        heads = own.metric("prediction_visits")
        self.assertEqual(self.parts(own)["predictors", "head"][0], heads)
        self.assertAlmostEqual(self.parts(own)["predictors", "head"][1], 0.02 * heads, 6)
        self.assertAlmostEqual(own.metric("energy_pj_per_flit_hop") - done.metric("energy_pj_per_flit_hop"),
                               0.02 * heads / own.metric("flit_hops"), 9)

    def list_of(self, line, **keys):
        path = self.write("packets.list", line + "\n")
        return {"topology.radices": "[3]", "router.vcs": 1, "router.buffer_flits": 4, "traffic.kind": "list",
                "traffic.list": path, "measure.warmup_cycles": 0, "measure.cycles": 60, **ON, **keys}

    def test_a_packet_by_hand(self):
        # Four flits through three routers in a row: written and read three times, crossed thrice, two links of 2 mm.
        done = self.passes(keys=self.list_of("0 0 2 4", **{"energy.flit_bits": 32, "energy.tile_mm": 2}))
        c, parts = constants(), self.parts(done)
        bits = 32 * 12
        expected = {("buffers", "write"): (12, bits * (c["buffer_write"] + 4 * c["buffer_write_depth"])),
                    ("buffers", "read"): (12, bits * (c["buffer_read"] + 4 * c["buffer_read_depth"])),
                    ("crossbars", "flit"): (12, bits * c["crossbar"]),
                    ("control", "route computation"): (3, 3 * c["routing"]),
                    ("control", "choice of an output"): (3, 3 * c["selection"]),
                    ("links", "flit"): (8, 32 * 8 * 2 * c["link"]),
                    ("network interfaces", "flit"): (8, 0)}
        self.assertEqual(set(parts), set(expected))
        for name, (events, energy) in expected.items():
            self.assertEqual(parts[name][0], events, name)
            self.assertAlmostEqual(parts[name][1], energy, 9, name)
        dynamic = sum(energy for _, energy in expected.values())
        self.assertAlmostEqual(done.metric("energy_pj_per_flit_hop"), dynamic / 12, 9)
        # Static power of all bits, for the whole run: 7 channels into routers of 4 flits, 4 between routers.
        microwatts = (7 * 4 * 32 * c["buffer_static"] + 7 * 32 * c["crossbar_static"] + 3 * c["control_static"]
                      + 4 * 32 * c["link_static"])
        seconds = done.metric("simulated_cycles") * done.json()["config"]["clock_period_ps"] * 1e-12
        static = sum(row[2] for row in parts.values())
        self.assertAlmostEqual(static, microwatts * 1e6 * seconds, 3)
        self.assertAlmostEqual(done.metric("power_w"), microwatts * 1e-6 + dynamic * 1e-12 / seconds, 9)
        self.assertAlmostEqual(done.metric("power_dynamic_w"), dynamic * 1e-12 / seconds, 12)
        self.assertAlmostEqual(done.metric("energy_pj_per_bit"), (static + dynamic) / (4 * 32), 6)
        delay = done.metric("latency_cycles_mean") * done.json()["config"]["clock_period_ps"] / 1000
        self.assertAlmostEqual(done.metric("energy_delay_pj_ns_per_bit"), done.metric("energy_pj_per_bit") * delay, 3)
        self.assertEqual((done.metric("buffer_bits"), done.metric("wires"), done.metric("wire_length_mm")),
                         (7 * 4 * 32, 4 * 32, 4 * 32 * 2))

    def test_flits_that_are_still_in_buffers(self):
        done = self.passes(keys={**ON, "topology.radices": "[4,4]", "measure.cycles": 300, "measure.drain_cycles": 0,
                                 "traffic.load_flits_per_node_cycle": 0.9})
        parts = self.parts(done)
        self.assertEqual(parts["buffers", "read"][0], done.metric("flit_hops"))
        self.assertEqual(parts["crossbars", "flit"][0], done.metric("flit_hops"))
        self.assertGreater(parts["buffers", "write"][0], parts["buffers", "read"][0])

    def test_wires_and_bisection(self):
        # k^(n-1) links in each direction across the middle of a mesh, twice as many of a torus, whose links around
        # are k - 1 tiles long.
        for kind, radices, wires, length, cut in (
                ("mesh", (8, 8), 4 * 8 * 7, 4 * 8 * 7, 2 * 8), ("torus", (4, 4), 4 * 16, 2 * 8 * (3 + 3), 4 * 4),
                ("mesh", (4, 2), 2 * (3 * 2 + 4), 2 * (3 * 2 + 4), 2 * 2)):
            with self.subTest(kind=kind, radices=radices):
                done = self.passes(keys={**ON, "topology.kind": kind, "topology.radices": list(radices),
                                         "measure.cycles": 100, "energy.flit_bits": 16})
                self.assertEqual([done.metric(name) for name in ("wires", "wire_length_mm", "bisection_wires")],
                                 [16 * wires, 16 * length, 16 * cut])
        # All pairs of a row are linked: 4 of 6 across the middle, 10 tiles of wire in each direction.
        row = self.passes(keys={**ON, "topology.kind": "hyperx", "topology.radices": "[4, 4]", "measure.cycles": 100})
        self.assertEqual([row.metric(name) for name in ("wires", "wire_length_mm", "bisection_wires")],
                         [64 * 2 * 6 * 8, 64 * 2 * 10 * 8, 64 * 2 * 4 * 4])
        tree = self.passes(keys={**ON, "topology.kind": "random_regular", "routing.kind": "up_down",
                                 "measure.cycles": 100, "energy.tile_mm": 3})
        self.assertEqual(tree.metric("bisection_wires"), None)
        self.assertEqual(tree.metric("wire_length_mm"), 3 * tree.metric("wires"))

    def test_constants_are_those_of_their_source(self):
        c = constants()
        for depth, bits, push, pop in NOXIM:
            self.assertAlmostEqual(bits * (c["buffer_write"] + depth * c["buffer_write_depth"]) / push * 1e-12, 1,
                                   delta=0.03)
            self.assertAlmostEqual(bits * (c["buffer_read"] + depth * c["buffer_read_depth"]) / pop * 1e-12, 1,
                                   delta=0.05)
        self.assertAlmostEqual(64 * c["crossbar"] * 1e-12, 4.00e-13, 15)
        self.assertAlmostEqual(c["link"] * 1e-12, 4.88e-14, 17)
        self.assertAlmostEqual(8 * 64 * c["buffer_static"] * 1e-6, 7.91e-3, delta=4e-5)
        self.assertAlmostEqual(5 * 64 * c["crossbar_static"] * 1e-6, 1.49e-3, delta=1e-5)

    def test_a_router_of_dsent(self):
        c = constants(DSENT_CONSTANTS)
        clock_w = 0.502e-3  # which DSENT counts as dynamic
        for depth, write, read, leakage, area in DSENT:
            for name, published in (("buffer_write", write), ("buffer_read", read)):
                fitted = 64 * (c[name] + depth * c[f"{name}_depth"]) * 1e-12
                self.assertAlmostEqual(fitted / published, 1, delta=0.03)
            static = 5 * 64 * (depth * c["buffer_static"] + c["crossbar_static"]) + c["control_static"]
            self.assertAlmostEqual((static * 1e-6 - clock_w) / leakage, 1, delta=0.02)
            um2 = 5 * 64 * (depth * c["buffer_area"] + 5 * c["crossbar_area"]) + c["control_area"]
            self.assertAlmostEqual(um2 * 1e-12 / area, 1, delta=0.02)
        self.assertAlmostEqual(64 * c["crossbar"] * 1e-12 / DSENT_CROSSBAR, 1, delta=0.005)
        self.assertAlmostEqual(64 * c["link"] * 1e-12 / DSENT_LINK, 1, delta=0.005)
        # A router of 5 ports in a run has that area: the middle one of a mesh of 3 x 3.
        done = self.passes(keys={**ON, "topology.radices": "[3,3]", "router.vcs": 1, "router.buffer_flits": 8,
                                 "measure.cycles": 100, "energy.constants": str(DSENT_CONSTANTS)})
        corner, edge, middle = (64 * (8 * ports * c["buffer_area"] + ports**2 * c["crossbar_area"]) + c["control_area"]
                                for ports in (3, 4, 5))
        self.assertAlmostEqual(done.metric("router_area_mm2"), (4 * corner + 4 * edge + middle) * 1e-6, 9)
        self.assertAlmostEqual(middle * 1e-12 / DSENT[1][4], 1, delta=0.01)

    def test_other_constants(self):
        text = CONSTANTS.read_text()
        halved = self.write("own.yaml", text.replace("crossbar: 0.00625 pJ/bit", "crossbar: 12.5 fJ/bit"))
        keys = self.list_of("0 0 2 4")
        own = self.parts(self.passes(keys={**keys, "energy.constants": halved}))["crossbars", "flit"]
        self.assertAlmostEqual(own[1], 2 * self.parts(self.passes(keys=keys))["crossbars", "flit"][1], 9)

    def test_area_by_hand(self):
        # Routers in a row with 2, 3 and 2 ports: 7 buffers of 4 flits, and 4 + 9 + 4 crosspoints.
        area = "buffer_area: 2 um2/bit\ncrossbar_area: 3 um2/bit\ncontrol_area: 500 um2\n"
        keys = self.list_of("0 0 2 4", **{"energy.flit_bits": 32})
        done = self.passes(keys={**keys, "energy.constants": self.write("own.yaml", CONSTANTS.read_text() + area)})
        self.assertAlmostEqual(done.metric("router_area_mm2"), (7 * 4 * 32 * 2 + 17 * 32 * 3 + 3 * 500) * 1e-6, 12)
        without = self.passes(keys=keys)
        self.assertNotIn("router_area_mm2", without.json()["metrics"])
        for wrong, parts in ((area.replace("control_area: 500 um2\n", ""), ["control_area", "is missing in "]),
                             (area.replace("500 um2", "500"), ["control_area", "has no number with its unit"]),
                             (area.replace("2 um2/bit", "2 mm2/bit"), ["buffer_area", "has another unit"]),
                             (area.replace("3 um2", "-3 um2"), ["crossbar_area", "is negative"])):
            with self.subTest(wrong=wrong):
                path = self.write("own.yaml", CONSTANTS.read_text() + wrong)
                self.refused([*parts, "own.yaml"], keys={**keys, "energy.constants": path})

    def test_columns_of_a_sweep(self):
        keys = {"topology.radices": "[3,3]", "measure.warmup_cycles": 100, "measure.cycles": 500}
        done = self.passes("--sweep-load", "0.1:0.2:2", keys={**ON, **keys})
        table = done.json()["tables"]["sweep"]
        names = [column["name"] for column in table["columns"]]
        first = dict(zip(names, table["rows"][0]))
        run = self.passes(keys={**ON, **keys, "traffic.load_flits_per_node_cycle": 0.1})
        for name in ("energy_pj_per_flit_hop", "energy_pj_per_bit", "power_w", "energy_delay_pj_ns_per_bit",
                     "buffer_bits", "wires", "wire_length_mm"):
            self.assertAlmostEqual(first[name], run.metric(name), 9, name)
        plain = self.passes("--sweep-load", "0.1:0.2:2", keys=keys)
        self.assertNotIn("power_w", [column["name"] for column in plain.json()["tables"]["sweep"]["columns"]])

    def test_refusals(self):
        text = CONSTANTS.read_text()
        for before, after, parts in (
                ("crossbar: 0.00625 pJ/bit", "crossbar: 0.00625", ["crossbar", "has no number with its unit"]),
                ("crossbar: 0.00625 pJ/bit", "crossbar: 0.00625 pJ", ["crossbar", "has another unit"]),
                ("crossbar: 0.00625 pJ/bit", "crossbar: -1 pJ/bit", ["crossbar", "is negative"]),
                ("crossbar: 0.00625 pJ/bit", "", ["crossbar", "is missing in "]),
                ("crossbar:", "crosbar:", ["crosbar"]), ("routing: 0.06 pJ", "routing: 0.06 uW", ["routing"]),
                ('technology: "standard', 'other: "standard', ["other"])):
            with self.subTest(after=after):
                path = self.write("own.yaml", text.replace(before, after))
                self.refused([*parts, "own.yaml"], keys={**ON, "energy.constants": path})
        self.refused(["nowhere.yaml"], keys={**ON, "energy.constants": "nowhere.yaml"})
        self.refused(["energy.flit_bits", "energy.report"], keys={"energy.flit_bits": 8})

    def test_results_do_not_depend_on_it(self):
        keys = {"topology.radices": "[3,3]", "measure.cycles": 300}
        done, plain = self.passes(keys={**ON, **keys}), self.passes(keys=keys)
        more = {name: of for name, of in done.json()["metrics"].items() if name not in plain.json()["metrics"]}
        self.assertEqual({name for name in more}, {
            "energy_pj_per_flit_hop", "energy_pj_per_bit", "power_w", "power_dynamic_w", "energy_delay_pj_ns_per_bit",
            "buffer_bits", "wires", "wire_length_mm", "bisection_wires"})
        self.assertEqual(done.metric("latency_cycles_mean"), plain.metric("latency_cycles_mean"))


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    machine.main()
