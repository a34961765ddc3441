# SPDX-License-Identifier: Apache-2.0
"""scripts/reproduce: what a paper states, measured on the models. See platforms/reproduce/README.md."""

import argparse
import dataclasses
import importlib
import json
import os
import pathlib
import resource
import signal
import sys
import tempfile
import traceback

from tsuji import folders
from tsuji.engine import find_profile
from tsuji.errors import Refused, RunFailed
from tsuji.progress import Progress
from tsuji.runs import BUILT, OUT

from . import changes, listing, lists, page, papers, plants, statements, wrong
from . import findings as found
from .rows import Verdict
from .runs import Pool

FOLDER = pathlib.Path(__file__).resolve().parents[1]


@dataclasses.dataclass(frozen=True)
class Setting:
    """The call as an ID sees it."""

    quick: bool
    traces: object  # folder of recorded traces, or None
    inputs: pathlib.Path  # where it may write input files for its runs
    changes: dict = dataclasses.field(default_factory=dict)  # keys of --set

    def input_file(self, name, text):
        """Writes a file for a run to read."""
        self.inputs.mkdir(parents=True, exist_ok=True)
        path = self.inputs / name
        path.write_text(text, encoding="utf-8")
        return path


class Experiment:
    """One ID: PAPER/NAME.py with TITLE, SOURCE, ROWS, plan(setting) and evaluate(setting, results)."""

    def __init__(self, paper, name):
        self.id = f"{paper}.{name}"
        module = importlib.import_module(self.id)
        self.title, self.source = module.TITLE, module.SOURCE
        its_paper = paper_of(paper)
        self.sections = papers.sections_of(self.source, its_paper, self.id)
        self.rows = papers.with_sections(module.ROWS, self.sections, its_paper, self.id)
        papers.check_readings(self.rows, self.id)
        self.plan, self.evaluate = module.plan, module.evaluate


def folders_of_ids(folder):
    return sorted(path.parent.name for path in folder.glob("*/__init__.py")
                  if path.parent.name != pathlib.Path(__file__).parent.name)


def paper_of(name):
    """The paper of a folder of IDs; None of one that is no paper's."""
    return getattr(importlib.import_module(name), "PAPER", None)


def all_ids(folder):
    """In the order in which each paper's IDS lists them."""
    sys.path.insert(0, str(folder))
    return [f"{paper}.{name}" for paper in folders_of_ids(folder) for name in importlib.import_module(paper).IDS]


def papers_by_folder(folder):
    """Each folder of IDs with its paper, or None."""
    return {name: paper_of(name) for name in folders_of_ids(folder)}


def chosen(words, ids):
    """`all`, a paper for all of its IDs, or IDs; in the order of the list."""
    if not words:
        raise Refused(f"name at least one ID, a paper, or all: {', '.join(ids)}")
    wanted = set()
    for word in words:
        these = [name for name in ids if word in ("all", name, name.split(".")[0])]
        if not these:
            raise Refused(f"{word}: unknown; accepted: all, {', '.join(sorted({name.split('.')[0] for name in ids}))}, "
                          f"{', '.join(ids)}")
        wanted.update(these)
    return [name for name in ids if name in wanted]


def jobs(text):
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 1024:
        raise argparse.ArgumentTypeError(f"{text}: accepted: an integer 1..1024")
    return number


def parse(words):
    parser = argparse.ArgumentParser(prog="reproduce", description="Measures what the papers state on the models.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="PAPER.NAME, a PAPER, or all")
    parser.add_argument("--list", action="store_true", help="prints papers, IDs and rows (of all, if none is named)")
    parser.add_argument("--quick", action="store_true",
                        help="a version of each in seconds; never in the place of full results")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR",
                        help="default: out/reproduce, with --quick out/reproduce-quick")
    parser.add_argument("--jobs", type=jobs, default=os.cpu_count() or 1, metavar="N", help="runs at a time")
    parser.add_argument("--profile", metavar="DIR", help="a profile of Snakemake, for a cluster; slurm is ready")
    parser.add_argument("--runs", type=pathlib.Path, metavar="DIR",
                        help="kept runs, which studies may share; default: DIR of --out/runs")
    parser.add_argument("--traces", type=pathlib.Path, default=os.environ.get("TSUJI_TRACES") or None, metavar="DIR",
                        help="recorded applications (or the environment's TSUJI_TRACES); none: skeletons")
    parser.add_argument("--again", action="store_true", help="play runs that are there already, too")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
                        help="changes the paper: a key of all runs that read it; verdicts are `changed`; may be "
                        "repeated")
    parser.add_argument("--against-wrong-models", action="store_true",
                        help="plays the IDs with planted parameters, one at a time: exit status 1 when less than 90 %% "
                        "of the plants make a hard row fail or have a reason in wrong_models.yaml")
    parser.add_argument("--against", choices=["base"],
                        help="with --set: figures and rows of the paper beside those of the change")
    parser.add_argument("--platforms", type=pathlib.Path, default=BUILT, metavar="DIR",
                        help="the executables")
    parser.add_argument("--experiments", type=pathlib.Path, default=FOLDER, metavar="DIR", help="where the IDs are")
    parser.add_argument("--targets", action="store_true", help="checks the arguments, prints what to build, and stops")
    arguments = parser.parse_args(words)
    for name in ("traces", "experiments"):
        folder = getattr(arguments, name)
        if folder is not None and not pathlib.Path(folder).is_dir():
            raise Refused(f"--{name} {folder}: not a folder")
    if arguments.traces is not None:
        arguments.traces = pathlib.Path(arguments.traces).resolve()
    arguments.changes = changes.parse(arguments.changes)
    if arguments.against and not arguments.changes:
        raise Refused("", "--against", "nothing is changed", arguments.against, "--set KEY=VALUE with it")
    for option, value in (("--set", changes.name(arguments.changes)), ("--profile", arguments.profile)):
        if arguments.against_wrong_models and value:
            raise Refused("", option, "does not go with --against-wrong-models", value, "one of them")
    usual = OUT / ("reproduce-quick" if arguments.quick else "reproduce")
    if arguments.out is None and arguments.changes:
        arguments.runs = arguments.runs or usual / "runs"
        usual = OUT / "reproduce-changed" / changes.name(arguments.changes).replace("/", "_").replace(" ", "")
    arguments.out = arguments.out or usual
    arguments.out = arguments.out.resolve()
    arguments.runs = (arguments.runs or arguments.out / "runs").resolve()
    if arguments.profile is not None:
        arguments.profile = find_profile(arguments.profile)
    arguments.platforms = arguments.platforms.resolve()
    return arguments


class Lists:
    """The committed lists of a folder of papers. The rows of `experiments` exist; those of the other `ids` are not
    looked for."""

    def __init__(self, folder, ids, experiments):
        rows = {**dict.fromkeys(ids), **{experiment.id: [row.key for row in experiment.rows if row.tolerance]
                                         for experiment in experiments}}
        self.known = lists.known_failures(folder / lists.KNOWN_FAILURES, rows)
        self.calibrated = lists.calibrated(folder / lists.CALIBRATED, rows)
        self.names = lists.names_by_row(self.calibrated)
        self.papers = papers_by_folder(folder)
        self.no_papers = [name for name, paper in self.papers.items() if paper is None]
        self.not_reproduced = lists.not_reproduced(folder / lists.NOT_REPRODUCED, {
            name: paper for name, paper in self.papers.items() if paper})


class RunProgress:
    """Of runs, by what each takes."""

    def __init__(self, runs):
        self.number, self.ended, self.seconds = len(runs), 0, 0.0
        self.bar = Progress(sum(run.seconds for run in runs), "run")
        self.wipe = self.bar.wipe

    def update(self, run):
        """`run` has ended; None: a while has passed."""
        if run is not None:
            self.seconds += run.seconds
            self.ended += 1
        self.bar.update(self.seconds, f"{self.ended} of {self.number}")


def print_verdicts(experiment, judged, notes):
    print(f"\n{experiment.id}  {experiment.title}")
    lines = [found.CELL_NAMES] + [entry.cells() for entry in judged]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        print("    " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    for entry in judged:
        if entry.reason:
            print(f"    {entry.row.key} is on the list of known failures: {entry.reason}")
    for note in notes:
        print(f"    note: {note}")
    sys.stdout.flush()


class Session:
    """The IDs of one call: plays their runs, evaluates each when its runs have ended."""

    def __init__(self, arguments, experiments, committed):
        self.arguments, self.experiments, self.committed = arguments, experiments, committed
        self.version = lists.version(arguments.quick, arguments.traces)
        self.settings = {e.id: Setting(arguments.quick, arguments.traces, arguments.runs / "inputs" / e.id,
                                       arguments.changes)
                         for e in experiments}
        self.pool = Pool(arguments.platforms, arguments.runs, arguments.jobs, arguments.again,
                         lambda run: self.progress.update(run), arguments.profile)
        self.progress = None
        self.errors, self.notes = [], {}
        self.failed_rows, self.newly_hold = [], []
        self.results = []  # of the IDs that were measured

    def run(self):
        plans, places, runs = {}, {}, {}
        for experiment in self.experiments:
            plans[experiment.id] = self.plan(experiment)
            found = self.pool.places(list(plans[experiment.id].values()))
            places[experiment.id] = dict(zip(plans[experiment.id], found))
            # The longest first, so that none is left alone at the end.
            for name, run in sorted(plans[experiment.id].items(), key=lambda entry: -entry[1].seconds):
                runs.setdefault(places[experiment.id][name], run)
        self.progress = RunProgress([run for place, run in runs.items() if self.pool.is_fresh(place)])
        ended, waiting = {}, list(self.experiments)
        self.evaluate_ready(waiting, plans, places, ended)
        for place, error in self.pool.play(runs):
            ended[place] = error
            self.evaluate_ready(waiting, plans, places, ended)
        self.progress.wipe()

    def plan(self, experiment):
        """The ID's runs by name. Of a changed paper, those of the change; against the base, the base's too, behind
        "base "."""
        plan = experiment.plan(self.settings[experiment.id])
        if not self.arguments.changes:
            return plan
        changed, number = changes.changed(plan, self.arguments.changes, self.arguments.platforms)
        self.notes[experiment.id] = (f"{number} of {len(plan)} runs read {changes.name(self.arguments.changes)}; the "
                                     f"others are the paper's")
        return {**changed, **({f"base {name}": run for name, run in plan.items()} if self.arguments.against else {})}

    def evaluate_ready(self, waiting, plans, places, ended):
        for experiment in list(waiting):
            needed = places[experiment.id]
            if all(place in ended for place in needed.values()):
                waiting.remove(experiment)
                self.progress.wipe()
                self.evaluate(experiment, plans[experiment.id], needed, ended)

    def evaluate(self, experiment, plan, places, ended):
        errors = [f"{name}: {ended[place]}" for name, place in places.items() if ended[place]]
        if errors:
            return self.error(experiment, errors[0])
        try:
            findings, judged = self.judged(experiment, {name: found_result(place) for name, place in places.items()})
            found.write(self.arguments.out / experiment.id, experiment, self.settings[experiment.id], plan, findings,
                        judged, places)
        except Exception:  # of one ID: the others continue
            return self.error(experiment, traceback.format_exc())
        for verdict, names in ((Verdict.FAILED, self.failed_rows), (Verdict.NEWLY_HOLDS, self.newly_hold)):
            names += [f"{experiment.id} {entry.row.key}" for entry in judged if entry.verdict is verdict]
        self.results.append({"id": experiment.id, "rows": [entry.json() for entry in judged]})
        print_verdicts(experiment, judged, findings.notes)

    def judged(self, experiment, results):
        """Findings and rows."""
        setting = self.settings[experiment.id]
        base_results = {name[len("base "):]: result for name, result in results.items() if name.startswith("base ")}
        findings = experiment.evaluate(setting, {name: result
                                                 for name, result in results.items() if not name.startswith("base ")})
        judged = found.with_calibrated(found.judge(experiment.rows, findings.values, self.arguments.quick),
                                       experiment.id, self.committed.names)
        if not self.arguments.changes:
            return findings, found.against_list(judged, experiment.id, self.committed.known, self.version)
        findings.notes.append(self.notes[experiment.id])
        base_values = {}
        if base_results:
            base = experiment.evaluate(setting, base_results)
            base_values = base.values
            findings.draw = changes.drawing(base.draw, findings.draw, changes.name(self.arguments.changes))
        return findings, found.compared(judged, base_values)

    def error(self, experiment, text):
        self.errors.append(experiment.id)
        print(f"reproduce: {experiment.id}: {text}", file=sys.stderr)


def keep_full_results(arguments, names):
    """Quick results never take the place of full ones, which may have taken hours; those of a change only that of the
    same one."""
    results = {name: result_of(arguments.out / name / "result.json") for name in names}
    full = [name for name, result in results.items() if result and not result["quick"]]
    if arguments.quick and full:
        raise Refused("", "", f"--out {arguments.out}: has full results of {', '.join(full)}, which --quick does not "
                      f"replace",
                      accepted="another folder")
    others = [name for name, result in results.items() if result and result.get("changed", {}) != arguments.changes]
    if others:
        raise Refused("", "", f"--out {arguments.out}: has results of {', '.join(others)} with other keys",
                      accepted="another folder")


def result_of(path):
    """None where there is none."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        return result if "quick" in result else None
    except (OSError, ValueError):
        return None


def found_result(place):
    from .runs import Result

    return Result(place)


def main(words):
    try:
        arguments = parse(words)
        ids = all_ids(arguments.experiments)
        names = ids if arguments.list and not arguments.ids else chosen(arguments.ids, ids)
        experiments = [Experiment(*name.split(".")) for name in names]
        committed = None if arguments.targets else Lists(arguments.experiments, ids, experiments)
    except Refused as refusal:
        print(f"reproduce: {refusal}", file=sys.stderr)
        return 2
    if arguments.targets:
        print("" if arguments.list else " ".join(platforms_of(experiments, arguments)))
        return 0
    if arguments.list:
        print("\n".join(listing.lines(experiments, committed)))
        return 0
    try:
        keep_full_results(arguments, names)
        lock = folders.Lock(arguments.out / "runs")
    except (Refused, folders.Held) as refusal:
        print(f"reproduce: {refusal}", file=sys.stderr)
        return 2
    except OSError as problem:
        print(f"reproduce: --out {arguments.out}: cannot be written: {problem.strerror}", file=sys.stderr)
        return 2
    with lock.file:
        return interruptible(measure_wrong_models if arguments.against_wrong_models else measure, arguments,
                             experiments, ids, committed)


def measure_wrong_models(arguments, experiments, ids, committed):
    """--against-wrong-models."""
    planted = plants.read_list(arguments.experiments / plants.WRONG_MODELS)
    player = wrong.Player(arguments.platforms, arguments.runs, arguments.jobs, arguments.again, planted,
                          lambda text: print(text, flush=True))
    settings = {e.id: Setting(arguments.quick, arguments.traces, arguments.runs / "inputs" / e.id) for e in experiments}
    lines, errors = wrong.play_all(player, experiments, settings)
    plants.check_excluded(player.numeric_keys, planted)
    wrong.write_table(arguments.out, lines)
    index = page.write(arguments.out, arguments.runs, ids, committed)
    print(f"\n{arguments.out / wrong.TABLE}\n{index}")
    print(wrong.summary_text(lines))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processors: {(used.ru_utime + used.ru_stime) / 60:.1f} minutes in runs that were not there before")
    if errors:
        print(f"IDs that could not be measured: {', '.join(errors)}")
    return 1 if errors or wrong.share(lines) < wrong.LEAST_SHARE else 0


def platforms_of(experiments, arguments):
    """The executables that the experiments' runs need, by name."""
    with tempfile.TemporaryDirectory() as inputs:
        return sorted({run.platform for experiment in experiments
                       for run in experiment.plan(Setting(arguments.quick, arguments.traces,
                                                          pathlib.Path(inputs) / experiment.id)).values()})


def interrupt(number, _frame):
    raise Interrupted(number)


class Interrupted(BaseException):
    """A signal ended the command; its number is the argument."""


def interruptible(work, *arguments):
    """The status of `work`. Active runs end with this process."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    try:
        return work(*arguments)
    except (Refused, RunFailed) as failure:
        print(f"reproduce: {failure}", file=sys.stderr)
        return 2 if isinstance(failure, Refused) else 1
    except Interrupted as end:
        print("reproduce: interrupted; runs that have ended are kept", file=sys.stderr)
        return 128 + end.args[0]


def measure(arguments, experiments, ids, committed):
    session = Session(arguments, experiments, committed)
    session.run()
    index = page.write(arguments.out, arguments.runs, ids, committed)
    print(f"\n{index}")
    for line in statements.lines(statements.by_paper(session.results, committed.no_papers)):
        print(line)
    ends = (("hard rows that failed", session.failed_rows),
            ("rows that newly hold, to be taken off the list of known failures", session.newly_hold),
            ("IDs that could not be measured", session.errors))
    for what, names in ends:
        if names:
            print(f"{what}: {', '.join(names)}")
    return 1 if any(names for _, names in ends) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # whoever reads a list may stop reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
