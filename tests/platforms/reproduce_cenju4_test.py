#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The IDs of Kanoh 2000: what they make of results that are given here, without a run."""

import collections
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "platforms" / "reproduce"))

from cenju4 import (  # noqa: E402
    collectives, fairness, fifo, fig6, fig7, fig8, fig9, fig10, grouped, machine, pages, switch, table1)
from reproduction.main import Setting  # noqa: E402

FULL = Setting(False, None, pathlib.Path("."))


class Given:
    """Results of one value whatever is asked for, or of a dict's."""

    def __init__(self, values, rows=()):
        self.values, self.rows = values, rows

    def metric(self, name):
        return self.values[name] if isinstance(self.values, dict) else self.values

    def table(self, _name):
        return list(self.rows)


def verdicts(module, results):
    values = module.evaluate(FULL, results).values
    return {row.key: row.judge(values.get(row.key), False).value for row in module.ROWS}


class Barriers(unittest.TestCase):
    def given(self, times, stage_us=0.2):
        """Times of each method by the number of nodes, and of E by stages; all runs of the plan."""
        def of(name):
            method, nodes, *rest = name.split()
            if nodes == "stages":
                return 4 + stage_us * int(rest[0])
            return times[method](32 if nodes == "hardware" else int(nodes))
        return {name: Given(of(name)) for name in fig10.plan(FULL)}

    PAPER = {"A": lambda n: 4 + n, "B": lambda n: 10 + n / 2, "C": lambda n: 5 + n, "D": lambda n: 5 + n / 10,
             "E": lambda n: 5.0}

    def test_the_papers_sentences_pass(self):
        judged = verdicts(fig10, self.given(self.PAPER))
        self.assertEqual({judged[key] for key in ("e", "e_slope", "e_stage", "order", "d_rise")}, {"passed"})
        for stage_us in (0.19, 0.2125):
            self.assertEqual(verdicts(fig10, self.given(self.PAPER, stage_us))["e_stage"], "FAILED")

    def test_each_sentence_can_fail(self):
        wrong = {"e": ("E", lambda n: 5.51), "e_slope": ("E", lambda n: 4.6 + 0.03 * n), "order": ("D", lambda n: 36.5),
                 "d_rise": ("D", lambda n: 5 + n)}
        for key, (method, times) in wrong.items():
            judged = verdicts(fig10, self.given({**self.PAPER, method: times}))
            self.assertIn(judged[key], ("FAILED",), key)
        # Each of both: A, or C, below D.
        for method in "AC":
            self.assertEqual(verdicts(fig10, self.given({**self.PAPER, method: lambda n: 8.0}))["order"], "FAILED")


class Throughput(unittest.TestCase):
    def given(self, R=195, **rates):
        """A message's time by 2 us and a rate in 2^20 B/s for each case, and for reads alone; MPI takes 10 us more."""
        rates["R"] = R

        def of(name):
            words = name.split()
            if words[0] == "hardware":
                return Given(5.0)
            if words[0] == "short":
                words = ["A", str(fig7.JUDGED)]
            if words[1] == "flushed":
                words = [words[0], str(fig7.JUDGED)]
            if words[0] == "reads":
                words = ["R", str(fig7.JUDGED)]
            size, rate = int(words[1]), rates[words[0]]
            us = 2 + size / rate / machine.MIB * 1e6
            return Given({"paralib_latency_us": us, "mpi_latency_us": us + 10})
        return {name: of(name) for name in fig7.plan(FULL)}

    def test_verdicts(self):
        judged = verdicts(fig7, self.given(A=170, B=133, C=163))
        self.assertEqual({judged[key] for key in ("a", "c_minus_b", "dirty_read", "order", "meet")}, {"passed"})
        for reads in (188, 212):
            self.assertEqual(verdicts(fig7, self.given(A=170, B=133, C=163, R=reads))["dirty_read"], "FAILED")
        judged = verdicts(fig7, self.given(A=150, B=149, C=151))
        self.assertEqual({judged[key] for key in ("a", "c_minus_b")}, {"FAILED"})
        self.assertEqual(judged["order"], "FAILED")

    def test_the_line_just_taken_out_dirty(self):
        runs = {name: run for name, run in fig7.plan(FULL).items() if name.endswith("flushed")}
        self.assertEqual({run.keys["memory.flushed_answer_ns"] for run in runs.values()}, {360})
        given = self.given(A=170, B=133, C=163)
        given["B flushed"] = self.given(A=170, B=120, C=163)["B flushed"]
        found = fig7.evaluate(FULL, given).values
        self.assertAlmostEqual(found["c_minus_b_flushed"] - found["c_minus_b"], 13, delta=0.1)

    def test_cycles_a_packet(self):
        found = fig7.evaluate(FULL, self.given(A=170, B=133, C=163)).values["period"]
        for cycles, rate in zip(found, (170, 133, 163)):
            self.assertAlmostEqual(cycles, 256 * 80 / (rate * machine.MIB / 1e6))

    def test_rates(self):
        self.assertEqual(machine.mb_per_second(256, 2), 128)
        self.assertAlmostEqual(machine.mib_per_second(2**20, 1e6), 1)


class OddWords(unittest.TestCase):
    def given(self, one=140, at=(), **rates):
        """A rate for each group; `one` of A's one word of difference; `at`: a run's name and its own rate."""
        def of(name):
            group, words, _size = name.split()
            one_word = group == "A" and int(words) in fig8.ONE_WORD
            return dict([at] if at else []).get(name, one if one_word else rates[group])
        return {name: Given(of(name)) for name in fig8.plan(FULL)}

    GROUPS = {"A": 146, "B": 133, "C": 73, "D": 70}

    def test_the_papers_sentences_pass(self):
        self.assertEqual({verdicts(fig8, self.given(**self.GROUPS))[key]
                          for key in ("optimized", "plain", "one_word", "faster")}, {"passed"})

    def test_each_sentence_can_fail(self):
        wrong = {"optimized": {"C": 100}, "plain": {"D": 50}, "one_word": {"one": 132},
                 "faster": {"at": ("D 17 1024", 134)}}
        for key, change in wrong.items():
            self.assertEqual(verdicts(fig8, self.given(**{**self.GROUPS, **change}))[key], "FAILED", key)
        for key, change in {"one_word": {"one": 147}, "faster": {"at": ("C 1 262144", 141)}}.items():
            self.assertEqual(verdicts(fig8, self.given(**{**self.GROUPS, **change}))[key], "FAILED", key)

    def test_source_and_destination_differ_by_words(self):
        for name, run in fig8.plan(FULL).items():
            self.assertEqual(run.keys["workload.dma_source_offset"], 4 * int(name.split()[1]))


class Latency(unittest.TestCase):
    def given(self, call=13.0, above=0.3):
        def of(name):
            size = int(name.split()[-2 if name.endswith("hardware") else -1])
            paralib = 4.9 + (above if size > 8 else 0) + (call if "system call" in name else 0)
            software = 3.0 if name.endswith("hardware") else 0.0
            return Given({"paralib_latency_us": paralib - software, "mpi_latency_us": 9.1 + size / 1000 - software})
        return {name: of(name) for name in fig6.plan(FULL)}

    def test_verdicts(self):
        judged = verdicts(fig6, self.given())
        self.assertEqual({judged[key] for key in ("paralib_8", "mpi_8", "inline", "system_call")}, {"passed"})
        self.assertEqual(verdicts(fig6, self.given(above=0.4))["inline"], "FAILED")
        self.assertEqual(verdicts(fig6, self.given(call=15.0))["system_call"], "FAILED")

    def test_software_and_hardware_are_apart(self):
        values = fig6.evaluate(FULL, self.given()).values
        for key, whole in (("paralib_software", 4.9), ("mpi_software", 9.108)):
            self.assertAlmostEqual(values[key][0], 3)
            self.assertAlmostEqual(sum(values[key]), whole)

    def test_the_largest_step(self):
        results = self.given()
        for name, result in results.items():
            if name.startswith("MPI ") and int(name.split()[1]) >= 384:
                result.values["mpi_latency_us"] += 7
        self.assertEqual(fig6.evaluate(FULL, results).values["mpi_step"][:2], [256, 384])


class Exchanges(unittest.TestCase):
    def given(self, busy=0.97, alone=169, **rates):
        """Rates by the size for each method, of both readings."""
        def of(name):
            own = name.removeprefix(fig9.OTHER)
            words = own.split()
            if words[0] == "one":
                return Given((fig9.DEPTH_BYTES if "," in own else fig9.LARGEST) / machine.MIB / alone * 1e6)
            rate = rates[words[0].rstrip(",")]
            rate = rate(int(words[1])) if words[1].isdigit() else 171
            return Given({"exchange_time_us": 1, "exchange_throughput_mib_s": rate,
                          "exchange_throughput_mb_s": rate * 1.05,
                          "exchange_last_links_busy": busy})
        return {name: of(name) for name in fig9.plan(FULL)}

    FALLING = {"in_order": lambda size: 20, "staggered": lambda size: 170 - size / 1e5, "multicast": lambda size: 169}

    def test_the_papers_sentences_pass(self):
        judged = verdicts(fig9, self.given(**self.FALLING))
        keys = ("multicast", "multicast_64", "one_to_one", "links", "links_64", "in_order", "falls", "below")
        self.assertEqual({judged[key] for key in keys}, {"passed"})

    def test_each_sentence_can_fail(self):
        wrong = {"multicast": {"multicast": lambda size: 178},
                 "one_to_one": {"alone": 178, "multicast": lambda size: 178},
                 "links": {"busy": 0.94}, "falls": {"staggered": lambda size: 100 + size / 1e5},
                 "in_order": {"in_order": lambda size: 200 if size == 4096 else 20}}
        for key, change in wrong.items():
            judged = verdicts(fig9, self.given(**{**self.FALLING, **change}))
            failed = {name for name, verdict in judged.items() if verdict == "FAILED"}
            self.assertEqual(failed, {key, f"{key}_64"} & set(judged), key)
        self.assertEqual(verdicts(fig9, self.given(**{**self.FALLING,
                                                      "staggered": lambda size: 180 - size / 1e5}))["below"], "FAILED")
        # Small blocks cost software time by any method; from 1 KB on a fixed order is lowest.
        high = {**self.FALLING, "in_order": lambda size: 200 if size < 1024 else 20}
        self.assertEqual(verdicts(fig9, self.given(**high))["in_order"], "passed")

    def test_the_other_reading_stands_beside(self):
        given = self.given(**self.FALLING)
        for name, result in given.items():
            if name.startswith(fig9.OTHER + "one to one"):
                result.values /= 2
        values = fig9.evaluate(FULL, given).values
        self.assertAlmostEqual(values["short_one_to_one"], 2 * values["one_to_one"])
        self.assertAlmostEqual(values["short_multicast"], -50)
        for name, run in fig9.plan(FULL).items():
            self.assertEqual(run.config == machine.SHORT_HEADERS, name.startswith(fig9.OTHER), name)


class Fairness(unittest.TestCase):
    def given(self, turn=12, uniform=(0.417, 0.512), best=1.0, shares=(1, 1, 1, 3)):
        """A FIFO's slot is filled again `turn` cycles after its packet; sources of the tree by their shares."""
        def of(name):
            words = name.split()
            if words[0] == "flow":
                depth, flits = int(words[1]), int(words[2])
                accepted = flits / max(flits, (flits + turn) / depth) / fairness.NODES
                return Given({"accepted_flits_per_node_cycle": accepted})
            if words[0] == "uniform":
                return Given({"accepted_flits_per_node_cycle": uniform[0 if words[1] == "4" else 1]})
            rows = [{"from": f"node {source}", "to": "", "flits": share}
                    for source, share in zip(fairness.TREE, shares)]
            return Given({"accepted_packets_per_source_max": best, "accepted_packets_per_source_min": 1.0,
                          "accepted_flits_per_node_cycle": 1 / fairness.NODES},
                         rows + [{"from": "", "to": "node 0", "flits": 6}])
        return {name: of(name) for name in fairness.plan(FULL)}

    def test_the_bounds_pass(self):
        judged = verdicts(fairness, self.given())
        self.assertEqual({judged[row.key] for row in fairness.ROWS if row.strength == "hard"}, {"passed"})

    def test_each_row_can_fail(self):
        wrong = {"flow_1": {"turn": 11}, "flow_2": {"turn": 13}, "hot_spot": {"best": 1.02},
                 "tree_three": {"shares": (1.5, 1.5, 1.5, 1.5)},
                 "tree_one": {"shares": (1, 1, 2, 2)}, "uniform_4": {"uniform": (0.4, 0.512)},
                 "uniform_3": {"uniform": (0.417, 0.53)}}
        for key, change in wrong.items():
            self.assertEqual(verdicts(fairness, self.given(**change))[key], "FAILED", key)


class Table1(unittest.TestCase):
    def rows(self):
        return [{"protocol": name, **{column: "right" if letter in shown else "-"
                                      for letter, column in table1.COLUMNS.items()}}
                for name, shown in table1.SHOWS.items()]

    def verdicts_of(self, rows):
        return {key: value for key, value in verdicts(table1, {"protocols": Given(0, rows)}).items()}

    def test_all_as_the_table_says(self):
        self.assertEqual(set(self.verdicts_of(self.rows()).values()), {"passed"})

    def test_each_cell_can_fail(self):
        for index, name in enumerate(table1.SHOWS):
            for letter, column in table1.COLUMNS.items():
                rows = self.rows()
                rows[index][column] = "wrong"
                key = {"m": "memory", "n": "notifications", "l": "logs"}[letter]
                self.assertEqual([key], [row for row, verdict in self.verdicts_of(rows).items() if verdict != "passed"],
                                 (name, column))
        self.assertNotEqual(self.verdicts_of(self.rows()[1:])["protocols"], "passed")


class Switch(unittest.TestCase):
    """One switch's latencies out of waveforms that are written here."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.setting = Setting(False, None, pathlib.Path(self.folder.name))

    def wave(self, name, packets):
        """`packets`: (channel, ns, name). All else is as the platform writes it."""
        folder = pathlib.Path(self.folder.name) / name
        folder.mkdir()
        paths = [f"network.node{node}.{side}.packet" for node in range(switch.NODES) for side in ("out", "in")]
        lines = ["$timescale 1ps $end"]
        for code, path in enumerate(paths):
            *scopes, last = path.split(".")
            lines += [f"$scope module {scope} $end" for scope in scopes]
            lines += [f"$var string 1 c{code} {last} $end", *["$upscope $end"] * len(scopes)]
        lines.append("$enddefinitions $end")
        for channel, time, packet in sorted(packets, key=lambda each: each[1]):
            text = packet.replace(" ", "\\040")
            lines += [f"#{int(time * 1000)}", f"s{text} c{paths.index(f'network.{channel}.packet')}"]
        (folder / "machine.vcd").write_text("\n".join(lines) + "\n")
        result = Given({})
        result.folder = folder
        return result

    def packets(self, name, single=125, multicast=187.5, alone=200, access=25):
        """Those of a run of the plan by the times of its switch."""
        if name.startswith("single"):
            return [(f"node{node}.{side}", 1000 * number + left, f"{node}.0 to 2, 8 B")
                    for number, node in enumerate((1, 3, 2)) for side, left in (("out", 0), ("in", single))]
        if name.startswith("multicast"):
            return [("node0.out", 500, "0.1 multicast, 8 B"), ("node0.out", 900, "0.2 multicast, 8 B"),
                    *((f"node{node}.in", 500 + multicast, "0.1 multicast, 8 B") for node in range(4)),
                    *((f"node{node}.in", 2000, "0.2 multicast, 8 B") for node in range(4))]
        members = int(name.split()[-1])
        left = alone + access * (members - 1)
        # In the first round another group's packet is at the table, too.
        return [("node3.out", 1000, "sync 0"), ("node3.in", 1900, "sync 0"),
                *((f"node{node}.out", time, "sync 1") for node in range(members) for time in (1000, 4000, 7000)),
                *((f"node{node}.in", time + left, "sync 1") for node in range(members) for time in (1200, 4000, 7000))]

    def verdicts(self, **times):
        results = {name: self.wave(f"{len(times)} {times} {name}", self.packets(name, **times))
                   for name in switch.plan(self.setting)}
        return verdicts(switch, results)

    def test_the_papers_times_pass(self):
        self.assertEqual(set(self.verdicts().values()), {"passed"})

    def test_each_time_can_fail(self):
        for key, change in {"single": {"single": 137.5}, "multicast": {"multicast": 175},
                            "synchronization": {"alone": 212.5}, "a": {"access": 12.5}}.items():
            failed = [row for row, verdict in self.verdicts(**change).items() if verdict == "FAILED"]
            self.assertEqual(failed, [f"{key} {mode}" for mode in switch.MODES])

    def test_branches_and_members_are_together(self):
        name = "synchronization"
        packets = self.packets(f"{name} 2")
        [late] = [packet for packet in packets if packet[0] == "node1.in" and packet[1] == 4225]
        packets.remove(late)
        wave = switch.Vcd(self.wave("late", [*packets, ("node1.in", 4237.5, "sync 1")]).folder / "machine.vcd")
        self.assertIsNone(switch.synchronization(wave, 2))
        self.assertIsNone(switch.synchronization(wave, 3))


class Shown(unittest.TestCase):
    def test_every_value_stands_in_its_row(self):
        times = {name: Given(index) for index, name in enumerate(collectives.plan(FULL))}
        values = collectives.evaluate(FULL, times).values
        self.assertEqual(set(values), {row.key for row in collectives.ROWS})
        self.assertEqual(values["barrier_1024"], [times[f"barrier: {name}, 1024"].values
                                                  for name in ("hardware", "binomial tree", "dissemination")])
        self.assertEqual(values["allreduce_64"], [times[f"allreduce, 8 B: {name}, 64"].values
                                                  for name in ("hardware", "binomial tree")])

    def test_fairness_leaves_the_receiver_out(self):
        rows = [{"rank": rank, "mean_time": time} for rank, time in enumerate((99, 5, 8, 10))]
        values = fifo.evaluate(FULL, {name: Given(2.0, rows) for name in fifo.plan(FULL)}).values
        self.assertEqual(values["fairness"], [50] * 4)

    def test_walks_are_of_both_sides(self):
        given = {"trace_time_us": 3000, "sender_page_walks": 10, "receiver_page_walks": 30, "sender_translations": 100,
                 "receiver_translations": 300}
        values = pages.evaluate(FULL, {name: Given(given) for name in pages.plan(FULL)}).values
        self.assertEqual(set(values), {row.key for row in pages.ROWS})
        self.assertEqual((values["is_time"], values["mg_walks"]), ([3] * 3, [100] * 3))


class Groups(unittest.TestCase):
    """The machine with groups: each row about a mechanism fails where the mechanism is not there."""

    MECHANISMS = {("look-up", "hit"): (930, 1860), ("look-up", "miss"): (70, 1900), ("prediction", "hit"): (100, -300)}
    FULL = {"trace_time_us": 1000.0, "trace_data_digest": "d", "latency_cycles_mean": 500.0, "flit_hops": 7,
            "lookup_hits": 930, "lookup_misses": 70, "cam_wait_cycles_mean": 0.0,
            "gateway_multicasts": grouped.ROUNDS, "gateway_synchronizations": 16 * 11, "gateway_releases": 16 * 11,
            "gateway_copies": 14 * (grouped.ROUNDS + 16 * 11)}
    SLOWER = {"caches": 1.05, "prediction": 1.001, "Detour-UD": 1.02, "multicast": 1.3, "barrier": 1.3}

    def setUp(self):
        self.setting = Setting(False, None, pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())))

    def result(self, off, scale):
        """Of a run in which these mechanisms are off."""
        mechanisms, metrics, flits = dict(self.MECHANISMS), dict(self.FULL), 0
        metrics["trace_time_us"] *= 1 + 0.001 * (scale if scale != "far" else 0)
        for name in off:
            metrics["trace_time_us"] *= self.SLOWER[name]
        if "caches" in off:
            mechanisms = {("look-up", "access of the CAM"): (1000, 25008), ("prediction", "hit"): (100, -300)}
        if "prediction" in off:
            del mechanisms["prediction", "hit"]
        if "Detour-UD" in off:
            flits = 40
        if "multicast" in off:
            metrics.update(gateway_multicasts=0, gateway_copies=14 * 16 * 11)
        if "barrier" in off:
            metrics.update(gateway_synchronizations=0, gateway_releases=0, gateway_copies=14 * grouped.ROUNDS)
        return metrics, mechanisms, flits

    def given(self, off=None):
        """Results of the plan. `off`: a mechanism that is off in all of them."""
        found = {}
        for name in grouped.plan(self.setting):
            model, scale = name.removeprefix("groups: ").rsplit(", ", 1) if name != grouped.STAGES else ("", "1")
            without = {off, model} & set(grouped.OFF)
            metrics, mechanisms, flits = self.result(without, scale if scale == "far" else float(scale))
            tables = {"mechanisms": [{"mechanism": key[0], "event": key[1], "events": value[0], "cost": value[1]}
                                     for key, value in mechanisms.items()],
                      "links": [{"link": grouped.DEAD_LINK, "flits": flits}, {"link": 1, "flits": 900}]}
            found[name] = types.SimpleNamespace(metric=metrics.__getitem__, table=tables.__getitem__, values=metrics)
        return found

    def failed(self, results):
        values = grouped.evaluate(self.setting, results)
        self.assertEqual(set(values), {row.key for row in grouped.ROWS})
        return {row.key for row in grouped.ROWS if row.judge(values[row.key], False).value == "FAILED"}

    def test_all_rows_pass(self):
        self.assertEqual(self.failed(self.given()), set())

    def test_a_mechanism_that_is_not_there_fails_its_rows(self):
        for off, rows in (("caches", {"groups_hit", "groups_misses"}), ("prediction", {"groups_saved"}),
                          ("Detour-UD", {"groups_dead"}), ("multicast", {"groups_multicast"}),
                          ("barrier", {"groups_barrier"})):
            with self.subTest(off):
                self.assertEqual(self.failed(self.given(off=off)), rows | {f"groups_gain_{off}"})

    def test_other_wrong_models(self):
        """Another digest, forms that differ, a CAM that takes its time in a cache's place, a link that is not dead."""
        for run, key, value, row in ((grouped.STAGES, "trace_data_digest", "e", "groups_data"),
                                     ("groups: modules, 1", "lookup_misses", 71, "groups_modules"),
                                     ("groups: modules, 0.99", "trace_time_us", 1.0, "groups_modules"),
                                     ("groups: all mechanisms, 1", "gateway_releases", 16 * 10, "groups_barrier"),
                                     ("groups: all mechanisms, 1", "gateway_copies", 14 * 16 * 11, "groups_multicast")):
            with self.subTest(row):
                results = self.given()
                results[run].values[key] = value
                self.assertEqual(self.failed(results), {row})
        for key, value, row in ((("look-up", "hit"), (930, 930 * 25), "groups_hit"),
                                (("look-up", "miss"), (500, 13500), "groups_misses"),
                                (("prediction", "hit"), (100, -100), "groups_saved")):
            with self.subTest(row):
                with unittest.mock.patch.dict(self.MECHANISMS, {key: value}):
                    self.assertEqual(self.failed(self.given()), {row})

    def test_a_gain_that_is_not_certain_fails(self):
        results = self.given()
        for scale, time in zip(grouped.SCALES, (900, 1100, 1000, 1200, 950)):
            results[f"groups: caches, {scale}"].values["trace_time_us"] = time
        self.assertEqual(self.failed(results), {"groups_gain_caches"})

    def test_the_load(self):
        """Every message has its receive, and both ends of ping-pongs agree."""
        for operations in (grouped.rounds, grouped.ping_pongs):
            ends = collections.Counter()
            for rank in range(grouped.RANKS):
                for words in map(str.split, operations(rank)):
                    if words[0].lstrip("i") in ("send", "recv"):
                        pair = (rank, int(words[1])) if "send" in words[0] else (int(words[1]), rank)
                        ends[*pair, words[2]] += 1 if "send" in words[0] else -1
                        self.assertNotEqual(*pair)
            self.assertGreater(len(ends), 1)
            self.assertEqual(set(ends.values()), {0})


if __name__ == "__main__":
    unittest.main()
