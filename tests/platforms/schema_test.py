# SPDX-License-Identifier: Apache-2.0
"""--json-schema of a platform, as a validator of others takes it.

    schema_test.py EXECUTABLE

The schema has the keys of --list-keys with their types, ranges, words, units and defaults, and no others. The committed
configurations that the platform takes are valid, and so is all that --print-config writes. A file with an unknown key,
a wrong word, a value out of range or of another type is not, nor is it taken by the platform.
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("fuzz", "keys")]
from fuzzing.keys import parse_keys  # noqa: E402
from key_table import leaves  # noqa: E402

PROJECT = pathlib.Path(__file__).resolve().parents[2]
EXECUTABLE = None


def run(*arguments, status=0):
    done = subprocess.run([EXECUTABLE, *arguments], capture_output=True, text=True, timeout=60, cwd=PROJECT)
    if done.returncode != status:
        raise AssertionError(f"{EXECUTABLE} {' '.join(arguments)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def committed():
    """The configurations of the project."""
    listed = sorted((PROJECT / "platforms").rglob("*.yaml"))
    assert len(listed) >= 10, listed
    return listed


def nested(key, value):
    """A configuration that sets one key."""
    for part in reversed(key.split(".")):
        value = {part: value}
    return value


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(run("--json-schema"))
        cls.keys = parse_keys(run("--list-keys"))
        cls.leaves = leaves(cls.schema)
        jsonschema.Draft7Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft7Validator(cls.schema)

    def assert_valid(self, configuration, name):
        problems = [error.message for error in self.validator.iter_errors(configuration)]
        self.assertEqual(problems, [], name)

    def assert_refused_by_both(self, configuration):
        self.assertFalse(self.validator.is_valid(configuration), configuration)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(configuration, file)
            file.flush()
            run(file.name, "--print-config", status=2)

    def test_the_keys_of_list_keys_and_no_others(self):
        self.assertEqual(list(self.leaves), list(self.keys))
        for name, key in self.keys.items():
            with self.subTest(key=name):
                part = self.leaves[name]
                self.assertTrue(part["description"].startswith(key.meaning))
                self.assertIn(f"; unit: {key.unit}" if key.unit else "", part["description"])
                self.assertEqual(part["default"], yaml.safe_load(key.default))
                options = part.get("anyOf", [part])
                words = tuple(word for option in options for word in option.get("enum", []))
                if key.type == "word":
                    self.assertEqual(words, key.words)
                    continue
                self.assertEqual(words, key.other_words)
                if key.type == "bool":
                    self.assertEqual(options[0]["type"], "boolean")
                elif key.type in ("text", "path"):
                    self.assertIn("string", part["type"])
                elif key.type == "list":
                    self.assertEqual((part["minItems"], part["maxItems"]), (key.fewest, key.longest))
                    self.assert_range(part["items"], "integer", key)
                else:
                    self.assert_range(options[0], key.type, key)

    def assert_range(self, part, kind, key):
        # A number with a unit is a text.
        self.assertEqual(part["type"], [kind, "string"] if "pattern" in part else kind)
        self.assertEqual(part["minimum"], key.least)
        self.assertEqual(part.get("maximum", 2 ** 64 - 1), key.most)

    def test_a_number_with_a_unit_is_a_text_that_names_the_key_s_unit_first(self):
        units = {"cycles": "(cycles|ps|ns|us|ms|s)$", "ns": "(ns|ps|us|ms|s)$", "ps": "(ps|ns|us|ms|s|MHz|GHz)$",
                 "bytes": "(bytes|B|kB|MB|GB|KiB|MiB|GiB|TiB)$"}
        for name, key in self.keys.items():
            options = self.leaves[name].get("anyOf", [self.leaves[name]])
            patterns = [option["pattern"] for option in options if "pattern" in option]
            takes = key.type.startswith(("integer", "number")) and key.unit in units
            if takes:
                self.assertTrue(patterns[0].endswith(units[key.unit]), name)
            elif not key.unit or key.type in ("word", "text", "list"):
                self.assertEqual(patterns, [], name)

    def test_configurations_are_valid(self):
        taken = 0
        for path in committed():
            done = subprocess.run([EXECUTABLE, str(path), "--print-config"], capture_output=True, timeout=60,
                                  cwd=PROJECT)
            if done.returncode != 0:
                continue  # of another platform
            taken += 1
            with self.subTest(file=path.name):
                self.assert_valid(yaml.safe_load(path.read_text()), path.name)
        if pathlib.Path(EXECUTABLE).name != "lookup_study":
            self.assertGreater(taken, 0)
        self.assert_valid(yaml.safe_load(run("--print-config", "all")), "--print-config")

    def test_refuses_what_the_platform_refuses(self):
        section, _, last = list(self.keys)[-1].rpartition(".")
        self.assert_refused_by_both({"no_such_section": {}})
        self.assert_refused_by_both(nested(f"{section}.{last}x", 1))
        self.assert_refused_by_both(nested(section, 1))
        self.assert_refused_by_both({f"{section}.{last}x": 1})
        of_type = {}
        for name, key in self.keys.items():
            of_type.setdefault("other" if key.other_words else key.type, name)
        for kind in ("word", "integer", "number", "bool", "list", "text", "path", "other"):
            if kind not in of_type:
                continue
            name = of_type[kind]
            with self.subTest(key=name):
                self.assert_valid(nested(name, self.leaves[name]["default"]), name)
                self.assert_refused_by_both(nested(name, {"a": 1}))
                if kind not in ("text", "path"):
                    self.assert_refused_by_both(nested(name, "no_such_word"))
        for name, key in self.keys.items():
            if key.type == "integer" and key.most < 2 ** 64 - 1:
                self.assertFalse(self.validator.is_valid(nested(name, int(key.most) + 1)), name)
                self.assertTrue(self.validator.is_valid(nested(name, int(key.most))), name)

    def test_dotted_keys(self):
        """Any part of a key may be written dotted, in any section."""
        for name in self.keys:
            parts = name.split(".")
            default = self.leaves[name]["default"]
            for cuts in range(1, 2 ** (len(parts) - 1)):
                words, value = [parts[0]], copy.deepcopy(default)
                for at, part in enumerate(parts[1:]):
                    if cuts >> at & 1:
                        words[-1] += "." + part
                    else:
                        words.append(part)
                for word in reversed(words):
                    value = {word: value}
                self.assert_valid(value, words)


if __name__ == "__main__":
    EXECUTABLE = sys.argv.pop()
    unittest.main()
