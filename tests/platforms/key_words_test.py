#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Words that newcomers bring: each is refused with the key, the word or the option that they mean, and --list-keys
finds it.

    key_words_test.py CLASS EXECUTABLE"""

import json
import pathlib
import subprocess

import machine

LOAD, RADICES = "traffic.load_flits_per_node_cycle", "topology.radices"
OF_ALL = {"load": LOAD, "offered load": LOAD, "injection rate": LOAD, "rate": LOAD, "traffic": "traffic.pattern",
          "packet size": "traffic.packet_flits", "packet length": "traffic.packet_flits",
          "packet flits": "traffic.packet_flits",
          "injection process": "traffic.injection", "warmup periods": "measure.warmup_cycles",
          "warmup": "measure.warmup_cycles",
          "sample period": "measure.cycles", "sim cycles": "measure.cycles", "cycles": "measure.cycles",
          "frequency": "clock_period_ps", "clock": "clock_period_ps", "mhz": "clock_period_ps",
          "trace file": "workload.trace",
          "application": "workload.npb", "random seed": "seed"}
WORDS = {
    "network": {
        **OF_ALL, "vcs": "router.vcs", "num vcs": "router.vcs", "virtual channels": "router.vcs",
        "vcs per vnet": "router.vcs",
        "vc buf size": "router.buffer_flits", "buf size": "router.buffer_flits", "buffer": "router.buffer_flits",
        "buffers": "router.buffer_flits", "buffer size": "router.buffer_flits",
        "buffers per data vc": "router.buffer_flits",
        "vc allocator": "router.va_allocator", "sw allocator": "router.sa_allocator",
        "routing delay": "router.rc_cycles",
        "vc alloc delay": "router.va_cycles", "sw alloc delay": "router.sa_cycles",
        "st final delay": "router.st_cycles",
        "router latency": "router.rc_cycles", "routing function": "routing.kind", "routing algorithm": "routing.kind",
        "routing": "routing.kind", "topology": "topology.kind", "k": RADICES, "n": RADICES, "dimensions": RADICES,
        "mesh rows": RADICES, "num cpus": RADICES, "size": RADICES, "bandwidth": "link.flit_cycles",
        "link bandwidth": "link.flit_cycles", "link latency": "link.latency_cycles", "latency": "link.latency_cycles",
        "link width": "nic.flit_bytes", "flit size": "nic.flit_bytes", "flit bytes": "nic.flit_bytes"},
    "cenju4": {
        **OF_ALL, "nodes": "network.nodes", "k": "network.radix", "n": "network.stages",
        "buffer": "switch.fifo_packets",
        "buffers": "switch.fifo_packets", "buffer size": "switch.fifo_packets", "bandwidth": "sizes.flits_per_word",
        "link bandwidth": "sizes.flits_per_word", "flit size": "sizes.flits_per_word",
        "flit bytes": "sizes.flits_per_word"},
}
BY_FILE = "unknown word: no kind of its own; topology.kind file reads any graph of routers and links"
TOPOLOGIES = {"hypercube": "unknown word: write cube with topology.radices [2,2,2] for 8 routers",
              "ring": "unknown word: write torus with one radix, topology.radices [8]",
              "kncube": "did you mean 'torus'?",
              "k_ary_n_cube": "did you mean 'torus'?", "butterfly": "did you mean 'fly'?",
              "fattree": "did you mean 'fat_tree'?",
              "random": "did you mean 'random_regular'?", "jellyfish": "did you mean 'random_regular'?",
              "dragonflynew": "did you mean 'dragonfly'?", "dragonfly+": "did you mean 'dragonfly_plus'?",
              "megafly": "did you mean 'dragonfly_plus'?", "flattened_butterfly": "did you mean 'hyperx'?",
              "flatfly": "did you mean 'hyperx'?", "slimfly": "did you mean 'slim_fly'?",
              "mms": "did you mean 'slim_fly'?", "polarfly": "did you mean 'polar_fly'?",
              "cmesh": "unknown word: write mesh with topology.nodes_per_router 4", "crossbar": BY_FILE}


class Asked(machine.MachineTest):
    def platform(self):
        return pathlib.Path(machine.EXECUTABLE).name

    def told(self, *words):
        done = self.ends(0, *words)
        return done.text

    def answers(self, lines):
        """Answers to command lines."""
        path = self.write("lines", "".join(json.dumps(words) + "\n" for words in lines))
        return [json.loads(line) for line in self.told("--check-runs", str(path)).splitlines()]


class Words(Asked):
    def test_each_word_is_refused_with_its_key(self):
        """As a key of any spelling, with or without a separate section."""
        words = {word: key for word, key in WORDS[self.platform()].items() if "." not in word}
        # The refusal of a section's name says that it is a section.
        spellings = [(word, spelling, key) for word, key in words.items()
                     for spelling in (word.replace(" ", "_"), "my." + word.replace(" ", "").upper())]
        answers = self.answers([["--set", f"{spelling}=1"] for _, spelling, _ in spellings])
        for (word, spelling, key), answer in zip(spellings, answers, strict=True):
            if "a section, not a key" in answer.get("refused", ""):
                self.assertEqual(word, spelling)
                continue
            self.assertIn(f"{spelling}: unknown key, did you mean '{key}'? (got '1')",
                          answer.get("refused", str(answer)), word)

    def test_each_word_is_found_by_list_keys(self):
        for word, key in WORDS[self.platform()].items():
            told = self.told("--list-keys", word)
            self.assertIn(f"for '{word}'\n\nThe keys that matter most\n", told)
            self.assertRegex(told, rf"(?m)^{key}(  \(without effect here\))?$", word)

    def test_options_that_are_keys(self):
        for words, text in ((["--load", "0.3"],
                             f"--load: no such option; accepted: --set {LOAD}=0.3, or the options of --help"),
                            (["--load=0.3"],
                             f"--load=0.3: no such option; accepted: --set {LOAD}=0.3, or the options of --help"),
                            (["--injection-rate"], f"--set {LOAD}=VALUE, or the options of --help"),
                            (["--rtl", "cam=5,cache=5.2"],
                             f"{self.platform()}: --rtl: no RTL is linked into this executable"),
                            (["--zzzzzzzzzzzz"], "--zzzzzzzzzzzz: no such option; accepted: the options of --help")):
            self.refused([text], *words)

    def test_an_argument_too_many(self):
        self.write("a.yaml", "seed: 1\n")
        self.refused([f"{self.platform()}: not expected (got 'b.yaml'); accepted: one configuration file, options of "
                      f"--help, "
                      "--set KEY=VALUE"], "a.yaml", "b.yaml")
        self.refused(["not expected (got 'seed=3'); accepted: one configuration file"], "a.yaml", "seed=3")

    def test_the_load(self):
        for key in ("traffic.load", "load"):
            self.refused([f"--set {key}=0.3: {key}: unknown key, did you mean '{LOAD}'? (got '0.3')"], "--set",
                         f"{key}=0.3")
        self.write("a.yaml", "traffic:\n  load: 0.3\n")
        self.refused([f"a.yaml:2:3: traffic.load: unknown key, did you mean '{LOAD}'? (got '0.3'); accepted: the keys "
                      f"that "
                      "--list-keys shows"], "a.yaml")

    def test_malformed_yaml(self):
        """The place, the reader's words, and what to write."""
        for text, place, told in (
                ("a: b: c\n", "a.yaml:1:5",
                 "malformed YAML: illegal map value; accepted: one 'key: value' per line; quotes around a "
                 "value that contains ': '"),
                ("run:\n  a: 1\n b: 2\n", "a.yaml:3:2", "equal indentation, with a blank after the colon"),
                ("run:\n\ta: 1\n", "a.yaml:2:3", "blanks in front of a key, no tabs")):
            self.write("a.yaml", text)
            done = self.refused([told], "a.yaml")
            self.assertRegex(done.text, rf"{place}[\d:]*: malformed YAML: ")


class Topologies(Asked):
    def test_topologies_of_others(self):
        words = list(TOPOLOGIES)
        answers = self.answers([["--set", f"topology.kind={word}"] for word in words])
        for word, answer in zip(words, answers, strict=True):
            self.assertIn(TOPOLOGIES[word] + f" (got '{word}'); accepted: one of mesh", answer["refused"])


class Leading(Asked):
    def test_ten_keys_lead_each_platform(self):
        """Of each platform a key that leads, and one that does not."""
        folder = pathlib.Path(machine.EXECUTABLE).parent
        for name, leads, follows in (("network", "traffic.packet_flits", "traffic.largest_packet_flits"),
                                     ("cenju4", "workload.collective", "workload.collective_bytes"),
                                     ("lookup_study", "lookup.cam_cycles", "lookup.cam_entries"),
                                     ("compact_study", "study.entries", "study.destinations")):
            for word in (leads, follows):
                found = subprocess.run([folder / name, "--list-keys", word], capture_output=True, text=True, check=True,
                                       cwd=self.folder).stdout
                first, _, others = found.partition("\n\nSection ")
                self.assertRegex(first if word == leads else others, rf"(?m)^{word}( |$)", name)


class Lists(Asked):
    """--list-keys WORD."""

    def test_groups(self):
        told = self.told("--list-keys", "vcs")
        self.assertIn("\n\nThe keys that matter most\n\nrouter.vcs\n    ", told)
        self.assertRegex(told, r"\n\nSection router\n\nrouter\.node_vcs\n")

    def test_keys_without_effect_in_the_configuration_at_hand(self):
        self.assertIn("\nrouting.root  (without effect here)\n", self.told("--list-keys", "root"))
        self.write("a.yaml", "topology:\n  kind: random_regular\n")
        for words in (["a.yaml", "--list-keys", "root"], ["--list-keys", "root", "a.yaml"],
                      ["--list-keys=root", "--set", "routing.kind=up_down"]):
            self.assertIn("\nrouting.root\n", self.told(*words))
        # A key that is set and has no effect is no mistake here.
        self.assertIn("\nrouting.root  (without effect here)\n",
                      self.told("--list-keys", "root", "--set", "routing.root=3"))
        self.refused(["--set router.vcs=99: router.vcs: out of range"], "--list-keys", "root", "--set", "router.vcs=99")

    def test_all_keys_with_a_configuration(self):
        self.write("a.yaml", "topology:\n  kind: random_regular\n")
        every = self.told("--list-keys")
        self.assertEqual(self.told("--list-keys", "a.yaml"), every)
        self.assertEqual(self.told("a.yaml", "--list-keys"), every)
        self.assertNotIn("without effect", every)

    def test_no_key(self):
        self.refused(["--list-keys: no key has this in its name, meaning or values, did you mean 'router.vcs'? (got "
                      "'router.vsc')"],
                     "--list-keys", "router.vsc")


if __name__ == "__main__":
    machine.main()
