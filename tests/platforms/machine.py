# SPDX-License-Identifier: Apache-2.0
"""Runs a platform's executable as a user does, in a separate folder, and writes small traces for it."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import unittest

from own_folder import FolderTest

# The last argument of every test, given by CMake.
EXECUTABLE = None
TIMEOUT_S = 300
# Environment in which fake_drawing replaces matplotlib for the pictures of sweeps.
FAKE_DRAWING = {**os.environ, "TSUJI_PYTHON": str(pathlib.Path(__file__).resolve().parent / "fake_drawing")}


# The address sanitizer's message, with its process id, about an exception beside coroutine stacks (tests/README.md).
SANITIZER_NOTE = re.compile(r"==\d+==WARNING: ASan is ignoring requested __asan_handle_no_return.*\n"
                            r"False positive .*\nFor details see .*\n")

# Reports of SystemC's kernel, and of SC_REPORT_WARNING and its like with a type of their own.
REPORT = re.compile(r"^(?:Warning|Error|Fatal): (?:\([WEF]\d+\) .*|.*(?=\nIn file: ))", re.MULTILINE)


def reject_reports(text, expected=()):
    """Fails on a SystemC warning or error in a run's output; `expected`: ones that may come, each a part of its
    line."""
    for report in REPORT.finditer(text):
        if not any(part in report[0] for part in expected):
            raise AssertionError(f"unexpected SystemC report: {report[0]}\n{text}")


class Finished:
    """Exit code, text and output folder of a run; a SystemC report that is not expected fails."""

    def __init__(self, done, out, reports=()):
        self.code, self.out = done.returncode, pathlib.Path(out)
        self.text = SANITIZER_NOTE.sub("", done.stdout + done.stderr)
        reject_reports(self.text, reports)

    def json(self):
        return json.loads((self.out / "result.json").read_text())

    def metric(self, name):
        return self.json()["metrics"][name]["value"]

    def result_bytes(self, without_config=False):
        """result.json without what may differ: the wall clock and, if asked for, the configuration."""
        result = self.json()
        del result["metrics"]["wall_seconds"]
        if without_config:
            del result["config"]
        return json.dumps(result, indent=1)


class MachineTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.runs = 0

    def run_machine(self, *arguments, keys=None, cwd=None, timeout=TIMEOUT_S, text="", reports=(), drawn=False):
        """One run; `keys` become --set, `text` is its standard input, `reports` are SystemC's that may come; `drawn`: a
        sweep's picture is the real one.

        A run that does not end is a failed test.
        """
        self.runs += 1
        out = self.folder / f"out{self.runs}"
        command = [EXECUTABLE, *arguments, "--quiet"]
        if "--out" not in arguments:
            command += ["--out", str(out)]
        for key, value in (keys or {}).items():
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=cwd or self.folder,
                              timeout=timeout,
                              env=None if drawn else FAKE_DRAWING)
        return Finished(done, out, reports)

    def ends(self, status, *arguments, **options):
        """A run with this exit status."""
        done = self.run_machine(*arguments, **options)
        self.assertEqual(done.code, status, done.text)
        return done

    def passes(self, *arguments, **options):
        done = self.ends(0, *arguments, **options)
        self.assertEqual(done.text, "", "--quiet says nothing")
        return done

    def refused(self, parts, *arguments, **options):
        """Exit code 2, and a text that holds all of `parts`."""
        done = self.ends(2, *arguments, **options)
        for part in parts:
            self.assertIn(part, done.text)
        self.assertFalse((done.out / "result.json").exists())
        return done

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def write_trace(self, name, ranks):
        return self.write(name, trace_text(ranks))


def trace_text(ranks):
    """TI text; `ranks[r]` lists rank r's operations, without init and finalize."""
    lines = []
    for rank, operations in enumerate(ranks):
        lines += [f"{rank} {operation}" for operation in ["init", *operations, "finalize"]]
    return "\n".join(lines) + "\n"


def kernel(ranks, rounds=2):
    """A little of everything: neighbours, a transpose, sums."""
    text = []
    for rank in range(ranks):
        left, right = (rank - 1) % ranks, (rank + 1) % ranks
        operations = []
        for turn in range(rounds):
            operations += [
                f"compute {500 * (1 + (rank * 7 + turn) % 5)}",
                f"irecv {left} 1 1000 6", f"irecv {right} 2 40 6", f"isend {right} 1 1000 6",
                f"isend {left} 2 40 6", "waitall 4", "allreduce 24 0 6", "alltoall 72 72 6 6",
                f"bcast 3000 {turn % ranks} 6", f"reduce 264 0 {(turn + 1) % ranks} 6", "barrier"]
        text.append(operations)
    return text


SIZES = [1, 3, 7, 8, 9, 64, 127, 128, 200, 223, 224, 225, 226, 231, 232, 255, 256, 257, 1000, 1023, 4095, 4096,
         4097, 8191, 12345, 20000]


class RandomProgram:
    """Random MPI-like traffic that every MPI must complete, drawn from a seed.

    Messages of a pair and tag keep their order, so that sizes fit; everything else about the order in which a
    rank posts, waits and enters collectives is random, with requests left open across collectives.
    """

    def __init__(self, seed, ranks, phases=4, messages=12, largest=20000):
        self.random = random.Random(seed)
        self.sizes = [size for size in SIZES if size <= largest]
        self.largest = largest
        self.number_of_messages = messages
        self.operations = [[] for _ in range(ranks)]
        self.open = [[] for _ in range(ranks)]  # (operation's wait) of each rank
        for _ in range(phases):
            draw = self.random.random()
            if draw < 0.55:
                self.exchange()
            elif draw < 0.75:
                self.blocking()
            else:
                self.collective()
            if self.random.random() < 0.5:
                self.collective()
            self.wait_some()
        self.wait_all()

    def size(self):
        if self.random.random() < 0.7:
            return self.random.choice(self.sizes)
        return self.random.randint(1, self.largest)

    def messages(self):
        ranks = len(self.operations)
        for _ in range(self.number_of_messages):
            yield self.random.randrange(ranks), self.random.randrange(ranks), self.random.randrange(3), self.size()

    def exchange(self):
        ranks = len(self.operations)
        posts = [[] for _ in range(ranks)]
        for source, destination, tag, size in self.messages():
            posts[source].append((f"isend {destination} {tag} {{}} 6", f"wait {source} {destination} {tag}", size))
            posts[destination].append((f"irecv {source} {tag} {{}} 6", f"wait {source} {destination} {tag}", size))
        for rank in range(ranks):
            order = list(range(len(posts[rank])))
            self.random.shuffle(order)
            # Shuffled, but sizes of the same peer and tag stay in the order in which they were drawn.
            sizes = {}
            for form, _, size in posts[rank]:
                sizes.setdefault(form, []).append(size)
            for index in order:
                form, wait, _ = posts[rank][index]
                self.operations[rank].append(form.format(sizes[form].pop(0)))
                self.open[rank].append(wait)
                if self.random.random() < 0.2:
                    self.operations[rank].append(f"compute {self.random.randrange(20000)}")

    def blocking(self):
        self.wait_all()  # an open receive of the same peer and tag would have the older claim
        for source, destination, tag, size in self.messages():
            if source == destination:
                continue
            self.operations[source].append(f"send {destination} {tag} {size} 6")
            self.operations[destination].append(f"recv {source} {tag} {size} 6")

    def collective(self):
        ranks = len(self.operations)
        kind = self.random.choice(["barrier", "bcast", "bcast", "reduce", "allreduce", "alltoall", "alltoallv"])
        root, size = self.random.randrange(ranks), self.size()
        if kind.startswith("alltoall"):
            size = min(size, 700)
        counts = [[self.random.choice([0, 0, 1, 8, 33, 224, 225, 600]) for _ in range(ranks)] for _ in range(ranks)]
        for rank, operations in enumerate(self.operations):
            outward = counts[rank]
            inward = [row[rank] for row in counts]
            operations.append({
                "barrier": "barrier", "bcast": f"bcast {size} {root} 6", "reduce": f"reduce {size} 0 {root} 6",
                "allreduce": f"allreduce {size} 0 6", "alltoall": f"alltoall {size} {size} 6 6",
                "alltoallv": " ".join(map(str, ["alltoallv", sum(outward), *outward, sum(inward), *inward, 6, 6])),
            }[kind])

    def wait_some(self):
        for rank, waits in enumerate(self.open):
            draw = self.random.random()
            if draw < 0.4 and waits:
                self.operations[rank].append(f"waitall {len(waits)}")
                waits.clear()
            elif draw < 0.7:
                self.random.shuffle(waits)
                for _ in range(self.random.randint(0, len(waits))):
                    self.operations[rank].append(waits.pop())

    def wait_all(self):
        for rank, waits in enumerate(self.open):
            if waits:
                self.operations[rank].append(f"waitall {len(waits)}")
                waits.clear()


def main():
    global EXECUTABLE
    EXECUTABLE = os.path.abspath(sys.argv.pop())
    unittest.main()
