#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every file and every member of a class that a README names is there.

usage: readmes_test.py PROJECT    status 0: all are, 1: at least one is missing

A name in backquotes that ends like a source (`graph/topology.h`) is a path below the project, `models`, `models/tsuji`,
`platforms`, or anywhere below the README's folder; the name of a test is one below `tests`. Names with a placeholder
(`lookup_KIND.cpp`) are left out. A name like `VcRouter::traverse()` is a word of a source that declares the class.
"""

import collections
import pathlib
import re
import sys
import tempfile

NAMED = re.compile(r"`(?:\"tsuji/)?((?:[\w.-]+/)*(?:[\w.-]+\.(?:h|cpp|c|py|md|cmake|v|sv|awk)|CMakeLists\.txt))\"?`")
PLACEHOLDER = re.compile(r"[A-Z]{2,}|^platform/header\.h$")
NO_PLACEHOLDER = re.compile(r"README|CMakeLists|CHANGELOG|LICENSE")
ELSEWHERE = ["fstapi.c", "verilated_fst_c.cpp"]  # Verilator's
MEMBER = re.compile(r"`(?:\w+::)*([A-Z]\w+)::(\w+)(?:\([^`]*\))?`")
CLASS = re.compile(r"\b(?:class|struct|enum)\s+(?:\[\[.*?\]\]\s+)?([A-Z]\w+)")
FOLDERS = ("models", "platforms", "testbenches", "tests")


def exists(project, readme, name):
    folders = [readme.parent, project, project / "models/tsuji", project / "models", project / "platforms"]
    if any((folder / name).is_file() for folder in folders):
        return True
    below = project / "tests" if re.search(r"_test\.(cpp|py)$", name) else readme.parent
    return any(path.is_file() for path in below.rglob(name))


def words_of_classes(project):
    """For each class the words of the sources that declare it."""
    words = collections.defaultdict(set)
    for folder in FOLDERS:
        for path in (project / folder).rglob("*"):
            if path.suffix not in (".h", ".cpp"):
                continue
            text = path.read_text(encoding="utf-8")
            own = set(re.findall(r"\w+", text))
            for name in CLASS.findall(text):
                words[name] |= own
    return words


def missing(project, readme, words):
    """The names in a README of which there is no file, or no member."""
    text = readme.read_text(encoding="utf-8")
    found = [f"{name}::{member}" for name, member in MEMBER.findall(text) if member not in words.get(name, ())]
    for name in NAMED.findall(text):
        placeholder = PLACEHOLDER.search(NO_PLACEHOLDER.sub("", name))
        if not placeholder and name not in ELSEWHERE and not exists(project, readme, name):
            found.append(name)
    return found


def check_the_check():
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder)
        (project / "models/tsuji/graph").mkdir(parents=True)
        (project / "models/tsuji/graph/topology.h").write_text("class Topology final {\n  void links();\n};")
        readme = project / "models/README.md"
        readme.write_text("`graph/topology.h`, `topology.h`, `lookup_KIND.cpp`, `gone.h`, `graph/topology.cpp`, "
                          "`\"tsuji/graph/cube.h\"`, "
                          "`Topology::links()`, `graph::Topology::nodes`, `Cube::links(2)`, `std::string`")
        expected = ["Topology::nodes", "Cube::links", "gone.h", "graph/topology.cpp", "graph/cube.h"]
        if missing(project, readme, words_of_classes(project)) != expected:
            sys.exit("the check itself is wrong")


def main():
    check_the_check()
    project = pathlib.Path(sys.argv[1]).resolve()
    readmes = [project / "README.md"]
    for folder in ("models", "platforms", "scripts", "testbenches", "tests"):
        readmes += sorted((project / folder).rglob("README.md"))
    words = words_of_classes(project)
    found = [f"{readme.relative_to(project)} names {name}, which there is not" for readme in readmes
             for name in missing(project, readme, words)]
    print("\n".join(found))
    sys.exit(1 if found or len(readmes) < 30 else 0)


if __name__ == "__main__":
    main()
