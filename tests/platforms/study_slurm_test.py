#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Studies on a Slurm of this machine alone: equal to those of local cores, whatever is lost on the way.

usage: study_slurm_test.py CLASS PLATFORMS_FOLDER    exit 77: Slurm is not installed
"""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PLATFORMS = None
ONE_MACHINE = PROJECT / "platforms/study/slurm/one_machine"
STATUS = PROJECT / "platforms/study/slurm/status"
os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})  # in a container
TOOLS = ("munged", "slurmctld", "slurmd", "sbatch", "snakemake")
SKIPPED = 77
STUDY = """
platform: network
config: {project}/platforms/network/mesh8.yaml
set: {{measure.cycles: {cycles}}}
axes: {{router.vcs: [2, 4]}}
seeds: {seeds}
metrics: [latency_cycles_mean]
"""
HOLDING = """#!/bin/sh
while [ -e {held} ] && [ "$(ls {kept}/*/result.json 2>/dev/null | wc -l)" -gt 4 ]; do
  touch {held}.by_a_run
  sleep 0.05
done
exec {platforms}/network "$@"
"""

sys.path.insert(0, str(PROJECT / "scripts"))
from tsuji.engine import Engine, EngineConfig  # noqa: E402
from tsuji.study import Study  # noqa: E402


def dump(folder):
    return "\n".join(sqlite3.connect(folder / "study.sqlite").iterdump())


def output_of(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s")
        time.sleep(0.05)


class Folders(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tsuji_slurm_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def study(self, cycles=2000, seeds=8, ranks=1):
        folder = self.folder if ranks == 1 else self.folder / f"ranks{ranks}"
        folder.mkdir(exist_ok=True)
        path = folder / "small.yaml"
        path.write_text(STUDY.format(project=PROJECT, cycles=cycles, seeds=seeds)
                        + (f"ranks: {ranks}\n" if ranks != 1 else ""))
        return path

    def start(self, study, out, *words, platforms=None):
        command = [sys.executable, "-m", "tsuji.study_main", study, "--out", self.folder / out, "--platforms",
                   platforms or PLATFORMS, *words]
        return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(PROJECT / "scripts")},
                                stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def call(self, study, out, *words, expected=0):
        process = self.start(study, out, *words)
        said, problem = process.communicate()
        self.assertEqual(process.returncode, expected, f"{said}{problem}{self.log(out)}")
        return said + problem

    def log(self, out):
        path = self.folder / out / "engine.log"
        return path.read_text() if path.is_file() else ""

    def kept(self, out):
        """Runs that are complete."""
        return len(list((self.folder / out / "runs").glob("*/result.json")))

    def check_refusal(self, *words):
        """That runs are on two ranks shows in what is refused there."""
        path = self.study(seeds=1, ranks=2)
        path.write_text(path.read_text().replace("set: {", "set: {run.shuffle_seed: 3, "))
        self.call(path, "refused", "--jobs", "2", *words)
        self.assertIn("run.shuffle_seed", (self.folder / "refused/runs.csv").read_text())
        self.assertIn("2 ranks", (self.folder / "refused/runs.csv").read_text())

    def assert_equal_studies(self, one, other):
        for name in ("points.csv", "runs.csv"):
            self.assertEqual((self.folder / one / name).read_bytes(), (self.folder / other / name).read_bytes())
        self.assertEqual(dump(self.folder / one), dump(self.folder / other))


class Jobs(Folders):
    """The parts that need no Slurm."""

    def engine(self, **config):
        return Engine(EngineConfig(**config), PLATFORMS, self.folder / "engine", self.folder / "runs")

    def test_short_runs_of_a_cluster_are_one_job_together(self):
        cluster, names = self.engine(profile="slurm"), [str(number) for number in range(70)]
        self.assertEqual([len(job) for job in cluster.jobs(names, 1.0).values()], [30, 30, 10])
        self.assertEqual([name for job in cluster.jobs(names, 1.0).values() for name in job], names)
        self.assertEqual(len(cluster.jobs(names, 40.0)), 70)
        self.assertEqual(len(cluster.jobs(names, None)), 70)
        self.assertEqual(len(cluster.jobs(names, 0.0)), 1)
        self.assertEqual(len(self.engine().jobs(names, 1.0)), 70)

    def test_limits_of_runs(self):
        self.assertEqual(self.engine(profile="slurm", minutes=3).minutes(1.0), 3)
        self.assertEqual(self.engine(profile="slurm").minutes(1.0), 10)
        self.assertEqual(self.engine(profile="slurm").minutes(60.0), 50)
        self.assertEqual(self.engine(profile="slurm").minutes(None), 600)
        self.assertEqual(self.engine(minutes=3).minutes(1.0), 0)

    def test_a_lost_run_leaves_the_others_of_its_job_alone(self):
        for name in ("plan", "started", "said", "ended"):
            (self.folder / name).mkdir()
        for name, command in (("long", "exec sleep 60"), ("short", "exit 0"), ("killed", "kill -KILL $$")):
            words = [str(self.folder), str(self.folder), "all", "1", "sh", "-c", command]
            (self.folder / "plan" / name).write_text("".join(word + "\0" for word in words))
        for tries in (1, 2):
            done = subprocess.run([PROJECT / "platforms/study/play", "played", "0.01", "long", "short", "killed"],
                                  cwd=self.folder)
            self.assertEqual(done.returncode, 1)
            self.assertFalse((self.folder / "played").exists())
            self.assertEqual([path.name for path in (self.folder / "ended").iterdir()], ["short"])
            begun = {path.name: len(path.read_text().splitlines()) for path in (self.folder / "started").iterdir()}
            self.assertEqual(begun, {"long": tries, "short": 1, "killed": tries})
        self.assertEqual((self.folder / "said/long").read_text(), "more than 0.01 minutes\n")
        subprocess.run([PROJECT / "platforms/study/play", "played", "0", "short"], cwd=self.folder, check=True)
        self.assertTrue((self.folder / "played").exists())

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_runs_on_two_ranks_are_those_of_one(self):
        self.call(self.study(seeds=2), "one")
        self.call(self.study(seeds=2, ranks=2), "two", "--jobs", "2")
        self.assert_equal_studies("one", "two")
        started = next((self.folder / "two/.engine").glob("round-*"))
        round_ = json.loads((started / "round.json").read_text())
        self.assertEqual(round_["ranks"], 2)
        self.check_refusal()

    def test_each_rank_takes_a_core(self):
        self.assertEqual(self.engine(jobs=7, ranks=3).cores(1), 3)
        self.assertEqual(self.engine(jobs=7, ranks=3).cores(50), 7)
        said = self.call(self.study(ranks=3), "out", "--jobs", "2", expected=2)
        self.assertRegex(said, r"--jobs: a run of the study has 3 ranks, .*'2'.*accepted: 3 or more")

    def test_a_profile_that_does_not_exist_is_refused(self):
        said = self.call(self.study(), "out", "--profile", "slurp", expected=2)
        self.assertRegex(said, r"--profile: .*slurp.*accepted: a folder with Snakemake's config.yaml, or slurm")


class Slurm(Folders):
    @classmethod
    def setUpClass(cls):
        cls.slurm = pathlib.Path(tempfile.mkdtemp(prefix="tsuji_slurm_"))
        cls.addClassCleanup(shutil.rmtree, cls.slurm, ignore_errors=True)
        subprocess.run([ONE_MACHINE, "start", cls.slurm], check=True, stdout=subprocess.PIPE)
        cls.addClassCleanup(subprocess.run, [ONE_MACHINE, "stop", cls.slurm], check=True)
        os.environ["SLURM_CONF"] = str(cls.slurm / "slurm.conf")

    def setUp(self):
        super().setUp()
        self.addCleanup(subprocess.run, ["scancel", f"--user={os.getuid()}"])

    def jobs_of_slurm(self):
        return output_of("squeue", "--noheader", "--format=%i").split()


class Equal(Slurm):
    def setUp(self):
        super().setUp()
        self.small = self.study()
        self.call(self.small, "local")

    def test_a_study_of_a_cluster(self):
        self.call(self.small, "slurm", "--profile", "slurm")
        self.assert_equal_studies("local", "slurm")
        logs = list((self.folder / "slurm/.engine").glob("round-*/slurm-*.log"))
        self.assertIn(len(logs), range(1, 15))  # of the round after the pilot: 15 runs in fewer jobs

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_runs_on_two_ranks_by_srun(self):
        self.call(self.study(ranks=2), "slurm", "--profile", "slurm")
        self.assert_equal_studies("local", "slurm")
        self.check_refusal("--profile", "slurm")

    def start_and_hold(self, *words):
        """A study on Slurm of which five runs or more are complete and the next ones wait for `self.held` to go."""
        platforms = self.folder / "platforms"
        platforms.mkdir()
        for path in pathlib.Path(PLATFORMS).resolve().iterdir():
            if path.name != "network":
                (platforms / path.name).symlink_to(path)
        self.held = self.folder / "held"
        self.held.touch()
        kept = self.folder / "slurm/runs"
        (platforms / "network").write_text(HOLDING.format(held=self.held, kept=kept, platforms=PLATFORMS))
        (platforms / "network").chmod(0o755)
        study = self.start(self.small, "slurm", "--profile", "slurm", *words, platforms=platforms)
        wait_for(pathlib.Path(f"{self.held}.by_a_run").exists)
        return study

    def test_a_node_that_is_lost_in_the_middle(self):
        study = self.start_and_hold("--retries", "5")
        subprocess.run([ONE_MACHINE, "kill-node", self.slurm], check=True)
        self.held.unlink()
        time.sleep(1)
        subprocess.run([ONE_MACHINE, "start-node", self.slurm], check=True)
        said = "".join(study.communicate())
        self.assertEqual(study.returncode, 0, said + self.log("slurm"))
        self.assertIn("lost and tried again", said)
        self.assert_equal_studies("local", "slurm")

    def test_a_study_that_is_killed_in_the_middle(self):
        study = self.start_and_hold()
        study.kill()
        study.communicate()
        self.assertLess(self.kept("slurm"), 16)
        self.assertTrue(self.jobs_of_slurm())  # goes on by itself until the next call takes its folder away
        self.held.unlink()
        self.call(self.small, "slurm", "--profile", "slurm")
        self.assert_equal_studies("local", "slurm")

    def test_an_interrupted_study_cancels_its_jobs(self):
        study = self.start_and_hold()
        study.send_signal(signal.SIGTERM)
        study.communicate()
        self.assertEqual(study.returncode, 128 + signal.SIGTERM)
        wait_for(lambda: not self.jobs_of_slurm())
        self.assertLess(self.kept("slurm"), 16)
        self.call(self.small, "slurm", "--profile", "slurm")
        self.assert_equal_studies("local", "slurm")


class Limits(Slurm):
    def test_a_run_over_its_time_is_tried_a_stated_number_of_times(self):
        study = Study(self.study(cycles=10**9, seeds=1), self.folder / "out", platforms=PLATFORMS)
        study.play(EngineConfig(profile=PROJECT / "platforms/study/slurm", retries=1, minutes=0.05))
        self.assertEqual({(row["status"], row["error"]) for row in study.runs},
                         {("lost", "lost 2 times: more than 0.05 minutes")})
        self.assertEqual(study.engine.tried_again, 2)

    def test_slurm_s_limits_are_those_of_the_study(self):
        study = self.start(self.study(cycles=10**9), "out", "--profile", "slurm", "--minutes", "7", "--memory-mb",
                           "123")
        wait_for(self.jobs_of_slurm)
        self.assertEqual(output_of("squeue", "--noheader", "--format=%l %m").split(), ["8:00", "123M"])
        study.terminate()
        study.communicate()

    def test_a_job_that_can_never_start_has_failed(self):
        subprocess.run(["scontrol", "update", "PartitionName=all", "MaxTime=5"], check=True)
        self.addCleanup(subprocess.run, ["scontrol", "update", "PartitionName=all", "MaxTime=INFINITE"], check=True)
        said = self.call(self.study(seeds=1), "out", "--profile", "slurm", "--minutes", "30", "--retries", "0",
                         expected=1)
        self.assertRegex(said, "Snakemake has played no run: .* can never start: PartitionTimeLimit")
        self.assertFalse(self.jobs_of_slurm())

    def test_status(self):
        def status(job, **environment):
            return output_of(STATUS, job, env={**os.environ, **environment})

        def job(*words):
            return output_of("sbatch", "--parsable", "--output=/dev/null", *words).strip()

        held, good, bad = job("--hold", "--wrap=true"), job("--wrap=true"), job("--wrap=false")
        wait_for(lambda: self.jobs_of_slurm() == [held])
        self.assertEqual([status(held), status(good), status(bad)], ["running\n", "success\n", "failed\n"])
        subprocess.run(["scancel", held], check=True)
        self.assertEqual([status(held), status("99999")], ["failed\n", "success\n"])
        nobody = self.folder / "slurm.conf"  # a controller that does not answer
        text = (self.slurm / "slurm.conf").read_text()
        nobody.write_text(text.replace("SlurmctldPort=", "SlurmctldPort=1\n#") + "MessageTimeout=2\n")
        self.assertEqual(status(good, SLURM_CONF=str(nobody)), "running\n")


if __name__ == "__main__":
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    absent = [tool for tool in TOOLS if not shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin")]
    if absent and "Jobs" not in sys.argv:
        print(f"skipped: {', '.join(absent)} is not installed; sections study and slurm of scripts/packages have the "
              f"packages")
        sys.exit(SKIPPED)
    unittest.main()
