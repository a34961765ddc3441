# SPDX-License-Identifier: Apache-2.0
"""Calls of programs, whose output becomes a page."""

import os
import subprocess
from typing import Optional

from .errors import Wrong

TIMEOUT_S = 300


def printed(*words: str, cwd: Optional[str] = None, python_path: str = "") -> str:
    """What a program prints on its standard output; Wrong where it fails."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, timeout=TIMEOUT_S,
                              env={**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1", "COLUMNS": "130",
                                   "PYTHONPATH": python_path})
    except OSError as error:
        raise Wrong(f"{words[0]}: cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        raise Wrong(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout
