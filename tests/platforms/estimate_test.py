#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""--estimate against the memory that runs take; machines that do not fit; the progress bar of building.

    estimate_test.py CLASS EXECUTABLE"""

import os
import pathlib
import pty
import re
import signal
import subprocess
import unittest

import machine

UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9}
SHORT = {"measure.warmup_cycles": 0, "measure.cycles": 10, "measure.drain_cycles": 0,
         "traffic.load_flits_per_node_cycle": 0.01}
MEASURED = {
    "network": [
        {"topology.radices": "[100,100]", **SHORT},
        {"topology.radices": "[60,60]", "router.vcs": 16, "router.buffer_flits": 16, **SHORT},
        {"topology.kind": "torus", "topology.radices": "[20,20,20]", "router.vcs": 2, **SHORT},
        {"topology.radices": "[50,50]", "topology.nodes_per_router": 4, **SHORT},
        {"topology.radices": "[80,80]", "router.va_allocator": "matrix", "router.sa_allocator": "matrix",
         "router.vcs": 8, **SHORT},
        {"topology.kind": "fat_tree", "topology.levels": 6, **SHORT},
        {"topology.kind": "fly", "topology.radix": 4, "topology.stages": 6, **SHORT},
        {"topology.kind": "random_regular", "topology.nodes": 3000, "topology.degree": 4, **SHORT},
        {"topology.kind": "random_grid", "topology.nodes": 2500, **SHORT},
        {"topology.kind": "torus", "topology.radices": "[50,50]", "routing.kind": "detour_ud", **SHORT},
        {"topology.radices": "[80,80]", "retry.timeout_cycles": 500, **SHORT},
        {"topology.kind": "torus", "topology.radices": "[100,100]", "router.buffer_flits": 32, **SHORT},
        {"topology.kind": "torus", "topology.radices": "[40,40]", "topology.nodes_per_router": 4, **SHORT},
        {"topology.kind": "torus", "topology.radices": "[100,100]", "router.vcs": 12, **SHORT},
        {"topology.kind": "torus", "topology.radices": "[100,100]", "router.vcs": 2, "router.buffer_flits": 4, **SHORT},
        # More virtual channels of a router than 64, and than 128.
        {"topology.kind": "fat_tree", "topology.up_links": 8, "topology.down_links": 8, "topology.levels": 4, **SHORT},
        {"topology.kind": "dragonfly", "topology.nodes_per_router": 12, "topology.group_routers": 24,
         "topology.global_links": 12, "routing.kind": "minimal", "router.vcs": 4, **SHORT},
        {"topology.kind": "dragonfly_plus", "topology.leaves": 16, "topology.spines": 16, "topology.groups": 64,
         "topology.nodes_per_router": 16, "topology.global_links": 16, "routing.kind": "minimal", **SHORT},
    ],
    "cenju4": [
        {"network.nodes": 256, "workload.kind": "boot"},
        {"network.nodes": 1024, "workload.kind": "boot"},
        {"network.nodes": 512, "network.radix": 8, "workload.kind": "boot"},
        {"network.nodes": 1024, "network.stages": 12, "workload.kind": "synthetic", **SHORT},
        {"network.nodes": 1024, "network.radix": 16, "workload.kind": "synthetic", **SHORT},
    ],
}
LARGE = {"network": {"topology.radices": "[1000,1000]"}, "cenju4": {"network.nodes": 1024, "workload.kind": "boot"}}


def bytes_of(text):
    number, unit = re.search(r"about ([\d.]+) (kB|MB|GB)", text).groups()
    return float(number) * UNITS[unit]


class Estimates(machine.MachineTest):
    def platform(self):
        return pathlib.Path(machine.EXECUTABLE).name

    def told(self, *words, keys=None):
        done = self.ends(0, *words, keys=keys)
        return done.text

    def words(self, keys):
        return [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]

    def peak_bytes(self, keys):
        """Of a run; sanitizers, which take several times as much, are told by a None."""
        process = subprocess.Popen([machine.EXECUTABLE, *self.words(keys), "--quiet", "--out",
                                    str(self.folder / "out")], cwd=self.folder)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return 1024 * usage.ru_maxrss

    def check_memory(self, machines):
        with open(machine.EXECUTABLE, "rb") as file:
            if b"__asan_init" in file.read():
                self.skipTest("sanitizers have memory of their own")
        for keys in machines:
            with self.subTest(keys=keys):
                told = bytes_of(self.told("--estimate", keys=keys))
                self.assertLess(abs(told / self.peak_bytes(keys) - 1), 0.25, told)


class EveryMachine(Estimates):
    def test_memory(self):
        self.check_memory(MEASURED[self.platform()])


class Memory(Estimates):
    def test_every_second_machine(self):
        self.check_memory(MEASURED[self.platform()][::2])

    def test_nothing_is_built(self):
        """Neither a machine nor an output folder, whatever the size."""
        told = self.told("--estimate", keys=LARGE[self.platform()])
        self.assertRegex(told, r"^machine    \d+ .*\nmemory     about [\d.]+ [MG]B \(.*\)\navailable  [\d.]+ [MG]B of "
                         r"[\d.]+ [MG]B\ntime       ")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_time_is_rough_and_has_its_basis(self):
        load = {"network": {}, "cenju4": {"workload.kind": "synthetic"}}[self.platform()]
        told = self.told("--estimate", keys=load)
        self.assertRegex(told, r"\ntime       roughly [\d.]+ (s|min|h) a million cycles \(\d+ ns of one core for each "
                         r"flit at a (router|switch), and \d+ "
                               r"of them a cycle.*; a third to three times as long was measured\)\nthis run   ")
        for more in ({"traffic.kind": "closed_loop"}, {"traffic.kind": "none"}):
            self.assertRegex(self.told("--estimate", keys={**load, **more}),
                             r"\ntime       not known: \d+ ns .*, and the offered load is not a key "
                             r"of this configuration\n$")
        self.assertRegex(self.told("--estimate", keys={"workload.kind": "trace"}),
                         r"\ntime       not known: \d+ ns .* decides? how many\n$")

    def test_bad_machines_are_refused(self):
        key, value = {"network": ("topology.radices", "[32768,32768]"),
                      "cenju4": ("network.nodes", "4096")}[self.platform()]
        self.refused([f"--set {key}={value}: {key}: "], "--estimate", keys={key: value})


class Refusals(Estimates):
    def test_a_machine_beyond_the_limit(self):
        keys = {"network": {"topology.radices": "[1000,1000]"},
                "cenju4": {"network.nodes": 1024, "network.radix": 16, "switch.fifo_packets": 4,
                           "network.stages": 12}}[self.platform()]
        if self.platform() == "cenju4":
            # A Cenju-4 of any size fits into a GiB; a process of few addresses has less.
            done = self.ended(subprocess.run(["prlimit", "--as=150000000", machine.EXECUTABLE, *self.words(keys),
                                              "--out", str(self.folder / "out")],
                                             capture_output=True, text=True, cwd=self.folder), 2)
            self.assertRegex(done.stderr, r"^cenju4: default: limits.memory_gib: 1024 nodes and \d+ switches take "
                             r"about \d+ MB of memory \(.*\), and there are "
                             r"150 MB \(got 'auto'\); accepted: a smaller machine, or 1 or more, to simulate "
                             r"it nevertheless\n$")
            done = subprocess.run(["prlimit", "--as=150000000", machine.EXECUTABLE,
                                   *self.words({**keys, "limits.memory_gib": 1}), "--out",
                                   str(self.folder / "out")], capture_output=True, text=True, cwd=self.folder)
            self.assertRegex(done.stderr, r"^cenju4: 1024 nodes and \d+ switches: about \d+ MB of memory, and only 150 "
                             r"MB are available at present; time: ")
            return
        done = self.refused(["limits.memory_gib: 1000000 routers and 1000000 nodes take about ",
                             ", and the limit is 1.1 GB (got '1'); accepted: a "
                             "smaller machine, or "], keys={**keys, "limits.memory_gib": 1})
        self.assertTrue(done.text.startswith("network: --set limits.memory_gib=1: limits.memory_gib: "), done.text)
        for option in (["--sweep-load", "0.1:0.2:2"], ["--runs", "kept"]):
            command = [machine.EXECUTABLE, *option, *self.words({**keys, "limits.memory_gib": 1})]
            done = self.ended(subprocess.run(command, capture_output=True, text=True, cwd=self.folder), 2)
            self.assertIn("limits.memory_gib: 1000000 routers", done.stderr)

    def test_the_limit_is_what_the_user_says(self):
        small = {"network": {"topology.radices": "[2,2]"}, "cenju4": {"network.nodes": 2}}[self.platform()]
        self.refused(["limits.memory_gib: out of range (got '0'); accepted: an integer 1..1048576, or auto"],
                     keys={**small, "limits.memory_gib": 0})
        self.assertIn("limits:\n  memory_gib: 7  # GiB\n",
                      self.told("--print-config", "all", keys={**small, "limits.memory_gib": 7}))


class Progress(Estimates):
    def said(self, *words, keys, until=None):
        """What comes on a terminal; a run that says `until`, a pattern, is killed then."""
        try:
            watched, terminal = pty.openpty()
        except OSError:
            raise unittest.SkipTest("no terminal here to show progress on") from None
        process = subprocess.Popen([machine.EXECUTABLE, *words, *self.words(keys), "--out", str(self.folder / "out")],
                                   stdout=subprocess.PIPE,
                                   stderr=terminal, cwd=self.folder)
        os.close(terminal)
        told = b""
        while True:
            try:
                part = os.read(watched, 65536)
            except OSError:  # nobody has the other end any more
                part = b""
            told += part
            ended = until is not None and re.search(until, told.decode())
            if ended:
                process.kill()
            if ended or not part:
                break
        os.close(watched)
        process.communicate()
        self.assertEqual(process.returncode, 0 if until is None else -signal.SIGKILL)
        return told.decode()

    def test_a_large_machine_says_so_and_shows_its_building_and_then_the_run(self):
        # Large by what a run takes that is not played, and long enough to build for several shares.
        told = self.said(keys={**SHORT, "topology.radices": "[500,500]", "measure.cycles": 10**6},
                         until=r"\r\[=*>? *\] +\d+ %")
        self.assertRegex(told, r"^network: 250000 routers and 250000 nodes: about [\d.]+ MB of memory; time: roughly "
                         r"[\d.]+ \w+ a million cycles \(.*\)\r\n\rbuilding ")
        shares = [int(share) for share in re.findall(r"\rbuilding \[=*>? *\] +(\d+) %", told)]
        self.assertGreater(len(shares), 3, told)
        self.assertEqual(shares, sorted(shares))
        self.assertEqual(shares[0], 0)
        self.assertGreater(shares[-1], 60)
        self.assertTrue(any(10 < share < 60 for share in shares), shares)

    def test_a_long_run_says_so_first_where_nobody_watches(self):
        process = subprocess.Popen([machine.EXECUTABLE, *self.words({"measure.cycles": 10**12}), "--out",
                                    str(self.folder / "out")], stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, text=True, cwd=self.folder)
        told = process.stderr.readline()
        process.kill()
        self.assertEqual(process.communicate()[1], "")
        self.assertRegex(told, r"^network: 64 routers and 64 nodes: about [\d.]+ MB of memory; time: roughly [\d.]+ "
                         r"\w+ a million cycles \(.*\)\n$")

    def test_nothing_is_shown_where_nobody_watches(self):
        done = subprocess.run([machine.EXECUTABLE, *self.words({"topology.radices": "[50,50]", **SHORT}), "--out",
                               str(self.folder / "out")],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.said("--quiet", keys={"topology.radices": "[50,50]", **SHORT}), "")


if __name__ == "__main__":
    machine.main()
