# SPDX-License-Identifier: Apache-2.0
"""Keys of BookSim2 as keys of the platform `network`. A value without a translation is refused with those that have
one."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, TYPE_CHECKING

from . import flatfly

if TYPE_CHECKING:
    from ..booksim.configuration import Configuration
    from ..booksim.packets import Packet
    from ..errors import Refused

# Rules of BookSim2 that no key of it changes.
LIKE_BOOKSIM = {"link.node_credit_process_cycles": 0, "router.first_injection_vc": 0,
                "router.va_input_arbiter": "ports_and_vcs"}

# Keys that the replay does not need: they draw the packets, which the log has, or print.
WITHOUT_EFFECT = frozenset("""
    acc_stopping_thres acc_warmup_thres alloc_iters arb_type batch_count batch_size burst_alpha burst_beta burst_r1
    channel_sweep channel_width class_priority deadlock_warn_timeout fail_seed feedback_aging_scale
    feedback_offset in_ports include_queuing injection_process injection_rate injection_rate_uses_flits
    latency_thres max_held_slots max_outstanding_requests max_samples measure_stats network_file out_ports
    output_delay packet_size packet_size_rate pair_stats perm_seed power_output_file print_activity
    print_csv_results private_buf_end_vc private_buf_size private_buf_start_vc private_bufs read_reply_begin_vc
    read_reply_end_vc read_reply_size read_reply_subnet read_request_begin_vc read_request_end_vc read_request_size
    read_request_subnet sample_period seed sent_packets_out sim_count sim_power spec_check_cred spec_check_elig
    spec_mask_by_reqs spec_sw_allocator stats_out stopping_thres tech_file traffic vc_priority_donation vct
    viewer_trace warmup_periods warmup_thres watch_file watch_flits watch_out watch_packets watch_transactions
    write_fraction write_reply_begin_vc write_reply_end_vc write_reply_size write_reply_subnet
    write_request_begin_vc write_request_end_vc write_request_size write_request_subnet""".split())

# Keys with the only value that is translated, which is BookSim2's default.
ONLY = {"buf_size": "-1", "buffer_policy": "private", "classes": "1", "hold_switch_for_packet": "0",
        "internal_speedup": "1.0",
        "link_failures": "0", "noq": "0", "output_buffer_size": "-1", "output_speedup": "1", "priority": "none",
        "router": "iq", "speculative": "0", "st_final_delay": "1", "st_prepare_delay": "0", "subnets": "1",
        "sw_alloc_delay": "1",
        "use_read_write": "0", "vc_alloc_delay": "1", "vc_busy_when_full": "0", "vc_prioritize_empty": "0",
        "vc_shuffle_requests": "0"}

# Keys that are translated, with BookSim2's defaults.
TRANSLATED = {"credit_delay": "0", "input_speedup": "1", "k": "8", "n": "2", "num_vcs": "16", "routing_delay": "1",
              "routing_function": "none", "sim_type": "latency", "sw_allocator": "islip", "topology": "torus",
              "use_noc_latency": "1",
              "vc_allocator": "islip", "vc_buf_size": "8", "wait_for_tail_credit": "0", **flatfly.GRID}

ROUTINGS = {"mesh": ("dor", "dim_order", "min_adapt"), "torus": ("dim_order", "dim_order_bal"), "fly": ("dest_tag",),
            "fattree": ("nca",), "flatfly": ("ran_min", "valiant", "ugal"), "dragonflynew": ("min", "ugal")}
DRAWN_ROUTINGS = ("dim_order_bal", "nca", "valiant", "ugal")
ALLOCATORS = {"islip": "islip", "separable_input_first": "separable", "separable_input_first(round_robin)": "separable",
              "separable_input_first(matrix)": "matrix"}
ALLOCATORS_TEXT = f"{', '.join(ALLOCATORS)}, islip(N)"


@dataclasses.dataclass(frozen=True)
class Translation:
    """`keys` for the platform; the topology of BookSim2 with its k and n. `drawn`: the routing draws random numbers,
    which a list does not have. `draws_channel`: it draws channels of injection, which a list can have. `grid`: order of
    a flatfly's nodes."""

    keys: dict[str, Any]
    topology: str
    k: int
    n: int
    drawn: bool = False
    notes: tuple[str, ...] = ()
    grid: flatfly.Grid | None = None
    draws_channel: bool = False

    def source(self, node: int) -> int:
        """Number of BookSim2's source; the fly connects source s to the input that is line s / k + (s mod k) k^(n-1)
        here."""
        if self.topology == "fly":
            return node // self.k + node % self.k * self.k ** (self.n - 1)
        return self.destination(node)

    def destination(self, node: int) -> int:
        """Number of BookSim2's destination."""
        return node if self.grid is None else self.grid.node(node)

    def birth(self, packet: Packet) -> int:
        """Cycle in the replay: that of injection where nothing but the channel is drawn, as BookSim2 draws a channel in
        each cycle until one has room."""
        return packet.injected if self.draws_channel and not self.drawn else packet.born

    def is_drawn(self, packet: Packet) -> bool:
        """BookSim2 also draws the direction of a packet that goes half around a ring."""
        if self.drawn or self.topology != "torus":
            return self.drawn
        weights = [self.k ** dimension for dimension in range(self.n)]
        return any(2 * abs(packet.source // weight % self.k - packet.destination // weight % self.k) == self.k
                   for weight in weights)


class Reader:
    """Reads the keys of a configuration, with BookSim2's defaults."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration

    def word(self, key: str, accepted: dict[str, str] | tuple[str, ...]) -> str:
        value = self.configuration.values.get(key, TRANSLATED[key])
        if value not in accepted:
            raise self.refused(key, "not translated", ", ".join(accepted))
        return value

    def integer(self, key: str, low: int, high: int) -> int:
        value = self.configuration.values.get(key, TRANSLATED[key])
        if not re.fullmatch(r"-?\d+", value) or not low <= int(value) <= high:
            raise self.refused(key, "not translated", f"an integer {low}..{high}")
        return int(value)

    def allocator(self, key: str) -> tuple[str, int]:
        """Kind and iterations."""
        value = self.configuration.values.get(key, TRANSLATED[key])
        iterations = re.fullmatch(r"islip\((\d+)\)", value)
        if iterations:
            return "islip", int(iterations[1])
        return ALLOCATORS[self.word(key, ALLOCATORS) if value in ALLOCATORS else self.no_allocator(key)], 1

    def no_allocator(self, key: str) -> str:
        raise self.refused(key, "not translated", ALLOCATORS_TEXT)

    def refused(self, key: str, problem: str, accepted: str) -> Refused:
        return self.configuration.refused(key, problem, accepted)


def same(value: str, other: str) -> bool:
    """1 and 1.0 are."""
    try:
        return float(value) == float(other)
    except ValueError:
        return value == other


def check_keys(configuration: Configuration) -> None:
    for key, value in configuration.values.items():
        if key in ONLY and not same(value, ONLY[key]):
            raise configuration.refused(key, "not translated", ONLY[key])
        if key not in ONLY and key not in TRANSLATED and key not in WITHOUT_EFFECT:
            raise configuration.refused(key, "not a key that is translated", ", ".join(sorted([*TRANSLATED, *ONLY])))


def translate(configuration: Configuration) -> Translation:
    check_keys(configuration)
    read = Reader(configuration)
    read.word("sim_type", ("latency", "throughput"))
    topology = read.word("topology", tuple(ROUTINGS))
    routing = read.word("routing_function", ROUTINGS[topology])
    k, n = read.integer("k", 2, 64), read.integer("n", 1, 8)
    vcs = read.integer("num_vcs", 1, 16)
    flatfly_keys, grid = flatfly.keys(read, k, n) if topology == "flatfly" else ({}, None)
    if topology == "dragonflynew" and n != 1:
        raise read.refused("n", "no such dragonfly in BookSim2", "1 with dragonflynew")
    keys = {**LIKE_BOOKSIM, **(flatfly_keys or topology_keys(topology, k, n)),
            **routing_keys(read, topology, routing, vcs), **router_keys(read, vcs)}
    if topology == "torus" and read.integer("use_noc_latency", 0, 1):
        keys["link.latency_cycles"] = 2
    keys["link.credit_process_cycles"] = read.integer("credit_delay", 0, 1000)
    equal_only = "min_adapt: equal only to a BookSim2 whose sets of routes keep ranges of equal priority"
    notes = (equal_only,) if routing == "min_adapt" else ()
    return Translation(keys, topology, k, n, routing in DRAWN_ROUTINGS, notes, grid,
                       topology == "dragonflynew")


def topology_keys(topology: str, k: int, n: int) -> dict[str, Any]:
    if topology == "fly":
        return {"topology.kind": "fly", "topology.radix": k, "topology.stages": n}
    if topology == "fattree":
        return {"topology.kind": "fat_tree", "topology.up_links": k, "topology.down_links": k, "topology.levels": n}
    if topology == "dragonflynew":
        return {**dragonfly_keys(k), "topology.nodes_first": True}
    return {"topology.kind": topology, "topology.radices": [k] * n}


def dragonfly_keys(k: int) -> dict[str, Any]:
    """Cycles of local and of global links are those that no key of BookSim2 changes."""
    return {"topology.kind": "dragonfly", "topology.nodes_per_router": k, "topology.group_routers": 2 * k,
            "topology.global_links": k, "topology.arrangement": "absolute", "link.latency_cycles": 10,
            "topology.global_latency_cycles": 100}


def dragonfly_routing(read: Reader, routing: str, vcs: int) -> dict[str, bool | str]:
    if routing == "ugal":
        if vcs != 3:
            raise read.refused("num_vcs", "no other number in BookSim2", "3 with ugal on dragonflynew")
        return {"routing.kind": "ugal_by_phase", "router.eject_routed_vcs": True}
    if vcs < 2:
        raise read.refused("num_vcs", "each phase needs a channel", "2..16 with dragonflynew")
    return {"routing.kind": "minimal", "routing.by_phase": True, "router.eject_routed_vcs": True}


def routing_keys(read: Reader, topology: str, routing: str, vcs: int) -> dict[str, bool | str]:
    if topology == "fly":
        return {"routing.kind": "destination_digits"}
    if topology == "fattree":
        return {"routing.kind": "least_common_ancestor", "routing.up_port": "random"}
    if topology == "flatfly":
        return flatfly.routing(read, routing, vcs)
    if topology == "dragonflynew":
        return dragonfly_routing(read, routing, vcs)
    if topology == "torus":
        if vcs % 2:
            raise read.refused("num_vcs", "classes that overlap", "an even number on a torus")
        return {"routing.kind": "dimension_order", "routing.dateline": "balanced"
                if routing == "dim_order_bal" else "crossing_down_inverted"}
    if routing == "min_adapt":
        if vcs < 2:
            raise read.refused("num_vcs", "no adaptive channel", "2..16 with min_adapt")
        if not read.integer("wait_for_tail_credit", 0, 1):
            # Heads that are all after other packets' tails request no escape channel.
            raise read.refused("wait_for_tail_credit", "adaptive channels may deadlock", "1 with min_adapt")
        return {"routing.kind": "duato", "routing.escape_return": False, "router.va_requests": "all"}
    return {"routing.kind": "dimension_order"}


def router_keys(read: Reader, vcs: int) -> dict[str, Any]:
    va, va_iterations = read.allocator("vc_allocator")
    sa, sa_iterations = read.allocator("sw_allocator")
    if va == sa == "islip" and va_iterations != sa_iterations:
        raise read.refused("sw_allocator", "not as many iterations as the other allocator", f"islip({va_iterations})")
    iterations = va_iterations if va == "islip" else sa_iterations
    speedup = read.integer("input_speedup", 1, 16)
    if vcs % speedup:
        raise read.refused("input_speedup", "no divisor of num_vcs", f"a divisor of {vcs}")
    return {"router.vcs": vcs, "router.buffer_flits": read.integer("vc_buf_size", 1, 21845),
            "router.atomic_vcs": bool(read.integer("wait_for_tail_credit", 0, 1)),
            "router.rc_cycles": read.integer("routing_delay", 0, 1), "router.va_allocator": va,
            "router.sa_allocator": sa,
            **({"router.islip_iterations": iterations} if "islip" in (va, sa) else {}),
            **({"router.sa_input_arbiter": "outputs"} if sa != "islip" else {}),
            **({"router.matrix_first": "highest"} if "matrix" in (va, sa) else {}),
            **({"router.input_speedup": speedup} if speedup > 1 else {})}
