# SPDX-License-Identifier: Apache-2.0
"""The Cenju-4 machine's measurements from outside: exchanges, collectives, barriers of groups, ping-pongs. The programs
compare memory and counters themselves; a run that passes has compared them."""

import machine
from machine import MachineTest

BARRIERS = ["all_to_all", "binary_tree", "atomic_add", "multicast_add", "synchronization"]


class Exchanges(MachineTest):
    def exchange(self, nodes, method, size, **more):
        return self.passes(keys={"network.nodes": nodes, "workload.kind": "exchange",
                                 "workload.exchange_method": method,
                                 "workload.exchange_bytes": size, **more})

    def test_every_method_moves_every_block(self):
        for nodes in (2, 16, 80):
            for method in ("in_order", "staggered", "multicast", "to_one"):
                with self.subTest(nodes=nodes, method=method):
                    done = self.exchange(nodes, method, 1000, **{"workload.rounds": 2})
                    self.assertEqual(done.metric("exchange_bytes_received"), 1000 * nodes)
                    self.assertLessEqual(done.metric("exchange_last_links_busy"), 1)
                    seconds = done.metric("exchange_time_us") * 1e-6
                    self.assertAlmostEqual(done.metric("exchange_throughput_mib_s"), 1000 * nodes / 2**20 / seconds,
                                           places=6)
                    ranks = done.json()["tables"]["exchange_ranks"]["rows"]
                    self.assertEqual([row[0] for row in ranks], list(range(nodes)))
                    self.assertLessEqual(max(row[1] for row in ranks), done.metric("exchange_time_us") + 1e-9)

    def test_blocks_go_to_as_many_peers_as_are_asked_for(self):
        def packets(peers, rounds):  # of 256 bytes; a round's barriers and broadcasts do not depend on the peers
            done = self.exchange(16, "staggered", 1024, **{"workload.exchange_peers": peers, "workload.rounds": rounds})
            self.assertEqual(done.metric("exchange_bytes_received"), 1024 * (peers or 16))
            return done.metric("packets_delivered")

        one, five, every, zero = (packets(peers, 3) - packets(peers, 1) for peers in (1, 5, 16, 0))
        self.assertEqual(five - one, 2 * 16 * 4 * 4)
        self.assertEqual(every - one, 2 * 16 * 15 * 4)
        self.assertEqual(every, zero)

    def test_the_last_link_bounds_what_a_node_receives(self):
        # A port flit, 18 of header and 96 of data: 256 B in 115 cycles at 80 MHz.
        many = self.exchange(16, "multicast", 32768)
        self.assertLess(many.metric("exchange_throughput_mb_s"), 256 / 115 * 80)
        self.assertGreater(many.metric("exchange_throughput_mb_s"), 0.9 * 256 / 115 * 80)
        # All to one at a time is far from that.
        self.assertLess(self.exchange(16, "in_order", 32768).metric("exchange_throughput_mb_s"),
                        many.metric("exchange_throughput_mb_s") / 2)

    def test_rounds_repeat_each_other(self):
        once, often = (self.exchange(16, "staggered", 4096, **{"workload.rounds": rounds}).metric("exchange_time_us")
                       for rounds in (1, 6))
        self.assertLess(abs(often / once - 1), 0.1)


class Collectives(MachineTest):
    def collective(self, kind, nodes=16, **more):
        keys = {"network.nodes": nodes, "workload.kind": "collective", "workload.collective": kind, **more}
        return self.passes(keys=keys).metric("collective_time_us")

    def test_hardware_and_trees(self):
        for nodes in (16, 80):
            trees = {"library.broadcast": "tree"}
            for size in (8, 1001):
                self.assertLess(self.collective("broadcast", nodes, **{"workload.collective_bytes": size}),
                                self.collective("broadcast", nodes, **{"workload.collective_bytes": size}, **trees))
            self.assertLess(self.collective("barrier", nodes),
                            self.collective("barrier", nodes, **{"library.barrier": "tree"}))
            # A sum and a broadcast of it.
            self.assertGreater(self.collective("all_reduce", nodes, **trees),
                               self.collective("broadcast", nodes, **trees))

    def all_reduce(self, method, size, nodes=16, **more):
        return self.collective("all_reduce", nodes, **{"library.all_reduce": method, "workload.collective_bytes": size,
                                                       "workload.rounds": 3, **more})

    def test_every_all_reduce_leaves_the_sum_everywhere(self):
        # Each rank checks every byte of each round's sum.
        for nodes, stages in ((2, 1), (5, 2), (16, 2), (64, 3)):
            for method in ("tree", "ring", "in_network"):
                for size in (13, 1001):
                    with self.subTest(nodes=nodes, method=method, size=size):
                        boards = {"network.stages": stages, "network.stages_per_board": 1}
                        self.all_reduce(method, size, nodes, **boards)

    def test_an_all_reduce_in_the_network_takes_an_access_for_each_operand(self):
        # One word, so one packet: the table's accesses of a stage follow each other, and the slower ones are as many
        # as the expected inputs of a switch, four at each of two stages.
        access, slow = 100, 900
        fast = self.all_reduce("in_network", 8, **{"switch.combine_cycles_per_word": access})
        more = self.all_reduce("in_network", 8, **{"switch.combine_cycles_per_word": slow}) - fast
        self.assertAlmostEqual(more, 2 * 4 * (slow - access) / 80, delta=0.15 * more)

    def test_packets_of_an_all_reduce_in_the_network_overlap(self):
        one, eight = (self.all_reduce("in_network", 8192, **{"library.all_reduce_packets": packets})
                      for packets in (1, 8))
        self.assertLess(eight, 0.6 * one)

    def test_an_all_reduce_in_the_network_needs_switches_that_combine(self):
        refused = ["library.all_reduce", "in_network", "tree or ring"]
        keys = {"workload.kind": "collective", "workload.collective": "all_reduce", "library.all_reduce": "in_network"}
        self.refused([*refused, "at most 64 nodes"], keys={**keys, "network.nodes": 80})
        for nodes in (2, 64):  # boards of two stages
            self.refused([*refused, "redundant stage"], keys={**keys, "network.nodes": nodes})


class Protocols(MachineTest):
    KEYS = {"network.nodes": 16, "workload.kind": "protocols"}
    LOGGED = {"remote DMA", "address register 0", "address register 1", "address register 2", "message 0", "message 1",
              "atomic add"}
    NOTIFIED = {"remote DMA", "address register 0", "address register 1", "address register 2", "remote read",
                "compare & swap"}

    def test_each_is_seen_where_table_1_has_it(self):
        for more in ({}, {"network.nodes": 2}, {"network.nodes": 80}, {"os.paging": "on_demand"},
                     {"switch.mode": "flit_by_flit"},
                     {"os.log_buffer_bytes": 128}, {"processor.hit_ns": 1000000},
                     {"os.placement": "contiguous", "library.barrier": "tree"}):
            with self.subTest(more):
                done = self.passes(keys={**self.KEYS, **more})
                rows = {row[0]: row[1:] for row in done.json()["tables"]["protocols"]["rows"]}
                self.assertEqual(len(rows), 10)
                for name, (memory, notification, log) in rows.items():
                    self.assertEqual(memory, "right", name)
                    self.assertEqual(notification, "right" if name in self.NOTIFIED else "-", name)
                    self.assertEqual(log, "right" if name in self.LOGGED else "-", name)
                self.assertEqual(done.metric("protocol_mismatches"), 0)

    def test_messages_to_buffer_1_are_multicasts(self):
        self.refused(["library.broadcast", "tree", "message buffer 1"], keys={**self.KEYS, "library.broadcast": "tree"})


class GroupBarriers(MachineTest):
    def barrier(self, method, members, nodes=16, **more):
        return self.passes(keys={"network.nodes": nodes, "workload.kind": "barrier", "workload.barrier_method": method,
                                 "workload.barrier_members": members, "workload.barrier_rounds": 3, **more})

    def test_any_number_of_members(self):
        for method in BARRIERS:
            for members in (1, 2, 3, 7, 15, 16):
                with self.subTest(method=method, members=members):
                    self.assertGreater(self.barrier(method, members).metric("barrier_time_us"), 0)

    def test_0_is_all(self):
        for method in BARRIERS:
            self.assertEqual(self.barrier(method, 0).metric("barrier_time_us"),
                             self.barrier(method, 16).metric("barrier_time_us"))

    def test_packets_of_each_method(self):
        # Three barriers more send the packets of three barriers; the network makes copies of multicasts.
        packets = {"all_to_all": 7 * 7, "binary_tree": 2 * 6, "atomic_add": 7 * 7, "multicast_add": 7,
                   "synchronization": 7}
        for method, each in packets.items():
            few, many = (self.barrier(method, 7, **{"workload.barrier_rounds": rounds}).metric("packets_sent")
                         for rounds in (3, 6))
            self.assertEqual(many - few, 3 * each, method)

    def test_groups_of_more_than_64_nodes(self):
        for method in BARRIERS[:-1]:
            self.barrier(method, 70, nodes=80)
        self.refused(["workload.barrier_method", "more than 64"],
                     keys={"network.nodes": 80, "workload.kind": "barrier",
                           "workload.barrier_method": "synchronization"})

    def test_the_order_of_modules_does_not_show(self):
        for method in BARRIERS:
            times = {self.barrier(method, 5, **{"run.shuffle_seed": seed}).metric("barrier_time_us")
                     for seed in (0, 3, 8)}
            self.assertEqual(len(times), 1, method)


class PingPongs(MachineTest):
    def ping(self, size, **more):
        keys = {"network.nodes": 16, "workload.kind": "ping_pong", "workload.message_bytes": size,
                **{f"workload.{key}": value for key, value in more.items()}}
        done = self.passes(keys=keys)
        return done.metric("paralib_latency_us"), done.metric("mpi_latency_us")

    def test_dirty_lines_take_longer_to_read(self):
        # 250 ns more a line until its first word, 128 B; a put reads the message from the cache.
        self.assertGreater(self.ping(4096)[0], self.ping(4096, message_data="clean")[0])
        # An inline put reads none.
        self.assertEqual(self.ping(8)[0], self.ping(8, message_data="clean")[0])

    def test_a_system_call_flushes_the_message(self):
        before, after = self.ping(2048)[0], self.ping(2048, system_call="true")[0]
        # 13 us and the write-back of 16 lines, less what clean lines save.
        self.assertGreater(after - before, 13)
        self.assertLess(after - before, 13 + 16 * 19 * 0.0125 + 0.5)

    def test_an_unaligned_message_needs_a_line_more_a_packet(self):
        aligned, unaligned = self.ping(65536), self.ping(65536, source_offset=64)
        for before, after in zip(aligned, unaligned):
            self.assertGreater(after, 1.05 * before)


class Walks(MachineTest):
    def walks(self, entries):
        done = self.passes(keys={"network.nodes": 16, "workload.kind": "dma", "workload.dma_bytes": 1 << 20,
                                 "sender.tlb_entries": entries,
                                 "receiver.tlb_entries": entries})
        return {side: (done.metric(f"{side}_translations"), done.metric(f"{side}_page_walks"))
                for side in ("sender", "receiver")}

    def test_a_page_is_walked_to_once(self):
        # A stream of 256 pages of 4 KB, 16 packets of 256 B each, and a few pages of barriers at each of 16 nodes.
        few, many = self.walks(4), self.walks(64)
        for side in ("sender", "receiver"):
            self.assertEqual(few[side][0], many[side][0])
            self.assertGreaterEqual(many[side][0], 16 * 256)
            for translations, walks in (few[side], many[side]):
                self.assertGreaterEqual(walks, 256)
                self.assertLess(walks, 256 + 6 * 16)
                self.assertLess(walks, translations / 2)


class Refusals(MachineTest):
    def test_of_values(self):
        for keys, parts in (({"workload.kind": "barrier", "workload.barrier_method": "atomic_add",
                              "workload.barrier_members": 17},
                             ["workload.barrier_members", "0..16"]),
                            ({"workload.kind": "ping_pong", "workload.source_offset": 4},
                             ["workload.source_offset", "multiple of 8"]),
                            ({"workload.kind": "exchange", "workload.exchange_bytes": 12},
                             ["workload.exchange_bytes", "multiple of 8"]),
                            ({"workload.kind": "exchange", "workload.exchange_peers": 17},
                             ["workload.exchange_peers", "0..16"]),
                            ({"workload.kind": "exchange", "workload.exchange_bytes": 4 << 20,
                              "library.heap_bytes": 1 << 20},
                             ["library.heap_bytes"])):
            self.refused(parts, keys={"network.nodes": 16, **keys})


if __name__ == "__main__":
    machine.main()
