#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The handbook: what its build makes of pages, keys, headers, links and pictures, and the whole of it.

usage: handbook_test.py CLASS PROJECT [BUILD]
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CLASS, PROJECT, *BUILD = sys.argv[1:]
PROJECT = pathlib.Path(PROJECT).resolve()
OWN = PROJECT / "scripts/handbook.d"
sys.path.insert(0, str(OWN))
sys.dont_write_bytecode = True
MOST_UNDOCUMENTED = 0       # public symbols without words

from book import commands, headers, keys, links, main, metrics, pictures, sources, text  # noqa: E402
from book.errors import Wrong  # noqa: E402


class Case(unittest.TestCase):
    """A folder of the test's own."""

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="tsuji_handbook_")
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)

    def file(self, name, content):
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path


class Sources(Case):
    def setUp(self):
        super().setUp()
        self.file("README.md", "# Top\n")
        self.file("models/README.md", "# models\n")
        self.file("models/tsuji/router/README.md", "# router\n\n`models/README.md` and [page](../../../scripts/"
                  "handbook.d/topics/a.md#one)\n")
        self.page = self.file("scripts/handbook.d/topics/a.md", "# A\n")
        self.book = sources.Book(self.place, {"link.latency_cycles": "link.md#linklatency_cycles"})
        self.out = self.place / "out"
        self.out.mkdir()

    def made(self, words):
        self.page.write_text("# A\n\n" + words, encoding="utf-8")
        self.book.write(self.out)
        return (self.out / "topics/a.md").read_text(encoding="utf-8")[5:]

    def test_keys_and_readmes_become_links(self):
        self.assertEqual(self.made("see `link.latency_cycles`"),
                         "see [`link.latency_cycles`](../reference/keys/link.md#linklatency_cycles)")
        self.assertEqual(self.made("see `router/README.md`."),
                         "see [`router/README.md`](../rooms/models_tsuji_router.md).")
        self.assertEqual((self.out / "rooms/models_tsuji_router.md").read_text(encoding="utf-8"),
                         "# router\n\n[`models/README.md`](models.md) and [page](../topics/a.md#one)\n")

    def test_pages_that_continue_a_readme_are_linked_and_listed(self):
        self.file("scripts/handbook.d/rooms/router.md", "# Routers\n\n`router.kind`\n")
        self.file("models/README.md", "# models\n\n`scripts/handbook.d/rooms/router.md`\n")
        book = sources.Book(self.place, {"router.vcs": "router.md#routervcs"})
        book.write(self.out)
        self.assertIn("[`scripts/handbook.d/rooms/router.md`](router.md)",
                      (self.out / "rooms/models.md").read_text(encoding="utf-8"))
        self.assertIn("\nrouter\nproject\nmodels\nmodels_tsuji_router\n", book.rooms())

    def test_code_is_left_alone(self):
        for words in ("```console\n$ `link.latency_cycles`\n```", "    `link.latency_cycles`",
                      "## `link.latency_cycles`", "`latency_cycles`", "[x](https://a.org/link.latency_cycles)"):
            self.assertEqual(self.made(words), words)

    def test_a_key_that_no_program_has_is_refused(self):
        with self.assertRaisesRegex(Wrong, r"topics/a\.md: `link\.length`: no program has such a key"):
            self.made("`link.length`")

    def test_a_readme_links_to_files_that_are_there(self):
        self.file("models/README.md", "# models\n\n[gone](gone.md) [source](../scripts/handbook.d/conf.py)\n")
        with self.assertRaisesRegex(Wrong, "models/README.md: link to gone.md, which is not there"):
            self.made("")

    def test_pictures_are_copied(self):
        self.file("models/a.png", "x")
        self.file("models/README.md", "# models\n\n![an a](a.png)\n")
        self.made("")
        self.assertIn("![an a](../files/models_a.png)", (self.out / "rooms/models.md").read_text(encoding="utf-8"))
        self.assertTrue((self.out / "files/models_a.png").exists())

    def test_a_page_has_a_title(self):
        with self.assertRaisesRegex(Wrong, "has no title"):
            self.page.write_text("no title\n", encoding="utf-8")
            self.book.write(self.out)

    def test_words_are_written_letter_by_letter(self):
        self.assertEqual(text.escaped("a_b*c<d>"), r"a\_b\*c\<d\>")
        self.assertEqual(text.code("a`b"), "`` a`b ``")
        self.assertEqual(text.slug("`link.latency_cycles`"), "linklatency_cycles")


class Keys(Case):
    LISTED = "a.b\n    length of a\n    type: integer; default: 1; accepted: an integer 1..2\n"

    def test_listed_and_conditions(self):
        found = keys.listed(self.LISTED)
        self.assertEqual(found, {"a.b": keys.Key("a.b", "length of a",
                                                 "type: integer; default: 1; accepted: an integer 1..2", "")})
        with self.assertRaises(Wrong):
            keys.listed("a.b\n    length of a\na.c\n")
        schema = {"properties": {"a": {"type": "object", "properties": {"b": {"description": "x; only with c.d e"}}}}}
        self.assertEqual(keys.conditions(schema), {"a.b": "c.d e"})

    def test_a_page_a_section(self):
        one, other = keys.Key("a.b", "length", "type: integer", "a.c x"), keys.Key("a.b", "width", "type: integer", "")
        pages = keys.pages({"network": {"a.b": one, "a.c": other}, "cenju4": {"a.b": other}})
        self.assertEqual(set(pages), {"a.md", "index.md"})
        self.assertIn("length.\n\n- type: integer\n- has an effect with [`a.c`](a.md#ac) x\n- of network\n",
                      pages["a.md"])
        self.assertIn("width.\n\n- type: integer\n- of cenju4\n", pages["a.md"])
        self.assertEqual(pages["a.md"].count("## `a.b`"), 1)

    def test_scripts_are_asked_without_what_they_install(self):
        script = ('#!/bin/sh\n# SPDX-License\n# tool A: does.\n# More.\nneed run\n'
                  'PYTHONPATH="$root/scripts" "$python" -m tsuji.x "$@"\n')
        self.assertEqual(commands.purpose(script), "tool A: does.\nMore.")
        self.assertEqual(commands.MODULE.search(script).groups(), ("scripts", "tsuji.x"))


class Headers(Case):
    def test_symbols_and_those_without_words(self):
        self.file("a.xml", """<doxygen><compounddef kind="class" prot="public"><compoundname>tsuji::A</compoundname>
          <briefdescription><para>Counts <computeroutput>x</computeroutput>_.</para></briefdescription>
          <sectiondef><memberdef kind="function" prot="public"><name>add</name><type>void</type>
            <argsstring>(int n)</argsstring><location file="tsuji/a.h" line="9"/></memberdef>
          <memberdef kind="function" prot="private"><name>hidden</name><type>void</type><argsstring>()</argsstring>
            <location file="tsuji/a.h" line="8"/></memberdef>
          <memberdef kind="function" prot="public"><name>A</name><argsstring>(const A &amp;)=delete</argsstring>
            <location file="tsuji/a.h" line="7"/></memberdef></sectiondef>
          <location file="tsuji/a.h" line="3"/></compounddef></doxygen>""")
        found = headers.read(self.place)
        top = found["tsuji/a.h"][0]
        self.assertEqual((top.signature, top.words), ("class A", r"Counts `x`\_."))
        self.assertEqual([one.signature for one in top.members], ["void add(int n)"])
        self.assertEqual(headers.undocumented(found), ["tsuji/a.h:9: void add(int n)"])

    def test_every_public_header_has_a_place(self):
        sections = headers.listed(PROJECT)
        self.assertGreater(sum(len(one.headers) for one in sections), 80)
        self.assertEqual(len({one.page for one in sections}), len(sections))


class Links(Case):
    def test_broken_links_are_found(self):
        self.file("b.html", '<p id="there">')
        self.file("a.html", '<a href="b.html#there"></a><a href="https://a.org/x"></a><a href="#own"></a><p id="own">')
        self.assertEqual(links.broken(self.place), [])
        self.file("a.html", '<a href="b.html#gone"></a><a href="c.html"></a><img src="https://a.org/x.png">'
                  '<img src="gone.png"><a href="#gone"></a>')
        self.assertEqual(links.broken(self.place), [
            "a.html: loads https://a.org/x.png from a network", "a.html: b.html#gone: no such place on the page",
            "a.html: c.html: no such file", "a.html: #gone: no such place on the page",
            "a.html: gone.png: no such file"])


class Metrics(Case):
    RESULT = {"metrics": {"a": {"value": 1, "unit": "cycles"}},
              "tables": {"t": {"columns": [{"name": "c", "unit": "s"}], "rows": []}}}

    def test_every_metric_has_a_meaning_and_every_meaning_a_metric(self):
        found = metrics.Found()
        found.add("run", self.RESULT)
        found.add("other", self.RESULT)
        self.assertEqual((found.metrics, found.tables), ({"a": "cycles"}, {"t": [("c", "s")]}))
        metrics.checked("metric", {"a": "x"}, ["a"])
        for named, said in (({}, "a: has no meaning"), ({"a": "x", "b": "y"}, "b: no run has it")):
            with self.assertRaisesRegex(Wrong, said):
                metrics.checked("metric", named, ["a"])

    def test_one_name_has_one_unit(self):
        found = metrics.Found()
        found.add("run", self.RESULT)
        with self.assertRaisesRegex(Wrong, "metric a: unit 'ns' in the run 'other', 'cycles' in another"):
            found.add("other", {"metrics": {"a": {"value": 1, "unit": "ns"}}, "tables": {}})

    def test_names_of_a_family(self):
        self.assertEqual(metrics.names("latency_{mean,max}"), ["latency_mean", "latency_max"])
        self.assertEqual(metrics.names("latency"), ["latency"])


class Pictures(Case):
    TABLE = """enum class ReceiverState { idle, check };  // x, y
      inline constexpr std::array<ReceiverTransition, 1> receiver_transitions = {{
        {ReceiverState::idle, ReceiverEvent::packet, ReceiverState::check},}};"""

    def test_the_receiver_s_graph_is_its_table(self):
        graph = pictures.receiver(self.TABLE)
        self.assertIn('idle -> check [label="packet"];', graph)
        with self.assertRaisesRegex(Wrong, "1 transitions read"):
            pictures.receiver(self.TABLE.replace(", 1>", ", 2>"))

    def test_a_graph_has_the_states_of_the_source(self):
        pictures.hold("x", "digraph {\n  a;\n  b [label=c];\n  a -> b;\n}", ["b", "a"])
        with self.assertRaisesRegex(Wrong, "pictures/x.dot"):
            pictures.hold("x", "digraph {\n  a;\n}", ["a", "b"])

    def test_a_time_table(self):
        drawn = pictures.cycles("# words\nt0 t1\nrow: A_b B\n")
        self.assertIn(">A b</text>", drawn)
        self.assertNotIn("words", drawn)
        with self.assertRaisesRegex(Wrong, "more than 1 columns"):
            pictures.cycles("t0\nrow: A B\n")

    def test_all_are_drawn(self):
        drawn = pictures.drawn(PROJECT)
        self.assertLessEqual({"receiver.svg", "sender_rhm.svg", "sender_spm.svg", "prediction.svg", "machine.svg",
                              "router_pipeline.svg", "packet_path.svg", "clock_cycle.svg", "network_interface.svg",
                              "crosspoint_switch.svg"}, set(drawn))
        for name, picture in drawn.items():
            self.assertIn("</svg>", picture, name)


class Folders(Case):
    def test_a_folder_of_others_is_kept(self):
        made, out = self.place / "made", self.place / "out"
        for content in ("one", "two"):
            made.mkdir()
            (made / "index.html").write_text(content, encoding="utf-8")
            main.publish(made, out)
            self.assertEqual((out / "index.html").read_text(encoding="utf-8"), content)
        (out / main.MARK).unlink()
        made.mkdir()
        with self.assertRaisesRegex(Wrong, "a folder of others"):
            main.publish(made, out)
        self.assertTrue((out / "index.html").exists())


class Built(Case):
    def test_it_builds_without_a_warning_and_each_link_holds(self):
        out = self.place / "handbook"
        done = subprocess.run([sys.executable, "-B", "-m", "book.main", "--build", *BUILD, "--out", str(out)],
                              capture_output=True, text=True, env={"PYTHONPATH": str(OWN), "PATH": "/usr/bin:/bin"})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)
        undocumented = re.search(r"symbols of public headers without words: (\d+)", done.stdout)
        self.assertIsNotNone(undocumented, done.stdout)
        self.assertLessEqual(int(undocumented[1]), MOST_UNDOCUMENTED, "document the new public symbols")
        for name in ("index.html", "search.html", "searchindex.js", "questions.html", "readers/architect.html",
                     "reference/keys/link.html", "reference/metrics.html", "reference/commands/scripts.html",
                     "reference/headers/index.html", "rooms/models_tsuji_router.html"):
            self.assertTrue((out / name).is_file(), name)
        self.assertIn("link.latency_cycles", (out / "reference/keys/link.html").read_text(encoding="utf-8"))
        self.assertIn("FlitSender", (out / "searchindex.js").read_text(encoding="utf-8") + "".join(
            path.read_text(encoding="utf-8") for path in (out / "reference/headers").glob("*.html")))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], CLASS])
