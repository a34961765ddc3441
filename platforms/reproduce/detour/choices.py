# SPDX-License-Identifier: Apache-2.0
"""Assumptions on which the paper is silent: each alternative takes the place of one of torus10.yaml or of the
routers."""

import dataclasses
from typing import Any, Callable, Dict


@dataclasses.dataclass(frozen=True)
class Choice:
    label: str
    keys: Callable[[str], Dict[str, Any]]  # of a router, by its name in ROUTERS


def everywhere(**keys):
    return lambda router: {key.replace("__", "."): value for key, value in keys.items()}


CHOICES = {
    "window_1": Choice("window 1", everywhere(traffic__window=1)),
    "window_2": Choice("window 2", everywhere(traffic__window=2)),
    "unbounded": Choice("no window", everywhere(traffic__window=0)),
    "early_reuse": Choice("a VC is reused before it is empty", everywhere(router__atomic_vcs=False)),
    "input_a_vc": Choice("a crossbar input a VC", everywhere(router__input_speedup=4)),
    "dateline": Choice("DM-Order's class by crossing",
                       lambda router: {"routing.dateline": "crossing"} if router == "dm" else {}),
    "ties": Choice("half rings upwards", lambda router: {"routing.ties": "fixed"} if router == "dm" else {}),
    "first": Choice("first free output", everywhere(router__selection="first")),
    "drawn": Choice("output drawn at random", everywhere(router__selection="random")),
    "busy_port": Choice("a table port is busy for 5 clocks",
                        lambda router: {"router.table_pipelined": False} if router == "ud" else {}),
}
