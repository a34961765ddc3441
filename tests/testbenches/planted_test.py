#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Benches from outside: a bug in a twin is found, with cycle, signal and both values, and drawn from both sides.

usage: planted_test.py LOOKUP_BENCH PLANTED_BENCH
"""

import re
import sys
import unittest

from benches import BenchTest, devices, run

GOOD, PLANTED = sys.argv[1:3]
LINE = re.compile(r"^(\w+): cycle (\d+): (\w+)(?:\[(\d+)\])?: model 0x([0-9a-f]+), twin 0x([0-9a-f]+)$", re.MULTILINE)


def read_vcd(path):
    """Changes of each signal, by its name with the scope: {"twin.answer_hit": [(time, value), ...]}."""
    names, scopes, changes, time = {}, [], {}, 0
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if line.startswith("$scope"):
            scopes.append(words[2])
        elif line.startswith("$upscope"):
            scopes.pop()
        elif line.startswith("$var"):
            names[words[3]] = ".".join([*scopes[1:], words[4].split("[")[0]])
        elif line.startswith("#"):
            time = int(line[1:])
        elif words and line[0] in "01b" and not line.startswith("b "):
            value, code = (words[0][1:], words[1]) if line[0] == "b" else (line[0], line[1:])
            changes.setdefault(names[code], []).append((time, int(value, 2)))
    return changes


def value_at(changes, time):
    return [value for when, value in changes if when <= time][-1]


class Planted(BenchTest):
    def find(self, device, seed, wave):
        result = self.ends(1, PLANTED, "--device", device, "--seed", str(seed), "--difference-wave", str(wave))
        found = LINE.findall(result.stdout)
        self.assertTrue(found, result.stdout)
        self.assertIn(str(wave), result.stdout)
        return found

    def test_every_planted_bug_is_found(self):
        planted = devices(PLANTED)
        self.assertGreaterEqual(len(planted), 2)
        for device in planted:
            for seed in (1, 2, 3):
                with self.subTest(device=device, seed=seed):
                    found = self.find(device, seed, self.folder / "found.vcd")
                    for name, cycle, signal, lane, model, twin in found:
                        self.assertEqual((name, cycle), (device, found[0][1]))
                        self.assertNotEqual(int(model, 16), int(twin, 16))
                        self.check_wave(self.folder / "found.vcd", int(cycle), signal, lane, int(model, 16),
                                        int(twin, 16))

    def check_wave(self, path, cycle, signal, lane, model, twin):
        """Both sides in the waveform have the values reported, and were equal in all cycles before."""
        wave = read_vcd(path)
        unit = 1000  # a cycle is a nanosecond
        pin = signal + (f"_{lane}" if lane else "")
        self.assertEqual(value_at(wave[f"model.{pin}"], cycle * unit), model)
        self.assertEqual(value_at(wave[f"twin.{pin}"], cycle * unit), twin)
        self.assertEqual([when for when, value in wave["differs"] if value == 1][0], cycle * unit)
        self.assertTrue(any(name.startswith("inputs.") for name in wave))
        for name in wave:
            if name.startswith("model."):
                other = wave["twin" + name[len("model"):]]
                before = [[change for change in side if change[0] < cycle * unit] for side in (wave[name], other)]
                self.assertEqual(before[0], before[1], name)

    def test_fst_is_the_other_format(self):
        wave = self.folder / "found.fst"
        self.find(devices(PLANTED)[0], 1, wave)
        self.assertGreater(wave.stat().st_size, 100)
        self.assertIn("twin", wave.with_suffix(".gtkw").read_text(encoding="utf-8"))

    def test_the_save_file_has_what_differs_on_top_and_the_marker_there(self):
        for device in devices(PLANTED):
            wave = self.folder / "found.vcd"
            told = self.find(device, 1, wave)
            shown = wave.with_suffix(".gtkw").read_text(encoding="utf-8")
            first = {signal + (f"_{lane}" if lane else "") for _, _, signal, lane, *_ in told}
            top = re.findall(r"^(?:\+\{\S+\} )?bench\.(\w+)\.(\w+)",
                             shown.partition("-first to differ")[2].partition("-first to differ")[0],
                             re.MULTILINE)
            self.assertEqual([side for side, _ in top], ["model", "twin"] * (len(top) // 2))
            self.assertEqual([name for side, name in top if side == "model"],
                             [name for side, name in top if side == "twin"])
            self.assertEqual(first, {name for _, name in top}, device)
            marker = re.search(r"^\*-?[\d.]+ (\d+) ", shown, re.MULTILINE).group(1)
            self.assertEqual(int(marker), 1000 * int(told[0][1]), device)

    def test_a_difference_is_the_same_in_every_run(self):
        for device in devices(PLANTED):
            self.assertEqual(*(self.find(device, 5, self.folder / "found.vcd") for _ in range(2)))


class OneSide(BenchTest):
    def test_pins_of_a_router_are_grouped_by_port_and_virtual_channel(self):
        if "router_matrix" not in devices(GOOD):
            self.skipTest("no routers")
        wave = self.folder / "groups.vcd"
        self.ends(0, GOOD, "--device", "router_matrix", "--dut", "model", "--cycles", "300", "--waves", wave)
        shown = wave.with_suffix(".gtkw").read_text(encoding="utf-8")
        groups = re.findall(r"^@800200\n-(.*)$", shown, re.MULTILINE)
        self.assertEqual(groups, ["inputs", "outputs"] + [
            f"port {port}{channel}" for port in range(3)
            for channel in ("", ", virtual channel 0", ", virtual channel 1")])
        channel = shown.partition("-port 1, virtual channel 1\n")[2].partition("-port 1, virtual channel 1\n")[0]
        self.assertEqual(re.findall(r"bench\.(\w+\.\w+)", channel),
                         ["inputs.out_credit_3", "model.in_credit_3", "model.blocked_3"])

    def test_model_alone_and_twin_alone_give_the_same_digest(self):
        for device in devices(GOOD):
            with self.subTest(device=device):
                texts = []
                for side in ("model", "twin", "both"):
                    result = self.ends(0, GOOD, "--device", device, "--dut", side, "--cycles", "20000", "--seed", "7")
                    texts.append(re.search(r"digest (0x[0-9a-f]+)", result.stdout).group(1))
                self.assertEqual(len(set(texts)), 1, texts)

    def test_waves_change_nothing(self):
        device = devices(GOOD)[0]
        wave = self.folder / "run.vcd"
        bare = run(GOOD, "--device", device, "--cycles", "2000")
        waves = run(GOOD, "--device", device, "--cycles", "2000", "--waves", str(wave), "--window", "100:200")
        self.assertEqual(bare.stdout, waves.stdout)
        times = [when for changes in read_vcd(wave).values() for when, _ in changes]
        self.assertGreaterEqual(min(times), 100 * 1000)
        self.assertLessEqual(max(times), 200 * 1000)


@unittest.skipUnless("compact_search" in devices(GOOD), "the bench of look-ups has it")
class Search(BenchTest):
    def test_the_waveform_of_the_readme_shows_a_search_cycle_by_cycle(self):
        path = self.folder / "search.vcd"
        self.ends(0, GOOD, "--device", "compact_search", "--cycles", "2000", "--waves", str(path), "--window",
                  "1235:1290")
        wave, shown = read_vcd(path), path.with_suffix(".gtkw").read_text(encoding="utf-8")
        cycles = range(1240, 1249)  # a request, 25 rows by four a cycle, the choice, the answer
        for side in ("model", "twin"):
            def values(signal):
                return [value_at(wave[f"{side}.{signal}"], cycle * 1000) for cycle in cycles]
            self.assertEqual(values("comparing_row"), [0, 4, 8, 12, 16, 20, 24, 0, 0])
            self.assertEqual(values("request_ready"), [1, 0, 0, 0, 0, 0, 0, 0, 1])
            self.assertEqual(values("choosing"), [0, 0, 0, 0, 0, 0, 0, 1, 0])
            self.assertEqual(values("answer_valid"), [0, 0, 0, 0, 0, 0, 0, 0, 1])
            self.assertEqual([values(f"nearest_row_{lane}")[7] for lane in (0, 1)], [8, 1])
            self.assertEqual(values("nearest_distance_0")[7], values("nearest_distance_1")[7])
            self.assertEqual(values("answer_row")[8], 1)
        for name in wave:
            self.assertIn(f"bench.{name}", shown)


class Refused(BenchTest):
    def test_bad_input_is_refused_with_what_would_be_accepted(self):
        device = devices(GOOD)[0]
        for words, part in (
            (["--device", "nothing"], device),
            (["--device", device, "--dut", "neither"], "model, twin or both"),
            (["--device", device, "--cycles", "0"], "1 or more"),
            (["--device", device, "--cycles", "5", "--waves", "x.txt"], "FILE.vcd or FILE.fst"),
            (["--device", device, "--cycles", "5", "--waves", "/nowhere/x.fst"], "/nowhere/x.fst"),
            (["--device", device, "--window", "5"], "FROM:TO"),
            (["--device", device, "--no-such-option"], "no-such-option"),
            (["--device", device, "--trace", "x.fst"], "--trace: is called --waves since 0.2; accepted: --waves"),
            (["--device", device, "--trace-window=1:2"], "is called --window since 0.2"),
        ):
            with self.subTest(words=words):
                result = self.ends(2, GOOD, *words)
                self.assertIn(part, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
