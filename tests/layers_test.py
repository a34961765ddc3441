#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Walks the includes of models/tsuji and fails on one that breaks the order of the layers.

Left never includes right:
  core <- mpi <- config <- graph, routing, faults, workload <- observe, results <- clock <- link
       <- lookup, router, crosspoint, nic, traffic <- host <- network <- pins <- interconnect <- c
       <- instruments, machines <- platform <- session
and within a folder its rooms (ROOMS).
usage: layers_test.py MODELS_FOLDER    status 0: no violation, 1: at least one
The rules are first tried on planted violations, so that a check that has gone blind fails, too.
"""

import pathlib
import re
import sys
import tempfile

LEVELS = [
    ["version.h"],  # belongs to no folder
    ["core"],
    ["mpi"],
    ["config"],
    ["graph", "routing", "faults", "workload"],
    ["observe", "results"],
    ["clock"],
    ["link"],
    ["lookup", "router", "crosspoint", "nic", "traffic"],
    ["host"],
    ["network"],
    ["pins"],
    ["interconnect"],
    ["c"],
    ["instruments", "machines"],
    ["platform"],
    ["session"],
]
LEVEL = {folder: level for level, folders in enumerate(LEVELS) for folder in folders}
# A routing and a pattern of packets are functions over a graph, and faults change both; otherwise folders of one level
# do not know each other.
ALLOWED_NEIGHBOURS = {("routing", "graph"), ("workload", "graph"), ("faults", "graph"), ("faults", "routing"),
                      ("observe", "results")}
# "" are a folder's own files.
ROOMS = {
    "host": [[""], ["library"]],
    "lookup": [["", "replacement"], ["kinds"]],
    "machines": [["cenju4", "replay"], ["grouped", "tree"]],
    "network": [["config"], ["dense"], ["", "crosspoint"], ["reconfiguration"]],
    "nic": [[""], ["tables"], ["receiver", "sender"], ["interface"]],
    "router": [["prediction"], ["", "allocators"], ["vc"]],
    "routing": [[""], ["checkers"], ["capacity", "compact", "detour"]],
    "session": [["", "instruments"], ["cenju4"]],
    "workload": [["", "arrivals", "formats", "lengths", "npb", "patterns"]],
}
ROOM_LEVEL = {folder: {room: level for level, rooms in enumerate(levels) for room in rooms}
              for folder, levels in ROOMS.items()}
WITHOUT_SYSTEMC = ("core/", "mpi/", "config/", "graph/", "routing/", "faults/", "workload/", "results/", "observe/",
                   "host/library/")
SYSTEMC = re.compile(r"^(systemc|tlm|tlm_utils/.*|sysc/.*|tlm_core/.*)(\.h)?$")
# The host knows the formats of the network interface, not its modules.
NIC_FORMATS = {"nic/parcel.h", "nic/tables.h", "nic/registers.h", "nic/event_causes.h",
               "nic/interface_values.h"}
PREFIX = "tsuji/"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def problem(path, quoted, include):
    """The problem of `path` (relative to models/) including `include`; None if there is none."""
    folder = path.split("/")[0]
    if folder not in LEVEL:
        return f"folder {folder} has no place in the layers"
    if not quoted:
        if SYSTEMC.match(include) and path.startswith(WITHOUT_SYSTEMC):
            return "SystemC where functions and values live"
        if include.startswith("yaml-cpp/") and folder != "config":
            return "only config knows YAML"
        return None
    if not include.startswith(PREFIX):
        return f"not a path that begins with {PREFIX}"
    include = include[len(PREFIX):]
    target = include.split("/")[0]
    if target not in LEVEL or ("/" not in include and include != "version.h"):
        return "not a path of models/ that begins with a layer's folder"
    if LEVEL[target] > LEVEL[folder]:
        return f"{folder} lies below {target}"
    if LEVEL[target] == LEVEL[folder] and target != folder and (folder, target) not in ALLOWED_NEIGHBOURS:
        return f"{folder} and {target} are neighbours and do not know each other"
    if folder == "host" and target == "nic" and include not in NIC_FORMATS:
        return "the host knows only " + ", ".join(sorted(NIC_FORMATS))
    return problem_of_rooms(path, include) if folder == target and folder in ROOMS else None


def room_of(path):
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else ""


def problem_of_rooms(path, include):
    """The same for two files of one folder."""
    level, room, target = ROOM_LEVEL[path.split("/")[0]], room_of(path), room_of(include)
    for name in (room, target):
        if name not in level:
            return f"{name} is no room of {path.split('/')[0]}"
    if level[target] > level[room]:
        return f"{room or 'the folder'} lies below {target or 'the folder'}"
    if level[target] == level[room] and target != room and "" not in (room, target):
        return f"{room} and {target} are neighbours and do not know each other"
    return None


def violations(models):
    found, includes = [], 0
    for path in sorted(models.rglob("*")):
        if path.suffix not in {".h", ".cpp"}:
            continue
        name = path.relative_to(models).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            includes += 1
            quoted = match.group(1) == '"'
            what = problem(name, quoted, match.group(2))
            if what is None and quoted and not (models / match.group(2)[len(PREFIX):]).is_file():
                what = "there is no such file"
            if what is not None:
                found.append(f"{name}:{number}: includes {match.group(2)}: {what}")
    return found, includes


PLANTED = {
    "core/up.h": '#include "tsuji/link/packet_link.h"',
    "graph/kernel.h": "#include <systemc>",
    "workload/tlm.cpp": "#include <tlm_utils/simple_target_socket.h>",
    "host/library/kernel.h": "#include <systemc.h>",
    "nic/sender/neighbour.h": '#include "tsuji/nic/receiver/receiver.h"',
    "nic/common.h": '#include "tsuji/nic/tables/buffer_cache.h"',
    "nic/neighbour.cpp": '  #  include "tsuji/crosspoint/config.h"',
    "graph/neighbour.h": '#include "tsuji/routing/table.h"',
    "host/module.h": '#include "tsuji/nic/sender/sender.h"',
    "link/up.h": '#include "tsuji/host/cpu.h"',
    "network/config/yaml.cpp": "#include <yaml-cpp/yaml.h>",
    "machines/cenju4/platform.cpp": '#include "tsuji/platform/command_line.h"',
    "observe/plain.h": '#include "wave.h"',
    "misc/new.h": "#include <vector>",
    "link/gone.h": '#include "tsuji/core/gone.h"',
    "link/unprefixed.h": '#include "graph/graph.h"',
    "network/config/room.h": '#include "tsuji/network/network.h"',
    "network/fresh/room.h": '#include "tsuji/network/network.h"',
    "machines/replay/neighbour.h": '#include "tsuji/machines/cenju4/node.h"',
    "machines/watched.h": '#include "tsuji/instruments/waves.h"',
    "results/neighbour.h": '#include "tsuji/observe/histogram.h"',
}
FINE = {
    "network/config/network.h": "",
    "network/network.h": '#include "tsuji/network/config/network.h"',
    "machines/cenju4/node.h": '#include "tsuji/network/network.h"',
    "instruments/waves.h": "",
    "observe/histogram.h": '#include "tsuji/results/results.h"',
    "results/results.h": "",
    "routing/table.h": '#include "tsuji/graph/graph.h"',
    "graph/graph.h": "#include <vector>",
    "host/cpu.h": '#include "tsuji/nic/parcel.h"',
    "nic/parcel.h": "#include <tlm>",
    "nic/sender/sender.h": "",
    "link/packet_link.h": "#include <systemc>",
    "crosspoint/config.h": '#include "tsuji/link/packet_link.h"',
}


def check_the_check():
    """Every planted violation is found, and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        models = pathlib.Path(folder)
        for name, text in {**PLANTED, **FINE}.items():
            (models / name).parent.mkdir(parents=True, exist_ok=True)
            (models / name).write_text(text + "\n", encoding="utf-8")
        found = {line.split(":")[0] for line in violations(models)[0]}
    if found != set(PLANTED):
        sys.exit(f"the check itself is wrong: missed {set(PLANTED) - found}, invented {found - set(PLANTED)}")


def main():
    check_the_check()
    models = pathlib.Path(sys.argv[1])
    found, includes = violations(models)
    if includes == 0:
        sys.exit(f"no includes in {models}: not the models folder")
    for line in found:
        print(line)
    print(f"{includes} includes, {len(found)} violations")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
