# SPDX-License-Identifier: Apache-2.0
"""Random set-ups of BookSim2, of the kinds whose packets are compared."""

from __future__ import annotations

import random

from .configuration import Configuration

KINDS = ("mesh", "torus", "fly")
ADAPTIVE = "adaptive"  # only for a BookSim2 whose sets of routes keep ranges of equal priority
SHAPES = {"mesh": ((2, 2), (3, 2), (4, 2), (5, 2), (7, 2), (8, 2), (6, 1), (3, 3)),
          "torus": ((3, 1), (5, 1), (7, 1), (3, 2), (5, 2), (7, 2), (3, 3)),
          "fly": ((2, 2), (2, 3), (2, 5), (3, 2), (3, 3), (4, 2), (4, 3))}
SHAPES[ADAPTIVE] = SHAPES["mesh"]
ALLOCATORS = ("islip", "islip(2)", "islip(3)", "separable_input_first", "separable_input_first(matrix)")
PATTERNS = ("uniform", "uniform", "randperm", "tornado", "neighbor", "hotspot", "bitcomp", "transpose")


def is_power(nodes: int, base: int) -> bool:
    while nodes % base == 0:
        nodes //= base
    return nodes == 1


def pattern(draw: random.Random, kind: str, nodes: int) -> str:
    """One that the number of nodes allows, with its parameters."""
    name = draw.choice(PATTERNS)
    if name == "bitcomp" and not is_power(nodes, 2) or name == "transpose" and not is_power(nodes, 4):
        name = "uniform"
    if name in ("tornado", "neighbor") and kind == "fly":
        name = "randperm"
    return f"hotspot({{{draw.randrange(nodes)}}})" if name == "hotspot" else name


def lengths(draw: random.Random) -> tuple[dict[str, str], float]:
    """Keys and the mean."""
    if draw.random() < 0.7:
        flits = draw.choice((1, 1, 2, 3, 4, 5, 8, 16))
        return {"packet_size": str(flits)}, flits
    two = sorted(draw.sample(range(1, 17), 2))
    # One list for the only traffic class.
    return {"packet_size": f"{{{{{two[0]},{two[1]}}}}}", "packet_size_rate": "{{3,1}}"}, (3 * two[0] + two[1]) / 4


def channels(draw: random.Random, kind: str) -> int:
    if kind == "torus":
        return draw.choice((2, 4, 6))
    return draw.randint(2 if kind == ADAPTIVE else 1, 6)


def allocators(draw: random.Random) -> dict[str, str]:
    va, sa = draw.choice(ALLOCATORS), draw.choice(ALLOCATORS)
    if va.startswith("islip") and sa.startswith("islip"):
        sa = va
    return {"vc_allocator": va, "sw_allocator": sa}


def draw_set_up(seed: int, number: int, adaptive: bool) -> Configuration:
    """The configuration of a case; equal arguments give equal ones."""
    draw = random.Random(f"{seed}.{number}")
    kind = draw.choice((*KINDS, ADAPTIVE) if adaptive else KINDS)
    k, n = draw.choice(SHAPES[kind])
    sizes, mean = lengths(draw)
    routing = {"mesh": "dor", "torus": "dim_order", "fly": "dest_tag", ADAPTIVE: "min_adapt"}[kind]
    vcs = channels(draw, kind)
    keys = {"topology": "mesh" if kind == ADAPTIVE else kind, "k": str(k), "n": str(n), "routing_function": routing,
            "num_vcs": str(vcs),
            "input_speedup": str(draw.choice([1, 1, 1, *(by for by in range(2, 5) if vcs % by == 0)])),
            "vc_buf_size": str(draw.randint(1, 16)), **allocators(draw),
            "wait_for_tail_credit": str(draw.randint(kind == ADAPTIVE, 1)),
            "credit_delay": str(draw.choice((0, 0, 1, 3))),
            "routing_delay": str(draw.choice((1, 1, 1, 0))), "use_noc_latency": str(draw.randrange(2)),
            "traffic": pattern(draw, kind, k ** n), **sizes,
            "injection_rate": f"{min(draw.choice((0.05, 0.2, 0.4, 0.6, 0.9, 1.5)) / mean, 1.0):.4f}",
            "sample_period": str(draw.choice((200, 400, 800))), "warmup_periods": "1", "max_samples": "2",
            "seed": str(draw.randrange(1, 1 << 30))}
    configuration = Configuration()
    for key, value in keys.items():
        configuration.set(key, value, f"set-up {number}")
    return configuration
