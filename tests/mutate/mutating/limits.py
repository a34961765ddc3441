# SPDX-License-Identifier: Apache-2.0
"""Processes with limits that a busy machine does not reach: processor time, memory, and a generous wall clock."""

import os
import resource
import signal
import subprocess

MEMORY_BYTES = 6 << 30
CPU_SECONDS_AT_LEAST = 3
CPU_TIMES_OF_BASE = 5
WALL_SECONDS_AT_LEAST = 60


def run_limited(command, cwd, environment, base_seconds=None):
    """(exit code or None for a time limit, output, processor seconds)."""
    cpu = None if base_seconds is None else CPU_SECONDS_AT_LEAST + int(CPU_TIMES_OF_BASE * base_seconds)
    wall = 900 if cpu is None else WALL_SECONDS_AT_LEAST + 10 * cpu
    limits = ["prlimit", "--core=0", f"--as={MEMORY_BYTES}", *([] if cpu is None else [f"--cpu={cpu}"])]
    process = subprocess.Popen([*limits, *map(str, command)], cwd=cwd, env={**os.environ, **environment}, text=True,
                               errors="replace",
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        output, _ = process.communicate(timeout=wall)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, "", wall
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (None if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else process.returncode), output, seconds
