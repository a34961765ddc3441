# SPDX-License-Identifier: Apache-2.0
"""Replays the births of BookSim2's packets in a flattened butterfly of 8 routers under UGAL, whose intermediate routers
both networks draw. Queues are those of BookSim2: credits alone. Loads are shares of 0.48 flits/node/cycle (adversarial:
all nodes of a router send to the next one) and of 0.72 (uniform)."""

from . import shares

TITLE = "A flattened butterfly under UGAL"
SOURCE = "BookSim2 28f43299 (Jiang 2013); platforms/reproduce/booksim/README.md"
COMPARISON = shares.Comparison(TITLE, shares.Series("ugala", "adversarial"),
                               shares.Series("ugalu", "uniform"))
ROWS, plan, evaluate = COMPARISON.rows, COMPARISON.plan, COMPARISON.evaluate
