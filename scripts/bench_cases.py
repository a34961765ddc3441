# SPDX-License-Identifier: Apache-2.0
"""Measurements of `scripts/bench`, a function a case."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

from bench_runs import BUILD, Bench, GIB, OWN_TRACE, Row, RunFailed


# The cenju4 cases keep the packets, FIFOs and software times that their targets were set with, not the platform's:
# headers as short as their contents, crosspoint FIFOs of one packet, and no table of crosspoints.
SHORT_HEADERS: dict[str, Any] = dict(sizes__header_flits=6, software__paralib_send_ns=1300,
                                     software__paralib_receive_ns=1300, software__mpi_send_ns=660,
                                     software__mpi_receive_ns=660)
SHORT_PACKETS: dict[str, Any] = dict(sizes__header_flits=6, sizes__multicast_header_flits=9, switch__fifo_packets=1)
CENJU4: dict[str, Any] = {**SHORT_HEADERS, **SHORT_PACKETS, "links__crosspoints": "false"}


def switches(nodes: Any, stages: Any) -> Any:
    """4x4 switches of a network of that many stages."""
    return nodes // 4 * stages


def rates(cycles: int, flit_hops: Any, seconds: Any) -> Any:
    return [Row("cycles_per_second", cycles / seconds, "1/s"),
            Row("flit_hops_per_second", flit_hops / seconds, "1/s")]


def measure_uniform(bench: Bench) -> list[Row]:
    """The network alone: 1,024 nodes on the fewest stages, 10-flit packets, 0.3 flits/node/cycle."""
    settings = dict(SHORT_PACKETS, workload__kind="synthetic", network__nodes=1024, network__stages=5,
                    traffic__packet_flits=10,
                    traffic__load_flits_per_node_cycle=0.3, measure__warmup_cycles=0, links__crosspoints="false")

    def pair(short: Any, long: Any, **how: Any) -> Any:
        first, second = (bench.run(f"{cycles} cycles", measure__cycles=cycles, **settings, **how)
                         for cycles in (short, long))
        hops = [run["packets_delivered"] * run["hops_mean"] for run in (first, second)]
        return first, second, second["flit_hops"] - first["flit_hops"], hops[1] - hops[0]

    first, second, flit_hops, _ = pair(2000, 12000)
    rows = rates(second["simulated_cycles"] - first["simulated_cycles"], flit_hops,
                 second.cpu_seconds - first.cpu_seconds)
    first, second, flit_hops, packet_hops = pair(500, 1500, counted=True)
    instructions = second.instructions - first.instructions
    return rows + [
        Row("instructions_per_flit_hop", instructions / flit_hops, "instructions", 150),
        Row("instructions_per_packet_hop", instructions / packet_hops, "instructions", 1500)]


def idle_trace(path: pathlib.Path, ranks: int) -> Any:
    """A trace in which one rank computes and all others wait for it."""
    lines: list[Any] = []
    for rank in range(ranks):
        operations = ["init", "compute 1000000", "barrier", "finalize"]
        if rank != 0:
            del operations[1]
        lines += [f"{rank} {operation}" for operation in operations]
    path.write_text("\n".join(lines) + "\n")
    return path


def measure_idle(bench: Bench) -> list[Row]:
    """64 nodes of which one computes, 1 ms and then 10 s of simulated time, while 63 poll for it; and the 1,024-node
    network without a packet, which is what an elaboration costs."""
    nodes, stages = 64, 4
    settings = dict(CENJU4, workload__kind="trace", network__nodes=nodes, network__stages=stages,
                    workload__trace=idle_trace(bench.scratch / "idle.ti", nodes))
    short = bench.run("1 ms of waiting", counted=True, workload__compute_scale=1, **settings)
    long = bench.run("10 s of waiting", counted=True, workload__compute_scale=10000, **settings)
    cycles = long["simulated_cycles"] - short["simulated_cycles"]
    per_router_cycle = (long.instructions - short.instructions) / cycles / switches(nodes, stages)
    timed = bench.run("10 s of waiting", workload__compute_scale=10000, **settings)
    network = dict(SHORT_PACKETS, workload__kind="synthetic", traffic__kind="none", network__nodes=1024)
    begin = bench.run("1,024-node network, 5 stages", network__stages=5, **network)
    more = bench.run("1,024-node network, 10 stages", network__stages=10, **network)
    return [
        Row("cycles_per_second", timed["simulated_cycles"] / timed.cpu_seconds, "1/s"),
        # Six decimals: what writing down a larger number costs is no cost of a cycle.
        Row("instructions_per_idle_router_cycle", round(per_router_cycle, 6), "instructions", 0),
        Row("network_elaboration_seconds", begin.wall_seconds, "s"),
        Row("bytes_per_switch", (more.peak_bytes - begin.peak_bytes) / switches(1024, 5), "B", None,
            "with its channels")]


def measure_machine(bench: Bench) -> list[Row]:
    """1,024 whole nodes: booted without a program, and a barrier of all of them."""
    nodes, fewer, stages = 1024, 256, 6

    large, small = (
        bench.run(f"{count} nodes, no program", workload__kind="boot", network__nodes=count, network__stages=stages,
                  **CENJU4)
        for count in (nodes, fewer))
    network, longer = (
        bench.run(f"1,024-node network, {n} stages", workload__kind="synthetic", traffic__kind="none",
                  network__nodes=nodes, network__stages=n, **SHORT_PACKETS)
        for n in (stages, 2 * stages))
    ran = bench.run("1,024 nodes, a barrier", workload__kind="barrier", network__nodes=nodes, network__stages=stages,
                    **CENJU4)
    per_switch = (longer.peak_bytes - network.peak_bytes) / switches(nodes, stages)
    in_switches = per_switch * (switches(nodes, stages) - switches(fewer, stages))
    in_nodes = large.peak_bytes - small.peak_bytes - in_switches
    return rates(ran["simulated_cycles"], ran["flit_hops"], ran.cpu_seconds) + [
        Row("elaboration_seconds", large.wall_seconds, "s", None, "processors, network interfaces, network"),
        Row("peak_bytes_booted", large.peak_bytes, "B", 2 * GIB),
        Row("peak_bytes", ran.peak_bytes, "B", 2 * GIB, "after a barrier"),
        Row("bytes_per_node", in_nodes / (nodes - fewer), "B", None, "without its switches")]


def measure_small_parcel(bench: Bench) -> list[Row]:
    """16 whole nodes: a put of 8 bytes, from the library's call to the data that the receiver has compared; 1 and 16
    targets a node and round, so that barriers cancel."""
    settings = dict(CENJU4, workload__kind="exchange", network__nodes=16, workload__exchange_bytes=8,
                    workload__rounds=20)
    few, many = (bench.run(f"{peers} parcels a node and round", counted=True, workload__exchange_peers=peers,
                           **settings)
                 for peers in (1, 16))
    parcels = many["packets_delivered"] - few["packets_delivered"]
    if parcels != 15 * 16 * 20:
        raise RunFailed(f"{parcels} packets of an exchange, not one a parcel")
    return [Row("instructions_per_parcel", (many.instructions - few.instructions) / parcels, "instructions", 15000)]


def measure_foreign_dmi(bench: Bench) -> list[Row]:
    """Two whole nodes: parcel headers of 8 bytes written by another task's processor through direct memory pointers,
    and by ours."""
    few, many = 1000, 3000
    own, foreign = ((bench.instructions_of(f"{many} puts, {who}", [BUILD / "direct_puts", who, many])
                     - bench.instructions_of(f"{few} puts, {who}", [BUILD / "direct_puts", who, few])) / (many - few)
                    for who in ("own", "foreign"))
    return [Row("own_instructions_per_put", own, "instructions"),
            Row("foreign_instructions_per_put", foreign, "instructions"),
            Row("foreign_over_own", foreign / own, "1", 1.05)]


def measure_large_parcels(bench: Bench) -> list[Row]:
    """1,024 whole nodes: a put of 4 KB from each node to each of the 16 after it, once and twice, with the barriers of
    a round."""
    settings = dict(CENJU4, workload__kind="exchange", network__nodes=1024, network__stages=5,
                    workload__exchange_bytes=4096,
                    workload__exchange_peers=16)
    once, twice = (bench.run(f"{rounds} rounds", counted=True, workload__rounds=rounds, **settings)
                   for rounds in (1, 2))
    flit_hops = twice["flit_hops"] - once["flit_hops"]
    return [Row("instructions_per_flit_hop", (twice.instructions - once.instructions) / flit_hops, "instructions", 35)]


def measure_replay(bench: Bench) -> list[Row]:
    """A conjugate gradient's trace on 64 nodes: its time, and the instructions of the repository's own trace."""
    trace, _ = bench.replayed_trace()
    settings = dict(CENJU4, workload__kind="trace", network__nodes=64)
    replay = bench.run(f"replay of {trace.name}", workload__trace=trace, **settings)
    own = bench.run(f"replay of {OWN_TRACE.name}", counted=True, workload__trace=OWN_TRACE, **settings)
    booted = bench.run("the same machine, no program", counted=True, workload__kind="boot", network__nodes=64, **CENJU4)
    instructions = own.instructions - booted.instructions
    return rates(replay["simulated_cycles"], replay["flit_hops"], replay.cpu_seconds) + [
        Row("packets_per_second", replay["packets_delivered"] / replay.cpu_seconds, "1/s"),
        Row("replay_seconds", replay.wall_seconds, "s", None, trace.name),
        Row("replay_cpu_seconds", replay.cpu_seconds, "s", None, trace.name),
        Row("instructions_per_packet", instructions / own["packets_delivered"], "instructions", None, OWN_TRACE.name),
        Row("instructions_per_flit_hop", instructions / own["flit_hops"], "instructions", None, OWN_TRACE.name)]


MESH8: dict[str, Any] = dict(topology__kind="mesh", topology__radices="8,8", router__vcs=4, router__buffer_flits=8,
                             traffic__packet_flits=4)
TORUS10: dict[str, Any] = dict(MESH8, topology__kind="torus", topology__radices="10,10", traffic__packet_flits=16)
TORUS32: dict[str, Any] = dict(MESH8, topology__kind="torus", topology__radices="32,32")
FLY45: dict[str, Any] = dict(topology__kind="fly", topology__radix=4, topology__stages=5, router__vcs=2,
                             router__buffer_flits=8,
                             traffic__packet_flits=8)
GRID256: dict[str, Any] = dict(topology__kind="random_grid", topology__nodes=256, topology__degree=4,
                               topology__wire_length=4, router__vcs=6,
                               router__buffer_flits=8, traffic__packet_flits=4)
TREE43: dict[str, Any] = dict(topology__kind="fat_tree", topology__up_links=4, topology__down_links=4,
                              topology__levels=3,
                              routing__kind="least_common_ancestor", router__vcs=2, router__buffer_flits=4,
                              traffic__packet_flits=5)


UGAL_VCS = 4  # virtual channels of UGAL-L on a dragonfly


def without_traffic(network: dict[str, Any]) -> dict[str, Any]:
    """A network's keys without those of its load, which a platform refuses where they decide nothing."""
    return {key: value for key, value in network.items() if not key.startswith("traffic__")}


def load_run(bench: Bench, network: dict[str, Any], load: float, cycles: int, **how: Any) -> Any:
    """A network under a Bernoulli load for that many cycles, measured from the first one on and not drained."""
    return bench.run(f"{cycles} cycles", platform="network", traffic__load_flits_per_node_cycle=load,
                     measure__warmup_cycles=0, measure__cycles=cycles, measure__drain_cycles=0, **network, **how)


def instructions_per_flit_hop(bench: Bench, network: dict[str, Any], load: float, short: int, long: int,
                              **how: Any) -> tuple[float, int]:
    """The difference of two lengths, and its flit-hops."""
    first, second = (load_run(bench, network, load, cycles, counted=True, **how) for cycles in (short, long))
    flit_hops = second["flit_hops"] - first["flit_hops"]
    return (second.instructions - first.instructions) / flit_hops, flit_hops


def seconds_per_flit_hop(bench: Bench, network: dict[str, Any], load: Any, short: Any, long: Any) -> Any:
    """Of processor time; the difference of two lengths."""
    first, second = (load_run(bench, network, load, cycles) for cycles in (short, long))
    return (second.cpu_seconds - first.cpu_seconds) / (second["flit_hops"] - first["flit_hops"])


def flit_hop_case(name: str, network: dict[str, Any], load: float, target: int, most_misses: float, cycles: int,
                  timed: int) -> Callable[..., Any]:
    """One case: instructions and misses a flit-hop, everything included, and how fast it goes here."""
    def counted(bench: Bench) -> tuple[list[Row], int]:
        instructions, flit_hops = instructions_per_flit_hop(bench, network, load, cycles, 3 * cycles)
        return [Row("instructions_per_flit_hop", instructions, "instructions", target)], flit_hops

    def measure(bench: Bench) -> list[Row]:
        rows, flit_hops = counted(bench)
        seconds = seconds_per_flit_hop(bench, network, load, timed, 4 * timed)
        rows.append(Row("flit_hops_per_second", 1 / seconds, "1/s"))
        few, more = (load_run(bench, network, load, count, cached=True) for count in (cycles, 3 * cycles))
        rows.insert(1, Row("cache_misses_per_flit_hop", (more.misses - few.misses) / flit_hops, "misses", most_misses,
                           "512 kB, 8 ways"))
        if name == "torus32_0.1":
            small = seconds_per_flit_hop(bench, MESH8, 0.3, 20000, 80000)
            rows.append(Row("time_per_flit_hop_over_mesh8_0.3", seconds / small, ""))
        return rows
    measure.__doc__ = f"{name}: instructions a flit-hop through a router, nodes and measurement included."
    setattr(measure, "counted", lambda bench: counted(bench)[0])
    return measure


def measure_prediction(bench: Bench) -> list[Row]:
    """tree43_0.1_straight: instructions a flit-hop with a static predictor at each input, over those without; also with
    VA and SA in one stage, where routers that predict and others have the same driver."""
    def cost(**how: Any) -> float:
        return instructions_per_flit_hop(bench, TREE43, 0.1, 2000, 6000, **how)[0]

    none, straight = (cost(prediction__kind=kind) for kind in ("none", "straight"))
    rows = [Row("instructions_per_flit_hop", straight, "instructions", 471),
            Row("over_tree43_0.1", straight / none, "", 1.25)]
    none, straight = (cost(prediction__kind=kind, router__va_cycles=0) for kind in ("none", "straight"))
    return rows + [Row("over_the_same_driver", straight / none, "", 1.3, "router.va_cycles: 0")]


def measure_packets(bench: Bench) -> list[Row]:
    """torus10_0.2_packets: instructions a packet-hop of routers that cut packets of 16 flits through and hold the
    switch for a packet, which takes one event; and over those of routers whose switch is held for a flit."""
    def cost(**how: Any) -> float:
        network = dict(TORUS10, router__switching="virtual_cut_through", router__buffer_flits=16)
        return instructions_per_flit_hop(bench, network, 0.2, 1000, 3000, **how)[0] * network["traffic__packet_flits"]

    packets = cost(router__switch_hold="packet")
    return [Row("instructions_per_packet_hop", packets, "instructions", 1500),
            Row("over_flit_by_flit", packets / cost(), "")]


def measure_lookup_mesh(bench: Bench) -> list[Row]:
    """mesh8_0.3_lookup: instructions a flit-hop with caches of routes that hold all destinations in the switches, and
    over those of routers that compute routes in as many cycles."""
    ways: tuple[dict[str, Any], ...] = (dict(lookup__kind="cached", lookup__warm="all"), dict(router__rc_cycles=2))
    looked, computed = (instructions_per_flit_hop(bench, MESH8, 0.3, 1000, 3000, **how)[0] for how in ways)
    return [Row("instructions_per_flit_hop", looked, "instructions"),
            Row("over_computed", looked / computed, "", 1.12)]


def dragonfly_case(name: str, per_router: int, vcs: int, cycles: int) -> Callable[[Bench], list[Row]]:
    """A balanced dragonfly of 2 * per_router routers a group at its largest number of groups."""
    def measure(bench: Bench) -> list[Row]:
        network = dict(topology__kind="dragonfly", topology__nodes_per_router=per_router,
                       topology__group_routers=2 * per_router, topology__global_links=per_router, router__vcs=vcs,
                       router__buffer_flits=8, traffic__packet_flits=4)

        def cost(**how: Any) -> float:
            return instructions_per_flit_hop(bench, dict(network, **how), 0.2, cycles, 3 * cycles)[0]

        minimal = cost()
        torus = instructions_per_flit_hop(bench, TORUS32, 0.1, 100, 300)[0]
        rows = [Row("minimal", minimal, "instructions"), Row("minimal_over_torus32_0.1", minimal / torus, "", 1.3)]
        network["router__vcs"] = UGAL_VCS
        if vcs != UGAL_VCS:
            minimal = cost()
            rows.append(Row(f"minimal_of_{UGAL_VCS}_vcs", minimal, "instructions"))
        return [*rows, Row("ugal_over_minimal", cost(routing__kind="ugal") / minimal, "", 1.25)]
    measure.__doc__ = f"""{name}: instructions a flit-hop of minimal routing, over those of torus32_0.1; of UGAL-L over
    minimal routing."""
    return measure


def measure_watched(bench: Bench) -> list[Row]:
    """mesh8_0.3_watched: instructions a flit-hop with packet records, counts of waits, all instruments of a page, and a
    waveform, over those without."""
    def cost(cycles: int, options: list[str], **how: Any) -> float:
        return instructions_per_flit_hop(bench, MESH8, 0.3, cycles, 3 * cycles, options=options, **how)[0]

    longer, bare = cost(2000, []), cost(200, [])
    return [Row("records_over_bare", cost(2000, ["--records"]) / longer, "", 1.5),
            Row("port_waits_over_bare", cost(2000, [], observe__port_waits="true") / longer, "", 1.1),
            Row("page_over_bare", cost(2000, ["--report", "--records"], observe__port_waits="true",
                                       energy__report="true") / longer, "", 1.5),
            Row("waveform_of_1_router_over_bare", cost(200, ["--waves"], waves__routers="[27]") / bare, "", 1.3),
            Row("waveform_of_64_routers_over_bare", cost(200, ["--waves"], waves__routers="[]") / bare, "", 10)]


RETRY_OR_NOT: tuple[dict[str, Any], ...] = (dict(retry__timeout_cycles=2000), {})


def measure_retry(bench: Bench) -> list[Row]:
    """mesh8_0.3_retry: instructions a flit-hop with retry, acknowledgements included, and over those without."""
    with_retry, bare = (instructions_per_flit_hop(bench, {**MESH8, **more}, 0.3, 1000, 3000)[0]
                        for more in RETRY_OR_NOT)
    return [Row("instructions_per_flit_hop", with_retry, "instructions"),
            Row("over_mesh8_0.3", with_retry / bare, "", 1.5)]


def measure_detour(bench: Bench) -> list[Row]:
    """torus10_0.2_detour: instructions a flit-hop of the routers of Yoshinaga 2004 with timeout, bubble and two
    channels of the interface, over Duato's without: dimension order, Duato, Detour-UD, and that with four dead
    nodes."""
    def cost(**how: Any) -> float:
        return instructions_per_flit_hop(bench, TORUS10, 0.2, 1000, 3000, router__atomic_vcs="true", **how)[0]

    paper = dict(router__vc_change_cycles=1, router__node_vcs=2, router__block_timeout_cycles=128)
    bare = cost(routing__kind="duato")
    rows = [Row("duato_bare", bare, "instructions")]
    routings: list[Any] = [("dimension_order", 1.2, dict(routing__kind="dimension_order")),
                           ("duato", 1.2, dict(routing__kind="duato")),
                           ("detour_ud", 1.35, dict(routing__kind="detour_ud")),
                           ("detour_ud_4_dead", 1.5, dict(routing__kind="detour_ud", faults__random_routers=4))]
    for name, most, how in routings:
        rows.append(Row(f"{name}_over_duato_bare", cost(**paper, **how) / bare, "", most))
    return rows


def measure_prediction_bytes(bench: Bench) -> list[Row]:
    """Memory of a static predictor, the predictive crossbar and their stage in a 5-port router, a port: 128x128 routers
    against 64x64, without nodes, with the same driver."""
    peaks: dict[Any, Any] = {}
    for kind in ("none", "straight"):
        for k in (64, 128):
            network = dict(MESH8, topology__kind="torus", topology__radices=f"{k},{k}", router__va_cycles=0,
                           prediction__kind=kind)
            peaks[kind, k] = bench.run(f"{k}x{k} routers, predictor {kind}", platform="network", traffic__kind="none",
                                       **without_traffic(network)).peak_bytes
    grown = {kind: peaks[kind, 128] - peaks[kind, 64] for kind in ("none", "straight")}
    # tests/router holds predictor and crossbar alone to 64 bytes.
    return [Row("bytes_per_port", (grown["straight"] - grown["none"]) / (128 * 128 - 64 * 64) / 5, "B", 185,
                "with the stage's own and counters")]


def measure_compact(bench: Bench) -> list[Row]:
    """grid256_0.1_compact: instructions a flit-hop with compact routing tables over those with a table of all
    destinations in each router, on the same graph; with the routers' own tables, and with look-up hardware that
    compares 32 entries a cycle (with 8 it saturates below this load)."""
    def cost(**how: Any) -> Any:
        return instructions_per_flit_hop(bench, GRID256, 0.1, 2000, 6000, **how)[0]

    full = cost(routing__kind="source_table")
    rows = [Row("source_table", full, "instructions")]
    for entries, most in ((25, 1.15), (128, 1.3)):
        lookups: dict[str, Any] = {"": {}, "_searched": dict(lookup__kind="compact", lookup__search_width=32)}
        for name, how in lookups.items():
            compact = cost(routing__kind="compact", routing__entries=entries, **how)
            rows.append(Row(f"compact_{entries}{name}_over_source_table", compact / full, "", most))
    return rows


def measure_nearly_idle(bench: Bench) -> list[Row]:
    """8x8 mesh at 0.001 flits/node/cycle: instructions a router and cycle."""
    first, second = (load_run(bench, MESH8, 0.001, cycles, counted=True) for cycles in (20000, 100000))
    cycles = second["simulated_cycles"] - first["simulated_cycles"]
    return [Row("instructions_per_router_cycle", (second.instructions - first.instructions) / cycles / 64,
                "instructions", 12)]


def measure_idle_network(bench: Bench) -> list[Row]:
    """8x8 mesh without traffic: two packets, 10^3 and 10^9 cycles apart."""
    counts: list[Any] = []
    for gap in (1000, 10**9):
        packets = bench.scratch / f"gap{gap}.txt"
        packets.write_text(f"10 0 9 4\n{10 + gap} 0 9 4\n")
        counts.append(bench.run(f"{gap} cycles without a packet", counted=True, platform="network",
                                traffic__kind="list",
                                traffic__list=packets, measure__mode="arrivals", measure__first_arrival=1,
                                measure__last_arrival=2, measure__most_cycles=10**10,
                                **without_traffic(MESH8)))
    cycles = counts[1]["simulated_cycles"] - counts[0]["simulated_cycles"]
    # Six decimals: what writing down a larger number costs is no cost of a cycle.
    return [Row("instructions_per_router_cycle",
                round((counts[1].instructions - counts[0].instructions) / cycles / 64, 6), "instructions", 0)]


def exchange_trace(path: pathlib.Path, ranks: int, rounds: int) -> pathlib.Path:
    """A trace in which every rank sends 1,000 bytes to another one and takes as many from a third in each round, at
    other distances every time, with a sum of 8 bytes over all ranks every four rounds."""
    lines: list[Any] = []
    for rank in range(ranks):
        lines.append(f"{rank} init")
        for turn in range(rounds):
            step = 1 + 7 * turn % (ranks - 1)
            lines += [f"{rank} irecv {(rank - step) % ranks} 1 1000 6",
                      f"{rank} isend {(rank + step) % ranks} 1 1000 6",
                      f"{rank} waitall 2"]
            if turn % 4 == 3:
                lines.append(f"{rank} allreduce 8 0 6")
        lines.append(f"{rank} finalize")
    path.write_text("\n".join(lines) + "\n")
    return path


def measure_jobs(bench: Bench) -> list[Row]:
    """cenju4_jobs: two traces that share the 16 nodes of a machine in turns, over both alone; two lengths of each."""
    def instructions(own: Any, other: Any = None) -> Any:
        jobs = dict(workload__kind="jobs", workload__other_trace=other) if other else dict(workload__kind="trace")
        return bench.run("two jobs" if other else "one of them", counted=True, network__nodes=16, workload__trace=own,
                         **CENJU4, **jobs).instructions

    short, long = ([exchange_trace(bench.scratch / f"{name}{rounds * share}.ti", 16, rounds * share)
                    for name, share in (("own", 3), ("other", 2))] for rounds in (30, 60))
    both = instructions(*long) - instructions(*short)
    alone = sum(instructions(trace) for trace in long) - sum(instructions(trace) for trace in short)
    return [Row("two_jobs_over_both_alone", both / alone, "", 1.05)]


def trace_case(name: str, what: str, rounds: int, target: int | None = None, **nodes: Any) -> Callable[..., Any]:
    """Ranks of a trace on the routers of mesh8_0.1: an exchange of a number of rounds, and of twice that number.
    `target`: instructions a packet."""
    network = without_traffic(MESH8)

    def measure(bench: Bench) -> list[Row]:
        runs = [bench.run(f"{count} rounds", counted=True, platform="network", workload__kind="trace",
                          workload__trace=exchange_trace(bench.scratch / f"{name}{count}.ti", 64, count),
                          **{**network, **nodes})
                for count in (rounds, 2 * rounds)]
        instructions = runs[1].instructions - runs[0].instructions
        rows = [Row(f"instructions_per_{unit}", instructions / (runs[1][metric] - runs[0][metric]), "instructions",
                    target if unit == "packet" else None)
                for unit, metric in (("flit_hop", "flit_hops"), ("packet", "packets_delivered"),
                                     ("operation", "trace_operations"))]
        return rows + [Row("flit_hops_per_packet", (runs[1]["flit_hops"] - runs[0]["flit_hops"])
                           / (runs[1]["packets_delivered"] - runs[0]["packets_delivered"]), "flit-hops")]
    measure.__doc__ = f"{name}: an exchange's trace on {what} on an 8x8 mesh, instructions with the nodes' included."
    return measure


def measure_router_bytes(bench: Bench) -> list[Row]:
    """Memory of a 5-port router, 4 virtual channels of 8 flits, with its links: 128x128 routers against 64x64, without
    nodes; and of a node."""
    sizes = [(k, dict(MESH8, topology__kind="torus", topology__radices=f"{k},{k}")) for k in (64, 128)]
    bare, full = [], []
    for k, network in sizes:
        bare.append(bench.run(f"{k}x{k} routers without nodes", platform="network", traffic__kind="none",
                              **without_traffic(network)).peak_bytes)
        full.append(load_run(bench, network, 0, 1).peak_bytes)
    routers = 128 * 128 - 64 * 64
    per_router = (bare[1] - bare[0]) / routers
    return [Row("bytes_per_router", per_router, "B", 8192, "all its objects and links"),
            Row("bytes_per_node", (full[1] - full[0]) / routers - per_router, "B", None, "source and sink")]


# Tori of torus_growth: at most these instructions and last-level misses a flit-hop, and bytes a router and node.
GROWTH: dict[int, tuple[float, float, float | None]] = {8: (400, 1, None), 32: (320, 8, None), 128: (300, 8, 3100)}
GROWTH_CYCLES = (300, 600)


def torus_of(k: int) -> dict[str, Any]:
    return dict(MESH8, topology__kind="torus", topology__radices=f"{k},{k}")


def growth_of_instructions(bench: Bench, k: int) -> tuple[Row, int]:
    """Of a torus whose links are as busy as those of any other size; and the flit-hops."""
    instructions, flit_hops = instructions_per_flit_hop(bench, torus_of(k), 1.28 / k, *GROWTH_CYCLES)
    return Row(f"instructions_per_flit_hop_{k}x{k}", instructions, "instructions", GROWTH[k][0]), flit_hops


def bytes_of_growth(bench: Bench, k: int) -> float:
    """Bytes a router and node of a torus, beside one of a quarter of the routers."""
    small, large = (load_run(bench, torus_of(size), 0, 1).peak_bytes for size in (k // 2, k))
    return (large - small) / (k * k - k // 2 * (k // 2))


def counted_growth(bench: Bench) -> list[Row]:
    """The instructions of the two sizes that take seconds: slices of a run follow steps, not time, so that they are
    those of any other run."""
    return [growth_of_instructions(bench, k)[0] for k in (8, 32)]


def measure_growth(bench: Bench) -> list[Row]:
    """torus_growth: what a flit-hop costs in 64, 1,024 and 16,384 routers whose links are equally busy, and bytes a
    router with its node, its source and what is measured of it; among 64 they are lost in those of the process."""
    rows: list[Row] = []
    for k, (_, most_misses, most_bytes) in GROWTH.items():
        instructions, flit_hops = growth_of_instructions(bench, k)
        misses = [load_run(bench, torus_of(k), 1.28 / k, cycles, cached=True).misses for cycles in GROWTH_CYCLES]
        rows += [instructions, Row(f"last_level_misses_per_flit_hop_{k}x{k}", (misses[1] - misses[0]) / flit_hops,
                                   "misses", most_misses, "512 kB, 8 ways")]
        if k > 8:
            rows.append(Row(f"bytes_per_router_and_node_{k}x{k}", bytes_of_growth(bench, k), "B", most_bytes))
    return rows


setattr(measure_growth, "counted", counted_growth)


def measure_all_to_all(bench: Bench) -> list[Row]:
    """alltoall_1024: an all-to-all of 8 bytes among 1,024 ranks on a 32x32 torus, the whole run. Users of another
    simulator call theirs "quite slow even when running on 128 nodes" (sst-elements, issue 1838)."""
    trace = bench.scratch / "alltoall1024.ti"
    trace.write_text("".join(f"{rank} init\n{rank} alltoall 8 8 6 6\n{rank} finalize\n" for rank in range(1024)))
    run = bench.run("1,024 ranks", platform="network", topology__kind="torus", topology__radices="32,32",
                    workload__kind="trace", workload__trace=trace)
    return [Row("processor_seconds", run.cpu_seconds, "s", None, "the whole process"),
            Row("peak_bytes", run.peak_bytes, "B"),
            Row("packets", run["packets_delivered"], "packets"),
            Row("flit_hops", run["flit_hops"], "flits")]


def counted_lookup_hit(bench: Bench) -> list[Row]:
    """Instructions a look-up in the routers' own tables and in a switch's routing-table cache, with everything else
    that a hop costs."""
    network = dict(topology__kind="random_regular", topology__nodes=64, topology__degree=6,
                   routing__kind="source_table",
                   traffic__packet_flits=1, traffic__to_self="false")
    kinds: dict[str, Any] = {"plain": dict(router__rc_cycles=2),
                             "cached": dict(lookup__kind="cached", lookup__warm="all")}
    rows: list[Any] = []
    for name, how in kinds.items():
        first, second = (load_run(bench, network, 0.05, cycles, counted=True, **how) for cycles in (2000, 12000))
        # A head is looked up once in every router, and all flits are heads.
        lookups = second["flit_hops"] - first["flit_hops"]
        rows.append(Row(f"instructions_{name}", (second.instructions - first.instructions) / lookups, "instructions",
                        None, "a look-up"))
    if second["lookup_misses"] != 0:
        raise RunFailed("a warm cache missed")
    return rows


def measure_lookup_hit(bench: Bench) -> list[Row]:
    """A hit in a switch's routing-table cache against the routers' own tables, in a network where every look-up hits:
    one-flit packets on 64 switches with source tables; the two runs are the same to the cycle."""
    plain, cached = counted_lookup_hit(bench)
    return [Row("instructions_above_plain", cached.value - plain.value, "instructions", 40, "a look-up")]


# A difference of large numbers is no value to be held to a hundredth.
setattr(measure_lookup_hit, "counted", counted_lookup_hit)


def measure_lookup_modules(bench: Bench) -> list[Row]:
    """Look-up hardware as modules with pins against the fast form: a whole 4x4x4 torus, each switch with caches and a
    CAM that its ports share."""
    network = dict(topology__kind="torus", topology__radices="4,4,4", routing__dateline="switching",
                   lookup__kind="cached", lookup__cam_sharing="switch")
    rows: list[Any] = []
    for load in (0.1, 0.3):
        forms = []
        for model in ("fast", "modules"):
            first, second = (load_run(bench, network, load, cycles, counted=True, lookup__model=model)
                             for cycles in (1000, 5000))
            forms.append(second.instructions - first.instructions)
        rows.append(Row(f"over_fast_{load}", forms[1] / forms[0], "ratio", 5, "instructions a cycle"))
    return rows


def measure_torus31(bench: Bench) -> list[Row]:
    """31x31x31 torus, 29,791 switches with a cache at every port: elaboration, 100 cycles of few packets and
    tear-down."""
    run = load_run(bench, dict(topology__kind="torus", topology__radices="31,31,31", lookup__kind="cached"), 0.001, 100)
    return [Row("wall_seconds", run.wall_seconds, "s", None, "the whole process"),
            Row("peak_bytes", run.peak_bytes, "B", GIB)]


def measure_torus256(bench: Bench) -> list[Row]:
    """256x256 torus, 65,536 routers: elaboration, 1,000 cycles at 0.05 and tear-down."""
    network = dict(MESH8, topology__kind="torus", topology__radices="256,256")
    run = load_run(bench, network, 0.05, 1000)
    return [Row("wall_seconds", run.wall_seconds, "s", None, "the whole process"),
            Row("peak_bytes", run.peak_bytes, "B", GIB),
            Row("flit_hops_per_second", run["flit_hops"] / run["wall_seconds"], "1/s", None, "elaboration included")]


def measure_torus1024(bench: Bench) -> list[Row]:
    """1024x1024 torus, 1,048,576 routers: elaboration, 100 cycles at 0.01 and tear-down."""
    network = dict(MESH8, topology__kind="torus", topology__radices="1024,1024")
    run = load_run(bench, network, 0.01, 100)
    return [Row("processor_seconds", run.cpu_seconds, "s", 15, "the whole process"),
            Row("peak_bytes", run.peak_bytes, "B", 4e9)]


def measure_threads(bench: Bench) -> list[Row]:
    """torus32_0.1_threads: instructions of the busier of two threads over those of one, and the time of both, which
    means something on idle cores alone."""
    def run(cycles: int, threads: int, counted: bool) -> Any:
        return bench.run(f"{cycles} cycles on {threads} threads", platform="network", threads=threads, counted=counted,
                         traffic__load_flits_per_node_cycle=0.1, measure__warmup_cycles=0, measure__cycles=cycles,
                         measure__drain_cycles=0, **TORUS32)

    one, two = (run(900, threads, True).instructions - run(300, threads, True).instructions for threads in (1, 2))
    alone, both = (run(8000, threads, False).wall_seconds - run(2000, threads, False).wall_seconds
                   for threads in (1, 2))
    return [Row("busier_of_two_threads_over_one", two / one, "1", 0.56),
            Row("time_of_one_over_two", alone / both, "1", None, "two idle cores: 1.7 or more")]


def measure_ranks(bench: Bench) -> list[Row]:
    """torus32_0.1_ranks: instructions of the busier of two ranks of mpirun, without those of MPI, over those of one
    process."""
    def run(cycles: int, ranks: int) -> int:
        return bench.run(f"{cycles} cycles on {ranks} ranks", platform="network", ranks=ranks, counted=True,
                         traffic__load_flits_per_node_cycle=0.1, measure__warmup_cycles=0, measure__cycles=cycles,
                         measure__drain_cycles=0, **TORUS32).instructions

    one, two = (run(900, ranks) - run(300, ranks) for ranks in (1, 2))
    return [Row("busier_of_two_ranks_over_one", two / one, "1", 0.55)]


def measure_rank_memory(bench: Bench) -> list[Row]:
    """torus512_ranks: memory of the larger of two ranks of mpirun over that of one process, with the programs' own."""
    def peak_bytes(ranks: int) -> int:
        return bench.run(f"512x512 torus on {ranks} ranks", platform="network", ranks=ranks, topology__kind="torus",
                         topology__radices="512,512", traffic__load_flits_per_node_cycle=0.1, measure__warmup_cycles=0,
                         measure__cycles=200, measure__drain_cycles=0).peak_bytes

    one, two = peak_bytes(1), peak_bytes(2)
    return [Row("bytes_of_one_process", one, "B"), Row("rank_of_two_over_one", two / one, "1", 0.6)]


# Instructions a flit-hop that a case may need: 2 % above those measured, networks without modules.
CASES = {
    "cenju4_1024_uniform_0.3": measure_uniform,
    "cenju4_idle": measure_idle,
    "cenju4_1024_machine": measure_machine,
    "cenju4_parcel_8": measure_small_parcel,
    "foreign_dmi": measure_foreign_dmi,
    "cenju4_1024_parcels": measure_large_parcels,
    "cenju4_jobs": measure_jobs,
    "cenju4_replay_cg64": measure_replay,
    "mesh8_0.1": flit_hop_case("mesh8_0.1", MESH8, 0.1, 313, 0.03, 2000, 60000),
    "mesh8_0.3": flit_hop_case("mesh8_0.3", MESH8, 0.3, 288, 0.05, 1000, 20000),
    "mesh8_0.3_watched": measure_watched,
    "mesh8_0.3_retry": measure_retry,
    "mesh8_0.3_lookup": measure_lookup_mesh,
    "torus10_0.2": flit_hop_case("torus10_0.2", TORUS10, 0.2, 223, 0.18, 1000, 20000),
    "torus10_0.2_packets": measure_packets,
    "tree43_0.1": flit_hop_case("tree43_0.1", TREE43, 0.1, 366, 0.02, 2000, 60000),
    "tree43_0.1_straight": measure_prediction,
    "torus10_0.2_detour": measure_detour,
    "grid256_0.1_compact": measure_compact,
    "fly45_0.3": flit_hop_case("fly45_0.3", FLY45, 0.3, 283, 10, 100, 2000),
    "torus32_0.1": flit_hop_case("torus32_0.1", TORUS32, 0.1, 300, 8, 300, 2000),
    "torus32_0.1_threads": measure_threads,
    "torus32_0.1_ranks": measure_ranks,
    "torus512_ranks": measure_rank_memory,
    "dragonfly1056_0.2": dragonfly_case("dragonfly1056_0.2", 4, 4, 200),
    "dragonfly16512_0.2": dragonfly_case("dragonfly16512_0.2", 8, 2, 60),
    "mesh8_0.001": measure_nearly_idle,
    "mesh8_idle": measure_idle_network,
    "mesh8_trace": trace_case("mesh8_trace", "packetizing network interfaces", 50),
    "mesh8_trace_packets": trace_case("mesh8_trace_packets", "packetizing network interfaces, whole packets", 50,
                                      8000, router__switching="virtual_cut_through", router__switch_hold="packet",
                                      router__buffer_flits=32),
    "mesh8_trace_cenju4": trace_case("mesh8_trace_cenju4", "whole Cenju-4 nodes", 10, nic__kind="cenju4",
                                     clock_period_ps=12500, **SHORT_HEADERS),
    "mesh8_trace_cenju4_packets": trace_case("mesh8_trace_cenju4_packets", "whole Cenju-4 nodes, whole packets", 10,
                                             nic__kind="cenju4", clock_period_ps=12500,
                                             router__switching="virtual_cut_through", router__switch_hold="packet",
                                             router__buffer_flits=128, **SHORT_HEADERS),
    "router_bytes": measure_router_bytes,
    "prediction_bytes": measure_prediction_bytes,
    "torus_growth": measure_growth,
    "alltoall_1024": measure_all_to_all,
    "torus256": measure_torus256,
    "torus1024": measure_torus1024,
    "lookup_hit": measure_lookup_hit,
    "lookup_modules": measure_lookup_modules,
    "torus31_cached": measure_torus31,
}
