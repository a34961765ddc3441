#!/usr/bin/python3
"""How often the 95 % intervals of the platform `network` cover the true mean latency: many runs with seeds of their own
at loads up to 0.95 of what the network carries, against the mean of runs a hundred times as long. Minutes of two cores.

    coverage_test.py [--runs N] [--cycles N] [--seed FIRST] EXECUTABLE
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SHARES = (0.2, 0.4, 0.6, 0.8, 0.95)  # of the throughput at full load
TRUTHS = 2  # runs a hundred times as long


def measure(executable, folder, load, cycles, seed):
    """The metrics of one run on a 4x4 mesh."""
    out = pathlib.Path(folder) / f"{load}_{cycles}_{seed}"
    subprocess.run([executable, "--quiet", "--seed", str(seed), "--out", str(out), "--set", "topology.radices=[4,4]",
                    "--set", f"traffic.load_flits_per_node_cycle={load}", "--set", f"measure.cycles={cycles}",
                    "--set", "measure.drain_cycles=10000000"], check=True)
    metrics = {name: metric["value"] for name, metric in json.loads((out / "result.json").read_text())["metrics"].items()}
    for file in out.iterdir():
        file.unlink()
    return metrics


def judge(pooled, rows):
    """Problems, a line each. Rows: share of the throughput, intervals given of 100 runs, covering of 100 given."""
    wrong = [] if 93 <= pooled <= 97 else [f"{pooled:.1f} of 100 given intervals cover, not 93 to 97"]
    for share, given, covering in rows:
        if covering is not None and covering < 90:
            wrong.append(f"at {share:g} of the throughput {covering:.1f} of 100 given intervals cover, fewer than 90")
        if share <= 0.8 and given < 95:
            wrong.append(f"at {share:g} of the throughput {given:.1f} of 100 runs have an interval, fewer than 95")
    return wrong


def main():
    parser = argparse.ArgumentParser(prog="coverage_test")
    parser.add_argument("--runs", type=int, default=200, help="a load")
    parser.add_argument("--cycles", type=int, default=80000, help="a run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("executable", type=os.path.abspath)
    arguments = parser.parse_args()
    rows, all_given, all_covering = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="tsuji-") as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def start(load, cycles, seed):
            return pool.submit(measure, arguments.executable, folder, load, cycles, seed)

        throughput = start(1.0, 10000, 1).result()["accepted_flits_per_node_cycle"]
        print(f"throughput {throughput:.4f} flits/node/cycle; {arguments.runs} runs of {arguments.cycles} cycles a load")
        print("share  load    truth  given/100  covering/100  half width")
        loads = [(share, round(share * throughput, 4)) for share in SHARES]
        first = arguments.seed
        started = [(share, load, [start(load, 100 * arguments.cycles, 1000000 + first + i) for i in range(TRUTHS)],
                    [start(load, arguments.cycles, first + i) for i in range(arguments.runs)]) for share, load in loads]
        for share, load, truths, runs in started:
            truth = sum(run.result()["latency_cycles_mean"] for run in truths) / TRUTHS
            results = [run.result() for run in runs]
            halves = [(abs(r["latency_cycles_mean"] - truth), r["latency_cycles_mean_confidence95"]) for r in results
                      if r["latency_cycles_mean_confidence95"] is not None]
            covering = sum(error <= half for error, half in halves)
            all_given, all_covering = all_given + len(halves), all_covering + covering
            rows.append((share, 100 * len(halves) / len(results), 100 * covering / len(halves) if halves else None))
            print(f"{share:5g}  {load:.4f}  {truth:6.2f}  {rows[-1][1]:8.1f}  "
                  f"{'none' if not halves else f'{rows[-1][2]:10.1f}'}  "
                  f"{sum(half for _, half in halves) / max(1, len(halves)):10.2f}", flush=True)
    pooled = 100 * all_covering / max(1, all_given)
    print(f"pooled: {all_covering} of {all_given} given intervals cover, {pooled:.1f} of 100")
    wrong = judge(pooled, rows)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
