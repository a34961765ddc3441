# SPDX-License-Identifier: Apache-2.0
"""keep_metrics.py FOLDER: of a run's folder only metrics.json stays, its result without tables."""

import json
import pathlib
import shutil
import sys

folder = pathlib.Path(sys.argv[1])
if (folder / "result.json").is_file():
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    result["tables"] = {}
    (folder / ".metrics").write_text(json.dumps(result), encoding="utf-8")
    (folder / ".metrics").rename(folder / "metrics.json")
for path in folder.iterdir():
    if path.name != "metrics.json":
        shutil.rmtree(path) if path.is_dir() else path.unlink()
