# SPDX-License-Identifier: Apache-2.0
"""Runs of a built BookSim2 that writes its packets."""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import TYPE_CHECKING

from ..errors import Refused, RunFailed
from . import packets

if TYPE_CHECKING:
    from ..booksim.configuration import Configuration
    from ..booksim.packets import Packet

LOG = "BOOKSIM_PACKETS"  # the environment variable with the path of the log
# It waits for every packet, also above saturation; a run that it calls unstable would end with packets in flight.
WHOLE_RUN = {"sim_type": "throughput", "sim_count": "1", "include_queuing": "1"}
END = "Time taken is"


def find(folder: str) -> pathlib.Path:
    """The executable in BookSim2's folder, or in its `src`."""
    for path in (pathlib.Path(folder), pathlib.Path(folder) / "booksim", pathlib.Path(folder) / "src" / "booksim"):
        if path.is_file() and os.access(path, os.X_OK):
            return path.resolve()
    raise Refused("", "--booksim", "no executable `booksim` in it", folder, "a folder with a built BookSim2")


def run(executable: pathlib.Path, configuration: Configuration, folder: pathlib.Path, seconds: int) -> list[Packet]:
    """The packets of a run; `folder` keeps configuration, log and output."""
    folder.mkdir(parents=True, exist_ok=True)
    log, file = folder / "packets.log", folder / "booksim.cfg"
    log.unlink(missing_ok=True)
    file.write_text("".join(f"{key} = {value};\n" for key, value in {**configuration.values, **WHOLE_RUN}.items()),
                    encoding="utf-8")
    try:
        done = subprocess.run([str(executable), file.name], cwd=folder, env={**os.environ, LOG: str(log)},
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        (folder / "booksim.out").write_bytes(late.stdout or b"")
        why = "; it reports a possible deadlock" if b"deadlock" in (late.stdout or b"") else ""
        raise RunFailed(f"BookSim2 has not ended after {seconds} s{why}: {file}") from None
    (folder / "booksim.out").write_bytes(done.stdout)
    said = done.stdout.decode(errors="replace")
    if END not in said:
        raise RunFailed(f"BookSim2 has not ended its run: {' '.join(said.split()[-30:])}")
    if not log.is_file():
        raise Refused("", "--booksim", f"it writes no packets to the file that {LOG} names", executable,
                      "a build with the log of platforms/reproduce/booksim/README.md")
    return packets.read(log)
