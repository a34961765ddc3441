# SPDX-License-Identifier: Apache-2.0
"""The build without mutants: how objects are compiled and executables linked, who includes whom, and the tests of each
executable."""

import json
import os
import pathlib
import re
import shlex
import subprocess

CASE = re.compile(r"^(?:TEMPLATE_)?TEST_CASE(?:_METHOD)?\(", re.MULTILINE)


def output_of(*command, cwd=None):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True, cwd=cwd).stdout


def compile_words(words):
    """The command without compiler cache, output, dependencies and warnings."""
    kept, skip = [], False
    for word in words[os.path.basename(words[0]) == "ccache" :]:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT"):
            skip = True
        elif word != "-MD" and not word.startswith("-W"):
            kept.append(word)
    return kept + ["-w"]


class Base:
    """A build folder, which is read and never changed."""

    def __init__(self, project, build):
        self.project, self.build = pathlib.Path(project), pathlib.Path(build)
        self.commands = {}
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            self.commands[words[words.index("-o") + 1]] = compile_words(words)
        self.dependents = self._dependents()
        self._links, self._test_sources, self._parts_link = {}, {}, {}
        self.tests = self._tests()

    def _dependents(self):
        """Objects by the file (relative to the project) that they are made of or include."""
        dependents, current = {}, None
        for line in output_of("ninja", "-t", "deps", cwd=self.build).splitlines():
            if line.startswith("    "):
                path = os.path.realpath(os.path.join(self.build, line.strip()))
                name = os.path.relpath(path, self.project)
                if current in self.commands and not name.startswith(".."):
                    dependents.setdefault(name, set()).add(current)
            elif ":" in line:
                current = line.split(":")[0]
        return dependents

    def link(self, executable):
        """(words of the link command, objects by archive or "" for those named one by one)."""
        if executable not in self._links:
            command = output_of("ninja", "-t", "commands", "-s", executable, cwd=self.build).strip().splitlines()[-1]
            words = shlex.split(re.sub(r"^: && ", "", command).split(" && ")[0])
            objects = {"": [word for word in words if word in self.commands]}
            for archive in (word for word in words if word.endswith(".a") and not os.path.isabs(word)):
                folder, name = os.path.split(archive)
                inside = os.path.join(folder, "CMakeFiles", name.removeprefix("lib").removesuffix(".a") + ".dir") + "/"
                objects[archive] = [one for one in self.commands if one.startswith(inside)]
            self._links[executable] = (words, objects)
        return self._links[executable]

    def test_sources(self, executable):
        """Objects of this executable whose source has test cases."""
        if executable not in self._test_sources:
            _, objects = self.link(executable)
            self._test_sources[executable] = [one for one in objects[""] if self._has_cases(one)]
        return self._test_sources[executable]

    def parts_link(self, executable):
        """Each of the test sources links without the others: none has a function or variable that another one wants."""
        if executable not in self._parts_link:
            defined, wanted = set(), set()
            for line in output_of("nm", "-P", "-A", *self.test_sources(executable), cwd=self.build).splitlines():
                name, kind = line.split()[1:3]
                if kind in "TDBR":
                    defined.add(name)
                elif kind == "U":
                    wanted.add(name)
            self._parts_link[executable] = not defined & wanted
        return self._parts_link[executable]

    def _has_cases(self, name):
        words = self.commands[name]
        text = pathlib.Path(self.build, words[words.index("-c") + 1]).read_text(encoding="utf-8")
        return CASE.search(text) is not None

    def affected(self, executable, path):
        """Objects of this executable that are made of this file or include it."""
        _, objects = self.link(executable)
        touched = self.dependents.get(path, set())
        return sorted(one for some in objects.values() for one in some if one in touched)

    def _tests(self):
        """CTest's tests by the executable's name in the build folder, without long ones."""
        listed = json.loads(output_of("ctest", "--show-only=json-v1", cwd=self.build))
        tests = {}
        for test in listed["tests"]:
            properties = {one["name"]: one["value"] for one in test.get("properties", [])}
            command = test.get("command")
            if command is None or "long" in properties.get("LABELS", []):
                continue
            name = os.path.relpath(command[0], self.build)
            if name.startswith("..") and test["name"].startswith("platforms: "):
                name = "platforms"
            environment = dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", []))
            tests.setdefault(name, []).append(Test(test["name"], command, environment))
        return tests

    def executables_of(self, folder):
        """Executables whose tests lie in tests/FOLDER."""
        place = f"tests/{folder.replace('/', '_')}/CMakeFiles/"
        names = {one[len(place) :].split(".dir/")[0] for one in self.commands if one.startswith(place)}
        return sorted(name for name in names if name in self.tests)


class Test:
    """A run of CTest's: its name, command and environment."""

    def __init__(self, name, command, environment):
        self.name, self.command, self.environment = name, command, environment
