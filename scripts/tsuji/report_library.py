# SPDX-License-Identifier: Apache-2.0
"""d3, which draws the pictures of a page: of Debian's package, or a file that the user names."""

from __future__ import annotations

import os
import pathlib
import re

from .errors import Refused

VARIABLE = "TSUJI_D3"
PACKAGES = pathlib.Path(__file__).resolve().parent.parent / "packages"  # also in an installation's share/tsuji/scripts
VERSIONS = (5, 6, 7)


def read() -> str:
    """The library's text, for a script element."""
    path = chosen()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused(path, "", f"cannot be read: {getattr(problem, 'strerror', None) or problem}", None,
                      "d3.min.js of version 5 to 7") from None
    version = re.match(r"// https://d3js\.org v(\d+)\.", text)
    if not version or int(version.group(1)) not in VERSIONS or "</script" in text.lower():
        raise Refused(path, "", "is no d3 that the page can use", text[:40].split("\n")[0],
                      "d3.min.js of version 5 to 7, whose first line names it")
    return text


def chosen() -> pathlib.Path:
    """The file of TSUJI_D3, or the package's."""
    named = os.environ.get(VARIABLE)
    if named:
        return pathlib.Path(named)
    package, path = of_package()
    if not path.is_file():
        raise Refused(f"d3 is missing ({path} of Debian's package {package})", "", "", None,
                      f"that package, or {VARIABLE}=FILE with d3.min.js of version 5 to 7")
    return path


def of_package() -> tuple[str, pathlib.Path]:
    """Name and file of the section `report` of scripts/packages."""
    for folder in (PACKAGES, PACKAGES.parents[3] / "share/tsuji/scripts/packages"):
        if folder.is_file():
            section = re.search(r"^\[report\]\n(\S+)\s+file:(\S+)", folder.read_text(encoding="utf-8"), re.MULTILINE)
            if section:
                return section.group(1), pathlib.Path(section.group(2))
    raise Refused(PACKAGES, "", "has no section report with a file", None, f"{VARIABLE}=FILE with d3.min.js")
