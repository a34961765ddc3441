#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of an edge by the C interface above the device's own step, and above the block's inside of the device.

usage: step_cost_test.py PROGRAM    status 1: a call takes more than 200 above the device's step
Each is counted by callgrind as the difference of two run lengths.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

MOST = 200
SHORT, LONG = 300, 1300
# The functions of the block that a device calls in a step.
DEVICES = {
    "router": ["tsuji::router::PinRouter::edge*"],
    "cam": ["tsuji::lookup::CamState::step*"],
    "cache": ["tsuji::lookup::CacheState::step*"],
    "crosspoint": ["tsuji::crosspoint::PinCrosspoint::step*", "tsuji::crosspoint::PinCrosspoint::take(*"],
    "predictor": ["tsuji::router::*::predict*", "tsuji::router::*::learn*"],
}


def counted(program, device, functions, *words):
    """Instructions a cycle in `functions` and all that they call."""
    counts = []
    for cycles in (SHORT, LONG):
        with tempfile.TemporaryDirectory(prefix="tsuji_cost_") as folder:
            done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
                                   *[f"--toggle-collect={name}" for name in functions], program, device, str(cycles),
                                   *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr)
        counts.append(int(re.search(r"Collected : (\d+)", done.stderr).group(1)))
    return (counts[1] - counts[0]) / (LONG - SHORT)


def main():
    program, failed = pathlib.Path(sys.argv[1]).resolve(), False
    print("device      tsuji_step  above the device's step  above the block's  tsuji_step_bits")
    for device, block in DEVICES.items():
        call = counted(program, device, ["tsuji_step"])
        step = counted(program, device, [f"tsuji::pins::*{device.capitalize()}Device::step*"])
        own = counted(program, device, block)
        bits = counted(program, device, ["tsuji_step_bits"], "bits") - counted(
            program, device, [f"tsuji::pins::*{device.capitalize()}Device::step*"], "bits")
        print(f"{device:10} {call:11.0f} {call - step:24.0f} {call - own:18.0f} {bits:16.0f} above")
        failed = failed or not 0 < step < call <= step + MOST or own <= 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
