# SPDX-License-Identifier: Apache-2.0
"""The four routers of table 1 on the 10x10 torus, what their runs are, and the units of the figures."""

import dataclasses
from typing import Any, Dict

from reproduction import Run

CONFIG = "platforms/reproduce/detour/torus10.yaml"
FLIT_BYTES = 4  # 32-bit channels
SIZES = [16, 32, 64, 96, 128, 256, 512]  # bytes, header included
TIMEOUT_CYCLES = 128


@dataclasses.dataclass(frozen=True)
class Router:
    label: str
    mhz: int  # table 1
    keys: Dict[str, Any]
    bears_faults: bool = False


ROUTERS = {
    "dm": Router("DM-Order", 79, {"routing.kind": "dimension_order", "routing.dateline": "switching"}),
    "duato": Router("Duato", 55, {"routing.kind": "duato"}),
    "nf": Router("Detour-NF", 52, {"routing.kind": "detour_nf"}, bears_faults=True),
    "ud": Router("Detour-UD", 48, {"routing.kind": "detour_ud", "router.block_timeout_cycles": TIMEOUT_CYCLES},
                 bears_faults=True),
}
PATTERNS = {"transpose": "transpose", "random": "uniform"}


def run(router, pattern, size_bytes, faults=None, keys=None, seconds=0.5, may_be_refused=False, options=()):
    """`faults`: keys of a fault set."""
    return Run("network", CONFIG,
               {**ROUTERS[router].keys, "traffic.pattern": PATTERNS[pattern],
                "traffic.packet_flits": size_bytes // FLIT_BYTES,
                **(faults or {}), **(keys or {})}, options, seconds, may_be_refused=may_be_refused)


def flits_per_cycle(result):
    """Of the whole network."""
    living = result.metric("living_nodes") if "living_nodes" in result.json["metrics"] else 100
    return result.metric("accepted_flits_per_node_cycle") * living


def bandwidth_mb(router, result):
    """Of the whole network, in MB/s at the router's clock."""
    return flits_per_cycle(result) * FLIT_BYTES * ROUTERS[router].mhz


def above_in_cycles(percent, a, b):
    """How far router a is above b in cycles, in per cent, if it is `percent` above in time (None: not measured)."""
    return None if percent is None else 100 * ((1 + percent / 100) * ROUTERS[b].mhz / ROUTERS[a].mhz - 1)


def latency_us(router, result):
    return result.metric("latency_cycles_mean") / ROUTERS[router].mhz


def table_reads_a_hop(_router, result):
    """Reads of routing tables over hops of delivered messages."""
    hops = result.metric("packets_delivered") * result.metric("hops_mean")
    return result.metric("table_reads") / hops


def recovered_share(router, result):
    """Of the measured messages, those that have ended in recovery; None: the router has none."""
    metrics = result.json["metrics"]
    return metrics["measured_recovered_share"]["value"] if "measured_recovered_share" in metrics else None
