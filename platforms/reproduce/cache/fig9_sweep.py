# SPDX-License-Identifier: Apache-2.0
"""Fig. 9 for nodes and cables around its operating point, on the first of its random graphs."""

from .applications import CASE_2_64
from .sweep import SHORT_CABLES, Sweep

SWEEP = Sweep(CASE_2_64, "fig9", 1000, SHORT_CABLES)
TITLE = SWEEP.title()
SOURCE = "Hirasawa 2020, section 5.3 and fig. 9; operating points around it are ours"
ROWS = SWEEP.rows()
plan, evaluate = SWEEP.plan, SWEEP.evaluate
