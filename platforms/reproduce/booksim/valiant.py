# SPDX-License-Identifier: Apache-2.0
"""Replays the births of BookSim2's packets in a flattened butterfly of 8 routers under Valiant's routing, whose
intermediate routers both networks draw. Loads are shares of 0.6 flits/node/cycle (adversarial: all nodes of a router
send to the next one) and of 0.65 (uniform)."""

from . import shares

TITLE = "A flattened butterfly under Valiant's routing"
SOURCE = "BookSim2 28f43299 (Jiang 2013); platforms/reproduce/booksim/README.md"
COMPARISON = shares.Comparison(TITLE, shares.Series("valiant", "adversarial"),
                               shares.Series("valiantu", "uniform"))
ROWS, plan, evaluate = COMPARISON.rows, COMPARISON.plan, COMPARISON.evaluate
