#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The drawing of mutants: the same seed draws the same ones, each operator makes its change and no other, and the
result still parses.

usage: mutate_test.py PROJECT"""

import collections
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from mutating import equivalents  # noqa: E402
from mutating.changes import OPERATORS, changes, mask  # noqa: E402
from mutating.draw import draw, files_of, folders_of, mutants_of  # noqa: E402
from mutating.expressions import expression_of  # noqa: E402
from mutating.notice import ALSO, noticing  # noqa: E402
from mutating.report import summary  # noqa: E402
from mutating.switches import DECLARATIONS, DEFINITIONS, switched  # noqa: E402
from mutating.trial import Verdict  # noqa: E402

PROJECT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else __file__).resolve()

SAMPLE = r'''
#include <vector>
#define LIMIT(x) ((x) < 7 ? 1 : 2)
static_assert(sizeof(int) == 4, "a < b");
// a comment: if (a < b) return 3;
/* another: x = 1; */
struct Thing {
  explicit Thing(int first);
  int count() const { return count_; }
  void reset();
  int count_ = 0x1f;
  int limit_ = int(5);
};
int other(int a, ...);
Thing::Thing(int first) : count_(other(first, 3)) {}
template <class T>
bool less(const std::vector<T>& values, T least) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] <= least) continue;
    if (!(least == values[i])) return true;
    else least += 1'000;
  }
  while (least > 2) --least;
  const char* text = "x < 1; y = 2;";
  const char letter = ';';
  return text[0] != letter;
}
void Thing::reset() {
  count_ = other(
      count_);
  other(3U);
  switch (count_) {
    case 1:
      other(2);
      break;
    default:
      throw 5;
  }
}
'''


def made(text):
    """{(operator, scope, expression before, expression after)}"""
    return {(one.operator, *expression_of(text, one)) for one in changes(text)}


class Changes(unittest.TestCase):
    def test_each_operator_makes_its_changes(self):
        found = made(SAMPLE)
        for wanted in (
            ("comparison", "less", "if (values[i] <= least)", "if (values[i] < least)"),
            ("comparison", "less", "for (std::size_t i = 0; i < values.size(); ++i)",
             "for (std::size_t i = 0; i <= values.size(); ++i)"),
            ("comparison", "less", "return text[0] != letter", "return text[0] == letter"),
            ("one", "Thing", "int count_ = 0x1f", "int count_ = 0x20"),
            ("one", "Thing", "int count_ = 0x1f", "int count_ = 0x1e"),
            ("one", "less", "else least += 1'000", "else least += 1001"),
            ("one", "Thing::reset", "other(3U)", "other(2U)"),
            ("one", "Thing::Thing", "count_(other(first, 3))", "count_(other(first, 4))"),
            ("one", "Thing", "int limit_ = int(5)", "int limit_ = int(6)"),
            ("negation", "less", "while (least > 2)", "while (!(least > 2))"),
            ("negation", "less", "if (!(least == values[i]))", "if ((least == values[i]))"),
            ("negation", "less", "if (!(least == values[i])) return true", "if (!(least == values[i])) return false"),
            ("dropped", "less", "if (values[i] <= least) continue", "if (values[i] <= least)"),
            ("dropped", "less", "else least += 1'000", "else"),
            ("dropped", "less", "while (least > 2) --least", "while (least > 2)"),
            ("dropped", "Thing::reset", "count_ = other(count_)", ""),
            ("dropped", "Thing::reset", "break", ""),
            ("dropped", "Thing::reset", "throw 5", ""),
            ("dropped", "Thing::reset", "other(2)", ""),
            ("return", "less", "return text[0] != letter", "return {}"),
            ("return", "less", "return text[0] != letter", "return 1"),
            ("return", "Thing::count", "return count_", "return {}"),
        ):
            self.assertIn(wanted, found)
        self.assertEqual({one[0] for one in found}, set(OPERATORS))

    def test_function_and_expression_outlast_edits_around_them(self):
        edited = SAMPLE
        for before, after in (("struct Thing",
                               "namespace n {\nconstexpr int before = 4;\nstruct alignas(64) Thing final : Base"),
                              ("(values[i] <= least) continue;",
                               "(values[i] <=  // or equal\n        least) {\n      continue;\n    }"),
                              ("bool less(const std::vector<T>& values, T least) {",
                               "bool less(const std::vector<T>& values,\n          T least) {"),
                              ("  other(3U);",
                               "  before();\n  other(3U);\n  after([&](int a) {\n    if (a > 4) return;\n  });"),
                              ("count_(other(first, 3))", "before_(2), count_(other(first, 3)), after_(3)"),
                              ("int count() const { return count_; }",
                               "int count() const {\n    ++reads_;\n    return count_;\n  }")):
            self.assertIn(before, edited)
            edited = edited.replace(before, after)
        lost = made(SAMPLE) - made(edited)
        self.assertEqual(lost, {("dropped", "less", "if (values[i] <= least) continue", "if (values[i] <= least)")},
                         "whose braces are new")
        self.assertIn(("dropped", "Thing::reset", "if (a > 4) return", "if (a > 4)"), made(edited))

    def test_comments_texts_declarations_and_the_preprocessor_stay(self):
        code = mask(SAMPLE)
        self.assertEqual(len(code), len(SAMPLE))
        for one in changes(SAMPLE):
            line = SAMPLE.splitlines()[one.line(SAMPLE) - 1]
            for word in ("//", "/*", "#", "static_assert", "const char", "explicit", "void reset();", "int other"):
                self.assertNotIn(word, line, one)

    def test_every_change_is_one_place_in_the_same_lines_and_compiles(self):
        with tempfile.TemporaryDirectory(prefix="tsuji-mutate-test-") as place:
            texts = [SAMPLE] + [one.apply(SAMPLE) for one in changes(SAMPLE)]
            self.assertEqual(len(set(texts)), len(texts))
            for number, text in enumerate(texts):
                self.assertEqual(text.count("\n"), SAMPLE.count("\n"))
                (pathlib.Path(place) / f"{number}.cpp").write_text(text)
            names = sorted(str(path) for path in pathlib.Path(place).iterdir())
            done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-w", *names], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)


PROGRAM = r'''
#include <cstdio>
static int walk(int a, int b, bool c) {
  int result = 0;
  if (a < b && !(c || a == 3)) result += 2;
  else result -= b;
  for (int i = 0; i <= b; ++i) {
    if (i == 2) continue;
    if (i > 4 ? a != b : c) break;
    result = result * 2 + i;
  }
  while (result > 100) --result;
  return result + (a >= b ? 1 : 7);
}
int main() {
  for (int a = 0; a < 36; ++a) std::printf("%d %d\n", walk(a / 6, a % 6, false), walk(a / 6, a % 6, true));
}
'''


class Switching(unittest.TestCase):
    def test_a_program_with_switches_does_what_each_of_its_mutants_does(self):
        chosen = [(number, one) for number, one in enumerate(changes(PROGRAM), 1) if one.line(PROGRAM) <= 14]
        self.assertGreater(len(chosen), 35)
        text, out = switched(PROGRAM, mask(PROGRAM), chosen)
        self.assertEqual(out, [])
        self.assertEqual(text.count("\n"), PROGRAM.count("\n"))
        with tempfile.TemporaryDirectory(prefix="tsuji-mutate-test-") as folder:
            place = pathlib.Path(folder)
            for name, content in (("switch.h", DECLARATIONS), ("switch.c", DEFINITIONS), ("all.cpp", text)):
                (place / name).write_text(content)
            subprocess.run(["gcc", "-c", "switch.c"], cwd=place, check=True)
            subprocess.run(["g++", "-w", "-include", "switch.h", "all.cpp", "switch.o", "-o", "all"], cwd=place,
                           check=True)
            for number, change in [(0, None), *chosen]:
                (place / "one.cpp").write_text(change.apply(PROGRAM) if change else PROGRAM)
                subprocess.run(["g++", "-w", "one.cpp", "-o", "one"], cwd=place, check=True)
                # A mutant may never end.
                ends = [subprocess.run(["prlimit", "--cpu=1", f"./{name}"], cwd=place,
                                       env={"TSUJI_MUTANT": str(number)},
                                       capture_output=True, check=False) for name in ("one", "all")]
                self.assertEqual(*((end.returncode, end.stdout) for end in ends), change)


class Drawing(unittest.TestCase):
    def test_the_same_seed_draws_the_same_mutants_and_another_seed_others(self):
        first, again, other = (list(itertools.islice(draw(PROJECT, "link", seed), 200)) for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertEqual(len(set(first)), 200, "none is drawn twice")
        self.assertLess(len(set(first) & set(other)), 100)

    def test_operators_are_drawn_alike_and_headers_too(self):
        drawn = list(itertools.islice(draw(PROJECT, "link", 1), 200))
        for count in collections.Counter(one.change.operator for one in drawn).values():
            self.assertGreater(count, 20)
        self.assertEqual({one.path.rsplit(".")[1] for one in drawn}, {"cpp", "h"})

    def test_a_library_inside_a_folder_is_a_folder_of_its_own(self):
        self.assertIn("host/library", folders_of(PROJECT))
        self.assertFalse([one for one in draw(PROJECT, "host", 1) if one.path.startswith("models/tsuji/host/library/")])

    def test_every_folder_has_tests_that_must_notice(self):
        for folder in folders_of(PROJECT):
            for place in noticing(folder):
                self.assertTrue((PROJECT / "tests" / place / "CMakeLists.txt").is_file(), f"{folder}: tests/{place}")
        self.assertLessEqual(set(ALSO), set(folders_of(PROJECT)))


class Judging(unittest.TestCase):
    def test_only_mutants_that_can_be_noticed_count(self):
        done = [(1, None, Verdict("killed", "a"), ""), (2, None, Verdict("survived"), ""),
                (3, None, Verdict("survived"), "a reason"),
                (4, None, Verdict("same code"), ""), (5, None, Verdict("does not compile"), ""),
                (6, None, Verdict("killed", "a"), "")]
        share, text = summary(done, 1)
        self.assertAlmostEqual(share, 200 / 3)
        self.assertIn("2 of 3 died: 67 %; set aside: 1 equivalent, 1 same code, 1 does not compile", text)

    def test_each_listed_equivalent_is_one_change_and_has_a_reason(self):
        texts = {path: path.read_text(encoding="utf-8") for folder in folders_of(PROJECT)
                 for path in files_of(PROJECT, folder)}
        words = {path: set(re.findall(r"\w+", text)) for path, text in texts.items()}
        entries = equivalents.read()
        wanted = {path for one in entries for path in texts
                  if words[path].issuperset(re.findall(r"\w+", f"{one.scope} {one.before}".replace("namespace ", "")))}
        mutants = [mutant for path in wanted for mutant in mutants_of(path, PROJECT)]
        self.assertEqual(sum(bool(equivalents.Equivalents(entries).reason(mutant)) for mutant in mutants), len(entries))
        found = collections.Counter((mutant.scope, mutant.before, mutant.after) for mutant in mutants)
        for one in entries:
            with self.subTest(scope=one.scope, before=one.before, after=one.after):
                self.assertEqual(found[one[:3]], 1, "no such change of a function, or several; of several functions or "
                                 "statements that are alike "
                                                    "one needs another name, or words that the others do not have")
                self.assertGreater(len(one.reason.split()), 3, one)


if __name__ == "__main__":
    unittest.main()
