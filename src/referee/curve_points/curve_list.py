"""Curves: those of all models, with the predictions they came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.document import Result
from referee.wording import counted, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.curve_points.points import Curve
    from referee.document import Document
    from referee.predictions import Predictions


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Result):
    """The curves in a row: by model, then by kind and class.

    >>> from referee import Predictions
    >>> from referee.curve_points import curves
    >>> drawn = curves(Predictions.from_arrays([1, 0, 1], {"a": [0.9, 0.7, 0.6]}), "roc")
    >>> len(drawn), drawn[0].area, str(drawn)
    (1, 0.5, 'ROC curve of 1 model')
    """

    predictions: Predictions
    curves: tuple[Curve, ...]
    alpha: float = 0.05
    seed: int = 0

    def __iter__(self) -> Iterator[Curve]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __getitem__(self, place: int) -> Curve:
        return self.curves[place]

    def __str__(self) -> str:
        titles = list(dict.fromkeys(curve.title for curve in self.curves))
        return f"{named(titles)} of {counted(len({curve.model for curve in self.curves}), 'model')}"

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        from referee.curve_points.curves_document import curves_document

        return curves_document(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.predictions.rows,
            "goal": None,
            "alpha": self.alpha,
            "seed": self.seed,
            "fingerprint": self.predictions.fingerprint,
            "curves": [curve.to_dict() for curve in self.curves],
            "warnings": [vars(notice) for notice in self.predictions.notices],
        }

    def records(self) -> list[dict[str, Any]]:
        """One for each point; a threshold above all scores is None."""
        from referee.curve_points.curves_document import point_records

        return list(point_records(self))
