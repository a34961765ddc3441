# SPDX-License-Identifier: Apache-2.0
"""What the tests of names share."""

import pathlib
import sys
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/platforms")]

from own_folder import FolderTest  # noqa: E402
from tsuji import renames  # noqa: E402


class Names(FolderTest):
    """`TABLE`: lines like those of models/renamed.txt, in its place; None: the file itself."""

    TABLE = None

    def setUp(self):
        super().setUp()
        if self.TABLE is not None:
            patch = unittest.mock.patch.object(renames, "PATH", self.write("table.txt", self.TABLE))
            patch.start()
            self.addCleanup(patch.stop)
        renames.table.cache_clear()
        self.addCleanup(renames.table.cache_clear)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text.encode())
        return path


def run():
    """unittest.main() with the class that the command line names."""
    unittest.main(argv=[sys.argv[0], *sys.argv[1:2]])
