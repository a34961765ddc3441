# SPDX-License-Identifier: Apache-2.0
"""BookSim2 (Jiang 2013), packet by packet: README.md."""

OF_A_PAPER = False
IDS = ["packets", "rules", "tree"]
