# SPDX-License-Identifier: Apache-2.0
"""The switches of table 1 as keys of the platform `network`, on top of a configuration that has the other stages."""

from . import equations


def conventional(case, pipelined=True):
    """Every look-up goes to the content-addressable memory, which takes one at a time unless it is pipelined."""
    return {"lookup.kind": "cam", "lookup.cam_cycles": equations.CASES[case]["none"], "lookup.cam_pipelined": pipelined}


def cached(case, pipelined=True, warm=True, ways=4):
    """A routing-table cache at each input port. `warm`: they begin as an exchange of all with all leaves them (section
    5.1)."""
    return {**conventional(case, pipelined), "lookup.kind": "cached", "lookup.entries": equations.ENTRIES,
            "lookup.ways": ways, "lookup.warm": "all" if warm else "none"}
