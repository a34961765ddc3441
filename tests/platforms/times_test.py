#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every key that is a time, alone at the ends of its range: the run is refused, ends correctly, or is still simulating
when it is stopped. The keys come from --list-keys, so that a new one is in it; one that has no effect in CONTEXTS
fails."""

import concurrent.futures
import csv
import pathlib
import re
import signal
import subprocess

import machine
from own_folder import FolderTest

TIMES = ("cycles", "ns", "ps", "us", "s")
# FlitSlot counts cycles in 48 bits; a run ends at half of that, or at 2^62 ps.
LAST_CYCLE = 2 ** 47
LAST_PS = 2 ** 62
BEYOND = [2 ** bits + more for bits in (47, 62, 63, 64) for more in (-1, 0, 1)] + [10 ** 30]
PATIENCE_S = 0.5

SMALL = {"topology.radices": "[2,2]"}
LIST = {**SMALL, "router.buffer_flits": 3, "traffic.kind": "list", "traffic.list": "some.list",
        "measure.warmup_cycles": 0,
        "measure.cycles": 10 ** 10, "measure.drain_cycles": 0}
LOAD = {**SMALL, "measure.warmup_cycles": 100, "measure.cycles": 500, "measure.drain_cycles": 500}
PLAIN = {**SMALL, "workload.kind": "trace", "workload.trace": "some.ti"}
CENJU4 = {**PLAIN, "nic.kind": "cenju4"}
GROUPS = {**PLAIN, "nic.kind": "cenju4_groups", "groups.members": 2}
UNITS = {**PLAIN, "nic.kind": "cenju4_tree", "library.barrier": "hardware", "library.broadcast": "hardware"}
ON_DEMAND = {"os.paging": "on_demand"}
MACHINE = {"network.nodes": 4, "workload.kind": "trace", "workload.trace": "some.ti"}
ALONE = {"network.nodes": 4, "workload.kind": "synthetic", "measure.warmup_cycles": 100, "measure.cycles": 500,
         "measure.drain_cycles": 500}
STUDY = {"study.kind": "throughput", "lookup.kind": "cached", "study.lookups": 100, "study.miss_every": 3}
ZERO_LOAD = {"study.kind": "zero_load", "lookup.kind": "cached", "topology.kind": "torus", "topology.radices": "[3,3]",
             "study.pairs": 3}
POWER = {"study.kind": "power", "lookup.kind": "cam", "study.packets": 100}

# Of each platform: keys, and configurations in which they decide something; the first that fits counts.
CONTEXTS = {
    "network": [
        (r"topology\.cycles_per_length", [{**LIST, "topology.kind": "random_grid", "topology.nodes": 16,
                                           "topology.radices": None, "topology.wire_length": 3}]),
        (r"topology\.global_latency_cycles",
         [{**LIST, "topology.kind": "dragonfly", "topology.radices": None, "routing.kind": "minimal"}]),
        (r"topology\.express_latency_cycles",
         [{**LIST, "topology.kind": "express_mesh", "topology.radices": "[3,2]", "topology.interval": 2}]),
        (r"workload\.jobs_cycles", [{**SMALL, "workload.kind": "jobs", "workload.jobs": "some.jobs"}]),
        (r"(groups|gateway|switch)\.", [GROUPS]),
        (r"tree\.change_cycles", [{**UNITS, "link.faults": "0@50:300", "retry.timeout_cycles": 2000}]),
        (r"tree\.", [UNITS]),
        (r"router\.table_cycles", [{**LIST, "routing.kind": "detour_ud"}]),
        (r"routing\.router_cost_cycles", [{**LIST, "routing.kind": "source_table"}]),
        (r"faults\.campaign",
         [{**LOAD, "topology.kind": "torus", "routing.kind": "detour_ud", "faults.campaign.deaths": 3,
           "faults.campaign.link_mean_cycles": 5000}]),
        (r"faults\.",
         [{**LOAD, "topology.kind": "torus", "routing.kind": "detour_ud", "faults.events": "link 3@50:300"}]),
        (r"lookup\.cam_chip_cycles", [{**LIST, "lookup.kind": "cached", "lookup.model": "modules"}]),
        (r"lookup\.", [{**LIST, "lookup.kind": "cached"}]),
        (r"retry\.", [{**LOAD, "link.faults": "0@50:300"}, PLAIN]),
        (r"traffic\.burst_cycles", [{**LOAD, "traffic.injection": "on_off"}]),
        (r"traffic\.gap_cycles", [{**LOAD, "traffic.kind": "closed_loop"}]),
        (r"traffic\.", [LOAD]),
        (r"measure\.longest_warmup_cycles",
         [{**LOAD, "measure.warmup_cycles": "auto", "traffic.load_flits_per_node_cycle": 1}]),
        (r"measure\.most_cycles", [{**SMALL, "measure.mode": "arrivals", "measure.last_arrival": 10 ** 9}]),
        (r"measure\.", [LOAD, {**LOAD, "traffic.kind": "list", "traffic.list": "some.list"}]),
        (r"nic\.local_cycles", [{**PLAIN, "topology.radices": "[2]", "workload.ranks_per_node": 2}]),
        (r"processor\.interrupt_ns|os\.page_fault_ns", [{**CENJU4, **ON_DEMAND}]),
        (r"(sender|receiver|memory|processor|software)\.", [CENJU4]),
        (r"clock_period_ps", [LIST, LOAD, PLAIN, CENJU4]),
        (r"", [LIST]),
    ],
    "cenju4": [
        (r"traffic\.burst_cycles", [{**ALONE, "traffic.injection": "on_off"}]),
        (r"traffic\.gap_cycles", [{**ALONE, "traffic.kind": "closed_loop"}]),
        (r"traffic\.", [ALONE]),
        (r"measure\.longest_warmup_cycles",
         [{**ALONE, "measure.warmup_cycles": "auto", "traffic.load_flits_per_node_cycle": 1}]),
        (r"measure\.most_cycles", [{"network.nodes": 4, "workload.kind": "synthetic", "measure.mode": "arrivals",
                                    "measure.last_arrival": 10 ** 9}]),
        (r"measure\.", [ALONE]),
        (r"switch\.multicast_cycles", [{"network.nodes": 4, "workload.kind": "multicast"}]),
        (r"switch\.combine_cycles_per_word",
         [{"network.nodes": 16, "workload.kind": "collective", "workload.collective": "all_reduce",
           "library.all_reduce": "in_network"}]),
        (r"switch\.table_access_cycles",
         [{"network.nodes": 4, "workload.kind": "multicast", "switch.synchronization_cycles": 1000}]),
        (r"switch\.synchronization_cycles", [{"network.nodes": 4, "workload.kind": "barrier"}]),
        (r"processor\.interrupt_ns|os\.page_fault_ns", [{**MACHINE, **ON_DEMAND}]),
        (r"os\.t", [{**MACHINE, "workload.kind": "jobs", "workload.other_trace": "some.ti"}]),
        (r"", [MACHINE]),
    ],
    "lookup_study": [
        (r"clock_period_ps", [STUDY, ZERO_LOAD, POWER]),
        (r"lookup\.cam_chip_cycles", [{**ZERO_LOAD, "lookup.model": "modules"}]),
        (r"lookup\.", [STUDY, ZERO_LOAD]),
        (r"routing\.router_cost_cycles", [{**ZERO_LOAD, "routing.kind": "source_table"}]),
        (r"topology\.cycles_per_length", [{**ZERO_LOAD, "topology.kind": "random_grid", "topology.radices": None}]),
        (r"topology\.global_latency_cycles",
         [{**ZERO_LOAD, "topology.kind": "dragonfly", "topology.radices": None, "routing.kind": "minimal"}]),
        (r"topology\.express_latency_cycles",
         [{**ZERO_LOAD, "topology.kind": "express_mesh", "topology.radices": "[3,2]", "topology.interval": 2}]),
        (r"router\.rc_cycles", [{**ZERO_LOAD, "lookup.kind": "local"}]),
        (r"router\.table_cycles", [{**ZERO_LOAD, "lookup.kind": "local", "routing.kind": "detour_ud"}]),
        (r"", [ZERO_LOAD]),
    ],
}


def time_keys(listed):
    """(key, least, greatest) of every key whose unit is a time."""
    for entry in re.split(r"\n(?=\S)", listed):
        found = re.search(r"unit: (\w+);.*accepted: .*\b(?:integer|number) (\S+?)\.\.([^\s,]+)", entry)
        if found and found[1] in TIMES:
            yield entry.split("\n")[0], found[2], found[3]


class Times(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "some.list").write_text(
            "".join(f"{cycle} {source} {3 - source} {1 + cycle % 3}\n" for cycle in range(6) for source in range(4)))
        (self.folder / "some.jobs").write_text("one: {workload: {kind: synthetic}, job: {nodes: 4}}\n")
        (self.folder / "some.ti").write_text(machine.trace_text(machine.kernel(4, 1)))
        self.platform = pathlib.Path(machine.EXECUTABLE).name

    def run_one(self, number, keys, *arguments):
        out = self.folder / f"out{number}"
        command = [machine.EXECUTABLE, "--quiet", "--out", str(out), *arguments]
        for key, value in keys.items():
            if value is not None:
                command += ["--set", f"{key}={value}"]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as run:
            try:
                text = run.communicate(timeout=PATIENCE_S)[0]
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGTERM)
                try:
                    text = run.communicate(timeout=60)[0]
                except subprocess.TimeoutExpired:
                    run.kill()
                    text = "does not end"
        return machine.Finished(subprocess.CompletedProcess(command, run.returncode, text, ""), out)

    def run_all(self, cases, keys_of):
        """Two at a time; each case and its run."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = pool.map(lambda each: self.run_one(each[0], keys_of(each[1]), *self.recorded()), enumerate(cases))
            return list(zip(cases, runs))

    def honest(self, run):
        """Permitted ends of a run: refused for its key, ended, or stopped and partial; and nothing in it is a time that
        cannot be."""
        if run.code == 2:
            self.assertRegex(run.text, r": [a-z]\w*(\.\w+)*: .*; accepted: ")
            self.assertNotIn("has no effect", run.text)
            return
        self.assertIn(run.code, (0, 143), run.text)
        result = run.json()
        self.assertEqual(result["status"], "complete" if run.code == 0 else "partial")
        for name, metric in result["metrics"].items():
            if metric["value"] is not None and metric["unit"] == "cycles":
                self.assertTrue(0 <= metric["value"] <= LAST_CYCLE + 10 ** 8, (name, metric))
        if "packet_fates" in result["tables"]:
            self.check_packets(run, dict(result["tables"]["packet_fates"]["rows"]))

    def check_packets(self, run, fates):
        came = fates["born"] + fates.get("born at routers", 0) + fates.get("replicated", 0)
        self.assertEqual(2 * came, sum(fates.values()), fates)
        self.assertGreaterEqual(min(fates.values()), 0)
        records = run.out / "packets.csv"
        if not records.exists():
            return
        with records.open() as lines:
            delivered = [{name: int(value or 0) for name, value in row.items()
                          if name.endswith("_cycle") or name == "latency_cycles"}
                         for row in csv.DictReader(lines) if not row["cause"] and not row["source"].startswith("r")]
        self.assertEqual(len(delivered), fates["delivered"])
        for row in delivered:
            self.assertTrue(0 <= row["created_cycle"] <= row["injected_cycle"] < row["head_cycle"] <= row["tail_cycle"],
                            row)
            self.assertEqual(row["latency_cycles"], row["tail_cycle"] - row["created_cycle"], row)

    def contexts(self, key):
        return next(contexts for pattern, contexts in CONTEXTS[self.platform] if re.match(pattern, key))

    def recorded(self):
        return () if self.platform == "lookup_study" else ("--records",)


class Keys(Times):
    def test_each_key_at_the_ends_of_its_range(self):
        listed = subprocess.run([machine.EXECUTABLE, "--list-keys"], capture_output=True, text=True, check=True).stdout
        keys = list(time_keys(listed))
        self.assertGreater(len(keys), 15)
        cases, beyond = [], []
        for key, least, greatest in keys:
            inside = [value for value in BEYOND if value <= float(greatest)]
            for context in self.contexts(key):
                cases += [(key, value, {**context, key: value}) for value in [greatest, least, *inside]]
            # The last one would be in the range if it wrapped.
            outside = 2 ** 64 + int(float(greatest))
            beyond.append((key, outside, {**self.contexts(key)[0], key: outside}))
        for (key, value, _), run in self.run_all(cases, lambda case: case[2]):
            with self.subTest(key=key, value=value):
                self.honest(run)
        for (key, value, _), run in self.run_all(beyond, lambda case: case[2]):
            with self.subTest(key=key, value=value):
                self.assertEqual(run.code, 2, run.text)
                self.assertRegex(run.text, re.escape(f"--set {key}={value}: {key}: ") + r".*; accepted: ")


class Together(Times):
    """Times that are long together: the clock with the measurement, the packets of a list, and the computing of
    ranks."""

    def test_packets_of_a_list(self):
        """Refused with their place, or born in their cycle and delivered after it."""
        clocks = (2, 1000, 10 ** 9)
        cases, born = [], []
        for period in clocks:
            last = min(LAST_CYCLE, LAST_PS // period)
            for cycle in [10 ** 12, 4 * 10 ** 9, last - 100, last, last + 1, *BEYOND]:
                name = f"at{len(cases)}.list"
                (self.folder / name).write_text(f"0 0 3 3\n{cycle} 0 3 3\n")
                to_end = min(last, 10 ** 12)
                cases.append({**LIST, "traffic.list": name, "clock_period_ps": period, "measure.cycles": to_end,
                              "measure.drain_cycles": min(last - to_end, 10 ** 12)})
                born.append((cycle, last))
        for (cycle, last), (case, run) in zip(born, self.run_all(cases, lambda keys: keys)):
            with self.subTest(cycle=cycle, keys=case):
                if cycle > last:
                    self.assertEqual(run.code, 2, run.text)
                    self.assertRegex(run.text, rf"network: {case['traffic.list']}:2:1: traffic.list: not a cycle \(got "
                                     rf"'{cycle}'\); accepted: 0..{last}\n")
                    continue
                self.honest(run)
                self.assertEqual(run.code, 0, run.text)
                with (run.out / "packets.csv").open() as records:
                    created = [int(row["created_cycle"]) for row in csv.DictReader(records)]
                # A run ends with the interval that it measures.
                self.assertEqual(created, [0] + [cycle] * (cycle + 50 < case["measure.cycles"]))

    def test_long_measurements_of_slow_clocks(self):
        period = 10 ** 9
        last = LAST_PS // period
        base = {**LIST, "clock_period_ps": period}
        measures = [("measure.cycles", last + 1, {}, last), ("measure.cycles", 10 ** 12, {}, last),
                    ("measure.warmup_cycles", last + 1, {"measure.cycles": 1}, last),
                    ("measure.cycles", last - 9, {"measure.warmup_cycles": 10}, last - 10),
                    ("measure.drain_cycles", 6, {"measure.warmup_cycles": 10, "measure.cycles": last - 15}, 5),
                    ("measure.drain_cycles", 10 ** 12, {"measure.cycles": 10}, last - 10),
                    ("measure.longest_warmup_cycles", last + 1, {"measure.warmup_cycles": "auto", "measure.cycles": 10},
                     last),
                    ("measure.cycles", last - 9, {"measure.warmup_cycles": "auto", "measure.longest_warmup_cycles": 10},
                     last - 10),
                    ("measure.drain_cycles", 6, {"measure.warmup_cycles": "auto", "measure.longest_warmup_cycles": 10,
                                                 "measure.cycles": last - 15}, 5),
                    ("measure.most_cycles", last + 1, {"measure.mode": "arrivals", "measure.last_arrival": 9999}, last)]
        refused = [{**base, **more, key: value} for key, value, more, _ in measures]
        accepted = [{**base, **more, key: most - 10 * ("warmup" in key)} for key, _, more, most in measures]
        for keys in refused + accepted:
            if keys.get("measure.mode") == "arrivals":
                for key in ("measure.warmup_cycles", "measure.cycles", "measure.drain_cycles"):
                    keys[key] = None
        for (key, value, _, most), (_, run) in zip(measures, self.run_all(refused, lambda keys: keys)):
            with self.subTest(key=key, value=value):
                self.assertEqual(run.code, 2, run.text)
                self.assertIn(f"network: --set {key}={value}: {key}: later than a run may last with clock_period_ps "
                              f"{period} "
                              f"(got '{value}'); accepted: at most {most} cycles", run.text)
        for keys, run in self.run_all(accepted, lambda keys: keys):
            with self.subTest(keys=keys):
                self.honest(run)
                self.assertEqual(run.code, 0, run.text)

    def test_ranks_that_compute_for_long(self):
        """One after the other for longer than a run may last: only the run finds out, in time."""
        cases = []
        for period, context in ((2, PLAIN), (1000, PLAIN), (10 ** 9, PLAIN), (100, CENJU4), (1000, CENJU4),
                                (10 ** 6, CENJU4)):
            flops = min(LAST_CYCLE * period, LAST_PS) // 1000
            for share, code in ((0.3, 0), (0.6, 1)):
                name = f"chain{period}_{code}.ti"
                compute = f"compute {int(flops * share)}"
                (self.folder / name).write_text(machine.trace_text([
                    [compute, "send 1 0 8 6", "recv 2 1 8 6"], ["recv 0 0 8 6", compute, "send 2 0 8 6"],
                    ["recv 1 0 8 6", compute, "send 0 1 8 6"], []]))
                cases.append(({**context, "workload.trace": name, "clock_period_ps": period}, code))
        for (keys, code), run in self.run_all(cases, lambda case: case[0]):
            with self.subTest(keys=keys):
                self.assertEqual(run.code, code, run.text)
                if code == 0:
                    self.honest(run)
                else:
                    self.assertRegex(run.text, r"model failure: .*1.*: computes for longer than a run may last")

    def test_messages_within_a_node_that_take_for_ever(self):
        """No time of its own is too long, nor computed beforehand: the clock ends the run."""
        rounds = LAST_PS // 10 ** 18 + 1
        trace = self.folder / "local.ti"
        trace.write_text(machine.trace_text([["send 1 0 8 6", "recv 1 1 8 6"] * rounds,
                                             ["recv 0 0 8 6", "send 0 1 8 6"] * rounds]))
        run = self.run_one(0, {**PLAIN, "topology.radices": "[2]", "workload.ranks_per_node": 2,
                               "workload.trace": "local.ti",
                               "nic.local_cycles": 10 ** 9, "clock_period_ps": 10 ** 9})
        self.assertEqual(run.code, 1, run.text)
        self.assertIn(f"longer than a run may last: at most {LAST_PS // 10 ** 9} cycles with a clock period of "
                      f"1000000000 ps", run.text)


def main():
    machine.main()


if __name__ == "__main__":
    main()
