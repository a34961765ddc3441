# SPDX-License-Identifier: Apache-2.0
"""Networks of low diameter: published throughput of minimal and non-minimal routing, under uniform and adversarial
traffic."""

IDS = ["dragonfly", "flattened_butterfly", "hyperx", "slim_fly", "interference"]
