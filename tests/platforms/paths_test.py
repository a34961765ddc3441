# SPDX-License-Identifier: Apache-2.0
"""A path in a file begins at the folder of that file, a path on the command line at the current directory;
resolved.yaml repeats the run from anywhere."""

import json
import pathlib

import machine

TOPOLOGY = "router 0\nrouter 1\nlink 0 1\nnode 0 at 0\nnode 1 at 1\n"
RUN = {"measure.warmup_cycles": 0, "measure.cycles": 400}
MATRIX = {"traffic.pattern": "matrix", "traffic.load_flits_per_node_cycle": 0.05}
INPUTS = {"x.topo": TOPOLOGY, "x.matrix": "0 1 2\n1 0 1\n", "x.list": "0 0 1 4\n5 1 0 4\n",
          "x.ti": machine.trace_text([["send 1 0 100 6"], ["recv 0 0 100 6"]])}
CASES = {
    "network": {
        "x.topo": ("topology.file", {**RUN, "topology.kind": "file", "traffic.load_flits_per_node_cycle": 0.05}),
        "x.matrix": ("traffic.matrix", {**RUN, **MATRIX, "topology.kind": "mesh", "topology.radices": "[2]"}),
        "x.list": ("traffic.list", {**RUN, "traffic.kind": "list", "topology.kind": "mesh", "topology.radices": "[2]"}),
        "x.ti": ("workload.trace", {"workload.kind": "trace", "topology.kind": "mesh", "topology.radices": "[2]"}),
    },
    "cenju4": {
        "x.matrix": ("traffic.matrix", {**RUN, **MATRIX, "network.nodes": 8, "workload.kind": "synthetic"}),
        "x.list": ("traffic.list", {**RUN, "network.nodes": 8, "workload.kind": "synthetic", "traffic.kind": "list"}),
        "x.ti": ("workload.trace", {"network.nodes": 8, "workload.kind": "trace"}),
    },
}
OTHER = {"cenju4": ("workload.other_trace", {"network.nodes": 8, "workload.kind": "jobs",
                                             "workload.other_first_node": 4})}


class Paths(machine.MachineTest):
    def setUp(self):
        super().setUp()
        self.platform = pathlib.Path(machine.EXECUTABLE).name
        self.inside, self.elsewhere = self.folder / "in", self.folder / "else" / "where"
        self.inside.mkdir()
        self.elsewhere.mkdir(parents=True)
        for name, text in INPUTS.items():
            (self.inside / name).write_text(text)

    def cases(self):
        for name, (key, keys) in CASES[self.platform].items():
            yield name, key, dict(keys)

    def config(self, keys, name="a.yaml"):
        (self.inside / name).write_text("".join(f"{key}: {value}\n" for key, value in keys.items()))
        return str(self.inside / name)

    def value(self, done, key):
        part = done.json()["config"]
        for word in key.split("."):
            part = part[word]
        return part

    def check_repeats(self, done, key, name):
        """Both files of the run name the input as they see it, and resolved.yaml gives the same bytes from
        elsewhere."""
        self.assertEqual(self.value(done, key), f"../in/{name}")
        resolved = (done.out / "resolved.yaml").read_bytes()
        self.assertIn(f'"../in/{name}"'.encode(), resolved)
        for cwd in (self.folder, self.elsewhere, "/"):
            again = self.passes(str(done.out / "resolved.yaml"), cwd=cwd)
            self.assertEqual(again.result_bytes(), done.result_bytes())
            self.assertEqual((again.out / "resolved.yaml").read_bytes(), resolved)

    def test_of_a_file(self):
        for name, key, keys in self.cases():
            config = self.config({**keys, key: name})
            done = self.passes(config, cwd=self.elsewhere)
            self.check_repeats(done, key, name)
            self.assertEqual(self.passes("a.yaml", cwd=self.inside).result_bytes(), done.result_bytes())

    def test_of_the_command_line(self):
        for name, key, keys in self.cases():
            done = self.passes(keys={**keys, key: name}, cwd=self.inside)
            self.check_repeats(done, key, name)
            self.assertEqual(self.passes(keys={**keys, key: f"in/{name}"}, cwd=self.folder).result_bytes(),
                             done.result_bytes())

    def test_the_command_line_overrides_the_file(self):
        for name, key, keys in self.cases():
            config = self.config({**keys, key: "gone"})
            self.passes(config, keys={key: f"in/{name}"}, cwd=self.folder)
            self.refused([f"in/{name}"], self.config({**keys, key: name}), keys={key: f"in/{name}"}, cwd=self.elsewhere)

    def test_an_absolute_one_stays(self):
        for name, key, keys in self.cases():
            done = self.passes(self.config({**keys, key: self.inside / name}), cwd=self.elsewhere)
            self.assertEqual(self.value(done, key), str(self.inside / name))

    def test_one_that_is_not_there_is_told_as_it_was_looked_for(self):
        for _, key, keys in self.cases():
            self.refused([str(self.inside / "gone.txt"), key], self.config({**keys, key: "gone.txt"}),
                         cwd=self.elsewhere)

    def test_a_printed_configuration_is_read_anywhere(self):
        for name, key, keys in self.cases():
            config = self.config({**keys, key: name})
            for words in (["--print-config"], ["--print-config", "all"]):
                printed = self.run_machine(config, *words, cwd=self.folder).text
                (self.elsewhere / "printed.yaml").write_text(printed)
                done = self.passes(str(self.elsewhere / "printed.yaml"), cwd=self.folder)
                self.assertEqual(self.value(done, key), str((self.inside / name).resolve()))

    def test_kept_runs_are_found_from_elsewhere(self):
        """And by the bytes of their inputs."""
        for name, key, keys in self.cases():
            config, runs = self.config({**keys, key: name}), self.folder / f"runs_{key}"

            def run(config, cwd):
                machine.subprocess.run([machine.EXECUTABLE, config, "--quiet", "--runs", str(runs)], check=True,
                                       cwd=cwd, timeout=300)
                return sorted(path.name for path in runs.iterdir() if not path.name.startswith("."))
            kept = run(config, self.folder)
            self.assertEqual(len(kept), 1)
            self.assertEqual(run(config, self.elsewhere), kept)
            self.assertEqual(run(str(runs / kept[0] / "resolved.yaml"), "/"), kept)
            (self.inside / name).write_text(INPUTS[name] + "# another\n" if name != "x.topo" else INPUTS[name] + "\n")
            self.assertEqual(len(run(config, self.folder)), 2)
            (self.inside / name).write_text(INPUTS[name])

    def test_the_trace_that_comes_with_tsuji_is_the_default(self):
        keys = {"workload.kind": "trace",
                "network.nodes": 64} if self.platform == "cenju4" else {"workload.kind": "trace"}
        done = self.passes(keys=keys, cwd="/")
        self.assertEqual(self.value(done, "workload.trace"), "")
        self.assertEqual(done.metric("trace_operations"), 22848)

    def test_a_folder_in_which_the_run_stands(self):
        """Its files are made in a folder inside of it, and name inputs as they are seen from the folder itself, as
        loads of a sweep do."""
        name, (key, keys) = next(iter(CASES[self.platform].items()))
        words = ["--sweep-load", "0.02:0.05:2"]
        for more in ([], words):
            done = self.passes("--out", ".", *more, keys={**keys, key: f"../../in/{name}"}, cwd=self.elsewhere)
            for file in ("resolved.yaml", "result.json"):
                self.assertIn(f'"../../in/{name}"', (self.elsewhere / file).read_text(), done.text)
        self.passes(str(self.elsewhere / "resolved.yaml"), cwd="/")

    def test_of_the_second_job(self):
        if self.platform not in OTHER:
            return
        key, keys = OTHER[self.platform]
        done = self.passes(self.config({**keys, "workload.trace": "x.ti", key: "x.ti"}), cwd=self.elsewhere)
        self.check_repeats(done, key, "x.ti")
        self.assertEqual(json.loads((done.out / "result.json").read_text())["config"]["workload"]["trace"],
                         "../in/x.ti")
        shipped = self.passes(keys={"workload.kind": "jobs"})
        self.assertEqual((shipped.metric("trace_messages"), shipped.metric("other_trace_messages")), (5600, 0))


if __name__ == "__main__":
    machine.main()
