# SPDX-License-Identifier: Apache-2.0
"""Replays the births of BookSim2's packets in flattened butterflies of 4 x 4 and 4 x 4 x 4 routers of 4 nodes, whose
intermediate routers both networks draw: Valiant's routing and UGAL. Adversarial: each node sends to the node with the
complement of its number, so all nodes of a router send to one router that differs in all dimensions. Loads are shares
of 0.349 and 0.319 flits/node/cycle (Valiant, uniform, 2 and 3 dimensions), 0.322 and 0.305 (adversarial), 0.501 and
0.485 (UGAL, uniform), 0.249 and 0.244 (adversarial)."""

from . import shares

TITLE = "Flattened butterflies of two and three dimensions under Valiant's routing and UGAL"
SOURCE = "BookSim2 28f43299 (Jiang 2013); platforms/reproduce/booksim/README.md"
COMPARISON = shares.Comparison(TITLE, *(
    shares.Series(f"{routing}{dimensions}{traffic[0]}", f"{name}, {dimensions} dimensions, {traffic}")
    for routing, name in (("valiant", "Valiant"), ("ugal", "UGAL")) for dimensions in (2, 3)
    for traffic in ("adversarial", "uniform")))
ROWS, plan, evaluate = COMPARISON.rows, COMPARISON.plan, COMPARISON.evaluate
