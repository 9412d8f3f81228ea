"""What became of the mutants, kept after each; survivors have a reason, written by hand in survivors.toml."""

from __future__ import annotations

import fcntl
import json
import tomllib
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = Path(__file__).parents[1] / "reliability" / "mutants.json"
LOCK = Path(__file__).parents[2] / "build" / "mutants.lock"
REASONS = FILE.with_name("survivors.toml")


class Results:
    """The file, which several rooms may write to at once: each change is made to what is there.

    Beside the sample that tests are written for stand those drawn afresh by other seeds. They are tried once.
    """

    def __init__(self, fresh: int | None = None) -> None:
        self.fresh = fresh

    @property
    def content(self) -> dict[str, Any]:
        return self._of(self._all)

    @property
    def _all(self) -> dict[str, Any]:
        return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"rooms": {}, "outcomes": {}}

    def _of(self, everything: dict[str, Any]) -> dict[str, Any]:
        if self.fresh is None:
            return everything
        return everything.setdefault("fresh", {}).setdefault(str(self.fresh), {"rooms": {}, "outcomes": {}})

    def others(self) -> set[str]:
        """The mutants of the other samples: tests may have been written with them in view."""
        everything = self._all
        samples = [everything, *(each for seed, each in everything.get("fresh", {}).items() if seed != str(self.fresh))]
        return {key for sample in samples for room in sample["rooms"].values() for key in room["mutants"]}

    def survivors(self, room: str) -> set[str]:
        content = self.content
        tried = content["outcomes"]
        return {key for key in content["rooms"][room]["mutants"] if tried.get(key, {}).get("outcome") == "survived"}

    def open_room(self, name: str, seconds: float, tests: int, keys: list[str]) -> None:
        with self._changed() as content:
            content["rooms"][name] = {"test_seconds": round(seconds, 1), "tests": tests, "mutants": keys}

    def needs(self, key: str, file: str, *, again: bool) -> bool:
        """Whether it was not tried on the file as it is, or did not fail a test and is to be tried again."""
        old = self.content["outcomes"].get(key)
        if old is None or self.fresh is not None:
            return old is None
        return old["file"] != file or (again and old["outcome"] != "killed")

    def add(self, key: str, outcome: dict[str, Any]) -> None:
        with self._changed() as content:
            content["outcomes"][key] = outcome

    def summary(self) -> str:
        """The shares by room; survivors get their reasons, and what is no longer drawn goes."""
        reasons = tomllib.loads(REASONS.read_text(encoding="utf-8")) if REASONS.exists() else {}
        total: Counter[str] = Counter()
        lines = []
        with self._changed() as content:
            current = {key for room in content["rooms"].values() for key in room["mutants"]}
            outcomes = {key: outcome for key, outcome in content["outcomes"].items() if key in current}
            for key, outcome in outcomes.items():
                if outcome["outcome"] != "killed":
                    outcome["reason"] = reasons.get(key, "open")
            content["outcomes"] = outcomes
            for name, room in content["rooms"].items():
                counts = Counter(outcomes[key]["outcome"] for key in room["mutants"] if key in outcomes)
                room["counts"] = dict(counts)
                total += counts
                lines.append(f"{name:12} {_words(counts)}; its tests take {room['test_seconds']:.1f} CPU seconds")
            content["counts"] = dict(total)
        return "\n".join([*lines, f"{'all':12} {_words(total)}"])

    @contextmanager
    def _changed(self) -> Iterator[dict[str, Any]]:
        with LOCK.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            everything = self._all
            yield self._of(everything)
            part = FILE.with_suffix(".part")
            part.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            part.replace(FILE)


def _words(counts: Counter[str]) -> str:
    tried = counts.total()
    share = counts["killed"] / tried if tried else 0
    others = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("survived", "no answer"))
    return f"{counts['killed']} of {tried} killed ({share:.1%}), {others}"
