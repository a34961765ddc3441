#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""models/public_headers.txt: what is listed is there, and what a user copies includes nothing else.
`tests/installation` compiles each header alone."""

import re
import unittest

from names_testing import ROOT

INCLUDE = re.compile(r'#\s*include\s*["<]tsuji/([^">]+)[">]')


def listed(text):
    """{header: purpose} of the list's lines."""
    found = {}
    for line in text.splitlines():
        if line and line[0] not in "#[":
            header, _, purpose = line.partition(" ")
            if header in found:
                raise ValueError(f"{header} stands twice")
            found[header] = purpose.strip()
    return found


def copied_by_users():
    """(file, what it includes below tsuji/) of the example, READMEs and the pages that they lead to."""
    pages = [path for path in ROOT.rglob("*.md") if path.name != "CHANGELOG.md"
             and "build" not in path.relative_to(ROOT).parts[0]]
    sources = [path for folder in ("platforms/example", "testbenches/router/examples")
               for path in (ROOT / folder).rglob("*")
               if path.suffix in (".h", ".cpp")]
    return [(path.relative_to(ROOT), header) for path in pages + sources
            for header in INCLUDE.findall(path.read_text(encoding="utf-8"))]


class PublicHeaders(unittest.TestCase):
    HEADERS = listed((ROOT / "models/public_headers.txt").read_text())

    def test_each_is_there_and_says_what_it_is_for(self):
        self.assertGreater(len(self.HEADERS), 40)
        for header, purpose in self.HEADERS.items():
            self.assertTrue((ROOT / "models/tsuji" / header).is_file(), header)
            self.assertTrue(purpose, header)

    def test_what_a_user_copies_includes_no_others(self):
        includes = copied_by_users()
        self.assertGreater(len(includes), 15, "includes are not found any more")
        for path, header in includes:
            if header != "FOLDER/header.h":
                self.assertIn(header, self.HEADERS, f"{path} includes an internal header")

    def test_a_header_twice(self):
        self.assertRaises(ValueError, listed, "a.h  x\na.h  y\n")


if __name__ == "__main__":
    unittest.main()
