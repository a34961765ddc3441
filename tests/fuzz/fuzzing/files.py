# SPDX-License-Identifier: Apache-2.0
"""Damaged input files: calls the driver that has all readers with sanitizers in it."""

import subprocess

READERS = 11  # kinds of input, which share the minutes


def fuzz_files(options, build, scratch, tell):
    """The number of failures: 0 or 1."""
    command = [str(build / "damaged_files_sanitized"), "--seed", str(options.seed), "--folder", scratch]
    if options.case is not None:
        command += ["--case", str(options.case)]
    if options.cases is not None:
        command += ["--cases", str(options.cases)]
    if options.minutes is not None:
        command += ["--seconds", str(60 * options.minutes / READERS)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    tell(done.stdout.decode("utf-8", "backslashreplace").rstrip())
    if done.returncode != 0:
        tell(f"FAILED files: exit {done.returncode}")
    return int(done.returncode != 0)
