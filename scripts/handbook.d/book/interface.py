# SPDX-License-Identifier: Apache-2.0
"""Reference of the network interface: registers and formats, from the description that the models are made of."""

import pathlib
import sys
from typing import Dict


def pages(project: pathlib.Path) -> Dict[str, str]:
    """The page below reference."""
    sys.path.insert(0, str(project / "scripts"))
    try:
        from interface import description, page
    finally:
        sys.path.pop(0)
    return {"interface.md": page.text(description.read(project))}
