#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Repairs of refused configurations, and the words of keys that have their turn together.

usage: repairs_test.py FOLDER_OF_THIS_FILE"""

import pathlib
import random
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))

from fuzzing.draw import NO_HINT, Hint  # noqa: E402
from fuzzing.keys import parse_keys  # noqa: E402
from fuzzing.repairs import MOST_AGAIN, MOST_BLAMED, PATIENCE, Repairs  # noqa: E402
from fuzzing.wanted import Context  # noqa: E402

KEYS = parse_keys("".join(f"{name}\n    what it means\n    type: {kind}; default: {default}; accepted: {accepted}\n"
                          for name, kind, default, accepted in (
                              ("mode.kind", "word", "plain", "one of plain, odd, even"),
                              ("size.a", "integer", "4", "an integer 1..9"),
                              ("size.long", "integer", "99", "an integer 1..99"),
                              *((f"other.k{i}", "integer", "1", "an integer 1..9") for i in range(8)))))
ODD_ONLY = ("size.long",)  # without effect beside mode.kind plain


class FakeMachine:
    keys = KEYS
    profile = types.SimpleNamespace(selectors=("mode.kind",), covered=())

    def hint(self, name):
        return Hint(most=5, always=True) if name == "size.long" else NO_HINT

    def draws(self, _key):
        return True

    def idle(self, words):
        return set() if words.get("mode.kind", "plain") != "plain" else set(ODD_ONLY)


class FakeCase(Repairs):
    def __init__(self, **settings):
        super().__init__()
        self.machine, self.network, self.rng = FakeMachine(), None, random.Random(1)
        self.settings = {name.replace("__", "."): value for name, value in settings.items()}
        self.asked = 0

    def rng_of(self, key):
        return random.Random(key)

    def topology(self):
        return {name: value for name, value in self.settings.items() if name == "size.a"}

    def ask_topology(self):
        self.asked += 1
        return ""


def refusal(name, value, why, accepted):
    return f"fake: --set {name}={value}: {name}: {why} (got '{value}'); accepted: {accepted}\n"


class Repaired(unittest.TestCase):
    def test_what_keeps_a_run_short_is_drawn_again(self):
        case = FakeCase(mode__kind="odd", size__a="9", size__long="2")
        for _ in range(MOST_AGAIN):
            case.settings = {"mode.kind": "odd", "size.a": "9"}
            case.repair(refusal("size.a", "9", "too large", "1..3"))
            self.assertLessEqual(int(case.settings["size.long"]), 5)
        case.settings = {"mode.kind": "odd", "size.a": "9"}
        case.repair(refusal("size.a", "9", "too large", "1..3"))
        self.assertNotIn("size.long", case.settings, "some configurations bear its default alone")

    def test_it_is_not_where_it_has_no_effect(self):
        case = FakeCase(size__a="9")
        case.repair(refusal("size.a", "9", "too large", "1..3"))
        self.assertNotIn("size.long", case.settings)
        case = FakeCase(mode__kind="odd", size__long="2")
        case.repair(refusal("size.long", "2", "has no effect with other.k1 1", "other.k1 2, or the key left out"))
        self.assertNotIn("size.long", case.settings)
        case.settings["mode.kind"] = "even"
        case.repair(refusal("other.k1", "2", "too large", "1"))
        self.assertIn("size.long", case.settings, "with other words it may")

    def test_offers_of_a_refusal_are_taken(self):
        def ends(accepted, kept=()):
            found = set()
            for seed in range(60):
                case = FakeCase(mode__kind="odd", size__a="3")
                case.rng, case.kept = random.Random(seed), set(kept)
                found.add((case.take_offer(accepted), case.settings["mode.kind"], case.settings.get("other.k1")))
            return found
        no = (False, "odd", None)
        self.assertEqual(ends("1, or mode.kind even"), {no, (True, "even", None)})
        self.assertEqual(ends("1, or other.k1 7 and more"), {no, (True, "odd", "7")})
        for nothing in ("1, or mode.kind or other.k1 of at least 1", "mode.kind odd", "1, or unknown.key 3"):
            self.assertEqual(ends(nothing), {no}, nothing)
        self.assertEqual(ends("1, or mode.kind even", kept=["mode.kind"]), {no})

    def test_values_that_are_named_are_taken(self):
        def suggestions(name, accepted):
            case = FakeCase()
            return [case.suggested(name, accepted) for _ in range(50)]
        self.assertGreater(suggestions("size.a", "7, its default, or mode.kind plain").count("7"), 30)
        self.assertGreater(suggestions("size.a", "6 with mode.kind plain").count("6"), 30)
        self.assertGreater(suggestions("size.a", "at least 8, or mode.kind plain").count("8"), 30)
        self.assertGreater(suggestions("mode.kind", "even").count("even"), 30)
        self.assertGreater(len(set(suggestions("mode.kind", "even"))), 1, "others now and then")

    def test_a_case_is_soon_about_its_own_keys_alone(self):
        case = FakeCase(mode__kind="odd", size__a="3", size__long="2", **{f"other__k{i}": "2" for i in range(8)})
        case.kept, case.wanted = {"size.a"}, ["size.a"]
        for case.attempts in range(PATIENCE + 1, PATIENCE + 6):
            case.repair(refusal("mode.kind", "odd", "does not fit", "another one"))
        self.assertEqual({name for name in case.settings if name.startswith("other.")}, set())
        self.assertEqual(case.settings["size.a"], "3")

    def test_a_key_that_is_always_refused_loses_its_turn(self):
        case = FakeCase(size__a="3")
        case.kept, case.wanted = {"size.a"}, ["size.a"]
        for _ in range(MOST_BLAMED):
            case.repair(refusal("size.a", case.settings["size.a"], "never", "the default"))
            self.assertIn("size.a", case.settings)
        for _ in range(20):
            if "size.a" in case.settings:
                case.repair(refusal("size.a", case.settings["size.a"], "never", "the default"))
        self.assertNotIn("size.a", case.settings)

    def test_keys_without_effect_go_and_those_of_the_case_stay(self):
        case = FakeCase(size__long="2", other__k1="2")
        case.kept = {"size.long"}
        case.drop_idle("other.k1")
        self.assertEqual(set(case.settings), {"size.long"})
        case.kept = set()
        case.settings["other.k1"] = "2"
        case.drop_idle("other.k1")
        self.assertEqual(case.settings, {})

    def test_another_topology_is_learned(self):
        case = FakeCase(size__a="9", other__k1="3")
        case.attempts = 1
        case.repair(refusal("other.k1", "3", "too large", "1..2"))
        self.assertEqual(case.asked, 0)
        case.repair(refusal("size.a", "9", "too large", "3"))
        self.assertEqual(case.asked, 1)


class Together(unittest.TestCase):
    """Keys whose turn it is in one case."""

    NEEDS = {"other.k1": {"mode.kind": "odd"}, "other.k2": {"mode.kind": "plain"}, "other.k3": {}}

    def context(self, fitting=("plain", "odd", "even")):
        def needs(settings):
            return [(name, [(selector, [word])]) for name, uses in self.NEEDS.items() if name in settings
                    for selector, word in uses.items() if settings.get(selector, "plain") != word]
        machine = FakeMachine()
        machine.needs, machine.fitting_words = needs, lambda *_: list(fitting)
        return Context(types.SimpleNamespace(machine=machine, network=None, rng_of=random.Random), {})

    def test_each_keeps_its_effect(self):
        for first, second in (("other.k1", "other.k2"), ("other.k2", "other.k1")):
            context = self.context()
            self.assertTrue(context.add(first))
            self.assertFalse(context.add(second), "the first one would lose its effect")
            self.assertTrue(context.add("other.k3"))
            self.assertEqual(set(context.wanted), {first, "other.k3"})
            self.assertEqual(context.settings.get("mode.kind", "plain"), self.NEEDS[first]["mode.kind"])

    def test_words_that_do_not_fit_are_not_chosen(self):
        self.assertFalse(self.context(fitting=("plain", "even")).add("other.k1"))

    def test_a_word_that_has_its_turn_stays(self):
        context = self.context()
        self.assertTrue(context.add("mode.kind"))
        self.assertNotEqual(context.wanted["mode.kind"], "plain")
        self.assertEqual(context.add("other.k1"), context.wanted["mode.kind"] == "odd")


if __name__ == "__main__":
    unittest.main()
