# SPDX-License-Identifier: Apache-2.0
"""Runs of an executable: bounded in time and memory, with the text and files that they leave."""

import hashlib
import json
import pathlib
import re
import shlex
import shutil
import subprocess

SANITIZER_NOTE = re.compile(r"==\d+==WARNING: ASan is ignoring requested __asan_handle_no_return.*\n"
                            r"False positive .*\nFor details see .*\n")
SANITIZER_FINDING = re.compile(r"ERROR: (AddressSanitizer|LeakSanitizer)|WARNING: ThreadSanitizer|runtime error:")
WALL_SECONDS = 60
ENDING_SECONDS = 30  # from SIGTERM to the end of a run that takes too long
SIGTERM_EXIT = 143
MEMORY_BYTES = 8 << 30


def limits_of(build):
    """Words before a command of the build folder: it leaves no core, and fails where it would take the machine's
    memory. The limits are the command's alone, as the fuzzer reads what all commands leave."""
    cache = pathlib.Path(build) / "CMakeCache.txt"
    # The address sanitizer reserves terabytes that it does not use.
    sanitized = cache.exists() and "-fsanitize=address" in cache.read_text(encoding="utf-8")
    return ("prlimit", "--core=0", *(() if sanitized else (f"--as={MEMORY_BYTES}",)))


class EndedRun:
    """One run that has ended. `code` is None for one that did not even end on SIGTERM; `too_long`: that was sent."""

    def __init__(self, code, text, out, too_long=False):
        self.code, self.text, self.out, self.too_long = code, text, out, too_long

    def result(self):
        return json.loads((self.out / "result.json").read_text(), parse_constant=no_number)

    def file(self, name):
        path = self.out / name
        return path.read_bytes() if path.exists() else b""

    def has(self, name):
        """The run has left this file, with something in it."""
        path = self.out / name
        return path.exists() and path.stat().st_size > 0

    def digest(self, name):
        """Digest of a file of any size; None where there is none, or nothing in it."""
        if not self.has(name):
            return None
        with (self.out / name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()


class NoNumber(Exception):
    """NaN or infinity in a result."""


def no_number(text):
    raise NoNumber(f"{text} in result.json")


class Runner:
    """Runs one executable in one folder; each call's arguments are remembered for the message."""

    def __init__(self, executable, folder, limits=()):
        self.executable, self.folder, self.limits = str(executable), pathlib.Path(folder), limits
        self.runs = 0

    def command(self, settings, arguments=()):
        assignments = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        return [self.executable, *arguments, *assignments]

    def shown(self, settings, arguments=()):
        return shlex.join(self.command(settings, arguments))

    def run(self, settings, arguments=(), writes=True, launcher=()):
        """One run with a separate output folder, or one that only prints, after the words of a launcher."""
        self.runs += 1
        self.folder.mkdir(exist_ok=True)
        out = self.folder / f"run{self.runs}"
        command = self.command(settings, arguments)
        if writes:
            command += ["--quiet", "--out", str(out)]
        process = subprocess.Popen([*self.limits, *launcher, *command], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, cwd=self.folder)
        too_long = False
        try:
            said, _ = process.communicate(timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            too_long = True
            process.terminate()
            try:
                said, _ = process.communicate(timeout=ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return EndedRun(None, f"not ended {ENDING_SECONDS} s after SIGTERM", out, True)
        text = SANITIZER_NOTE.sub("", said.decode("utf-8", "backslashreplace"))
        return EndedRun(process.returncode, text, out, too_long)

    def forget(self, ended):
        shutil.rmtree(ended.out, ignore_errors=True)
