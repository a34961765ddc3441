#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Recipes, container and CI, most of which no machine here can run: they are read, and held against scripts/packages,
CMake and the scripts. usage: packaging_test.py PROJECT"""

import ast
import json
import os
import pathlib
import re
import shlex
import sys
import unittest

import yaml

PROJECT = pathlib.Path(sys.argv.pop())
CMAKE = (PROJECT / "CMakeLists.txt").read_text()
VERSION = re.search(r"project\(tsuji VERSION (\S+)", CMAKE).group(1)
CMAKE_VERSION = re.search(r"cmake_minimum_required\(VERSION (\S+)\)", CMAKE).group(1)
# Debian's names in the section `run` to those of Spack and conda-forge; compilers have names of their own there.
NAMES = {"cmake": ("cmake", "cmake"), "git": ("git", "git"), "libcli11-dev": ("cli11", "cli11"),
         "librandom123-dev": ("random123", "random123"),
         "libspdlog-dev": ("spdlog", "spdlog"), "libsystemc-dev": ("systemc", "systemc"),
         "libyaml-cpp-dev": ("yaml-cpp", "yaml-cpp"),
         "libzstd-dev": ("zstd", "zstd"), "ninja-build": ("ninja", "ninja"),
         "nlohmann-json3-dev": ("nlohmann-json", "nlohmann_json"),
         "pkg-config": ("pkgconfig", "pkg-config"), "verilator": ("verilator", "verilator"),
         "zlib1g-dev": ("zlib-api", "zlib")}
COMPILERS = {"g++"}


def run_packages():
    section = re.search(r"^\[run\]\n(.*?)\n\n", (PROJECT / "scripts/packages").read_text(), re.S | re.M).group(1)
    return {line.split()[0] for line in section.splitlines()} - COMPILERS


def check_options(test, text):
    """Settings of CMake in a recipe are ones that this project reads."""
    sources = "".join(path.read_text() for path in [PROJECT / "CMakeLists.txt",
                                                    *(PROJECT / "models").rglob("CMakeLists.txt")])
    for option in set(re.findall(r"TSUJI_[A-Z_]+", text)) - {"TSUJI_BUILD"}:
        test.assertRegex(sources, rf"(option|find_path|find_program)\({option}\b")


class Recipes(unittest.TestCase):
    def test_spack(self):
        text = (PROJECT / "scripts/packaging/spack/tsuji/package.py").read_text()
        calls = [node for node in ast.walk(ast.parse(text))
                 if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        first = [(call.func.id, call.args[0].value) for call in calls
                 if call.args and isinstance(call.args[0], ast.Constant)]
        self.assertIn(("version", VERSION), first)
        needs = [value for name, value in first if name == "depends_on"]
        self.assertIn(f"cmake@{CMAKE_VERSION}:", needs)
        self.assertEqual({need.split("@")[0] for need in needs} - {"c", "cxx"},
                         {NAMES[package][0] for package in run_packages()})
        self.assertIn("# Never built", text)
        check_options(self, text)

    def test_conda(self):
        text = (PROJECT / "scripts/packaging/conda/meta.yaml").read_text()
        recipe = yaml.safe_load(text)
        self.assertEqual(recipe["package"], {"name": "tsuji", "version": VERSION})
        needs = [need for of in recipe["requirements"].values() for need in of]
        self.assertIn(f"cmake >={CMAKE_VERSION}", needs)
        self.assertEqual({need.split()[0] for need in needs if not need.startswith("{{")},
                         {NAMES[package][1] for package in run_packages()})
        self.assertEqual((PROJECT / "scripts/packaging/conda" / recipe["source"]["path"]).resolve(), PROJECT.resolve())
        self.assertIn("# Never built", text)
        check_options(self, text)


class Version(unittest.TestCase):
    def test_the_header_and_the_readme_have_it(self):
        header = (PROJECT / "models/tsuji/version.h").read_text()
        self.assertIn(f'version_text = "{VERSION}"', header)
        self.assertEqual(re.findall(r"define TSUJI_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header), VERSION.split("."))
        self.assertEqual(set(re.findall(r"(?:Version |version = \{)(\d+\.\d+\.\d+)",
                                        (PROJECT / "README.md").read_text())), {VERSION})


class Commands(unittest.TestCase):
    PRESETS = {preset["name"] for preset in json.loads((PROJECT / "CMakePresets.json").read_text())["configurePresets"]}

    def check_command(self, command):
        """A script that can be run, with options that it knows."""
        words = shlex.split(command)
        script = PROJECT / words[0]
        self.assertTrue(script.is_file() and os.access(script, os.X_OK), command)
        known = script.read_text() + (PROJECT / "tests/fuzz/fuzzing/main.py").read_text() * (script.name == "fuzz")
        for word in words[1:]:
            if word.startswith("--") and script.name != "run":
                self.assertIn(word, known, command)
        if "--preset" in words:
            self.assertIn(words[words.index("--preset") + 1], self.PRESETS, command)

    def runs(self, job):
        """Its commands, for every combination of its matrix."""
        commands = [step["run"] for step in job["steps"] if "run" in step]
        for key, values in job.get("strategy", {}).get("matrix", {}).items():
            commands = [command.replace("${{ matrix.%s }}" % key, value) for command in commands for value in values]
        return commands

    def test_every_command_of_ci_exists(self):
        text = (PROJECT / ".github/workflows/ci.yml").read_text()
        jobs = yaml.safe_load(text)["jobs"]
        for name, job in jobs.items():
            commands = self.runs(job)
            self.assertTrue(commands[0].startswith("apt-get update && apt-get install -y"), name)
            scripts = [command for command in commands if command.startswith("scripts/")]
            self.assertTrue(scripts, name)
            for command in scripts:
                self.assertNotIn("${{", command)
                self.check_command(command)
        self.assertIn("# Never run", text)

    def test_ci_covers_systems_compilers_sanitizers_lint_and_at_night_the_long_tests(self):
        ci = yaml.safe_load((PROJECT / ".github/workflows/ci.yml").read_text())
        jobs = ci["jobs"]
        self.assertEqual(jobs["test"]["strategy"]["matrix"],
                         {"suite": ["bookworm", "trixie"], "preset": ["release", "clang"]})
        self.assertEqual(jobs["test"]["container"], "debian:${{ matrix.suite }}")
        all_runs = {command for job in jobs.values() for command in self.runs(job)}
        self.assertLessEqual({"scripts/test --preset release", "scripts/test --preset clang",
                              "scripts/test --preset sanitize", "scripts/lint", "scripts/bench --gate"}, all_runs)
        self.assertEqual([name for name, job in jobs.items() if any("--long" in command for command in self.runs(job))],
                         ["long"])
        self.assertEqual(jobs["long"]["if"], "github.event_name == 'schedule'")
        self.assertIn("schedule", ci[True])  # YAML's `on`

    def test_the_container_is_two_commands_on_a_debian(self):
        lines = (PROJECT / ".devcontainer/Dockerfile").read_text().splitlines()
        commands = [line.removeprefix("RUN ") for line in lines if line.startswith("RUN ")]
        self.assertEqual([shlex.split(command)[0] for command in commands], ["scripts/run", "scripts/test"])
        for command in commands:
            self.check_command(command)
        described = json.loads((PROJECT / ".devcontainer/devcontainer.json").read_text())
        self.assertTrue((PROJECT / ".devcontainer" / described["build"]["dockerfile"]).is_file())
        # What is built in the image is the build of the folder that an editor mounts.
        self.assertIn(f"WORKDIR {described['workspaceFolder']}", lines)
        self.assertIn(f"ENV TSUJI_BUILD={described['containerEnv']['TSUJI_BUILD']}", lines)

    def test_every_command_of_contributing_exists(self):
        text = (PROJECT / ".github/CONTRIBUTING.md").read_text()
        commands = re.findall(r"`(scripts/[^`]+)`", text) + re.findall(r"^ *(scripts/.*)$",
                                                                       "".join(re.findall(r"```sh\n(.*?)```", text, re.S)), re.M)  # noqa: E501
        self.assertGreaterEqual(len(commands), 5)
        for command in commands:
            self.check_command(command)
        for path in re.findall(r"(?:models|tests|platforms)/[a-z0-9_/.]+\.(?:cpp|py|md)", text):
            self.assertTrue((PROJECT / path).is_file(), path)
        target = re.search(r"--target test_(\w+)", text).group(1)
        self.assertRegex((PROJECT / "tests" / target / "CMakeLists.txt").read_text(), rf"tsuji_test\({target}\b")
        self.assertIn(f'-R "^{target}:"',
                      text)  # CTest's names are the executable's, a colon and the case's, without a space

    def test_issue_forms(self):
        for path in (PROJECT / ".github/ISSUE_TEMPLATE").glob("*.yml"):
            form = yaml.safe_load(path.read_text())
            if path.name == "config.yml":
                continue
            self.assertLessEqual({"name", "description", "body"}, set(form), path.name)
            for field in form["body"]:
                self.assertIn(field["type"], ("textarea", "input", "dropdown"), path.name)
                self.assertTrue(field["attributes"]["label"], path.name)


if __name__ == "__main__":
    unittest.main()
