#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each module of the RTL twins and of the examples is Verilog-2005 and SystemVerilog, for Verilator and for Icarus.

usage: verilog_test.py TESTBENCHES
"""

import pathlib
import subprocess
import sys
import unittest

TESTBENCHES = pathlib.Path(sys.argv.pop(1)).resolve()
# A map of yosys' own cells is no module.
FILES = sorted(path for path in TESTBENCHES.glob("**/*.v") if path.parent.name not in ("mutants", "planted"))
# Folders of whose modules those of a folder are made, too.
PARTS = {"prediction": ("router",), "router": ("detour", "prediction")}
LANGUAGES = (("1364-2005", "-g2005"), ("1800-2017", "-g2012"))


def sources_of(folder):
    return {folder, *(folder.parent / part for part in PARTS.get(folder.name, ()))}


def said_by(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr + f"exit status {done.returncode}" * (done.returncode != 0)


class Languages(unittest.TestCase):
    def test_there_are_modules_of_each_folder(self):
        self.assertLessEqual({"detour", "lookahead", "lookup", "prediction", "router"},
                             {path.parent.name for path in FILES})

    def test_verilator(self):
        for file in FILES:
            for language, _ in LANGUAGES:
                with self.subTest(file=file.name, language=language):
                    self.assertEqual(said_by("verilator", "--lint-only", "-Wno-lint", "-Wno-style",
                                             *(word for folder in sources_of(file.parent) for word in ("-y", folder)),
                                             "--default-language", language, file), "")

    def test_icarus(self):
        for folder in sorted({path.parent for path in FILES}):
            files = [path for path in FILES if path.parent in sources_of(folder)]
            tops = [word for file in files if file.parent == folder for word in ("-s", file.stem)]
            for _, language in LANGUAGES:
                with self.subTest(folder=folder.name, language=language):
                    self.assertEqual(said_by("iverilog", language, "-t", "null", *tops, *files), "")


if __name__ == "__main__":
    unittest.main()
