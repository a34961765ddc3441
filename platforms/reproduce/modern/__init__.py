# SPDX-License-Identifier: Apache-2.0
"""Networks of low diameter: published throughput of minimal and non-minimal routing, under uniform and adversarial
traffic; jobs and classes of messages that share links."""

IDS = ["dragonfly", "flattened_butterfly", "hyperx", "slim_fly", "interference", "classes"]
