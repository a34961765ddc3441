# SPDX-License-Identifier: Apache-2.0
"""Fig. 8 for nodes and cables around its operating point."""

from .applications import CASE_1_256
from .sweep import SHORT_CABLES, Sweep

SWEEP = Sweep(CASE_1_256, "fig8", 100, SHORT_CABLES)
TITLE = SWEEP.title()
SOURCE = "Hirasawa 2020, section 5.2 and fig. 8; operating points around it are ours"
ROWS = SWEEP.rows()
plan, evaluate = SWEEP.plan, SWEEP.evaluate
