# SPDX-License-Identifier: Apache-2.0
"""Runs of the platforms' executables: what they are and how they are named."""

from __future__ import annotations

import dataclasses
import filecmp
import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from typing import Any

from .errors import RunFailed

PACKAGE = pathlib.Path(__file__).resolve().parent
IN_PROJECT = (PACKAGE.parents[1] / "platforms" / "study").is_dir()
# What is not compiled: the project's folder, or share/tsuji of an installation, which has its files in the same places.
FOLDER = PACKAGE.parents[1] if IN_PROJECT else PACKAGE.parents[3] / "share" / "tsuji"
ENGINE = FOLDER / "platforms" / "study"
# Where relative paths begin: the project's folder, or for an installed package the folder of the call. An installed
# `reproduce`, whose files name each other from the project's folder, sets TSUJI_ROOT.
ROOT = FOLDER if IN_PROJECT else pathlib.Path(os.environ.get("TSUJI_ROOT") or pathlib.Path.cwd())
BUILD = pathlib.Path(os.environ.get("TSUJI_BUILD") or ROOT / "build")
BUILT = BUILD / "platforms" if IN_PROJECT else FOLDER.parents[1] / "bin"
PLATFORMS = pathlib.Path(os.environ.get("TSUJI_PLATFORMS") or BUILT)
# Where results lie that nobody gives a folder: `out` in the project, or below the folder of the call where the project
# cannot be written.
OUT = (ROOT if IN_PROJECT and os.access(ROOT, os.W_OK) else pathlib.Path.cwd()) / "out"

MPI_MODULE = "tsuji_mpi.so"  # which executables find beside themselves


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of `PLATFORM CONFIG --set key=value ... OPTIONS`. `config` is a path, below the project's folder where it
    is relative. `seconds` is about what it takes alone on a core, for the time left.

    `prints`: an option prints or writes something and stops; "{folder}" in an option is the run's folder.
    `may_be_refused`: that the platform refuses the configuration (exit status 2) is a result, `may_fail`: so is a model
    failure (1)."""

    platform: str
    config: str = ""
    keys: dict[str, Any] = dataclasses.field(default_factory=dict)
    options: tuple[str, ...] = ()
    seconds: float = 1.0
    prints: bool = False
    may_be_refused: bool = False
    may_fail: bool = False

    def words(self, folder: str | pathlib.Path = "{folder}") -> list[str]:
        """The command line without executable and output folder."""
        words = [str(ROOT / self.config)] if self.config else []
        for key, value in self.keys.items():
            words += ["--set", f"{key}={text(value)}"]
        return words + [option.replace("{folder}", str(folder)) for option in self.options]

    def json(self) -> dict[str, Any]:
        """For result.json: of files outside the project only their names."""
        return {"platform": self.platform, "config": self.config,
                "keys": {key: value.name if isinstance(value, pathlib.Path) else value
                         for key, value in self.keys.items()},
                "options": list(self.options)}


def text(value: Any) -> str:
    """A value as --set takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(text(item) for item in value)}]"
    return str(value)


@dataclasses.dataclass(frozen=True)
class Checked:
    """A platform's answer to a run's command line. `name` is that of the run's folder: equal names, equal bytes.
    `refused` is what it says of one that it refuses, and `key` the key that it is about."""

    name: str = ""
    config: Any = None
    refused: str = ""
    key: str = ""


def executable(platforms: pathlib.Path, platform: str) -> pathlib.Path:
    path = pathlib.Path(platforms) / platform
    if not path.is_file():
        raise RunFailed(f"{path} is not built")
    return path


def frozen(built: pathlib.Path, names: Iterable[str], folder: pathlib.Path) -> pathlib.Path:
    """The folder of copies of executables, below `folder`: one that is built again in the middle is another one. Those
    of an installation find its files in the folder `share` beside theirs, those of a build the source by a file."""
    copies = folder / "bin"
    copies.mkdir(parents=True, exist_ok=True)
    share = folder / "share"
    share.unlink(missing_ok=True)
    if built.name == "bin":
        share.symlink_to(built.parent / "share")
    for module in (built / MPI_MODULE, built.parent / "lib/tsuji" / MPI_MODULE):
        if module.is_file():
            shutil.copyfile(module, copies / MPI_MODULE)
    source = built.parent / "tsuji_source.txt"
    if source.is_file():
        shutil.copyfile(source, folder / source.name)
    for name in names:
        copy = copies / name
        if not copy.is_file() or not filecmp.cmp(built / name, copy, shallow=False):
            shutil.copy2(built / name, copy.with_suffix(".new"))
            copy.with_suffix(".new").rename(copy)
    return copies


def check(runs: Sequence[Run], platforms: pathlib.Path | None = None,
          folder: pathlib.Path | None = None) -> list[Checked]:
    """A Checked for each of `runs`, in their order. The platforms do it (--check-runs), each in one process; relative
    paths are below `folder`."""
    platforms, answers = platforms or PLATFORMS, {}
    for platform in sorted({run.platform for run in runs}):
        lines = [json.dumps(run.words()) for run in runs if run.platform == platform]
        done = subprocess.run([str(executable(platforms, platform)), "--check-runs", "-"],
                              input="\n".join(lines) + "\n",
                              capture_output=True, text=True, cwd=folder or ROOT)
        if done.returncode != 0:
            raise RunFailed(f"{platform} --check-runs: exit {done.returncode}\n{done.stderr}")
        answers[platform] = iter(done.stdout.splitlines())
    return [checked(json.loads(next(answers[run.platform]))) for run in runs]


def checked(answer: dict[str, Any]) -> Checked:
    if "refused" in answer:
        return Checked(refused=answer["refused"], key=answer["key"])
    return Checked(answer["identity"], answer["config"])


def flat(config: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Dotted keys of a configuration's tree, with their values."""
    keys: dict[Any, Any] = {}
    for key, value in config.items():
        if isinstance(value, dict):
            keys.update(flat(value, f"{before}{key}."))
        else:
            keys[before + key] = value
    return keys
