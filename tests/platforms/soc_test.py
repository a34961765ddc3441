# SPDX-License-Identifier: Apache-2.0
"""The platform soc from outside: latency and bandwidth of its initiators against closed forms, its deadlock proof and
what it refuses."""

import machine

COLUMNS = 3                       # of the mesh
NODE = {"cpu0": 0, "rom": 1, "cpu1": 2, "sram": 3, "dma": 4, "ram": 5}
DEFAULTS = {"tlm.packet_bytes": 64, "tlm.flit_bytes": 8, "tlm.header_flits": 1, "soc.first_word_ns": 20,
            "soc.word_ns": 1}
OTHERS = {"tlm.packet_bytes": 128, "tlm.flit_bytes": 16, "tlm.header_flits": 2, "soc.first_word_ns": 31,
          "soc.word_ns": 3}
LARGE = {"router.buffer_flits": 16}  # a credit loop


class ClosedForm:
    """Cycles of transactions on an otherwise empty network, by the keys' values."""

    def __init__(self, keys):
        self.keys = keys

    def way(self, one, other, flits):
        """From a packet's birth to its last word: four stages a router, a cycle a link, and its flits."""
        one, other = NODE[one], NODE[other]
        hops = 1 + abs(one % COLUMNS - other % COLUMNS) + abs(one // COLUMNS - other // COLUMNS)
        return 4 * hops + (hops - 1) + 1 + 1 + flits

    def flits(self, data):
        """Flits of a message with `data` bytes: a header a packet."""
        most = self.keys["tlm.packet_bytes"]
        parts = [most] * (data // most) + [data % most] * (data % most > 0 or data == 0)
        return sum(self.keys["tlm.header_flits"] + -(-part // self.keys["tlm.flit_bytes"]) for part in parts)

    def memory(self, data):
        """A memory's access."""
        return self.keys["soc.first_word_ns"] + (-(-data // 8) - 1) * self.keys["soc.word_ns"]

    def access(self, one, other, data):
        """A read, and as long as that, a write."""
        both = self.flits(data) + self.flits(0)
        return 1 + self.way(one, other, 0) + self.memory(data) + 1 + self.way(other, one, 0) + both


class Soc(machine.MachineTest):
    def initiators(self, done):
        return {row[0]: row[1:] for row in done.json()["tables"]["initiators"]["rows"]}

    def test_a_processor_alone_takes_the_closed_form(self):
        for keys in (DEFAULTS, OTHERS):
            done = self.passes(keys={"soc.dma_bytes": 0, "soc.cpu_words": 1, **LARGE, **keys})
            for name, target in (("cpu0", "sram"), ("cpu1", "ram")):
                time = ClosedForm(keys).access(name, target, 4)
                self.assertEqual(self.initiators(done)[name], [2, 0, 8, time, time])
            self.assertEqual(self.initiators(done)["dma"][:3], [0, 0, 0])

    def test_a_burst_alone_takes_the_closed_form(self):
        for keys in (DEFAULTS, OTHERS):
            form = ClosedForm(keys)
            for data in (8, 64, 72, 256):
                done = self.passes(keys={"soc.cpu_words": 0, "soc.dma_bytes": 10 * data, "soc.burst_bytes": data,
                                         "soc.channels": 1, **LARGE, **keys})
                count, errors, moved, mean, _ = self.initiators(done)["dma"]
                self.assertEqual((count, errors, moved), (20, 0, 20 * data))
                self.assertAlmostEqual(mean, (form.access("dma", "rom", data) + form.access("dma", "ram", data)) / 2)

    def test_many_bursts_fill_the_link_of_the_dma_engine(self):
        data, total = 256, 1 << 18
        done = self.passes(keys={"soc.cpu_words": 0, "soc.dma_bytes": total, "soc.burst_bytes": data,
                                 "soc.channels": 16, "soc.first_word_ns": 2, "soc.word_ns": 0.25,
                                 "tlm.initiators": "cpu0 node 0, cpu1 node 2, dma node 4 outstanding 32", **LARGE})
        # The node's link carries a burst's write and the request of its read.
        least = total // data * (ClosedForm(DEFAULTS).flits(data) + 1)
        cycles = done.metric("simulated_cycles")
        self.assertGreaterEqual(cycles, least)
        self.assertLess(cycles, 1.03 * least + 1000)  # and a slice of the run
        self.assertEqual(done.metric("transaction_bytes"), 2 * total)

    def test_all_together_copy_right_and_repeat_themselves(self):
        one, other = (self.passes(keys={"soc.cpu_words": 64}) for _ in range(2))
        self.assertEqual(one.result_bytes(), other.result_bytes())
        self.assertEqual(one.metric("transactions"), 2 * 2 * 64 + 2 * 64)
        self.assertEqual(one.metric("transaction_errors"), 0)
        watched = self.passes("--waves", "--records", keys={"soc.cpu_words": 64})
        self.assertEqual(self.initiators(watched), self.initiators(one))
        self.assertTrue((watched.out / "packets.csv").exists())

    def test_a_waveform_has_a_group_for_each_socket_in_any_order_of_modules(self):
        files = []
        for keys in ({}, {"run.processes": "process_each", "run.shuffle_seed": 2}):
            done = self.passes("--waves", "--waves-format", "vcd", keys={"soc.cpu_words": 20, "soc.dma_bytes": 2658,
                                                                         **keys})
            files.append((done.out / "network.vcd").read_bytes())
            view = (done.out / "network.gtkw").read_text()
            for socket in ("initiator cpu0", "initiator dma", "target rom", "target ram"):
                self.assertIn(f"-{socket}\n", view)
            self.assertIn("tlm.rom.outstanding", view)
        self.assertEqual(files[0], files[1])

    def test_two_classes_are_proved_and_one_is_refuted(self):
        self.assertIn("free of deadlock", self.ends(0, "--check-deadlock").text)
        one = self.ends(1, "--check-deadlock", keys={
            "classes.list": "request vcs 0-3 answer response, response vcs 0-3 flits 1"})
        self.assertIn("request waits for room for response", one.text)

    def test_a_run_can_end_before_its_clients(self):
        done = self.ends(0, keys={"tlm.cycles": 500})
        self.assertIn("were not done", "".join(done.json()["warnings"]))
        self.assertEqual(done.metric("simulated_cycles"), 500)

    def test_bad_maps_are_refused_with_their_place(self):
        targets = "rom node 1 base 0 bytes 8192, ram node 3 base 4096 bytes 4096"
        file = self.write("soc.yaml", f"tlm:\n  targets: {targets}\n")
        self.refused(["soc.yaml:2:12", "tlm.targets", "overlaps rom base 0x0"], str(file))
        self.refused(["tlm.targets", "rom"], keys={"tlm.targets": "one node 1 base 0 bytes 4096"})


if __name__ == "__main__":
    machine.main()
