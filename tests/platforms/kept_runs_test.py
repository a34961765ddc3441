#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that cannot be lost: what is in the output folder after signals, kills, full disks, and of two runs at a time.

usage: kept_runs_test.py CLASS [--moments N] PLATFORMS_FOLDER    Moments are drawn from a seed, N for each kind of run.
"""

import csv
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from machine import FAKE_DRAWING, SANITIZER_NOTE, reject_reports
from own_folder import FolderTest

PLATFORMS = None
MOMENTS = 3
ENDLESS = 10**12

# A run of each platform and workload that is too long to end by itself.
LONG_RUNS = {
    "synthetic": ["network", "--set", f"measure.cycles={10**9}", "--records"],
    "arrivals": ["network", "--set", "measure.mode=arrivals", "--set", f"measure.last_arrival={10**9}",
                 "--set", f"measure.most_cycles={10**9}"],
    "warming up": ["network", "--set", f"measure.warmup_cycles={10**9}"],
    "waves": ["network", "--set", f"measure.cycles={10**9}", "--waves", "--waves-format", "vcd"],
    "application": ["network", "--set", "workload.npb=lu.A.64", "--records"],
    "application, Cenju-4 nodes": ["network", "--set", "workload.npb=lu.A.64", "--set", "nic.kind=cenju4",
                                   "--set", "clock_period_ps=12500"],
    "machine": ["cenju4", "--set", "workload.kind=trace", "--set", "workload.npb=lu.A.64"],
    "barriers": ["cenju4", "--set", "workload.kind=barrier", "--set", f"workload.barrier_rounds={10**9}"],
    "network alone": ["cenju4", "--set", "workload.kind=synthetic", "--set", f"measure.cycles={10**9}", "--records"],
    "conflicts": ["lookup_study", "--set", f"study.seeds={10**9}"],
    "graphs": ["compact_study", "--set", f"study.seeds={10**6}", "--set", "topology.nodes=64"],
    "throughput": ["lookup_study", "--set", "study.kind=throughput", "--set", "lookup.kind=cam", "--set",
                   f"study.lookups={10**9}"],
    "sweep": ["network", "--sweep-load", "0.1:0.4:4", "--set", f"measure.cycles={10**9}"],
}
SHORT = ["network", "--set", "measure.cycles=2000", "--set", "topology.radices=[4,4]", "--records"]
OLD = ["network", "--set", "measure.cycles=1000", "--set", "topology.radices=[3,3]", "--waves"]
SWEEP = ["network", "--set", "measure.cycles=3000", "--set", "topology.radices=[4,4]", "--sweep-load", "0.1:0.7:4"]


def without_clock(text):
    result = json.loads(text)
    del result["metrics"]["wall_seconds"]
    return json.dumps(result)


def content(folder):
    """A folder as a user sees it: text by name, without the parts that may differ between two runs."""
    files = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in name.parts):
            files[str(name)] = without_clock(path.read_text()) if path.name == "result.json" else path.read_bytes()
    return files


def processor_seconds(process):
    """User and system time of a process and of its children, of those that have ended, too."""
    total = 0
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        if int(entry.parent.name) == process.pid or int(fields[1]) == process.pid:
            total += sum(int(field) for field in fields[11:15])
    return total / os.sysconf("SC_CLK_TCK")


class Kept(FolderTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def command(self, words, out=None):
        return [str(PLATFORMS / words[0]), *words[1:], "--quiet", "--out", str(out or self.out)]

    def environment(self):
        """Of a handful of moments none may be lost on a picture."""
        return FAKE_DRAWING if MOMENTS < 50 else None

    def run_one(self, words, out=None):
        done = subprocess.run(self.command(words, out), capture_output=True, text=True, cwd=self.folder, timeout=600,
                              env=self.environment())
        reject_reports(done.stdout + done.stderr)
        return done

    def passes(self, words, out=None):
        done = self.run_one(words, out)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        return content(out or self.out)

    def start(self, words, out=None):
        process = subprocess.Popen(self.command(words, out), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True,
                                   cwd=self.folder, start_new_session=True, env=self.environment())
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def started(self, words, seconds=0.3):
        """A run that has begun, and then has run for some time of a processor of its own, however busy the machine
        is."""
        process = self.start(words)
        staging = self.folder / ".out.partial"
        limit = time.monotonic() + 60
        while not (staging / "resolved.yaml").is_file():
            self.assertIsNone(process.poll(), "it has ended by itself")
            self.assertLess(time.monotonic(), limit, "it has not begun")
            time.sleep(0.005)
        enough = processor_seconds(process) + seconds
        while processor_seconds(process) < enough:
            self.assertIsNone(process.poll(), "it has ended by itself")
            self.assertLess(time.monotonic(), limit, "it does not run")
            time.sleep(0.01)
        return process

    def nothing_else(self):
        """Beside the folder is nothing."""
        self.assertEqual([path.name for path in self.folder.iterdir()], ["out"])

    def old_run(self):
        """A run's folder with a file of somebody else."""
        old = self.passes(OLD)
        self.assertIn("network.fst", old)
        return old


class Signals(Kept):
    def ends(self, process, number):
        said, _ = process.communicate(timeout=60)
        said = SANITIZER_NOTE.sub("", said)
        reject_reports(said)
        self.assertEqual(process.returncode, 128 + number, said)
        self.assertEqual(said, "")

    def whole_lines(self):
        for path in self.out.rglob("*"):
            if path.suffix in (".csv", ".vcd", ".json", ".yaml", ".gtkw"):
                self.assertTrue(path.read_bytes().endswith(b"\n"), path)
        packets = self.out / "packets.csv"
        if packets.is_file():
            with open(packets) as file:
                lines = list(csv.reader(file))
            self.assertGreater(len(lines), 10)
            self.assertEqual({len(line) for line in lines}, {len(lines[0])})

    def partial(self, name, number):
        words = LONG_RUNS[name]
        old = self.old_run()
        process = self.started(words, seconds=0.5)
        self.assertEqual(content(self.out), old, "nothing of it shows before its end")
        process.send_signal(number)
        self.ends(process, number)
        result = json.loads((self.out / "result.json").read_text())
        self.assertEqual((result["status"], result["ended_by"]), ("partial", signal.Signals(number).name))
        files = {path.name for path in self.out.iterdir()}
        self.assertNotIn("network.fst", files)
        if name != "waves":
            self.assertFalse(files & (set(old) - {"result.json", "resolved.yaml"}))
        self.whole_lines()
        self.nothing_else()
        if "packet_fates" in result["tables"]:
            fates = dict(result["tables"]["packet_fates"]["rows"])
            self.assertGreater(fates["born"], 0)
            self.assertEqual(fates["born"] + fates.get("replicated", 0) - fates.get("merged", 0),
                             fates["delivered"] + fates["under way"]
                             + sum(packets for fate, packets in fates.items() if fate.startswith("dropped")))
        self.assertEqual(self.passes(OLD), old)
        self.nothing_else()
        return {metric: entry["value"] for metric, entry in result["metrics"].items()}

    def test_synthetic_traffic(self):
        for name in ("synthetic", "arrivals", "warming up", "waves"):
            metrics = self.partial(name, signal.SIGINT)
            self.assertGreater(metrics["simulated_cycles"], 100)
            if name == "synthetic":
                self.assertEqual(metrics["measured_from_cycle"] + metrics["measured_cycles"],
                                 metrics["simulated_cycles"])
                # Rates are of the part of the interval that has been simulated.
                self.assertAlmostEqual(metrics["accepted_flits_per_node_cycle"], 0.1, delta=0.01)
            if name == "warming up":
                self.assertEqual(metrics["measured_cycles"], 0)
                self.assertIsNone(metrics["accepted_flits_per_node_cycle"])

    def test_applications(self):
        for name in ("application", "application, Cenju-4 nodes", "machine", "barriers"):
            metrics = self.partial(name, signal.SIGTERM)
            self.assertGreater(metrics["simulated_cycles"], 100)
            self.assertGreater(metrics["packets_delivered"], 0)

    def test_others(self):
        for name in ("network alone", "conflicts", "graphs", "throughput", "sweep"):
            self.partial(name, signal.SIGTERM)

    def test_a_second_signal_kills(self):
        old = self.old_run()
        process = self.started(LONG_RUNS["synthetic"])
        process.send_signal(signal.SIGSTOP)  # so that it sees both of them at once
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        process.wait(timeout=60)
        self.assertIn(process.returncode, (-signal.SIGINT, -signal.SIGTERM))
        self.assertEqual(content(self.out), old)

    def test_a_signal_that_was_ignored_stays_ignored(self):
        # Ignored before the executable begins, which Popen waits for.
        process = subprocess.Popen(self.command(SHORT), cwd=self.folder,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(json.loads((self.out / "result.json").read_text())["status"], "complete")


class Folders(Kept):
    def test_the_second_run_into_a_folder_is_refused_with_who_has_it(self):
        process = self.started(LONG_RUNS["synthetic"])
        for words in (SHORT, SWEEP, ["cenju4"]):
            done = self.ended(self.run_one(words), 2)
            self.assertIn(f"--out: another run writes there: process {process.pid} on {os.uname().nodename}",
                          done.stderr)
        self.passes(SHORT, self.folder / "beside")
        process.kill()
        process.wait()
        self.passes(SHORT)

    def test_no_file_of_the_run_before_stays(self):
        old = self.old_run()
        (self.out / "notes.txt").write_text("notes")
        new = self.passes(SHORT)
        self.assertEqual(set(new), {"notes.txt", "packets.csv", "resolved.yaml", "result.json"})
        del new["notes.txt"]
        self.assertEqual(new, self.passes(SHORT, self.folder / "fresh"))
        self.assertEqual(self.passes(OLD).keys(), old.keys() | {"notes.txt"})

    def test_a_failure_of_the_model_replaces_the_folder_and_a_refusal_does_not(self):
        old = self.old_run()
        done = self.ended(self.run_one([*SHORT, "--set", "traffic.kind=list", "--set", "traffic.list=/nowhere"]), 2)
        self.assertEqual(content(self.out), old)
        deadlock = ["network", "--set", "topology.kind=torus", "--set", "topology.radices=[4,4]", "--set",
                    "routing.kind=dimension_order", "--set", "traffic.load_flits_per_node_cycle=0.9", "--records"]
        waits = self.write_trace_that_waits()
        done = self.ended(self.run_one(["network", "--set", "workload.kind=trace", "--set", f"workload.trace={waits}",
                                        "--records"]), 1)
        self.assertEqual({path.name for path in self.out.iterdir() if path.name[0] != "."},
                         {"failure.txt", "packets.csv", "resolved.yaml"})
        self.assertIn((self.out / "failure.txt").read_text().splitlines()[0], done.stderr)
        del deadlock

    def write_trace_that_waits(self):
        """After one message both ranks wait for the other's next."""
        trace = self.folder / "waits.ti"
        trace.write_text("0 init\n0 send 1 0 1000 6\n0 recv 1 9 8 6\n0 send 1 5 8 6\n0 finalize\n"
                         "1 init\n1 recv 0 0 1000 6\n1 recv 0 5 8 6\n1 send 0 9 8 6\n1 finalize\n")
        return trace

    def test_the_folder_in_which_one_stands(self):
        here = self.folder / "here"
        here.mkdir()
        (here / "my.yaml").write_text("measure:\n  cycles: 1000\n")
        for words in (["network", "my.yaml"], ["network", "my.yaml", "--records"], ["network"]):
            self.ended(subprocess.run([str(PLATFORMS / words[0]), *words[1:], "--quiet", "--out", "."], cwd=here,
                                      capture_output=True, text=True))
            self.assertTrue((here / "my.yaml").is_file())
            self.assertEqual((here / "packets.csv").is_file(), "--records" in words)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["here"])

    def test_results_name_their_source(self):
        self.passes(SHORT)
        result = json.loads((self.out / "result.json").read_text())
        version = subprocess.run([str(PLATFORMS / "network"), "--version"], capture_output=True, text=True).stdout
        self.assertEqual(version, f"network {result['version']} ({result['revision']})\n")

    def test_lists_into_a_full_device_are_failures(self):
        for words in (["--print-config"], ["--print-topology", "dot"], ["--print-vcs"], ["--print-capacity"],
                      ["--print-design"], ["--list-modules"], ["--check-deadlock"],
                      ["--list-keys"], ["--help"], ["--version"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([str(PLATFORMS / "network"), *words], stdout=full, stderr=subprocess.PIPE,
                                      text=True)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("cannot be written", done.stderr)


class Killed(Kept):
    """Runs and sweeps that are killed at random moments: the old folder or the new one, nothing else."""

    def moments(self, words, name):
        """The moments, as seconds after the start, of which every second one lies around the run's end; and what the
        run leaves."""
        begin = time.monotonic()
        new = self.passes(words, self.folder / "reference")
        self.length = time.monotonic() - begin
        shutil.rmtree(self.folder / "reference")
        draw = random.Random(name)
        return [self.length * (draw.uniform(0, 1.1) if i % 2 else draw.uniform(0.7, 1.05)) for i in range(MOMENTS)], new

    def killed_after(self, words, seconds):
        process = self.start(words)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            pass
        process.kill()
        process.communicate()
        return process.returncode

    def test_runs(self):
        old = self.old_run()
        moments, new = self.moments(SHORT, "runs")
        ends = {"old": 0, "new": 0}
        for moment in moments:
            status = self.killed_after(SHORT, moment)
            left = content(self.out)
            self.assertIn(left, (old, new), f"after {moment} s of {self.length}")
            if status == 0:
                self.assertEqual(left, new)
            ends["new" if left == new else "old"] += 1
            if left == new:
                self.assertEqual(self.passes(OLD), old)
        self.assertEqual(self.passes(SHORT), new)
        self.nothing_else()
        if MOMENTS > 50:
            self.assertGreater(min(ends.values()), 0, ends)

    def test_sweeps(self):
        old = self.old_run()
        moments, new = self.moments(SWEEP, "sweeps")
        for moment in moments:
            status = self.killed_after(SWEEP, moment)
            left = content(self.out)
            self.assertIn(left, (old, new), f"after {moment} s of {self.length}")
            if left == new:
                self.assertEqual(self.passes(OLD), old)
            elif status != 0:
                # No load's run outlives its sweep.
                finished = list((self.folder / ".out.partial").glob("load_*/result.json"))
                time.sleep(0.05)
                self.assertEqual(finished, list((self.folder / ".out.partial").glob("load_*/result.json")))
        self.assertEqual(self.passes(SWEEP), new)
        self.nothing_else()

    def test_a_killed_sweep_goes_on_where_it_was(self):
        reference = self.passes(SWEEP, self.folder / "reference")
        shutil.rmtree(self.folder / "reference")
        for end in (signal.SIGKILL, signal.SIGTERM):
            process = self.start(SWEEP)
            staging = self.folder / ".out.partial"
            while not list(staging.glob("load_*/result.json")):
                self.assertIsNone(process.poll())
                time.sleep(0.002)
            process.send_signal(end)
            process.communicate()
            if end == signal.SIGKILL:
                self.assertFalse(self.out.exists())
                place = staging
            elif process.returncode == 143:
                self.assertEqual(json.loads((self.out / "result.json").read_text())["status"], "partial")
                place = self.out
            else:
                continue
            times = {path.parent.name: path.stat().st_mtime_ns for path in place.glob("load_*/result.json")}
            self.assertTrue(times)
            self.assertEqual(self.passes(SWEEP), reference)
            for load, before in times.items():
                self.assertEqual((self.out / load / "result.json").stat().st_mtime_ns, before, f"{load} was run again")
            # Another configuration, or a whole sweep, is no reason to leave a run out.
            self.passes([*SWEEP, "--seed", "2"])
            self.assertNotEqual(content(self.out), reference)
            shutil.rmtree(self.out)


class FullDisk(Kept):
    """A disk that has no more room than drawn at random: the old folder, exit status 1; or enough room."""

    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        self.limit = None
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(self.disk)], capture_output=True)
        if done.returncode != 0:
            self.skipTest("no small disk can be mounted here; platform files with limits are tried in C++")
        self.addCleanup(subprocess.run, ["umount", "-l", str(self.disk)])
        self.out = self.disk / "out"

    def fill(self, free_bytes):
        (self.disk / "filler").unlink(missing_ok=True)
        room = os.statvfs(self.disk)
        with open(self.disk / "filler", "wb") as file:
            file.write(bytes(max(0, room.f_bavail * room.f_frsize - free_bytes)))

    def tried(self, words, name):
        old = self.old_run()
        new = self.passes(words, self.folder / "reference")
        needed = sum(path.stat().st_size for path in (self.folder / "reference").rglob("*") if path.is_file())
        draw = random.Random(name)
        failures = 0
        for i in range(MOMENTS):
            # Every second time there is no room for all files.
            free = draw.randrange(0, int(needed * (1.5 if i % 2 else 0.95))) // 4096 * 4096
            self.fill(free)
            done = self.run_one(words)
            left = content(self.out)
            self.assertIn(done.returncode, (0, 1), f"{free} bytes free: {done.stderr}")
            self.assertEqual(left, old if done.returncode == 1 else new, f"{free} bytes free: {done.stderr}")
            if done.returncode == 1:
                failures += 1
                # The runs of a sweep leave their words on the same disk.
                self.assertRegex(done.stderr, r"No space left on device|the disk may be full")
                self.assertNotIn("model failure", done.stderr)
            (self.disk / "filler").unlink()
            self.assertEqual(self.passes(OLD), old)
        self.assertGreater(failures, 0)

    def test_runs(self):
        self.tried(SHORT, "full")

    def test_waveforms(self):
        self.tried([*OLD, "--seed", "2"], "full, fst")
        self.tried([*OLD, "--seed", "2", "--waves-format", "vcd"], "full, vcd")

    def test_sweeps(self):
        self.tried(SWEEP, "full, sweep")


if __name__ == "__main__":
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    if "--moments" in sys.argv:
        at = sys.argv.index("--moments")
        MOMENTS = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main()
