#!/usr/bin/python3
"""Stands in the place of a platform's executable for sweeps: reads what a run is told, sleeps, and writes the result of a
queue that saturates. Its configuration is the comment `fake:` in the YAML file that it is given.

    fake: SATURATION SECONDS [fail=LOAD] [refuse=LOAD] [full=LOAD] [say=LOAD]
"""

import json
import pathlib
import re
import sys
import time


def main():
    config, load, out = sys.argv[1], None, None
    for index, argument in enumerate(sys.argv):
        if argument == "--set":
            key, value = sys.argv[index + 1].split("=")
            assert key == "traffic.load_flits_per_node_cycle", key
            load = float(value)
        if argument == "--out":
            out = pathlib.Path(sys.argv[index + 1])
    assert "--quiet" in sys.argv
    words = re.search(r'fake: "?([^"\n]*)', pathlib.Path(config).read_text()).group(1).split()
    saturation, seconds = float(words[0]), float(words[1])
    special = dict(word.split("=") for word in words[2:])
    if special.get("refuse") == f"{load:g}":
        print("fake: traffic.load: too much", file=sys.stderr)
        return 2
    if special.get("fail") == f"{load:g}":
        out.mkdir(parents=True)
        (out / "failure.txt").write_text("flit lost\n")
        print("fake: model failure: flit lost\nin router 3", file=sys.stderr)
        return 1
    if special.get("full") == f"{load:g}":
        print("fake: result.json: could not be written", file=sys.stderr)
        return 1
    if special.get("say") == f"{load:g}":
        print("fake: warning: look here", file=sys.stderr)
    time.sleep(seconds)
    accepted = min(load, saturation * 0.95)
    latency = 20 + 1 / max(0.01, 1 - load / saturation)
    metrics = {
        "offered_flits_per_node_cycle": load, "accepted_flits_per_node_cycle": accepted,
        "latency_cycles_mean": latency, "latency_cycles_mean_confidence95": 0.25, "latency_confidence": "independent",
        "latency_cycles_p50": round(latency), "latency_cycles_p95": 2 * round(latency),
        "latency_cycles_p99": 3 * round(latency), "latency_cycles_p999": 4 * round(latency),
        "hops_mean": None, "measured_packets_undelivered": 7, "latency_is_lower_bound": 1, "saturated": 1 if load > saturation + 1e-12 else 0, "wall_seconds": time.time(),
    }
    out.mkdir(parents=True, exist_ok=True)
    document = {"status": "complete", "metrics": {name: {"value": value, "unit": ""} for name, value in metrics.items()}}
    (out / "result.json").write_text(json.dumps(document))
    return 0


sys.exit(main())
