#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""READMEs, and the handbook's pages of readers and topics: every command of a console is played and prints the lines
below it, digit for digit, "..." standing for lines left out. Every other command exists, its files are there, and a
platform takes its keys (--print-config). READMEs are short. Commands of LONG are played with `long` alone.
usage: readme_commands_test.py PROJECT BUILD [long]"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

PROJECT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
README = (PROJECT / "README.md").read_text(encoding="utf-8")
PAGE = (PROJECT / "platforms" / "network" / "README.md").read_text(encoding="utf-8")
FOLDERS = ("models", "platforms", "scripts", "testbenches", "tests")
READMES = [path for folder in FOLDERS for path in sorted((PROJECT / folder).rglob("README.md"))]
HANDBOOK = PROJECT / "scripts" / "handbook.d"
PAGES = [path for folder in ("readers", "topics") for path in sorted((HANDBOOK / folder).glob("*.md"))]
TEXTS = {path: path.read_text(encoding="utf-8") for path in (PROJECT / "README.md", *READMES, *PAGES)}
OF_OTHER_FOLDERS = {PROJECT / "platforms" / "example" / "README.md"}  # its commands run in the copied project
MOST_WORDS, MOST_WORDS_OF_A_ROOM = 700, 400
LONG = {("build/platforms/network", "--sweep-load")}  # programs, each with a word of its command line
TIMEOUT_S = 600


def sessions(text):
    """(words of a command, lines below it) of every ```console block, in order."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = part.replace("\\\n", " ").partition("\n")
            found.append((shlex.split(command), printed.splitlines()))
    return found


def is_long(words):
    return any(words[0] == program and word in words for program, word in LONG)


def missing(wanted, printed):
    """The first wanted line that is not printed behind the ones before it, at once or after "..."; None where all
    are."""
    at, skips = 0, True
    for line in wanted:
        if line == "...":
            skips = True
            continue
        places = [i for i in range(at, len(printed)) if printed[i].rstrip() == line.rstrip()]
        if not places or (not skips and places[0] != at):
            return line
        at, skips = places[0] + 1, False
    return None


def commands(text):
    """The words of every command in an indented block or in backquotes, without comment."""
    found = re.findall(r"(?:^ {4,}|`)((?:scripts|build)/(?:\\\n|[^`\n])*)", text, re.M)
    for command in found:
        words = shlex.split(command.replace("\\\n", " "), comments=True)
        yield words[:next((at for at, word in enumerate(words) if word in ("|", ";", "&&")), len(words))]


def is_placeholder(word):
    """DIR/my.cfg, STUDY.yaml, PREFIX/bin."""
    return bool(re.search(r"\b[A-Z][A-Z_]+\b", word)) or "..." in word


def configuration(words):
    """The words of a platform's command line that say its configuration: a file and keys."""
    kept, rest = [], list(words)
    while rest:
        word = rest.pop(0)
        if word == "--set":
            kept += [word, rest.pop(0)]
        elif word.endswith(".yaml") and "/" in word and not kept:
            kept.append(word)
    return kept


class Readme(unittest.TestCase):
    def test_the_check_itself(self):
        printed = ["a 1", "", "b 2", "c 3"]
        for good in (["a 1", "", "b 2"], ["b 2", "c 3"], ["a 1", "...", "c 3"], ["...", "c 3", "..."], []):
            self.assertIsNone(missing(good, printed))
        for bad in (["a 2"], ["a 1", "b 2"], ["c 3", "...", "a 1"], ["a 1", "...", "a 1"]):
            self.assertIsNotNone(missing(bad, printed))

    def test_every_command_prints_what_stands_below_it(self):
        played = [session for text in TEXTS.values() for session in sessions(text)]
        self.assertGreater(len(played), 10)
        long = [session for session in played if is_long(session[0])]
        self.assertEqual(len(long), len(LONG))
        if sys.argv[3:] != ["long"]:
            played = [session for session in played if session not in long]
        with tempfile.TemporaryDirectory(prefix="tsuji-") as place:
            folder = pathlib.Path(place)
            for part in ("platforms", "scripts"):
                (folder / part).symlink_to(PROJECT / part)
            for words, wanted in played:
                with self.subTest(command=" ".join(words)):
                    self.check(folder, words, wanted)

    def check(self, folder, words, wanted):
        if words[0] == "scripts/record_trace" and not pathlib.Path("/usr/bin/smpicc").exists():
            print("skipped: SMPI is not installed: " + " ".join(words))
            (folder / "my.ti.zst").symlink_to(PROJECT / "platforms" / "traces" / "cg64.ti.zst")
            return
        program = BUILD / words[0][len("build/"):] if words[0].startswith("build/") else folder / words[0]
        done = subprocess.run([str(program), *words[1:]], capture_output=True, text=True, cwd=folder, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 1 if "planted" in words[0] else 0, done.stderr)
        self.assertNotIn("warning: ", done.stdout, "a waveform shows the packet that the page speaks of")
        line = missing(wanted, (done.stdout + done.stderr).splitlines())
        self.assertIsNone(line, f"not printed: {line!r}\n{done.stdout}{done.stderr}")

    def test_every_other_command_exists(self):
        checked = 0
        for path, text in TEXTS.items():
            for words in commands(text):
                if path in OF_OTHER_FOLDERS or is_placeholder(words[0]):
                    continue
                with self.subTest(page=path.relative_to(PROJECT), command=" ".join(words)):
                    self.check_words(words)
                    checked += 1
        self.assertGreater(checked, 50)

    def check_words(self, words):
        program = BUILD / words[0][len("build/"):] if words[0].startswith("build/") else PROJECT / words[0]
        self.assertTrue(program.exists(), program)
        for word in words[1:]:
            if word.startswith(("platforms/", "testbenches/", "scripts/")) and not is_placeholder(word):
                made = words[words.index(word) - 1] in ("-o", "--out")
                self.assertTrue((PROJECT / word).exists() or made, word)
        if words[0] in ("build/platforms/network", "build/platforms/cenju4") and not any(map(is_placeholder, words)):
            done = subprocess.run([str(program), *configuration(words[1:]), "--print-config"], capture_output=True,
                                  text=True, cwd=PROJECT, timeout=TIMEOUT_S)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_reading_of_commands(self):
        text = "a `scripts/x A.yaml` b\n\n    build/y --set k=v \\\n        --out o   # c\n    gtkwave z\n"
        self.assertEqual(list(commands(text)),
                         [["scripts/x", "A.yaml"], ["build/y", "--set", "k=v", "--out", "o"]])
        self.assertEqual(configuration(["p/a.yaml", "--waves", "--set", "k=v", "--out", "out/b"]),
                         ["p/a.yaml", "--set", "k=v"])
        self.assertTrue(is_placeholder("STUDY.yaml") and not is_placeholder("platforms/study/a.yaml"))

    def test_readmes_are_short(self):
        for path in (PROJECT / "README.md", *READMES):
            with self.subTest(page=path.relative_to(PROJECT)):
                most = MOST_WORDS if path.parent == PROJECT else MOST_WORDS_OF_A_ROOM
                self.assertLessEqual(len(TEXTS[path].split()), most)

    def test_the_page_of_network_names_all_sections(self):
        listed = subprocess.run([str(BUILD / "platforms" / "network"), "--list-keys"], capture_output=True, text=True,
                                check=True).stdout
        for section in sorted(set(re.findall(r"^([a-z_]+)\.", listed, re.M))):
            self.assertIn(f"`{section}.*`", PAGE)

    def test_ids_of_the_papers(self):
        """The table's counts are those of scripts/reproduce: of a paper, and of our own."""
        listed = subprocess.run([sys.executable, "-m", "reproduction.main", "--list"], capture_output=True, text=True,
                                check=True,
                                cwd=PROJECT, env={"PYTHONPATH": str(PROJECT / "platforms" / "reproduce"),
                                                  "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"})
        counted = {}
        for paper, text in re.findall(r"^([a-z0-9]+)\.\w+  (.*)$", listed.stdout, re.M):
            own = "(in no paper" in text.lower() or "decision of the project" in text
            counted.setdefault(paper, [0, 0])[own] += 1
        rows = {paper: (int(of_paper), int(own or 0))
                for paper, of_paper, own in re.findall(r"^\|.*\| `(\w+)` \| (\d+)(?: \+ (\d+))? \|$", README, re.M)}
        self.assertEqual(len(rows), 5)
        for paper, counts in rows.items():
            self.assertEqual(counts, tuple(counted[paper]), paper)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
