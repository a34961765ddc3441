#!/usr/bin/python3 -IS
# SPDX-License-Identifier: Apache-2.0
"""A platform of three keys for the fuzzer's own test, with a defect that FAKE_DEFECT names: it shows with `size.b` 3
only."""

import os
import signal
import sys
import time

KEYS = """seed
    seed of all random numbers
    type: integer; default: 1; accepted: an integer of at least 0
clock_period_ps
    clock
    type: integer; unit: ps; default: 1000; accepted: an integer 2..1000
size.a
    a number
    type: integer; default: 2; accepted: an integer 1..4
size.b
    another
    type: integer or word; unit: cycles; default: auto; accepted: an integer 1..4, or auto
size.kind
    a word
    type: word; default: plain; accepted: one of plain, odd
run.processes
    how
    type: word; default: one_for_all; accepted: one of one_for_all, process_each
run.shuffle_seed
    order
    type: integer; default: 0; accepted: an integer of at least 0
"""
DEFAULTS = {"seed": "1", "clock_period_ps": "1000", "size.a": "2", "size.b": "auto", "size.kind": "plain",
            "run.processes": "one_for_all", "run.shuffle_seed": "0"}
HEADER = ("packet,source,destination,flits,hops,created_cycle,injected_cycle,head_cycle,tail_cycle,"
          "latency_cycles,cause\n")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def resolved(values):
    lines = []
    for name, value in values.items():
        section, _, key = name.rpartition(".")
        lines.append(f"{section}:\n  {key}: {value}" if section else f"{name}: {value}")
    return "\n".join(lines) + "\n"


def read_values(arguments):
    values = dict(DEFAULTS)
    if arguments and arguments[0].endswith("resolved.yaml"):
        section = ""
        for line in open(arguments[0], encoding="utf-8").read().splitlines():
            name, _, value = line.strip().partition(":")
            if not value:
                section = name + "."
            else:
                values[(section if line.startswith(" ") else "") + name] = value.strip()
    for word, assignment in zip(arguments, arguments[1:]):
        if word == "--set":
            name, _, value = assignment.partition("=")
            values[name] = value
    return values


ENDLESS = ("slow", "slow and whole", "endless")


def run_until_sigterm(defect, result):
    """A run that takes too long ends with a partial result; one defect calls that complete, the other does not end."""
    status = "partial" if defect == "slow" else "complete"

    def end(*_):
        write(result, '{"status": "' + status + '", "config": {"run": {}}, "metrics": {}}')
        os._exit(143)
    signal.signal(signal.SIGTERM, signal.SIG_IGN if defect == "endless" else end)
    time.sleep(60)


def main():
    arguments = sys.argv[1:]
    if "--list-keys" in arguments:
        print(KEYS, end="")
        return 0
    values = read_values(arguments)
    defect = os.environ.get("FAKE_DEFECT", "") if values["size.b"] == "3" else ""
    if values["size.kind"] == "odd" and int(values["size.a"]) % 2 == 0:
        message = "--set x: size.a: even" + (" (got 'x'); accepted: 1, 3"
                                             if os.environ.get("FAKE_DEFECT") != "short refusal" else "")
        print("fake: " + message, file=sys.stderr)
        return 2
    if "--print-config" in arguments:
        print(resolved(values), end="")
        return 0
    if defect == "exit":
        print("fake: model failure: a module, cycle 3: broken", file=sys.stderr)
        return 1
    if defect == "signal":
        os.kill(os.getpid(), 11)
    out = arguments[arguments.index("--out") + 1]
    os.makedirs(out)
    again = "# again\n" if defect == "resolved" and arguments[0] != "--set" else ""
    write(f"{out}/resolved.yaml", resolved(values) + again)
    shuffled, each = values["run.shuffle_seed"] != "0", values["run.processes"] == "process_each"
    metrics = {"packets_sent": 2, "packets_delivered": 3 if defect == "sums" else 1, "flits_in_flight_at_end": 4,
               "wall_seconds": os.getpid(), "order": int(defect == "order" and shuffled),
               "mode": int(defect == "mode" and each),
               "recorded": int(defect == "recorded" and "--records" in arguments), "result": int(defect == "result"),
               "nan": "NaN" if defect == "nan" else 0}
    entries = ", ".join(f'"{name}": {{"value": {value}}}' for name, value in metrics.items())
    write(f"{out}/result.json", '{"config": {"run": {}}, "metrics": {' + entries + "}}")
    if defect in ENDLESS:
        run_until_sigterm(defect, f"{out}/result.json")
    if "--records" in arguments:
        tail = 9 if defect == "records" and each else 8
        write(f"{out}/packets.csv", HEADER + f"0.0,0,1,4,2,1,2,5,{tail},{tail - 1},\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
