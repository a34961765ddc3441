#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Studies of several platforms: words of variants, links in bytes and seconds, what is refused. usage:
study_platforms_test.py CLASS PLATFORMS"""

import pathlib
import re
import sqlite3
import sys
import types
import unittest

import study_test
from study_tables import complete, tables_of, write_study
from study_test import ROOT, Called, Files

from tsuji import Refused, Study, decisions, page, pictures, study_file, summaries
from tsuji.comparable import links_of
from tsuji.compare import compare
from tsuji.decisions import Outcomes
from tsuji.runs import check, flat
from tsuji.study_file import DATA_METRIC

NETWORKS = """
axes:
  network:
    mesh: {topology.kind: mesh}
    machine: {platform: cenju4, network.nodes: 64}
  router.vcs: [1, 2]
metrics: [m]
"""
CURVES = """
platform: network
flit_bytes: 3
packet_bytes: 256
axes:
  network: {mesh: {topology.kind: mesh}, wide: {topology.kind: torus, flit_bytes: 16, packet_bytes: 960}, machine: {platform: cenju4}}
  traffic.pattern: [uniform, transpose]
seeds: 3
curve: {loads: [0.1, 0.2], resolution: 0.1}
metrics: [latency_ns_mean]
compare: {axis: network, with: mesh}
"""  # noqa: E501
# Resolved keys by level of the axis `network`. The mesh and the machine have equal links.
KEYS = {"mesh": {"clock_period_ps": 12500, "link.flit_cycles": 1, "traffic.packet_flits": 115,
                 "traffic.length": "fixed"},
        "wide": {"clock_period_ps": 1000, "link.flit_cycles": 2, "traffic.packet_flits": 64, "traffic.length": "fixed"},
        "machine": {"clock_period_ps": 12500, "traffic.packet_flits": 115}}
LIMITS = {"mesh": 0.5, "wide": 0.25, "machine": 0.7}


def queue(labels, seed, load):
    limit = LIMITS[labels["network"]] + 0.01 * int(seed)
    return complete(latency_ns_mean=50.0 + int(seed), accepted_flits_per_node_cycle=min(load or 0, limit),
                    saturated=int((load or 0) > limit))


class Words(Files):
    def runs(self, text):
        spec = self.read(text)
        return [decisions.run_of(spec, point) for point in decisions.all_points(spec, Outcomes())]

    def test_a_variant_names_its_platform(self):
        runs = self.runs("platform: network\n" + NETWORKS)
        self.assertEqual([run.platform for run in runs], ["network", "network", "cenju4", "cenju4"])
        self.assertEqual(runs[3].keys, {"network.nodes": "64", "router.vcs": "2", "seed": "1"})
        self.assertEqual(list(self.read("platform: network\n" + NETWORKS).platforms), ["network", "cenju4"])

    def test_platforms_are_values_of_an_axis_as_keys_are(self):
        self.assertEqual([run.platform for run in self.runs("axes: {platform: [a, b]}\nmetrics: [m]\n")], ["a", "b"])
        runs = self.runs("axes: {x: {zip: {platform: [a, b], k: [1, 2]}}}\nmetrics: [m]\n")
        self.assertEqual([(run.platform, run.keys["k"]) for run in runs], [("a", "1"), ("b", "2")])

    def test_a_configuration_holds_for_all_but_variants_with_their_own(self):
        for name in ("all.yaml", "own.yaml"):
            (self.folder / name).write_text("{}\n")
        runs = self.runs("platform: network\nconfig: all.yaml\naxes: {n: {a: {k: 1}, b: {platform: cenju4, config: "
                         "own.yaml}, c: {config: none}, d: {platform: x}}}\n"
                         "metrics: [m]\n")
        self.assertEqual([pathlib.Path(run.config).name for run in runs], ["all.yaml", "own.yaml", "", "all.yaml"])
        self.assertTrue(pathlib.Path(runs[1].config).is_absolute())

    def test_targets_are_the_projects_own_platforms(self):
        study = self.write("platform: network\naxes: {n: {a: {k: 1}, b: {platform: cenju4}, c: {platform: "
                           "users_own}}}\nmetrics: [m]\n")
        sys.stdout.flush()
        self.assertEqual(self.target(study), "network cenju4\n")
        self.assertEqual(self.target(study, "--platforms", self.folder), "\n")

    def target(self, study, *words):
        import contextlib
        import io

        from tsuji import study_main

        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            self.assertEqual(study_main.main([str(study), "--target", *map(str, words)]), 0)
        return text.getvalue()

    def test_bad_words_are_refused_with_their_place(self):
        axis = "metrics: [m]\naxes: {n: {a: {k: 1}, b: {%s}}}\n"
        for text, told in (
                ("metrics: [m]\n", "a.yaml:1:1: 'platform' is missing; accepted: title, platform, config, flit_bytes"),
                (axis % "platform: x",
                 "a.yaml:2:37: platform: is missing for n a; accepted: 'platform' of the study, or of every variant"),
                ("platform: x\n" + axis % "platform: ../y",
                 "a.yaml:3:37: platform: not the name of an executable (got '../y')"),
                ("platform: x\n" + axis % "config: none.yaml",
                 "a.yaml:3:35: config: cannot be read: not a file (got 'none.yaml'); "
                 "accepted: a configuration, beside"),
                ("platform: x\nmetrics: [m]\nset: {platform: y}\n",
                 "a.yaml:3:17: set.platform: is a word of the study, no key (got 'y'); accepted: 'platform' beside "
                 "'set'"),
                ("platform: x\nmetrics: [m]\nset: {flit_bytes: 3}\n",
                 "a.yaml:3:19: set.flit_bytes: is a word of the study"),
                ("platform: x\nmetrics: [m]\naxes: {platform: [x, y], n: {a: {platform: x}}}\n",
                 "a.yaml:3:29: axes.n: sets platform, as the axis platform does"),
                ("platform: [x]\nmetrics: [m]\n", "a.yaml:1:11: platform: not a single value"),
                ("platform: x\nflit_bytes: 0\nmetrics: [m]\n",
                 "a.yaml:2:13: flit_bytes: no number of bytes (got '0'); accepted: a number 0.001"),
                ("platform: x\nflit_bytes: nan\nmetrics: [m]\n", "no number of bytes (got 'nan')"),
                ("platform: x\nflit_bytes: wide\nmetrics: [m]\n", "no number of bytes (got 'wide')"),
                ("platform: x\n" + axis % "flit_bytes: 2",
                 "a.yaml:3:39: flit_bytes: is missing for n a; accepted: 'flit_bytes' of the study"),
                ("platform: x\npacket_bytes: 2\nmetrics: [m]\ncurve: {loads: [0.1, 0.2]}\n",
                 "a.yaml:2:15: packet_bytes: without flit_bytes (got '2')"),
                ("platform: x\nflit_bytes: 2\npacket_bytes: 2\nmetrics: [m]\n",
                 "a.yaml:3:15: packet_bytes: without a curve over traffic.load"),
                ("platform: x\nflit_bytes: 2\npacket_bytes: 2\nmetrics: [m]\ncurve: {loads: [0.1, 0.2], key: a}\n",
                 "without a curve over traffic.load"),
                ("platform: x\nflit_bytes: 2\npacket_bytes: 2\nmetrics: [m]\ncurve: {loads: [0.1, 0.2]}\n"
                 f"until: {{metric: {DATA_METRIC}, relative: 0.1}}\n",
                 "not among the study's metrics (got 'saturation_mb_per_node_s'); accepted: saturation_flits")):
            with self.subTest(text):
                with self.assertRaises(Refused) as refused:
                    self.read(text)
                self.assertIn(told, str(refused.exception))


class Links(Files):
    """Numbers of studies whose runs are made up."""

    def tables(self, text=CURVES, keys=None, end=queue):
        return tables_of(self.folder, text, end, config=lambda labels: (keys or KEYS)[labels["network"]])

    def page(self, tables):
        return "\n".join(page.parts(self.folder, tables, {}, []))

    def test_bandwidths_follow_clock_width_and_cycles_of_a_flit(self):
        mesh, wide, machine = (self.tables().links[design] for design in (0, 2, 4))
        self.assertEqual([link.bandwidth_mb_per_s for link in (mesh, wide, machine)], [240, 8000, 240])
        self.assertAlmostEqual(mesh.data_mb_per_s, 256 / 115 * 80)  # 178 MB/s
        self.assertAlmostEqual(wide.data_mb_per_s, 960 / 64 * 1000)
        self.assertEqual((mesh.clock_mhz, wide.clock_mhz), (80, 1000))

    def test_saturation_is_told_in_data(self):
        tables = self.tables()
        for row, design in zip(tables.of_points(), tables.of_design):
            rate = tables.data_rate(design)
            self.assertAlmostEqual(row[DATA_METRIC], row["saturation_flits_per_node_cycle"] * rate)
            self.assertAlmostEqual(row[f"{DATA_METRIC}_confidence95"],
                                   row["saturation_flits_per_node_cycle_confidence95"] * rate)
        # The wide flits saturate at half the load of the mesh's, which is 42 times its data.
        verdicts = {(row["network"], row["metric"]): row["verdict"]
                    for row in tables.of_comparisons() if row["traffic.pattern"] == "uniform"}
        self.assertEqual(verdicts["wide", "saturation_flits_per_node_cycle"], "lower")
        self.assertEqual(verdicts["wide", DATA_METRIC], "higher")

    def test_a_difference_below_the_resolution_is_not_shown_in_data_either(self):
        def end(labels, seed, load):
            return complete(latency_ns_mean=50.0,
                            saturated=int(load > {"mesh": 0.35, "machine": 0.45}[labels["network"]]))

        text = CURVES.replace("wide: {topology.kind: torus, flit_bytes: 16, packet_bytes: 960}, ",
                              "").replace("seeds: 3", "seeds: 8")
        rate = 256 / 115 * 80
        # 15 % apart: 0.35 and 0.4, 0.45 and 0.5. 40 %: 0.3 and 0.4, 0.4 and 0.6.
        for resolution, verdict, half in (("0.15", "higher", 0.05), ("0.4", "no difference shown", None)):
            tables = self.tables(text.replace("resolution: 0.1", f"resolution: {resolution}"), end=end)
            by_metric = {row["metric"]: row for row in tables.of_comparisons()}
            flits, data = by_metric["saturation_flits_per_node_cycle"], by_metric[DATA_METRIC]
            self.assertEqual((flits["verdict"], data["verdict"]), (verdict, verdict))
            self.assertAlmostEqual(flits["difference_confidence95"], half)
            self.assertAlmostEqual(data["difference_confidence95"], half and half * rate)

    def test_units_are_bytes(self):
        study = types.SimpleNamespace(configs={}, folder_of=None, spec=self.tables().spec)
        self.assertEqual(page.units_of(study)[DATA_METRIC], "MB/node/s")

    def test_curves_are_drawn_over_data(self):
        import matplotlib
        from matplotlib.figure import Figure

        matplotlib.use("Agg")
        tables = self.tables()
        inner, panels = summaries.panels(tables.spec, list(tables.of_design))
        for metric, label in (("latency_ns_mean", "latency_ns_mean"),
                              ("accepted_flits_per_node_cycle", "accepted data (MB/node/s)")):
            spots = {design: summaries.curve(tables, design, metric) for design in tables.of_design}
            figure = Figure(layout="constrained")
            figures = pictures.CurveFigures(tables, {}, metric, spots, inner)
            figures.draw(panels, figure)
            self.assertEqual((figure._supxlabel.get_text(), figure._supylabel.get_text()),
                             ("offered data (MB/node/s)", label))
            first, wide = figures.spots[0][0], figures.spots[2][0]
            self.assertAlmostEqual(first.x, 0.1 * 256 / 115 * 80)
            self.assertAlmostEqual(wide.x, 1500)
            self.assertAlmostEqual(wide.mean, 52 if metric == "latency_ns_mean" else 1500)
            dotted = [line.get_xdata()[0] for axes in figure.axes
                      for line in axes.get_lines() if line.get_linestyle() == ":"]
            self.assertIn(tables.of_points()[2][DATA_METRIC], dotted)
            self.assertIn("Loads are of data: 1 flits/node/cycle is 178.087 to 15000 MB/node/s.", figures.text())

    def test_a_load_is_common_to_designs_of_equal_data_alone(self):
        self.assertIsNone(summaries.common_load(self.tables()))
        self.assertEqual(summaries.common_load(self.tables(keys={**KEYS, "wide": KEYS["mesh"]},
                                                           text=CURVES.replace("16, packet_bytes: 960", "3"))), 0.2)

    def test_the_page_has_a_line_for_each_link_and_says_that_they_differ(self):
        text = self.page(self.tables())
        self.assertIn("<tr><td>platform</td><td>network: 4 designs; cenju4: 2 designs</td></tr>", text)
        self.assertEqual(re.findall("<tr><td>machine</td><td>cenju4</td>.*</tr>", text),
                         ["<tr><td>machine</td><td>cenju4</td><td>80</td><td>1</td><td>3</td><td>240</td><td>115</td><td>256</td><td>178.087</td></tr>"])  # noqa: E501
        self.assertIn("<tr><td>wide</td><td>network</td><td>1000</td><td>2</td><td>16</td><td>8000</td><td>64</td><td>960</td><td>15000</td></tr>", text)  # noqa: E501
        self.assertIn('<p class="missed">Bandwidths of nodes differ, 240 to 8000 MB/s', text)
        self.assertIn(f"1 flit/node/cycle is 178.087 to 15000 MB/node/s of data: compare {DATA_METRIC}", text)

    def test_the_page_says_that_links_are_equal(self):
        text = self.page(self.tables(keys={**KEYS, "wide": KEYS["mesh"]},
                                     text=CURVES.replace("16, packet_bytes: 960", "3")))
        self.assertIn("<p>All nodes have links of 240 MB/s.</p>\n<p>1 flit/node/cycle is 178.087 MB/node/s of data for "
                      "all designs.</p>", text)
        self.assertNotIn("missed", text.split("<h2>Links")[1].split("<h2")[0])

    def test_platforms_without_bytes_are_said_not_to_compare_by_flits(self):
        text = self.page(self.tables(re.sub("flit_bytes: 3\npacket_bytes: 256\n", "",
                                            CURVES).replace(", flit_bytes: 16, packet_bytes: 960", "")))
        self.assertIn('<p class="missed">The study states no <code>flit_bytes</code>', text)
        self.assertNotIn("MB/node/s</", text)
        one = "platform: network\naxes: {network: {mesh: {a: 1}, wide: {a: 2}}}\nmetrics: [latency_ns_mean]\n"
        self.assertNotIn("Links", self.page(self.tables(one)))
        self.assertIn("Bandwidths of nodes differ, 240 to 1500 MB/s", self.page(self.tables(one + "flit_bytes: 3\n")))

    def test_bytes_that_mean_nothing_are_refused(self):
        def without(key):
            return {**KEYS, "machine": {name: value for name, value in KEYS["machine"].items() if name != key}}

        for keys, told in ((without("clock_period_ps"),
                            "study.yaml:3:13: flit_bytes: cenju4 has no key clock_period_ps, "
                            "so no bandwidth (got '3')"),
                           (without("traffic.packet_flits"),
                            "study.yaml:4:15: packet_bytes: cenju4 has no key traffic.packet_flits (got '256')"),
                           ({**KEYS, "mesh": {**KEYS["mesh"], "traffic.length": "range"}},
                            "packets of several lengths (traffic.length is range)"),
                           ({**KEYS, "mesh": {**KEYS["mesh"], "traffic.packet_flits": 85}},
                            "packet_bytes: more than the wires of a packet, 85 flits of 3 bytes (got '256'); accepted: "
                            "at most 255")):
            with self.assertRaises(Refused) as refused:
                self.tables(keys=keys)
            self.assertIn(told, str(refused.exception))
        for line in ("curve: {loads: [0.1, 0.2], key: link.flit_cycles}",
                     "replicates: {key: clock_period_ps, values: [5, 6]}"):
            with self.assertRaises(Refused) as refused:
                self.tables(f"platform: network\nflit_bytes: 3\nmetrics: [latency_ns_mean]\naxes: {{network: {{mesh: "
                            f"{{a: 1}}}}}}\n{line}\n")
            self.assertIn("study.yaml:2:13: flit_bytes: a design's runs differ in", str(refused.exception))
        self.assertEqual(self.tables(keys={**KEYS, "machine": {**KEYS["machine"],
                                                               "traffic.packet_flits": 86}}).links[4].packet_flits, 86)

    def test_kept_in_sqlite_and_compared(self):
        first, other = self.tables(), self.tables(CURVES.replace("packet_bytes: 256",
                                                                 "packet_bytes: 128").replace("platform: cenju4", "platform: cenju5"))  # noqa: E501
        a, b = write_study(self.folder / "a", first, "a"), write_study(self.folder / "b", other, "b")
        connection = sqlite3.connect(a / "study.sqlite")
        self.addCleanup(connection.close)
        self.assertEqual(connection.execute("SELECT * FROM links WHERE design = 4").fetchall(),
                         [(4, "cenju4", "", 12500, 1, 3, 115, 256)])
        found = compare(a, b)
        self.assertIn(("platform", "cenju4", "cenju5", "2 of 6 designs"), found.configuration)
        self.assertIn(("packet_bytes", 256, 128, "4 of 6 designs"), found.configuration)
        [row] = [row for row in found.rows if row.metric == DATA_METRIC
                 and row.of.startswith("network mesh, traffic.pattern uniform")]
        self.assertAlmostEqual(row.b, row.a / 2)
        self.assertEqual((row.a, row.unit), (first.of_points()[0][DATA_METRIC], "MB/node/s"))


MIXED = """
platform: network
flit_bytes: 3
set: {clock_period_ps: 12500, traffic: {packet_flits: 10, to_self: false}, measure: {warmup_cycles: 200, cycles: 2000, drain_cycles: 2000}}
axes:
  network:
    mesh: {topology.kind: mesh, topology.radices: [4, 4]}
    fly: {topology.kind: fly, topology.radix: 4, topology.stages: 2}
    machine: {platform: cenju4, workload.kind: synthetic, network.nodes: 16}
curve: {loads: [0.1, 0.2], saturation: false}
seeds: 2
metrics: [latency_ns_mean, accepted_flits_per_node_cycle]
"""  # noqa: E501


class Plays(Called):
    def study(self, text, **more):
        return Study(self.write(text), self.folder / "refused", platforms=more.pop("platforms", study_test.PLATFORMS),
                     **more)

    def refusal(self, text, **more):
        with self.assertRaises(Refused) as refused:
            self.study(text, **more).play()
        return str(refused.exception)

    def test_executables_and_keys_of_each_platform_are_checked(self):
        self.assertRegex(self.refusal(MIXED.replace("cenju4", "cenju5")),
                         r"a.yaml:9:25: platform: not an executable in .* \(got 'cenju5'\); accepted: network,")
        told = self.refusal(MIXED.replace("set:", "packet_bytes: 31\nset:"))
        self.assertIn("a.yaml:4:15: packet_bytes: more than the wires of a packet, 10 flits of 3 bytes (got '31'); "
                      "accepted: at most 30", told)
        self.assertFalse((self.folder / "refused" / "runs").exists(), "nothing is played before")
        # A key of all designs, and one of another axis, that one of the platforms does not know.
        machine = ("platform: network\n%s\n"
                   "axes: {network: {mesh: {topology.kind: mesh}, machine: {platform: cenju4}}%s}\nmetrics: [m]\n")
        self.assertRegex(self.refusal(machine % ("set: {router.vcs: 4}", "")),
                         "a.yaml:2:19: network: machine: .*router.vcs: unknown key")
        self.assertRegex(self.refusal(machine % ("", ", network.nodes: [4, 8]")),
                         "a.yaml:3:93: network: mesh, network.nodes: 4: .*network.nodes: unknown key")

    def test_the_examples_are_accepted(self):
        for path in sorted((ROOT / "platforms" / "study" / "examples").glob("*.yaml")):
            spec = study_file.read(path)
            points = [point for point in decisions.all_points(spec, Outcomes()) if point.seed == spec.seeds[0]]
            answers = check([decisions.run_of(spec, point) for point in points], study_test.PLATFORMS, spec.folder)
            self.assertEqual([answer.refused for answer in answers], [""] * len(points), path)
            links_of(spec, {point.design: flat(answer.config) for point, answer in zip(points, answers)})

    def test_the_mechanisms_in_small(self):
        """The committed study with barriers alone and two axes: both forms of look-up hardware are equal to the last
        digit, and barriers of the hardware are shown to be faster."""
        examples = ROOT / "platforms" / "study" / "examples"
        text = (examples / "mechanisms.yaml").read_text(encoding="utf-8").replace("../../", f"{ROOT}/platforms/")
        for level in ("cg: ", "uniform and multicasts: ", "CAM: ", "caches: "):
            text = re.sub(rf"\n    {level}.*", "", text)
        for axis, level in (("prediction", "none"), ("routing", "dimension order"), ("broadcast", "software")):
            text = re.sub(rf"(\n  {axis}: {{{level}: {{.*?}}}}?), .*", r"\1}", text)
            text = text.replace(f", {axis}: {level}", "")
        text = re.sub(r"values: .*", "values: [767.5, 780, 792.5]}", text)
        text = text.replace(", prediction_bits", "").replace("lookup_energy_nj, ", "")
        self.assertIn("6 designs, 18 runs", self.call(self.write(text)))
        rows = {(row["metric"], row["first"], row["second"]): row for row in self.rows("pairs.csv")}
        gain = rows["trace_time_us", "barrier: hardware", ""]
        self.assertEqual(gain["verdict"], "lower")
        self.assertLess(float(gain["difference_percent"]), -50)
        self.assertGreater(float(rows["trace_time_us", "look-up: modules", ""]["difference_percent"]), 0)
        for metric in ("trace_time_us", "latency_cycles_mean", "flit_hops"):
            for second in ("", "barrier: hardware"):
                fast, modules = (rows[metric, f"look-up: {form}", second] for form in ("caches, one CAM", "modules"))
                for column in ("pairs", "base_mean", "difference", "difference_percent", "verdict", "beyond"):
                    self.assertEqual(fast[column], modules[column], (metric, second, column))

    def test_cenju4_stands_in_a_curve_beside_flit_networks(self):
        study = self.write(MIXED)
        told = self.call(study, "--dry-run")
        self.assertIn("3 designs, 12 runs in the first round, 10 of them still to run", told)
        self.assertRegex(told, r"pilot: network [0-9.]+ s and [0-9.]+ kB, cenju4 [0-9.]+ s and [0-9.]+ kB; at that "
                         r"pace [0-9.]+ core-minutes and [0-9.]+ kB for all")
        self.call(study)
        runs = self.rows("runs.csv")
        self.assertEqual([(row["network"], row["run"].split("-")[0]) for row in runs[::4]],
                         [("mesh", "network"), ("fly", "network"), ("machine", "cenju4")])
        kept = {path.name for path in (self.folder / "out" / ".platforms" / "bin").iterdir()}
        self.assertEqual(kept - {"tsuji_mpi.so"}, {"cenju4", "network"})  # MPI's module, where MPI is
        curves = {(row["network"], row["load"]): row for row in self.rows("curves.csv")}
        for (network, load), row in curves.items():
            self.assertAlmostEqual(float(row["accepted_flits_per_node_cycle"]), float(load), delta=0.03, msg=network)
        # Two stages of 10 cycles, two channels and the other 9 flits, and little waiting: some 30 to 50 cycles of 12.5
        # ns.
        self.assertTrue(375 < float(curves["machine", "0.1"]["latency_ns_mean"]) < 625, curves["machine", "0.1"])
        page_text = (self.folder / "out" / "index.html").read_text()
        self.assertIn("<p>All nodes have links of 240 MB/s.</p>", page_text)
        self.assertIn("<td>machine</td><td>cenju4</td><td>80</td><td>1</td><td>3</td><td>240</td>", page_text)
        # A metric of one platform alone is refused, though runs of the other one have it.
        told = self.refusal(MIXED.replace("[latency_ns_mean", "[heads_timed_out"), kept=self.folder / "out" / "runs")
        self.assertIn("a.yaml:12:11: metrics: no design's run of cenju4 has such a metric (got 'heads_timed_out'); "
                      "accepted: ", told)


if __name__ == "__main__":
    study_test.PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
