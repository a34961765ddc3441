# SPDX-License-Identifier: Apache-2.0
"""Tests that run benches from outside."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "platforms"))
from own_folder import FolderTest  # noqa: E402


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)


def with_set(words):
    """The words, and --set before each that is KEY=VALUE alone."""
    def is_key(before, word):
        return "=" in word and not word.startswith("-") and before not in ("--set", "--rtl")
    words = [str(word) for word in words]
    return [part for before, word in zip(["", *words], words)
            for part in (["--set", word] if is_key(before, word) else [word])]


def metrics_of(folder):
    """{name: value} of a platform's results."""
    result = json.loads((pathlib.Path(folder) / "result.json").read_text(encoding="utf-8"))
    return {name: metric["value"] for name, metric in result["metrics"].items()}


def counted_in(folder):
    """Metrics without the times of the host."""
    return {name: value for name, value in metrics_of(folder).items() if not name.endswith("wall_seconds")}


def devices(bench):
    return [line.split(":")[0] for line in run(bench, "--list").stdout.splitlines()]


class BenchTest(FolderTest):
    def ends(self, status, *command):
        """The run of a command, which has this exit status."""
        return self.ended(run(*command), status)

    def refused(self, part, *command):
        """Bad words: exit status 2, and a text that holds `part`."""
        self.assertIn(part, self.ends(2, *command).stderr)
