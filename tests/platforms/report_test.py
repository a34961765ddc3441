#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of runs from outside: what --report and scripts/report.py write and refuse. usage: report_test.py NETWORK"""

import base64
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
from unittest import mock

import machine
from own_folder import FolderTest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from tsuji import report_intervals, report_library, report_network, report_packets, report_run  # noqa: E402
from tsuji import report_words  # noqa: E402
from tsuji.errors import Refused  # noqa: E402
from tsuji.report_page import embedded  # noqa: E402

SHORT = {"topology.radices": [4, 4], "measure.warmup_cycles": 100, "measure.cycles": 1000}


def library_or_skip():
    """Skips where the pages' library is missing."""
    try:
        report_library.read()
    except Refused as refusal:
        raise unittest.SkipTest(str(refusal)) from None


def write_page(*words, **environment):
    return subprocess.run([sys.executable, SCRIPTS / "report.py", *words], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL)
    return json.loads(found[1])


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Pages(machine.MachineTest):
    def setUp(self):
        library_or_skip()
        super().setUp()

    def reported(self, *words, **keys):
        return self.passes("--report", *words, keys={**SHORT, **keys}, drawn=True)

    def test_a_page_has_the_numbers_of_its_run(self):
        done = self.reported("--records", **{"topology.kind": "torus"})
        data, result = data_of(done.out / "report.html"), done.json()
        self.assertEqual({name: value for name, value, _ in data["metrics"]},
                         {name: metric["value"] for name, metric in result["metrics"].items()})
        self.assertEqual(data["tables"], result["tables"])
        self.assertEqual(len(data["leading"]), 5)
        for _, name, value, unit in data["leading"]:
            self.assertEqual({"value": value, "unit": unit}, result["metrics"][name])
        links = rows_of(done.out / "links.csv")
        self.assertEqual([[link[2], link[3]] for link in data["network"]["links"]],
                         [[f"{row['from']} to {row['to']}", int(row["flits"])] for row in links])
        self.assertTrue(data["network"]["whole"])
        self.assertIn(["topology.radices", "[4, 4]"], data["changed"])
        self.assertIn(["topology.kind", "torus"], data["changed"])

    def test_sources_sum_to_the_metrics(self):
        done = self.reported()
        rows = rows_of(done.out / "sources.csv")
        accepted = [int(row["accepted_packets"]) for row in rows]
        self.assertEqual(len(rows), done.metric("sources"))
        self.assertEqual([row["router"] for row in rows], [row["node"] for row in rows])
        self.assertEqual((min(accepted), max(accepted)), (done.metric("accepted_packets_per_source_min"),
                                                          done.metric("accepted_packets_per_source_max")))
        # All measured packets arrive, so that those offered are those measured.
        offered = [int(row["offered_packets"]) for row in rows]
        self.assertEqual(sum(offered), done.metric("measured_packets"))
        mean = sum(n * float(row["latency_mean"]) for n, row in zip(offered, rows)) / sum(offered)
        self.assertAlmostEqual(mean, done.metric("latency_cycles_mean"), 6)

    def test_packets_sum_to_their_latencies(self):
        done = self.reported("--records")
        data = data_of(done.out / "report.html")
        packets = [row for row in rows_of(done.out / "packets.csv") if row["latency_cycles"]]
        hops = data["parts"]["by_hops"]
        sums = done.out / "packet_parts.csv"
        by_distance = data["parts"].pop("by_distance")
        self.assertEqual(data["parts"], report_packets.parts_of(report_packets.Packets(done.out / "packets.csv")))
        self.check_distances(by_distance, packets)
        distances = done.out / "packet_parts_by_distance.csv"
        kept = distances.read_text()
        for broken in (kept.replace("distance,", "hops,", 1), kept.replace("link_cycles", "way_cycles", 1)):
            distances.write_text(broken)
            self.assertIn(str(distances), self.ended(write_page(done.out), 2).stderr)
        distances.write_text(kept)
        for broken in ("hops\n1", "packets,hops,link_cycles\n1,2,3\n",
                       "hops,packets,link_cycles\n1,2\n", "hops,packets,link_cycles\n1,2,-3\n"):
            sums.write_text(broken)
            self.assertIn(str(sums), self.ended(write_page(done.out), 2).stderr)
        sums.unlink()
        self.assertEqual(self.ended(write_page(done.out), 0).stderr, "")
        self.assertEqual(data_of(done.out / "report.html"), data)
        self.assertEqual(sum(row[1] for row in hops), len(packets))
        self.assertEqual(sum(sum(row[2:]) for row in hops), sum(int(row["latency_cycles"]) for row in packets))
        of_packets = report_packets.time_of(report_packets.Packets(done.out / "packets.csv"))
        for time, whole in ((data["time"], True), (of_packets, False)):
            self.assertEqual(sum(row[2] for row in time["rows"]), sum(int(row["flits"]) for row in packets))
            self.assertEqual(max(row[4] or 0 for row in time["rows"]),
                             max(int(row["latency_cycles"]) for row in packets))
            self.assertEqual(time["whole"], whole)
        fates = dict(done.json()["tables"]["packet_fates"]["rows"])
        self.assertEqual((data["time"]["rows"][-1][5], of_packets["rows"][-1][5]), (fates["under way"], 0))
        self.assertEqual(sum(row[6] for row in data["time"]["rows"]), done.metric("simulated_cycles"))
        last = max(int(row["tail_cycle"]) for row in packets)
        self.assertEqual(of_packets["rows"][0][0] + sum(row[6] for row in of_packets["rows"]), last + 1)
        self.assertLessEqual(len(of_packets["rows"]), report_packets.INTERVALS)

    def check_distances(self, rows, packets):
        """Rows of distance, packets, and a sum for each part, against packets.csv of a 4x4 mesh."""
        names = [name for name in packets[0] if name.endswith("_cycles")][1:]
        sums = {}
        for packet in packets:
            (x, y), (to_x, to_y) = (divmod(int(packet[end]), 4) for end in ("source", "destination"))
            cells = [1, *(int(packet[name]) for name in names)]
            before = sums.setdefault(abs(x - to_x) + abs(y - to_y), [0] * len(cells))
            sums[abs(x - to_x) + abs(y - to_y)] = [sum(pair) for pair in zip(before, cells)]
        self.assertEqual(rows, [[distance, *sums[distance]] for distance in sorted(sums)])

    def test_distances_are_not_hops(self):
        done = self.reported("--records", **{"routing.kind": "valiant", "router.vcs": 4})
        parts = data_of(done.out / "report.html")["parts"]
        self.check_distances(parts["by_distance"], [row for row in rows_of(done.out / "packets.csv")
                                                    if row["latency_cycles"]])
        self.assertGreater(len(parts["by_hops"]), len(parts["by_distance"]))
        self.assertFalse((self.passes("--records", keys=SHORT).out / "packet_parts_by_distance.csv").exists())

    def test_several_threads(self):
        plain = self.reported(**{"topology.radices": [8, 8]})
        done = self.reported("--threads", "2", **{"topology.radices": [8, 8]})
        self.assertEqual(done.result_bytes(), plain.result_bytes())
        pages = [data_of(run.out / "report.html") for run in (plain, done)]
        self.assertEqual(pages[0]["network"], pages[1]["network"])
        self.assertIsNotNone(pages[0]["time"])
        self.assertEqual(pages[0]["time"], pages[1]["time"])

    def check_intervals(self, done, longer=0):
        """Rows of intervals.csv, whose counts are those of packets.csv and links.csv; `longer`: than the run."""
        rows, links = rows_of(done.out / "intervals.csv"), rows_of(done.out / "links.csv")
        packets = [{name: int(row[name]) for name in ("created_cycle", "tail_cycle", "flits", "latency_cycles")}
                   for row in rows_of(done.out / "packets.csv") if row["latency_cycles"]]
        cycles = sum(int(row["cycles"]) for row in rows)
        self.assertEqual(cycles, done.metric("simulated_cycles") + longer)
        if (done.out / "port_waits.csv").exists():
            for row in rows_of(done.out / "port_waits.csv"):
                self.assertEqual(sum(int(of) for of in list(row.values())[3:]), cycles)
        for row in rows:
            first = int(row["first_cycle"])
            ended = [of for of in packets if first <= of["tail_cycle"] < first + int(row["cycles"])]
            self.assertEqual((int(row["delivered_packets"]), int(row["delivered_flits"])),
                             (len(ended), sum(of["flits"] for of in ended)))
            if ended:
                latencies = [of["latency_cycles"] for of in ended]
                self.assertEqual(int(row["latency_max"]), max(latencies))
                self.assertAlmostEqual(float(row["latency_mean"]), sum(latencies) / len(latencies), 9)
        self.assertEqual(sum(int(row["born_packets"]) for row in rows), done.metric("packets_born"))
        flits = rows_of(done.out / "link_intervals.csv")
        self.assertEqual([(row["from"], row["to"], int(row["flits"])) for row in links],
                         [(row["from"], row["to"], sum(int(row[first["first_cycle"]]) for first in rows))
                          for row in flits])
        return rows

    def test_intervals(self):
        rows = self.check_intervals(self.reported("--records"))
        self.assertTrue(all(int(row["cycles"]) == 64 for row in rows[:-1]))
        given = {**SHORT, "observe.interval_cycles": 100, "links.csv": "true"}
        for keys in ({}, {"measure.warmup_cycles": "auto"}):
            done = self.passes("--records", keys={**given, **keys})
            rows = self.check_intervals(done)
            self.assertEqual([int(row["first_cycle"]) for row in rows], [100 * i for i in range(len(rows))])
            plain = self.passes("--records", keys={**SHORT, "links.csv": "true", **keys})
            self.assertEqual(done.result_bytes(without_config=True), plain.result_bytes(without_config=True))
            self.assertFalse((plain.out / "intervals.csv").exists())
        npb = {"topology.radices": [4, 4], "workload.npb": "is.S.16", "workload.npb_steps": 1}
        # An application on packetizers ends with its last cycle, which its length does not count.
        for nodes, longer in (({}, 1), ({"nic.kind": "cenju4", "clock_period_ps": 12500}, 0)):
            given = {**npb, **nodes, "observe.interval_cycles": 1000, "links.csv": "true", "observe.port_waits": "true"}
            self.assertGreater(len(self.check_intervals(self.passes("--records", keys=given), longer)), 80)
        rows = rows_of(self.passes("--report", keys=npb, drawn=True).out / "intervals.csv")
        self.assertGreater(len(rows), 100)
        self.assertEqual(rows[-1]["under_way_packets"], "0")

    def test_the_page_shows_intervals(self):
        done = self.reported("--records")
        data = data_of(done.out / "report.html")
        rows = rows_of(done.out / "intervals.csv")
        self.assertEqual([row[:3] for row in data["time"]["rows"]],
                         [[int(row[name]) for name in ("first_cycle", "born_packets", "delivered_flits")]
                          for row in rows])
        shares = base64.b64decode(data["link_time"]["shares"])
        flits = rows_of(done.out / "link_intervals.csv")
        for i, row in enumerate(rows):
            for link in (0, 7, len(flits) - 1):
                share = int(flits[link][row["first_cycle"]]) / int(row["cycles"])
                self.assertAlmostEqual(shares[i * len(flits) + link] / 255, share, delta=0.5 / 255 + 1e-9)

    def test_intervals_are_joined_in_large_networks(self):
        rows = self.reported("--records").out
        network = data_of(rows / "report.html")["network"]
        time = report_intervals.time_of(rows / "intervals.csv")
        with mock.patch.object(report_intervals, "MOST_CELLS", 300):
            links = report_intervals.links_of(rows / "link_intervals.csv", network, time)
        count = len(links["firsts"])
        self.assertLessEqual(count * len(network["links"]), 300)
        self.assertEqual(sum(links["lengths"]), sum(row[6] for row in time["rows"]))
        shares = base64.b64decode(links["shares"])
        for i, link in enumerate(network["links"]):
            whole = sum(shares[part * len(network["links"]) + i] / 255 * length
                        for part, length in enumerate(links["lengths"]))
            self.assertAlmostEqual(whole / sum(links["lengths"]), link[4], delta=0.5 / 255 + 1e-9)

    def test_a_page_changes_no_result_and_needs_no_network(self):
        done, plain = self.reported(), self.passes(keys=SHORT)
        self.assertEqual(done.result_bytes(), plain.result_bytes())
        for name in ("report.html", "links.csv", "sources.csv", "changed.yaml", "intervals.csv", "link_intervals.csv"):
            self.assertFalse((plain.out / name).exists())
        own = (done.out / "report.html").read_text().replace(report_library.read(), "")
        self.assertNotRegex(own, r"\b(src|href)=|@import|url\(|fetch\(|XMLHttpRequest")
        self.assertIn("default-src 'none'", own)
        self.assertFalse((done.out / "report.log").exists())

    def test_a_kept_run_gets_its_page_later(self):
        plain = self.passes(keys={**SHORT, "links.rows": 5})
        self.ended(write_page(plain.out))
        data = data_of(plain.out / "report.html")
        self.assertEqual((len(data["network"]["links"]), data["network"]["whole"], data["changed"], data["sources"]),
                         (5, False, None, None))
        self.ended(write_page(plain.out / "result.json", "-o", self.folder / "page.html"))
        self.assertEqual(data_of(self.folder / "page.html"), data)
        kept = ["--runs", self.folder / "runs"]
        # A run that is kept without a page is no run with one.
        for words, count in (((), 1), (("--report",), 2), (("--report",), 2)):
            done = subprocess.run([machine.EXECUTABLE, *kept, *words, "--set", "topology.radices=[3,3]", "--set",
                                   "measure.cycles=500", "--quiet"], capture_output=True, text=True, timeout=300)
            self.ended(done)
            self.assertEqual(len([path for path in (self.folder / "runs").glob("network-*") if path.is_dir()]), count)
        self.assertEqual(len(list((self.folder / "runs").glob("*/report.html"))), 1)

    def test_sweeps_applications_and_other_topologies(self):
        sweep = self.passes("--report", "--sweep-load", "0.1:0.2:2", keys=SHORT, drawn=True)
        self.assertEqual(len(data_of(sweep.out / "report.html")["tables"]["sweep"]["rows"]), 2)
        for kind, layout, keys in (("fat_tree", "stages", {}), ("fly", "stages", {}),
                                   ("random_regular", "forces", {"routing.kind": "up_down"})):
            done = self.passes("--report", drawn=True, keys={"topology.kind": kind, "measure.cycles": 200, **keys})
            network = data_of(done.out / "report.html")["network"]
            self.assertEqual((network["layout"], network["places"] is None), (layout, layout == "forces"))

    def test_names_are_text(self):
        done = self.passes(keys=SHORT)
        path, evil = done.out / "result.json", "</script><script>alert(1)</script>\u2028"
        result = json.loads(path.read_text())
        result["metrics"][evil] = {"value": evil, "unit": evil}
        result["platform"] = evil
        path.write_text(json.dumps(result))
        self.ended(write_page(done.out))
        page = (done.out / "report.html").read_text()
        self.assertFalse("<script>alert" in page)
        self.assertFalse("\u2028" in page[page.index("<script"):])
        self.assertIn([evil, evil, evil], data_of(done.out / "report.html")["metrics"])


class Refusals(machine.MachineTest):
    def setUp(self):
        library_or_skip()
        super().setUp()
        self.done = self.passes("--records", keys={**SHORT, "links.csv": "true"})

    def refuses(self, parts, *words, **environment):
        done = self.ended(write_page(*words, **environment), 2)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse((self.done.out / "report.html").exists())

    def test_no_folder_and_no_result(self):
        self.refuses(["nowhere: no such folder", "accepted: the output folder of a run"], self.folder / "nowhere")
        self.refuses([f"{self.folder}: no result", "accepted: "], self.folder)
        self.refuses(["no folder; accepted: "])

    def test_damaged_results(self):
        path = self.done.out / "result.json"
        whole = path.read_text()
        result = json.loads(whole)
        for text, part in ((whole[:len(whole) // 2], "is damaged"), ("[]", "names no schema")):
            path.write_text(text)
            self.refuses([str(path), part], self.done.out)
        for change, part in (({"schema": "tsuji.result/9"}, "newer tsuji"), ({"metrics": []}, "metrics: is damaged"),
                             ({"platform": 3}, "is damaged"),
                             ({"metrics": {"a": 3}}, "metrics.a: has no value and unit"),
                             ({"tables": {"t": {"columns": [], "rows": [[1]]}}}, "tables.t: has a row")):
            path.write_text(json.dumps({**result, **change}))
            self.refuses([str(path), part], self.done.out)
        path.write_bytes(b"\xff\xfe")
        self.refuses([str(path), "is damaged"], self.done.out)

    def test_damaged_tables(self):
        for name, text, part in (("links.csv", "from,to\n", "has no column flits"),
                                 ("links.csv", "from,to,flits,utilization\n0:0,1:0\n", ":2: has another number"),
                                 ("packets.csv", "packet\n", "has no column source"),
                                 ("packets.csv", "", "has no column packet"),
                                 ("sources.csv", f"{','.join(report_run.SOURCES)}\nx,0,1,1,\n", "no number"),
                                 ("changed.yaml", "a: [", "is damaged")):
            with self.subTest(name=name, part=part):
                path = self.done.out / name
                before = path.read_bytes() if path.exists() else None
                path.write_text(text)
                self.refuses([str(path), part, "accepted: "], self.done.out)
                path.unlink() if before is None else path.write_bytes(before)
        path = self.done.out / "packets.csv"
        lines = path.read_text().splitlines()
        for broken, part in ((lines[1].replace(",", ",x", 9), "no number of cycles"), (lines[1][:9], "another number")):
            path.write_text("\n".join([lines[0], broken]) + "\n")
            self.refuses([f"{path}:2", part], self.done.out)

    def test_damaged_intervals(self):
        done = self.passes("--report", keys=SHORT, drawn=True)
        (done.out / "report.html").unlink()
        rows, links = done.out / "intervals.csv", done.out / "link_intervals.csv"
        for path, change, part in ((rows, lambda text: text.replace("born", "x", 1), "has no column born_packets"),
                                   (rows, lambda text: text.replace("\n0,64", "\n0,a", 1), "in the interval 0"),
                                   (links, lambda text: text.replace("from,to,0", "from,to", 1), "other intervals"),
                                   (links, lambda text: text.replace("\n0:", "\n99:", 1), ":2: is no link"),
                                   (links, lambda text: text.replace(",", ",x", 1000), "")):
            with self.subTest(part=part):
                before = path.read_text()
                path.write_text(change(before))
                failed = self.ended(write_page(done.out), 2)
                self.assertIn(str(path), failed.stderr)
                self.assertIn(part, failed.stderr)
                self.assertNotIn("Traceback", failed.stderr)
                path.write_text(before)

    def test_intervals_longer_than_the_run(self):
        self.refused(["observe.interval_cycles: longer than the longest run", "accepted: up to 51100, or auto"],
                     keys={**SHORT, "observe.interval_cycles": 51101})
        npb = {"topology.radices": [4, 4], "workload.npb": "is.S.16", "workload.npb_steps": 1}
        done = self.passes(keys={**npb, "observe.interval_cycles": 1_000_000_000})
        self.assertIn("intervals.csv has one interval", done.json()["warnings"][0])

    def test_a_run_without_results(self):
        (self.folder / "failed").mkdir()
        (self.folder / "failed/failure.txt").write_text("a flit was lost")
        self.refuses(["the run has no results: a flit was lost"], self.folder / "failed")

    def test_the_library(self):
        missing, other = self.folder / "d3.min.js", self.folder / "other.js"
        other.write_text("// jQuery")
        for path, part in ((missing, "cannot be read"), (other, "is no d3 that the page can use (got '// jQuery')")):
            self.refuses([str(path), part, "accepted: d3.min.js"], self.done.out, TSUJI_D3=str(path))
            os.environ["TSUJI_D3"] = str(path)
            try:
                self.refused(["--report: ", str(path), part], "--report", keys=SHORT, drawn=True)
            finally:
                del os.environ["TSUJI_D3"]
        given = self.folder / "given.js"
        given.write_text("// https://d3js.org v7.9.0 Copyright\nconst marked = 17;\n")
        self.ended(write_page(self.done.out, "-o", self.folder / "given.html", TSUJI_D3=str(given)))
        self.assertIn("const marked = 17;", (self.folder / "given.html").read_text())

    def test_prints_write_no_page(self):
        self.refused(["--report: does not go together with --print-topology"], "--report", "--print-topology", "json")

    def test_a_page_that_fails_leaves_the_results(self):
        broken = self.folder / "python"
        broken.write_text('#!/bin/sh\ncase "$*" in *--check*) exit 0 ;; esac\necho no room for it\nexit 1\n')
        broken.chmod(0o755)
        out = self.folder / "kept"
        done = subprocess.run([machine.EXECUTABLE, "--report", "--quiet", "--out", out, "--set", "measure.cycles=100"],
                              env={**os.environ, "TSUJI_PYTHON": str(broken)}, capture_output=True, text=True,
                              timeout=300)
        self.ended(done, 1)
        self.assertIn("no room for it", done.stderr)
        self.assertTrue((out / "result.json").exists())
        self.assertFalse((out / "report.html").exists())


class Words(FolderTest):
    """Sentences and places, without a run."""

    def result(self, metrics, **more):
        from tsuji.results import Result

        folder = self.folder / "run"
        folder.mkdir(exist_ok=True)
        (folder / "result.json").write_text(json.dumps(
            {"schema": "tsuji.result/1", "platform": "network", "tables": {}, **more,
             "metrics": {name: {"value": value, "unit": ""} for name, value in metrics.items()}}))
        return Result(folder)

    def wrong(self, metrics, network=None, **more):
        return report_words.wrong(self.result(metrics, **more), network)

    def test_what_is_wrong(self):
        self.assertEqual(self.wrong({"stability": "stable", "latency_confidence": "independent", "packets_dropped": 0,
                                     "latency_is_lower_bound": 0, "saturated": 0}), [])
        for metrics, part in (({"stability": "saturated", "stability_reason": "latency grows"},
                               "saturated: it does not carry this load without end (latency grows)."),
                              ({"saturated": 1}, "The network is saturated"),
                              ({"stability": "undecided", "stability_reason": "few", "stability_needs_cycles": 70},
                               "(few); measure.cycles=70 decides."),
                              ({"latency_confidence": "dependent"}, "interval (dependent): the interval is shorter"),
                              ({"latency_is_lower_bound": 1, "measured_packets_undelivered": 9}, "survivors only: 9 "),
                              ({"measured_packets": 0}, "No packet was measured."),
                              ({"packets_dropped": 4}, "4 packets were dropped.")):
            found = self.wrong(metrics)
            self.assertEqual(len(found), 1, found)
            self.assertIn(part, found[0])
        self.assertIn("ended by SIGINT", self.wrong({}, status="partial", ended_by="SIGINT")[0])
        self.assertEqual(self.wrong({}, warnings=["w"]), ["w"])

    def test_hot_links(self):
        links = [[0, 1, "a", 96, 0.96], [1, 0, "b", 95, 0.95], [0, 1, "c", 0, None]]
        network = {"links": links, "whole": True, "flit_cycles": 1}
        self.assertEqual(self.wrong({}, network), ["1 link is above 95 % of its bandwidth."])
        self.assertEqual(self.wrong({}, {**network, "whole": False, "flit_cycles": 2}),
                         ["2 or more links are above 95 % of their bandwidth."])

    def test_keys_that_follow_from_others(self):
        result = self.result({})
        (result.folder / "changed.yaml").write_text(
            'link:\n  latency_cycles: 2  # cycles; from others\nrouter:\n  vcs: 3  # --set\n'
            '  kind: "x # from others"  # f.yaml:1:2\n  depth: 4  # from others\n')
        self.assertEqual(report_run.changed(result), [["router.vcs", "3"], ["router.kind", "x # from others"]])

    def test_five_numbers(self):
        metrics = {f"own_{i}": i for i in range(4)} | {"word": "x", "hops_mean": 3, "latency_cycles_mean": None}
        self.assertEqual([row[1] for row in report_words.leading(self.result(metrics))],
                         ["hops_mean", "own_0", "own_1", "own_2", "own_3"])

    def places(self, kind, at):
        routers = report_network.Routers()
        for i, place in enumerate(at):
            routers.number(f"{i}:0", " ".join(str(axis) for axis in place), report_network.FIRST)
        return report_network.places_of(kind, routers)

    def test_places(self):
        self.assertEqual(self.places("mesh", [[0, 0], [2, 1]]), ("grid", [(0, 0), (2, 1)]))
        # The third dimension is a block to the right, one place apart.
        self.assertEqual(self.places("torus", [[0, 0, 0], [3, 1, 0], [0, 0, 1]])[1], [(0, 0), (3, 1), (5, 0)])
        layout, places = self.places("fat_tree", [[0, 0], [0, 1], [1, 0]])
        self.assertEqual((layout, places[2][1]), ("stages", 1.0))
        self.assertEqual(places[0][0], places[1][0])
        self.assertGreater(places[2][0], places[0][0])
        layout, places = self.places("dragonfly", [[g, r] for g in range(5) for r in range(4)])
        self.assertEqual((layout, len(set(places))), ("groups", 20))
        self.assertEqual(self.places("hyperx", [[0, 0], [1, 0]])[0], "groups")
        self.assertEqual(self.places("random_regular", [[], []]), ("forces", None))

    def test_ends_with_names(self):
        routers = report_network.Routers()
        first, last = report_network.FIRST, report_network.LAST
        ends = [routers.number("node 3", "", first), routers.number("switch0_2:1", "", first),
                routers.number("switch0_2:0", "", last), routers.number("node 3", "", last)]
        self.assertEqual(ends, [0, 1, 1, 2])
        self.assertEqual(report_network.places_of("crosspoints", routers)[0], "stages")

    def test_short_lines(self):
        def stub(a, b, kind="torus", at=((0, 0), (4, 0), (1, 0), (0, 4), (0, 1))):
            return (report_network.stubs_of([[a, b, "", 0, 0]], [list(place) for place in at], kind, [(0, 0)] * len(at))
                    or [None])[0]
        self.assertEqual([stub(0, 1), stub(1, 0), stub(0, 3), stub(0, 2), stub(4, 0)],
                         [[-1, 0], [1, 0], [0, -1], None, None])
        self.assertIsNone(stub(0, 1, "random_grid"))
        deep = ((0, 0, 0), (0, 0, 1), (0, 0, 2))
        self.assertEqual([stub(0, 1, at=deep), stub(0, 2, at=deep)], [[0.707, -0.707], [-0.707, 0.707]])

    def test_json_in_a_page(self):
        self.assertEqual(embedded({"a": "<!--</script"}), '{"a":"\\u003c!--\\u003c/script"}')
        with self.assertRaises(ValueError):
            embedded(float("nan"))


if __name__ == "__main__":
    machine.main()
