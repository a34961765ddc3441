# SPDX-License-Identifier: Apache-2.0
"""Builds the handbook. usage: python -m book.main --build DIR [--out DIR] (scripts/handbook)"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time
from typing import Dict, List, Optional

from . import commands, headers, interface, keys, links, metrics, pictures, sources
from .errors import Wrong

PROJECT = pathlib.Path(__file__).resolve().parents[3]
OWN = PROJECT / "scripts/handbook.d"
MARK = ".tsuji_handbook"  # in a folder that a build has made, and that the next one may replace


def parse(words: List[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="handbook", description="Builds the handbook as HTML.")
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder with the executables")
    parser.add_argument("--out", type=pathlib.Path, default=PROJECT / "out/handbook", help="default: %(default)s")
    return parser.parse_args(words)


def write(folder: pathlib.Path, pages: Dict[str, str]) -> None:
    """Writes pages below a folder."""
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def assemble(build: pathlib.Path, work: pathlib.Path) -> List[str]:
    """Writes all sources of the pages to work/source; the symbols of public headers that have no words."""
    source = work / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    with headers.start(PROJECT, work / "doxygen") as doxygen:
        of_platforms = {platform: keys.of_platform(str(build), platform) for platform in keys.PLATFORMS}
        book = sources.Book(PROJECT, keys.places(of_platforms))
        book.write(source)
        write(source / "rooms", {"index.md": book.rooms()})
        write(source / "reference/keys", keys.pages(of_platforms))
        write(source / "reference/commands", commands.pages(PROJECT, str(build)))
        write(source / "reference", metrics.pages(OWN, build, work / "runs"))
        write(source / "reference", interface.pages(PROJECT))
        write(source / "pictures", pictures.drawn(PROJECT))
        pages, undocumented = headers.pages(PROJECT, work / "doxygen", doxygen)
        write(source / "reference/headers", pages)
    shutil.copy(OWN / "conf.py", source)
    shutil.copytree(OWN / "_static", source / "_static")
    return undocumented


def html(work: pathlib.Path) -> pathlib.Path:
    """Has Sphinx make the pages, a warning of which is an error."""
    out = work / "html"
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto", "-E", "-b", "html",
                           "-d", str(work / "doctrees"), str(work / "source"), str(out)],
                          capture_output=True, text=True)
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    if done.returncode != 0 or said:
        raise Wrong("\n".join(said) or f"sphinx: exit status {done.returncode}")
    for name in (".buildinfo", "objects.inv"):
        (out / name).unlink(missing_ok=True)
    return out


def publish(made: pathlib.Path, out: pathlib.Path) -> None:
    """Moves the pages to where the user wants them; Wrong for a folder that is not a handbook's."""
    if out.exists() and not (out / MARK).exists() and (not out.is_dir() or any(out.iterdir())):
        raise Wrong(f"--out: a folder of others (got '{out}'); accepted: a new or empty folder, or one that a call has "
                    "made")
    (made / MARK).touch()
    shutil.rmtree(out, ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(str(made), str(out))


def main(words: Optional[List[str]] = None) -> int:
    """Builds; the exit status."""
    asked = parse(sys.argv[1:] if words is None else words)
    out, work = asked.out.resolve(), asked.build.resolve() / "handbook"
    begin = time.monotonic()
    try:
        undocumented = assemble(asked.build.resolve(), work)
        made = html(work)
        broken = links.broken(made)
        if broken:
            raise Wrong("\n".join(broken))
        publish(made, out)
    except Wrong as wrong:
        print("\n".join(f"handbook: {line}" for line in str(wrong).splitlines()), file=sys.stderr)
        return 1
    pages = len(list(out.rglob("*.html")))
    text = "".join(path.read_text(encoding="utf-8") for path in (work / "source").rglob("*.md"))
    print(f"{out}/index.html: {pages} pages, {len(re.findall(r'[^ ]+', text))} words, "
          f"{time.monotonic() - begin:.0f} s; symbols of public headers without words: {len(undocumented)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
