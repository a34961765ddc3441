# SPDX-License-Identifier: Apache-2.0
"""Bandwidth against the number of FA channels, beside one UD channel."""

from .study import Study

TITLE = "Number of FA channels"
SOURCE = "in no paper"
STUDY = Study("FA channels", {str(number): number for number in range(1, 8)}, lambda number: {"router.vcs": number + 1},
              [("ud", 0), ("ud", 4)], ["1", "3"],
              ["the clock is that of 4 channels: what more of them cost it is not known"])
ROWS, plan, evaluate = STUDY.rows, STUDY.plan, STUDY.evaluate
