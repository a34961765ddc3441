#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What is made of the network interface's description: up to date, accepted by compilers, refused if contradictory.

usage: interface_test.py [CLASS] PROJECT
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(PROJECT / "scripts"))

from interface import description, main, page  # noqa: E402

SOURCE = pathlib.Path(description.SOURCE)
HEADER = PROJECT / "models/tsuji/nic/software/tsuji_nic.h"


class Copy(unittest.TestCase):
    """A folder with the description and what is made of it."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tsuji_interface_"))
        self.addCleanup(shutil.rmtree, self.root)
        for name in [str(SOURCE), *main.files(PROJECT)]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, self.root / name)

    def call(self, *words):
        """Exit status and text of scripts/nic_interface for the copy."""
        done = subprocess.run([sys.executable, "-m", "interface.main", *words, "--root", str(self.root)],
                              cwd=PROJECT / "scripts", capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def change(self, old, new, name=SOURCE):
        """Replaces a text of one of the copy's files."""
        path = self.root / name
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new, 1))


class Made(Copy):
    """Files against the description."""

    def test_all_are_up_to_date(self):
        self.assertEqual(self.call("--check"), (0, ""))

    def test_each_change_of_the_description_is_seen(self):
        for old, new, changed in (("offset: 0x058", "offset: 0x060", 4), ('bits: "29:10"', 'bits: "28:10"', 3),
                                  ("[message1, 5,", "[message1, 13,", 0), ("sids, value: 128", "sids, value: 64", 2),
                                  ("access: ro, text: Logical", "access: rw, text: Logical", 3)):
            with self.subTest(old):
                self.setUp()
                self.change(old, new)
                status, text = self.call("--check")
                if changed:
                    self.assertEqual((status, len(text.splitlines())), (1, changed), text)
                else:
                    self.assertEqual(status, 2, text)

    def test_each_file_changed_by_hand_is_seen_and_made_again(self):
        for name in main.files(PROJECT):
            text = (self.root / name).read_text()
            (self.root / name).write_text(text + "\n")
            self.assertEqual(self.call("--check"), (1, f"{name}: differs from {SOURCE}\n"))
            self.assertEqual(self.call(), (0, f"{name}: made of {SOURCE}\n"))
            self.assertEqual((self.root / name).read_text(), text)

    def test_contradictions_are_refused(self):
        for old, new, says in (('bits: "5:4"', 'bits: "5:3"', "kind: bits (got '5:3') are those of another field"),
                               ('bits: "5:4"', 'bits: "65:64"', "accepted: within 63:0"),
                               ('bits: "5:4"', 'bits: "4:5"', "accepted: within 63:0"),
                               ("offset: 0x058", "offset: 0x050", "a register at 0x8050"),
                               ("offset: 0x058", "offset: 0x059", "accepted: multiples of 8"),
                               ("access: act", "access: acts", "accepted: rw, ro, rw1c, clear, act"),
                               ("enumeration: packet_kind", "enumeration: kinds", "no enumeration 'kinds'"),
                               ("    count: 4\n", "    counts: 4\n", "unknown key (got 'counts')"),
                               ("name: log_entry", "name: Log", "accepted: lower case"),
                               ("bytes: 0x10000", "bytes: 0xE000", "outside the map")):
            with self.subTest(new):
                self.setUp()
                self.change(old, new)
                status, text = self.call("--check")
                self.assertEqual(status, 2, text)
                self.assertIn(says, text)


class Compiled(unittest.TestCase):
    """The header for software in each language that it is for."""

    def compile(self, compiler, *options, text=""):
        """Exit status and errors of a compiler that includes the header."""
        done = subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", *options, "-"],
                              input=f'#include "{HEADER}"\n{text}\nint main(void) {{ return 0; }}\n',
                              capture_output=True, text=True)
        return done.returncode, done.stderr

    def test_compilers_accept_it(self):
        found = False
        for compiler in ("gcc", "clang", "riscv64-unknown-elf-gcc"):
            if not shutil.which(compiler):
                print(f"no {compiler}: not tried")
                continue
            target = ("-march=rv32i", "-mabi=ilp32", "-ffreestanding") if compiler.startswith("riscv") else ()
            for standard in ("c99", "c11"):
                self.assertEqual(self.compile(compiler, "-x", "c", f"-std={standard}", *target), (0, ""))
                found = True
        self.assertTrue(found, "no compiler of C")

    def test_a_wrong_offset_is_refused(self):
        compiler = shutil.which("gcc") or shutil.which("clang")
        for standard in ("c99", "c11"):
            status, _ = self.compile(compiler, "-x", "c", f"-std={standard}",
                                     text="TSUJI_ASSERT(wrong, offsetof(tsuji_parcel_header, source) == 16);")
            self.assertNotEqual(status, 0)


class Page(unittest.TestCase):
    """The handbook's page."""

    def test_it_names_every_register_field_and_value(self):
        of = description.read(PROJECT)
        text = page.text(of)
        names = [one.name for each in of.maps for block in each.blocks for one in block.registers]
        names += [one.name for each in of.structures for word in each.words for one in word]
        names += [name for each in of.enumerations for name, _, _ in each.values]
        self.assertGreater(len(names), 150)
        self.assertEqual([name for name in names if f"`{name}`" not in text], [])


if __name__ == "__main__":
    unittest.main()
