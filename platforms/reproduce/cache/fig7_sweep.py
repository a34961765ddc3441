# SPDX-License-Identifier: Apache-2.0
"""Fig. 7 for nodes and cables around its operating point."""

from .applications import CASE_1_64
from .sweep import CROSS, Sweep

SWEEP = Sweep(CASE_1_64, "fig7", 100, CROSS)
TITLE = SWEEP.title()
SOURCE = "Hirasawa 2020, section 5.2 and fig. 7; operating points around it are ours"
ROWS = SWEEP.rows()
plan, evaluate = SWEEP.plan, SWEEP.evaluate
