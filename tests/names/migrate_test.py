#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/migrate: names of before become those of today, in place. usage: migrate_test.py CLASS"""

import json
import os
import pathlib
import stat
import subprocess
import unittest.mock

from names_testing import ROOT, Names, run
from tsuji import Refused, Result, migrate, migrate_main, renames, schema

TABLE = """# a table of the test's own
key    0.2  a.old     a.new
key    0.2  a.gone    b.there
key    0.3  a.list    b.list
key    0.2  old       top
key    0.2  a.b.deep  a.shallow
key    0.2  c.last    plain
key    0.2  d.more    b.more
value  0.2  a.kind=x  a.kind=y b.meant=1 c.too=2
value  0.3  a.kind=z  b.mode=w
metric 0.2  cycles    cycles_mean
table  0.2  rows      lines
header 0.2  tsuji/old/a.h  tsuji/new/a.h
"""


class Moves(Names):
    TABLE = TABLE

    def moved(self, text, expected, changes=None, name="a.yaml"):
        """`text` becomes `expected`, which itself stays."""
        path = pathlib.Path(name)
        found, told = migrate.migrated(text, path)
        self.assertEqual(found, expected)
        if changes is not None:
            self.assertEqual([line.partition(": ")[2] for line in told], changes)
        self.assertEqual(migrate.migrated(expected, path), (expected, []))
        return told

    def refused(self, text, words, name="a.yaml"):
        with self.assertRaises(Refused) as refusal:
            migrate.migrated(text, pathlib.Path(name))
        self.assertIn(words, str(refusal.exception))

    def test_a_key_is_renamed_where_it_stands(self):
        told = self.moved("a:\n  # about it\n  old: 3   # flits\n  x: 1\n",
                          "a:\n  # about it\n  new: 3   # flits\n  x: 1\n", ["a.old -> a.new"])
        self.assertTrue(told[0].startswith("a.yaml:3:3: "), told)
        self.moved("a: {x: [1, 2], old: 3}\r\n", "a: {x: [1, 2], new: 3}\r\n")
        self.moved('"a.old": 3\n', '"a.new": 3\n')
        self.moved("old: 3", "top: 3")
        self.moved("a: {b: {deep: 1, x: 2}}", "a: {b: {x: 2}, shallow: 1}")

    def test_a_key_goes_into_its_section(self):
        self.moved("a:\n  x: 1\n  # why\n  gone: 2  # how\nb:\n    y: 3  # end\n# of b\nc: {}\n",
                   "a:\n  x: 1\nb:\n    y: 3  # end\n    # why\n    there: 2  # how\n# of b\nc: {}\n",
                   ["a.gone -> b.there"])
        self.moved("b: {y: 3}  # of b\na: {gone: 2, x: 1}\n", "b: {y: 3, there: 2}  # of b\na: {x: 1}\n")
        self.moved("a: {x: 1, gone: 2}\nb: {y: 3, w: 4}\n", "a: {x: 1}\nb: {y: 3, w: 4, there: 2}\n")
        self.moved("a: {x: 1, gone: 2}\nb:\n  y: 3\n  w: |\n    text\n\n# end\n",
                   "a: {x: 1}\nb:\n  y: 3\n  w: |\n    text\n  there: 2\n\n# end\n")
        self.moved("a: {x: 1, gone: 2}\nb:\n  y: 3", "a: {x: 1}\nb:\n  y: 3\n  there: 2")
        self.moved("a:\n  gone: 2 # how\n  x: 1\nb: {y: 3}\n", "a:\n  x: 1\n# how\nb: {y: 3, there: 2}\n")

    def test_a_section_is_made(self):
        self.moved("a: {x: 1, gone: 2, list: [1, 2]}\nz: 1\n", "a: {x: 1}\nb: {there: 2, list: [1, 2]}\nz: 1\n")
        self.moved("a:\n  gone: 2  # how\n  x: 1\n\nz: 1\n", "a:\n  x: 1\nb:\n  there: 2  # how\n\nz: 1\n")
        self.moved("a.gone: 2\nz: 1\n", "b.there: 2\nz: 1\n")
        self.moved("a: {x: 1, gone: 2}\nd: {x: 1, more: 3}\n", "a: {x: 1}\nb: {there: 2, more: 3}\nd: {x: 1}\n")
        self.moved("a:\n  gone:\n  x: 1\n", "a:\n  x: 1\nb:\n  there:\n")
        self.moved("c: {last: 5, x: 1}\n", "c: {x: 1}\nplain: 5\n")
        self.moved("{a: {x: 1, gone: 2}, z: 1}", "{a: {x: 1}, b: {there: 2}, z: 1}")

    def test_a_section_without_keys_goes(self):
        self.moved("# all\na:  # of a\n  # why\n  gone: 2\n# z\nz: 1\n",
                   "# all\nb:\n  # why\n  there: 2\n# of a\n# z\nz: 1\n")
        self.moved("a: {gone: 2}\nz: 1\n", "b: {there: 2}\nz: 1\n")
        self.moved("b: {y: 1}\na: {gone: 2}  # of a\n", "b: {y: 1, there: 2}\n# of a\n")
        self.moved("{a: {gone: 2}, z: 1}", "{b: {there: 2}, z: 1}")
        self.moved("{z: 1, b: {y: 1}, a: {gone: 2}}", "{z: 1, b: {y: 1, there: 2}}")

    def test_braces_over_several_lines_keep_their_comments(self):
        self.moved("a: {x: 1,  # of x\n    gone: 2}\nz: 1\n", "a: {x: 1,  # of x\n    }\nb: {there: 2}\nz: 1\n")
        self.moved("a: {gone: 2,  # of it\n    x: 1}\nz: 1  # of z\n",
                   "a: {x: 1}\n# of it\nb: {there: 2}\nz: 1  # of z\n")
        self.moved("a: {x: 1, gone: 2  # of it\n}\nz: 1\n", "a: {x: 1}\n# of it\nb: {there: 2}\nz: 1\n")
        self.moved("a: {x: 1,  # of x\n    gone: 2  # of it\n}\n", "a: {x: 1,  # of x\n    }\n# of it\nb: {there: 2}\n")
        self.refused("{a: {gone: 2},  # of a\n z: 1, b: {y: 1}}", "its comment has no place in braces")
        self.refused("{a: {gone: 2,  # of it\n x: 1}}", "its comment has no place in braces")

    def test_a_value_is_renamed_with_what_it_meant(self):
        self.moved("a: {kind: x}\n", "a: {kind: y}\nb: {meant: 1}\nc: {too: 2}\n",
                   ["a.kind=x -> a.kind=y", "added b.meant=1", "added c.too=2"])
        self.moved("a: {kind: 'x'}\nb:\n  meant: 7\nc: {x: 1}\n", "a: {kind: 'y'}\nb:\n  meant: 7\nc: {x: 1, too: 2}\n")
        self.moved("a:\n  kind: z  # which\n  x: 1\n", "a:\n  x: 1\nb:\n  mode: w  # which\n")
        self.moved("a: {kind: [x]}\n", "a: {kind: [x]}\n")

    def test_what_an_old_key_sets_is_not_added(self):
        table = TABLE + "key 0.2 a.m b.meant\n"
        (self.folder / "table.txt").write_text(table)
        self.moved("a: {kind: x, m: 9}\n", "a: {kind: y}\nb: {meant: 9}\nc: {too: 2}\n")

    def test_what_cannot_be_moved_is_refused(self):
        self.refused("a: {old: 1, new: 2}", "a.yaml:1:5: a.old: is called a.new since 0.2, and a.new stands at "
                     "a.yaml:1:13, too (got '1'); accepted: one of them")
        self.refused("a:\n  list:\n    - 1\n    - 2\n",
                     "a.yaml:2:3: a.list: is called b.list, and a value of several lines")
        self.refused("a:\n  gone: |\n    1\n", "a value of several lines")
        self.refused("a: &x {gone: 1}\nb: *x\n", "a.yaml:1:4: anchors and aliases cannot be moved")
        self.refused("a: [", "a.yaml:1:5: ")
        self.refused("a: {gone: 1, gone: 2}",
                     "a.gone: is called b.there since 0.2, and a.gone stands at a.yaml:1:14, too")

    def test_what_is_no_configuration_stays(self):
        for text in ("", "# nothing\n", "[old]\n", "old\n", "x: {old: 1}\n"):
            self.moved(text, text)

    def test_a_study(self):
        text = ("platform: network\nset: {a.old: 1, a: {gone: 2}}\naxes:\n  a.old: [1, 2]\n  n: {one: {a: {kind: x}}, "
                "two: {z: 1}}\n"
                "  zip: {zip: {a.gone: [1], z: [2]}}\n  drawn: {latin_hypercube: {points: 2, seed: 1, keys: {old: [1, "
                "2]}}}\n"
                "curve: {loads: [0.1, 0.2], key: a.gone}\nreplicates: {key: a.kind, values: [z, q]}\nuntil: {metric: "
                "cycles, relative: 0.1}\n"
                "metrics: [hops, cycles]\npareto: {cycles: min, hops: max}\n")
        (self.folder / "table.txt").write_text(TABLE.replace("a.kind=z  b.mode=w", "a.kind=z  a.kind=w"))
        told = self.moved(text, text.replace("set: {a.old: 1, a: {gone: 2}}",
                                             "set: {a.new: 1, b: {there: 2}}").replace("  a.old: [1", "  a.new: [1")
                          .replace("{a: {kind: x}}",
                                   "{a: {kind: y}, b: {meant: 1}, c: {too: 2}}").replace("{a.gone: [1]",
                                                                                         "{b.there: [1]")
                          .replace("keys: {old:", "keys: {top:").replace("key: a.gone",
                                                                         "key: b.there").replace("[z, q]", "[w, q]")
                          .replace("metric: cycles", "metric: cycles_mean").replace("[hops, cycles]",
                                                                                    "[hops, cycles_mean]").replace("{cycles: min", "{cycles_mean: min"))  # noqa: E501
        self.assertEqual(told[0], "a.yaml:2:7: a.old -> a.new")
        self.assertIn("a.yaml:4:3: a.old -> a.new", told)
        self.assertIn("a.yaml:9:36: a.kind=z -> a.kind=w", told)
        self.assertEqual([line for line in told if "cycles" in line],
                         [f"a.yaml:{place}: cycles -> cycles_mean" for place in ("10:17", "11:17", "12:10")])
        self.refused("axes: {a.kind: [x, q]}\nmetrics: [m]\n",
                     "a.yaml:1:17: a.kind: is called a.kind=y since 0.2, with b.meant=1 c.too=2 (got 'x'); accepted: "
                     "variants")

    def test_sources_include_the_new_header(self):
        text = ('#include "tsuji/old/a.h"\n#include <tsuji/old/a.h> // why\n  # include "tsuji/old/b.h"\n// '
                '"tsuji/old/a.h"\nold: 1\n')
        expected = text.replace('include "tsuji/old/a.h"',
                                'include "tsuji/new/a.h"').replace("<tsuji/old/a.h>", "<tsuji/new/a.h>")
        told = self.moved(text, expected, name="a.cpp")
        self.assertEqual(told, ["a.cpp:1:11: tsuji/old/a.h -> tsuji/new/a.h",
                                "a.cpp:2:11: tsuji/old/a.h -> tsuji/new/a.h"])


class CommandLine(Names):
    TABLE = None

    def call(self, *words):
        return subprocess.run([ROOT / "scripts/migrate", *words], capture_output=True, text=True, cwd=self.folder,
                              timeout=300)

    def test_files_are_moved_all_or_none(self):
        old, same = self.write("a.yaml", "workload: {kind: uniform}\n"), self.write("b.yaml", "network: {nodes: 16}\n")
        old.chmod(0o640)
        link = self.folder / "link.yaml"
        link.symlink_to("a.yaml")
        before = same.stat().st_mtime_ns
        done = self.call("--check", "link.yaml", "b.yaml")
        self.assertEqual((done.returncode, done.stderr, old.read_text()), (1, "", "workload: {kind: uniform}\n"))
        self.assertIn("link.yaml:1:12: workload.kind=uniform -> workload.kind=synthetic\n", done.stdout)
        wrong = self.write("wrong.yaml", "a: [\n")
        done = self.call("a.yaml", "wrong.yaml")
        self.assertEqual((done.returncode, done.stdout, old.read_text()), (2, "", "workload: {kind: uniform}\n"))
        self.assertIn("migrate: wrong.yaml:2:1: ", done.stderr)
        wrong.unlink()
        self.assertEqual(self.call("link.yaml", "b.yaml").returncode, 0)
        self.assertIn("synthetic", old.read_text())
        self.assertTrue(link.is_symlink())
        self.assertEqual((stat.S_IMODE(old.stat().st_mode), same.stat().st_mtime_ns), (0o640, before))
        done = self.call("--check", "a.yaml", "b.yaml")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.yaml", "b.yaml", "link.yaml"])

    def test_what_cannot_be_read(self):
        self.write("latin.yaml", "x")
        (self.folder / "latin.yaml").write_bytes(b"a: \xff\n")
        for name, said in (("gone.yaml", "cannot be read: No such file"), (".", "cannot be read: Is a directory"),
                           ("latin.yaml", "cannot be read: not UTF-8")):
            done = self.call(name)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"migrate: {said}", done.stderr)
            self.assertIn(f"(got '{name}')", done.stderr)
        self.assertEqual(self.call().returncode, 2)

    def test_what_cannot_be_written(self):
        path = self.write("a.yaml", "workload: {kind: uniform}\n")
        with unittest.mock.patch("os.replace", side_effect=OSError(28, "No space left on device")):
            self.assertEqual(migrate_main.main([str(path)]), 1)
        self.assertEqual((path.read_text(), os.listdir(self.folder)), ("workload: {kind: uniform}\n", ["a.yaml"]))

    def test_help(self):
        done = self.ended(self.call("--help"))
        self.assertTrue(done.stdout.startswith("migrate FILE... [--check]: "), done.stdout)


class Readers(Names):
    TABLE = TABLE

    def result(self, **content):
        self.write("result.json", json.dumps(content))
        return Result(self.folder)

    def test_a_metric_or_table_of_before_names_the_new_one(self):
        result = self.result(schema="tsuji.result/1", metrics={"cycles_mean": {"value": 3, "unit": "cycles"}},
                             tables={"lines": {"columns": [], "rows": []}})
        self.assertEqual((result.metric("cycles_mean"), result.unit("cycles_mean"), result.table("lines")),
                         (3, "cycles", []))
        for call, words in ((result.metric, "cycles is called cycles_mean since 0.2"),
                            (result.unit, "cycles is called cycles_mean since 0.2")):
            self.assertRaisesRegex(KeyError, words, call, "cycles")
        self.assertRaisesRegex(KeyError, "rows is called lines since 0.2", result.table, "rows")
        self.assertRaisesRegex(KeyError, "^'other'$", result.metric, "other")

    def test_a_metric_of_before_that_a_result_has_is_read(self):
        self.assertEqual(self.result(schema="tsuji.result/1", metrics={"cycles": {"value": 3, "unit": ""}},
                                     tables={}).metric("cycles"), 3)

    def test_another_schema_is_refused_with_what_to_do(self):
        for content, words in (({"metrics": {}}, "names no schema"),
                               ({"schema": 1}, "has the schema '1', no run's: tsuji.result/1"),
                               ({"schema": "tsuji.result/0"}, "no run's"), ({"schema": "tsuji.results/1"}, "no run's"),
                               ({"schema": "tsuji.result/2", "version": "0.9"},
                                "has the schema tsuji.result/2 of a newer tsuji 0.9: read it with the scripts of that "
                                "one"),
                               ({"schema": "tsuji.result/10"}, "of a newer tsuji: ")):
            self.assertIn(words, schema.problem(content))
            with self.assertRaises(Refused) as refusal:
                self.result(**content)
            self.assertTrue(str(refusal.exception).startswith(f"{self.folder}/result.json: ")
                            and words in str(refusal.exception), refusal.exception)
        self.assertEqual(schema.problem({"schema": "tsuji.result/1"}), "")
        self.assertIn("names no schema", schema.problem([]))


class Table(Names):
    def test_every_line_is_whole_and_no_new_name_is_an_old_one(self):
        table = renames.table()
        lines = [line for line in renames.PATH.read_text().splitlines() if line and not line.startswith("#")]
        self.assertEqual(len(table), len(lines), "an old name stands twice")
        for (kind, old), rename in table.items():
            self.assertIn(kind, renames.KINDS)
            self.assertRegex(rename.since, r"^\d+\.\d+$")
            self.assertNotIn((kind, rename.new), table, f"{old}: its new name is one of before: write today's")
            self.assertFalse(rename.adds and kind not in ("key", "value"), old)
        # A word is under its key of today, or a file would need two calls.
        for (kind, old), rename in table.items():
            if kind == "value":
                self.assertIn("=", rename.new, old)
        for (kind, old), rename in table.items():
            if kind == "header":
                self.assertTrue(old.startswith("tsuji/"),
                                f"{old}: an installation would have it beside other projects' headers")
                self.assertTrue((ROOT / "models" / rename.new).is_file(), rename.new)
                self.assertFalse((ROOT / "models" / old).exists(), old)


if __name__ == "__main__":
    run()
