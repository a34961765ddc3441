"""The benchmarks that fig. 6-9 run: recorded traces where there are any, else skeletons of the same benchmarks."""

import dataclasses
from typing import Any, Dict

# Seconds of a run of fig. 7-9 with 64 and 256 ranks, alone on a core, for the time left.
NAMES = {"is": (10, 25), "ft": (25, 60), "cg": (24, 110), "mg": (4, 30), "bt": (21, 120), "sp": (17, 100), "lu": (6, 60),
         "ep": (0.1, 0.1)}
QUICK = ("is", "ep")
# Section 5.1; the recorded ones are all class A.
CLASSES = {name: "A" if name in ("is", "ft") else "B" for name in NAMES}


@dataclasses.dataclass(frozen=True)
class Program:
    keys: Dict[str, Any]
    label: str  # for the result: which was used
    seconds: float


def names(setting):
    return QUICK if setting.quick else tuple(NAMES)


def program(setting, name, ranks):
    """The benchmark as keys of the platform `network`."""
    seconds = NAMES[name][0 if ranks == 64 else 1]
    recorded = setting.traces / f"{name}.A.{ranks}.ti.zst" if setting.traces and not setting.quick else None
    if recorded is not None and recorded.is_file():
        return Program({"workload.kind": "trace", "workload.trace": recorded}, f"recorded trace, class A, {ranks} ranks",
                       seconds)
    size = "S" if setting.quick else CLASSES[name]
    return Program({"workload.kind": "npb", "workload.npb": f"{name}.{size}.{ranks}"},
                   f"skeleton, class {size}, {ranks} ranks", seconds)
