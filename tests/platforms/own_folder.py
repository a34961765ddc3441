# SPDX-License-Identifier: Apache-2.0
"""Tests of what is called from outside: a folder for each of them, and the exit status of a call."""

import pathlib
import tempfile
import unittest


class FolderTest(unittest.TestCase):
    """Each test has its own folder, `self.folder`."""

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="tsuji-")
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def ended(self, done, status=0):
        """A finished call, which has this exit status; the message of any other is the call's own text."""
        self.assertEqual(done.returncode, status, f"{done.stdout}{done.stderr}")
        return done
