"""Results of each part, one JSON file each."""

from __future__ import annotations

import json
from pathlib import Path

FOLDER = Path(__file__).parent


def kept(part):
    file = FOLDER / f"{part}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def keep(part, results):
    (FOLDER / f"{part}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
