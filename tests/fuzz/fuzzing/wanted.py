# SPDX-License-Identifier: Apache-2.0
"""The keys that a case is about: each has its turn once in ROUND cases, away from its default and with the words that
it needs.

Which words those are, the executable says: it refuses a key without effect with the words that read it.
"""

import re
import zlib

from . import oracle
from .draw import value_of

ROUND = 64
MOST_STEPS, MOST_DRAWS = 8, 40
IDLE = re.compile(r"has no effect with .*; accepted: (.*), or the key left out$")


def turn_of(name, number):
    """Whether a key has its turn in a case. Other keys do not matter; which keys share a case is another matter in each
    round."""
    return zlib.crc32(f"{number // ROUND} {name}".encode()) % ROUND == number % ROUND


def place_of(name, number, seed):
    """The place of a key among those that have their turn in a case, from 0 up to 1: the first one has the words that
    it needs. A key of the last places in one round is among the first in one of the next two."""
    return (zlib.crc32(f"{seed} {name}".encode()) / 2 ** 32 + number // ROUND / 3) % 1


def another_value(case, name):
    """A drawn value that is not the default, or None."""
    key = case.machine.keys[name]
    rng = case.rng_of(name + " wanted")
    for _ in range(MOST_DRAWS):
        value = value_of(key, case.machine.hint(name), rng, case.network)
        if value != key.default.strip('"') and value.replace(" ", "") != key.default.replace(" ", ""):
            return value
    return None


def uses_in(text):
    """[(selector, [word])] of a refusal's "topology.kind mesh, torus, routing.kind compact"; a selector that must be
    set has no words."""
    uses = []
    for part in text.split(", "):
        selector, blank, word = part.rpartition(" ")
        if blank:
            uses.append((selector, []))
        if not (blank and word == "set"):
            uses[-1][1].append(word.strip('"'))
    return uses


class Context:
    """Settings with which a key of a case has an effect."""

    def __init__(self, case, settings):
        self.case, self.settings = case, dict(settings)
        self.fixed = set(settings)
        self.wanted = {}  # name to value of the keys that have an effect with these settings, all together

    def may_draw(self, selector, word):
        """Whether the profile ever draws a word."""
        draw = self.case.machine.hint(selector).draw
        rng = self.case.rng_of(selector + " may")
        return draw is None or any(draw(rng, self.case.network) == word for _ in range(MOST_DRAWS))

    def choose(self, name, uses):
        """Sets one of the selectors as a key needs it; False where none may be."""
        machine, rng = self.case.machine, self.case.rng_of(name + " needs")
        pairs = [(selector, word) for selector, words in uses for word in words or [None]]
        rng.shuffle(pairs)
        for selector, word in pairs:
            if selector in self.fixed or not machine.draws(machine.keys[selector]):
                continue
            if word is None:
                word = another_value(self.case, selector)
            fits = not machine.keys[selector].words or word in machine.fitting_words(selector, self.settings)
            if word is not None and fits and self.may_draw(selector, word):
                self.settings[selector] = word
                return True
        return False

    def add(self, name):
        """Makes a key have an effect, or changes nothing and returns False."""
        before = dict(self.settings)
        value = another_value(self.case, name) or self.case.machine.keys[name].default.strip('"')
        for _ in range(MOST_STEPS):
            idle = self.case.machine.needs({**self.settings, **self.wanted, name: value})
            if not idle:
                self.wanted[name] = value
                self.fixed |= {*self.settings, name}
                return True
            blamed, uses = idle[0]
            if blamed in self.wanted or not self.choose(blamed, uses):
                break
        self.settings = before
        return False


def needs_in(text, keys):
    """[(key, uses)] of the keys that a refusal calls without effect."""
    found = []
    for mistake in oracle.mistakes(text):
        idle = IDLE.search(mistake)
        if idle:
            found.append((oracle.blamed_key(mistake, keys), uses_in(idle.group(1))))
    return found
