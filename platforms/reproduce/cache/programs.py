# SPDX-License-Identifier: Apache-2.0
"""The benchmarks that fig. 6-9 run: recorded traces where there are any, else skeletons of the same benchmarks."""

import dataclasses
from typing import Any, Dict

# Seconds of a run of fig. 7-9 with 64 and 256 ranks, alone on a core, for the time left.
NAMES = {"is": (10, 25), "ft": (25, 60), "cg": (24, 110), "mg": (4, 30), "bt": (21, 120), "sp": (17, 100),
         "lu": (6, 60),
         "ep": (0.1, 0.1)}
QUICK = ("mg", "ep")
# Section 5.1; the recorded ones are all class A.
CLASSES = {name: "A" if name in ("is", "ft") else "B" for name in NAMES}
# Of the skeletons, time steps that are enough for a speed: all are alike. 0: all of them.
STEPS = {"cg": 2, "mg": 2, "bt": 3, "sp": 3, "lu": 3}
# 10^9 of a benchmark's own operations that the recording core sustained: what turns a skeleton's operations into that
# core's nanoseconds, in which node.gflops is counted. Calibrated on the recorded traces' timed sections.
CORE_GFLOPS = {"bt": 4.6, "sp": 3.6, "lu": 4.1, "cg": 1.6, "mg": 4.7, "ft": 4.8, "is": 4.1, "ep": 10.0}
# This project's own programs, recorded with 64 ranks (platforms/traces).
KERNELS = ("cg64", "stencil64", "transpose64", "sort64", "graph64")
DT_SIZES = {"dtBH": 21, "dtSH": 80}  # class A at its native sizes


@dataclasses.dataclass(frozen=True)
class Program:
    keys: Dict[str, Any]
    label: str  # for the result: which was used
    seconds: float


def names(setting):
    return QUICK if setting.quick else tuple(NAMES)


def recorded(setting, name):
    """The recorded trace of this name, or None."""
    path = setting.traces / f"{name}.ti.zst" if setting.traces and not setting.quick else None
    return path if path is not None and path.is_file() else None


def kernel(name):
    return Program({"workload.kind": "trace", "workload.trace": f"platforms/traces/{name}.ti.zst"},
                   "recorded kernel, 64 ranks", 1)


def kernels(ranks):
    """Kernels that were recorded with this number of ranks."""
    return tuple(name for name in KERNELS if name.endswith(str(ranks)))


def program(setting, name, ranks):
    """The benchmark, or a kernel, as keys of the platform `network`."""
    if name in KERNELS:
        return kernel(name)
    seconds = NAMES[name][0 if ranks == 64 else 1] if name in NAMES else 1
    size = "S" if setting.quick else "A" if name in DT_SIZES else CLASSES[name]
    ranks = DT_SIZES.get(name, ranks)
    trace = recorded(setting, f"{name}.A.{ranks}")
    if trace is not None:
        return Program({"workload.kind": "trace", "workload.trace": trace}, f"recorded trace, class A, {ranks} ranks",
                       seconds)
    keys = {"workload.npb": f"{name}.{size}.{ranks}", "workload.npb_gflops": CORE_GFLOPS.get(name, 1)}
    steps = 0 if setting.quick else STEPS.get(name, 0)
    if steps:
        keys["workload.npb_steps"] = steps
    return Program(keys, f"skeleton, class {size}, {ranks} ranks" + (f", {steps} time steps" if steps else ""), seconds)
