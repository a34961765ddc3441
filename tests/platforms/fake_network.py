#!/usr/bin/python3 -IS
# SPDX-License-Identifier: Apache-2.0
"""Replaces a platform's executable in sweeps: reads the arguments of a run, sleeps, and writes the result of
a queue that saturates. Its configuration is the comment `fake:` in the YAML file that it is given.

    fake: SATURATION SECONDS [fail=LOAD] [refuse=LOAD] [full=LOAD] [say=LOAD] [fuzzy=WIDTH]

`fuzzy`: a load that is closer to saturation than WIDTH / LENGTH is undecided, with LENGTH the run's measure.cycles over
1000.

It starts without `site` and with few modules, as the tests of sweeps start it hundreds of times.
"""

import os
import sys
import time


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def main():
    config, load, out, times = sys.argv[1], None, None, 1
    for index, argument in enumerate(sys.argv):
        if argument == "--set":
            key, value = sys.argv[index + 1].split("=")
            assert key in ("traffic.load_flits_per_node_cycle", "measure.cycles"), key
            if key == "measure.cycles":
                assert value.isdigit() and int(value) % 1000 == 0, value
                times = int(value) // 1000
            else:
                load = float(value)
        if argument == "--out":
            out = sys.argv[index + 1]
    assert "--quiet" in sys.argv
    with open(config) as file:
        words = file.read().partition("fake: ")[2].partition("\n")[0].strip('"').split()
    saturation, seconds = float(words[0]), float(words[1])
    special = dict(word.split("=") for word in words[2:])
    if special.get("refuse") == f"{load:g}":
        print("fake: traffic.load: too much", file=sys.stderr)
        return 2
    if special.get("fail") == f"{load:g}":
        os.makedirs(out)
        write(f"{out}/failure.txt", "flit lost\n")
        print("fake: model failure: flit lost\nin router 3", file=sys.stderr)
        return 1
    if special.get("full") == f"{load:g}":
        print("fake: result.json: could not be written", file=sys.stderr)
        return 1
    if special.get("say") == f"{load:g}":
        print("fake: warning: look here", file=sys.stderr)
    time.sleep(seconds)
    width = float(special.get("fuzzy", 0)) / times
    stability = ("undecided" if abs(load - saturation) < width else "saturated"
                 if load > saturation + 1e-12 else "stable")
    accepted = min(load, saturation * 0.95)
    latency = 20 + 1 / max(0.01, 1 - load / saturation)
    metrics = {
        "offered_flits_per_node_cycle": load, "accepted_flits_per_node_cycle": accepted,
        "latency_cycles_mean": latency, "latency_cycles_mean_confidence95": 0.25, "latency_confidence": "independent",
        "latency_cycles_p50": round(latency), "latency_cycles_p95": 2 * round(latency),
        "latency_cycles_p99": 3 * round(latency), "latency_cycles_p999": 4 * round(latency),
        "hops_mean": None, "measured_packets_undelivered": 7, "latency_is_lower_bound": 1,
        "measured_cycles": 1000 * times, "accepted_share_worst_source": min(1, 0.9 * saturation / load),
        "worst_source": "3->5", "backlog_growth_over_noise": 1.25, "waiting_packets_over_noise": 0.125,
        "latency_growth_over_noise": 0.75,
        "latency_over_zero_load": 1.5, "stability": stability, "saturated": int(stability == "saturated"),
        "stability_needs_cycles": 3000 * times if stability == "undecided" else None, "latency_cycles_max": 9999,
        "capacity_bound_flits_per_node_cycle": 2 * saturation, "wall_seconds": time.time(),
    }
    os.makedirs(out, exist_ok=True)
    document = {"schema": "tsuji.result/1", "status": "complete",
                "metrics": {name: {"value": value, "unit": ""} for name, value in metrics.items()}}
    document["tables"] = {"links": {"columns": [{"name": "link", "unit": ""}, {"name": "flits", "unit": "flits"}],
                                    "rows": [[7, round(1000 * load)]]}}
    write(f"{out}/result.json", str(document).replace("'", '"').replace("None", "null"))
    return 0


sys.exit(main())
