# SPDX-License-Identifier: Apache-2.0
"""Runs of the platform cenju4, and what several IDs take from them."""

from reproduction import Run

CONFIG = "platforms/reproduce/cenju4/nodes32.yaml"
SHORT_HEADERS = "platforms/reproduce/cenju4/short_headers.yaml"
NODES = 32
MIB = 2**20
# The hardware alone. A system call cannot take no time at all.
NO_SOFTWARE = {"software.paralib_send_ns": 0, "software.paralib_receive_ns": 0, "software.mpi_send_ns": 0,
               "software.mpi_receive_ns": 0,
               "software.mpi_control_ns": 0, "software.copy_ns_per_word": 0, "software.reduce_ns_per_word": 0,
               "software.system_call_ns": 0.001}


def run(kind, keys, seconds=1.0, config=CONFIG, options=()):
    return Run("cenju4", config, {"workload.kind": kind,
                                  **{key if "." in key else f"workload.{key}": value for key, value in keys.items()}},
               options, seconds)


def ping_pong(size, dirty=True, config=CONFIG, **keys):
    """Both libraries' messages of `size` bytes, to and fro between nodes 0 and 1."""
    named = {key.replace("__", "."): value for key, value in keys.items()}
    return run("ping_pong", {"message_bytes": size, "message_data": "dirty" if dirty else "clean",
                             "ping_pong_rounds": 4, **named},
               0.05 + size / 2e6, config)


def mib_per_second(size, us):
    return size / MIB / us * 1e6


def mb_per_second(size, us):
    return size / us


def size_axis(axes, sizes):
    axes.set_xscale("log", base=2)
    powers = [size for size in sizes if size & (size - 1) == 0]
    marks = powers[::2] if len(powers) > 6 else powers
    axes.set_xticks(marks, [f"{size // MIB} M" if size >= MIB else f"{size // 1024} K" if size >= 1024 else str(size)
                            for size in marks])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("message (B)")
