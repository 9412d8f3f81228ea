"""Move the notes of this folder into CHANGELOG.md: `make changelog`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
CHANGELOG = FOLDER.parent / "CHANGELOG.md"
SECTION = re.compile(r"^## .*\n", re.MULTILINE)


def joined(changelog: str, notes: list[str]) -> str:
    r"""The changelog with the notes at the top of its first section.

    >>> joined("# Changes\n\n## 2.0\n- old\n", ["- new\n"])
    '# Changes\n\n## 2.0\n- new\n- old\n'
    """
    section = SECTION.search(changelog)
    if section is None:
        sys.exit("CHANGELOG.md has no section")
    return changelog[: section.end()] + "".join(note.strip() + "\n" for note in notes) + changelog[section.end() :]


if __name__ == "__main__":
    files = [file for file in sorted(FOLDER.glob("*.md")) if file.name != "README.md"]
    if wrong := [file.name for file in files if not file.read_text(encoding="utf-8").lstrip().startswith("- ")]:
        sys.exit(f"not a list of bullets: {', '.join(wrong)}")
    content = joined(CHANGELOG.read_text(encoding="utf-8"), [file.read_text(encoding="utf-8") for file in files])
    CHANGELOG.write_text(content, encoding="utf-8")
    for file in files:
        file.unlink()
