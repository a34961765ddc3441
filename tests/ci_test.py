#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""CI: long tests in turns (scripts/long_tests), the gate of scripts/bench, and .ci/run, which calls both.

usage: ci_test.py PROJECT BUILD

Long tests are shell commands in a build folder of the test's own, which is CTest's alone; the parts of .ci/run are
fakes, and so is its clock.
"""

import argparse
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

PROJECT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(PROJECT / "scripts"))

import bench  # noqa: E402  # pylint: disable=wrong-import-position
import bench_gate  # noqa: E402  # pylint: disable=wrong-import-position
from bench_runs import Row, RunFailed  # noqa: E402  # pylint: disable=wrong-import-position
from tsuji import turns  # noqa: E402  # pylint: disable=wrong-import-position

CI_RUN = (PROJECT / ".ci/run").read_text()
SECONDS = {name: int(value) for name, value in re.findall(r"^(\w+)=(\d+) ", CI_RUN, re.M)}
ALLOWED = SECONDS["long"] - 40  # what scripts/long_tests has of them


class Scratch(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="tsuji_ci_")).resolve()
        self.addCleanup(shutil.rmtree, self.place)


class LongTests(unittest.TestCase):
    """Those of the build."""

    def test_each_is_in_exactly_one_turn_that_fits_on_two_processors(self):
        tests = turns.long_tests(turns.listed("ctest", BUILD))
        self.assertGreaterEqual(len(tests), 10)
        made = turns.turns(turns.units(tests))
        self.assertEqual(len(made), 5)
        self.assertEqual(sorted(name for turn in made for unit in turn for name in unit.tests),
                         sorted(test["name"] for test in tests))
        for number, turn in enumerate(made, 1):
            self.assertLessEqual(turns.length(turn, 2), ALLOWED,
                                 f"turn {number} takes longer than CI allows it: split its longest test, "
                                 f"{max(turn, key=lambda unit: unit.cost).name}")


def unit(name, cost, processors=1):
    return turns.Unit([name], cost, processors, False)


def listed(name, **has):
    return {"name": name, "properties": [{"name": key, "value": value} for key, value in has.items()]}


class Turns(Scratch):
    def test_only_what_has_the_label_is_long(self):
        tests = [listed("a", LABELS=["long"], COST=1.0), listed("b", LABELS=["longer"], COST=1.0), listed("c")]
        self.assertEqual([test["name"] for test in turns.long_tests({"tests": tests})], ["a"])

    def test_a_test_without_a_cost_is_refused_by_name(self):
        for has in ({}, {"COST": 0.0}, {"COST": -1.0}):
            with self.assertRaisesRegex(ValueError, "^new: no cost .*tsuji_long"):
                turns.units([listed("new", LABELS=["long"], **has)])

    def test_fixtures_stay_with_their_tests(self):
        (found, other) = turns.units([listed("before", COST=5.0, FIXTURES_SETUP=["f"]), listed("a", COST=7.0),
                                      listed("test", COST=2.0, FIXTURES_REQUIRED=["f"], PROCESSORS=2)][::-1])[::-1]
        self.assertEqual((sorted(found.tests), found.cost, found.processors, other.tests),
                         (["before", "test"], 7, 2, ["a"]))

    def test_turns_are_balanced_by_cost(self):
        found = [unit(f"u{cost}", cost) for cost in (10, 9, 8, 7, 6, 5, 4, 3, 2, 1)]
        made = turns.turns(found, 5)
        self.assertEqual([sum(one.cost for one in turn) for turn in made], [11] * 5)
        self.assertEqual(turns.turns(found[::-1], 5), made, "the order in which tests are listed decides nothing")

    def test_the_cheapest_come_first_and_those_that_take_all_processors_last(self):
        (made,) = turns.turns([unit("both", 1, 2), unit("b", 5), unit("a", 3)], 1)
        self.assertEqual([one.name for one in made], ["a", "b", "both"])

    def test_length(self):
        self.assertEqual(turns.length([unit("both", 4, 2), unit("a", 5), unit("b", 3), unit("c", 3)], 2), 2 + 6)
        self.assertEqual(turns.length([unit("both", 4, 2), unit("a", 5)], 1), 9)
        self.assertEqual(turns.length([unit("a", 5), unit("both", 4, 2)], 2), 7)

    def test_what_has_no_processor_or_no_time_waits(self):
        waiting = [unit("both", 8, 2), unit("a", 5), unit("b", 3)]
        self.assertEqual([one and one.name for one in (turns.next_unit(waiting, *how)
                                                       for how in ((2, 2, 4), (2, 2, 3.9), (1, 2, 5), (1, 2, 4),
                                                                   (1, 2, 2), (0, 2, 9)))],
                         ["both", "b", "a", "b", None, None])

    def repository(self, commits, *more):
        folder = self.place / f"of{commits}"
        folder.mkdir()
        self.git(folder, "init", "-q", "-b", "main")
        for number in range(commits):
            self.git(folder, "commit", "-q", "--allow-empty", "-m", str(number))
        for words in more:
            self.git(folder, *words)
        return folder

    def git(self, folder, *words):
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_COMMITTER_DATE": "@1700000003 +0000",
                       **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}
        done = subprocess.run(["git", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else None

    def turn(self, folder):
        return turns.turn_of_head(lambda *words: self.git(folder, *words))

    def test_the_next_commit_has_the_next_turn(self):
        folder = self.repository(4)
        seen = []
        for number in range(5):
            seen.append(self.turn(folder)[0])
            self.git(folder, "commit", "-q", "--allow-empty", "-m", f"more {number}")
        self.assertEqual(seen, [5, 1, 2, 3, 4])
        self.assertIn("9 commits", self.turn(folder)[1])

    def test_a_merge_is_one_commit(self):
        more = [("checkout", "-q", "-b", "side"), *[("commit", "-q", "--allow-empty", "-m", "s")] * 3,
                ("checkout", "-q", "main"),
                ("merge", "-q", "--no-ff", "-m", "m", "side")]
        self.assertEqual(self.turn(self.repository(6, *more))[0], 3)

    def test_a_shallow_clone_goes_by_the_time_and_says_so(self):
        folder = self.repository(3)
        self.git(self.place, "clone", "-q", "--depth", "1", f"file://{folder}", "shallow")
        number, why = self.turn(self.place / "shallow")
        self.assertEqual(number, 1700000003 % 5 + 1)
        self.assertIn("shallow clone", why)

    def test_without_a_repository_it_is_the_first_and_says_so(self):
        number, why = turns.turn_of_head(lambda *words: None)
        self.assertEqual(number, 1)
        self.assertIn("no git repository", why)


class Runs(Scratch):
    """scripts/long_tests.py on CTest's own files."""

    def setUp(self):
        super().setUp()
        self.build = self.place / "build"
        self.build.mkdir()
        self.tests = []

    def add(self, name, does, cost=0.1, **has):
        has = {"LABELS": "long", "COST": cost, **has}
        self.tests.append(f'add_test("{name}" sh -c "{does}")\nset_tests_properties("{name}" PROPERTIES '
                          + " ".join(f'{key} "{value}"' for key, value in has.items()) + ")\n")

    def call(self, *words, **how):
        process = self.start(*words, **how)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def start(self, *words, processors=None, environment=(), preparing=0):
        (self.build / "CTestTestfile.cmake").write_text("".join(self.tests))
        program = f"import sys, long_tests as own\nown.prepare = lambda: own.time.sleep({preparing}) or 0\n"
        if processors:
            program += f"own.os.sched_getaffinity = lambda process: set(range({processors}))\n"
        program += ("try:\n  status = own.main(sys.argv[1:])\nexcept (own.BadArguments, ValueError) as problem:\n  "
                    "print(problem); status = 2\nsys.exit(status)")
        own = {name: value for name, value in os.environ.items() if name != "TSUJI_TURN"}
        own |= {"TSUJI_BUILD": str(self.build), "PYTHONPATH": str(PROJECT / "scripts"), "PYTHONDONTWRITEBYTECODE": "1",
                **dict(environment)}
        return subprocess.Popen([sys.executable, "-c", program, *words], env=own, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def test_what_passes_fails_and_does_not_run_is_told_apart(self):
        self.add("good (a+b.c) [d]*", "exit 0")
        self.add("bad", "echo its words; exit 3")
        self.add("skipped", "exit 77", SKIP_RETURN_CODE=77)
        self.add("absent", "exit 0", DISABLED="ON")
        self.add("short", f"touch {self.place}/short", LABELS="other")
        self.add("good (a+b.c) [d]*, too", f"echo >> {self.place}/too")
        done = self.call("--turn", "all")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^passed .* good \(a\+b\.c\) \[d\]\*$")
        self.assertIn("its words", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-4:],
                         ["NOT RUN  absent: skipped, or disabled because a program or module is missing",
                          "NOT RUN  skipped: skipped, or disabled because a program or module is missing",
                          "FAILED   bad", "66% tests passed, 1 tests failed out of 3"])
        self.assertFalse((self.place / "short").exists())
        self.assertEqual((self.place / "too").read_text(), "\n", "a name that begins like another one is run once")
        self.assertFalse((self.build / "Testing/Temporary/LastTestsFailed.log").exists(),
                         "--rerun-failed is of the build folder's last run")

    def test_a_program_that_is_not_there_fails(self):
        self.add("gone", "exit 0")
        self.tests[0] = self.tests[0].replace("sh -c", "/no/such/program")
        done = self.call("--turn", "all")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]),
                         (1, "0% tests passed, 1 tests failed out of 1"), done.stdout)

    def test_what_is_cut_or_has_no_time_is_not_run_and_neither_passed_nor_failed(self):
        self.add("good", "exit 0", cost=3)
        self.add("endless", f"echo $$ > {self.place}/endless; sleep 60", cost=2)
        self.add("dear", f"touch {self.place}/dear", cost=1000)
        done = self.call("--turn", "all", "--seconds", "10", processors=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout,
                         r"(?m)^NOT RUN  endless: ended after \d+ s, when no time was left; 2 s by its cost\n"
                         r"NOT RUN  dear: 1,000 s by its cost, [01] s left\n100% tests passed, 0 tests "
                         r"failed out of 1\n\Z")
        self.assertFalse((self.place / "dear").exists())
        self.assert_gone("endless")

    def assert_gone(self, name):
        """The process of this number has ended, although nobody may have asked for its status yet."""
        stat = pathlib.Path(f"/proc/{(self.place / name).read_text().strip()}/stat")
        end = time.monotonic() + 20
        while stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] != "Z":
            self.assertLess(time.monotonic(), end, "it still runs")
            time.sleep(0.05)

    def test_whoever_ends_it_ends_its_tests(self):
        self.add("endless", f"echo $$ > {self.place}/endless; sleep 60")
        process = self.start("--turn", "all")
        end = time.monotonic() + 60
        while not (self.place / "endless").exists() or not (self.place / "endless").read_text():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assert_gone("endless")

    def test_seconds_count_from_the_start(self):
        self.add("a", "exit 0", cost=5)
        for preparing, last in ((0, 1), (6, 0)):
            self.assertEqual(self.call("--turn", "all", "--seconds", "10", preparing=preparing).stdout.splitlines()[-1],
                             f"100% tests passed, 0 tests failed out of {last}")

    def test_as_many_as_there_are_processors_run_at_a_time(self):
        for name in ("a", "b", "c"):
            self.add(name, f"echo begin >> {self.place}/log; sleep 0.5; echo end >> {self.place}/log")
        self.add("both", f"echo begin both >> {self.place}/log; sleep 0.5; echo end both >> {self.place}/log",
                 PROCESSORS=2)
        for processors, most in ((1, 1), (2, 2)):
            (self.place / "log").unlink(missing_ok=True)
            self.assertEqual(self.call("--turn", "all", processors=processors).returncode, 0)
            lines, now, seen = (self.place / "log").read_text().splitlines(), 0, []
            for line in lines:
                now += 1 if line.startswith("begin") else -1
                seen.append(now)
            self.assertEqual((len(lines), max(seen)), (8, most), lines)
            self.assertEqual(lines[-2:], ["begin both", "end both"])

    def test_a_fixture_runs_once_before_its_test(self):
        self.add("test", f"echo test >> {self.place}/log", FIXTURES_REQUIRED="f")
        self.add("before", f"echo before >> {self.place}/log", FIXTURES_SETUP="f")
        done = self.call("--turn", "1")
        self.assertEqual((done.returncode, (self.place / "log").read_text()), (0, "before\ntest\n"), done.stdout)
        self.assertIn("out of 2\n", done.stdout)

    def test_the_turn_is_an_argument_or_the_environment_s_or_head_s(self):
        for name in "abcde":
            self.add(name, "exit 0", cost=ord("z") - ord(name))
        for number, name in enumerate("abcde", 1):
            words, environment = (["--turn", str(number)],
                                  {"TSUJI_TURN": "5"}) if number % 2 else ([], {"TSUJI_TURN": str(number)})
            self.assertRegex(self.call(*words, environment=environment).stdout,
                             rf"turn {number} of 5 \((--turn|TSUJI_TURN)\): 1 tests(.*\n)passed .*  {name}\n100%")
        self.assertRegex(self.call().stdout,
                         r"turn \d of 5 \((.* commits|shallow clone|no git repository).*\): 1 tests")

    def test_list_prints_turns_and_runs_nothing(self):
        self.add("a", f"touch {self.place}/a", cost=7)
        self.add("b", "exit 0", cost=9, PROCESSORS=2)
        done = self.call("--list", processors=2)
        self.assertTrue(done.stdout.startswith("turn 1: 9 s of one processor, 4 s on 2\n      9 s  b\nturn 2: 7 s of "
                                               "one processor, 7 s on 2\n      7 s  a\nturn 3: 0 s"), done.stdout)
        self.assertFalse((self.place / "a").exists())

    def test_bad_arguments(self):
        for words, environment, said in ((["--turn", "6"], {}, "--turn: a turn of 1 to 5, or all (got '6')"),
                                         (["--seconds", "0"], {}, "--seconds: more than 0 (got 0)"),
                                         ([], {"TSUJI_TURN": "x"}, "TSUJI_TURN: a turn of 1 to 5, or all (got 'x')"),
                                         (["--what"], {}, None)):
            done = self.call(*words, environment=environment)
            self.assertEqual(done.returncode, 2, words)
            if said:
                self.assertEqual(done.stdout, said + "\n")
        self.add("new", "exit 0", COST=0)
        done = self.call("--turn", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("new: no cost", done.stdout)


class Gate(Scratch):
    MACHINE = "some machine"

    def setUp(self):
        super().setUp()
        self.committed = self.place / "gate.json"
        self.committed.write_text(json.dumps({self.MACHINE: {"a": {"m": 100.0}, "zero": {"m": 0.0}},
                                              "another": {"a": {"m": 1.0}}}))
        self.values = {"a": 100.0, "zero": 0.0}
        self.counted = []
        for name, value in (("COMMITTED", self.committed), ("GATE", ("a", "zero")),
                            ("machine_of", lambda build: self.MACHINE), ("counted", self.measure)):
            patch = mock.patch.object(bench_gate, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def measure(self, case):
        self.counted.append(case)
        return lambda own: [Row("m", self.values[case], "instructions", 150)]

    def gate(self, commit=False, seconds=None, cases=(), begin=0.0):
        printed = []
        with mock.patch("builtins.print",
                        lambda *words, **how: printed.append(*words)), mock.patch.object(bench.time, "monotonic",
                                                                                         lambda: 10.0):
            status = bench.gate(argparse.Namespace(commit=commit, seconds=seconds, cases=list(cases)), begin)
        return status, "\n".join(printed).splitlines()

    def test_one_percent_above_is_the_most(self):
        for value, status, said in ((100.0, 0, "passed  a m 100, committed 100 (+0.00%)"),
                                    (100.99, 0, "passed  a m 100.99, committed 100 (+0.99%)"),
                                    (102.0, 1, "FAILED  a m 102, committed 100 (+2.00%): more than 1% above"),
                                    (99.1, 0, "passed  a m 99.1, committed 100 (-0.90%)"),
                                    (97.0, 0, "passed  a m 97, committed 100 (-3.00%): more than 1% below, --gate "
                                     "--commit renews the committed value"),
                                    (160.0, 1,
                                     "FAILED  a m 160, committed 100 (+60.00%); above its target, 150: more than 1% "
                                     "above")):
            self.values["a"] = value
            self.assertEqual(self.gate(),
                             (status, [said, "passed  zero m 0, committed 0 (+0.00%)",
                                       f"{2 - status} passed, {status} failed"]))

    def test_above_a_committed_zero_everything_fails(self):
        self.values["zero"] = 0.02
        self.assertEqual(self.gate()[0], 1)

    def test_a_missed_target_is_told(self):
        self.committed.write_text(json.dumps({self.MACHINE: {"a": {"m": 160.0}}}))
        self.values["a"] = 160.0
        self.assertEqual(self.gate(cases=["a"]),
                         (0, ["passed  a m 160, committed 160 (+0.00%); above its target, 150", "1 passed, 0 failed"]))

    def test_a_case_without_a_committed_value_fails(self):
        self.committed.write_text(json.dumps({self.MACHINE: {"zero": {"m": 0.0}}}))
        status, said = self.gate()
        self.assertEqual((status, said[0]), (1, "FAILED  a m 100: no committed value; --gate --commit writes it"))

    def test_another_machine_is_not_compared_and_told(self):
        bench_gate.machine_of = lambda build: "a machine with another compiler"
        for _ in range(2):
            status, said = self.gate()
            self.assertEqual((status, self.counted), (0, []))
            self.assertIn("NOT COMPARED: gate.json has no values for this machine (a machine with another compiler); "
                          "--gate --commit", said[0])
            self.assertEqual(said[-1], "0 passed, 0 failed")
            self.committed.unlink(missing_ok=True)

    def test_what_has_no_time_is_ended_and_not_run(self):
        endless = self.place / "endless"
        endless.write_text(f"#!/bin/sh\necho $$ > {self.place}/process\nexec sleep 60\n")
        endless.chmod(0o755)
        own = bench.Bench(self.place, None)
        bench_gate.counted = (lambda case: self.measure(case)
                              if case == "a" else lambda _: own.run("nothing", platform="endless"))
        self.values["a"] = 102.0
        begin = time.monotonic()
        with mock.patch("bench_runs.PLATFORMS", self.place):
            status, said = self.gate(seconds=11)
        self.assertLess(time.monotonic() - begin, 50)
        self.assertEqual((status, said[-2:]), (1, ["NOT RUN zero: no time left of 11 s", "0 passed, 1 failed"]))
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.place / "process").read_text()), 0)
        self.assertEqual(self.gate(seconds=9),
                         (0, ["NOT RUN a: no time left of 9 s", "NOT RUN zero: no time left of 9 s",
                              "0 passed, 0 failed"]))

    def test_commit_writes_what_was_counted_and_keeps_the_rest(self):
        self.values.update(a=102.34567, zero=1.0)
        self.assertEqual(self.gate(commit=True, cases=["a"]),
                         (0, ["bench: gate.json: values of some machine written",
                              "passed  a m 102.346, committed 102.346 (-0.00%)",
                              "1 passed, 0 failed"]))
        self.assertEqual(json.loads(self.committed.read_text()),
                         {self.MACHINE: {"a": {"m": 102.346}, "zero": {"m": 0.0}}, "another": {"a": {"m": 1.0}}})
        bench_gate.machine_of = lambda build: "new"
        self.assertEqual(self.gate(commit=True)[0], 0)
        self.assertEqual(json.loads(self.committed.read_text())["new"], {"a": {"m": 102.346}, "zero": {"m": 1.0}})

    def test_commit_forgets_a_case_that_is_no_longer_of_the_gate(self):
        bench_gate.GATE = ("a",)
        self.gate(commit=True)
        self.assertEqual(json.loads(self.committed.read_text())[self.MACHINE], {"a": {"m": 100.0}})


class GateOfTheRepository(unittest.TestCase):
    def test_every_case_has_a_committed_value_on_every_machine(self):
        self.assertTrue(bench_gate.all_committed())
        for machine, section in bench_gate.all_committed().items():
            self.assertEqual(list(section), list(bench_gate.GATE), machine)
            for case, values in section.items():
                self.assertIn(case, bench.CASES)
                self.assertTrue(values, case)

    def test_this_machine_s_words_name_compiler_and_libraries(self):
        flags = "model name\t: one\nflags\t\t: fpu avx2 bmi1 bmi2 f16c fma movbe abm\nbugs\t\t:\n"
        self.assertTrue(bench_gate.processor(flags).endswith("-v3"))
        for other in ("", flags.replace(" bmi2", ""), flags.replace("bmi1", "bmi")):
            self.assertFalse(bench_gate.processor(other).endswith("-v3"), other)
        self.assertRegex(bench_gate.machine_of(BUILD),
                         r"^\w+(-v3)?, (GNU|Clang) \d+\.\d+\.\d+, SystemC \d+\.\d+\.\d+, glibc \d+\.\d+$")

    def test_cases_count_instructions_alone(self):
        class Runs:
            """Runs whose every number is larger than the one before."""
            numbers, scratch = itertools.count(1), pathlib.Path(tempfile.gettempdir())

            def run(self, what, counted=False, **how):
                if not counted:
                    raise AssertionError(f"{what}: not counted")
                return self

            def instructions_of(self, *_):
                return next(self.numbers)

            def __getitem__(self, metric):
                return 0 if metric == "lookup_misses" else next(self.numbers)

            instructions = property(lambda self: next(self.numbers))

        for case in bench_gate.GATE:
            with self.subTest(case):
                try:
                    self.assertTrue(bench_gate.counted(case)(Runs()))
                except RunFailed:
                    self.assertEqual(case, "cenju4_parcel_8", "which counts its packets")

    def test_arguments(self):
        for words, said in ((["--commit"], "--commit and --seconds go with --gate"),
                            (["--seconds", "3"], "--commit and --seconds go with --gate"),
                            (["--gate", "--seconds", "0"], "--seconds: more than 0 (got 0)"),
                            (["--gate", "router_bytes"], "router_bytes: not a case of --gate; accepted: mesh8_0.3"),
                            (["--gate", "--json", "/tmp/x"], "--json: not with --gate")):
            done = subprocess.run([sys.executable, PROJECT / "scripts/bench.py", *words], capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"bench: {said}", done.stderr)


class CiRun(Scratch):
    """.ci/run with fakes of its parts and of its clock."""

    def setUp(self):
        super().setUp()
        for folder in (".ci", "scripts", "tools"):
            (self.place / folder).mkdir()
        shutil.copy(PROJECT / ".ci/run", self.place / ".ci/run")
        self.program("tools/date", f'echo $((1000 + $(cat {self.place}/clock)))')
        self.program("tools/timeout", f'shift; echo "seconds $1" >> {self.place}/calls; shift; "$@"')
        (self.place / "clock").write_text("0")
        self.part("test", 2000, "some words", "100% tests passed, 0 tests failed out of 2005", "",
                  "Total Test time (real) =  60.0 sec")
        self.part("bench", 180, "7 passed, 0 failed")
        self.part("long_tests", 1700, "0% tests passed, 1 tests failed out of 1", "NOT RUN  x: y",
                  "100% tests passed, 0 tests failed out of 8")

    def program(self, name, does):
        (self.place / name).write_text(f"#!/bin/bash\n{does}\n")
        (self.place / name).chmod(0o755)

    def part(self, name, seconds, *lines, status=0):
        words = "\n".join(lines)
        self.program(f"scripts/{name}", f"""echo {name} "$@" >> {self.place}/calls
echo $(($(cat {self.place}/clock) + {seconds})) > {self.place}/clock
cat <<'END'
{words}
END
exit {status}""")

    def call(self):
        environment = {**os.environ, "PATH": f"{self.place}/tools:{os.environ['PATH']}", "CI": "true"}
        done = subprocess.run([self.place / ".ci/run"], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, check=False)
        return done, (self.place / "calls").read_text().splitlines()

    def test_three_parts_and_the_line_of_all_of_them(self):
        done, calls = self.call()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(calls, ["seconds 4200", "test", "seconds 240", "bench --gate --seconds 200", "seconds 1800",
                                 "long_tests --seconds 1760"])
        self.assertTrue(done.stdout.endswith("\n100% tests passed, 0 tests failed out of 2020\n"), done.stdout)
        self.assertIn("NOT RUN  x: y\n", done.stdout)

    def test_it_ends_within_75_minutes(self):
        self.assertLessEqual(SECONDS["whole"], 75 * 60)
        self.part("test", 3000, "100% tests passed, 0 tests failed out of 3")
        done, calls = self.call()
        self.assertEqual((done.returncode, calls[-2:]), (0, ["seconds 1320", "long_tests --seconds 1280"]))
        (self.place / "calls").unlink()
        (self.place / "clock").write_text("0")
        self.part("test", 4201, "100% tests passed, 0 tests failed out of 3")
        done, calls = self.call()
        self.assertEqual((done.returncode, calls[-2:]), (0, ["seconds 240", "bench --gate --seconds 200"]))
        self.assertIn("ci: NOT RUN: scripts/long_tests: 119 of 4500 s left\n", done.stdout)

    def test_failed_tests_end_it(self):
        self.part("test", 100, "99% tests passed, 2 tests failed out of 2005", status=8)
        done, calls = self.call()
        self.assertEqual((done.returncode, calls), (1, ["seconds 4200", "test"]))
        self.assertTrue(done.stdout.endswith("ci: NOT RUN: the gate and the long tests, as scripts/test failed\n99% "
                                             "tests passed, 2 tests failed out of 2005\n"), done.stdout)

    def test_a_build_that_fails_is_a_failed_test(self):
        self.part("test", 100, "error", status=1)
        done, _ = self.call()
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]),
                         (1, "0% tests passed, 1 tests failed out of 1"))

    def test_a_gate_that_fails_does_not_keep_the_long_tests_and_fails_the_whole(self):
        self.part("bench", 180, "6 passed, 1 failed", status=1)
        done, calls = self.call()
        self.assertEqual((done.returncode, calls[-1], done.stdout.splitlines()[-1]),
                         (1, "long_tests --seconds 1760", "99% tests passed, 1 tests failed out of 2020"))

    def test_a_long_test_that_fails_fails_the_whole(self):
        self.part("long_tests", 180, "87% tests passed, 1 tests failed out of 8", status=1)
        done, _ = self.call()
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]),
                         (1, "99% tests passed, 1 tests failed out of 2020"))

    def test_a_part_that_does_not_end_is_ended_and_has_failed(self):
        self.program("tools/timeout", 'shift; shift; case "$*" in *long*) exit 124 ;; esac; "$@"')
        done, _ = self.call()
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.endswith("ci: FAILED: scripts/long_tests: ended after 1800 s\n99% tests passed, 1 "
                                             "tests failed out of 2013\n"), done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
