# SPDX-License-Identifier: Apache-2.0
"""The effect of a key shows in the results: short runs with and without it, and the metrics and tables of both.

    key_effects_test.py PLATFORM EXECUTABLE

Every key stands in one of EFFECTS' lists, or in WITHOUT with the reason why no short run shows it; a new key of a kind (a
topology, routing, pattern) may be left to the kind's own test.
"""

import fnmatch
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz"))
from fuzzing.keys import kinds_of, parse_keys  # noqa: E402

PLATFORM, EXECUTABLE = None, None

LOAD = "measure.cycles=600 measure.warmup_cycles=50 traffic.load_flits_per_node_cycle=0.6"
SHORT = "measure.cycles=100 measure.warmup_cycles=20 traffic.load_flits_per_node_cycle=0.1"
MESH = f"topology.radices=[3,3] {LOAD}"
LOOKUPS = (f"topology.kind=torus topology.radices=[5,5] lookup.kind=cached lookup.entries=8 {LOAD} "
           "traffic.load_flits_per_node_cycle=0.2")
CAMPAIGN = ("topology.kind=torus topology.radices=[4,4] routing.kind=detour_ud faults.campaign.deaths=3 "
            f"faults.campaign.link_mean_cycles=3000 {LOAD} traffic.load_flits_per_node_cycle=0.2")
PLAIN = "topology.radices=[3,3] workload.npb=is.S.8 workload.npb_steps=1"
NODES = "topology.radices=[4,2] workload.npb=is.S.8 workload.npb_steps=1 nic.kind=cenju4"
TRACE = "network.nodes=16 workload.kind=trace workload.npb=is.S.16 workload.npb_steps=1"
JOBS = "network.nodes=16 workload.kind=jobs workload.npb=is.S.8 workload.npb_steps=1 workload.other_trace=small.ti os.time_slice_us=50"
SMALL_TRACE = "".join(f"{rank} {operation}\n" for rank in range(8)
                      for operation in ("init", "compute 20000", "alltoall 500 500 6 6", "compute 20000", "allreduce 24 0 6", "finalize"))
ALONE = ("network.nodes=16 workload.kind=synthetic measure.warmup_cycles=50 measure.cycles=800 traffic.packet_flits=10 "
         "traffic.load_flits_per_node_cycle=0.7")
STUDY = "topology.kind=torus topology.radices=[5,5] lookup.kind=cached"
FAULTY = "network.nodes=16 workload.kind=dma workload.dma_bytes=65536"

NODE_KEYS = """
    sender.header_registers=1 sender.tlb_entries=1 sender.fifo_packets=1 sender.read_ahead_packets=2
    sender.select_queue_cycles=9 sender.check_header_cycles=9 sender.set_port_cycles=9 sender.choose_cycles=9
    sender.translate_cycles=9 sender.build_header_cycles=9 sender.release_cycles=90 receiver.tlb_entries=1
    receiver.fifo_packets=1 receiver.check_cycles=9 receiver.place_cycles=9 receiver.translate_cycles=9
    memory.first_word_ns=300 memory.word_ns=30 memory.clean_answer_ns=300 memory.dirty_answer_ns=900
    memory.dirty_word_ns=30 memory.write_ns=99 processor.hit_ns=40 processor.store_ns=40
    processor.block_word_ns=40 processor.register_write_ns=300 library.credits=1 library.send_slots=1
    library.rendezvous_slots=1 software.paralib_send_ns=3000 software.paralib_receive_ns=3000
    software.mpi_send_ns=2000 software.mpi_receive_ns=2000 software.mpi_control_ns=2000 software.copy_ns_per_word=40
    software.reduce_ns_per_word=60 software.poll_loop_ns=300"""

EFFECTS = {
    "network": [
        (MESH, """seed=7 clock_period_ps=2000 topology.kind=torus topology.nodes_per_router=2 topology.radices=[3,4]
            link.latency_cycles=4 link.inject_latency_cycles=4 link.eject_latency_cycles=4 link.flit_cycles=2
            link.credit_latency_cycles=9 link.credit_process_cycles=9 link.node_credit_process_cycles=9 link.faults=0@100:300
            router.vcs=2 router.node_vcs=1 router.first_injection_vc=0 router.buffer_flits=3 router.switching=store_and_forward router.rc_cycles=3
            router.va_cycles=0 router.sa_cycles=3 router.st_cycles=3 router.des_cycles=3 router.ser_cycles=3
            router.vc_change_cycles=3 router.block_timeout_cycles=20
            router.hop_limit=1 router.va_allocator=matrix router.sa_allocator=matrix
            router.va_input_arbiter=ports_and_vcs router.islip_iterations=3 router.input_speedup=2 router.atomic_vcs=true router.uturn_node=false
            router.route_at=arrival prediction.kind=straight routing.kind=west_first lookup.kind=ideal traffic.pattern=transpose traffic.to_self=false
            traffic.load_flits_per_node_cycle=0.3 traffic.injection=periodic traffic.length=range traffic.packet_flits=2
            traffic.last_cycle=300 measure.warmup_cycles=90 measure.cycles=500 measure.batches=2 links.rows=3"""),
        (f"{MESH} link.flit_cycles=3", "link.whole_flit=true"),
        (f"{MESH} link.faults=0@100:300", "router.dead_way=wait"),
        (f"{MESH} link.faults=0@100:300", "retry.timeout_cycles=100"),
        (f"{MESH} link.faults=0@100 retry.timeout_cycles=50 retry.most_tries=3", "retry.ack_flits=3 retry.most_tries=2"),
        (f"{MESH} prediction.kind=finite_context", "prediction.context_heads=1"),
        (f"{MESH} prediction.kind=last_destination", "prediction.entries=1"),
        (f"topology.kind=fat_tree topology.levels=2 prediction.kind=straight {LOAD}", "prediction.top=same"),
        (f"{MESH} prediction.kind=latest_port", "prediction.check=wait"),
        (f"{MESH} prediction.kind=latest_port prediction.check=leak link.flit_cycles=3 link.whole_flit=true",
         "prediction.serial=true"),
        (f"{MESH} traffic.load_flits_per_node_cycle=1", "measure.drain_cycles=0"),
        (f"topology.kind=cube topology.radices=[3,3] {LOAD}", "topology.wraps=[0,1]"),
        (f"topology.kind=torus topology.radices=[4,4] {LOAD}", "routing.ties=fixed routing.dateline=balanced"),
        (f"topology.kind=torus routing.kind=duato router.atomic_vcs=true topology.radices=[4,4] {LOAD}",
         "router.selection=first"),
        (f"routing.kind=duato router.atomic_vcs=true router.va_input_arbiter=ports_and_vcs {MESH}",
         "router.va_requests=all routing.escape_return=false"),
        (f"router.sa_allocator=matrix {MESH} measure.warmup_cycles=0", "router.sa_input_arbiter=outputs router.matrix_first=highest"),
        (f"router.va_allocator=matrix {MESH} measure.warmup_cycles=0", "router.matrix_first=highest"),
        (f"topology.kind=torus topology.radices=[4,4] routing.kind=detour_nf router.atomic_vcs=true {LOAD}",
         "faults.links=[3] faults.routers=[5] faults.random_links=1 faults.random_routers=1"),
        (f"topology.kind=torus topology.radices=[4,4] routing.kind=detour_nf router.atomic_vcs=true faults.random_links=1 {LOAD}",
         "faults.seed=2"),
        (f"topology.kind=torus topology.radices=[4,4] routing.kind=detour_ud faults.routers=[5] {LOAD}",
         "router.table_cycles=9 router.table_ports=1 router.table_pipelined=false routing.region_distance=1 routing.ud_vcs=2"),
        (f"topology.kind=torus topology.radices=[4,4] routing.kind=detour_ud faults.routers=[5] router.block_timeout_cycles=4 {LOAD}",
         "routing.ud_paths=one routing.root_priority=[10] router.hop_limit=1 deadlock.classify_timeouts=true"),
        (f"topology.kind=torus topology.radices=[4,4] routing.kind=detour_ud {LOAD}", "faults.events='link 3@100'"),
        (CAMPAIGN, """faults.campaign.deaths=2 faults.campaign.link_mean_cycles=9000 faults.campaign.router_mean_cycles=9000
            faults.campaign.repair_cycles=200 faults.campaign.first_cycle=50 faults.campaign.seed=2 faults.detection_cycles=9
            faults.table_cycles=20 faults.resume=upward faults.losses=everything"""),
        (f"topology.kind=fat_tree topology.levels=2 {LOAD}",
         "topology.up_links=2 topology.down_links=3 topology.levels=3 routing.up_port=one_to_one"),
        (f"topology.kind=fly topology.stages=2 {LOAD}", "topology.radix=3 topology.stages=3"),
        (f"topology.kind=random_grid topology.nodes=16 {LOAD}",
         "topology.nodes=25 topology.degree=3 topology.wire_length=2 topology.cycles_per_length=2 topology.seed=2"),
        (f"topology.kind=torus topology.radices=[5,5] routing.kind=compact router.vcs=4 router.atomic_vcs=true {LOAD}",
         "routing.entries=9 routing.distance=wrapped routing.escape=tree"),
        (f"topology.kind=random_grid topology.nodes=64 routing.kind=compact router.vcs=6 routing.entries=16 {SHORT}",
         "routing.room=needed"),
        (f"topology.kind=random_grid topology.nodes=64 routing.kind=compact router.vcs=6 routing.entries=16 lookup.kind=compact {SHORT}",
         "lookup.search_width=2 lookup.search_ends_early=false lookup.search_unit=switch lookup.energy.compared_entry_nj=9"),
        (f"topology.kind=random_regular topology.nodes=16 routing.kind=up_down {LOAD}", "routing.root=3 routing.paths=one"),
        (f"topology.kind=random_regular topology.nodes=16 routing.kind=source_table router.vcs=8 {LOAD}", "routing.seed=2"),
        (LOOKUPS, """lookup.hash_cycles=3 lookup.cache_cycles=3 lookup.blocking=true lookup.cam_cycles=60
            lookup.cam_pipelined=false lookup.entries=16 lookup.ways=2 lookup.replacement=random lookup.classify_misses=true
            lookup.identifier_seed=2 lookup.identifiers=dense lookup.hash=low_bits lookup.warm=all lookup.energy.cache_nj=9
            lookup.energy.cam_nj=90 lookup.energy.cache_static_mw=9 lookup.energy.cam_static_mw=90"""),
        (f"{MESH} traffic.injection=on_off traffic.load_flits_per_node_cycle=0.2",
         "traffic.burst_load_flits_per_node_cycle=0.5 traffic.burst_cycles=9"),
        (f"{MESH} traffic.length=range", "traffic.largest_packet_flits=6"),
        (f"{MESH} traffic.length=weighted traffic.lengths=[1,9]", "traffic.lengths=[2,9] traffic.weights=[1,3]"),
        (f"{MESH} traffic.pattern=hotspot traffic.hotspots=[1]", "traffic.hotspots=[2] traffic.hotspot_share=0.9"),
        ("topology.radices=[3,3] measure.cycles=600 measure.warmup_cycles=50 traffic.kind=closed_loop",
         "traffic.kind=open_loop traffic.window=3 traffic.gap_cycles=5"),
        (f"topology.radices=[3,3] measure.warmup_cycles=auto measure.longest_warmup_cycles=500 measure.cycles=300 "
         "traffic.load_flits_per_node_cycle=1", "measure.longest_warmup_cycles=700"),
        ("topology.radices=[3,3] measure.mode=arrivals measure.first_arrival=100 measure.last_arrival=300",
         "measure.first_arrival=200 measure.last_arrival=400 measure.most_cycles=300"),
        (PLAIN, """workload.npb=cg.S.8 workload.npb_steps=2 workload.npb_gflops=2 workload.compute_scale=3
            workload.ranks_per_node=2 nic.packet_bytes=64 nic.flit_bytes=8 nic.header_flits=3 nic.eager_bytes=64
            node.gflops=3 collectives.broadcast=linear collectives.reduce=linear
            collectives.all_reduce=reduce_broadcast collectives.all_to_all=linear"""),
        (PLAIN.replace("is.S.8", "cg.S.8"), "collectives.barrier=tree"),
        (f"{PLAIN} workload.ranks_per_node=2", "workload.placement=round_robin nic.local_cycles=999"),
        ("topology.radices=[4,2] workload.npb=is.S.8 workload.npb_steps=1", "nic.kind=cenju4"),
        (f"{NODES} retry.timeout_cycles=2000", "nic.retry_packets=1 retry.ack_flits=40"),
        (NODES, """retry.timeout_cycles=300 nic.fifo_packets=1 nic.ready_packets=3 sizes.header_flits=30 sizes.flits_per_word=4 sender.choose_cycles=9 memory.word_ns=30
            software.mpi_send_ns=2000"""),
    ],
    "cenju4": [
        (TRACE, """clock_period_ps=20000 network.radix=2 network.stages=3 network.stages_per_board=3
            network.cable_cycles=3 switch.single_cast_cycles=20 switch.multicast_cycles=20 switch.synchronization_cycles=20
            sizes.header_flits=30 sizes.multicast_header_flits=30 sizes.synchronization_header_flits=12 sizes.flits_per_word=4
            memory.read_modify_ns=900 library.barrier=tree library.broadcast=tree
            software.system_call_ns=50000 workload.npb=cg.S.16 workload.npb_steps=2 workload.npb_gflops=2
            workload.compute_scale=3 library.header_queue_bytes=4096 library.collective_messages=1 cache.bytes=4096""" +
         NODE_KEYS),
        (f"{TRACE} cache.bytes=4096", "cache.ways=1 cache.replacement=fifo"),
        (f"{TRACE} library.header_queue_bytes=4096 memory.first_word_ns=20000", "processor.register_read_ns=9000"),
        (ALONE, """seed=7 network.nodes=64 switch.fifo_packets=1 traffic.pattern=transpose traffic.to_self=false
            traffic.load_flits_per_node_cycle=0.3 traffic.injection=periodic traffic.packet_flits=13 traffic.last_cycle=300
            traffic.multicast_share=0.3 measure.warmup_cycles=90 measure.cycles=900 measure.batches=2 links.rows=3
            links.crosspoints=false"""),
        (f"{ALONE} traffic.multicast_share=0.3", "traffic.multicast_nodes=3"),
        (f"{ALONE} traffic.load_flits_per_node_cycle=1", "measure.drain_cycles=0"),
        (f"{ALONE} traffic.injection=on_off", "traffic.burst_load_flits_per_node_cycle=0.8 traffic.burst_cycles=9"),
        (f"{ALONE} traffic.length=range traffic.largest_packet_flits=20", "traffic.largest_packet_flits=30"),
        (f"{ALONE} traffic.packet_flits=40".replace("traffic.packet_flits=10 ", ""), "traffic.length=range"),
        (f"{ALONE} traffic.length=weighted traffic.lengths=[1,9]".replace("traffic.packet_flits=10 ", ""),
         "traffic.lengths=[2,9] traffic.weights=[1,3]"),
        (f"{ALONE} traffic.pattern=hotspot traffic.hotspots=[1]", "traffic.hotspots=[2] traffic.hotspot_share=0.9"),
        ("network.nodes=16 workload.kind=synthetic measure.cycles=800 measure.warmup_cycles=50 traffic.kind=closed_loop",
         "traffic.kind=open_loop traffic.window=3 traffic.gap_cycles=5"),
        (f"{ALONE} measure.warmup_cycles=auto measure.longest_warmup_cycles=500 traffic.load_flits_per_node_cycle=1",
         "measure.longest_warmup_cycles=700"),
        ("network.nodes=16 workload.kind=synthetic measure.mode=arrivals measure.first_arrival=100 measure.last_arrival=300",
         "measure.first_arrival=200 measure.last_arrival=400 measure.most_cycles=300"),
        (f"{ALONE} network.cable_cycles=6 switch.fifo_packets=2 traffic.load_flits_per_node_cycle=0.9", "network.room_signal=credits"),
        (FAULTY, """faults.single_bit_per_flit=0.001 faults.double_bit_per_flit=0.001 faults.lost_per_flit=0.001
            workload.dma_bytes=4096"""),
        (f"{FAULTY} faults.single_bit_per_flit=0.001", "faults.data_words_only=true faults.channels=all"),
        ("network.nodes=16 workload.kind=dma", "workload.dma_protocol=remote_read"),
        ("network.nodes=16 workload.kind=dma workload.dma_source_offset=12", """workload.dma_source_offset=4
            workload.dma_destination_offset=8 workload.dma_returns=true library.realignment=software"""),
        # All pairs of nodes are equally far apart, but a channel has faults of its own.
        (f"{FAULTY} faults.single_bit_per_flit=0.0003 faults.data_words_only=true faults.channels=all library.barrier=tree", "workload.dma_source=3 workload.dma_destination=5"),
        # A way of four pages: where they lie decides which lines meet in a set.
        (f"{TRACE} cache.bytes=16384 cache.ways=1", "os.placement=contiguous"),
        ("network.nodes=16 workload.kind=dma os.paging=on_demand",
         "processor.interrupt_ns=9000 os.page_fault_ns=5000 os.paging=present"),
        (JOBS, """workload.first_node=3 workload.other_first_node=4 os.time_slice_us=20 os.task_switch_ns=90
            processor.interrupt_ns=9000"""),
        ("network.nodes=16 workload.kind=multicast", "workload.multicast_bytes=1024"),
        ("network.nodes=80 workload.kind=barrier", "library.barrier_fan_in=3 library.barrier=multicast_add"),
        ("network.nodes=16 workload.kind=barrier", "workload.kind=multicast workload.barrier_rounds=5 switch.table_access_cycles=6"),
        ("network.nodes=16 workload.kind=ping_pong", "workload.message_bytes=800 workload.ping_pong_rounds=9 workload.system_call=true"),
        ("network.nodes=16 workload.kind=ping_pong workload.message_bytes=800", "workload.message_data=clean workload.source_offset=64"),
        ("network.nodes=16 workload.kind=ping_pong workload.message_bytes=4096 workload.source_offset=64", "sender.optimized_first_read=false"),
        ("network.nodes=16 workload.kind=barrier workload.barrier_method=all_to_all", """workload.barrier_members=7
            workload.barrier_method=synchronization"""),
        ("network.nodes=16 workload.kind=exchange", """workload.exchange_method=in_order workload.exchange_bytes=800 workload.rounds=2
            workload.exchange_peers=5"""),
        ("network.nodes=16 workload.kind=collective workload.collective=broadcast",
         "workload.collective=all_reduce workload.collective_bytes=800"),
    ],
    "lookup_study": [
        (f"{STUDY} study.kind=conflicts study.seeds=10", "study.seeds=11 study.inserted=[300] study.ways=[8] seed=7"),
        (f"{STUDY} study.kind=zero_load", "study.kind=destinations"),
        (f"{STUDY} study.kind=throughput study.lookups=300 study.miss_every=5",
         "study.ports=4 study.lookups=400 study.miss_every=9 study.misses=random"),
        (f"{STUDY} study.kind=throughput study.lookups=300 study.miss_every=2 lookup.cam_cycles=300", "study.outstanding=1"),
        (f"{STUDY} study.kind=zero_load study.pairs=5", "study.pairs=7 clock_period_ps=2000"),
        (f"{STUDY} study.kind=power study.packets=100 study.load_percent=60",
         "study.load_percent=30 study.packet_flits=9 study.packets=200 study.flush_every=3"),
    ],
}

TRACED = "runs that --trace looks into: network_trace_test.py, same_bytes_test.py"
SAME = "the results are the same: machine_runs_test.py, order_test.cpp"
SIZES = "a size: what does not fit is refused, and what fits changes nothing"
FILES = "another file, network_test.py, network_replay_test.py, npb_test.py"
LIMITS = "refuses large machines, estimate_test.py"
WITHOUT = {
    "network": {
        "run.processes run.shuffle_seed": SAME,
        "limits.memory_gib": LIMITS,
        "run.watchdog_cycles": "deadlocks alone, watchdog_test.cpp",
        "trace.*": TRACED,
        "links.csv": "a file more, network_test.py",
        "topology.file traffic.matrix traffic.list workload.trace": FILES,
        "workload.kind": "a benchmark that is named sets it",
        "measure.mode": "its words' keys are others, each shown with its own",
        "router.uturn_network": "no route of these runs turns back: router_state_test.cpp",
        "lookup.cam_entries lookup.cam_key_bits nic.early_packets": SIZES,
        "sender.* receiver.* memory.* cache.* processor.* library.* software.* os.*": "bound as cenju4's, which shows them",
    },
    "cenju4": {
        "run.processes run.shuffle_seed switch.mode": SAME,
        "limits.memory_gib": LIMITS,
        "trace.lines": TRACED,
        "links.csv": "files more, crosspoint_load_test.py",
        "measure.mode": "its words' keys are others, each shown with its own",
        "workload.trace workload.other_trace traffic.matrix traffic.list": FILES,
        "memory.bytes library.heap_bytes os.log_buffer_bytes": SIZES,
        "switch.reserve_after": "multicasts that others pass, arbiter_test.cpp",
        "receiver.buffer_entries": "a node has two tasks at most here, translation_test.cpp",
    },
    "lookup_study": {
        "topology.* link.* router.* prediction.* routing.* lookup.* run.*": "bound as network's, which shows them",
    },
}


def as_settings(text):
    return dict(word.split("=", 1) for word in shlex.split(text))


class Effects(unittest.TestCase):
    def result(self, settings):
        """Metrics and tables of a run."""
        with tempfile.TemporaryDirectory(prefix="tsuji-") as folder:
            pathlib.Path(folder, "small.ti").write_text(SMALL_TRACE)
            assignments = [f"--set={key}={value}" for key, value in settings.items()]
            done = subprocess.run([EXECUTABLE, "--quiet", "--out", f"{folder}/out", *assignments], capture_output=True,
                                  text=True, timeout=60, cwd=folder)
            self.assertIn(done.returncode, (0, 1), f"{PLATFORM} {' '.join(assignments)}: {done.stderr}")
            if done.returncode == 1:
                return {"failure": done.stderr}
            result = json.loads(pathlib.Path(folder, "out", "result.json").read_text())
        del result["config"], result["metrics"]["wall_seconds"]
        return result

    def test_each_key_shows_in_a_result(self):
        for profile, keys in EFFECTS[PLATFORM]:
            before = None
            for key, value in as_settings(keys).items():
                with self.subTest(key=key, value=value, profile=profile):
                    before = before or self.result(as_settings(profile))
                    settings = {**as_settings(profile), key: value}
                    self.assertNotEqual(self.result(settings), before, f"{key} changes nothing")

    def test_no_key_is_missing(self):
        listed = subprocess.run([EXECUTABLE, "--list-keys"], capture_output=True, text=True, timeout=60).stdout
        shown = {key for _, keys in EFFECTS[PLATFORM] for key in as_settings(keys)}
        silent = [pattern for patterns in WITHOUT[PLATFORM] for pattern in patterns.split()]
        keys = parse_keys(listed)
        missing = [name for name, key in keys.items()
                   if name not in shown and not kinds_of(key, keys) and not any(fnmatch.fnmatchcase(name, pattern) for pattern in silent)]
        self.assertEqual(missing, [], f"{pathlib.Path(__file__).name}: add each with a short run that shows it to EFFECTS, "
                                      "or to WITHOUT with the reason why none does")


if __name__ == "__main__":
    PLATFORM, EXECUTABLE = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
