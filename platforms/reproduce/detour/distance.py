# SPDX-License-Identifier: Apache-2.0
"""Bandwidth against the distance of the fault regions; `all`: every router reads its torus table."""

from .study import Study

TITLE = "Fault-region distance"
SOURCE = "in no paper"
# 11 hops are more than the diameter of the 10x10 torus, so every router is in a region.
STUDY = Study("region distance", {"1": 1, "2": 2, "3": 3, "4": 4, "all": 12},
              lambda distance: {"routing.region_distance": distance},
              [("ud", 2), ("ud", 4)], ["1", "2"])
ROWS, plan, evaluate = STUDY.rows, STUDY.plan, STUDY.evaluate
