# SPDX-License-Identifier: Apache-2.0
"""Every key of a platform against its committed facts, and, set alone, against --print-config and the results of a
short run.

    keys_test.py Keys|Effects PLATFORM EXECUTABLE
    keys_test.py --renew FOLDER_OF_PLATFORMS

PLATFORM.json has the member that each key fills, and its type, range or words, default, meaning and conditions from
--json-schema; --renew writes the files. A key that is set changes its own line of --print-config and no other; the keys
whose conditions do not hold are comments there. Every key has a line in table.txt with a run whose metrics or tables it
changes, or with the reason why no short run shows it.
"""

import difflib
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz"))
import key_table  # noqa: E402
from fuzzing.keys import idle_keys, parse_keys, resolved_values, without_comment  # noqa: E402

PLATFORM, EXECUTABLE = None, None

# Members with another name than their keys.
OTHER_NAMES = {"routing.ud_paths": "all_paths", "lookup.search_width": "entries_per_cycle",
               "lookup.search_unit": "of_switch", "lookup.cam_sharing": "cam_of_switch",
               "run.processes": "process_mode", "workload.npb": "name", "nic.kind": "nic"}
# Routings that may lead a packet back to where it came from.
TURN_BACK = ["detour_ud", "detour_nf", "compact", "valiant", "ugal", "ugal_by_phase", "ugal_g", "par", "polarized"]


def resolve_routing(values, fitting):
    """routing.kind auto stands for a routing that fits the topology, and that decides what the router needs."""
    if values["routing.kind"] == "auto":
        values["routing.kind"] = fitting.get(values["topology.kind"], "up_down")
    recovers = values["routing.kind"] == "detour_ud"
    diameter = sum(int(radix) - 1 for radix in values["topology.radices"].strip("[]").split(","))  # of a mesh
    needed = {"router.block_timeout_cycles": "128" if recovers else "0",
              "router.hop_limit": str(4 * diameter) if recovers else "0",
              "router.uturn_network": "true" if values["routing.kind"] in TURN_BACK else "false"}
    if "routing.ties" in values:
        fixed = values["routing.kind"] == "dimension_order" and values["lookup.kind"] != "local"
        needed["routing.ties"] = "fixed" if fixed else "random"
    if "prediction.check" in values:
        late = (values["lookup.kind"] != "local"
                and not recovers) or int(values["router.rc_cycles"]) > int(values["router.st_cycles"])
        needed["prediction.check"] = "leak" if values["prediction.serial"] == "true" else "wait" if late else "kill"
    values.update({key: value for key, value in needed.items() if values[key] == "auto"})


def resolve_traffic(values, _):
    """A list is measured from its first packet."""
    if values["traffic.kind"] == "list":
        values.update({"measure.warmup_cycles": "0", "measure.first_arrival": "1"})


def resolve_network(values, fitting):
    """A benchmark that is named is what runs."""
    resolve_routing(values, fitting)
    resolve_traffic(values, fitting)
    if values["workload.npb"] != '""':
        values["workload.kind"] = "trace"


def resolve_soc(values, fitting):
    """Requests and responses share the virtual channels."""
    resolve_routing(values, fitting)
    if values["classes.list"] == '""':
        vcs = int(values["router.vcs"])
        values["classes.list"] = (f'"request vcs 0-{vcs // 2 - 1} answer response, response vcs {vcs // 2}-{vcs - 1} '
                                  'flits 1"')


RESOLVED = {"network": resolve_network, "soc": resolve_soc, "lookup_study": resolve_routing, "cenju4": resolve_traffic,
            "compact_study": lambda *_: None}

# Words that a platform never takes, with what it would take.
REFUSED = {("network", f"library.{key}={word}"): accepted
           for key, word, accepted in (("barrier", "hardware", "tree or dissemination"),
                                       ("barrier", "hierarchical", "tree or dissemination"),
                                       ("barrier", "multicast_add", "tree or dissemination"),
                                       ("broadcast", "hardware", "tree"))}
REFUSED["soc", "topology.file=/another_path"] = "a readable file"  # its nodes are looked up at once
# Settings that a value of a key needs beside it.
PARTNERS = {
    "traffic.kind=list": "traffic.list=/some_list",
    "traffic.length=weighted": "traffic.lengths=[5,7]",
    "traffic.largest_packet_flits=30": "traffic.packet_flits=10",
    "measure.last_arrival=400": "measure.first_arrival=200",
    "topology.kind=file": "topology.file=/some_file",
    "workload.placement=mapping": "workload.mapping=/some_file",
    "prediction.serial=true": "prediction.check=leak",
    "faults.campaign.deaths=2": "faults.campaign.link_mean_cycles=1000",
    "faults.losses=nothing": "routing.ud_vcs=2",
    "deadlock.classify_timeouts=true": "router.block_timeout_cycles=64",
    "router.switch_hold=packet": "router.switching=virtual_cut_through",
}
OWN_PARTNERS = {("soc", "topology.kind=express_mesh"): "topology.radices=[6,6]",
                ("soc", "topology.kind=file"): f"topology.file={key_table.FOLDER / 'six_nodes.topology'}",
                ("soc", "router.switching=virtual_cut_through"): "tlm.packet_bytes=32",
                ("soc", "router.switching=store_and_forward"): "tlm.packet_bytes=32",
                ("soc", "router.switch_hold=packet"): "router.switching=virtual_cut_through tlm.packet_bytes=32"}
# Platforms that refuse all values of some keys: the end of such a refusal, and of the reason in table.txt.
OUT_OF_REACH = {"soc": ("or no classes.list", "requests and responses are")}
SMALL_TRACE = "".join(f"{rank} {operation}\n" for rank in range(8)
                      for operation in ("init", "compute 20000", "alltoall 500 500 6 6", "compute 20000",
                                        "allreduce 24 0 6", "finalize"))


def run_platform(*arguments):
    done = subprocess.run([EXECUTABLE, *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{PLATFORM} {' '.join(arguments)}: {done.stderr}If a key's value is refused here, its "
                             f"first line in table.txt "
                             "needs one that is taken, or PARTNERS what it needs beside it.")
    return done.stdout


def result(settings):
    """Metrics and tables of a run."""
    with tempfile.TemporaryDirectory(prefix="tsuji-") as folder:
        pathlib.Path(folder, "small.ti").write_text(SMALL_TRACE)
        assignments = [f"--set={key}={value}" for key, value in settings.items()]
        done = subprocess.run([EXECUTABLE, "--quiet", "--out", f"{folder}/out", *assignments], capture_output=True,
                              text=True, timeout=60, cwd=folder)
        if done.returncode not in (0, 1):
            raise AssertionError(f"{PLATFORM} {' '.join(assignments)}: {done.stderr}")
        if done.returncode == 1:
            return {"failure": done.stderr}
        found = json.loads(pathlib.Path(folder, "out", "result.json").read_text())
    del found["config"], found["metrics"]["wall_seconds"]
    return found


class Keys(unittest.TestCase):
    """All keys of one platform."""

    @classmethod
    def setUpClass(cls):
        cls.printed_before = {}
        cls.keys = parse_keys(run_platform("--list-keys"))
        cls.schema = json.loads(run_platform("--json-schema"))
        cls.parts = key_table.leaves(cls.schema)
        cls.needs = {name: key_table.needs(part) for name, part in cls.parts.items()}
        lines, cls.hints = key_table.read()
        lines.sort(key=lambda line: line.platform != PLATFORM)
        cls.lines = [line for line in lines if line.platform == PLATFORM]
        cls.shown = {line.key: line.value for line in reversed(lines) if line.value}
        meaning = cls.keys["routing.kind"].meaning if "routing.kind" in cls.keys else ""
        found = re.findall(r"(\w+) on an? ((?:\w+, )*?(?:\w+ or )?\w+)(?=, \w+ on |$)", meaning.partition("auto: ")[2])
        cls.fitting = {topology: routing for routing, kinds in found for topology in re.split(", | or ", kinds)}

    def printed(self, settings):
        """The resolved configuration with these settings."""
        arguments = tuple(f"--set={key}={value.strip(chr(34))}" for key, value in settings.items())
        if arguments not in self.printed_before:
            self.printed_before[arguments] = run_platform(*arguments, "--print-config", "all")
        return self.printed_before[arguments]

    def values(self, text):
        """Key to printed value, including keys in comments."""
        values = resolved_values(text, self.keys)
        for line in text.splitlines():
            name, colon, value = line.removeprefix("# ").partition(": ")
            if line.startswith("# ") and colon and name in self.keys:
                values[name] = without_comment(value)
        return values

    def other_value(self, key):
        """One that is not the default: that of the table, or the next one."""
        if key.name in self.shown and self.shown[key.name] != key.default:
            return self.shown[key.name]
        if key.type == "path":
            return "/another_path"  # a relative one is printed otherwise
        if key.type in ("text", "list"):
            return f"[{int(key.least) + 2}]" if key.type == "list" else "another_text"
        value = 0 if key.default in key.other_words else float(key.default)
        step = int(self.hints.get(key.name, "").partition("multiple=")[2].partition(" ")[0] or 1)
        return f"{value + step if value + step <= key.most else value - step:.10g}"

    def decides(self, name, values):
        """Whether the conditions of a key hold."""
        def holds(selector, words):
            word = values[selector].strip('"')
            return (word in words if words else word != "") and self.decides(selector, values)
        return all(any(holds(*use) for use in uses) for uses in self.needs[name])

    def idle(self, values):
        return {key for key in self.keys if not self.decides(key, values)}

    def with_partners(self, name, value):
        partners = OWN_PARTNERS.get((PLATFORM, f"{name}={value}"), PARTNERS.get(f"{name}={value}", ""))
        return {name: value, **key_table.settings(partners)}

    def out_of_reach(self, settings):
        """Whether this platform refuses these settings for a key that table.txt says it refuses."""
        if PLATFORM not in OUT_OF_REACH:
            return False
        refusal, reason = OUT_OF_REACH[PLATFORM]
        try:
            self.printed(settings)
        except AssertionError as error:
            if refusal not in str(error):
                raise
            refused = [line for line in self.lines if line.reason.endswith(reason)]
            self.assertNotEqual(key_table.without_line(settings, refused), list(settings), "table.txt has no reason")
            return True
        return False

    def context(self, name, base):
        """Settings with which the conditions of a key hold: a word for each of its selectors, and what those
        require."""
        settings = {}
        for uses in self.needs[name]:
            selector, words = uses[0]
            settings.update(self.context(selector, base))
            if not words:
                settings[selector] = self.other_value(self.keys[selector])
            elif base[selector].strip('"') not in words:
                settings.update(self.with_partners(selector, words[0]))
        return settings

    def check(self, settings, name, value):
        """Sets the key on top of these settings: no other key changes, but for those that RESOLVED derives from it."""
        before, after = self.printed(settings), self.printed({**settings, **self.with_partners(name, value)})
        old, new = self.values(before), self.values(after)
        asked = f"{PLATFORM}, {name}={value} on top of {settings}"
        expected = {key.name: key.default for key in self.keys.values()}
        for key, text in {**settings, **self.with_partners(name, value)}.items():
            expected[key] = as_printed(self.keys[key], text)
        RESOLVED[PLATFORM](expected, self.fitting)
        self.assertNotEqual(old[name], new[name], f"{asked}: its own line does not change")
        changed = {key: new[key] for key in self.keys if new[key] != expected[key]}
        self.assertEqual(changed, {},
                         f"{asked}: these keys have changed, too: is one of them bound to the same member, or "
                         "filled in from it (RESOLVED)?")
        idle = self.idle(new)
        self.assertEqual(idle_keys(after) & set(self.keys), idle,
                         f"{asked}: printed as comments, and without effect after the schema")
        if idle == idle_keys(before) & set(self.keys) and [key for key in self.keys if old[key] != new[key]] == [name]:
            lines = [pair for pair in zip(before.splitlines(), after.splitlines()) if pair[0] != pair[1]]
            self.assertEqual((len(lines), len(before.splitlines())), (1, len(after.splitlines())), asked)

    def check_refused(self, settings, name, value):
        with self.assertRaisesRegex(AssertionError, f"{name}: .*accepted: {REFUSED[PLATFORM, f'{name}={value}']}"):
            self.printed({**settings, name: value})

    def test_facts_are_the_committed_ones(self):
        text = committed_file(PLATFORM).read_text(encoding="utf-8")
        changes = list(difflib.unified_diff(text.splitlines(), key_table.committed(self.schema).splitlines(),
                                            "committed", "now", "", "", 0, ""))
        if changes:
            self.fail("\n".join(["", *changes, "Users' configurations rest on these facts. If the change is intended, "
                                 "python3 tests/keys/keys_test.py "
                                 f"--renew build/platforms writes {PLATFORM}.json."]))

    def test_members_are_called_as_their_keys(self):
        members = key_table.members()
        for name in self.keys:
            for member in members.get(name, "none").split(" or "):
                key, path, last = "." + name, "." + member, member.rpartition(".")[2]
                alike = (key.replace(".", "_").endswith("_" + last)
                         or path.replace(".", "_").endswith("_" + name.rpartition(".")[2]))
                with self.subTest(key=name):
                    self.assertTrue(alike or last == OTHER_NAMES.get(name),
                                    f"{name} fills {member}: is this its own member (OTHER_NAMES)?")

    def test_words_are_called_as_their_values(self):
        self.assertEqual({(word, value) for word, value in key_table.words() if word != value}, {("fixed", "up")})

    def test_keys_have_their_defaults(self):
        text = self.printed({})
        values = self.values(text)
        self.assertEqual(set(values), set(self.keys), "a key is listed that is not printed, or the reverse")
        expected = {name: key.default for name, key in self.keys.items()}
        RESOLVED[PLATFORM](expected, self.fitting)
        self.assertEqual(values, expected)
        self.assertEqual(idle_keys(text) & set(self.keys), self.idle(values))

    def test_each_key_changes_its_own_line(self):
        base = self.values(self.printed({}))
        for name, key in self.keys.items():
            settings = self.context(name, base)
            for value in [word for word in key.words if word != key.default.strip('"')] or [self.other_value(key)]:
                with self.subTest(key=name, value=value):
                    if (PLATFORM, f"{name}={value}") in REFUSED:
                        self.check_refused(settings, name, value)
                    elif self.out_of_reach({**settings, **self.with_partners(name, value)}):
                        continue
                    elif value != base[name]:  # which auto stands for
                        self.check(settings, name, value)

    def test_each_use_of_a_key_counts_by_itself(self):
        base = self.values(self.printed({}))
        for uses, name in {str(uses): (uses, name) for name, all_uses in self.needs.items()
                           for uses in all_uses}.values():
            settings = self.context(name, base)
            for selector, words in uses:
                settings.update(self.with_partners(selector, self.unused_word(selector, words)))
            values = {**base, **{key: as_printed(self.keys[key], value) for key, value in settings.items()}}
            if not all(self.decides(key, values) for key in settings):
                continue  # the selector's word makes one of the others idle, too
            with self.subTest(key=name, settings=settings):
                if self.out_of_reach(settings):
                    continue
                text = self.printed(settings)
                idle = self.idle(self.values(text))
                self.assertIn(name, idle)
                self.assertEqual(idle_keys(text) & set(self.keys), idle)

    def unused_word(self, selector, words):
        key = self.keys[selector]
        if not key.words and key.default.isdigit() and words and key.default not in words:
            return key.default
        if not key.words:
            return "" if not words else "77" if words == ["auto"] else self.other_value(key)
        return next(word for word in key.words if word not in words and word != "auto")


class Effects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys = parse_keys(run_platform("--list-keys"))
        cls.lines = [line for line in key_table.read()[0] if line.platform == PLATFORM]

    def test_each_key_shows_in_a_result(self):
        before = functools.lru_cache(lambda run: result(key_table.settings(run)))
        for line in self.lines:
            if line.value:
                with self.subTest(key=line.key, value=line.value, run=line.run):
                    after = result({**key_table.settings(line.run), line.key: line.value})
                    self.assertTrue(after != before(line.run), f"{line.key} changes nothing")

    def test_each_key_has_a_line_and_each_line_a_key(self):
        self.assertEqual(key_table.without_line(self.keys, self.lines), [],
                         f"table.txt: each needs a line in [{PLATFORM}] with a short run that shows it, or the reason "
                         f"why none does")
        self.assertEqual([line.key for line in self.lines if key_table.without_line([line.key], [line]) or
                          not any(not key_table.without_line([key], [line]) for key in self.keys)], [],
                         "table.txt names what is no key")


def as_printed(key, value):
    return f'"{value}"' if key.default.startswith('"') else re.sub(", *", ", ", value)


def committed_file(platform):
    return key_table.FOLDER / f"{platform}.json"


def renew(folder):
    for platform in key_table.PLATFORMS:
        done = subprocess.run([pathlib.Path(folder, platform), "--json-schema"], capture_output=True, text=True,
                              timeout=60, check=True)
        committed_file(platform).write_text(key_table.committed(json.loads(done.stdout)), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--renew":
        renew(sys.argv[2])
    else:
        PLATFORM, EXECUTABLE = sys.argv[2:]
        unittest.main(argv=sys.argv[:2])
