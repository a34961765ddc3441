#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/import_graph: published graphs in each format become networks of the same distances; others are refused.

usage: import_graph_test.py PLATFORMS
"""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import unittest

from own_folder import FolderTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from tsuji.graphs import importing  # noqa: E402

PLATFORMS = None
# The example of METIS's manual: 11 edges, of the 10 other pairs all but (1, 7) have a common neighbour.
MANUAL = "% example\n7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"
MANUAL_PAIRS = [(0, 1), (0, 2), (0, 4), (1, 2), (1, 3), (2, 3), (2, 4), (3, 5), (3, 6), (4, 5), (5, 6)]
# The example of GraphML's primer: 11 nodes, 12 edges.
PRIMER_PAIRS = [(0, 2), (1, 2), (2, 3), (3, 5), (3, 4), (4, 6), (6, 5), (5, 7), (6, 8), (8, 7), (8, 9), (8, 10)]
PETERSEN = [(i, (i + 1) % 5) for i in range(5)] + [(i, i + 5) for i in range(5)]
PETERSEN += [(i + 5, (i + 2) % 5 + 5) for i in range(5)]


def graphml(vertices, pairs, default="undirected", more=""):
    nodes = "".join(f'<node id="n{vertex}"/>' for vertex in range(vertices))
    edges = "".join(f'<edge source="n{one}" target="n{other}"/>' for one, other in pairs)
    return (f'<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
            f'<graph edgedefault="{default}">{nodes}{edges}{more}</graph></graphml>\n')


def metis(vertices, pairs):
    rows = [[str(b + 1) for b in range(vertices) if (a, b) in pairs or (b, a) in pairs] for a in range(vertices)]
    return f"{vertices} {len(pairs)}\n" + "".join(" ".join(row) + "\n" for row in rows)


def edge_list(pairs):
    return "".join(f"{one} {other}\n" for one, other in pairs)


class Graphs(FolderTest):
    def setUp(self):
        super().setUp()
        before = pathlib.Path.cwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)

    def call(self, name, text, *words):
        if text is not None:
            (self.folder / name).write_text(text)
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
            status = importing.main([*words, name])
        return subprocess.CompletedProcess(name, status, out.getvalue(), errors.getvalue())

    def imported(self, name, text, *words):
        """(links, nodes' routers, comments) of a topology file, which is written, too."""
        done = self.ended(self.call(name, text, *words))
        self.assertEqual(done.stderr, "")
        (self.folder / "net.topology").write_text(done.stdout)
        lines = done.stdout.splitlines()
        rows = [line.split() for line in lines]
        links = [(int(row[1]), int(row[2])) for row in rows if row[0] == "link"]
        self.assertEqual([row[1] for row in rows if row[0] == "node"],
                         [str(number) for number in range(sum(row[0] == "node" for row in rows))])
        self.labels = [row[3] for row in rows if row[0] == "router"]
        self.lost = [line[8:] for line in lines if line.startswith("# lost: ")]
        return links, [int(row[3]) for row in rows if row[0] == "node"]

    def network(self, *words, status=0):
        done = subprocess.run([PLATFORMS / "network", "--set", "topology.kind=file", "--set",
                               "topology.file=net.topology", "--set", "routing.kind=minimal", *words], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
        return self.ended(done, status).stdout

    def refused(self, told, name, text, *words):
        done = self.call(name, text, *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(f"import_graph: {told}", done.stderr)

    def test_the_example_of_the_manual_of_metis(self):
        self.assertEqual(self.imported("manual.graph", MANUAL), (MANUAL_PAIRS, list(range(7))))
        self.assertEqual((self.labels, self.lost), (list("1234567"), []))
        facts = json.loads(self.network("--print-design"))
        # Each node sends to each, itself included: 11 pairs of 1 hop, 9 of 2 and one of 3, both ways.
        self.assertAlmostEqual(facts["hops_mean"], 2 * (11 + 9 * 2 + 3) / 49)
        self.assertEqual((facts["routers"], facts["link_channels"]), (7, 22))

    def test_weights_and_sizes_of_metis_are_told(self):
        for fmt, row, lost in (("001", "{} 9", ["weights of edges"]), ("1", "{} 9", ["weights of edges"]),
                               ("010 2", "7 8 {}", ["weights of vertices"]), ("10", "7 {}", ["weights of vertices"]),
                               ("100", "5 {}", ["sizes of vertices"]),
                               ("111 1", "5 7 {} 9", ["sizes of vertices", "weights of edges", "weights of vertices"])):
            rows = row.format(2) + "\n" + row.format(1) + "\n"
            self.assertEqual(self.imported("pair.metis", f"2 1 {fmt}\n{rows}")[0], [(0, 1)])
            self.assertEqual(self.lost, lost)

    def test_the_example_of_the_primer_of_graphml(self):
        links, nodes = self.imported("primer.graphml", graphml(11, PRIMER_PAIRS))
        self.assertEqual((links, nodes), (sorted((min(pair), max(pair)) for pair in PRIMER_PAIRS), list(range(11))))
        self.assertEqual((self.labels[10], self.lost), ("n10", []))

    def test_one_graph_in_three_formats(self):
        """Petersen's graph: each vertex has 3 neighbours and 6 vertices at distance 2."""
        wanted = sorted((min(pair), max(pair)) for pair in PETERSEN)
        for name, text in (("p.graph", metis(10, PETERSEN)), ("p.edges", edge_list(PETERSEN)),
                           ("p.graphml", graphml(10, PETERSEN))):
            self.assertEqual(self.imported(name, text), (wanted, list(range(10))))
            self.assertAlmostEqual(json.loads(self.network("--print-design"))["hops_mean"], (3 + 6 * 2) / 10)
        self.assertIn("free of deadlock", self.network("--check-deadlock"))

    def test_a_channel_fewer_than_a_ring_has_hops_is_refused(self):
        """Minimal routing climbs a virtual channel at each hop: 3 on a ring of 6."""
        self.imported("ring.edges", edge_list([(i, (i + 1) % 6) for i in range(6)]))
        self.assertIn("free of deadlock", self.network("--check-deadlock", "--set", "router.vcs=3"))
        self.network("--check-deadlock", "--set", "router.vcs=2", status=2)

    def test_vertices_of_edge_lists(self):
        self.assertEqual(self.imported("list", "# SNAP\n% KONECT\n\n10 2 0.5\n2 7\n", "--format", "edge_list")[0],
                         [(0, 1), (0, 2)])
        self.assertEqual((self.labels, self.lost), (["2", "7", "10"], ["weights of edges"]))
        self.imported("words.el", "west east\neast 3\n")
        self.assertEqual((self.labels, self.lost), (["west", "east", "3"], []))

    def test_a_directed_edge_and_its_reverse_are_one_link(self):
        directions = ["directions of edges; an edge and its reverse are one link"]
        self.assertEqual(self.imported("list.edges", "0 1\n1 0\n1 2\n")[0], [(0, 1), (1, 2)])
        self.assertEqual(self.lost, directions)
        pairs = [(0, 1), (1, 0), (1, 2)]
        self.assertEqual(self.imported("d.graphml", graphml(3, pairs, "directed"))[0], [(0, 1), (1, 2)])
        self.assertEqual(self.lost, directions)
        more = '<edge source="n1" target="n0" directed="true"/>'
        self.assertEqual(self.imported("m.graphml", graphml(2, pairs[:1], "directed", more))[0], [(0, 1)])
        for word, links in (("1", [(0, 1)]), ("0", None)):
            text = graphml(2, pairs[:1], "directed", more.replace("true", word))
            if links:
                self.assertEqual(self.imported("w.graphml", text)[0], links)
            else:
                self.refused("w.graphml:3:", "w.graphml", text)
        for text in (graphml(3, pairs), graphml(2, pairs[:1], "undirected", more),
                     graphml(2, pairs[:1], "directed", more.replace("true", "false"))):
            self.refused("u.graphml:3:", "u.graphml", text)

    def test_data_and_ports_of_graphml_are_told(self):
        more = '<edge source="n0" target="n1"><data key="w">3</data></edge>'
        self.assertEqual(self.imported("x.graphml", graphml(2, [], more=more))[0], [(0, 1)])
        self.assertEqual(self.lost, ["data of vertices and edges"])
        self.imported("x.graphml", graphml(2, [], more=more).replace('"n0"/>', '"n0"><port name="a"/></node>'))
        self.assertEqual(self.lost, ["data of vertices and edges", "ports"])

    def test_a_label_with_a_line_break_stays_a_comment(self):
        text = graphml(2, [(0, 1)]).replace('"n1"', '"n1&#10;link"')
        self.assertEqual(self.imported("x.graphml", text)[0], [(0, 1)])
        self.assertEqual(self.labels, ["n0", "n1?link"])

    def test_nodes_at_each_router(self):
        self.assertEqual(self.imported("pair.edges", "0 1\n", "--nodes-per-router", "3")[1], [0, 0, 0, 1, 1, 1])
        self.assertEqual(json.loads(self.network("--print-design"))["nodes"], 6)
        for number in ("0", "1024"):
            self.refused(f"--nodes-per-router: out of range (got '{number}')", "pair.edges", None,
                         "--nodes-per-router", number)

    def test_metis_refusals(self):
        for text, told in {"": "1:1: the line has too few fields", "2\n": "1:2: the line has too few fields",
                           "2 1 0 0 0\n": "1:9: unexpected word (got '0')", "0 0\n": "1:1: no number of this range",
                           "2 x\n": "1:3: no number of this range (got 'x')", "2 1 2\n": "1:5: no format (got '2')",
                           "2 1 0001\n": "1:5: no format", "2 1 0 1\n": "1:7: weights of vertices that FMT excludes",
                           "2 1\n2\n": " fewer lines than vertices (got '1')",
                           "2 1\n2\n1\n1\n": "4:1: more lines than vertices (got '1')",
                           "2 1\n2\n3\n": "3:1: no number of this range (got '3'); accepted: an integer 1..2",
                           "2 1\n1\n1\n": "2:1: an edge from a vertex to itself",
                           "2 1\n2 2\n1\n": "2:3: an edge is listed twice (got '2')",
                           "2 1\n2\n\n": "2:1: vertex 2 does not list vertex 1",
                           "2 2\n2\n1\n": "1:3: another number of edges (got '2'); accepted: 1",
                           "2 1 100\n\n5 1\n": "2:1: the line has too few fields",
                           "2 1 1\n2\n1 1\n": "2:2: no number of this range (got '')",
                           "2 1 1\n2 0\n1 1\n": "2:3: no number of this range (got '0')",
                           "% x\n3 1\n2\n1\n\n": "5:1: no path to vertex 1 (got '3')"}.items():
            with self.subTest(text=text):
                self.refused(f"g.graph:{told}", "g.graph", text)

    def test_edge_list_refusals(self):
        for text, told in {"": " no edge in this file", "0\n": "1:2: the line has too few fields",
                           "0 1\n 0 0\n": "2:2: an edge from a vertex to itself (got '0')",
                           "0 1\n0 1\n": "2:1: an edge is listed twice",
                           "0 1\n1 01\n": "2:3: another spelling of vertex 1",
                           "0 1\n2 3\n": "2:1: no path to vertex 0 (got '2')"}.items():
            with self.subTest(text=text):
                self.refused(f"g.edges:{told}", "g.edges", text)

    def test_graphml_refusals(self):
        good = graphml(2, [(0, 1)])
        for one, other, told in (('"undirected"', '"both"', "3:1: no edgedefault (got 'both')"),
                                 (' edgedefault="undirected"', "", "3:1: no attribute edgedefault (got 'graph')"),
                                 ('id="n1"', 'id="n0"', "3:48: a node is described twice (got 'n0')"),
                                 ('id="n1"', "", "3:48: no attribute id (got 'node')"),
                                 ('source="n0"', "", "3:63: no attribute source"),
                                 ('target="n1"', "", "3:63: no attribute target"),
                                 ('target="n1"', 'target="n2"', "3:63: an edge of an unknown node (got 'n2')"),
                                 ('target="n1"', 'target="n0"', "3:63: an edge from a vertex to itself"),
                                 ('target="n1"', 'target="n1" directed="x"', "3:63: no value of directed (got 'x')"),
                                 ("</graph>", "<hyperedge/></graph>", "an edge of more than two vertices"),
                                 ("</graph>", '<graph edgedefault="directed"/></graph>', "a second or nested graph"),
                                 ("</graph>", "<node id='n2'/></graph>", "no path to vertex n0 (got 'n2')"),
                                 ("</graph>", "", "no XML: mismatched tag"), ("graphml", "gexf", "2:1: another root")):
            with self.subTest(told=told):
                self.assertIn(one, good)
                done = self.call("g.graphml", good.replace(one, other))
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"^import_graph: g\.graphml:\d+:\d+: ")
                self.assertIn(told, done.stderr)
        self.refused("g.graphml:2:3: no XML: mismatched tag", "g.graphml", "<graphml>\n</graph>")
        self.refused("g.graphml: no node in this file", "g.graphml", graphml(0, []))

    def test_files_that_cannot_be_read(self):
        for name in ("gone.graph", "gone.edges", "gone.graphml"):
            self.refused(f"{name}: cannot be read", name, None)
        self.refused("net.txt: no format by this end of a file's name (got '.txt'); accepted: .graph, .metis, .edges",
                     "net.txt", "0 1\n")


if __name__ == "__main__":
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
