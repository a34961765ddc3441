# SPDX-License-Identifier: Apache-2.0
"""Replays the births of BookSim2's packets in a dragonfly of 9 groups of 4 routers of 2 nodes under UGAL, whose
intermediate routers and channels of injection both networks draw. The rules are those of BookSim2: queues by credits
alone, weighed by 1 and 2, and a channel for each phase. Loads are shares of 0.0755 flits/node/cycle (adversarial: all
nodes of a group send to the next one) and of 0.303 (uniform)."""

from . import shares

TITLE = "A dragonfly under UGAL"
SOURCE = "BookSim2 28f43299 (Jiang 2013); platforms/reproduce/booksim/README.md"
COMPARISON = shares.Comparison(TITLE, shares.Series("ugalda", "adversarial"),
                               shares.Series("ugaldu", "uniform"))
ROWS, plan, evaluate = COMPARISON.rows, COMPARISON.plan, COMPARISON.evaluate
