#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures and page of scripts/study: each number that is drawn, of studies whose runs are made up. usage:
study_pictures_test.py"""

import base64
import json
import os
import re
import subprocess
import sys
import types
import unittest
import unittest.mock

from own_folder import FolderTest
from study_tables import ROOT, complete, failed, tables_of, write_result

from tsuji import figures, page, pairs, pictures, summaries
from tsuji.statistics import mean_confidence95, student

UNITS = {"latency_cycles_mean": "cycles", "accepted_flits_per_node_cycle": "flits/node/cycle", "energy": "nJ"}
CURVES = """
title: Is <b> escaped?
platform: network
axes: {router.vcs: [2, 4], buffers: {small: {router.buffer_flits: 4}, large: {router.buffer_flits: 8}}}
seeds: 3
curve: {loads: [0.1, 0.3, 0.5, 0.6], saturation: false}
metrics: [latency_cycles_mean]
"""
POINTS = """
platform: network
axes: {router.vcs: [1, 2, 8], net: {mesh: {topology.kind: mesh}, torus: {topology.kind: torus}}}
seeds: SEEDS
metrics: [latency_cycles_mean, energy]
pareto: {latency_cycles_mean: min, energy: max}
compare: {axis: net, with: mesh}
"""


def queue(labels, seed, load):
    """Saturated from 0.5 on with 2 channels, at 0.6 a lower bound with 4."""
    vcs = int(labels["router.vcs"])
    saturated = vcs == 2 and load >= 0.5
    latency = ({0.1: 20, 0.3: 30, 0.5: 50, 0.6: 80}[load] + seed * vcs
               + (1000 if saturated else 0) + (5 if labels["buffers"] == "small" else 0))
    return complete(latency_cycles_mean=latency, latency_cycles_mean_confidence95=777.0,
                    accepted_flits_per_node_cycle=0.5 if saturated else load,
                    saturated=int(saturated), latency_is_lower_bound=int(vcs == 4 and load == 0.6))


def new_figure(size):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def draw_figure(path, salt, draw, size=(7, 4.2)):
    """Replaces write_figure; its files are empty, because rendering takes longer than all else."""
    draw(new_figure(size))
    for kind in ("svg", "png"):
        path.with_name(f"{path.name}.{kind}").touch()


class Pictures(FolderTest):
    def points(self, end, seeds="3", text=POINTS):
        return tables_of(self.folder, text.replace("SEEDS", seeds), end)

    def page(self, tables, name="out", write_figure=draw_figure):
        out = self.folder / name
        out.mkdir()
        with unittest.mock.patch.object(pictures, "write_figure", write_figure):
            page.write_files(out, tables, UNITS)
        return out, (out / "index.html").read_text(encoding="utf-8")

    def figure(self):
        return new_figure((7, 4))


class Curves(Pictures):
    def drawn(self, metric, end=queue):
        tables = tables_of(self.folder, CURVES, end)
        inner, panels = summaries.panels(tables.spec, list(tables.of_design))
        spots = {design: summaries.curve(tables, design, metric) for design in tables.of_design}
        figures, figure = pictures.CurveFigures(tables, UNITS, metric, spots, inner), self.figure()
        figures.draw(panels, figure)
        return figure

    def test_spots_are_means_over_the_seeds_with_their_interval(self):
        tables = tables_of(self.folder, CURVES, queue)
        mean, half = mean_confidence95([20 + 2, 20 + 4, 20 + 6])
        spots = summaries.curve(tables, 1, "latency_cycles_mean")  # 2 channels, large
        self.assertEqual(spots[0], summaries.Spot(0.1, mean, half))
        self.assertEqual([spot.saturated for spot in spots], [False, False, True, True])
        self.assertEqual([spot.lower_bound for spot in summaries.curve(tables, 3, "latency_cycles_mean")],
                         [False, False, False, True])

    def test_loads_that_only_some_seeds_have_are_left_out(self):
        text = CURVES.replace("saturation: false", "resolution: 0.05")
        tables = tables_of(self.folder, text, lambda labels, seed, load: complete(latency_cycles_mean=1.0,
                                                                                  accepted_flits_per_node_cycle=load,
                                                                                  saturated=int(load > 0.3 + 0.1 * seed)))  # noqa: E501
        self.assertGreater(len({point.load for point in tables.wanted}), 5)
        self.assertEqual([spot.x for spot in summaries.curve(tables, 0, "latency_cycles_mean")], [0.1, 0.3, 0.5, 0.6])

    def test_band_is_the_interval_and_ends_at_saturation(self):
        figure = self.drawn("latency_cycles_mean")
        axes = figure.axes[0]
        lines = [line for line in axes.get_lines() if line.get_linestyle() == "-" and len(line.get_xdata()) > 1]
        self.assertEqual(list(lines[1].get_data()[0]), [0.1, 0.3, 0.5])  # one saturated load is shown, hollow
        self.assertEqual(list(lines[1].get_data()[1]), [24, 34, 1054])
        self.assertEqual(list(lines[3].get_data()[0]), [0.1, 0.3, 0.5, 0.6])
        bands = [collection for collection in axes.collections if "Poly" in type(collection).__name__]
        half = mean_confidence95([2, 4, 6])[1]
        box = bands[1].get_paths()[0].get_extents()
        self.assertAlmostEqual(box.ymin, 24 - half)
        self.assertAlmostEqual(box.ymax, 34 + half)
        self.assertAlmostEqual(box.xmax, 0.3)
        self.assertEqual(axes.get_yscale(), "log")
        names = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(names, ["vcs 2, small", "vcs 2, large", "vcs 4, small", "vcs 4, large", "95 % interval",
                                 "saturated", "at least"])
        hollow = [line for line in axes.get_lines() if line.get_markerfacecolor() == "white"]
        self.assertEqual(sorted((line.get_marker(), line.get_xdata()[0]) for line in hollow),
                         [("^", 0.6)] * 2 + [("o", 0.5)] * 2)
        self.assertEqual(figure._supylabel.get_text(), "latency_cycles_mean (cycles)")

    def test_the_capacity_bound_is_a_tick_at_the_top(self):
        """Of each design's runs that have one value; the axis holds it."""
        def bounded(labels, seed, load):
            end = queue(labels, seed, load)
            small = labels["buffers"] == "small"
            end.metrics["capacity_bound_flits_per_node_cycle"] = (0.8 if small else 0.7 + 0.001 * seed
                                                                  if labels["router.vcs"] == "2" else None)
            return end

        tables = tables_of(self.folder, CURVES, bounded)
        self.assertEqual([summaries.capacity_bound(tables, design) for design in tables.of_design],
                         [0.8, None, 0.8, None])
        axes = self.drawn("latency_cycles_mean", bounded).axes[0]
        ticks = [line for line in axes.get_lines() if list(line.get_xdata()) == [0.8, 0.8]]
        self.assertEqual([line.get_color() for line in ticks], [pictures.COLORS[0], pictures.COLORS[2]])
        self.assertTrue(all(line.get_ydata()[0] > 0.9 and line.get_ydata()[1] == 1 for line in ticks))
        self.assertTrue(0.8 < axes.get_xlim()[1] < 0.85)
        self.assertIn("capacity bound", [text.get_text() for text in axes.get_legend().get_texts()])

    def test_accepted_load_is_shown_beyond_saturation(self):
        axes = self.drawn("accepted_flits_per_node_cycle").axes[0]
        line = [line for line in axes.get_lines() if line.get_linestyle() == "-" and len(line.get_xdata()) > 2][0]
        self.assertEqual([(x, round(y, 9)) for x, y in zip(*line.get_data())],
                         [(0.1, 0.1), (0.3, 0.3), (0.5, 0.5), (0.6, 0.5)])
        self.assertEqual(axes.get_yscale(), "linear")

    def test_axes_end_with_the_curves_that_are_shown(self):
        def all_saturated(labels, seed, load):
            return complete(latency_cycles_mean=20.0 + seed + 10 * load, accepted_flits_per_node_cycle=min(load, 0.4),
                            saturated=int(load >= 0.5))

        for metric, last in (("latency_cycles_mean", 0.5), ("accepted_flits_per_node_cycle", 0.6)):
            axes = self.drawn(metric, all_saturated).axes[0]
            self.assertTrue(last < axes.get_xlim()[1] < 1.05 * last, (metric, axes.get_xlim()))

    def test_saturation_point_with_its_interval(self):
        text = CURVES.replace(", saturation: false", "").replace("[0.1, 0.3, 0.5, 0.6]", "[0.1, 0.3]")
        tables = tables_of(self.folder, text, lambda labels, seed, load: complete(latency_cycles_mean=1.0,
                                                                                  accepted_flits_per_node_cycle=load,
                                                                                  saturated=int(load > 0.4 + 0.1 * seed)))  # noqa: E501
        spots = {design: summaries.curve(tables, design, "latency_cycles_mean") for design in tables.of_design}
        inner, panels = summaries.panels(tables.spec, list(tables.of_design))
        figure = self.figure()
        pictures.CurveFigures(tables, UNITS, "latency_cycles_mean", spots, inner).draw(panels, figure)
        row = tables.of_points()[0]
        dotted = [line for line in figure.axes[0].get_lines() if line.get_linestyle() == ":"]
        self.assertEqual(dotted[0].get_xdata()[0], row["saturation_flits_per_node_cycle"])
        bars = [path.vertices for bars in figure.axes[0].collections if "Line" in type(bars).__name__
                for path in bars.get_paths()]
        half = row["saturation_flits_per_node_cycle_confidence95"]
        self.assertTrue(any(abs(bar[1][0] - bar[0][0] - 2 * half) < 1e-9 for bar in bars), bars)
        self.assertGreaterEqual(figure.axes[0].get_xlim()[1], dotted[0].get_xdata()[0] + half)

    def test_designs_without_any_result_leave_the_rest_as_it_is(self):
        def end(labels, seed, load):
            return failed("no flit has moved") if labels["router.vcs"] == "2" else queue(labels, seed, load)

        out, text = self.page(tables_of(self.folder, CURVES, end))
        self.assertTrue((out / "pictures" / "curve_latency_cycles_mean.png").is_file())
        self.assertEqual(text.count('class="FAILED"'), 24)
        out, text = self.page(tables_of(self.folder, CURVES, lambda *_: failed("no flit has moved")), "none")
        self.assertEqual((list((out / "pictures").iterdir()), text.count('class="FAILED"')), ([], 48))

    def test_offered_load_stands_beside_the_accepted_one(self):
        texts = [text.get_text()
                 for text in self.drawn("accepted_flits_per_node_cycle").axes[0].get_legend().get_texts()]
        self.assertIn("all that is offered", texts)

    def test_many_designs_are_panels_of_few(self):
        text = POINTS.replace("SEEDS", "1").replace("[1, 2, 8]", "[1, 2, 3, 4, 5]")
        tables = tables_of(self.folder, text, lambda *_: complete(latency_cycles_mean=1.0, energy=1.0))
        inner, panels = summaries.panels(tables.spec, list(tables.of_design))
        self.assertEqual(inner, [0])
        self.assertEqual([(title, [tables.spec.designs[design].labels for design in designs])
                          for title, designs in panels],
                         [(net, [(vcs, net) for vcs in "12345"]) for net in ("mesh", "torus")])
        text = re.sub("axes: .*", f"axes: {{router.vcs: {list(range(1, 21))}}}", text)
        text = text.replace("compare: {axis: net, with: mesh}\n", "")
        tables = tables_of(self.folder, text, lambda *_: complete(latency_cycles_mean=1.0, energy=1.0))
        _, panels = summaries.panels(tables.spec, list(tables.of_design))
        self.assertEqual([(title, len(designs)) for title, designs in panels],
                         [("1 of 3", 7), ("2 of 3", 7), ("3 of 3", 6)])

    def test_names_tell_designs_apart(self):
        tables = tables_of(self.folder, CURVES.replace("buffers:", "other.vcs:"), queue_of_two)
        self.assertEqual(summaries.design_name(tables.spec, 0), "router.vcs 2, small")
        self.assertEqual(pictures.shortened("a long name of a network 12", 12), "a long…rk 12")


def queue_of_two(labels, seed, load):
    return complete(latency_cycles_mean=1.0)


class Effects(Pictures):
    """Latency is 10 a channel's level, 7 more on the torus, and a seed's own share of up to 900 that all designs
    have."""

    SHARE = {1: 0.0, 2: 900.0, 3: 300.0, 4: 50.0}

    def end(self, labels, seed, load):
        level = {"1": 0, "2": 1, "8": 2}[labels["router.vcs"]]
        torus = labels["net"] == "torus"
        return complete(latency_cycles_mean=100.0 + 10 * level + 7 * torus
                        + self.SHARE[seed] + (seed if torus and level == 2 else 0), energy=5.0)

    def test_levels_are_paired_by_the_other_axes_and_seeds(self):
        effect = summaries.effect(self.points(self.end), 1, "latency_cycles_mean")
        self.assertEqual((effect.labels, effect.used, effect.all, effect.seeds, effect.paired),
                         (["mesh", "torus"], 3, 3, 3, True))
        self.assertAlmostEqual(effect.means[0], 110 + 400)
        self.assertAlmostEqual(effect.means[1], 117 + 400 + 2 / 3)
        # Half of the difference's interval on each side: the seeds' shares are gone.
        half = mean_confidence95([7 + 1 / 3, 7 + 2 / 3, 7 + 3 / 3])[1] / 2
        self.assertAlmostEqual(effect.halves[0], half)
        self.assertAlmostEqual(effect.halves[1], half)

    def test_combinations_and_seeds_that_a_level_lacks_are_left_out_of_all_levels(self):
        def end(labels, seed, load):
            if (labels["router.vcs"], labels["net"]) == ("8", "torus") or (labels["router.vcs"], labels["net"],
                                                                           seed) == ("1", "mesh", 2):
                return failed("no flit has moved")
            return self.end(labels, seed, load)

        effect = summaries.effect(self.points(end), 1, "latency_cycles_mean")
        self.assertEqual((effect.used, effect.all, effect.seeds), (2, 3, 2))
        self.assertAlmostEqual(effect.means[0], 105 + 150)
        self.assertAlmostEqual(effect.means[1], 112 + 150)

    def test_a_level_without_values_is_told(self):
        def end(labels, seed, load):
            return failed("never") if labels["net"] == "torus" else self.end(labels, seed, load)

        tables = self.points(end)
        self.assertEqual(summaries.effect(tables, 1, "latency_cycles_mean").labels, ["mesh"])
        self.assertIn("without torus, which has no values", self.page(tables)[1])

    def test_one_seed_and_no_common_seed_have_no_interval(self):
        effect = summaries.effect(self.points(self.end, seeds="1"), 1, "latency_cycles_mean")
        self.assertEqual((effect.halves, effect.seeds), ([None, None], 1))

        def end(labels, seed, load):
            return self.end(labels, seed, load) if (labels["net"] == "mesh") == (seed == 1) else failed("x")

        effect = summaries.effect(self.points(end), 1, "latency_cycles_mean")
        self.assertEqual((effect.paired, effect.halves), (False, [None, None]))
        self.assertAlmostEqual(effect.means[0], 110)

    def test_numbers_are_a_line_and_words_are_not(self):
        tables, figure = self.points(self.end), self.figure()
        panels = [(summaries.effect(tables, i, "latency_cycles_mean"), pictures.views(tables.spec.axes[i])[0])
                  for i in (0, 1)]
        pictures.draw_effect(panels, "latency", figure)
        numbers, words = figure.axes
        self.assertEqual((list(numbers.get_lines()[0].get_xdata()), numbers.get_lines()[0].get_linestyle()),
                         ([1, 2, 8], "-"))
        self.assertEqual(numbers.get_xscale(), "log")
        self.assertEqual((list(words.get_lines()[0].get_xdata()), words.get_lines()[0].get_linestyle()),
                         ([0, 1], "None"))
        self.assertEqual([label.get_text() for label in words.get_xticklabels()], ["mesh", "torus"])
        bar = words.collections[0].get_paths()[0].vertices
        self.assertAlmostEqual(bar[1][1] - bar[0][1], 2 * panels[1][0].halves[0])

    def test_a_latin_hypercube_is_shown_by_its_keys(self):
        axes = ("axes: {drawn: {latin_hypercube: {points: 20, keys: {link.latency_cycles: [1.5, 9.5], router.vcs: "
                "[1.5, 9.5]}}}}")
        text = re.sub("axes: .*", axes, POINTS).replace("compare: {axis: net, with: mesh}\n", "").replace("SEEDS", "2")
        tables = tables_of(self.folder, text, lambda *_: complete(latency_cycles_mean=1.0, energy=2.0))
        views = pictures.views(tables.spec.axes[0])
        self.assertEqual([view.name for view in views], ["link.latency_cycles", "router.vcs"])
        label, level = tables.spec.designs[3].labels[0], tables.spec.axes[0].levels[3]
        self.assertEqual(views[1].positions[label], float(level.keys["router.vcs"].text))

    def test_runs_of_curves_have_effects_where_nothing_is_saturated(self):
        tables = tables_of(self.folder, CURVES, queue)
        self.assertEqual(summaries.common_load(tables), 0.3)
        effect = summaries.effect(tables, 1, "latency_cycles_mean", 0.3)
        self.assertAlmostEqual(effect.means[0] - effect.means[1], 5)
        self.assertIn("latency_cycles_mean at load 0.3", self.page(tables)[1])


class Pairs(Pictures):
    TEXT = """
platform: network
axes:
  net: {mesh: {topology.kind: mesh}, torus: {topology.kind: torus}}
  cache: ["off", "on", large]
  table: [slow, fast]
  crossbar: [plain, predicting]
seeds: 4
metrics: [latency_cycles_mean, energy]
pairs: {cache: "off", table: slow, crossbar: plain}
"""

    def end(self, labels, seed, load):
        """From 200 a cache takes 10 or 40, a fast table 20; with both caches together 6 more, and on a torus as many
        back. Prediction takes 1 or gives 1 back. Energy is of caches alone."""
        cache = {"off": 0, "on": 10, "large": 40}[labels["cache"]]
        table = 20 if labels["table"] == "fast" else 0
        both = ((6 if labels["net"] == "mesh" else -6) - 0.001 * seed) * (cache == 10 and table > 0)
        noise = (-1)**seed if labels["crossbar"] == "predicting" else 0
        latency = 200 + 3 * seed - cache - table - both + noise + 0.001 * seed * (cache > 0)
        return complete(latency_cycles_mean=latency, **({"energy": 5.0} if cache else {}))

    def rows(self):
        found = pairs.rows(tables_of(self.folder, self.TEXT, self.end))
        return {(row["net"], row["first"], row["second"]): row for row in found}

    def test_each_level_alone_and_each_two_of_different_axes(self):
        rows = self.rows()
        alone = ["cache: on", "cache: large", "table: fast", "crossbar: predicting"]
        two = [("cache: on", "table: fast"), ("cache: on", "crossbar: predicting"), ("cache: large", "table: fast"),
               ("cache: large", "crossbar: predicting"), ("table: fast", "crossbar: predicting")]
        self.assertEqual(list(rows), [(net, *names) for net in ("mesh", "torus")
                                      for names in [*((one, "") for one in alone), *two]])
        row = rows["mesh", "cache: large", ""]
        mean = 200 + 3 * 2.5
        self.assertAlmostEqual(row["base_mean"], mean)
        self.assertAlmostEqual(row["difference"], -40 + 0.0025)
        self.assertAlmostEqual(row["difference_percent"], 100 * (-40 + 0.0025) / mean)
        self.assertEqual((row["metric"], row["pairs"], row["verdict"], row["beyond"], row["beyond_verdict"]),
                         ("latency_cycles_mean", 4, "lower", None, None))
        self.assertEqual(rows["torus", "crossbar: predicting", ""]["verdict"], "no difference shown")

    def test_beyond_the_sum(self):
        rows = self.rows()
        for net, beyond, verdict in (("mesh", -6, "lower"), ("torus", 6, "higher")):
            row = rows[net, "cache: on", "table: fast"]
            self.assertAlmostEqual(row["difference"], -30 + beyond + 0.005)
            self.assertAlmostEqual(row["beyond"], beyond + 0.0025)
            self.assertAlmostEqual(row["beyond_percent"], 100 * (beyond + 0.0025) / row["base_mean"])
            self.assertEqual(row["beyond_verdict"], verdict)
            self.assertEqual(rows[net, "cache: large", "table: fast"]["beyond_verdict"], "no difference shown")

    def test_a_replicate_without_result_is_left_out_and_a_metric_without_base(self):
        def end(labels, seed, load):
            lost = seed == 2 and (labels["cache"], labels["table"]) == ("on", "slow")
            return failed("x") if lost else self.end(labels, seed, load)

        found = pairs.rows(tables_of(self.folder, self.TEXT, end))
        self.assertEqual({row["metric"] for row in found}, {"latency_cycles_mean"})
        by_names = {(row["net"], row["first"], row["second"]): row for row in found}
        row = by_names["mesh", "cache: on", "table: fast"]
        self.assertEqual((row["pairs"], round(row["beyond"], 2), row["beyond_verdict"]), (4, -6, "lower"))
        self.assertEqual(by_names["mesh", "cache: on", ""]["pairs"], 3)
        self.assertEqual(by_names["mesh", "cache: large", ""]["pairs"], 4)

    def test_designs_of_different_numbers_of_seeds_are_paired_on_those_that_all_have(self):
        until = "until: {metric: latency_cycles_mean, relative: 0.02, at_least: 2, at_most: 5}"
        text = self.TEXT.replace("seeds: 4", until)

        def end(labels, seed, load):
            loud = labels["cache"] == "large"
            return complete(latency_cycles_mean=200 + (30 * (-1)**seed if loud else 0.1 * seed), energy=1.0)

        found = pairs.rows(tables_of(self.folder, text, end))
        of = {(row["first"], row["second"]): row["pairs"] for row in found if row["net"] == "mesh"}
        self.assertEqual((of["cache: on", ""], of["cache: large", ""], of["cache: large", "table: fast"]), (2, 2, 2))

    def test_drawn_as_a_matrix_for_each_place(self):
        tables, figure = tables_of(self.folder, self.TEXT, self.end), self.figure()
        pictures.draw_matrices(tables, pairs.rows(tables), pairs.places(tables.spec), figure)
        self.assertEqual([axes.get_title() for axes in figure.axes], ["mesh", "torus"])
        mesh = {text.get_position(): text for text in figure.axes[0].texts}
        self.assertEqual([tick.get_text() for tick in figure.axes[0].get_yticklabels()],
                         ["cache: on", "cache: large", "table: fast", "crossbar: predicting"])
        percent = 100 / 207.5
        for place, value, style, color in (((0, 0), -10, "normal", "black"), ((2, 0), -36, "normal", "black"),
                                           ((0, 2), -6, "italic", "black"), ((1, 2), 0, "italic", "0.55"),
                                           ((3, 3), 0, "normal", "0.55")):
            text = mesh[place]
            self.assertAlmostEqual(float(text.get_text()), percent * value, delta=0.06, msg=place)
            self.assertEqual((text.get_style(), text.get_color()), (style, color), place)
        torus = {text.get_position(): text.get_text() for text in figure.axes[1].texts}
        self.assertAlmostEqual(float(torus[0, 2]), percent * 6, delta=0.06)
        self.assertNotIn((1, 0), mesh)  # two levels of one axis
        self.assertNotIn((0, 1), mesh)
        _, text = self.page(tables)
        self.assertIn("<h2>Alone and in pairs</h2>", text)
        self.assertIn('<tr class="missed"><td>mesh</td><td>latency_cycles_mean (cycles)</td><td>cache: on</td>'
                      '<td>table: fast</td><td>207.5</td>', text)
        self.assertIn('id="pairs_latency_cycles_mean"', text)


class Front(Pictures):
    # By (channels, net): latency, energy, and how far the seeds are apart.
    VALUES = {("1", "mesh"): (10, 50, 1), ("1", "torus"): (20, 70, 1), ("2", "mesh"): (20.5, 69.5, 1),
              ("2", "torus"): (30, 70, 0),
              ("8", "mesh"): (25, 40, 1), ("8", "torus"): (9, 40, 1)}

    def end(self, labels, seed, load):
        latency, energy, spread = self.VALUES[labels["router.vcs"], labels["net"]]
        return complete(latency_cycles_mean=latency + spread * (seed - 2), energy=energy - spread * (seed - 2))

    def places(self, tables):
        return {tables.spec.designs[candidate.design].labels: candidate.place for candidate in summaries.front(tables)}

    def test_no_design_of_the_front_is_dominated(self):
        self.assertEqual(self.places(self.points(self.end)),
                         {("1", "mesh"): "front", ("1", "torus"): "front", ("8", "torus"): "front",
                          ("2", "mesh"): "not certain",
                          ("2", "torus"): "not certain", ("8", "mesh"): "dominated"})

    def test_directions_count(self):
        text = POINTS.replace("min", "MIN").replace("energy: max", "energy: min").replace("MIN", "max")
        front = {labels for labels, place in self.places(self.points(self.end, text=text)).items() if place == "front"}
        self.assertEqual(front, {("2", "torus"), ("8", "mesh")})

    def test_equal_designs_are_both_on_the_front(self):
        places = (self.places(self.points(lambda labels, seed, load: complete(latency_cycles_mean=1.0 + seed,
                                                                              energy=2.0))))
        self.assertEqual(set(places.values()), {"front"})

    def test_certain_is_the_root_of_the_squares_in_both_metrics(self):
        def worse(*far):
            return summaries.certainly_worse(summaries.Candidate(0, far, (3.0, 3.0)),
                                             summaries.Candidate(1, (0.0, 0.0), (4.0, 4.0)), [1, 1])

        self.assertEqual([worse(5.1, 5.1), worse(4.9, 5.1), worse(5.1, 4.9)], [True, False, False])

    def test_one_seed_leaves_the_rest_open(self):
        tables = self.points(self.end, seeds="1")
        self.assertNotIn("dominated", self.places(tables).values())
        self.assertIn("have no interval: their place is uncertain", self.page(tables)[1])

    def test_drawn_with_intervals_of_both_metrics_and_names(self):
        tables, figure = self.points(self.end), self.figure()
        candidates = summaries.front(tables)
        names = pictures.front_names(tables, candidates)
        pictures.draw_candidates(tables, candidates, names, UNITS, figure)
        axes = figure.axes[0]
        texts = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(texts[3:], ["1: vcs 8, torus", "2: vcs 1, mesh", "3: vcs 1, torus"])
        line = [line for line in axes.get_lines() if line.get_linestyle() == "--"][0]
        self.assertEqual(list(zip(*line.get_data())), [(9, 40), (10, 50), (20, 70)])
        half = mean_confidence95([8, 9, 10])[1]
        spans = [tuple(map(tuple, path.vertices)) for bars in axes.collections for path in bars.get_paths()]
        self.assertTrue(any(abs(a[0] - 9 + half) < 1e-9 and abs(b[0] - 9 - half) < 1e-9 and a[1] == b[1] == 40
                            for a, b in spans), spans)
        self.assertTrue(any(abs(a[1] - 40 + half) < 1e-9 and abs(b[1] - 40 - half) < 1e-9 and a[0] == b[0] == 9
                            for a, b in spans), spans)
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()),
                         ("latency_cycles_mean\n(cycles, better: ←)", "energy (nJ, better: ↑)"))


class Page(Pictures):
    def test_same_bytes_and_no_network(self):
        tables = tables_of(self.folder, CURVES, queue)
        first, text = self.page(tables, "a", figures.write_figure)
        second, again = self.page(tables, "b", figures.write_figure)
        self.assertEqual(text, again)
        names = sorted(path.name for path in (first / "pictures").iterdir())
        self.assertIn("curve_latency_cycles_mean.png", names)
        self.assertEqual(len(names) % 2, 0)
        for name in names:
            self.assertEqual((first / "pictures" / name).read_bytes(), (second / "pictures" / name).read_bytes(), name)
        self.assertNotIn("http", re.sub('base64,[^"]*', "", text))
        embedded = [base64.b64decode(data) for data in re.findall('src="data:image/svg\\+xml;base64,([^"]*)"', text)]
        self.assertEqual(sorted(embedded), sorted(path.read_bytes() for path in (first / "pictures").glob("*.svg")))

    def test_units_are_those_of_the_first_run_that_has_the_metric(self):
        places = {"a": None, "b": write_result(self.folder / "b", {"hops": 1}),
                  "c": write_result(self.folder / "c", {"energy": 1}),
                  "d": write_result(self.folder / "d", {"latency_cycles_mean": 1})}
        content = json.loads((places["c"] / "result.json").read_text())
        content["metrics"]["energy"]["unit"] = "nJ"
        (places["c"] / "result.json").write_text(json.dumps(content))
        spec = self.points(lambda *_: failed("x")).spec
        study = types.SimpleNamespace(configs=places, folder_of=places.get, spec=spec)
        units = page.units_of(study)
        self.assertEqual((units["energy"], units["hops"], units["latency_cycles_mean"]), ("nJ", "cycles", "cycles"))

    def test_question_platform_and_numbers(self):
        text = self.page(tables_of(self.folder, CURVES, queue))[1]
        self.assertIn("<h1>Is &lt;b&gt; escaped?</h1>", text)
        for name, value in (("platform", "network"), ("designs", "4"), ("runs", "48"), ("seeds of a design", "3")):
            self.assertIn(f"<tr><td>{name}</td><td>{value}</td></tr>", text)
        self.assertNotIn("one seed", text)

    def test_failed_runs_with_their_errors(self):
        def end(labels, seed, load):
            if labels["net"] == "torus" and seed == 2:
                return failed("no flit <has> moved")
            return complete(latency_cycles_mean=10.0 + seed, energy=4.0)

        text = self.page(self.points(end))[1]
        self.assertIn('<tr class="FAILED"><td>8</td><td>torus</td><td>2</td><td>failed</td><td>no flit &lt;has&gt; '
                      'moved</td></tr>', text)
        self.assertEqual(text.count('class="FAILED"'), 3)
        self.assertIn("18, 3 of them without results", text)

    def test_replicates_of_another_key_are_called_so(self):
        text = POINTS.replace("seeds: SEEDS", "replicates: {key: topology.seed, values: [7, 9]}")
        tables = tables_of(self.folder, text, lambda labels, value, load: failed("x")
                           if value == "9" else complete(latency_cycles_mean=1.0, energy=2.0))
        text = self.page(tables)[1]
        self.assertIn("<tr><td>replicates of a design</td><td>2</td></tr>", text)
        self.assertIn("over 2 of 2 combinations of the other axes and 1 replicate, so uncertain", text)
        self.assertIn("<th>topology.seed</th><th>status</th>", text)
        self.assertNotIn("seeds", text)

    def test_comparisons_with_verdicts_and_intervals(self):
        def end(labels, seed, load):
            return complete(latency_cycles_mean=100.0 + 50 * seed + (0 if labels["net"] == "mesh" else 10 + 0.1 * seed),
                            energy=4.0)

        text = self.page(self.points(end))[1]
        half = mean_confidence95([10.1, 10.2, 10.3])[1] * student(1 - 0.05 / 3 / 2,
                                                                  2) / student(0.975, 2)  # one of three
        self.assertIn(f"<td>8</td><td>torus</td><td>latency_cycles_mean (cycles)</td><td>3</td><td>200</td><td>10.20 ± "
                      f"{half:.2f}</td>", text)
        self.assertIn("<th>difference ± (95 %, Holm)</th>", text)
        self.assertIn("<td>higher</td>", text)
        self.assertIn("<td>no difference shown</td>", text)
        self.assertIn(f"<td>200 ± {mean_confidence95([150, 200, 250])[1]:.0f}</td>", text)

    def test_a_design_of_one_seed_is_said_to_be_uncertain(self):
        text = self.page(self.points(lambda *_: complete(latency_cycles_mean=10.25, energy=4.0), seeds="1"))[1]
        self.assertIn("Every design has one seed: no interval", text)
        self.assertIn("<td>10.25 (uncertain: one value)</td>", text)
        self.assertIn("not known from one pair", text)

    def test_digits_follow_the_interval(self):
        self.assertEqual(page.with_interval(37.123456, 0.0234), "37.123 ± 0.023")
        self.assertEqual(page.with_interval(12345.6, 141.0), "12346 ± 141")
        self.assertEqual(page.with_interval(5.5, 0.0), "5.5 ± 0")
        self.assertEqual(page.with_interval(None, None), "-")

    def test_names_the_package_where_matplotlib_is_missing(self):
        (self.folder / "matplotlib.py").write_text("raise ImportError('not here')\n")
        script = ("import pathlib, tsuji.figures, tsuji.errors\n"
                  "try:\n    tsuji.figures.write_figure(pathlib.Path('x'), 'x', print)\n"
                  "except tsuji.errors.RunFailed as failure:\n    print(failure)\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=self.folder,
                              timeout=300,
                              env={**os.environ, "PYTHONPATH": f"{self.folder}:{ROOT / 'scripts'}"})
        self.assertIn("python3-matplotlib", done.stdout, done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
