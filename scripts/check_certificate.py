# SPDX-License-Identifier: Apache-2.0
"""Checks certificates of Detour-UD from their JSON alone. Called by scripts/check_certificate.

usage: check_certificate.py FILE...
A certificate has a network, dead links and routers, and what was derived from them. All of it is derived here again,
by plain searches, and compared; the numbers of channels are only looked at: if they rise along every hop that the
up/down table permits, no messages in recovery wait for each other in a circle, and none goes round. Each error is
printed with its place, at most 20 a file. Exit status 0: all hold, 1: one does not, 2: a file is no certificate.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

FORMAT = "tsuji detour_ud 1"
MOST_ERRORS = 20


class Certificate:
    """The network and the claims of a file; `errors` are what contradicts them."""

    def __init__(self, data: dict[str, Any]) -> None:
        if data.get("format") != FORMAT:
            raise ValueError(f"format is {data.get('format')!r}; accepted: {FORMAT!r}")
        topology = data["topology"]
        self.routers, self.ports = topology["routers"], topology["ports"]
        self.links = [tuple(link) for link in topology["links"]]
        self.router_of_node = topology["router_of_node"]
        self.dead_links, self.dead_routers = data["faults"]["links"], data["faults"]["routers"]
        self.cut_off, self.region = data["cut_off"], data["region"]
        self.distance, self.root, self.paths = data["region_distance"], data["root"], data["paths"]
        self.torus = {int(router): self.words(text) for router, text in data["tables"]["torus"].items()}
        self.up_down = {int(router): self.words(text) for router, text in data["tables"]["up_down"].items()}
        self.numbers = {int(router): row for router, row in data["numbers"].items()}
        if self.paths not in ("all", "one"):
            raise ValueError(f"paths is {self.paths!r}; accepted: 'all' or 'one'")
        self.errors: list[Any] = []
        self.living, self.level, self.downwards = set(), {}, []
        self.wired = [[None] * self.ports for _ in range(self.routers)]  # far router without faults
        self.next = [[None] * self.ports for _ in range(self.routers)]  # far router over a living link

    def words(self, text: str) -> list[int]:
        digits = (self.ports + 3) // 4
        if len(text) != digits * self.routers:
            raise ValueError(f"a row of table words has {len(text)} digits, and {self.routers} routers need "
                             f"{digits * self.routers}")
        return [int(text[i : i + digits], 16) for i in range(0, len(text), digits)]

    def error(self, text: str) -> None:
        self.errors.append(text)

    def check(self) -> None:
        for part in (self.check_faults, self.check_living, self.check_region, self.check_root):
            part()
            if self.errors:  # what follows rests on it
                return
        for claims, name in ((self.up_down, "up/down words"), (self.numbers, "numbers")):
            if sorted(claims) != sorted(self.living):
                self.error(f"{name} are for routers {sorted(claims)}, and the living routers are {sorted(self.living)}")
        if sorted(self.torus) != sorted(self.region):
            self.error(f"torus words are for routers {sorted(self.torus)}, and the region is {sorted(self.region)}")
        if self.errors:
            return
        for to in range(self.routers):
            self.check_destination(to)

    def check_faults(self) -> None:
        for what, dead, count in (("link", self.dead_links, len(self.links)),
                                  ("router", self.dead_routers, self.routers)):
            for one in dead:
                if not 0 <= one < count:
                    self.error(f"dead {what} {one} does not exist")
            if len(set(dead)) != len(dead):
                self.error(f"dead {what}s occur twice in {dead}")
        for number, (a, port_a, b, port_b) in enumerate(self.links):
            if self.wired[a][port_a] is not None or self.wired[b][port_b] is not None:
                self.error(f"link {number} uses a port of an earlier link")
            self.wired[a][port_a], self.wired[b][port_b] = b, a

    def search(self, starts: list[int], far: Callable[..., Any]) -> dict[int, int]:
        """Links from the nearest start to each router that is reached."""
        hops = dict.fromkeys(starts, 0)
        queue = list(starts)
        for here in queue:
            for to in far(here):
                if to not in hops:
                    hops[to] = hops[here] + 1
                    queue.append(to)
        return hops

    def check_living(self) -> None:
        dead_links, dead = set(self.dead_links), set(self.dead_routers)
        for number, (a, port_a, b, port_b) in enumerate(self.links):
            if number not in dead_links and a not in dead and b not in dead:
                self.next[a][port_a], self.next[b][port_b] = b, a
        parts, seen = [], set()
        for router in range(self.routers):
            if router not in dead and router not in seen:
                parts.append(set(self.search([router], self.far)))
                seen |= parts[-1]
        if not parts:
            self.error("no router lives")
            return
        nodes = [sum(router in part for router in self.router_of_node) for part in parts]
        self.living = parts[nodes.index(max(nodes))]  # of equals the first, which has the lowest router
        cut_off = [router for router in range(self.routers) if router not in dead and router not in self.living]
        if cut_off != self.cut_off:
            self.error(f"cut off are {self.cut_off}, should be {cut_off}")
        for router in cut_off:
            self.next[router] = [None] * self.ports

    def far(self, router: int) -> list[int]:
        return [to for to in self.next[router] if to is not None]

    def check_region(self) -> None:
        ends = [
            router
            for router in sorted(self.living)
            if any(w is not None and n is None for w, n in zip(self.wired[router], self.next[router]))
        ]
        hops = self.search(ends, lambda router: [to for to in self.wired[router] if to is not None])
        region = [router for router in sorted(self.living) if hops.get(router, self.distance) < self.distance]
        if ends and self.distance < 1:
            self.error(f"region_distance is {self.distance}, and faults need 1 or more")
        if region != self.region:
            self.error(f"the region is {self.region}, should be {region}")

    def check_root(self) -> None:
        if self.root not in self.living:
            self.error(f"root {self.root} is not a living router")
            return
        self.level = self.search([self.root], self.far)
        self.downwards = sorted(self.living, key=lambda router: (self.level[router], router))

    def up(self, here: int, to: int) -> bool:
        return (self.level[to], to) < (self.level[here], here)

    def hops_of(self, router: int, word: int) -> list[tuple[int, int | None]]:
        """Ports of a word, with the routers that they connect to."""
        return [(port, self.next[router][port]) for port in range(self.ports) if word >> port & 1]

    def check_destination(self, to: int) -> None:
        errors = len(self.errors)
        for router in self.living:
            self.check_hops(router, to)
        if len(self.errors) > errors:
            return
        down, legal = self.up_down_lengths(to) if to in self.living else ({}, {})
        hops = self.search([to], self.far) if to in self.living else {}
        for router in self.living:
            self.compare("up/down", router, to, self.up_down[router][to], self.up_down_word(router, to, down, legal))
            if router in self.torus:
                nearer = self.word(router, lambda n, r=router: n in hops and hops[n] + 1 == hops[r])
                self.compare("torus", router, to, self.torus[router][to], nearer)

    def check_hops(self, router: int, to: int) -> None:
        """Each hop of a word, and each that may follow it."""
        place = f"router {router}, destination {to}: "
        word = self.up_down[router][to]
        if to in self.living and to != router and word == 0:
            self.error(place + "the up/down word has no candidate")
        for column in (word, self.torus[router][to] if router in self.torus else 0):
            for port, far in self.hops_of(router, column):
                if far is None:
                    self.error(place + f"port {port} leads onto a dead link")
        for port, far in self.hops_of(router, word):
            if far is None or far == to:
                continue
            for port_after, after in self.hops_of(far, self.up_down[far][to]):
                if after is None:
                    continue
                if not self.up(router, far) and self.up(far, after):
                    self.error(place + f"up by port {port_after} of router {far}, after down by port {port}")
                if not 0 < self.numbers[router][port] < self.numbers[far][port_after]:
                    self.error(
                        place + f"the number of port {port}, {self.numbers[router][port]}, does not rise to that of "
                        f"port "
                        f"{port_after} of router {far}, {self.numbers[far][port_after]}"
                    )

    def word(self, router: int, has: Callable[..., Any]) -> int:
        return sum(1 << port for port, to in enumerate(self.next[router]) if to is not None and has(to))

    def up_down_lengths(self, to: int) -> tuple[dict[int, int], dict[int, int]]:
        """Links to `to` by links down alone, and by any links up, then links down."""
        down = self.search([to], lambda router: [up for up in self.far(router) if self.up(router, up)])
        legal: dict[Any, Any] = {}
        for router in self.downwards:
            ways = [legal[up] + 1 for up in self.far(router) if self.up(router, up)]
            legal[router] = min(ways + [down[router]] if router in down else ways)
        return down, legal

    def up_down_word(self, router: int, to: int, down: dict[int, int], legal: dict[int, int]) -> int:
        if router == to or to not in self.living:
            return 0
        if router in down:
            return self.word(router, lambda n: not self.up(router, n) and n in down and down[n] + 1 == down[router])
        return self.word(router, lambda n: self.up(router, n) and legal[n] + 1 == legal[router])

    def compare(self, column: str, router: int, to: int, claimed: int, derived: int) -> None:
        one = self.paths == "one" and column == "up/down" and derived != 0
        if claimed == derived and not one:
            return
        if one and claimed & derived == claimed and bin(claimed).count("1") == 1:
            return
        self.error(
            f"router {router}, destination {to}: the {column} word is {claimed:0{self.ports}b}, should be "
            + ("one bit of " if one else "")
            + f"{derived:0{self.ports}b} (highest port first)"
        )


def said(problem: Exception) -> str:
    """The problem in words; a missing member is a bare KeyError."""
    return f"member {problem} is missing" if isinstance(problem, KeyError) else str(problem)


def main() -> None:
    if len(sys.argv) < 2:
        print("usage: check_certificate.py FILE...", file=sys.stderr)
        sys.exit(2)
    status = 0
    for name in sys.argv[1:]:
        try:
            with open(name, encoding="utf-8") as file:
                certificate = Certificate(json.load(file))
            certificate.check()
        except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as problem:
            print(f"{name}: no certificate: {said(problem)}; accepted: a file of --certificate", file=sys.stderr)
            sys.exit(2)
        for error in certificate.errors[:MOST_ERRORS]:
            print(f"{name}: {error}")
        if certificate.errors:
            print(f"{name}: does not hold, {len(certificate.errors)} errors")
            status = 1
        else:
            print(
                f"{name}: holds: {len(certificate.living)} living routers, {len(certificate.region)} in fault regions, "
                f"{len(certificate.cut_off)} cut off"
            )
    sys.exit(status)


if __name__ == "__main__":
    main()
