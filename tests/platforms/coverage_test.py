#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Coverage and width of the 95 % intervals of the platform `network`: many runs with seeds of their own on the
committed networks, at loads up to 0.9 of the capacity, against the mean and the standard deviation over all of these
runs. Minutes of two cores.

    coverage_test.py [--runs N] [--cycles N] [--seed FIRST] EXECUTABLE
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

NETWORKS = pathlib.Path(__file__).resolve().parent.parent.parent / "platforms/network"
# The highest accepted load, in flits/node/cycle.
CAPACITY = {"mesh8": 0.405, "torus10": 0.395, "tree43": 0.475}
SHARES = (0.25, 0.5, 0.75, 0.9)  # of the capacity


def measure(executable, folder, name, share, cycles, seed):
    """The metrics of one run."""
    out = pathlib.Path(folder) / f"{name}_{share}_{seed}"
    subprocess.run([executable, NETWORKS / f"{name}.yaml", "--quiet", "--seed", str(seed), "--out", str(out),
                    "--set", f"traffic.load_flits_per_node_cycle={round(share * CAPACITY[name], 4)}",
                    "--set", f"measure.cycles={cycles}"], check=True)
    metrics = {key: metric["value"] for key, metric in json.loads((out / "result.json").read_text())["metrics"].items()}
    for file in out.iterdir():
        file.unlink()
    return metrics


def summary(results):
    """Of runs that differ in their seeds: intervals given and covering of 100, mean half width over 1.96 standard
    deviations of the runs' means."""
    means = [run["latency_cycles_mean"] for run in results]
    packets = [run["measured_packets"] for run in results]
    truth = sum(mean * count for mean, count in zip(means, packets)) / sum(packets)
    given = [(abs(run["latency_cycles_mean"] - truth), run["latency_cycles_mean_confidence95"]) for run in results
             if run["latency_cycles_mean_confidence95"] is not None]
    covering = sum(error <= half for error, half in given)
    width = sum(half for _, half in given) / max(1, len(given)) / (1.96 * statistics.stdev(means))
    return {"truth": truth, "given": 100 * len(given) / len(results), "covering": 100 * covering / max(1, len(given)),
            "width": width if given else math.nan}


def judge(name, share, row):
    """Problems, a line each."""
    wrong = []
    if row["given"] < 95:
        wrong.append(f"{row['given']:.1f} of 100 runs have an interval, fewer than 95")
    if row["covering"] < 93:
        wrong.append(f"{row['covering']:.1f} of 100 given intervals cover, fewer than 93")
    if not row["width"] <= 1.5:
        wrong.append(f"intervals are {row['width']:.2f} times as wide as runs scatter, more than 1.5")
    return [f"{name} at {share:g} of the capacity: {problem}" for problem in wrong]


def main():
    parser = argparse.ArgumentParser(prog="coverage_test")
    parser.add_argument("--runs", type=int, default=100, help="a load")
    parser.add_argument("--cycles", type=int, default=10000, help="a run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("executable", type=os.path.abspath)
    arguments = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory(prefix="tsuji-") as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        started = {(name, share): [pool.submit(measure, arguments.executable, folder, name, share, arguments.cycles,
                                               arguments.seed + i) for i in range(arguments.runs)]
                   for name in CAPACITY for share in SHARES}
        print(f"{arguments.runs} runs of {arguments.cycles} cycles a load\n"
              "network   share    truth  given/100  covering/100  half width/1.96 sd")
        for (name, share), runs in started.items():
            row = summary([run.result() for run in runs])
            wrong += judge(name, share, row)
            print(f"{name:8}  {share:5g}  {row['truth']:7.2f}  {row['given']:9.1f}  {row['covering']:12.1f}  "
                  f"{row['width']:18.2f}",
                  flush=True)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
