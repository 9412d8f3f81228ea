"""Selection: how the predictions of a verdict were made, and what else matters."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from referee.errors import ModelError
    from referee.selection.weighing.nesting import NestedSelection
    from referee.selection.weighing.one_standard_error import OneStandardError
    from referee.selection.weighing.tie_breakers import TieBreaker
    from referee.selection.weighing.tradeoffs import Tradeoff


@dataclass(frozen=True)
class Selection:
    """How the predictions of a verdict were made."""

    rows: int
    """Of the data; each may be predicted in several splits, or in none."""
    scheme: str
    splits: int
    splits_fingerprint: str
    tradeoffs: tuple[Tradeoff, ...]
    one_standard_error: OneStandardError | None = None
    """What that rule takes, which is no verdict; None where there is no standard error or no measure of size."""
    tie_breakers: tuple[TieBreaker, ...] = ()
    """In a tie, which of the tied models is ahead in what."""
    nested: NestedSelection | None = None
    """What selecting itself is worth, where the scheme is nested."""
    failures: tuple[ModelError, ...] = ()
    """One for each model that failed in a fit: it has no part in the verdict."""
    folder: str | None = None

    def to_dict(self) -> dict[str, Any]:
        failures = [{"code": error.code, "message": error.message} for error in self.failures]
        rule = {} if self.one_standard_error is None else {"sentence": self.one_standard_error.sentence}
        content = asdict(replace(self, failures=())) | {"failures": failures}
        return content | ({"one_standard_error": content["one_standard_error"] | rule} if rule else {})
