#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A request to measure or record something of which nothing is measured gives a warning, on the terminal and in
result.json. The executable is network or cenju4, whose network alone takes the same traffic."""

import pathlib
import subprocess

import machine
from machine import MachineTest, trace_text


class Nothing(MachineTest):
    def setUp(self):
        super().setUp()
        self.cenju4 = pathlib.Path(machine.EXECUTABLE).name == "cenju4"
        # Short packets, which both take.
        self.small = {"network.nodes": 16,
                      "workload.kind": "synthetic"} if self.cenju4 else {"topology.radices": "[4,4]"}
        self.small |= {"measure.cycles": 1000}

    def warnings(self, *arguments, **keys):
        """The warnings of a run, which are in its results and on its terminal alike."""
        self.runs += 1
        out = self.folder / f"out{self.runs}"
        command = [machine.EXECUTABLE, *arguments, "--out", out]
        for key, value in {**self.small, **keys}.items():
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=machine.TIMEOUT_S, check=True)
        self.finished = machine.Finished(done, out)
        shown = [line.removeprefix("warning: ") for line in done.stdout.splitlines() if line.startswith("warning: ")]
        self.assertEqual(self.finished.json().get("warnings", []), shown)
        return shown

    def headline(self):
        return self.finished.text.splitlines()[0]

    def list_of(self, *lines):
        return {"traffic.kind": "list", "traffic.list": self.write(f"l{self.runs}.list",
                                                                   "".join(line + "\n" for line in lines))}

    def test_a_list_is_measured_from_its_first_packet(self):
        self.assertEqual(self.warnings(**self.list_of("0 0 5 4", "900 1 5 4")), [])
        self.assertEqual(self.finished.metric("measured_packets"), 2)
        self.assertEqual(self.finished.json()["config"]["measure"]["warmup_cycles"], 0)

    def test_a_warm_up_longer_than_a_list_is_told(self):
        [said] = self.warnings(**self.list_of("0 0 5 4"), **{"measure.warmup_cycles": 5000})
        self.assertEqual(said, "no packet is measured: 0 born in cycles 5000..5999, and 1 others end "
                         "(measure.warmup_cycles, measure.cycles)")

    def test_a_load_without_a_packet_is_told_and_no_load_is_a_statement(self):
        [said] = self.warnings(**{"traffic.load_flits_per_node_cycle": 1e-5, "measure.warmup_cycles": 0})
        self.assertEqual(said, "no packet is measured: 0 born in cycles 0..999 (measure.warmup_cycles, measure.cycles)")
        for keys in ({}, {"measure.warmup_cycles": "auto"}):
            self.assertEqual(self.warnings(**{"traffic.load_flits_per_node_cycle": 0, **keys}), [])
            self.assertRegex(self.headline(), "no packets, as the offered load is 0$")
            self.assertNotIn("stationary", self.finished.text)
            self.assertEqual(self.finished.metric("warmup_stationary"), None)
            self.assertEqual(self.finished.metric("stability_needs_cycles"), None)
        self.assertEqual(self.warnings(**{"traffic.kind": "none"}), [])
        self.assertRegex(self.headline(), "no packets, as traffic.kind is none$")

    def test_a_sample_by_arrivals_that_does_not_begin(self):
        del self.small["measure.cycles"]
        [said] = self.warnings(**{"measure.mode": "arrivals", "measure.first_arrival": 10 ** 6,
                                  "measure.last_arrival": 10 ** 6,
                                  "measure.most_cycles": 2000})
        self.assertRegex(said, r"^no packet is measured: \d+ packets arrive, and the sample begins with number 1000000 "
                         r"\(measure.first_arrival\)$")

    def test_a_window_after_the_run(self):
        window = ["--window", "1000000000:"]
        packets, signals = self.by_kind(self.warnings("--records", "--waves", *window))
        self.assertRegex(packets,
                         r"^packets.csv has no packet: the run ends at \S+ ns, and --window begins at 1000000000 "
                         r"ns$")
        self.assertRegex(signals,
                         r"^the waveform shows no change: the run ends at \S+ ns, and --window begins at "
                         r"1000000000 ns$")
        self.assertEqual(self.warnings("--records", "--waves"), [])

    def by_kind(self, warnings):
        self.assertEqual(len(warnings), 2, warnings)
        return sorted(warnings)

    def test_a_window_in_which_nothing_happens(self):
        window = ["--window", "0:1"]
        packets, signals = self.by_kind(self.warnings("--records", "--waves", *window,
                                                      **self.list_of("500 0 5 4")))
        self.assertEqual(packets, "packets.csv has no packet: none ends in its window")
        self.assertEqual(signals, "the waveform shows no change: none of its signals changes in its window")


class Network(Nothing):
    """What network alone has."""

    def test_a_packet_that_no_router_shows(self):
        self.assertEqual(self.warnings("--waves", **{"waves.packet": "3.0", "waves.routers": "[]"}), [])
        [said] = self.warnings("--waves", **{"waves.packet": "3.999999"})
        self.assertEqual(said, "the waveform shows no packet 3.999999 (waves.packet): it does not pass any router of "
                         "the waveform")
        self.assertEqual(self.warnings(**{"waves.packet": "3.999999"}), [], "no waveform was asked for")

    def test_a_topology_without_links(self):
        alone = self.write("alone.topo", "node 0 at 0\nnode 1 at 0\n")
        del self.small["topology.radices"]
        keys = {"topology.kind": "file", "topology.file": alone, "routing.kind": "up_down"}
        self.assertEqual(self.warnings(**keys, **{"links.csv": "true"}),
                         ["links.csv is empty: the topology has no link between routers"])
        self.assertEqual(self.warnings(**keys), [])

    def test_a_trace(self):
        del self.small["measure.cycles"]
        trace = self.write("t.ti", trace_text([["send 1 0 100 6"], ["recv 0 0 100 6"]]))
        keys = {"workload.kind": "trace", "workload.trace": trace}
        for more in ({}, {"nic.kind": "cenju4", "clock_period_ps": 12500}):
            self.assertEqual(self.warnings("--records", **keys, **more), [])
            [said] = self.warnings("--records", "--window", "999999999:", **keys, **more)
            self.assertIn("packets.csv has no packet: the run ends at ", said)


class Cenju4(Nothing):
    """What whole machines of cenju4 have."""

    def test_a_waveform_after_the_run(self):
        self.small = {"network.nodes": 4, "workload.kind": "multicast"}
        self.assertEqual(self.warnings("--waves"), [])
        [said] = self.warnings("--waves", "--window", "1000000000:")
        self.assertRegex(said, r"^the waveform shows no change: the run ends at \S+ ns, and --window begins at "
                         r"1000000000 ns$")


if __name__ == "__main__":
    machine.main()
