# SPDX-License-Identifier: Apache-2.0
"""Tests that must notice a mutant of a folder."""

# Folders of tests/ beside the folder's own, in the order in which they are tried: the ones that hold its promises.
ALSO = {
    "graph": ["routing"],
    "routing": ["fabric"],
    "workload": ["traffic"],
    "link": ["traffic", "router", "crosspoint"],
    "lookup": ["fabric"],
    "router": ["fabric"],
    "traffic": ["fabric"],
    "config": ["fabric"],
    "host/library": ["host"],
}


def noticing(folder):
    return [folder.replace("/", "_"), *ALSO.get(folder, [])]
