# SPDX-License-Identifier: Apache-2.0
"""Promises of every run, whatever its configuration: its end, its messages, the sums of its numbers."""

import csv
import dataclasses
import re

from .runs import SANITIZER_FINDING, SIGTERM_EXIT, NoNumber

# Ends of a run that are the configuration's and not the model's fault.
LEGITIMATE = {
    "deadlock": re.compile(r"no flit has moved for \d+ cycles"),
    "lost messages": re.compile(r"packets were dropped, and with them their messages|\nlost: message .*: "
                                r"given_up\n|\n\d+ packets were lost\n"),
    "early packets": re.compile(r"early_packets"),
    "injected faults": re.compile(r"packets were dropped because of injected faults"),
}
SIGNED = ("correlation", "growth")  # metrics that may be below 0
TOO_LONG = "too long"  # cut off with the results up to then, compared with nothing
MOST_MESSAGE = 20000  # characters of a refusal


@dataclasses.dataclass(frozen=True)
class Failure:
    """A broken promise: `kind` is the same for the same defect, `detail` is for people."""

    kind: str
    detail: str
    arguments: tuple = ()   # of the run that shows it
    settings: tuple = ()    # on top of the case's own

    def __str__(self):
        return f"{self.kind}: {self.detail}"


def ending(ended):
    """None for exit 0, "refused", "model: NAME", "too long", or a Failure."""
    if ended.code is None:
        return Failure("does not end", ended.text)
    if SANITIZER_FINDING.search(ended.text):
        return Failure("sanitizer", ended.text[:2000])
    if ended.code < 0:
        return Failure(f"signal {-ended.code}", ended.text[-2000:])
    if ended.code == 0:
        return Failure("talks with --quiet", ended.text[:500]) if ended.text else None
    if ended.code == 2:
        return "refused"
    if ended.too_long and ended.code == SIGTERM_EXIT:
        partial = load_result(ended)
        if isinstance(partial, Failure):
            return partial
        return TOO_LONG if partial.get("status") == "partial" else Failure("a cut-off run looks whole", str(ended.out))
    if ended.code != 1:
        return Failure(f"exit {ended.code}", ended.text[:2000])
    if (ended.out / "result.json").exists():
        return Failure("a result of a failed run", ended.text[:500])
    for name, pattern in LEGITIMATE.items():
        if pattern.search(ended.text):
            return f"model: {name}"
    return Failure("model failure", ended.text[:2000])


def refusal_fault(ended, keys):
    """The part that a refusal's message lacks, or None."""
    text = ended.text.rstrip("\n")
    if (ended.out / "result.json").exists():
        return "there is a result"
    faults = [mistake_fault(mistake, keys) for mistake in mistakes(text)]
    return next((fault for fault in faults if fault is not None), None)


def mistakes(text):
    """The mistakes that a refusal names, a line each; where it names several, its first line has their number."""
    first, *more = text.rstrip("\n").split("\n")
    told = re.fullmatch(r"[\w-]+: (?:\d+ mistakes, the first )?(\d+)(?: mistakes)?", first)
    if told and int(told.group(1)) == len(more) and all(line.startswith("  ") for line in more):
        return [line[2:] for line in more]
    return [text.rstrip("\n")]


def mistake_fault(text, keys):
    if "\n" in text:
        return "more than one line"
    if len(text) > MOST_MESSAGE:
        return f"{len(text)} characters"
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        return "control characters"
    if "; accepted: " not in text:
        return "does not say what would be accepted"
    if blamed_key(text, keys) is None:
        return "names no key"
    return None


def blamed_key(text, keys):
    """The key that a refusal is about."""
    head = text.partition("; accepted: ")[0]
    for part in re.split(r": ", head):
        if part in keys:
            return part
    named = [key for key in keys if re.search(rf"(?<![\w.]){re.escape(key)}(?![\w.])", head)]
    named += re.findall(r"(?<![\w.])job\.[a-z_]+", head)  # keys of the jobs' file, which --list-keys does not show
    return max(named, key=len) if named else None


# Begins of warnings about a recording, which runs without it do not have.
RECORDINGS = ("the waveform shows ", "packets.csv has ", "the log has ")


def comparable(result):
    """A result without the wall clock and without how the modules of a cycle were run."""
    result["metrics"].pop("wall_seconds", None)
    warnings = [sentence for sentence in result.pop("warnings", []) if not sentence.startswith(RECORDINGS)]
    if warnings:
        result["warnings"] = warnings
    result["metrics"].pop("module_steps", None)
    for name in ("processes", "shuffle_seed"):
        result["config"].get("run", {}).pop(name, None)
    return result


def differences(first, second, path=""):
    """The places where two trees differ, a few of them."""
    if type(first) is not type(second):
        return [f"{path}: {first!r} and {second!r}"]
    if isinstance(first, dict):
        found = []
        for name in [*first, *(name for name in second if name not in first)]:
            if name not in first or name not in second:
                found.append(f"{path}.{name}: only in one")
            else:
                found += differences(first[name], second[name], f"{path}.{name}")
        return found
    if isinstance(first, list) and len(first) == len(second):
        return [text for i, (a, b) in enumerate(zip(first, second)) for text in differences(a, b, f"{path}[{i}]")]
    return [] if first == second else [f"{path}: {str(first)[:80]} and {str(second)[:80]}"]


def records(ended):
    """The rows of packets.csv, one after the other: a run of a minute leaves millions."""
    if ended.has("packets.csv"):
        with (ended.out / "packets.csv").open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)


SWALLOWED = ("acknowledgement", "duplicate")  # causes of packets that arrived and do not count, with retry


class PacketSums:
    """Sums over the rows of packets.csv; the measured packets are those born in [begin, end)."""

    def __init__(self, begin, end):
        self.begin, self.end = begin, end
        self.delivered = self.swallowed = self.dropped = self.dropped_flits = 0
        self.measured = self.latency_sum = 0
        self.latency_most = None
        self.wrong_times = None  # the first row whose times contradict each other

    def add(self, row):
        if row.get("cause") in SWALLOWED:
            self.swallowed += 1
            return
        if row.get("cause"):
            self.dropped_flits += int(row["flits"])
        if row.get("source", "").startswith("r"):  # a control message between routers: no packet of a node
            return
        if row.get("cause"):
            self.dropped += 1
            return
        self.delivered += 1
        created, injected, head, tail, latency = (int(row[name]) for name in (
            "created_cycle", "injected_cycle", "head_cycle", "tail_cycle", "latency_cycles"))
        if self.wrong_times is None and (not created <= injected <= head <= tail or tail - created != latency):
            self.wrong_times = row
        if self.begin <= created < self.end:
            self.measured += 1
            self.latency_sum += latency
            self.latency_most = latency if self.latency_most is None else max(self.latency_most, latency)


def broken_sums(result, rows):
    """Contradictions of a result and its packets, of which any number may pass by; a list of texts."""
    metrics = {name: entry["value"] for name, entry in result["metrics"].items()}
    faults = [f"{name} is {value}" for name, value in metrics.items()
              if isinstance(value, (int, float)) and value < 0 and not any(word in name for word in SIGNED)]
    begin = metrics.get("measured_from_cycle", 0)
    sums = PacketSums(begin, begin + metrics.get("measured_cycles", 0))
    for row in rows:
        sums.add(row)

    if sums.wrong_times is not None:
        faults.append(f"a packet's times: {sums.wrong_times}")
    if metrics.get("packets_replicated"):
        return faults  # a multicast counts once, and has a line for each of its copies

    def same(what, told, counted):
        if told != counted:
            faults.append(f"{what}: {told} told, {counted} counted in packets.csv")

    delivered, sent = metrics["packets_delivered"], metrics["packets_sent"]
    if gateways := result.get("tables", {}).get("gateways"):  # packets.csv has what passes between them
        place = [column["name"] for column in gateways["columns"]].index
        delivered = sum(row[place("from_others")] for row in gateways["rows"])
        if "network_packets" not in result["tables"]:  # with retry it is the network's number
            sent = sum(row[place("to_others")] for row in gateways["rows"])
    if units := result.get("tables", {}).get("units"):  # packets.csv has nothing of multicasts and synchronizations
        place = [column["name"] for column in units["columns"]].index
        delivered -= sum(row[place("to_nodes")] for row in units["rows"])
        if "network_packets" not in result["tables"]:
            sent -= sum(row[place("from_nodes")] for row in units["rows"])
    same("packets delivered", delivered, sums.delivered)
    carried = dict(result.get("tables", {}).get("network_packets",
                                                {"rows": []})["rows"])  # with retry: all packets, whatever counts
    told_dropped = sum(count for fate, count in carried.items()
                       if fate.startswith("dropped")
                       and fate != "dropped: control") if carried else metrics.get("packets_dropped", 0)
    same("packets dropped", told_dropped, sums.dropped)
    same("packets swallowed", carried["delivered"] - delivered if carried else 0, sums.swallowed)
    # An acknowledgement of congestion control is a flit, and no packet of the file.
    unacknowledged = sums.delivered - metrics.get("acknowledgements", sums.delivered)
    flits_inside = metrics["flits_in_flight_at_end"] - unacknowledged
    ended = sums.delivered + sums.swallowed + sums.dropped
    # Flits of a dropped packet that are on a wire arrive there before they are thrown away.
    if sent < ended or (sent == ended and flits_inside > sums.dropped_flits and not metrics.get("control_messages")):
        faults.append(f"{sent} packets were sent, {ended} have ended, {flits_inside} flits are in the network")
    born = carried["born"] if carried else metrics.get("packets_born", sent)
    if born < sent:
        faults.append(f"{born} packets born, {sent} sent")
    rails = result.get("config", {}).get("rails", {}).get("count", 1)  # links of a node
    if (metrics.get("accepted_flits_per_node_cycle") or 0) > rails + 1e-9:
        faults.append(f"accepted {metrics['accepted_flits_per_node_cycle']} flits of a node a cycle")
    if result["config"].get("measure", {}).get("mode") == "cycles" and "measured_from_cycle" in metrics:
        faults += broken_interval(metrics, sums)
    return faults


def broken_interval(metrics, sums):
    """The measured packets are those born in the interval."""
    faults = []
    if metrics["measured_packets"] != sums.measured:
        faults.append(f"{metrics['measured_packets']} packets measured, {sums.measured} counted in packets.csv")
    elif sums.measured:
        mean = sums.latency_sum / sums.measured
        if abs(metrics["latency_cycles_mean"] - mean) > 1e-9 * mean:
            faults.append(f"mean latency {metrics['latency_cycles_mean']}, of packets.csv {mean}")
        if metrics["latency_cycles_max"] != sums.latency_most:
            faults.append(f"largest latency {metrics['latency_cycles_max']}, of packets.csv {sums.latency_most}")
    return faults


def broken_study(result):
    """Contradictions of a compact_study's tables; a list of texts."""
    def rows(name):
        table = result["tables"].get(name, {"columns": [], "rows": []})
        names = [column["name"] for column in table["columns"]]
        return [dict(zip(names, row)) for row in table["rows"]]

    faults = []
    if result["metrics"].get("failures", {"value": 0})["value"] != 0:
        faults.append(f"proof: {rows('proof')}")
    for row in rows("hops"):
        if row["fits"] == 1 and (row["livelocks"]
                                 or not 1 <= row["average"] / row["shortest_average"] <= row["stretch"]):
            faults.append(f"hops: {row}")
    stretch = 1 + result["config"]["study"].get("stretch_percent", 10) / 100
    for row in rows("growth"):
        enough = row["too_few"] < row["entries"] and row["needed"] <= row["entries"]
        if row["average"] > stretch * row["shortest_average"] or not enough:
            faults.append(f"growth: {row}")
    for row in rows("layers"):
        if min(row["compact"], row["compact_lash"]) < 1:
            faults.append(f"layers: {row}")
    return faults


def load_result(ended):
    """The result, or a Failure where it is no JSON of finite numbers."""
    try:
        return ended.result()
    except (NoNumber, ValueError, OSError) as problem:
        return Failure("result.json", str(problem))
