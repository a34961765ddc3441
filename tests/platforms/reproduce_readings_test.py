#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""IDs that play several readings, and recorded kernels beside benchmarks, on results that are given here."""

import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "platforms" / "reproduce"))

from cache import applications, delays, fig6, fig8, programs  # noqa: E402
from cenju4 import all as every, machines  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from predict import fig10  # noqa: E402
from reproduction.main import Setting  # noqa: E402

PLACE = tempfile.TemporaryDirectory(prefix="tsuji-")  # of the runs' input files
FULL = Setting(False, None, pathlib.Path(PLACE.name))


class Knee(unittest.TestCase):
    def knee(self, latencies):
        return fig10.knee(types.SimpleNamespace(at=latencies))

    def test_where_latency_is_twice_the_least(self):
        self.assertAlmostEqual(self.knee({0.02: 80, 0.1: 90, 0.14: 120, 0.15: 200, 0.16: 900}), 0.145)
        self.assertAlmostEqual(self.knee({0.15: 200, 0.02: 80, 0.14: 160}), 0.14)
        self.assertIsNone(self.knee({0.02: 80, 0.2: 159}), "no load has twice the latency")

    def test_the_paper_s_order_of_magnitude_is_accepted_and_slow_credits_are_not(self):
        row = {row.key: row for row in fig10.ROWS}["knee"]
        self.assertEqual([row.judge(load, False).value for load in (0.143, 0.094)], ["passed", "FAILED"])

    def test_the_second_reading_s_keys(self):
        runs = {name: run for name, run in fig10.plan(FULL).items() if name.startswith("pipelined")}
        self.assertEqual(len(runs), 4)
        for name, run in runs.items():
            self.assertEqual((run.keys["link.latency_cycles"], run.keys["link.flit_cycles"]), (32, 1), name)
            self.assertEqual(run.keys.get("prediction.kind"), "up" if " up " in name else None, name)


class Hits(unittest.TestCase):
    """Fig. 6: hits of a thousand look-ups, by run."""

    def given(self, **hits):
        def result(name):
            of = name.split()[0] + "_messages" if name.endswith("messages") else name.split()[0]
            values = {"lookups": 1000, "lookup_hits": hits.get(of, 999), "lookup_evictions": 0}
            return types.SimpleNamespace(metric=values.get, table=lambda _name: [])
        return {name: result(name) for name in fig6.plan(FULL)}

    def test_dt_is_judged_by_message(self):
        found = fig6.evaluate(FULL, self.given(dtBH=1000, dtBH_messages=956, dtSH_messages=940)).values
        self.assertEqual((found["dtBH_hits"], found["dtSH_hits"]), (95.6, 94.0))
        self.assertEqual(found["packets"], [100.0, 99.9])

    def test_dt_is_the_least_but_for_ep(self):
        least = {"dtBH_messages": 950, "dtSH_messages": 950}
        for more, holds in (({}, True), ({"ep_messages": 900}, True), ({"mg_messages": 940}, False)):
            self.assertEqual(fig6.evaluate(FULL, self.given(**least, **more)).values["dt_least"], holds, more)

    def test_kernels_are_beside_the_benchmarks(self):
        findings = fig6.evaluate(FULL, self.given(sort64=860))
        self.assertEqual(findings.values["kernels"], [99.9, 99.9, 99.9, 86.0, 99.9])
        self.assertEqual([line["application"] for line in findings.table][-5:], list(programs.KERNELS))


class Speeds(unittest.TestCase):
    """Fig. 7: cycles with and without caches."""

    def test_kernels_are_in_no_mean(self):
        figure = applications.CASE_1_64
        results = {name: types.SimpleNamespace(
                       metric=lambda _key, name=name: self.cycles(name),
                       packets=lambda name=name: self.packets(77 if name.endswith("cached") else 100))
                   for name in figure.plan(FULL)}
        found = figure.findings(FULL, results).values
        self.assertAlmostEqual(found["cg64"], 2)
        self.assertAlmostEqual(found["mean"], 10)
        self.assertAlmostEqual(found["mean_cold"], 5)
        self.assertAlmostEqual(found["mean_queued_cached"], 20)
        self.assertEqual(found["switch"], [[100], [77]])
        self.assertEqual(programs.kernels(256), ())
        self.assertNotIn("cg64", {row.key for row in applications.CASE_1_256.rows()})

    def test_other_lookups_are_played_in_fig_7_alone(self):
        others = {"cold", "queued", "queued_cached"}
        for figure, expected in ((applications.CASE_1_64, others), (applications.CASE_1_256, set()),
                                 (applications.CASE_2_64, set()), (applications.CASE_1_64.judged(), set())):
            series = {name.split()[1] for name in figure.plan(FULL)}
            self.assertEqual(series - {"conventional", "cached"}, expected)
            keys = {row.key for row in figure.rows()}
            self.assertEqual(keys & {"mean_cold", "mean_queued_cached"},
                             {"mean_cold", "mean_queued_cached"} if expected else set())
        self.assertEqual({name for name in fig8.plan(FULL) if name.split()[-2] in others}, set())

    def test_the_figure_has_a_panel_for_each_base(self):
        for figure, shown in ((applications.CASE_1_64, [["cached", "cold"], ["queued_cached"]]),
                              (applications.CASE_2_64, [["cached"]])):
            results = {name: types.SimpleNamespace(metric=lambda _key, name=name: self.cycles(name),
                                                   packets=lambda: self.packets(100)) for name in figure.plan(FULL)}
            drawn = Figure()
            figure.findings(FULL, results).draw(drawn)
            bars = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in drawn.axes]
            bars[0] = [label for label in bars[0] if not label.startswith("paper")]
            self.assertEqual(bars, [[applications.SERIES[name][0] for name in names] for names in shown])

    @staticmethod
    def packets(cycles):
        return [{"router_cycles": str(hops * cycles), "hops": str(hops)} for hops in (2, 5)]

    def test_a_message_from_every_node_at_once(self):
        for ranks in (64, 256):
            self.assertEqual(len({delays.target(rank, ranks) for rank in range(ranks)}), ranks)
        self.assertIn("0 init\n0 send 3 0 8 6\n", delays.trace(64))
        accepts = delays.row(2).tolerance.accepts
        self.assertTrue(accepts([[60], [42]]))
        self.assertFalse(accepts([[60, 80], [42]]), "look-ups wait for each other")

    @staticmethod
    def cycles(name):
        program, series, _seed = name.split()
        gains = {"cached": 1.1, "cold": 1.05, "queued_cached": 1.2}
        faster = gains.get(series, 1)
        return 1100 / (2 if faster > 1 and program in programs.KERNELS else faster)


class Machines(unittest.TestCase):
    """IDs of Cenju-4 nodes on all fabrics."""

    def modes(self, slower=None):
        """Value of the row `modes` where the run `slower` takes another time."""
        results = {str(case): types.SimpleNamespace(json={"tables": {}},
                                                    metric=lambda _name, case=case: 1 + (case == slower))
                   for case in every.cases(False)}
        with unittest.mock.patch.object(every, "grouped", types.SimpleNamespace(evaluate=lambda *_: {}, NOTE="")):
            return every.evaluate(FULL, results).values["modes"]

    def test_process_modes_are_compared_of_every_combination(self):
        self.assertTrue(self.modes())
        for case in (case for case in every.cases(False) if case[2] == "process_each"):
            self.assertFalse(self.modes(case), case)

    def test_every_sample_has_a_time_of_its_own(self):
        self.assertEqual(set(machines.RECEIVE_NS), set(machines.SAMPLES))
        self.assertEqual(len(set(machines.RECEIVE_NS.values())), len(machines.SAMPLES))


if __name__ == "__main__":
    unittest.main()
