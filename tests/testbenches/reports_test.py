#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reports of RTL in a bench: $display goes to standard output, $error ends the run.

usage: reports_test.py REPORTING_BENCH
"""

import sys
import unittest

from benches import BenchTest

BENCH = sys.argv.pop(1)


class Reports(BenchTest):
    def test_an_error_of_the_rtl_ends_the_run(self):
        done = self.ends(1, BENCH, "--device", "crc_reports", "--cycles", "1000")
        self.assertIn("twin.crc_hash takes a key\n", done.stdout)
        self.assertRegex(done.stdout,
                         r"%Error: crc_reports.v:\d+: Assertion failed in twin\S*: bad key [0-9a-f]{15}[5d]\n")
        self.assertRegex(done.stderr, r"crc_reports.v:\d+: .*\$stop")
        self.assertNotIn("digest", done.stdout)

    def test_the_model_alone_reports_nothing(self):
        done = self.ends(0, BENCH, "--device", "crc_reports", "--dut", "model", "--cycles", "1000")
        self.assertNotIn("takes a key", done.stdout)


if __name__ == "__main__":
    unittest.main()
