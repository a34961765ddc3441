#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Arguments of scripts/test, run and lint: their help builds nothing, and `test` leaves out long tests unless it is asked.

The tools that the scripts call are replaced by ones that write down how they were called. usage: scripts_test.py PROJECT
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(sys.argv.pop())
TOOLS = ("cmake", "ctest", "dpkg-query", "apt-get", "clang-format", "clang-tidy", "verilator", "iverilog")


class Scripts(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="tsuji_scripts_"))
        self.addCleanup(shutil.rmtree, self.place)
        # A copy: the calls must not depend on what is built here.
        shutil.copytree(PROJECT / "scripts", self.place / "scripts")
        (self.place / "tools").mkdir()
        for tool in TOOLS:
            path = self.place / "tools" / tool
            path.write_text(f'#!/bin/sh\necho "{tool} $*" >> "{self.place}/calls"\n')
            path.chmod(0o755)
        # The package tool knows every package that the scripts could miss.
        packages = "".join(
            f"ii  {line.split()[0]}\n"
            for line in (PROJECT / "scripts/packages").read_text().splitlines()
            if line.strip() and line[0] not in "#["
        )
        (self.place / "packages").write_text(packages)
        query = self.place / "tools/dpkg-query"
        query.write_text(f'#!/bin/sh\ncat "{self.place}/packages"\n')

    def call(self, script, *arguments):
        environment = {**os.environ, "PATH": f"{self.place}/tools:{os.environ['PATH']}"}
        done = subprocess.run(
            [self.place / "scripts" / script, *arguments], env=environment, capture_output=True, text=True, cwd=self.place
        )
        calls = self.place / "calls"
        return done, calls.read_text().splitlines() if calls.exists() else []

    def called_with(self, *arguments):
        done, calls = self.call("test", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return calls[-1].split()

    def test_help(self):
        for script in ("test", "run", "lint"):
            for option in (["--help"], ["-h"], ["-R", "x", "--help"]):
                done, calls = self.call(script, *option)
                self.assertEqual((done.returncode, done.stderr, calls), (0, "", []))
                self.assertTrue(done.stdout.startswith(f"{script} ["), done.stdout)
                self.assertNotIn("lib.sh", done.stdout)

    def test_against_booksim_builds_the_network_alone_and_nothing_for_its_help(self):
        done, calls = self.call("against_booksim", "--help")
        self.assertEqual((done.returncode, done.stderr, calls), (0, "", []))
        self.assertIn("--booksim DIR", done.stdout)
        done, calls = self.call("against_booksim", "--booksim", "gone", "k=4")
        self.assertEqual((done.returncode, calls), (2, ["cmake --preset release", "cmake --build --preset release --target network"]))
        self.assertIn("against_booksim: --booksim: no executable `booksim` in it (got 'gone')", done.stderr)

    def test_a_study_builds_the_platforms_of_all_its_designs(self):
        study = self.place / "study.yaml"
        study.write_text("platform: network\naxes: {n: {a: {x: 1}, b: {platform: cenju4}, c: {platform: network}}}\nmetrics: [m]\n")
        done, calls = self.call("study", str(study))
        self.assertEqual((done.returncode, calls), (2, ["cmake --preset release", "cmake --build --preset release --target network cenju4"]))
        self.assertIn("study.yaml:1:11: platform: not an executable in", done.stderr)
        study.write_text("metrics: [m]\n")
        self.assertEqual(self.call("study", str(study))[1], calls, "a refused study builds nothing")

    def test_long_tests_only_when_asked(self):
        short = self.called_with()
        self.assertEqual(short[short.index("-LE") + 1], "^long$")
        self.assertNotIn("-LE", self.called_with("--long"))

    def test_other_arguments_go_to_ctest(self):
        self.assertEqual(self.called_with("-R", "link")[-4:], ["-LE", "^long$", "-R", "link"])
        self.assertEqual(self.called_with("-R", "link", "--long", "-V")[-3:], ["-R", "link", "-V"])

    def test_a_preset_is_configured_built_and_tested(self):
        for words in (["--preset", "clang", "-R", "link"], ["-R", "link", "--preset=clang"]):
            (self.place / "calls").unlink(missing_ok=True)
            done, calls = self.call("test", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(calls[:2], ["cmake --preset clang", "cmake --build --preset clang --target all"])
            self.assertTrue(calls[2].startswith("ctest --preset clang "), calls)
            self.assertEqual(calls[2].split()[-4:], ["-LE", "^long$", "-R", "link"])
        self.assertIn("--preset release", " ".join(self.called_with()))
        done, calls = self.call("test", "--preset")
        self.assertEqual((done.returncode, done.stderr), (2, "test: --preset: a preset of CMakePresets.json is missing\n"))

    def test_a_preset_s_packages_are_installed_only_when_it_is_asked_for(self):
        known = self.place / "packages"
        known.write_text("".join(line for line in known.read_text().splitlines(True) if "clang" not in line))
        _, calls = self.call("test")
        self.assertFalse([call for call in calls if call.startswith("apt-get")])
        _, calls = self.call("test", "--preset", "clang")
        self.assertIn("clang libclang-rt-dev", [call for call in calls if " install " in call][0])

    def test_presets_have_a_folder_each_and_can_be_built_and_tested(self):
        presets = json.loads((PROJECT / "CMakePresets.json").read_text())
        folders = {one["name"]: one["binaryDir"] for one in presets["configurePresets"]}
        self.assertEqual(len(set(folders.values())), len(folders))
        self.assertLessEqual({"release", "debug", "clang", "sanitize"}, set(folders))
        for kind in ("buildPresets", "testPresets"):
            self.assertEqual({one["name"]: one["configurePreset"] for one in presets[kind]}, {name: name for name in folders})


if __name__ == "__main__":
    unittest.main()
