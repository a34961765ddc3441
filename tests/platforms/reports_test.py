#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""SystemC's reports in a run's output: a test that does not expect them fails, however the run ends. So does one that
expects another exit status."""

import subprocess

import machine

# Texts as SystemC 2.3.4 writes them, and ones that only look like them.
KERNEL = ("\nWarning: (W571) no activity or clock updates for sc_start() invocation\n"
          "In file: ./sysc/kernel/sc_simcontext.cpp:1754\n")
ERROR = ("\nError: (E109) complete binding failed: port not bound: port 'a.b' (sc_in)\nIn file: "
         "./sysc/communication/sc_port.cpp:231\n")
OWN = "\nFatal: memory: the answer was not completed\nIn file: memory.cpp:99\nIn process: a.b @ 1 ns\n"
HARMLESS = ["", "Warning: a word of the platform's own\n", "network: Warning: (W571)\n",
            "\nInfo: (I804) deprecated\nIn file: a.cpp:1\n"]


class Reports(machine.MachineTest):
    def run_that_says(self, text, code, **options):
        fake = self.write("fake", f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {code}\n")
        fake.chmod(0o755)
        machine.EXECUTABLE = str(fake)
        return self.run_machine(**options)

    def test_a_report_fails_whatever_the_exit_code(self):
        for report, told in ((KERNEL, r"W571"), (ERROR, r"E109"), (OWN, r"memory: the answer")):
            for code in (0, 1, 2):
                with self.assertRaisesRegex(AssertionError, f"unexpected SystemC report: .*{told}"):
                    self.run_that_says(f"before\n{report}after", code)

    def test_other_texts_are_no_reports(self):
        for text in HARMLESS:
            self.assertEqual(self.run_that_says(text, 1).code, 1)

    def test_only_the_expected_report_may_come(self):
        self.assertEqual(self.run_that_says(KERNEL, 0, reports=["(W571)"]).code, 0)
        with self.assertRaisesRegex(AssertionError, "E109"):
            self.run_that_says(KERNEL + ERROR, 0, reports=["(W571)"])

    def test_another_exit_status_fails_with_the_text(self):
        done = subprocess.CompletedProcess([], 1, "said, ", "a problem")
        self.assertIs(self.ended(done, 1), done)
        self.run_that_says("a problem", 1)
        self.ends(1)
        for status in (0, 2):
            with self.assertRaisesRegex(AssertionError, "said, a problem"):
                self.ended(done, status)
            with self.assertRaisesRegex(AssertionError, "a problem"):
                self.ends(status)


if __name__ == "__main__":
    machine.unittest.main()
