# SPDX-License-Identifier: Apache-2.0
"""Repairs of a configuration that was refused: the refusal says which key is wrong, and what would be accepted."""

import collections
import re

from . import oracle
from .draw import value_of

MOST_REPAIRS, PATIENCE = 40, 15  # refusals of a case; after PATIENCE of them, keys are dropped and not changed
MOST_BLAMED = 8  # refusals for a key that the case is about; then its turn is lost
# Draws of a key that keeps runs short and that repairs have dropped; some configurations bear its default alone.
MOST_AGAIN = 4
OFFER = re.compile(r"([a-z_0-9]+(?:\.[a-z_0-9]+)+) ([\w.]+)")  # a key and its value in what a refusal would accept


class Repairs:
    """Settings of a case, until they are accepted. The case has `machine`, `network`, `rng` and `rng_of()`, and learns
    its topology."""

    def __init__(self):
        self.settings = {}
        self.wanted, self.kept = [], set()  # keys that have their turn, and those with the words that they need
        self.attempts = 0
        self.without_effect = {}  # keys that were refused as such, with the words beside which they were
        self.drawn_again, self.blamed = collections.Counter(), collections.Counter()

    def repair(self, message):
        """Changes or drops what a refusal blames: each of its mistakes that is still there."""
        before = self.topology()
        if self.attempts > PATIENCE:
            self.drop_half()
        for mistake in oracle.mistakes(message):
            blamed = oracle.blamed_key(mistake, self.machine.keys)
            if len(oracle.mistakes(message)) == 1 or blamed in self.settings:
                self.repair_one(mistake)
        self.keep_short()
        if self.attempts and self.topology() != before:  # before that learn_topology() does it
            self.ask_topology()

    def drop_half(self):
        """Half of the keys that the case is not about, so that it soon is about its own ones alone."""
        others = [name for name in self.settings if name not in self.kept and not self.machine.hint(name).always]
        for name in self.rng.sample(others, (len(others) + 1) // 2):
            del self.settings[name]

    def words(self):
        """The settings that choose which other keys matter."""
        return {name: self.settings[name] for name in self.machine.profile.selectors if name in self.settings}

    def keep_short(self):
        """Draws keys again without which a run is long, and which a repair has dropped or given an effect."""
        words = self.words()
        idle = self.machine.idle(words)
        for name, key in self.machine.keys.items():
            if (idle is None or name in idle or name in self.settings or not self.machine.hint(name).always
                or not self.machine.draws(key)
                    or self.without_effect.get(name) == words or self.drawn_again[name] == MOST_AGAIN):
                continue
            self.drawn_again[name] += 1
            rng = self.rng_of(f"{name} again {self.drawn_again[name]}")
            self.settings[name] = value_of(key, self.machine.hint(name), rng, self.network)

    def repair_one(self, message):
        blamed = oracle.blamed_key(message, self.machine.keys)
        head, _, accepted = message.rstrip("\n").partition("; accepted: ")
        if "has no effect" not in head and self.take_offer(accepted):
            return
        self.blamed[blamed] += 1
        if self.blamed[blamed] > MOST_BLAMED:
            self.kept.discard(blamed)
        if blamed in self.kept and self.attempts <= 2 * PATIENCE and "has no effect" not in head:
            self.repair_around(blamed, message)
        elif blamed not in self.settings:
            self.repair_default(blamed, accepted)
        elif "has no effect" in head:
            self.drop_idle(blamed)
        elif self.attempts > PATIENCE or self.rng.random() < 0.25:
            del self.settings[blamed]
        else:
            self.settings[blamed] = self.suggested(blamed, accepted)

    def take_offer(self, accepted):
        """Now and then: sets another key as the refusal offers it ("..., or prediction.kind none"); True where it
        did."""
        offers = []
        for name, value in OFFER.findall(accepted):
            key = self.machine.keys.get(name)
            fits = key is not None and (value in (*key.words, *key.other_words) or (not key.words and value.isdigit()))
            if fits and name not in self.kept and self.machine.draws(key) and self.settings.get(name) != value:
                offers.append((name, value))
        if not offers or self.rng.random() < 0.5:
            return False
        name, value = self.rng.choice(offers)
        self.settings[name] = value
        return True

    def repair_around(self, blamed, message):
        """A key that the case is about is refused: it gets another value, or what the refusal names beside it, or any
        other key, goes."""
        others = [name for name in self.settings if name not in self.kept and not self.machine.hint(name).always]
        named = [name for name in others if name in message]
        if blamed in self.wanted and (not others or self.rng.random() < 0.5):
            value = self.suggested(blamed, message.partition("; accepted: ")[2])
            if value != self.machine.keys[blamed].default.strip('"'):
                self.settings[blamed] = value
        elif named:
            del self.settings[self.rng.choice(named)]
        elif others:
            for name in self.rng.sample(others, min(len(others), 1 + len(others) // 4)):
                del self.settings[name]
        elif blamed in self.settings:
            del self.settings[blamed]
        else:
            self.repair_default(blamed, message.partition("; accepted: ")[2])

    def drop_idle(self, blamed):
        """Keys that decide nothing beside the present words go together."""
        del self.settings[blamed]
        words = self.words()
        self.without_effect[blamed] = words
        for name in self.machine.idle(words) or ():
            if name not in self.kept:  # their words are more than these
                self.settings.pop(name, None)

    def repair_default(self, blamed, accepted):
        """The refusal is about a key that has its default, or about none: it or another one must change."""
        named = [key for key in self.settings if key in accepted
                 and (key not in self.kept or self.attempts > 2 * PATIENCE)]
        if blamed in self.machine.keys and blamed not in self.machine.profile.covered and self.rng.random() < 0.7:
            self.settings[blamed] = self.suggested(blamed, accepted)
        elif named:
            del self.settings[self.rng.choice(named)]
        else:
            for name in self.rng.sample(sorted(self.settings), min(len(self.settings), 1 + self.attempts // PATIENCE)):
                del self.settings[name]

    def suggested(self, name, accepted):
        """A value as the refusal says it, or another random one."""
        key = self.machine.keys[name]
        found = re.search(r"at least (\d+)", accepted) or re.search(r"up to (\d+)", accepted)
        bounds = re.search(r"(\d+) ?\.\. ?(\d+)", accepted)
        first = re.match(r"(\d+)(?=$|,| or | with )", accepted)
        offered = [word for word in key.words if re.search(rf"\b{word}\b", accepted)]
        if offered and self.rng.random() < 0.8:
            return self.rng.choice(offered)
        if key.type == "integer" and (first or found) and self.rng.random() < 0.8:
            return (first or found).group(1)
        if key.type == "integer" and bounds and self.rng.random() < 0.8:
            low, high = int(bounds.group(1)), int(bounds.group(2))
            return str(self.rng.randint(low, min(high, low + 20)) if low <= high else low)
        if key.type == "integer" and "power of two" in accepted:
            return str(min(2 ** self.rng.randint(int(key.least).bit_length(), 20), int(key.most)))
        return value_of(key, self.machine.hint(name), self.rng, self.network)
