#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""One network on several ranks of mpirun: equal results for any number of them, refusals by name and once, and an end
of all ranks with any of them.

usage: mpi_test.py CLASS NETWORK
"""

import os
import pathlib
import random
import re
import signal
import subprocess
import time

import machine

# Ranks may outnumber the cores, and then wait without taking the time of those that run.
MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1")
SHORT = {"topology.radices": "[6, 6]", "measure.warmup_cycles": 0, "measure.cycles": 200, "measure.drain_cycles": 2000,
         "traffic.load_flits_per_node_cycle": 0.3}
TREE = {**SHORT, "topology.kind": "fat_tree", "topology.radices": None, "topology.up_links": 3,
        "topology.down_links": 3, "topology.levels": 3, "routing.kind": "least_common_ancestor",
        "traffic.load_flits_per_node_cycle": 0.2}
EQUAL = [
    SHORT,
    {**SHORT, "topology.kind": "torus", "traffic.packet_flits": 16},
    {**SHORT, "link.latency_cycles": 5, "link.credit_latency_cycles": 2, "router.buffer_flits": 3},
    {**SHORT, "router.buffer_flits": 1, "router.vcs": 2, "traffic.load_flits_per_node_cycle": 0.6},
    {**SHORT, "router.switching": "virtual_cut_through", "traffic.packet_flits": 8},
    {**SHORT, "routing.kind": "duato", "router.atomic_vcs": "true"},
    {**SHORT, "traffic.kind": "closed_loop", "traffic.load_flits_per_node_cycle": None},
    {**SHORT, "traffic.pattern": "transpose", "traffic.injection": "on_off", "link.node_credit_process_cycles": 0},
    {**SHORT, "measure.drain_cycles": 0, "traffic.load_flits_per_node_cycle": 0.9},  # packets are under way at the end
    {**SHORT, "measure.warmup_cycles": None},
    {**SHORT, "measure.mode": "arrivals", "measure.warmup_cycles": None, "measure.cycles": None,
     "measure.drain_cycles": None, "measure.first_arrival": 10, "measure.last_arrival": 200},
    {**SHORT, "traffic.load_flits_per_node_cycle": 0.001, "topology.kind": "torus"},  # idle for most of the time
    {**SHORT, "traffic.load_flits_per_node_cycle": 0.01, "topology.kind": "torus", "measure.cycles": 600},
    {**SHORT, "topology.kind": "dragonfly", "topology.radices": None, "routing.kind": "ugal"},
    {**SHORT, "topology.kind": "dragonfly", "topology.radices": None, "routing.kind": "in_transit",
     "routing.adaptive_threshold": 0, "traffic.pattern": "adversarial"},
    # Counts of more routers than ranks gather at once.
    {**SHORT, "topology.kind": "torus", "topology.radices": "[66, 64]", "measure.cycles": 30,
     "measure.drain_cycles": 0, "links.rows": 20000},
    {**SHORT, "topology.kind": "fly", "topology.radices": None},  # a node's packets end at another router
    TREE,
    {**TREE, "routing.up_port": "random", "router.rc_cycles": 0, "link.node_credit_process_cycles": 0},
]
# Networks of modules.
SEPARABLE = {**SHORT, "router.sa_allocator": "separable"}
MODULES = [
    {**SEPARABLE, "traffic.packet_flits": 12, "traffic.load_flits_per_node_cycle": 0.8, "measure.drain_cycles": 0},
    {**SEPARABLE, "measure.warmup_cycles": None},
    {**SEPARABLE, "measure.mode": "arrivals", "measure.warmup_cycles": None, "measure.cycles": None,
     "measure.drain_cycles": None, "measure.first_arrival": 10, "measure.last_arrival": 200},
    {**SEPARABLE, "traffic.kind": "closed_loop", "traffic.load_flits_per_node_cycle": None},
    {**SEPARABLE, "traffic.load_flits_per_node_cycle": 0.001, "topology.kind": "torus"},
    {**SEPARABLE, "link.latency_cycles": 7, "router.buffer_flits": 2},
    {**SHORT, "router.input_speedup": 2, "router.buffer_flits": 1},
    {**SHORT, "router.switching": "store_and_forward", "traffic.packet_flits": 8},
    {**SHORT, "link.flit_cycles": 3, "link.whole_flit": "true"},
    {**SHORT, "link.bit_error_rate": 1e-4},
    {**SHORT, "prediction.kind": "straight"},
    {**SHORT, "prediction.kind": "latest_port", "topology.kind": "torus", "traffic.packet_flits": 9},
    {**SHORT, "topology.kind": "torus", "lookup.kind": "cached"},
    {**SHORT, "topology.kind": "torus", "lookup.kind": "cached", "lookup.warm": "all", "prediction.kind": "straight"},
    {**TREE, "router.sa_allocator": "separable", "routing.up_port": "random"},
    {**SHORT, "classes.list": "request vcs 0-1 answer reply, reply vcs 2-3 flits 5"},
    {**SHORT, "router.block_timeout_cycles": 20, "traffic.load_flits_per_node_cycle": 0.7},
    {**SHORT, "lookup.kind": "compact", "routing.kind": "compact", "topology.kind": "torus"},
]
FAULTS = {**SHORT, "topology.kind": "torus", "link.faults": "3@20:90,17@31,40@60:61,41@60,8@150",
          "traffic.packet_flits": 9}
# Networks in which packets are dropped, in all routers that have a part of them.
LOSSES = [
    FAULTS,
    {**FAULTS, "router.dead_route": "wait", "link.latency_cycles": 4},
    {**FAULTS, "router.buffer_flits": 1, "traffic.packet_flits": 12},  # a packet is on more than two ranks
    {**FAULTS, "retry.timeout_cycles": 120, "retry.most_tries": 2, "retry.ack_flits": 2},
    {**FAULTS, "retry.timeout_cycles": 60, "traffic.kind": "closed_loop", "traffic.load_flits_per_node_cycle": None},
    {**FAULTS, "router.switching": "store_and_forward", "router.buffer_flits": 9, "link.bit_error_rate": 1e-4},
    {**FAULTS, "topology.kind": "mesh", "prediction.kind": "straight"},
    {**FAULTS, "lookup.kind": "cached", "link.faults": "3@20:90,17@31"},
    {**SHORT, "topology.radices": "[4, 4]", "router.uturn_node": "false", "traffic.to_self": "true"},
    {**TREE, "link.faults": "3@20:90,17@31,40@60:61,41@60", "router.sa_allocator": "separable"},
]
DETOUR = {**SHORT, "topology.kind": "torus", "routing.kind": "detour_ud", "router.atomic_vcs": "true",
          "router.vc_change_cycles": 1, "traffic.packet_flits": 8}
# Recovery, a routing that reads all queues, and congestion control.
BEYOND = [
    {**DETOUR, "router.block_timeout_cycles": 20, "traffic.load_flits_per_node_cycle": 0.8},
    {**DETOUR, "faults.routers": "[7, 22]", "link.latency_cycles": 3},
    {**SHORT, "topology.kind": "dragonfly", "topology.radices": None, "routing.kind": "ugal_g"},
    # Heads that wait for a link on one rank, while nothing is left to do on the others.
    {**FAULTS, "traffic.load_flits_per_node_cycle": 0.004, "measure.cycles": 600, "router.dead_route": "wait",
     "measure.drain_cycles": 3000, "link.faults": "3@2:390,17@3:500,40@2:400,41@5:777,8@1:900,10@1:650,20@1:655,"
                                                  "22@1:870,25@1:1200"},
    {**SHORT, "congestion.kind": "token_bucket"},
    {**SHORT, "congestion.kind": "ecn", "traffic.pattern": "hotspot", "traffic.hotspots": "[7]",
     "traffic.hotspot_share": 0.4, "traffic.load_flits_per_node_cycle": 0.6, "measure.drain_cycles": 100},
    {**SHORT, "retry.timeout_cycles": 40, "traffic.load_flits_per_node_cycle": 0.6},  # repeats without a loss
]
BROKEN = {**DETOUR, "router.block_timeout_cycles": 20, "traffic.load_flits_per_node_cycle": 0.5}
# Routers that agree upon new tables by messages, all at once, while links and routers fail and return.
RECONFIGURED = [
    {**DETOUR, "faults.events": "link 3@100"},
    {**BROKEN, "faults.events": "router 7@60:400, link 3@100:250, link 40@120"},
    {**BROKEN, "faults.events": "link 3@100, router 22@150:300", "link.latency_cycles": 3,
     "faults.losses": "everything"},
    {**BROKEN, "faults.events": "link 3@60:300, link 40@61", "faults.losses": "nothing", "routing.ud_vcs": 2,
     "faults.table_cycles": 20},
    {**BROKEN, "faults.events": "router 0@50, link 9@90:130", "retry.timeout_cycles": 150, "retry.most_tries": 3},
    {**BROKEN, "faults.campaign.deaths": 5, "faults.campaign.link_mean_cycles": 3000,
     "faults.campaign.repair_cycles": 150, "faults.campaign.first_cycle": 20},
]
# Packets whose tail is in a router with new tables, and whose head recovers on another rank.
RECOVERS_ELSEWHERE = [
    {**BROKEN, "topology.radices": "[6, 3]", "traffic.packet_flits": 8, "router.buffer_flits": 4,
     "measure.drain_cycles": 1500, "router.block_timeout_cycles": 10, "traffic.load_flits_per_node_cycle": 0.7,
     "faults.events": "link 19@168, router 14@94", "faults.table_cycles": 5, "seed": 584},
    {**BROKEN, "topology.radices": "[5, 4]", "traffic.packet_flits": 24, "router.buffer_flits": 4,
     "measure.drain_cycles": 1500, "router.block_timeout_cycles": 5, "traffic.load_flits_per_node_cycle": 0.4,
     "faults.events": "router 9@184:237, link 8@159, link 0@71, link 23@199:291", "faults.losses": "everything",
     "faults.table_cycles": 5, "link.latency_cycles": 3, "seed": 275},
]
TRACE = {"workload.kind": "trace", "workload.npb": "cg.S.16", "workload.npb_steps": 1, "topology.radices": "[4, 4]"}
JOBS = {"workload.kind": "jobs", "topology.radices": "[5, 5]"}
APPLICATIONS = [
    TRACE,
    {**TRACE, "router.sa_allocator": "separable", "nic.eager_bytes": 0},
    {**TRACE, "workload.npb": "is.S.16", "workload.ranks_per_node": 2, "topology.radices": "[3, 3]"},
    {"workload.kind": "collective", "workload.collective": "all_reduce", "topology.radices": "[4, 4]"},
    {"workload.kind": "collective", "workload.collective": "all_to_all", "topology.radices": "[4, 4]",
     "router.sa_allocator": "separable", "prediction.kind": "straight"},
    {**TRACE, "link.faults": "3@2000:2900,5@4000:4100", "retry.timeout_cycles": 400},
]
# Keys, further arguments, and a piece of the reason.
REFUSED = [
    ({**DETOUR, "deadlock.classify_timeouts": "true", "router.block_timeout_cycles": 20}, (),
     "timeouts are classified"),
    ({**FAULTS}, ("--records",), "records of a network of modules"),
    ({**SHORT, "run.shuffle_seed": 3}, (), "run.shuffle_seed"),
    ({**SHORT, "run.processes": "process_each"}, (), "process_each"),
    (SEPARABLE, ("--records",), "records of a network of modules"),
    ({**TRACE, "nic.kind": "cenju4"}, (), "nic.kind"),
    ({**TRACE, "workload.ranks": "true"}, (), "workload.ranks"),
    (SHORT, ("--waves",), "waveforms"),
    (SHORT, ("--log", "debug"), "logs"),
    (SHORT, ("--threads", "2"), "--threads"),
]


def chosen(keys):
    return {key: value for key, value in keys.items() if value is not None}


class RanksTest(machine.MachineTest):
    def command(self, ranks, *arguments, keys=None, out="out"):
        words = [*MPIRUN, "-n", str(ranks), machine.EXECUTABLE, *arguments, "--quiet", "--out", str(self.folder / out)]
        for key, value in chosen(keys or {}).items():
            words += ["--set", f"{key}={value}"]
        return words

    def on_ranks(self, ranks, *arguments, keys=None):
        done = subprocess.run(self.command(ranks, *arguments, keys=keys), capture_output=True, text=True,
                              timeout=machine.TIMEOUT_S)
        return machine.Finished(done, self.folder / "out")

    def equal_result(self, ranks, keys):
        """A run of one process, and its bytes compared with those on several ranks."""
        alone = self.passes(keys=chosen(keys))
        self.assertGreater(alone.metric("packets_born"), 0)
        done = self.on_ranks(ranks, keys=keys)
        self.assertEqual(done.code, 0, done.text)
        self.assertEqual(done.result_bytes(), alone.result_bytes())
        return alone


class Equal(RanksTest):
    def test_results_do_not_depend_on_the_number_of_ranks(self):
        for number, keys in enumerate(EQUAL):
            with self.subTest(keys=keys):
                self.equal_result(2 + number % 3, keys)

    def test_results_of_networks_of_modules(self):
        for number, keys in enumerate(MODULES):
            with self.subTest(keys=keys):
                self.equal_result(2 + number % 3, keys)

    def test_results_of_networks_that_lose_packets(self):
        for number, keys in enumerate(LOSSES):
            with self.subTest(keys=keys):
                alone = self.equal_result(2 + number % 3, keys)
                self.assertGreater(alone.metric("flits_killed"), 0)

    def test_results_of_recovery_queues_of_all_routers_and_congestion_control(self):
        for number, keys in enumerate(BEYOND):
            with self.subTest(keys=keys):
                self.equal_result(2 + number % 3, keys)

    def test_results_of_routers_that_exchange_their_tables(self):
        for number, keys in enumerate(RECONFIGURED):
            with self.subTest(keys=keys):
                alone = self.equal_result(2 + number % 3, keys)
                self.assertGreaterEqual(alone.metric("table_updates"), 35)

    def test_a_packet_that_recovers_on_another_rank_than_its_tail_is_dropped_like_in_one_process(self):
        for keys in RECOVERS_ELSEWHERE:
            with self.subTest(keys=keys):
                self.equal_result(3, keys)

    def test_random_losses(self):
        draw = random.Random(57)
        for _ in range(8):
            faults = [f"{draw.randrange(12)}@{first}:{first + draw.randint(1, 90)}"
                      for first in draw.choices(range(1, 250), k=draw.randint(1, 6))]
            keys = {**SHORT, "topology.kind": draw.choice(["mesh", "torus"]), "link.faults": ",".join(faults),
                    "topology.radices": draw.choice(["[4, 4]", "[7, 3]", "[3, 2, 3]"]), "seed": draw.randrange(10 ** 6),
                    "traffic.load_flits_per_node_cycle": draw.choice([0.05, 0.2, 0.7]),
                    "traffic.packet_flits": draw.randint(1, 12), "router.buffer_flits": draw.randint(1, 9),
                    "router.dead_route": draw.choice(["drop", "wait"]),
                    "link.latency_cycles": draw.choice([1, 1, 2, 9]),
                    "retry.timeout_cycles": draw.choice([None, 50, 200])}
            with self.subTest(keys=keys):
                self.equal_result(draw.randint(2, 4), keys)

    def test_applications(self):
        for number, keys in enumerate(APPLICATIONS):
            with self.subTest(keys=keys):
                self.equal_result(2 + number % 3, keys)

    def test_jobs(self):
        jobs = self.folder / "two.jobs"
        jobs.write_text("solver: {workload: {kind: trace, npb: cg.S.8, npb_steps: 1}}\n"
                        "noise: {workload: {kind: synthetic}, traffic: {load_flits_per_node_cycle: 0.1}, "
                        "job: {nodes: 9}}\n")
        for ranks, allocator in ((2, "islip"), (3, "separable")):
            with self.subTest(ranks=ranks):
                self.equal_result(ranks, {**JOBS, "workload.jobs": jobs, "router.sa_allocator": allocator})

    def test_any_number_of_ranks_up_to_that_of_routers(self):
        keys = {**SHORT, "topology.radices": "[2, 3]", "measure.cycles": 100}
        for ranks in (1, 2, 3, 4, 6):
            for kind in ("islip", "separable"):
                with self.subTest(ranks=ranks, kind=kind):
                    self.equal_result(ranks, {**keys, "router.sa_allocator": kind})

    def test_random_configurations(self):
        draw = random.Random(56)
        for _ in range(8):
            keys = {**SHORT, "topology.kind": draw.choice(["mesh", "torus"]),
                    "topology.radices": draw.choice(["[4, 4]", "[7, 3]", "[3, 2, 3]"]), "seed": draw.randrange(10 ** 6),
                    "traffic.load_flits_per_node_cycle": draw.choice([0.05, 0.2, 0.7]),
                    "traffic.packet_flits": draw.randint(1, 12), "router.vcs": draw.choice([2, 4]),
                    "router.buffer_flits": draw.randint(1, 9), "link.latency_cycles": draw.choice([1, 1, 2, 9])}
            with self.subTest(keys=keys):
                self.equal_result(draw.randint(2, 4), keys)

    def equal_files(self, expected, *arguments, keys):
        alone = self.passes(*arguments, keys=keys)
        done = self.on_ranks(3, *arguments, keys=keys)
        self.assertEqual(done.code, 0, done.text)
        names, those = (sorted(path.name for path in run.out.iterdir() if path.name != "report.html")
                        for run in (alone, done))
        self.assertLessEqual(expected, set(names))
        self.assertEqual(those, names)
        for name in names:
            if name.endswith(".csv"):
                self.assertEqual((done.out / name).read_bytes(), (alone.out / name).read_bytes(), name)

    def test_files_are_those_of_one_process(self):
        keys = {**SHORT, "links.rows": 50, "observe.interval_cycles": 60}
        self.equal_files({"link_intervals.csv", "packets.csv"}, "--records", keys=keys)
        self.equal_files({"link_intervals.csv"}, keys={**keys, "router.sa_allocator": "separable"})

    def test_states_of_ports_and_the_files_of_pages(self):
        for keys in (SHORT, SEPARABLE, {**SHORT, "prediction.kind": "straight"},
                     {**SHORT, "topology.kind": "torus", "lookup.kind": "cached", "lookup.warm": "all"}):
            with self.subTest(keys=keys):
                self.equal_files({"port_waits.csv", "wait_intervals.csv", "sources.csv"}, "--report", keys=keys)
                self.equal_result(2, {**keys, "observe.port_waits": "true"})

    def test_records_of_runs_that_are_compared(self):
        for keys in (SHORT, SEPARABLE, {**SHORT, "prediction.kind": "straight"},
                     {**SHORT, "lookup.kind": "cached", "lookup.warm": "all"}):
            with self.subTest(keys=keys):
                self.equal_files({"run.csv"}, keys={**keys, "traffic.last_cycle": 200, "compare.record": "true"})

    def test_a_list_of_packets(self):
        draw = random.Random(57)
        packets = self.folder / "packets.list"
        packets.write_text("".join(f"{cycle} {draw.randrange(36)} {draw.randrange(36)} {draw.randint(1, 9)}\n"
                                   for cycle in range(0, 300, 2)))
        keys = {"topology.radices": "[6, 6]", "traffic.kind": "list", "traffic.list": packets}
        for ranks, allocator in ((2, "islip"), (3, "separable")):
            self.equal_result(ranks, {**keys, "router.sa_allocator": allocator})


class Refusals(RanksTest):
    def test_networks_that_cannot_be_divided_are_refused_by_name_and_once(self):
        for keys, arguments, reason in REFUSED:
            with self.subTest(keys=keys, arguments=arguments):
                done = self.on_ranks(2, *arguments, keys=keys)
                self.assertEqual(done.code, 2, done.text)
                self.assertIn(reason, done.text)
                self.assertEqual(done.text.count("network: "), 1, done.text)
                self.assertFalse((done.out / "result.json").exists())

    def test_more_ranks_than_routers_are_refused(self):
        done = self.on_ranks(3, keys={**SHORT, "topology.radices": "[2]"})
        self.assertEqual(done.code, 2, done.text)
        self.assertIn("mpirun: the network has fewer routers (got '3 ranks'); accepted: 1 to 2 ranks", done.text)

    def test_a_wrong_value_is_told_once(self):
        done = self.on_ranks(3, keys={"router.vcs": 0})
        self.assertEqual(done.code, 2, done.text)
        self.assertEqual(done.text.count("network: "), 1, done.text)

    def test_further_runs_are_refused(self):
        done = self.on_ranks(2, "--sweep-load", "0.1:0.3:3", keys={**SHORT, "traffic.load_flits_per_node_cycle": None})
        self.assertEqual(done.code, 2, done.text)
        self.assertIn("--sweep-load", done.text)

    def test_a_print_comes_from_one_rank(self):
        alone = subprocess.run([machine.EXECUTABLE, "--list-keys"], capture_output=True, text=True, check=True)
        done = subprocess.run([*MPIRUN, "-n", "3", machine.EXECUTABLE, "--list-keys"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, alone.stdout))

    def test_another_machine_is_refused(self):
        cenju4 = str(pathlib.Path(machine.EXECUTABLE).with_name("cenju4"))
        done = subprocess.run([*MPIRUN, "-n", "2", cenju4], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("mpirun: this machine is not divided among ranks"), 1, done.stderr)

    def test_without_the_module_a_launcher_is_refused_by_name(self):
        copy = self.folder / "network"
        copy.write_bytes(pathlib.Path(machine.EXECUTABLE).read_bytes())
        copy.chmod(0o755)
        launched = {**os.environ, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
        done = subprocess.run([str(copy)], capture_output=True, text=True, env=launched)
        self.assertEqual(done.returncode, 2)
        self.assertIn("OMPI_COMM_WORLD_SIZE: a machine on several ranks needs MPI", done.stderr)
        launched["OMPI_COMM_WORLD_RANK"] = "1"
        done = subprocess.run([str(copy)], capture_output=True, text=True, env=launched)
        self.assertEqual((done.returncode, done.stderr), (2, ""))


DEADLOCK = {**SHORT, "topology.kind": "torus", "routing.dateline": "none", "router.buffer_flits": 2,
            "router.vcs": 1, "traffic.packet_flits": 8, "traffic.load_flits_per_node_cycle": 0.9,
            "run.watchdog_cycles": 500, "measure.cycles": 3000, "measure.drain_cycles": 20000}
ENDLESS = {**SHORT, "measure.cycles": 100_000_000}


class Ends(RanksTest):
    def start(self, ranks, keys):
        process = subprocess.Popen(self.command(ranks, keys=keys), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, start_new_session=True)
        self.addCleanup(self.end, process)
        deadline = time.monotonic() + 60
        while len(self.members(process)) < ranks:
            self.assertLess(time.monotonic(), deadline, "the ranks have not begun")
            time.sleep(0.05)
        time.sleep(1)  # past MPI_Init
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    @staticmethod
    def members(process):
        """Processes of the ranks, by their number."""
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True)
        return [int(pid) for pid in listed.stdout.split()]

    def test_a_rank_that_dies_ends_all_with_its_name(self):
        process = self.start(3, ENDLESS)
        os.kill(self.members(process)[1], signal.SIGKILL)
        text = process.communicate(timeout=60)[0]
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(text, re.compile(r"rank 1 with PID .* exited on\s+signal 9", re.DOTALL))
        self.assertFalse((self.folder / "out/result.json").exists())

    def test_a_signal_to_one_rank_ends_all_with_partial_results(self):
        for member, sent in ((0, signal.SIGINT), (1, signal.SIGTERM)):
            with self.subTest(member=member):
                process = self.start(2, ENDLESS)
                os.kill(self.members(process)[member], sent)
                text = process.communicate(timeout=60)[0]
                self.assertEqual(process.returncode, 128 + sent, text)
                result = machine.json.loads((self.folder / "out/result.json").read_text())
                self.assertEqual(result["status"], "partial")
                self.assertEqual(result["ended_by"], sent.name)
                self.assertGreater(result["metrics"]["packets_delivered"]["value"], 0)

    def test_a_deadlock_ends_all_with_one_message(self):
        self.check_deadlock(DEADLOCK)

    def check_deadlock(self, keys):
        alone = self.ends(1, keys=keys)
        done = self.on_ranks(2, keys=keys)
        self.assertEqual(done.code, 1, done.text)
        told = re.search("network: model failure: .*no flit has moved for .*", done.text)
        self.assertIsNotNone(told, done.text)
        self.assertIn(told[0], alone.text)  # the cycle, too
        self.assertEqual(done.text.count("no flit has moved"), 1)
        self.assertIn(told[0][len("network: model failure: "):], (done.out / "failure.txt").read_text())

    def test_a_time_limit_ends_all_with_partial_results(self):
        """As `timeout` ends a job: mpirun sends SIGTERM to its ranks the stated time after its own, and kills them the
        same time later. In the background `timeout` sends SIGTERM twice, after which mpirun ends at once."""
        words = self.command(2, keys={**ENDLESS, "router.sa_allocator": "separable"})
        words[1:1] = ["--mca", "odls_base_sigkill_timeout", "4"]
        done = subprocess.run(["timeout", "--foreground", "3", *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 124, done.stderr)
        result = machine.json.loads((self.folder / "out/result.json").read_text())
        self.assertEqual((result["status"], result["ended_by"]), ("partial", "SIGTERM"))
        self.assertGreater(result["metrics"]["packets_delivered"]["value"], 0)

    def test_a_signal_to_one_rank_of_a_trace_ends_all_with_its_share(self):
        process = self.start(2, {**TRACE, "workload.npb": "cg.A.16", "workload.npb_steps": None})
        os.kill(self.members(process)[1], signal.SIGTERM)
        text = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, text)
        result = machine.json.loads((self.folder / "out/result.json").read_text())
        self.assertEqual(result["status"], "partial")
        self.assertGreater(result["metrics"]["trace_share_done"]["value"], 0)
        self.assertLess(result["metrics"]["trace_share_done"]["value"], 1)

    def test_a_full_disk_ends_all_with_its_text(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no file system may be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        (disk / "most").write_bytes(bytes(30000))
        done = subprocess.run(self.command(3, "--records", keys=SHORT, out="disk/out"), capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(re.findall(r"No space left on device|the disk may be full", done.stderr)), 1, done.stderr)
        self.assertFalse((disk / "out/result.json").exists())

    def test_a_deadlock_of_modules_ends_all_with_one_message(self):
        self.check_deadlock({**DEADLOCK, "router.sa_allocator": "separable"})

    def test_a_folder_that_one_rank_cannot_write_ends_all(self):
        process = subprocess.run([*MPIRUN, "-n", "2", machine.EXECUTABLE, "--quiet", "--out", "/proc/nowhere", "--set",
                                  "measure.cycles=100"], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(process.stderr.count("/proc/nowhere"), 1, process.stderr)


if __name__ == "__main__":
    machine.main()
