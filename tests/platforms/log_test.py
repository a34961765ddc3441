# SPDX-License-Identifier: Apache-2.0
"""The log of a run: its lines, selectors, window and formats, and that it changes nothing."""

import json
import pathlib
import random
import re

import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
PIPELINE = str(ROOT / "platforms" / "network" / "pipeline.yaml")
LINE = re.compile(r"^ *(?P<cycle>\d+)  (?P<level>debug|trace)  (?P<module>\S+) +(?P<packet>\S+) +(?P<text>\S.*)$")

MESH = {"topology.radices": "[4,4]", "router.vcs": 2, "router.buffer_flits": 4, "measure.warmup_cycles": 0,
        "measure.cycles": 600,
        "traffic.load_flits_per_node_cycle": 0.3, "traffic.last_cycle": 500}


class LogTest(machine.MachineTest):
    def lines(self, done):
        """(cycle, level, module, packet, text) of each line."""
        lines = []
        for line in (done.out / "log.txt").read_text().splitlines():
            found = LINE.match(line)
            self.assertIsNotNone(found, line)
            lines.append((int(found["cycle"]), found["level"], found["module"], found["packet"], found["text"]))
        return lines

    def log(self, selectors, *arguments, keys=None):
        return self.lines(self.passes("--log", selectors, *arguments, keys=keys))

    def json_lines(self, done):
        return [json.loads(line) for line in (done.out / "log.jsonl").read_text().splitlines()]

    def said(self, *arguments, keys=None):
        done = self.run_machine(*arguments, keys=keys)
        self.assertEqual(done.code, 2, done.text)
        self.assertFalse((done.out / "result.json").exists())
        return done.text.strip().split(": ", 1)[1]

    def kinds(self, lines):
        return {line[2].split(".")[0] for line in lines}


class OnePacket(LogTest):
    """Hirasawa 2020, fig. 3: four flits in routers of four stages, each line in the cycle of its stage."""

    def router(self, router, arrival, port, to):
        """A head in RC, VA, SA and ST, and three flits after it; all of the last stages end on the wires."""
        out = f"vc 0 of port {0 if to.startswith('router') else 2} ({to})"
        own = f"vc 0 of port {port}"
        lines = [(arrival, "debug", f"head arrives on {own}"), (arrival, "debug", "route computation"),
                 (arrival + 1, "debug", f"routed to {out}"), (arrival + 2, "debug", f"gets {out}")]
        for flit, name in enumerate(["head", "flit 1", "flit 2", "tail"]):
            level = "trace" if name.startswith("flit") else "debug"
            if flit:
                lines.append((arrival + flit, level, f"{name} arrives on {own}"))
            lines.append((arrival + 4 + flit, level, f"{name} leaves on {out}"))
        return [(cycle, level, f"router.{router}", "0.0", text) for cycle, level, text in lines]

    def node(self, first, verb, after):
        texts = [("debug", "head"), ("trace", "flit 1"), ("trace", "flit 2"), ("debug", "tail")]
        return [(first + flit, level, f"node.{0 if verb == 'leaves' else 2}", "0.0",
                 f"{name} {verb} on vc 0" + (after if flit == 0 else "")) for flit, (level, name) in enumerate(texts)]

    def expected(self):
        lines = self.node(1, "leaves", " for node 2: 4 flits, born in cycle 0")
        for router, port, to in [(0, "2 (node 0)", "router 1"), (1, "1 (router 0)", "router 2"),
                                 (2, "1 (router 1)", "node 2")]:
            lines += self.router(router, 2 + 5 * router, port, to)
        lines += self.node(17, "arrives", "")
        lines.append((20, "debug", "node.2", "0.0", "delivered: from node 0, 20 cycles after its birth, 3 routers"))
        return lines

    def test_every_line_in_its_cycle(self):
        lines = [line for line in self.log("trace", PIPELINE) if "credit" not in line[4]]
        without_links = [line for line in lines if not line[2].startswith("link")]
        self.assertEqual(sorted(without_links), sorted(self.expected()))
        links = [line for line in lines if line[2].startswith("link")]
        self.assertEqual(links[:4], [(6 + flit, level, "link.0", "0.0", f"{name} leaves router 0 for router 1 on vc 0")
                                     for flit, (level, name) in enumerate([("debug", "head"), ("trace", "flit 1"),
                                                                           ("trace", "flit 2"), ("debug", "tail")])])
        self.assertEqual(len(links), 8)
        self.assertEqual([line[0] for line in lines], sorted(line[0] for line in lines))

    def test_credits(self):
        # The first flit leaves router 1's buffer in 9: freed after the cycle, a link, accepted.
        credits = [line for line in self.log("router.0=trace", PIPELINE) if "credit" in line[4]]
        self.assertEqual(credits, [(cycle, "trace", "router.0", "-", "credit for vc 0 of port 0 (router 1)")
                                   for cycle in (12, 13, 14, 15)])

    def test_debug_has_no_flits_and_a_selector_its_modules_alone(self):
        expected = [line for line in sorted(self.expected())
                    if line[1] == "debug" and line[2] in ("router.1", "node.0", "node.2")]
        self.assertEqual(sorted(self.log("router.1,node", PIPELINE)), expected)
        self.assertEqual(sorted(self.log("debug,router=off,router.1=debug,link=off", PIPELINE)), expected)

    def test_waits_of_a_head_are_those_of_packet_records(self):
        # Two packets of one cycle at one router for one node: the second waits.
        packets = self.write("two.list", "0 0 2 4\n0 1 2 4\n")
        lines = self.log("router.1", "--set", f"traffic.list={packets}", "--records", PIPELINE,
                         keys={"router.buffer_flits": 2})
        heads = [line[4] for line in lines if line[4].startswith("head leaves")]
        self.assertTrue(any("; waited " in text for text in heads), heads)
        for wanted in ("a virtual channel", "a credit"):
            self.assertTrue(any(f"for {wanted}" in text for text in heads), (wanted, heads))


class Windows(LogTest):
    def test_the_window_has_the_lines_of_its_cycles(self):
        whole = self.log("trace", keys=MESH)
        part = self.log("trace", "--window", "100:150.5", keys=MESH)
        self.assertEqual(part, [line for line in whole if 100 <= line[0] <= 150])
        self.assertGreater(len(part), 500)
        none = self.run_machine("--log", "node", "--window", "100000:", keys=MESH)
        self.assertEqual(none.code, 0, none.text)
        [warning] = none.json()["warnings"]
        self.assertRegex(warning,
                         r"^the log has no line: the run ends at \S+ ns, and --window begins at 100000 ns$")
        self.assertEqual((none.out / "log.txt").read_text(), "")

    def test_json_lines_say_what_the_text_says(self):
        text = self.log("router.5=trace,node", keys=MESH)
        lines = self.json_lines(self.passes("--log", "router.5=trace,node", "--log-format", "json", keys=MESH))
        self.assertEqual([(line["cycle"], line["level"], line["module"], line["packet"] or "-", line["text"])
                          for line in lines], text)
        self.assertEqual(set(lines[0]), {"cycle", "level", "module", "packet", "event", "text"})
        self.assertLessEqual({"arrives", "leaves", "routed", "vc_allocated", "delivered", "credit"},
                             {line["event"] for line in lines})
        self.assertEqual(self.log("node", "--log-format", "text", keys=MESH),
                         [line for line in text if line[2].startswith("node")])


class Changes(LogTest):
    """A log changes nothing, and no order of modules shows in it."""

    KINDS = ("plain", "prediction", "faults", "retry", "reconfiguration")

    def drawn(self, seed):
        rng = random.Random(seed)
        keys = {**MESH, "seed": seed, "traffic.last_cycle": 250,
                "traffic.load_flits_per_node_cycle": rng.choice([0.05, 0.3, 0.7]),
                "traffic.packet_flits": rng.choice([1, 3, 5]), "router.vcs": rng.choice([2, 4])}
        kind = self.KINDS[seed % len(self.KINDS)]
        if kind == "prediction":
            keys.update({"prediction.kind": "straight", "prediction.check": rng.choice(["wait", "leak"])})
        if kind in ("faults", "retry"):
            keys["link.faults"] = "5@100:300"
        if kind == "retry":
            keys["retry.timeout_cycles"] = 80
        if kind == "reconfiguration":
            keys.update({"topology.kind": "torus", "routing.kind": "detour_ud",
                         "faults.events": "link 5@100:300, router 9@200",
                         "traffic.to_self": "false"})
        return kind, keys

    def test_results_and_records_are_the_same_bytes_with_a_log(self):
        for seed in range(len(self.KINDS)):
            kind, keys = self.drawn(seed)
            with self.subTest(seed=seed, kind=kind):
                plain = self.passes("--records", keys=keys)
                logs = []
                for more in ({}, {"run.shuffle_seed": seed}, {"run.processes": "process_each"}):
                    done = self.passes("--log", "trace", "--records", keys={**keys, **more})
                    self.assertEqual(done.result_bytes(without_config=True), plain.result_bytes(without_config=True))
                    self.assertEqual((done.out / "packets.csv").read_bytes(), (plain.out / "packets.csv").read_bytes())
                    logs.append((done.out / "log.txt").read_bytes())
                self.assertGreater(len(logs[0]), 10000)
                self.assertEqual(logs[1], logs[0])
                self.assertEqual(logs[2], logs[0])

    def test_lines_agree_with_packet_records(self):
        done = self.passes("--log", "debug", "--records", keys=MESH)
        delivered = {line[3]: line[0] for line in self.lines(done) if line[4].startswith("delivered")}
        rows = [row.split(",") for row in (done.out / "packets.csv").read_text().splitlines()]
        columns = {name: place for place, name in enumerate(rows[0])}
        self.assertEqual(delivered, {row[columns["packet"]]: int(row[columns["tail_cycle"]]) for row in rows[1:]})
        waits = {}
        for line in self.lines(done):
            for cycles, what in re.findall(r"(\d+) cycles? for (a virtual channel|a credit|the switch)", line[4]):
                waits[line[3], what] = waits.get((line[3], what), 0) + int(cycles)
        for row in rows[1:]:
            for column, what in (("wait_vc", "a virtual channel"), ("wait_credit", "a credit"),
                                 ("wait_switch", "the switch")):
                self.assertEqual(waits.get((row[0], what), 0), int(row[columns[column + "_cycles"]]), (row[0], what))
        self.assertGreater(len(waits), 50)


class Events(LogTest):
    def test_a_link_dies_and_packets_are_dropped(self):
        keys = {**MESH, "link.faults": "5@100:300"}
        done = self.passes("--log", "debug", "--records", keys=keys)
        lines = self.lines(done)
        link = [line for line in lines if line[2] == "link.5" and line[3] == "-"]
        self.assertEqual(link, [(100, "debug", "link.5", "-", "dies, between router 2 and router 6"),
                                (300, "debug", "link.5", "-", "returns, between router 2 and router 6")])
        rows = [row.split(",") for row in (done.out / "packets.csv").read_text().splitlines()[1:]]
        dropped = {row[0]: (int(row[-2]), row[-1]) for row in rows if row[-1]}
        self.assertGreater(len(dropped), 0)
        told = {line[3]: (line[0], re.match(r"dropped: (\w+), in router", line[4])[1]) for line in lines
                if line[2].startswith("node") and line[4].startswith("dropped")}
        self.assertEqual(told, dropped)
        at = [line for line in lines if line[2].startswith("router") and line[4].startswith("dropped")]
        self.assertEqual({line[3] for line in at}, set(dropped))
        self.assertRegex(at[0][4], r"^dropped: link_down, on vc \d of port \d \((router|node) \d+\)$")
        for packet, (cycle, _) in dropped.items():
            self.assertLessEqual(max(line[0] for line in lines if line[3] == packet), cycle)

    def test_retries(self):
        keys = {**MESH, "link.faults": "5@100:300", "retry.timeout_cycles": 80, "retry.most_tries": 2}
        done = self.passes("--log", "node", keys=keys)
        lines = self.lines(done)
        heads = [line[4] for line in lines if line[4].startswith(("head leaves", "head and tail leave"))]
        self.assertEqual(sum(", repeats message" in text for text in heads), done.metric("packets_repeated"))
        self.assertEqual(sum(", acknowledges message" in text for text in heads), done.metric("acks_sent"))
        self.assertEqual(sum("delivered again, a duplicate" in line[4] for line in lines), done.metric("duplicates"))
        self.assertEqual(sum(line[4].startswith("gives up message") for line in lines), done.metric("given_up"))
        self.assertGreater(done.metric("packets_repeated"), 0)
        self.assertGreater(done.metric("given_up"), 0)

    def test_a_reconfiguration(self):
        keys = {**MESH, "topology.kind": "torus", "routing.kind": "detour_ud",
                "faults.events": "link 5@100:300, router 9@200",
                "traffic.to_self": "false"}
        lines = [line for line in self.log("router", keys=keys) if line[3] == "-"]
        self.assertIn((200, "debug", "router.9", "-", "dies"), lines)
        phases = [line[4] for line in lines if line[4].startswith("reconfiguration: ")]
        self.assertGreater(len(phases), 16)
        self.assertRegex(phases[0], r"^reconfiguration: \w+, root \d+$")
        self.assertIn("head", " ".join(line[4] for line in self.log("router.9", keys=keys)))

    def test_predictions(self):
        done = self.passes("--log", "router", keys={**MESH, "prediction.kind": "straight"})
        told = [line[4] for line in self.lines(done) if line[4].startswith("prediction: ")]
        hits = sum(text == "prediction: hit" for text in told)
        self.assertEqual(round(hits / len(told), 6), round(done.metric("prediction_hit_rate"), 6))
        self.assertIn("crosses by prediction", [line[4] for line in self.lines(done)])

    def test_a_failed_run_leaves_its_log_up_to_the_failure(self):
        packets = self.write("ring.list", "".join(f"0 {node} {(node + 2) % 5} 20\n" for node in range(5)))
        keys = {"topology.kind": "torus", "topology.radices": "[5]", "router.vcs": 1, "router.buffer_flits": 2,
                "routing.dateline": "none",
                "traffic.kind": "list", "traffic.list": packets, "measure.warmup_cycles": 0, "measure.cycles": 100,
                "run.watchdog_cycles": 500}
        done = self.run_machine("--log", "router", keys=keys)
        self.assertEqual(done.code, 1, done.text)
        self.assertIn("head arrives", (done.out / "log.txt").read_text())


class Nodes(LogTest):
    """Whole Cenju-4 nodes on a mesh."""

    def keys(self):
        return {"topology.kind": "mesh", "topology.radices": "[2,2]", "workload.kind": "trace", "nic.kind": "cenju4",
                "workload.trace": self.write_trace("k.ti", machine.kernel(4))}

    def test_interfaces_and_processors(self):
        keys = self.keys()
        plain = self.passes(keys=keys)
        done = self.passes("--log", "nic.1,processor.0=trace,node.1", "--waves", keys=keys)
        self.assertEqual(done.result_bytes(), plain.result_bytes())
        lines = self.lines(done)
        self.assertEqual({line[2] for line in lines}, {"nic.1", "processor.0", "node.1"})
        texts = {line[4] for line in lines}
        for text in ("sender.rhm: fetching", "sender.spm: reading", "receiver.state: writing", "activity: polling",
                     "activity: running"):
            self.assertIn(text, texts)
        self.assertTrue(any(line[1] == "trace" and line[4].startswith("task: ") for line in lines))
        # What the network delivers at the node is in memory later.
        arrived = {line[3]: line[0] for line in lines if line[2] == "node.1" and line[4].startswith("delivered")}
        stored = {line[3]: line[0] for line in lines if line[2] == "nic.1" and line[4].startswith("in memory: ")}
        self.assertEqual(arrived.keys(), stored.keys())
        self.assertGreater(len(stored), 5)
        self.assertTrue(all(stored[packet] > arrived[packet] for packet in stored))
        # The waveform of the same run has all of its signals.
        alone = self.passes("--waves", "--waves-format", "vcd", keys={**keys, "waves.nodes": "[1]"})
        both = self.passes("--waves", "--waves-format", "vcd", "--log", "trace",
                           keys={**keys, "waves.nodes": "[1]"})
        self.assertEqual((both.out / "network.vcd").read_bytes(), (alone.out / "network.vcd").read_bytes())

    def test_they_are_there_with_such_nodes_only(self):
        self.assertIn("there is no such module (got 'nic')", self.said("--log", "nic"))
        self.assertIn("accepted: router, router.0..3, link, link.0..3, node, node.0..3, nic, nic.0..3, processor, "
                      "processor.0..3, or * for all",
                      self.said("--log", "nic.4", keys=self.keys()))


class Refusals(LogTest):
    def test_words_that_are_refused(self):
        modules = "; accepted: router, router.0..15, link, link.0..23, node, node.0..15, or * for all"
        cases = [(["--log", "router.16"], "--log: there is no such module (got 'router.16')" + modules),
                 (["--log", "node=debug,nic.3=trace"], "--log: there is no such module (got 'nic.3')" + modules),
                 (["--log", "router=loud"], "--log: no such level (got 'router=loud'); accepted: debug, trace, or off"),
                 (["--log", ""], "--log: a selector is missing; accepted: SELECTOR=LEVEL,..., e.g. "
                  "nic=debug,router.5=trace"),
                 (["--log", "node", "--log-format", "xml"],
                  "--log-format: unknown word (got 'xml'); accepted: text, json"),
                 (["--log-format", "json"], "--log-format: there is no log (got 'json'); accepted: --log with it"),
                 (["--log", "node", "--sweep-load", "0.1:0.2:2"],
                  "--log: not supported with --sweep-load (got 'node'); accepted: a run at one load")]
        for arguments, text in cases:
            self.assertEqual(self.said(*arguments, keys={"topology.radices": "[4,4]"}), text)

    def test_a_log_is_part_of_a_kept_runs_name(self):
        runs = self.folder / "runs"
        for arguments in ([], ["--log", "node"], ["--log", "node", "--log-format", "json"], ["--log", "router"],
                          ["--log", "router", "--window", "1:2"], ["--log", "router"]):
            done = self.run_machine("--runs", str(runs), *arguments, "--out", "", keys=MESH)
            self.assertEqual(done.code, 0, done.text)
        self.assertEqual(len(list(runs.iterdir())), 5)


class Cenju4(LogTest):
    def test_a_barrier_of_switches(self):
        done = self.passes("--log", "switch,machine,nic.0=off",
                           keys={"network.nodes": 16, "workload.kind": "barrier", "workload.barrier_rounds": 2,
                                 "workload.barrier_method": "synchronization"})
        lines = self.lines(done)
        self.assertEqual(lines[0][2:], ("machine", "-", "phase barrier begins"))
        tables = [line[4] for line in lines if line[4].startswith("synchronization ")]
        self.assertRegex(tables[0],
                         r"^synchronization \d+: arrived at inputs [\d,]+; pending at outputs (none|[\d,]+)$")
        # In the first stage the last of four inputs completes the round, and each switch owes its outputs.
        self.assertTrue(any("arrived at inputs none; pending at outputs" in text or "arrived at inputs 0,1,2" in text
                            for text in tables), tables[:8])

    def test_one_packet_through_every_stage(self):
        packets = self.write("one.list", "0 1 14 20\n")
        keys = {"network.nodes": 16, "workload.kind": "synthetic", "traffic.kind": "list", "traffic.list": packets,
                "measure.warmup_cycles": 0,
                "measure.cycles": 200}
        lines = self.log("trace", keys=keys)
        heads = [line for line in lines if line[4].startswith("head ")]
        modules = [line[2] for line in heads]
        self.assertEqual((modules[0], modules[-1]), ("node.1", "node.14"))
        self.assertRegex(heads[0][4], r"^head leaves for node 14: 20 flits, \d+ B$")
        self.assertRegex(heads[1][4], r"^head arrives by input \d for outputs \d$")
        self.assertRegex(heads[2][4], r"^head leaves by output \d$")
        # A single cast takes 10 cycles from the wires before a switch to those after it (Kanoh 2000, section 3).
        self.assertEqual(heads[2][0] - heads[0][0], 10)
        tails = [line[0] for line in lines if line[4].startswith("tail ")]
        self.assertEqual(tails, [line[0] + 19 for line in heads])
        self.assertRegex([line[4] for line in lines if line[4].startswith("delivered")][0],
                         r"^delivered: from node 1, \d+ cycles after its birth$")
        self.assertTrue(any(line[4].startswith("room by output") for line in lines))

    def test_a_log_changes_nothing(self):
        for keys in ({"workload.kind": "multicast"}, {"workload.kind": "trace",
                                                      "workload.trace": self.write_trace("k.ti", machine.kernel(16))},
                     {"workload.kind": "synthetic", "measure.warmup_cycles": 0, "measure.cycles": 2000,
                      "traffic.packet_flits": 10,
                      "traffic.multicast_share": 0.3}):
            keys = {"network.nodes": 16, **keys}
            plain = self.passes(keys=keys)
            logs = []
            for more in ({}, {"run.shuffle_seed": 4}, {"run.processes": "process_each"}):
                done = self.passes("--log", "trace", keys={**keys, **more})
                self.assertEqual(done.result_bytes(without_config=True), plain.result_bytes(without_config=True))
                logs.append((done.out / "log.txt").read_bytes())
            self.assertGreater(len(logs[0]), 100000)
            self.assertEqual(logs[1:], [logs[0], logs[0]])

    def test_waves_and_log_beside_each_other(self):
        keys = {"network.nodes": 16, "workload.kind": "barrier", "workload.barrier_rounds": 2, "waves.lines": "[]"}
        waves = ["--waves", "--waves-format", "vcd"]
        log_all = ["--log", "trace"]
        alone, both, log = (self.passes(*words, keys=keys) for words in (waves, waves + log_all, log_all))
        self.assertEqual((both.out / "machine.vcd").read_bytes(), (alone.out / "machine.vcd").read_bytes())
        self.assertEqual((both.out / "log.txt").read_bytes(), (log.out / "log.txt").read_bytes())

    def test_ranks_that_wait_forever_leave_a_log(self):
        waits = self.write_trace("d.ti", [["recv 1 0 8 6", "send 1 0 8 6"], ["recv 0 0 8 6", "send 0 0 8 6"]])
        done = self.run_machine("--log", "processor,nic", keys={"network.nodes": 2, "workload.kind": "trace",
                                                                "workload.trace": waits})
        self.assertEqual(done.code, 1, done.text)
        modules = {line[2] for line in self.lines(done)}
        self.assertEqual(modules, {"processor.0", "processor.1", "nic.0", "nic.1"})

    def test_a_window_of_nothing(self):
        done = self.run_machine("--log", "switch", "--window", "1000000000:",
                                keys={"network.nodes": 16, "workload.kind": "barrier"})
        self.assertEqual(done.code, 0, done.text)
        self.assertEqual([text.split(":")[0] for text in done.json()["warnings"]], ["the log has no line"])

    def test_boot(self):
        self.assertEqual(self.kinds(self.log("trace", keys={"network.nodes": 16, "workload.kind": "boot"})), {"nic"})

    def test_words_that_are_refused(self):
        self.assertEqual(self.said("--log", "switch.9", keys={"network.nodes": 16}),
                         "--log: there is no such module (got 'switch.9'); accepted: machine, switch, "
                         "switch.0..1.0..3, node, node.0..15, nic, "
                         "nic.0..15, processor, processor.0..15, or * for all")
        self.assertIn("accepted: switch, switch.0..1.0..3, node, node.0..15, or * for all",
                      self.said("--log", "nic", keys={"network.nodes": 16, "workload.kind": "synthetic"}))


if __name__ == "__main__":
    machine.main()
