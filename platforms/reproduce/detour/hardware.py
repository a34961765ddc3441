# SPDX-License-Identifier: Apache-2.0
"""Hardware cost of the four routers of table 1: their Verilog (testbenches/router, one module with parameters) on
standard cells of 0.18 um, by scripts/hardware_cost. Buffers and tables are memories, counted in bits; the paper's are
flip-flops of an FPGA."""

import concurrent.futures
import functools
import json
import pathlib
import subprocess
import tempfile

from reproduction.runs import ROOT

from . import routers

SOURCES = [*sorted((ROOT / "testbenches/router").glob("*.v")),
           *(ROOT / "testbenches/detour" / name
             for name in ("block_timer.v", "cube_routes.v", "detour_ways.v", "table_port.v"))]
# 10x10 torus, 4 virtual channels of 8 flits of 32 bits; coordinates of 4 bits.
COMMON = {"NODE_PORTS": 16, "NODE_BITS": 8, "RADIX_0": 10, "RADIX_1": 10, "VCS": 4, "BUFFER_FLITS": 8, "DATA_BITS": 32,
          "ATOMIC_VCS": 1}
OWN = {
    "dm": {"ROUTING": 1},
    "duato": {"ROUTING": 2, "CANDIDATES": 5},
    "nf": {"ROUTING": 3, "CANDIDATES": 8, "UTURN_NETWORK": 1},
    "ud": {"ROUTING": 4, "CANDIDATES": 4, "UTURN_NETWORK": 1, "TIMEOUT": routers.TIMEOUT_CYCLES, "HOP_LIMIT": 40},
}
TABLE_BITS = 8 * 100
HERE = SOURCES[-1].exists()  # an installation has no Verilog


def words(name, folder):
    sets = {**COMMON, **OWN[name]}
    return [ROOT / "scripts/hardware_cost", "--verilog", *SOURCES, "--top", "vc_router", "--out", folder,
            *(word for key, value in sets.items() for word in ("--set", f"{key}={value}"))]


def cost(name):
    """A row of cost.json."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(words(name, folder), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"hardware_cost of {name}: {done.stderr}")
        (row,) = json.loads((pathlib.Path(folder) / "cost.json").read_text(encoding="utf-8"))["designs"]
        return row


@functools.lru_cache(maxsize=None)
def costs():
    """{router: row}."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(OWN, pool.map(cost, OWN)))


def storage_bits(name, row):
    """Bits that the paper's routers hold in flip-flops: buffers, and Detour-UD's table of 100 words. Detour-NF's plans
    stand for logic that the paper does not describe, and do not count."""
    buffers = sum(memory["bits"] for memory in row["memories"] if memory["name"].endswith("flits"))
    return buffers + (TABLE_BITS if name == "ud" else 0)


def text(found):
    return "; ".join(f"{routers.ROUTERS[name].label}: {row['cells']:,} cells, {row['flip_flops']:,} flip-flops and "
                     f"{storage_bits(name, row):,} bits of buffers and table, {row['clock_mhz']} MHz"
                     for name, row in found.items())
