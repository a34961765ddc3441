# SPDX-License-Identifier: Apache-2.0
"""Writes the page of a run's results. Called by scripts/report and by platforms with --report."""

from __future__ import annotations

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from tsuji.report_main import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
