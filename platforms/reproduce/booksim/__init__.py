# SPDX-License-Identifier: Apache-2.0
"""BookSim2 (Jiang 2013), packet by packet: README.md."""

IDS = ["packets", "rules", "tree", "ugal", "valiant", "dimensions", "ugal_dragonfly"]
