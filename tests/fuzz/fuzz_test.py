#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The fuzzer itself: it finds each planted defect, names it, and leaves nothing of the configuration but what it takes.

usage: fuzz_test.py FOLDER_OF_THIS_FILE BUILD_FOLDER"""

import dataclasses
import os
import pathlib
import random
import resource
import sys
import tempfile
import tracemalloc
import types
import unittest
import unittest.mock

BUILD = pathlib.Path(sys.argv.pop()).resolve()
FOLDER = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(FOLDER))

from fuzzing import configs, keys, modes, oracle, runs  # noqa: E402
from fuzzing.bench import read_run  # noqa: E402
from fuzzing.configs import ConfigFuzzer  # noqa: E402
from fuzzing.draw import Hint  # noqa: E402
from fuzzing.profiles import PROFILES, Profile, fault_events, hint_of  # noqa: E402
from fuzzing.sweeps import expected_loads  # noqa: E402

CASES = 8


class Planted(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="tsuji-fuzz-test-")
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        PROFILES["fake"] = Profile("fake", {}, selectors=("size.kind",), executable="fake")
        (self.place / "fake").symlink_to(FOLDER / "fake_platform.py")

    def fuzz(self, defect, against=None, numbers=range(CASES)):
        """The fuzzer after these cases, and what it has told."""
        os.environ["FAKE_DEFECT"] = defect
        fuzzer = ConfigFuzzer("fake", self.place, self.place / "scratch", self.place / "keep", 1, against)
        told = []
        fuzzer.run(numbers, 2, lambda: False, told.append)
        return fuzzer, told

    def test_a_good_platform_has_no_failure_and_all_its_keys_are_drawn(self):
        fuzzer, told = self.fuzz("")
        self.assertEqual(told, [])
        self.assertEqual(fuzzer.coverage.accepted, CASES)
        self.assertEqual({"size.a", "size.b", "size.kind"} - fuzzer.coverage.keys, set())

    def test_the_share_of_keys_is_told_on_the_way(self):
        PROFILES["fake"] = dataclasses.replace(PROFILES["fake"], always_default=("seed",))
        with unittest.mock.patch.object(configs, "TELLING_SECONDS", 0):
            _, told = self.fuzz("")
        self.assertEqual(len(told), CASES)
        self.assertRegex(told[-1],
                         r"^fake: 8 cases in \d+ s \(\d+ s of processor time\), 4 of 4 keys away from their default$")

    def test_each_defect_is_found_and_the_key_that_it_takes(self):
        numbers = range(CASES)
        for defect, kind in {"order": "shuffled: another result", "mode": "process_each: another result",
                             "recorded": "recorded: another result", "records": "process_each: another packets.csv",
                             "sums": "recorded: sums", "exit": "model failure", "signal": "signal 11",
                             "nan": "result.json",
                             "resolved": "resolved.yaml: resolves to another file"}.items():
            fuzzer, told = self.fuzz(defect, numbers=numbers)
            self.assertTrue(told, defect)
            numbers = [int(told[0].partition(" --case ")[2].partition(":")[0])]  # the others show in the same case
            for failure, text in zip(fuzzer.failures, told):
                self.assertEqual(failure.kind, kind)
                command = text.splitlines()[-1]
                self.assertIn("size.b=3", command)
                self.assertNotIn("size.a", command)
                self.assertNotIn("size.kind", command)

    def test_another_build_with_another_result_is_found(self):
        other = self.place / "other"
        other.mkdir()
        for broken, kind in ((False, None), ("result", "another result"), ("exit", "ends otherwise")):
            script = f"#!/bin/sh\nFAKE_DEFECT={broken or ''} exec {FOLDER / 'fake_platform.py'} \"$@\"\n"
            (other / "fake").write_text(script, encoding="utf-8")
            (other / "fake").chmod(0o755)
            fuzzer, told = self.fuzz("", other)
            self.assertEqual({failure.kind for failure in fuzzer.failures}, {f"other build: {kind}"} if kind else set(),
                             told)

    def test_a_run_that_takes_too_long_is_cut_off(self):
        for name, seconds in (("WALL_SECONDS", 1), ("ENDING_SECONDS", 0.5)):
            patch = unittest.mock.patch.object(runs, name, seconds)
            patch.start()
            self.addCleanup(patch.stop)
        runner = runs.Runner(self.place / "fake", self.place)
        for defect, end in {"slow": oracle.TOO_LONG, "slow and whole": "a cut-off run looks whole",
                            "endless": "does not end"}.items():
            os.environ["FAKE_DEFECT"] = defect
            found = oracle.ending(runner.run({"size.b": "3"}))
            self.assertEqual(getattr(found, "kind", found), end)

    def test_a_refusal_without_what_is_accepted_is_a_failure(self):
        fuzzer, _ = self.fuzz("short refusal")
        self.assertEqual({failure.kind for failure in fuzzer.failures}, {"refusal"})

    def test_the_same_seed_draws_the_same_and_a_new_key_leaves_the_others_alone(self):
        outcomes = []
        for name in ("first", "second"):
            fuzzer = ConfigFuzzer("fake", self.place, self.place / name, self.place / "keep", 3)
            if name == "second":
                old = fuzzer.machine.keys
                new = keys.parse_keys("new.key\n    new\n    type: bool; default: true; accepted: true, false\n")
                fuzzer.machine.keys = {**new, **old}
                fuzzer.machine.known_idle = {}
            outcomes.append([{key: value for key, value in fuzzer.one(number)[1].settings.items() if key != "new.key"}
                             for number in range(4)])
        self.assertEqual(outcomes[0], outcomes[1])


class Sweeps(unittest.TestCase):
    def test_which_texts_are_good_and_their_loads(self):
        for text, loads in (("0.1:0.5:3", [0.1, 0.3, 0.5]), ("5e-2:.15:3:saturation", [0.05, 0.1, 0.15]),
                            ("1e-6:1:2", [1e-6, 1]),
                            ("0.1:0.3:4", [0.1, 0.166667, 0.233333, 0.3])):
            self.assertEqual(expected_loads(text), loads, text)
        for text in ("", ":", "0.1:0.5", "0.1:0.5:3:", "0.1:0.5:1", "0.1:0.5:1001", "0.5:0.1:3", "0.1:0.1:3", "0:0.5:3",
                     "0.1:1.1:3",
                     "+0.1:0.5:3", " 0.1:0.5:3", "0.1:0.5:3 ", "0.1:0.5:+3", "0.1:0.5:3.0", "nan:0.5:3", "0.1:inf:3",
                     "0.1:0.100001:3",
                     "1e-7:1e-6:2", "0.1:0.5:3:saturation:saturation", "0.1:0.5:saturation", "0.1:0.5:3:Saturation"):
            self.assertIsNone(expected_loads(text), text)


class Bench(unittest.TestCase):
    def test_which_files_are_runs(self):
        good = b"# a comment\n\npacket,7,0,1,2,3,4\nswitch,0,3,2,1\n"
        self.assertEqual(read_run(good), {("packet", 7): (0, 1, 2, 3, 4), ("switch", 0): (3, 2, 1)})
        for bad in (good[:-1], good + b"packet,7,0,1,2,3,4\n", good + b"pocket,8,0,1,2,3,4\n", good + b"switch,1,3,2\n",
                    good + b"switch,1,3,2,1,\n", good + b"switch,1,3,2,-1\n", good + b"switch,4294967296,3,2,1\n",
                    good + b" \n"):
            self.assertIsNone(read_run(bad), bad)

    def test_a_bug_in_rtl_is_found(self):
        PROFILES["planted"] = dataclasses.replace(PROFILES["network_bench"], executable="testbenches/planted_network")
        with tempfile.TemporaryDirectory(prefix="tsuji-fuzz-test-") as place, \
                unittest.mock.patch.object(configs, "minimized", lambda case, outcome: outcome):
            # One case of twelve shows the bug once every key has been drawn, which takes some 50 cases; the first ends
            # the run.
            fuzzer = ConfigFuzzer("planted", BUILD, place, pathlib.Path(place) / "keep", 5)
            told = []
            fuzzer.run(range(400), 2, lambda: bool(fuzzer.failures), told.append)
            self.assertEqual({failure.kind for failure in fuzzer.failures}, {"RTL"}, told)
            command = next(text for text in told if " rtl.places=" in text).splitlines()[-1]
            self.assertIn(" rtl.places=switch=", command)
            kept = pathlib.Path(command.partition("compare.against=")[2].split()[0])
            self.assertTrue(kept.exists(), "what the command reads is kept")


class Limits(unittest.TestCase):
    def told(self, build):
        runner = runs.Runner("/bin/sh", build / "runs", runs.limits_of(build))
        with unittest.mock.patch.object(runner, "command", lambda *_: ["/bin/sh", "-c", "ulimit -c; ulimit -v"]):
            return runner.run({}, writes=False).text.split()

    def test_a_run_has_them_and_a_sanitized_one_all_the_addresses(self):
        own = resource.getrlimit(resource.RLIMIT_AS)
        with tempfile.TemporaryDirectory(prefix="tsuji-fuzz-test-") as place:
            build = pathlib.Path(place)
            self.assertEqual(self.told(build), ["0", str(runs.MEMORY_BYTES // 1024)])
            (build / "CMakeCache.txt").write_text("CMAKE_CXX_FLAGS:STRING=-fsanitize=address,undefined\n",
                                                  encoding="utf-8")
            self.assertEqual(self.told(build), ["0", "unlimited"])
        self.assertEqual(resource.getrlimit(resource.RLIMIT_AS), own, "the fuzzer's own")


class Patience(unittest.TestCase):
    """Reported deadlocks against the checker, and against a watchdog that waits for longer."""

    STANDS = "network: model failure: network, cycle 1200: no flit has moved for 1000 cycles\n"
    DETOUR = {"routing.kind": "detour_ud"}
    LATE = {**DETOUR, "router.block_timeout_cycles": "1000"}

    def setUp(self):
        listed = "".join(f"{name}\n    what it means\n    type: {kind}; default: {default}; accepted: {accepted}\n"
                         for name, kind, default, accepted in (
                             ("run.watchdog_cycles", "integer", 1000, "100..100000"),
                             ("router.block_timeout_cycles", "integer or word", "auto", "0..65535, or auto")))
        self.case = types.SimpleNamespace(machine=types.SimpleNamespace(keys=keys.parse_keys(listed)))

    def test_a_watchdog_may_stop_what_recovery_would_have_ended(self):
        for settings, stops in (({}, False), ({"router.block_timeout_cycles": "2000"}, False), (self.DETOUR, False),
                                (self.LATE, True),
                                ({**self.DETOUR, "router.block_timeout_cycles": "999"}, False),
                                ({**self.DETOUR, "run.watchdog_cycles": "128"}, True),
                                ({**self.DETOUR, "run.watchdog_cycles": "129", "router.block_timeout_cycles": "auto"},
                                 False)):
            self.assertEqual(modes.stops_before_recovery(self.case, settings), stops, settings)

    def fault(self, settings, verdict, later=(0, "")):
        """The kind of failure after a standstill; `verdict` and `later`: code and text of the checker and of the
        patient run."""
        def run(_settings, arguments=(), **_):
            code, text = verdict if "--check-deadlock" in arguments else later
            return types.SimpleNamespace(code=code, text=text, out=pathlib.Path("nowhere"), too_long=False,
                                         has=lambda _: False)
        self.case.runner = types.SimpleNamespace(run=run)
        failure = modes.check_deadlock(self.case, settings, types.SimpleNamespace(text=self.STANDS))
        return failure and failure.kind

    def test_the_checker_sees_a_deadlock_or_recovery_ends_it(self):
        not_judged = (2, "network: link.faults: recovery is checked only for links that do not fail during the run")
        for settings, verdict, later, kind in (
                ({}, (1, "not free"), (0, ""), None),
                ({}, (0, "free"), (0, ""), "checker: a deadlock that it does not see"),
                ({}, (2, "refused"), (0, ""), "checker: exit 2"),
                (self.DETOUR, (0, "free"), (0, ""), "checker: a deadlock that it does not see"),
                (self.LATE, (0, "free"), (0, ""), None),
                (self.LATE, (0, "free"), (1, self.STANDS), "more patience: recovery ends nothing"),
                (self.LATE, (0, "free"), (-11, ""), "more patience: signal 11"),
                (self.LATE, (1, "not free"), (1, self.STANDS), None),
                (self.DETOUR, not_judged, (1, self.STANDS), None),
                (self.LATE, not_judged, (1, self.STANDS), None)):
            self.assertEqual(self.fault(settings, verdict, later), kind, (settings, verdict))


class Data(unittest.TestCase):
    """What whole nodes receive, against a bare torus."""

    SETTINGS = {"workload.trace": "a.ti", "topology.kind": "mesh", "lookup.kind": "cam"}

    def fault(self, told, bare):
        """The kind of failure of a run that has told this digest; `bare`: the end of the run on the torus and its
        digest."""
        end, digest = bare
        asked = []

        def run(settings, arguments=(), **_):
            asked.append(settings)
            return types.SimpleNamespace(result=lambda: {"metrics": {"trace_data_digest": digest}}, text="words")
        case = types.SimpleNamespace(machine=types.SimpleNamespace(profile=PROFILES["machines"]),
                                     runner=types.SimpleNamespace(run=run, forget=lambda _: None))
        metrics = {} if told is None else {"trace_data_digest": told}
        with unittest.mock.patch.object(oracle, "ending", lambda _: end):
            failure = modes.check_data(case, self.SETTINGS, {"metrics": metrics})
        self.assertEqual(asked, [] if told is None else [{
            "workload.trace": "a.ti", "nic.kind": "cenju4", "topology.kind": "torus", "topology.radices": "[4,4]"}])
        return failure and failure.kind

    def test_mechanisms_of_the_network_leave_them_alone(self):
        for told, bare, kind in ((None, (None, ""), None), ("a", (None, "a"), None),
                                 ("a", (None, "b"), "bare torus: other data"),
                                 ("a", ("model: deadlock", ""), "bare torus: ends otherwise"),
                                 ("a", (oracle.TOO_LONG, ""), None)):
            self.assertEqual(self.fault(told, bare), kind, (told, bare))


class Sums(unittest.TestCase):
    HEADER = "packet,flits,created_cycle,injected_cycle,head_cycle,tail_cycle,latency_cycles,cause\n"

    def ended(self, rows):
        place = tempfile.TemporaryDirectory(prefix="tsuji-fuzz-test-")
        self.addCleanup(place.cleanup)
        folder = pathlib.Path(place.name)
        with (folder / "packets.csv").open("w", encoding="utf-8") as file:
            file.write(self.HEADER)
            file.writelines(rows)
        return runs.EndedRun(0, "", folder)

    def faults(self, rows, rails=1, **others):
        """With the metrics of ROWS unless `others` says otherwise."""
        metrics = {"packets_sent": 4, "packets_delivered": 3, "packets_dropped": 1, "flits_in_flight_at_end": 2,
                   "measured_from_cycle": 10,
                   "measured_cycles": 10, "measured_packets": 2, "latency_cycles_mean": 5.5, "latency_cycles_max": 6,
                   **others}
        result = {"metrics": {name: {"value": value} for name, value in metrics.items()},
                  "config": {"measure": {"mode": "cycles"}, "rails": {"count": rails}}}
        return oracle.broken_sums(result, oracle.records(self.ended(rows)))

    # Born in cycles 9, 10, 19 and 12, the last one dropped; [10, 20) is measured.
    ROWS = ["0.0,1,9,9,12,12,3,\n", "0.1,1,10,11,14,15,5,\n", "0.2,1,19,19,24,25,6,\n",
            "0.3,2,12,12,14,15,3,link_down\n"]

    def test_each_sum_is_compared(self):
        self.assertEqual(self.faults(self.ROWS), [])
        for name, value, text in (("packets_delivered", 4, "packets delivered: 4 told, 3"),
                                  ("packets_dropped", 0, "packets dropped: 0 told, 1"),
                                  ("packets_sent", 3, "3 packets were sent, 4"),
                                  ("flits_in_flight_at_end", 3, "3 flits are in"),
                                  ("packets_born", 3, "3 packets born, 4 sent"),
                                  ("measured_packets", 3, "3 packets measured, 2"),
                                  ("measured_from_cycle", 11, "2 packets measured, 1"),
                                  ("measured_cycles", 9, "2 packets measured, 1"),
                                  ("latency_cycles_mean", 5, "of packets.csv 5.5"),
                                  ("latency_cycles_max", 5, "of packets.csv 6")):
            faults = self.faults(self.ROWS, **{name: value})
            self.assertEqual(len(faults), 1, faults)
            self.assertIn(text, faults[0])

    def test_a_node_takes_a_flit_of_each_rail_a_cycle(self):
        self.assertEqual(self.faults(self.ROWS, rails=2, accepted_flits_per_node_cycle=1.5), [])
        for rails, accepted in ((1, 1.5), (2, 2.1)):
            faults = self.faults(self.ROWS, rails=rails, accepted_flits_per_node_cycle=accepted)
            self.assertEqual(len(faults), 1, faults)

    def test_acknowledgements_under_way_are_flits_in_the_network(self):
        self.assertEqual(self.faults(self.ROWS, flits_in_flight_at_end=3, acknowledgements=2), [])
        for flits, taken in ((3, 3), (4, 2)):
            faults = self.faults(self.ROWS, flits_in_flight_at_end=flits, acknowledgements=taken)
            self.assertEqual(len(faults), 1, faults)

    def test_units_have_packets_without_a_line(self):
        """A multicast to four nodes: 1 packet more sent, 4 more delivered, none of them in packets.csv."""
        result = {"metrics": {name: {"value": value} for name, value in {
            "packets_sent": 5, "packets_delivered": 7, "packets_dropped": 1, "packets_born": 4,
            "flits_in_flight_at_end": 2}.items()}, "config": {}}
        columns = [{"name": name} for name in ("router", "from_nodes", "to_nodes")]
        for rows, texts in (([[0, 1, 3], [1, 0, 1]], []), ([[0, 1, 3]], ["packets delivered: 4 told, 3"]),
                            ([[0, 0, 3], [1, 0, 1]], ["4 packets born, 5 sent"])):
            result["tables"] = {"units": {"columns": columns, "rows": rows}}
            faults = oracle.broken_sums(result, oracle.records(self.ended(self.ROWS)))
            self.assertEqual(len(faults), len(texts), faults)
            for fault, text in zip(faults, texts):
                self.assertIn(text, fault)

    def test_retry_has_packets_that_do_not_count(self):
        rows = [*self.ROWS, "0.4,1,13,13,15,16,3,duplicate\n", "8.0,1,13,13,15,16,3,acknowledgement\n"]
        result = {"metrics": {name: {"value": value} for name, value in {
            "packets_sent": 6, "packets_delivered": 3, "packets_dropped": 0, "packets_born": 3,
            "flits_in_flight_at_end": 2}.items()}, "config": {}}
        for born, delivered, dropped, texts in ((6, 5, 1, []), (6, 4, 1, ["packets swallowed: 1 told, 2"]),
                                                (6, 5, 0, ["packets dropped: 0 told, 1"]),
                                                (5, 5, 1, ["5 packets born, 6 sent"])):
            result["tables"] = {"network_packets": {"rows": [["born", born], ["delivered", delivered],
                                                             ["dropped: no_way", dropped],
                                                             ["dropped: link_down", 0], ["under way", 0]]}}
            faults = oracle.broken_sums(result, oracle.records(self.ended(rows)))
            self.assertEqual(len(faults), len(texts), faults)
            for text in texts:
                self.assertIn(text, faults[0])

    def test_times_of_a_packet_are_in_order(self):
        for row in ("0.0,1,9,8,12,12,3,\n", "0.0,1,9,13,12,12,3,\n", "0.0,1,9,9,13,12,3,\n", "0.0,1,9,9,12,12,4,\n"):
            self.assertIn("a packet's times", self.faults([row, *self.ROWS[1:]])[0])

    def test_packets_pass_by_and_are_not_held(self):
        ended = self.ended("0.0,1,9,9,12,12,3,\n" for _ in range(20000))
        tracemalloc.start()
        try:
            self.assertEqual(sum(row["cause"] == "" for row in oracle.records(ended)), 20000)
            self.assertIsNotNone(ended.digest("packets.csv"))
            self.assertLess(tracemalloc.get_traced_memory()[1], (ended.out / "packets.csv").stat().st_size)
        finally:
            tracemalloc.stop()


class KilledRanks(unittest.TestCase):
    COUNTED = "Primary job terminated normally, but 1 process returned\na non-zero exit code. Per user-direction, ...\n"
    NAMED = "mpirun noticed that process rank 1 with PID 0 on node here exited on signal 9 (Killed).\n"

    def is_good(self, code, text, killed=1):
        ended = types.SimpleNamespace(code=code, text=text, has=lambda name: False)
        return modes.check_killed(modes.Mode("killed rank", {}, (), killed=killed), ended, {}) is None

    def test_mpirun_names_the_rank_or_counts_it(self):
        self.assertTrue(self.is_good(137, self.COUNTED + self.NAMED))
        self.assertTrue(self.is_good(137, self.COUNTED))
        self.assertTrue(self.is_good(1, self.NAMED))

    def test_another_rank_another_end_or_nothing_is_a_failure(self):
        self.assertFalse(self.is_good(137, self.COUNTED + self.NAMED, killed=0))
        self.assertFalse(self.is_good(1, self.COUNTED))
        self.assertFalse(self.is_good(137, self.COUNTED.replace("1 process", "2 processes")))
        self.assertFalse(self.is_good(137, ""))


class Hints(unittest.TestCase):
    def test_words_of_the_table_of_keys(self):
        self.assertEqual(hint_of("usual=1..9 most=20 multiple=4 always"),
                         Hint(usual=(1, 9), most=20, multiple=4, always=True))
        self.assertEqual(hint_of("draw=fault_events usual=0..0.5"), Hint(draw=fault_events, usual=(0, 0.5)))
        drawn = {hint_of("draw=power_of_two(3,5)").draw(random.Random(seed), None) for seed in range(99)}
        self.assertLessEqual({"8", "16", "32"}, drawn)
        self.assertLessEqual(max(map(int, drawn)), 33)
        for wrong in ("usual=1", "most=x", "often", "draw=no_such_function"):
            self.assertRaises((KeyError, TypeError, ValueError), hint_of, wrong)


class Refusals(unittest.TestCase):
    KEYS = {"a.b": None, "a.b.c": None, "seed": None}

    def fault(self, text):
        class Run:
            out = pathlib.Path("/nowhere")
        Run.text = text
        return oracle.refusal_fault(Run, self.KEYS)

    def test_what_a_refusal_must_say(self):
        good = "x: --set a.b=7: a.b: out of range (got '7'); accepted: 1..3\n"
        self.assertIsNone(self.fault(good))
        self.assertEqual(oracle.blamed_key(good, self.KEYS), "a.b")
        for bad in ("x: a.b: out of range (got '7')", "x: out of range; accepted: 1", good + "more\n",
                    good.replace("range", "ra\x1bnge"), good.replace("7", "7" * 50000)):
            self.assertIsNotNone(self.fault(bad), bad[:100])


if __name__ == "__main__":
    unittest.main()
