"""A test of values that were given to it, explained: the values, each step, and the decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.comparing.explanation import decided, explanation_parts, symbol_of
from referee.document import Document, Result
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.comparing.comparison import Comparison
    from referee.comparing.design import Design
    from referee.comparing.significance_test import SignificanceTest
    from referee.document import Part


@dataclass(frozen=True, repr=False)
class WorkedTest(Result):
    """One test of two models, or of several at once, that can be explained.

    >>> from referee import tests
    >>> worked = tests["sign"].worked([0.9, 0.8, 0.7, 0.9], [0.8, 0.9, 0.6, 0.7], names=("tree", "knn"))
    >>> print(worked)
    p = 0.625 > 0.05, so the null hypothesis is not rejected at 5%. That does not show that the models are equal
    """

    comparison: Comparison
    test: SignificanceTest
    design: Design

    @property
    def command(self) -> str:
        return "tests"

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        comparison = self.comparison
        sentence = comparison.undefined or decided(
            comparison, self.design, symbol_of(comparison, self.test, self.design)
        )
        opening = f"{self.test.full_name}: {self.test.title}"
        return Document("test", sentence, self.explanation(), notices=comparison.warnings, opening=opening)

    def explanation(self) -> tuple[Part, ...]:
        return explanation_parts(self.comparison, self.test, self.design)

    def to_dict(self) -> dict[str, Any]:
        return self.comparison.to_dict() | {"explanation": self.explained()}

    def records(self) -> list[dict[str, Any]]:
        """One: the comparison."""
        row = self.comparison.to_dict()
        return [{name: value for name, value in row.items() if name not in ("details", "warnings")}]
