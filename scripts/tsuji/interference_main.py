# SPDX-License-Identifier: Apache-2.0
"""Slow-downs of several jobs on one network by each other. Called by scripts/interference."""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

from . import runs, statistics


class Refused(Exception):
    """A run that ends with another status than 0: `status`, and its words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def play(command: list[str], folder: pathlib.Path) -> dict[str, Any]:
    """The result of one run."""
    done = subprocess.run([*command, "--out", str(folder), "--quiet"], capture_output=True, text=True)
    if done.returncode:
        raise Refused(done.returncode if done.returncode in (1, 2) else 1, done.stdout + done.stderr)
    result: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return result


def rows_of(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Rows of the table `jobs` by job."""
    table = result["tables"]["jobs"]
    names = [column["name"] for column in table["columns"]]
    return {row[0]: dict(zip(names, row)) for row in table["rows"]}


def measured(row: dict[str, Any]) -> tuple[str, float | None]:
    """What a job is compared by: an application's time, otherwise the mean latency of its packets."""
    return ("time", row["time"]) if row["time"] is not None else ("packet_latency", row["packet_latency"])


def slow_downs(together: dict[str, Any], alone: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """[job]: both values and their quotient, of one seed."""
    result = {}
    for job, row in rows_of(together).items():
        by, value = measured(row)
        base = measured(rows_of(alone[job])[job])[1]
        quotient = value / base if value is not None and base else None
        result[job] = {"by": by, "together": value, "alone": base, "slowdown": quotient}
    return result


def one_seed(command: list[str], seed: int, folder: pathlib.Path,
             pool: concurrent.futures.Executor) -> dict[str, dict[str, Any]]:
    command = [*command, "--set", f"seed={seed}"]
    together = play(command, folder / f"seed{seed}" / "together")
    cycles = together["metrics"]["simulated_cycles"]["value"]
    futures = {
        job: pool.submit(
            play, [*command, "--set", f"workload.job_alone={job}", "--set", f"workload.jobs_cycles={cycles}"],
            folder / f"seed{seed}" / job)
        for job in rows_of(together)}
    return slow_downs(together, {job: future.result() for job, future in futures.items()})


def summary(seeds: list[dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """[job]: mean values, mean slow-down and half of its 95 % interval."""
    result = {}
    for job in seeds[0]:
        samples = [seed[job]["slowdown"] for seed in seeds if seed[job]["slowdown"] is not None]
        mean, half = statistics.mean_confidence95(samples)
        means = {
            name: statistics.mean_confidence95([seed[job][name] for seed in seeds if seed[job][name] is not None])[0]
            for name in ("together", "alone")}
        result[job] = {"by": seeds[0][job]["by"], **means, "slowdown": mean, "slowdown_95": half,
                       "seeds": [seed[job]["slowdown"] for seed in seeds]}
    return result


def text(jobs: dict[str, dict[str, Any]]) -> str:
    def number(value: float | None, digits: int) -> str:
        return "-" if value is None else f"{value:.{digits}f}"

    lines = [f"{'job':<16}{'compared by':<16}{'together':>12}{'alone':>12}{'slow-down':>12}{'+- (95 %)':>12}"]
    for job, row in jobs.items():
        lines.append(f"{job:<16}{row['by']:<16}{number(row['together'], 1):>12}{number(row['alone'], 1):>12}"
                     f"{number(row['slowdown'], 4):>12}{number(row['slowdown_95'], 4):>12}")
    return "\n".join(lines)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="interference",
                                     description="Slow-downs of several jobs on one network by each other.")
    parser.add_argument("config")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("-o", dest="out", type=pathlib.Path, default=runs.OUT / "interference")
    arguments = parser.parse_args(words)
    if arguments.seeds < 1:
        parser.error(f"--seeds {arguments.seeds}: at least 1")
    command = [str(runs.PLATFORMS / "network"), arguments.config]
    for setting in arguments.set:
        command += ["--set", setting]
    workers = len(os.sched_getaffinity(0))
    try:
        # The runs of a seed wait for its first one, so that the seeds have workers of their own.
        with concurrent.futures.ThreadPoolExecutor(workers) as pool, \
                concurrent.futures.ThreadPoolExecutor(workers) as seeds:
            futures = [seeds.submit(one_seed, command, seed, arguments.out, pool)
                       for seed in range(1, arguments.seeds + 1)]
            jobs = summary([future.result() for future in futures])
    except Refused as error:
        print(str(error).rstrip() or "interference: a run failed", file=sys.stderr)
        return error.status
    except (KeyError, OSError) as error:
        print(f"interference: {arguments.config}: no jobs in its results ({error}); accepted: workload.kind jobs",
              file=sys.stderr)
        return 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / "interference.json"
    file.write_text(json.dumps({"jobs": jobs}, indent=1) + "\n", encoding="utf-8")
    print(text(jobs))
    print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
