# SPDX-License-Identifier: Apache-2.0
"""scripts/reproduce from outside: what it lists and refuses, its verdicts and exit status, every ID in its quick
version."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPERIMENTS = ROOT / "platforms" / "reproduce"
sys.path.insert(0, str(EXPERIMENTS))

import forked  # noqa: E402
from own_folder import FolderTest  # noqa: E402
from reproduction import main  # noqa: E402

PLATFORMS = None
PAPER = None  # whose IDs are all played

PAPER_FILE = 'from reproduction import Paper, Section\n\nPAPER = Paper("Nobody 2000", "T",' \
             ' {"1": Section("A")})\nIDS = ["one"]\n'
# A paper of one ID with a row of each kind; values are put in by the test.
EXPERIMENT = '''
from reproduction import Findings, Row, Run, exactly, within

TITLE, SOURCE = "A test", "Nobody 2000, section 1"
ROWS = [Row("hard", "a hard row", "10", exactly(10), hard=True, unit="nodes"), Row("soft", "a soft row", "5 %", within(5, 1), hard=False),
        Row("shown", "only shown", "-"), Row("long", "takes long", "1", exactly(1), hard=True, quick=False)]


def plan(setting):
    return {RUNS}


def evaluate(setting, results):
    table = [{"x": 1, "y": 0.1 + 0.2}]
    return Findings(VALUES, table, lambda figure: figure.subplots().plot([1, 2], [1, 4]), ["a note"])
'''  # noqa: E501
# A run of each way to end.
STATUSES = '''
from reproduction import Findings, Row, Run, exactly

TITLE, SOURCE = "A test", "Nobody 2000, section 1"
ROWS = [Row("texts", "whether each text is there", "-", exactly([True] * 6), hard=True)]
RING = {"topology.kind": "torus", "topology.radices": [8], "routing.kind": "dimension_order", "routing.dateline": "none", "router.vcs": 1,
        "traffic.load_flits_per_node_cycle": 1, "run.watchdog_cycles": 500}


def plan(setting):
    return {"refused": Run("network", keys={"router.vcs": 99}, may_be_refused=True),
            "fails": Run("network", keys=RING, may_fail=True),
            "prints": Run("network", options=("--print-topology", "dot"), prints=True),
            "writes": Run("network", keys={"topology.kind": "torus", "topology.radices": [3, 3], "routing.kind": "detour_ud"},
                          options=("--certificate", "{folder}/certificate.json"), prints=True)}


def evaluate(setting, results):
    texts = ["router.vcs" in results["refused"].refusal, results["refused"].failure is None, "no flit has moved" in results["fails"].failure,
             results["fails"].refusal is None, results["prints"].printed.startswith("graph"),
             (results["writes"].folder / "certificate.json").is_file()]
    return Findings({"texts": texts}, [{"x": 1}], lambda figure: figure.subplots().plot([1, 2]))
'''  # noqa: E501
GOOD = {"hard": 10, "soft": 5.5, "shown": 3, "long": 1}


class Reproduce(FolderTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def call(self, *arguments, experiments=EXPERIMENTS, out=None, **environment):
        environment = {**os.environ, **environment}
        if "TSUJI_TRACES" in environment and not arguments[0].startswith("traces"):
            del environment["TSUJI_TRACES"]
        words = ["--platforms", PLATFORMS, "--out", out or self.out, "--experiments", experiments, *arguments]
        return forked.call(main.main, words, self.folder, environment, timeout=1700)

    def paper(self, values, runs="{}"):
        """A folder with the ID test.one."""
        place = self.folder / f"experiments{len(list(self.folder.iterdir()))}"
        (place / "test").mkdir(parents=True)
        (place / "test" / "__init__.py").write_text(PAPER_FILE)
        text = EXPERIMENT.replace("{RUNS}", runs).replace("VALUES", repr(values))
        (place / "test" / "one.py").write_text(text)
        return place

    def result(self, name, out=None):
        return json.loads(((out or self.out) / name / "result.json").read_text())

    def verdicts(self, name):
        return {row["key"]: row["verdict"] for row in self.result(name)["rows"]}


class Drawing(Reproduce):
    """IDs that are played, whose figures need matplotlib."""

    @classmethod
    def setUpClass(cls):
        forked.load_matplotlib()


class CommandLine(Reproduce):
    def test_list_has_every_row(self):
        done = self.ended(self.call("--list"))
        for part in ("cache.table1", "cache.fig13", "cache.eq7", "[hard]", "[hard; by definition]", "calibrated: link",
                     "known failure (", "100 ns", "127 mW", "+5.2 %"):
            self.assertIn(part, done.stdout)
        one = self.call("--list", "cache.fig10")
        self.assertIn("K^N - 1 = 24", one.stdout)
        self.assertNotIn("cache.fig5", one.stdout)

    def test_what_to_build_is_what_the_runs_need(self):
        paper = self.paper(GOOD, runs='{"a": Run("skeleton"), "b": Run("cenju4"), "c": Run("skeleton", "other")}')
        self.assertEqual(self.call("--targets", "all", experiments=paper).stdout, "cenju4 skeleton\n")
        self.assertEqual(self.call("--targets", "all", experiments=self.paper(GOOD)).stdout, "\n")
        self.assertEqual(self.call("--targets", "--list", experiments=paper).stdout, "\n")
        self.assertFalse(self.out.exists())

    def test_refusals_say_what_is_accepted(self):
        for arguments, parts in ((["cache.fig99"], ["cache.fig99", "all, booksim, cache", "cache.fig5"]),
                                 (["fig5"], ["fig5: unknown", "cache.fig5"]),
                                 ([], ["at least one ID", "cache.table1"]),
                                 (["all", "--jobs", "0"], ["1..1024"]),
                                 (["all", "--jobs", "two"], ["1..1024"]),
                                 (["all", "--traces", "gone"], ["gone", "not a folder"]),
                                 (["all", "--quik"], ["--quik"])):
            done = self.ended(self.call(*arguments), 2)
            for part in parts:
                self.assertIn(part, done.stderr)
            self.assertFalse(self.out.exists())


class Verdicts(Drawing):
    def test_all_is_well(self):
        self.ended(self.call("all", experiments=self.paper(GOOD)))
        self.assertEqual(self.verdicts("test.one"),
                         {"hard": "passed", "soft": "passed", "shown": "no verdict", "long": "passed"})
        self.assertEqual((self.out / "test.one" / "data.csv").read_text(), "x,y\n1,0.3\n")
        for name in ("figure.svg", "figure.png"):
            self.assertGreater((self.out / "test.one" / name).stat().st_size, 1000)

    def test_a_hard_row_that_fails_is_exit_1(self):
        for wrong in ({"hard": 11}, {"hard": None}, {"long": 2}):
            done = self.ended(self.call("test.one", experiments=self.paper({**GOOD, **wrong})), 1)
            self.assertIn(f"hard rows that failed: test.one {list(wrong)[0]}", done.stdout)
            self.assertEqual(self.verdicts("test.one")[list(wrong)[0]], "FAILED")
            self.assertIn('class="FAILED"', (self.out / "index.html").read_text())

    def test_a_soft_row_that_is_missed_is_shown_and_exit_0(self):
        done = self.ended(self.call("test", experiments=self.paper({**GOOD, "soft": 6.5})))
        self.assertEqual(self.verdicts("test.one")["soft"], "missed")
        self.assertIn("missed", done.stdout)
        self.assertIn("missed", (self.out / "index.html").read_text())

    def test_quick_leaves_out_only_what_takes_long(self):
        self.ended(self.call("all", "--quick", experiments=self.paper({**GOOD, "long": 2})))
        self.assertEqual(self.verdicts("test.one")["long"], "not in --quick")
        self.ended(self.call("all", "--quick", experiments=self.paper({**GOOD, "hard": 2})), 1)

    def test_a_value_of_a_row_that_does_not_exist_is_an_error(self):
        done = self.ended(self.call("all", experiments=self.paper({**GOOD, "other": 1})), 1)
        self.assertIn("other", done.stderr)

    def test_a_run_that_fails_is_exit_1_with_its_text(self):
        for keys, part in (('{"study.kind": "none"}', "study.kind"), ('{"no.such": 1}', "no.such")):
            place = self.paper(GOOD, '{"x": Run("lookup_study", keys=%s)}' % keys)
            done = self.ended(self.call("all", experiments=place), 1)
            self.assertIn(part, done.stderr)
            self.assertIn("could not be measured: test.one", done.stdout)

    def test_a_refusal_or_a_failure_may_be_a_result_and_a_print_is_one(self):
        place = self.paper(GOOD)
        (place / "test" / "one.py").write_text(STATUSES)
        done = self.ended(self.call("all", experiments=place))
        again = self.call("all", experiments=place)
        self.assertEqual(again.stdout, done.stdout, "kept runs say the same")
        # Each only where it may be.
        for may in ("may_be_refused=True", "may_fail=True"):
            (place / "test" / "one.py").write_text(STATUSES.replace(may, ""))
            self.assertEqual(self.call("all", "--again", experiments=place).returncode, 1)

    def test_a_planted_wrong_value_in_a_real_id(self):
        place = self.folder / "planted"
        shutil.copytree(EXPERIMENTS / "cache", place / "cache", ignore=shutil.ignore_patterns("__pycache__"))
        file = place / "cache" / "fig10.py"
        self.assertIn("exactly(10)", file.read_text())
        file.write_text(file.read_text().replace("exactly(10)", "exactly(11)"))
        done = self.ended(self.call("cache.fig10", experiments=place), 1)
        self.assertIn("hard rows that failed: cache.fig10 x\n", done.stdout)


class Kept(Drawing):
    """Files of an earlier call are replaced by a whole result only."""

    LONG = '{"x": Run("lookup_study", keys={"study.seeds": 10**9}), "y": Run("lookup_study", keys={"study.seeds": 3})}'

    def files(self, folder):
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def start(self, *arguments, experiments):
        environment = {**os.environ, "PYTHONPATH": str(EXPERIMENTS), "PYTHONDONTWRITEBYTECODE": "1"}
        process = subprocess.Popen([sys.executable, "-m", "reproduction.main", "--platforms", str(PLATFORMS), "--out",
                                    str(self.out), "--experiments", str(experiments), *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                                   cwd=self.folder)
        self.addCleanup(process.communicate)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        limit = time.monotonic() + 120
        while not (list((self.out / "runs").glob("lookup_study-*/result.json")) and len(self.processes()) > 1
                   and f"process {process.pid} " in (self.out / "runs" / ".lock").read_text()):
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)
        return process

    def processes(self):
        """Command lines of all processes that work below this test's folder."""
        lines = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                lines.append(entry.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                pass
        return [line for line in lines if str(self.out) in line]

    def test_quick_never_takes_the_place_of_full_results(self):
        place = self.paper(GOOD)
        self.assertEqual(self.call("all", experiments=place).returncode, 0)
        before = self.files(self.out)
        done = self.ended(self.call("all", "--quick", experiments=place), 2)
        self.assertIn("has full results of test.one", done.stderr)
        self.assertEqual(self.files(self.out), before)
        # The other way round, and one full result after the other, are fine.
        quick = self.folder / "quick"
        for option in (["--quick"], ["--quick"], [], []):
            self.assertEqual(self.call("all", *option, experiments=place, out=quick).returncode, 0)
        self.assertFalse(self.result("test.one", out=quick)["quick"])

    def test_an_id_that_cannot_be_measured_keeps_its_old_folder(self):
        self.assertEqual(self.call("all", experiments=self.paper(GOOD)).returncode, 0)
        before = self.files(self.out / "test.one")
        self.assertEqual(self.call("all", experiments=self.paper({**GOOD, "other": 1})).returncode, 1)
        self.assertEqual(self.files(self.out / "test.one"), before)

    def test_nothing_of_an_older_result_stays(self):
        (self.out / "test.one").mkdir(parents=True)
        (self.out / "test.one" / "old.vcd").write_text("")
        self.assertEqual(self.call("all", experiments=self.paper(GOOD)).returncode, 0)
        self.assertEqual(sorted(path.name for path in (self.out / "test.one").iterdir()),
                         ["data.csv", "figure.png", "figure.svg", "measured.json", "result.json", "runs.html"])

    def test_one_call_at_a_time_and_the_next_one_goes_on(self):
        self.assertEqual(self.call("all", experiments=self.paper(GOOD)).returncode, 0)
        before = self.files(self.out / "test.one")
        place = self.paper({**GOOD, "soft": 5.2}, self.LONG)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            process = self.start("all", "--jobs", "2", experiments=place)
            # One that a signal has ended is partial.
            [run] = [path for path in (self.out / "runs").glob("lookup_study-*/result.json")
                     if json.loads(path.read_text())["status"] == "complete"]
            played = run.stat().st_mtime_ns
            second = self.ended(self.call("all", experiments=place), 2)
            self.assertIn(f"another call writes there: process {process.pid} on", second.stderr)
            process.send_signal(number)
            process.wait(timeout=60)
            self.assertEqual(process.returncode, -number if number == signal.SIGKILL else 128 + number)
            self.assertEqual(self.files(self.out / "test.one"), before)
            time.sleep(0.2)
            self.assertEqual(self.processes(), [], "its runs end with it")
            self.assertEqual(run.stat().st_mtime_ns, played)


class Bytes(Drawing):
    NAMES = ["cache.fig3", "cache.fig10"]

    def files(self, out):
        """All but dates and seconds, which are the measurement's own."""
        return {path.relative_to(out): re.sub(rb'<span class="measured">.*?</span>', b"", path.read_bytes())
                for path in sorted(out.rglob("*"))
                if path.is_file() and path.relative_to(out).parts[0] != "runs" and path.name != "measured.json"}

    def test_the_same_bytes_twice_and_with_other_jobs(self):
        first, second = self.folder / "a", self.folder / "b"
        for out, jobs in ((first, 1), (second, 2)):
            self.ended(self.call(*self.NAMES, "--quick", "--jobs", jobs, out=out))
        self.assertEqual(self.files(first), self.files(second))
        self.assertIn(pathlib.Path("cache.fig3/network.vcd"), self.files(first))

    def test_a_run_that_is_there_is_not_played_again(self):
        self.call("cache.fig10", "--quick")
        [run] = [path.parent for path in (self.out / "runs").glob("lookup_study-*/result.json")]
        before = (run / "result.json").stat().st_mtime_ns
        self.call("cache.fig10", "--quick")
        self.assertEqual((run / "result.json").stat().st_mtime_ns, before)
        self.call("cache.fig10", "--quick", "--again")
        self.assertNotEqual((run / "result.json").stat().st_mtime_ns, before)

    def test_the_page_needs_nothing_beside_it(self):
        self.call(*self.NAMES, "--quick")
        page = (self.out / "cache.html").read_text()
        self.assertEqual(page.count("data:image/svg+xml;base64,"), 2)
        for name in self.NAMES:
            self.assertIn(f'id="{name}"', page)
        self.assertNotIn("http", page)


class Parts(Reproduce):
    """Closed forms of the IDs of Hirasawa 2020, against numbers worked out by hand."""

    def test_balls_in_bins(self):
        from cache import equations

        # Two keys, two sets of one way: in the same set with 1/2, and then one is evicted.
        self.assertAlmostEqual(equations.evicted(2, 1, entries=2), 0.5)
        self.assertAlmostEqual(equations.no_eviction(2, 1, entries=2), 0.5)
        # Three keys, two sets of two ways: all in one set with 1/4.
        self.assertAlmostEqual(equations.evicted(3, 2, entries=4), 0.25)
        self.assertAlmostEqual(equations.no_eviction(3, 2, entries=4), 0.75)
        self.assertEqual(equations.evicted(5, 3, entries=3), 2)
        self.assertAlmostEqual(equations.no_eviction(3, 1, entries=4), 4 * 3 * 2 / 4**3)

    def test_equations(self):
        from cache import equations

        # K = 3, all fits: 4 switches of 77 ns, 5 links of 20.
        self.assertAlmostEqual(equations.longest_latency_ns(2048, 3), 4 * 77 + 5 * 20)
        self.assertAlmostEqual(equations.longest_latency_without_ns(3), 4 * 100 + 5 * 20)
        # M = 1: only the last dimension's ports (one destination) hit.
        misses = (1 - 1 / 26) + (1 - 1 / 9) + (1 - 1 / 3)
        self.assertAlmostEqual(equations.longest_latency_ns(1, 3), 4 * 77 + 5 * 20 + 25 * misses)
        self.assertAlmostEqual(equations.lookups_per_second(0.1), 400e6)
        self.assertAlmostEqual(equations.lookup_power_w(0, 0), 0.127)
        self.assertAlmostEqual(equations.lookup_power_w(1e9, 1, cached=False), 42.036)

    def test_trees(self):
        from predict import trees

        self.assertEqual(trees.digits(27, 4, 3), [3, 2, 1])
        # Up twice, to the next port at the top, and down by the ports opposite to those taken up: all five right.
        self.assertEqual([trees.hits(kind, [0, 0, 0], [0, 0, 1], 4) for kind in ("straight", "up")], [5, 2])
        self.assertEqual([trees.hits(kind, [0, 0, 3], [1, 0, 2], 4) for kind in ("straight", "up")], [3, 2])
        self.assertEqual([trees.hits(kind, [2, 1, 0], [2, 2, 0], 4) for kind in ("straight", "up")], [2, 1])
        # (4,4,2): a quarter of the pairs at one switch, the others at three: up, 1/3 at the top, 1/4 down.
        self.assertAlmostEqual(trees.hit_rate("straight", 4, 2), 0.75 * (1 + 1 / 3 + 1 / 4) / (0.25 + 0.75 * 3))
        self.assertAlmostEqual(trees.hit_rate("up", 4, 2), 0.75 / 2.5)
        self.assertAlmostEqual(trees.hit_rate("up", 4, 2, distinct=True), 0.75 / 4 / 2.5)
        self.assertAlmostEqual(trees.hit_rate("straight", 4, 1), 1 / 4)
        nodes = [trees.digits(node, 4, 3) for node in range(64)]
        for kind in ("straight", "up"):
            counted = sum(trees.hits(kind, source, destination, 4) for source in nodes for destination in nodes)
            self.assertAlmostEqual(trees.means(kind, 4, 3)[0], counted / 64**2)

    def test_latencies_by_hand(self):
        from predict import lookup, san

        # Packets of 8 B flits: 2.875 routers of 5 cycles, a cycle on each of 3.875 links, 31 words more, 7 at the
        # nodes.
        self.assertAlmostEqual(san.latency_cycles(8, False), 5 * 2.875 + 3.875 + 31 + 7)
        # A hit saves 4 stages and the flit's words, 15 of 16 packets hit.
        self.assertAlmostEqual(san.latency_cycles(256, False) - san.latency_cycles(256, True), 15 / 16 * 36)
        # Three routers of RC 27, VSA, ST and a link, a link more, 5 flits; two hits.
        self.assertEqual(lookup.latency_cycles(27, 3, 0, "leak"), 3 * 30 + 1 + 5)
        self.assertEqual([lookup.latency_cycles(27, 3, 2, check) for check in ("leak", "wait")], [96 - 2 * 28, 96 - 2])

    def test_packets_that_meet_are_no_zero_load(self):
        from predict import zero_load
        from reproduction.runs import Result

        (self.folder / "result.json").write_text('{"schema": "tsuji.result/1", "metrics": {"prediction_hits": '
                                                 '{"value": 2}}}')

        def records(*lines):
            names = "packet,source,destination,hops,created_cycle,tail_cycle,router_cycles,latency_cycles"
            (self.folder / "packets.csv").write_text("\n".join([names, *lines]) + "\n")
            return zero_load.packets(Result(self.folder))

        # Three visits of 9 cycles, and with two hits of 5.
        self.assertEqual(records("0.0,0,2,3,0,14,9,14", "1.0,1,2,3,15,25,5,10"), [(0, 2, 3, 0, 14), (1, 2, 3, 2, 10)])
        for wrong in (("0.0,0,2,3,0,15,9,15", "1.0,1,2,3,15,25,5,10"), ("0.0,0,2,3,0,14,7,14", "1.0,1,2,3,15,25,5,10"),
                      ("0.0,0,2,3,0,14,8,14", "1.0,1,2,3,15,25,5,10")):
            self.assertRaises(ValueError, records, *wrong)

    def test_means_over_fault_sets_that_all_bear(self):
        from detour.exchange import Exchange, Measured

        class One:
            def __init__(self, value):
                self.value, self.refusal = value, None if value else "refused"

        exchange = Exchange("x", "transpose", [1, 2], lambda point: (64, {}), [1], [("ud", 0), ("ud", 2), ("nf", 2)])
        plan = exchange.plan(False)
        # Without faults one run a point; of two dead nodes four canonical sets and twelve random ones, for two routers.
        self.assertEqual(len(plan), 2 * (1 + 2 * (4 + 12)))
        self.assertEqual(plan["x: nf, 2 dead, set 1, 2"].keys["faults.routers"], [22, 77])
        self.assertTrue(plan["x: nf, 2 dead, seed 5, 2"].may_be_refused)
        self.assertFalse(plan["x: ud, 0 dead, 2"].may_be_refused)
        # NF refuses the first set, so UD's mean leaves it out, too.
        values = {name: One(0 if name.startswith("x: nf, 2 dead, set 1,") else 100 if "set 1," in name else 8
                            if "nf" in name else 10)
                  for name in plan}
        found = Measured(exchange, False, values)
        self.assertEqual(found.refused("nf", 2), ["2 dead, set 1"])
        self.assertEqual(found.borne(2), [f"2 dead, set {number}" for number in (2, 3, 4)])

        def what(_, result):
            return result.value

        self.assertEqual(found.mean(what, "ud", 2, 1), 10)
        self.assertEqual(found.percent_above(what, ("ud", 2), ("nf", 2), [1, 2]), 25)
        self.assertIsNone(found.percent_above(what, ("ud", 2), ("nf", 2), [3]), "a point that was not measured")
        # A router that refuses all of them takes part in no mean and keeps no set from the others.
        none = Measured(exchange, False, {name: One(0 if "nf" in name else 10) for name in plan})
        self.assertEqual(none.borne(2), [f"2 dead, set {number}" for number in (1, 2, 3, 4)])
        self.assertFalse(none.has("nf", 2))
        self.assertIsNone(none.percent_above(what, ("ud", 2), ("nf", 2), [1]))

    def test_rows_that_an_alternative_leaves_unmeasured_are_not_judged(self):
        from detour import fig8
        from detour.figures import Choices, Figure
        from reproduction import Row, above

        rows = [Row("a", "", "", above(0)), Row("b", "", "", above(0)), Row("c", "", "", above(0)), Row("d", "", ""),
                Row("long", "", "", above(0), quick=False)]
        values = {"a": 1, "b": -1, "c": None, "d": -5, "long": -1}
        judge = Choices(Figure(fig8.FIGURE.exchanges, rows, lambda found: values, None, None, None), 8)
        self.assertEqual(judge.verdict({}, False), "b, long (of 3 judged)")
        self.assertEqual(judge.verdict({}, True), "b (of 2 judged)")
        values.update(b=1, long=1)
        self.assertEqual(judge.verdict({}, False), "none (of 3 judged)")

    def test_shares_that_rise(self):
        from detour import recovered

        class Found:
            points = recovered.routers.SIZES

            def __init__(self, shares):
                self.shares = shares

            def mean(self, what, router, dead, size):
                return self.shares[self.points.index(size)] / 100

        falling, rising = [7, 6, 5, 4, 3, 2, 1], [0, 0, 0, 1, 2, 4, 3]
        shares = recovered.Shares({recovered.name("random", timeout): Found(values) for timeout, values in
                                   zip(recovered.TIMEOUTS, (falling, rising, [0] * 7))}, "random")
        # Of 21 pairs 3 are equal, and of the others one falls.
        self.assertEqual(shares.rising(0, recovered.routers.SIZES), 0)
        shares.found[64] = Found(rising)
        self.assertAlmostEqual(shares.rising(0, recovered.routers.SIZES), 17 / 18)
        self.assertEqual(shares.falling_steps(), 2)
        self.assertEqual(shares.order(0), 0)
        shares.found[64] = Found(falling)
        self.assertAlmostEqual(shares.order(0), 1 - 3)

    def test_clocks_of_routers(self):
        from detour import router

        class Wave:
            """Heads on wires at router 3, 4 and 14, and at the last one's node; another packet beside."""
            changes = {"network.r4.in1.flit": [(10000, "3.0.0 H"), (10500, "")],
                       "network.r3.in4.flit": [(5000, "3.0.0 H")],
                       "network.r14.out4.flit": [(25000, "3.0.0 H"), (26000, "3.0.1 T")],
                       "network.r14.in3.flit": [(20000, "3.0.0 H"), (21000, "3.0.1 T"), (30000, "5.0.0 HT")],
                       "network.r0.in2.vc1.slot0": [], "network.r0.in2.vc1.slot1": [], "network.r0.in4.vc0.slot0": []}

            def spans(self, path):
                return [(time, value) for time, value in self.changes[path] if value]

        lines = router.lines_of("one", Wave())
        self.assertEqual([(line["router"], line["clocks"]) for line in lines], [(3, 5), (4, 10), (14, 5)])
        self.assertEqual([line["router"] for line in router.without_last(lines)], [3, 4])
        self.assertEqual(router.clocks_of(lines), [5, 10])
        self.assertEqual(router.slots(Wave()), {(2, 1): 2, (4, 0): 1})

    def test_hardware_of_routers(self):
        from detour import hardware, table1
        papers = {"dm": (11196, 500, 79), "duato": (18549, 655, 55), "nf": (13207, 620, 52), "ud": (20098, 800, 48)}

        def judged(**changed):
            costs = {name: {"cells": cells, "flip_flops": flip_flops, "clock_mhz": mhz, "memories": [
                {"name": "in[0].of_vc[0].line.flits", "bits": 4705}, {"name": "plans", "bits": 10**6}]}
                     for name, (cells, flip_flops, mhz) in {**papers, **changed}.items()}
            self.assertEqual([hardware.storage_bits(name, costs[name]) for name in ("nf", "ud")], [4705, 4705 + 800])
            return table1.judge_hardware(costs)

        values = judged()
        self.assertEqual({row.key for row in table1.ROWS_OF_HARDWARE}, set(values))
        orders = {key: value for key, value in values.items() if isinstance(value, bool)}
        self.assertEqual(len(orders), 6)
        self.assertTrue(all(orders.values()), orders)
        ratios = {row.key: row.number for row in table1.ROWS_OF_HARDWARE if row.number is not None}
        for key in ratios:
            if not key.startswith("flip_flops"):
                self.assertAlmostEqual(values[key], ratios[key], delta=0.006, msg=key)
        self.assertEqual(values["flip_flops_ratio_duato"], round(5360 / 5205, 3))
        for name, cost, wrong in (("nf", (19000, 700, 56), {"cells_nf", "flip_flops_nf", "clock_nf"}),
                                  ("nf", (11000, 400, 47), {"cells_nf", "flip_flops_nf", "clock_nf"}),
                                  ("dm", (18600, 660, 54), {"cells_rise", "cells_nf", "flip_flops_rise",
                                                            "flip_flops_nf", "clocks_fall"}),
                                  ("ud", (18500, -200, 56), {"cells_rise", "flip_flops_rise", "clocks_fall",
                                                             "clock_nf"})):
            with self.subTest(name=name, cost=cost):
                values = judged(**{name: cost})
                self.assertEqual({key for key in orders if not values[key]}, wrong)

    def test_confidence(self):
        from reproduction.statistics import confidence, mean_confidence95, ratio_confidence95
        self.assertEqual(mean_confidence95([3.5]), (3.5, None))
        mean, half = mean_confidence95([1, 2, 6])  # variance 7
        self.assertAlmostEqual(mean, 3)
        self.assertAlmostEqual(half, 4.303 * (7 / 3)**0.5)

        # Halves of 1, 2 and 3: parts that are off by 0, 0.5 and -0.5.
        self.assertAlmostEqual(ratio_confidence95([0.5, 1.5, 1], [1, 2, 3]), 1.96 * 0.5 * 3**0.5 / 6)

        low, high = confidence(0, 0, 1000)
        self.assertEqual(low, 0)
        self.assertAlmostEqual(high * 1000, 7.6009, places=3)  # -ln 0.0005
        low, high = confidence(1, 1, 1)
        self.assertAlmostEqual(low, 0.0005001, places=6)  # 1 - exp(-x) = 0.0005
        low, high = confidence(1000, 3000, 1000)
        self.assertAlmostEqual((high - low) / 2, 3.2905 * (2000 / 999 / 1000)**0.5)

    def test_recorded_traces_are_used_where_there_are_any(self):
        from cache import programs
        from reproduction.main import Setting

        (self.folder / "cg.A.64.ti.zst").write_bytes(b"")
        with_traces, without = (Setting(False, traces, self.folder) for traces in (self.folder, None))
        recorded = programs.program(with_traces, "cg", 64)
        self.assertEqual(recorded.keys["workload.trace"], self.folder / "cg.A.64.ti.zst")
        self.assertIn("recorded", recorded.label)
        for setting, name, ranks, what in ((without, "cg", 64, "cg.B.64"), (with_traces, "cg", 256, "cg.B.256"),
                                           (without, "ft", 64, "ft.A.64"), (without, "dtSH", 256, "dtSH.A.80")):
            skeleton = programs.program(setting, name, ranks)
            self.assertEqual(skeleton.keys["workload.npb"], what)
            self.assertIn("skeleton", skeleton.label)


class Quick(Reproduce):
    """IDs in their quick version: of every paper those that take a second or less, and with `--paper NAME` all of that
    paper."""

    SHORT = ("booksim.rules", "booksim.tree", "cache.table1", "cache.fig3", "cache.fig5", "cache.fig10", "cache.fig13",
             "cenju4.switch", "cenju4.table1", "compact.table",
             "compact.livelock", "compact.layers", "detour.fig2", "detour.fig3", "detour.fig4", "detour.table1",
             "detour.router", "modern.dragonfly", "predict.pipeline")

    def test_every_row_has_a_verdict(self):
        listed = re.findall(r"^(\w+\.\w+)  ", self.call("--list").stdout, re.M)
        wanted = [name for name in listed if name.split(".")[0] == PAPER] if PAPER else list(self.SHORT)
        self.assertTrue(wanted and set(wanted) <= set(listed))
        self.ended(self.call(*wanted, "--quick"))
        self.assertEqual([path.name for path in sorted(self.out.iterdir()) if (path / "result.json").is_file()],
                         sorted(wanted))
        for name in wanted:
            result = self.result(name)
            self.assertTrue(result["quick"])
            judged = [row for row in result["rows"] if row["strength"] != "shown"]
            passed = [row for row in judged if row["verdict"] == "passed"]
            self.assertEqual(bool(passed), bool(judged), f"{name}: no row has a verdict in its quick version")
            with open(self.out / name / "data.csv") as file:
                self.assertGreater(len(file.readlines()), 1)

    def test_of_every_paper_some_are_short(self):
        papers = {path.parent.name for path in EXPERIMENTS.glob("*/__init__.py")} - {"reproduction"}
        self.assertEqual({name.split(".")[0] for name in self.SHORT}, papers)


if __name__ == "__main__":
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    if "--paper" in sys.argv:
        at = sys.argv.index("--paper")
        PAPER = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    unittest.main()
