"""Replays of BookSim2's packets on the platform `network`."""

import csv
import shutil
import subprocess

from .. import runs
from ..errors import Refused, RunFailed
from . import packets as packet_files

LONGEST_DRAIN = 1_000_000


def run(translation, packets, list_path, more=None):
    """The run of a list that has been written to `list_path`; `more`: keys on top."""
    keys = {**translation.keys, "traffic.kind": "list", "traffic.list": list_path, "measure.warmup_cycles": 0,
            "measure.cycles": packets[-1].born + 1, "measure.drain_cycles": LONGEST_DRAIN, **(more or {})}
    return runs.Run("network", "", keys, ("--trace", "packets"))


def list_text(translation, packets):
    return packet_files.replay_list(packets, translation.source)


def check(translation, packets):
    """Refuses packets whose route BookSim2 draws."""
    for packet in packets:
        if translation.has_tie(packet):
            raise Refused("", "k", f"BookSim2 draws the direction of the packet from {packet.source} to {packet.destination}", translation.k,
                          "an odd k, or traffic that never goes half around a ring")


def play(translation, packets, folder, platforms):
    """Differences of the replay, which leaves its files in `folder`."""
    check(translation, packets)
    path = folder / "packets.list"
    path.write_text(list_text(translation, packets), encoding="utf-8")
    place = folder / "network"
    shutil.rmtree(place, ignore_errors=True)
    words = run(translation, packets, path).words() + ["--out", str(place), "--quiet"]
    done = subprocess.run([str(runs.executable(platforms, "network")), *words], cwd=runs.ROOT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.stdout.decode(errors="replace").strip()
    if done.returncode == 2:
        raise Refused(said)
    if done.returncode != 0:
        raise RunFailed(f"network: exit {done.returncode}\n{said}")
    with open(place / "packets.csv", newline="", encoding="utf-8") as file:
        return packet_files.differences(packets, csv.DictReader(file), translation.source)
