# SPDX-License-Identifier: Apache-2.0
"""Links of the built pages: each leads to a file and a place that are there, and nothing is loaded from a network."""

import html.parser
import pathlib
import urllib.parse
from typing import Dict, List, Set, Tuple

LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data")}
FAR = ("http:", "https:", "//")


class Page(html.parser.HTMLParser):
    """The places and the links of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.places: Set[str] = set()
        self.links: List[str] = []
        self.loads: List[str] = []

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, str]]) -> None:
        """Notes the identities and the references of a tag."""
        for name, value in attrs:
            if not value:
                continue
            if name in ("id", "name"):
                self.places.add(value)
            if (tag, name) in LOADS:
                self.loads.append(value)
            elif tag == "a" and name == "href":
                self.links.append(value)


def read(folder: pathlib.Path) -> Dict[pathlib.Path, Page]:
    """All pages below a folder."""
    found = {}
    for path in sorted(folder.rglob("*.html")):
        page = Page()
        page.feed(path.read_text(encoding="utf-8"))
        found[path.resolve()] = page
    return found


def broken(folder: pathlib.Path) -> List[str]:
    """A line for each broken link below a folder, and for each file that a page loads from a network."""
    pages = read(folder)
    found = []
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        found += [f"{name}: loads {load} from a network" for load in page.loads if load.startswith(FAR)]
        for link in page.links + [load for load in page.loads if not load.startswith(FAR)]:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                found.append(f"{name}: {link}: no such file")
            elif parts.fragment and target in pages and parts.fragment not in pages[target].places and \
                    urllib.parse.unquote(parts.fragment) not in pages[target].places:
                found.append(f"{name}: {link}: no such place on the page")
    return found
