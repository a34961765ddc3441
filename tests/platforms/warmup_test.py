#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How often automatic warm-ups of the platform `network` end in the steady state: never above the capacity, nearly
always below. Many runs with seeds of their own; minutes of two cores, a few seconds with --quick.

    warmup_test.py [--runs N] [--quick] EXECUTABLE
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SMALL = ["topology.radices=[4,4]"]
TRANSPOSE = ["traffic.pattern=transpose"]
# More keys, and the capacity: the highest load that the worst source's packets are accepted at, in flits/node/cycle.
CASES = {"8x8 mesh, uniform": ([], 0.405), "8x8 mesh, transpose": (TRANSPOSE, 1 / 7),
         "4x4 mesh, uniform": (SMALL, 0.745), "4x4 mesh, transpose": (SMALL + TRANSPOSE, 1 / 3)}
BELOW, ABOVE = (0.5, 0.8, 0.94), (1.03, 1.1, 1.3)
QUICK = {"4x4 mesh, uniform": ((0.5, 0.9), (1.05,)), "4x4 mesh, transpose": ((0.5, 0.9), (1.05,))}


def stationary(executable, folder, name, share, seed, longest):
    """Whether a run's warm-up ends in the steady state, and when."""
    keys, capacity = CASES[name]
    out = pathlib.Path(folder) / f"{name}_{share}_{seed}"
    keys = [*keys, f"traffic.load_flits_per_node_cycle={round(share * capacity, 5)}", "measure.warmup_cycles=auto",
            f"measure.longest_warmup_cycles={longest}", "measure.cycles=1", "measure.drain_cycles=0"]
    subprocess.run([executable, "--quiet", "--seed", str(seed), "--out", str(out),
                    *(word for key in keys for word in ("--set", key))], check=True)
    metrics = json.loads((out / "result.json").read_text())["metrics"]
    for file in out.iterdir():
        file.unlink()
    return metrics["warmup_stationary"]["value"], metrics["warmup_cycles"]["value"]


def problem(name, share, found, runs):
    """What is wrong with this many of `runs`, or nothing."""
    if share > 1 and found > runs / 100:
        return f"{name} at {share:g} of the capacity: {found} of {runs} runs are called stationary, more than 1 of 100"
    if share < 1 and found < 0.95 * runs:
        return (f"{name} at {share:g} of the capacity: {found} of {runs} runs are called stationary, fewer than 95 of "
                f"100")
    return None


def main():
    parser = argparse.ArgumentParser(prog="warmup_test")
    parser.add_argument("--runs", type=int, help="a load (200; 8 with --quick)")
    parser.add_argument("--longest", type=int, help="measure.longest_warmup_cycles above the capacity (20000)",
                        default=20000)
    parser.add_argument("--quick", action="store_true", help="two small networks")
    parser.add_argument("executable", type=os.path.abspath)
    arguments = parser.parse_args()
    runs = arguments.runs or (8 if arguments.quick else 200)
    loads = QUICK if arguments.quick else {name: (BELOW, ABOVE) for name in CASES}
    wrong = []
    with tempfile.TemporaryDirectory(prefix="tsuji-") as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        started = {(name, share): [pool.submit(stationary, arguments.executable, folder, name, share, seed,
                                               arguments.longest if share > 1 else 100000)
                                   for seed in range(1, runs + 1)]
                   for name, (below, above) in loads.items() for share in (*below, *above)}
        print("network              of the capacity  stationary  of runs  median cycle")
        for (name, share), of_load in started.items():
            results = [run.result() for run in of_load]
            cycles = sorted(cycle for steady, cycle in results if steady)
            print(f"{name:19}  {share:15g}  {len(cycles):10}  {runs:7}  "
                  f"{cycles[len(cycles) // 2] if cycles else '-':>12}",
                  flush=True)
            wrong += filter(None, [problem(name, share, len(cycles), runs)])
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
