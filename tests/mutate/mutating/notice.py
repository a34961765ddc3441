# SPDX-License-Identifier: Apache-2.0
"""Tests that must notice a mutant of a folder."""

# Folders of tests/ beside the folder's own, in the order in which they are tried: the ones that hold its promises.
ALSO = {
    "graph": ["routing"],
    "routing": ["network"],
    "workload": ["traffic"],
    "link": ["traffic", "router", "crosspoint"],
    "lookup": ["network"],
    "router": ["network"],
    "traffic": ["network"],
    "config": ["network", "machines"],
    "host/library": ["host"],
    "results": ["observe"],
    "clock": ["link", "network"],
    "network": ["instruments", "machines"],
    "pins": ["testbenches"],
    "instruments": ["network", "machines"],
}

# Folders whose tests are among those of another.
WITHOUT_OWN = ("results", "clock", "pins")


def noticing(folder):
    own = [] if folder in WITHOUT_OWN else [folder.replace("/", "_")]
    return [*own, *ALSO.get(folder, [])]
