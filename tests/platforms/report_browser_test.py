#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of runs in Chromium: their numbers, what clicks do, and how long they take. usage: report_browser_test.py
NETWORK"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import unittest

import browser
import machine
from report_test import SCRIPTS, data_of, library_or_skip, rows_of, write_page

SHORT = {"topology.kind": "torus", "topology.radices": [8, 8], "measure.warmup_cycles": 200, "measure.cycles": 2000}
MOST_BYTES = 5_000_000


def number(text):
    return float(text.replace("\u202f", ""))


@browser.needed
class Runs(machine.MachineTest):
    def setUp(self):
        library_or_skip()
        super().setUp()

    def opened(self, *words, **keys):
        """(the run, a browser with its page)."""
        done = self.passes("--report", *words, keys={**SHORT, **keys}, drawn=True)
        window = browser.Browser(self)
        window.open(done.out / "report.html")
        return done, window

    def test_stories_of_packets(self):
        done, window = self.opened("--follow", "slowest:3")
        tables = done.json()["tables"]
        names = [row[0] for row in tables["followed_packets"]["rows"]]
        self.assertEqual(window.run("return [...document.querySelectorAll('#story-packet option')].map(o => o.value)"),
                         names)
        window.run("const box = document.getElementById('story-packet'); box.value = arguments[0]; "
                   "box.dispatchEvent(new Event('change'))", names[1])
        hops = [row for row in tables["packet_hops"]["rows"] if row[0] == names[1]]
        rows = window.rows("#story-hops")
        self.assertEqual([row[1] for row in rows], [row[2] for row in hops])
        self.assertEqual([[number(cell) for cell in row[5:]] for row in rows], [row[6:] for row in hops])
        waits = [row for row in tables["packet_waits"]["rows"] if row[0] == names[1]]
        self.assertEqual([row[1:3] for row in window.rows("#story-waits")], [row[2:4] for row in waits][:40])
        # Bars: a visit for each hop, wires between them, and the waits.
        bars = window.all("#story svg rect.part")
        self.assertEqual(len(bars), 2 * len(hops) - 1 + len(waits))
        held = next(i for i, row in enumerate(waits) if row[7])
        window.run("arguments[0].dispatchEvent(new MouseEvent('mousemove', {clientX: 50, clientY: 50}))",
                   bars[2 * len(hops) - 1 + held])
        self.assertIn(f"held by {waits[held][7]}", window.tip())
        window.run("document.querySelectorAll('#story-hops tbody tr')[1].click()")
        self.assertIn(hops[1][2], window.one("#told").text)
        window.quiet()

    def test_ranks_over_time(self):
        done = self.passes("--report", drawn=True, keys={"topology.radices": "[4, 4]", "workload.npb": "is.S.16",
                                                         "workload.npb_steps": 1})
        window = browser.Browser(self)
        window.open(done.out / "report.html")
        steps = rows_of(done.out / "critical_path.csv")
        parts = window.one("#path-parts")
        self.assertEqual([int(parts.get_attribute(f"data-{part}")) for part in ("computing", "messages")],
                         [sum(int(step["cycles"]) for step in steps if step["part"] == part)
                          for part in ("computing", "message")])
        self.assertEqual(sum(int(step["cycles"]) for step in steps), done.metric("trace_cycles"))
        longest = max(int(step["cycles"]) for step in steps)
        self.assertEqual(number(window.rows("#path-steps")[0][5]), longest)
        pairs = rows_of(done.out / "rank_messages.csv")
        first = window.rows("#message-pairs")[0]
        self.assertEqual(number(first[3]), max(int(pair["bytes"]) for pair in pairs))
        # The pointer on the first rank's first span.
        span = rows_of(done.out / "rank_timeline.csv")[0]
        window.run("document.getElementById('rank-timeline').scrollIntoView()")
        place = window.run("const box = document.getElementById('rank-timeline').getBoundingClientRect(); "
                           "return [box.left, box.top, box.width]")
        end = 1 + done.metric("trace_cycles")
        middle = int(span["first_cycle"]) + int(span["cycles"]) / 2
        x = (54 + (middle - 1) / (end - 1) * (1120 - 16 - 54)) * place[2] / 1120
        window.point(place[0] + x, place[1] + 4, "#rank-timeline")
        self.assertIn(f"rank 0: {span['operation']}", window.tip())
        window.point(place[0] + x, place[1] - 500, "#message-matrix")
        window.quiet()

    def test_why_ports_wait(self):
        done, window = self.opened(**{"observe.port_waits": "true", "traffic.load_flits_per_node_cycle": 0.6})
        states = dict((row[0], row[1]) for row in done.json()["tables"]["port_states"]["rows"])
        shown = {item.get_attribute("data-state"): int(item.get_attribute("data-cycles"))
                 for item in window.all("#states-key li")}
        self.assertEqual(shown, states)
        file = rows_of(done.out / "port_waits.csv")
        ports = {}
        for row in file:
            place = row["router"], row["port"]
            ports[place] = ports.get(place, 0) + sum(
                int(row[name]) for name in ("no_vc", "link_down", "recovery", "no_credit", "lost_switch"))
        worst = window.rows("#worst-ports")[0]
        self.assertEqual(ports[worst[0], worst[1]], max(ports.values()))
        # Two charts over time: causes of waits, and flits in buffers.
        self.assertEqual(len(window.all("#waits svg.chart")), 2)
        # The colour of routers, and the text at the pointer.
        window.run("const box = document.getElementById('routers'); box.value = 'no_credit'; "
                   "box.dispatchEvent(new Event('change'))")
        of = [row for row in file if row["router"] == "9"]
        share = sum(int(row["no_credit"]) for row in of) / sum(int(value) for row in of for name, value in row.items()
                                                               if name not in ("router", "port", "vc"))
        x, y = window.run("return Parts.network.at(Parts.data().network.routers.indexOf('9'))")
        window.point(x, y)
        self.assertIn(f"{100 * share:.1f} % without a credit", window.tip())
        window.quiet()

    def test_faults_over_time(self):
        done, window = self.opened(**{
            "topology.radices": [5, 5], "routing.kind": "detour_ud", "router.atomic_vcs": "true",
            "faults.events": "router 7@700, link 3@1500", "traffic.load_flits_per_node_cycle": 0.3,
            "router.block_timeout_cycles": 30})
        tables = done.json()["tables"]
        dropped = sum(row[3] for row in tables["drops_over_time"]["rows"])
        self.assertEqual(dropped, sum(row[1] for row in tables["drops"]["rows"]))
        self.assertGreater(dropped, 0)
        shown = [number(word) for word in window.one("#faults-sum").text.split() if word[0].isdigit()]
        self.assertEqual(shown, [2, len(tables["reconfigurations"]["rows"]), dropped])
        for mark, name in (("fault", "faults"), ("pause", "reconfigurations"), ("drops", "drops_over_time")):
            marks = window.all(f"#fault-timeline rect.{mark}")
            self.assertEqual(len(marks), len(tables[name]["rows"]), mark)
        window.run("arguments[0].dispatchEvent(new MouseEvent('mousemove', {clientX: 50, clientY: 50}))",
                   window.all("#fault-timeline rect.fault")[0])
        self.assertIn("router 7 dies in cycle 700", window.tip())
        counts = rows_of(done.out / "routers.csv")
        self.assertEqual(sum(int(row["recoveries"]) for row in counts),
                         done.metric("recoveries_by_timeout") + done.metric("recoveries_by_hops"))
        window.quiet()

    def test_prediction_by_router(self):
        done, window = self.opened(**{"prediction.kind": "straight", "traffic.load_flits_per_node_cycle": 0.1,
                                      "lookup.kind": "cached"})
        counts = rows_of(done.out / "routers.csv")
        for name, metric in (("prediction_hits", "prediction_hits"), ("prediction_visits", "prediction_visits"),
                             ("lookups", "lookups"), ("lookup_hits", "lookup_hits")):
            self.assertEqual(sum(int(row[name]) for row in counts), done.metric(metric), name)
        window.run("const box = document.getElementById('routers'); box.value = 'prediction_hits'; "
                   "box.dispatchEvent(new Event('change'))")
        heads = window.run("return [...document.querySelectorAll('#router-counts-table thead th')].map("
                           "cell => cell.textContent)")
        row = next(row for row in window.rows("#router-counts-table") if row[0] == counts[0]["router"])
        place = next(i for i, head in enumerate(heads) if head.replace(" ", "_").startswith("prediction_hits"))
        self.assertEqual(number(row[place]), int(counts[0]["prediction_hits"]))
        window.quiet()

    def test_numbers_are_those_of_the_result(self):
        done, window = self.opened("--records")
        for tile in window.all("#numbers dd"):
            value = done.metric(tile.get_attribute("data-metric"))
            self.assertAlmostEqual(number(tile.text.split()[0]), value, delta=abs(value) * 1e-4)
        # The worst link, of the file of all links.
        worst = max(rows_of(done.out / "links.csv"), key=lambda row: int(row["flits"]))
        first = window.rows("#worst")[0]
        self.assertEqual(first[0], f"{worst['from']} to {worst['to']}")
        self.assertEqual([first[1], first[2]], [worst[end].replace(" ", ",") for end in ("from_at", "to_at")])
        self.assertEqual(number(first[4]), int(worst["flits"]))
        self.assertAlmostEqual(number(first[3]), float(worst["utilization"]), 4)
        # Where cycles go: all parts of the key together.
        parts = [number(item.text.split(": ")[1].split()[0]) for item in window.all("#parts-key li")]
        packets = [int(row["latency_cycles"]) for row in rows_of(done.out / "packets.csv") if row["latency_cycles"]]
        self.assertAlmostEqual(sum(parts), sum(packets) / len(packets), 1)
        self.assertEqual(len(window.all("#latency line.mark")), 5)
        self.assertEqual(len(window.all("#time svg.chart")), 4)
        self.assertIn(str(done.metric("accepted_packets_per_source_min")), window.one("#fair").text)
        window.quiet()

    def test_parts_by_hops_and_by_distance(self):
        done, window = self.opened("--records", **{"routing.kind": "valiant", "router.vcs": 4})
        packets = [row for row in rows_of(done.out / "packets.csv") if row["latency_cycles"]]
        names = [name for name in packets[0] if name.endswith("_cycles")][1:]

        def distance(packet):
            ends = zip(*(divmod(int(packet[end]), 8) for end in ("source", "destination")))
            return sum(min((a - b) % 8, (b - a) % 8) for a, b in ends)

        charts = window.all("#parts svg.chart")
        self.assertEqual(len(charts), 2)
        for chart, unit, group in zip(charts, ("hops", "links"), (lambda row: int(row["hops"]), distance)):
            means = {}
            for packet in packets:
                means.setdefault(group(packet), []).append([int(packet[name]) for name in names])
            tips = window.run("""return [...arguments[0].querySelectorAll("rect.part")].map(bar => {
                bar.dispatchEvent(new MouseEvent("mousemove", {clientX: 50, clientY: 50}));
                return document.getElementById("tip").textContent; })""", chart)
            self.assertEqual(len(tips), len(means) * len(names), unit)
            for i, tip in enumerate(tips):
                key = sorted(means)[i // len(names)]
                head, told = tip.split("\n")
                self.assertEqual(head.replace("\u202f", ""), f"{key} {unit}, {len(means[key])} packets")
                cells = [row[i % len(names)] for row in means[key]]
                mean, whole = sum(cells) / len(cells), sum(map(sum, means[key])) / len(cells)
                shown = told.split(": ")[1].split()
                for text, value in ((shown[0], mean), (shown[3], whole)):
                    self.assertAlmostEqual(number(text), value, delta=1e-3 * value)
        window.quiet()

    def test_classes_of_messages(self):
        done, window = self.opened(**{"router.vcs": 4,
                                      "classes.list": "request vcs 0-1 answer reply, reply vcs 2-3 flits 5"})
        table = done.json()["tables"]["classes"]
        names = [column["name"] for column in table["columns"]]
        rows = [dict(zip(names, row)) for row in table["rows"]]
        shown = window.rows("#classes-table")
        self.assertEqual([row[0] for row in shown], ["request", "reply"])
        for cells, row in zip(shown, rows):
            self.assertEqual([number(cell) for cell in cells[5:]],
                             [row[name] for name in ("latency_p50", "latency_p99", "latency_max", "longest_wait")])
            self.assertAlmostEqual(number(cells[4]), row["latency_mean"], 2)
        worst = max(rows, key=lambda row: row["longest_wait"])
        self.assertIn(f"of packets of class {worst['class']} of node {worst['longest_wait_source']}.",
                      window.one("#starved").text)
        bars = window.all("#classes svg rect.part")
        self.assertEqual(len(bars), 6)
        window.run("arguments[0].dispatchEvent(new MouseEvent('mousemove', {clientX: 50, clientY: 50}))", bars[4])
        self.assertEqual(window.tip().split("\n")[0], "class reply")
        window.quiet()

    def test_keys_zoom_and_move_the_network(self):
        _, window = self.opened()
        canvas = window.one("#network-drawing canvas")
        place = "return Parts.network.at(63)[0] - Parts.network.at(0)[0]"
        width = window.run(place)
        for key, factor in (("+", 1.5), ("=", 2.25), ("-", 1.5)):
            canvas.send_keys(key)
            self.assertAlmostEqual(window.run(place), factor * width, 3)
        for axis, size, keys in ((0, "width", ("\ue014", "\ue012")), (1, "height", ("\ue015", "\ue013"))):  # arrows
            place = f"return Parts.network.at(0)[{axis}]"
            before, step = window.run(place), canvas.size[size] / 8
            for key, moved in zip(keys, (-step, 0)):
                canvas.send_keys(key)
                self.assertAlmostEqual(window.run(place), before + moved, delta=1)
        labels = window.run("return [...document.querySelectorAll('input[type=search]')].map("
                            "box => box.getAttribute('aria-label'))")
        self.assertIn("filter the table of router and port", labels)
        self.assertEqual(len(labels), len(set(labels)))
        window.quiet()

    def test_paper_keeps_the_scale_and_no_controls(self):
        _, window = self.opened()
        window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.assertEqual([window.one(selector).is_displayed() for selector in
                          ("#network .legend", "#network-drawing", "#search", "#routers", "#part-whole")],
                         [True, True, False, False, False])
        window.quiet()

    def test_tables_sort_and_filter(self):
        done, window = self.opened()
        box = window.one("#all-metrics input")
        box.send_keys("_p99")
        rows = window.rows("#all-metrics")
        self.assertEqual([row[0] for row in rows], [name for name in done.json()["metrics"] if "_p99" in name])
        self.assertEqual(number(rows[0][1]), done.metric("latency_cycles_p99"))
        accepted = window.all("#sources th button")[3]
        for down in (True, False):  # numbers begin with the largest
            accepted.click()
            column = [number(row[3]) for row in window.rows("#sources")]
            self.assertEqual(column, sorted(column, reverse=down))
            self.assertEqual(accepted.find_element("xpath", "..").get_attribute("aria-sort"),
                             "descending" if down else "ascending")
        self.assertEqual(column[0], done.metric("accepted_packets_per_source_min"))
        window.all("#sources button.more")[0].click()
        self.assertEqual(len(window.rows("#sources")), 64)
        table = window.one('details[data-table="hops"]')
        table.find_element("tag name", "summary").click()
        window.run("return new Promise(resolve => setTimeout(resolve, 50))")
        self.assertEqual(len(window.rows('details[data-table="hops"]')), len(done.json()["tables"]["hops"]["rows"]))
        window.quiet()

    def test_the_network_answers(self):
        done, window = self.opened()
        links = rows_of(done.out / "links.csv")
        for i in (0, 17, 100):  # of a link's middle, what is shown is this link
            x, y = window.run("return Parts.network.middle(arguments[0])", i)
            window.point(x, y)
            self.assertIn(f"{links[i]['from']} to {links[i]['to']}\n", window.tip())
            self.assertIn(f"{int(links[i]['flits']):,}".replace(",", "\u202f") + " flits", window.tip())
        window.all("#worst tbody tr")[2].click()
        self.assertIn(window.rows("#worst")[2][0], window.one("#told").text)
        self.assertEqual(len(window.all("#network-drawing line.chosen")), 1)
        search = window.one("#search")
        for words, answer in (("9", "router 9 at (1,1)"), ("7,3", "router 31 at (7,3)"),
                              ("91:1", "nothing has this name"), (links[5]["from"], links[5]["from"])):
            search.clear()
            search.send_keys(words + "\n")
            self.assertIn(answer, window.one("#told").text)
        window.run("Parts.network.reset()")
        # Routers by their sources' packets: another picture.
        picture = "return document.querySelector('#network-drawing canvas').toDataURL()"
        before = window.run(picture)
        window.run("const choice = document.getElementById('routers'); choice.value = 'accepted'; "
                   "choice.dispatchEvent(new Event('change'))")
        self.assertNotEqual(before, window.run(picture))
        window.quiet()

    def test_a_part_of_the_run(self):
        from selenium.webdriver.common.action_chains import ActionChains

        done, window = self.opened()
        rows, flits = rows_of(done.out / "intervals.csv"), rows_of(done.out / "link_intervals.csv")
        # The first two intervals, of all links.
        window.run("const field = document.getElementById('part-to'); field.value = 128; "
                   "field.dispatchEvent(new Event('change'))")
        self.assertEqual(window.one("#worst h3").text, "Ten worst links in cycles 0 to 128")
        use = {f"{row['from']} to {row['to']}": (int(row["0"]) + int(row["64"])) / 128 for row in flits}
        for row in window.rows("#worst"):
            self.assertAlmostEqual(float(row[3]), use[row[0]], delta=0.01)
        self.assertAlmostEqual(float(window.rows("#worst")[0][3]), max(use.values()), delta=0.01)
        window.one("#part-whole").click()
        self.assertEqual(window.one("#worst h3").text, "Ten worst links")
        chart = window.all("#time svg.chart")[1]
        window.run("arguments[0].scrollIntoView()", chart)
        ActionChains(window.driver).move_to_element(chart).click_and_hold().move_by_offset(200, 0).release().perform()
        first, last = (int(field.get_attribute("value")) for field in window.all("#part-from, #part-to"))
        self.assertTrue(0 < first < last <= int(rows[-1]["first_cycle"]) + int(rows[-1]["cycles"]))
        self.assertIn("Ten worst links in cycles", window.one("#worst h3").text)
        window.quiet()

    def test_other_kinds_of_runs(self):
        small = {"topology.radices": [4, 4]}
        npb = {**small, "workload.npb": "is.S.16", "workload.npb_steps": 1}
        for words, keys, section in ((["--sweep-load", "0.1:0.3:3"], {**SHORT, **small}, "#sweep circle"),
                                     ([], npb, "#ranks rect.part"),
                                     ([], {**SHORT, "traffic.load_flits_per_node_cycle": 0.9}, "#wrong li")):
            with self.subTest(keys=keys, words=words):
                done = self.passes("--report", *words, drawn=True, keys=keys)
                window = browser.Browser(self, dark=True)
                window.open(done.out / "report.html")
                self.assertTrue(window.all(section))
                if section == "#wrong li":
                    self.assertIn("saturated", window.one("#wrong").text)


def compare(*words):
    return subprocess.run([sys.executable, "-m", "tsuji.compare_main", *map(str, words)], capture_output=True,
                          text=True, timeout=300, env={**os.environ, "PYTHONPATH": str(SCRIPTS)})


class Compared(machine.MachineTest):
    """Pages of two runs."""

    def setUp(self):
        library_or_skip()
        super().setUp()

    def two_runs(self, *more):
        return [self.passes("--report", keys={**SHORT, **keys}, drawn=True)
                for keys in ({}, {"traffic.pattern": "transpose"}, *more)]

    def test_links_of_both(self):
        a, b = self.two_runs()
        page = self.folder / "two.html"
        self.ended(compare(a.out, b.out, "--report", page))
        data = data_of(page)
        rows = [{f"{row['from']} to {row['to']}": float(row["utilization"]) for row in rows_of(run.out / "links.csv")}
                for run in (a, b)]
        self.assertEqual({link[2]: (link[4], link[6]) for link in data["network"]["links"]},
                         {name: (use, rows[1][name]) for name, use in rows[0].items()})
        self.assertEqual(data["histograms"][1], b.json()["tables"]["latency_histogram"]["rows"])
        self.assertIn(["traffic.pattern", "uniform", "transpose"], data["configuration"])

    def test_other_networks_and_refusals(self):
        a, b, small, plain = self.two_runs({"topology.radices": [4, 4]}, {"links.csv": "false"})
        page = self.folder / "two.html"
        self.ended(compare(a.out, small.out, "--report", page))
        self.assertEqual((data_of(page)["network"], data_of(page)["why_no_map"]),
                         (None, "no map: the runs have other networks"))
        (plain.out / "links.csv").unlink()
        result = plain.json()
        result["tables"]["links"]["rows"] = result["tables"]["links"]["rows"][:9]
        result["config"]["links"]["rows"] = 9
        (plain.out / "result.json").write_text(json.dumps(result))
        self.ended(compare(a.out, plain.out, "--report", page))
        self.assertEqual((len(data_of(page)["network"]["links"]), data_of(page)["network"]["whole"]), (9, False))
        del result["tables"]["links"]
        (plain.out / "result.json").write_text(json.dumps(result))
        self.ended(compare(a.out, plain.out, "--report", page))
        self.assertIn("no table of links", data_of(page)["why_no_map"])
        paper = self.folder / "paper"
        (paper / "x").mkdir(parents=True)
        (paper / "x/result.json").write_text(json.dumps({"id": "x", "rows": []}))
        done = self.ended(compare(paper, paper, "--report", self.folder / "none.html"), 2)
        self.assertIn("--report: draws two runs, and this is a folder of scripts/reproduce", done.stderr)
        self.assertFalse((self.folder / "none.html").exists())

    @browser.needed
    def test_in_a_browser(self):
        a, b = self.two_runs()
        self.ended(compare(a.out, b.out, "--report", self.folder / "two.html"))
        window = browser.Browser(self)
        window.open(self.folder / "two.html")
        rows = [{f"{row['from']} to {row['to']}": float(row["utilization"]) for row in rows_of(run.out / "links.csv")}
                for run in (a, b)]
        most = max(rows[0], key=lambda name: abs(rows[1][name] - rows[0][name]))
        first = window.rows("#changed-most")[0]
        self.assertEqual(abs(float(first[3])), round(abs(rows[1][most] - rows[0][most]), 5))
        window.all("#changed-most tbody tr")[0].click()
        self.assertIn(f"{first[0]}, A ", window.one("#told").text)
        self.assertEqual(len(window.all("#latency svg > path")), 2)
        self.check_scale(window)
        self.check_scale(browser.Browser(self, dark=True), self.folder / "two.html")
        window.one("#metric-table input").send_keys("latency_cycles_mean")
        self.assertEqual([number(cell) for cell in window.rows("#metric-table")[0][2:4]],
                         [float(f"{run.metric('latency_cycles_mean'):.5g}") for run in (a, b)])
        window.quiet()

    def check_scale(self, window, page=None):
        """Both ends of the scale of changes have more contrast to the page than its middle."""
        if page:
            window.open(page)
        ends = window.run("""const pen = document.querySelector(".legend canvas").getContext("2d");
            const paper = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number);
            const row = pen.getImageData(0, 5, 160, 1).data;
            return [1, 80, 158].map(x => d3.sum(paper, (part, i) => Math.abs(part - row[4 * x + i])))""")
        self.assertLess(2 * ends[1], min(ends[0], ends[2]), ends)
        window.quiet()


def made_run(folder, side):
    """A result with a torus of side x side routers whose links have loads by their number."""
    folder.mkdir()
    (folder / "result.json").write_text(json.dumps(
        {"schema": "tsuji.result/1", "platform": "network", "version": "0", "seed": 1, "tables": {},
         "config": {"topology": {"kind": "torus", "radices": [side, side]}, "link": {"flit_cycles": 1}},
         "metrics": {"hops_mean": {"value": 3.5, "unit": "routers"}}}))
    lines, number_of = ["from,to,flits,utilization,link,from_at,to_at"], 0
    for y in range(side):
        for x in range(side):
            for port, (dx, dy) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
                a, b = (x + dx) % side, (y + dy) % side
                lines.append(f"{y * side + x}:{port},{b * side + a}:{port ^ 1},{number_of},{number_of % 1000 / 1000},"
                             f"{number_of},{x} {y},{a} {b}")
                number_of += 1
    (folder / "links.csv").write_text("\n".join(lines) + "\n")
    return folder


@browser.needed
class Sizes(machine.FolderTest):
    """Pages of large networks, whose runs are made up."""

    def setUp(self):
        library_or_skip()
        super().setUp()

    def page(self, side):
        folder = made_run(self.folder / f"torus{side}", side)
        self.ended(write_page(folder))
        return folder / "report.html"

    def test_labels_cover_nothing(self):
        for side in (8, 32):
            page = self.page(side)
            self.assertLess(page.stat().st_size, MOST_BYTES)
            window = browser.Browser(self)
            window.open(page)
            labels = len(window.all("#network-drawing text.label"))
            self.assertGreaterEqual(labels, 64 if side == 8 else 10)
            self.assertEqual(window.covered("#network-drawing text.label"), [])
            window.run("Parts.network.search(arguments[0])", "9")
            self.assertEqual(window.covered("#network-drawing text.label"), [])
            self.assertGreaterEqual(len(window.all("#network-drawing text.label")), 10)

    def test_a_large_network_answers_the_pointer(self):
        page = self.page(128)
        window = browser.Browser(self)
        window.open(page)
        for i in (0, 30001, 65535):
            x, y = window.run("return Parts.network.middle(arguments[0])", i)
            window.point(x, y)
            self.assertIsNotNone(window.tip())


if __name__ == "__main__":
    if "--shots" in sys.argv:  # pictures of a run's folder, to look at
        folder, out = (pathlib.Path(word) for word in sys.argv[2:4])
        case = unittest.TestCase()
        for name in ("light", "dark"):
            shown = browser.Browser(case, dark=name == "dark")
            shown.open(folder)
            shown.shot(out / f"{name}.png")
        case.doCleanups()
        os._exit(0)
    if "--times" in sys.argv:  # of pages of made-up networks with that many routers a side, or of a run's folder
        for word in sys.argv[2:]:
            with tempfile.TemporaryDirectory() as made:
                run = made_run(pathlib.Path(made) / "torus", int(word)) if word.isdigit() else pathlib.Path(word)
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                write_page(run)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                case = unittest.TestCase()
                shown = browser.Browser(case)
                time.sleep(2)  # the browser's own start is not the page's
                opened = shown.open(run / "report.html")
                pointed = shown.point(*shown.run("return Parts.network.middle(0)"))
                print(f"{word}: written in {after.ru_utime - before.ru_utime:.2f} s, "
                      f"open in {opened:.2f} s, pointer answers in {pointed:.0f} ms")
                case.doCleanups()
        os._exit(0)
    machine.main()
