# SPDX-License-Identifier: Apache-2.0
"""One case: a random configuration that is made acceptable, run in every mode, and compared with itself."""

import dataclasses
import json
import random

from . import oracle
from .draw import NO_HINT, value_of
from .inputs import InputFolder
from .keys import idle_keys, parse_keys
from .modes import first_failure
from .oracle import Failure
from .repairs import MOST_REPAIRS, Repairs
from .runs import Runner, limits_of
from .wanted import Context, another_value, needs_in, place_of, turn_of

RING = "link 0 1\nlink 1 2\nlink 2 0\n" + "".join(f"node {node} at {node}\n" for node in range(3))
MOST_NODES, MOST_MACHINES = 100, 16  # of a network, and of one whose nodes are computers


class Machine:
    """An executable with its keys; knows which keys decide something with which words. `against`: another build, or
    None."""

    def __init__(self, profile, build, scratch, against=None):
        self.profile, self.build, self.executable = profile, build, profile.path(build)
        self.other_executable = against and profile.path(against)
        self.limits, self.other_limits = limits_of(build), against and limits_of(against)
        executable = self.executable
        self.runner = Runner(executable, scratch, self.limits)
        listed = self.runner.run({}, ("--list-keys",), writes=False)
        if listed.code != 0:
            raise RuntimeError(f"{executable} --list-keys: {listed.text}")
        self.keys = parse_keys(listed.text)
        self.known_idle, self.known_fits = {}, {}

    def hint(self, name):
        return self.profile.hints.get(name, NO_HINT)

    def draws(self, key):
        return key.name not in self.profile.covered and key.section.partition(".")[0] not in self.profile.left_out

    def drawn(self):
        """The names of the keys that cases should draw away from their default."""
        return [name for name, key in self.keys.items() if self.draws(key) and name not in self.profile.always_default]

    def idle(self, words):
        """Keys that decide nothing beside these words, or None where the words are refused."""
        known = tuple(sorted(words.items()))
        if known not in self.known_idle:
            printed = self.runner.run(words, ("--print-config", "all"), writes=False)
            self.known_idle[known] = idle_keys(printed.text) if printed.code == 0 else None
        return self.known_idle[known]

    def needs(self, settings):
        """[(key, uses)] of the keys among these settings that have no effect."""
        printed = self.runner.run(settings, ("--print-config",), writes=False)
        return needs_in(printed.text, self.keys) if printed.code == 2 else []

    def fits(self, topology, routing):
        """Whether a kind of routing goes with a kind of topology; a file's graph is any."""
        if (topology, routing) not in self.known_fits:
            settings = {"topology.kind": topology, "routing.kind": routing, "router.vcs": "8"}
            if topology == "file":
                settings["topology.file"] = InputFolder(self.runner.folder / "fits").write("topology", RING)
            printer = Runner(self.build / self.profile.topology_printer, self.runner.folder / "fits", self.limits)
            printed = printer.run(settings, ("--print-vcs",), writes=False)
            self.known_fits[topology, routing] = (printed.code != 2
                                                  or oracle.blamed_key(printed.text, self.keys) != "routing.kind")
        return self.known_fits[topology, routing]

    def fitting_words(self, name, settings):
        """The words of topology.kind or routing.kind that go with the other one; all words of any other key."""
        words = [*self.keys[name].words]
        topology, routing = settings.get("topology.kind"), settings.get("routing.kind")
        if not self.profile.topology_printer or name not in ("topology.kind", "routing.kind"):
            return words
        if name == "routing.kind" and topology is not None:
            return [word for word in words if word == "auto" or self.fits(topology, word)]
        if name == "topology.kind" and routing not in (None, "auto"):
            return [word for word in words if self.fits(word, routing)]
        return words


class Network:
    """Objects that values may refer to: numbers of nodes, routers and links, and a folder for files."""

    def __init__(self, inputs):
        self.inputs = inputs
        self.nodes, self.routers, self.links = 2, 1, 0

    def learn(self, topology):
        self.nodes, self.routers = len(topology["nodes"]), len(topology["routers"])
        self.links = len(topology["links"])


@dataclasses.dataclass
class Outcome:
    """How a case ended. `failure` is None for a good one."""

    settings: dict
    accepted: bool = False
    ended: str = "never accepted"
    attempts: int = 0
    failure: object = None


class Case(Repairs):
    """Draws settings from a seed; a key's draws do not depend on which other keys there are."""

    def __init__(self, machine, seed, number, folder):
        super().__init__()
        self.machine, self.folder = machine, folder
        self.seed, self.name, self.number = seed, f"{machine.profile.name} {seed}:{number}", number
        self.rng = random.Random(f"{self.name}")
        self.runner = Runner(machine.executable, folder, machine.limits)
        self.other_runner = (machine.other_executable and Runner(machine.other_executable, folder / "other",
                                                                 machine.other_limits))
        self.network = Network(InputFolder(folder / "inputs"))
        self.turns = {}  # values with which the keys in `wanted` have an effect

    def rng_of(self, key):
        return random.Random(f"{self.name} {key}")

    # Drawing

    def draw(self):
        """A first configuration, which may still be refused."""
        self.want()
        self.draw_words()
        fitting = self.machine.fitting_words("topology.kind", self.settings) if "routing.kind" in self.kept else ()
        if self.settings.get("topology.kind") in fitting:
            self.kept.add("topology.kind")
        idle = self.machine.idle(self.settings) or set()
        live = [key for name, key in self.machine.keys.items()
                if name not in idle and self.machine.draws(key) and name not in self.settings]
        first = [key for key in live if key.section == self.machine.profile.first]
        share = self.rng.choice([0.03, 0.1, 0.1, 0.3, 0.6, 1.0])
        self.draw_values(first, share)
        self.learn_topology()
        self.draw_values([key for key in live if key not in first], share)
        if self.settings.get("workload.npb"):
            if "workload.npb_steps" not in self.wanted:
                self.settings["workload.npb_steps"] = "1"  # whole benchmarks take too long
            self.settings.pop("workload.trace", None)

    def want(self):
        """Sets the words that the keys need which have their turn."""
        context = Context(self, {})
        turns = [name for name, key in self.machine.keys.items()
                 if turn_of(name, self.number) and self.machine.draws(key)]
        # The first one has the words that it needs, and the others those that are left.
        self.wanted = [name for name in sorted(turns, key=lambda name: place_of(name, self.number, self.seed))
                       if context.add(name)]
        self.turns = context.wanted
        self.settings.update(context.settings)
        self.settings.update({name: value for name, value in self.turns.items()
                              if name in self.machine.profile.selectors})
        self.kept = {*self.wanted, *self.settings}

    def word_of(self, name):
        """A word, mostly one that goes with those already chosen."""
        key, hint, rng = self.machine.keys[name], self.machine.hint(name), self.rng_of(name + " word")
        words = self.machine.fitting_words(name, self.settings)
        drawn = value_of(key, hint, rng, self.network)
        for _ in range(MOST_REPAIRS):
            fits = drawn in words or not key.words or rng.random() < 0.05
            if fits and not (name in self.wanted and drawn == key.default.strip('"')):
                break
            drawn = value_of(key, hint, rng, self.network)
        return drawn

    def draw_words(self):
        """Words that choose which keys matter, where they matter themselves."""
        for name in self.machine.profile.selectors:
            key = self.machine.keys.get(name)
            idle = self.machine.idle(self.settings)
            seldom = (not self.machine.hint(name).always and name not in self.wanted
                      and self.rng_of(name).random() < 0.25)
            if key is None or idle is None or name in idle or seldom or name in self.settings:
                continue
            self.settings[name] = self.word_of(name)
            idle_then = self.machine.idle(self.settings)
            if idle_then is None or any(key in idle_then and key not in idle for key in self.wanted):
                del self.settings[name]

    def draw_values(self, keys, share):
        for key in keys:
            hint = self.machine.hint(key.name)
            rng = self.rng_of(key.name)
            if key.name in self.wanted:
                self.settings[key.name] = another_value(self, key.name) or value_of(key, hint, rng, self.network)
            elif hint.always or rng.random() < share:
                value = value_of(key, hint, rng, self.network)
                if not self.spoils(key.name, value):
                    self.settings[key.name] = value

    def spoils(self, name, value):
        """Whether a word takes the effect from a key that has its turn."""
        if name not in self.machine.profile.selectors or not self.wanted:
            return False
        about = {key: self.settings[key] for key in self.kept if key in self.settings}
        return any(key in self.kept for key, _ in self.machine.needs({**about, **self.turns, name: value}))

    def topology(self):
        return {name: value for name, value in self.settings.items() if name.startswith("topology.")}

    def ask_topology(self):
        """Learns how many nodes, routers and links there are; returns the refusal where there is no such topology."""
        if not self.machine.profile.topology_printer:
            return ""
        printer = Runner(self.machine.build / self.machine.profile.topology_printer, self.folder, self.machine.limits)
        printed = printer.run(self.topology(), ("--print-topology", "json"), writes=False)
        if printed.code != 0:
            return printed.text
        self.network.learn(json.loads(printed.text))
        return ""

    def learn_topology(self):
        if "network.nodes" in self.settings:
            self.network.nodes = int(self.settings["network.nodes"])
        if not self.machine.profile.topology_printer:
            return
        for _ in range(MOST_REPAIRS):
            refusal = self.ask_topology()
            if refusal:
                self.repair(refusal)
                continue
            if self.network.nodes <= (MOST_MACHINES if self.settings.get("nic.kind") == "cenju4" else MOST_NODES):
                return
            for name in self.topology():
                if name not in self.machine.profile.selectors:
                    self.settings[name] = value_of(self.machine.keys[name], self.machine.hint(name), self.rng,
                                                   self.network)

    # Running

    def run(self):
        """The outcome of the whole case."""
        self.draw()
        seen = []
        for _ in range(MOST_REPAIRS):
            self.attempts += 1
            outcome = self.check(self.settings)
            outcome.attempts = self.attempts
            if outcome.failure is not None or outcome.accepted:
                return outcome
            message = outcome.ended
            seen.append(message)
            self.repair(message)
        return Outcome(dict(self.settings), False, "never accepted: " + seen[-1], self.attempts)

    def check(self, settings, only=None):
        """Runs these settings in every mode, or in those that can show the failure `only` again."""
        base = self.runner.run(settings)
        end = oracle.ending(base)
        if isinstance(end, Failure):
            return Outcome(dict(settings), failure=end)
        if end == "refused":
            fault = oracle.refusal_fault(base, self.machine.keys)
            failure = Failure("refusal", f"{fault}: {base.text[:1000]}") if fault else None
            return Outcome(dict(settings), ended=base.text, failure=failure)
        failure = first_failure(self, settings, base, end, only)
        return Outcome(dict(settings), True, end or "ends", failure=failure)
