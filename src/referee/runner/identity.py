"""What a stored run belongs to, and what it says when it belongs to something else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from referee.errors import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HINT = "resume with what it was made of, or give another folder"


def check_identity(folder: Path, stored: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    """Refuse a store whose identity is not the wanted one, with the parts that differ."""
    theirs, ours = stored.get("version", ""), wanted.get("version", "")
    if _version_number(theirs) > _version_number(ours):
        raise written_by_newer(folder, f"{theirs}, this is {ours}")
    different = [part for part in {**wanted, **stored} if stored.get(part) != wanted.get(part)]
    if different:
        raise CheckpointError("E_CKPT", f"checkpoint {folder} differs: {', '.join(different)}", hint=HINT)


def written_by_newer(folder: Path, what: str) -> CheckpointError:
    return CheckpointError("E_CKPT", f"checkpoint {folder} was written by a newer version ({what})", hint=HINT)


def _version_number(version: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", version)]
