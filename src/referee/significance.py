"""SignificanceTest: a way to ask whether a difference is real; `tests` is the catalogue of all of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from referee.catalogue import Catalogue
from referee.design import IN_WORDS
from referee.entry import Entry, Parameter
from referee.errors import Notice, UsageError, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.comparison import Comparison
    from referee.design import Design, Kind

Takes = Literal["units", "rows", "decisions", "many"]


@dataclass(frozen=True)
class TestExample:
    """A worked example: what was given, and what somebody else has found."""

    __test__ = False

    given: tuple[Any, ...]
    finds: Mapping[str, float | str]
    source: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SignificanceTest(Entry):
    """Whether a difference could be chance, for the designs that it is valid for.

    `compare(a, b, design, *, settings)` is the test; its keywords are the parameters. `takes` says what a and b are:
    one value for each unit; models on a metric, row by row; right and wrong decisions; or many models' values.

    >>> from referee import tests
    >>> tests["sign"]([0.9, 0.8, 0.7, 0.9, 0.8], [0.8, 0.7, 0.6, 0.7, 0.7], alpha=0.0625).p
    0.0625
    """

    title: str
    question: str
    hypothesis: str
    """What is assumed until the data speak against it."""
    takes: Takes
    designs: tuple[Kind, ...]
    """Where it is valid."""
    assumptions: tuple[str, ...]
    compare: Callable[..., Comparison]
    measured: str = ""
    """How often it names a false winner, where that was measured."""
    with_warning: Mapping[Kind, str] = field(default_factory=dict)
    """Designs on which it is not valid, and runs because it is taught; with what is wrong about it."""
    random: bool = False
    """Whether it draws random numbers."""
    metrics: tuple[str, ...] | None = None
    """The only metrics it speaks of, where it does not take any."""
    statistic_formula: str = ""
    """How statistic, df and p are computed, a line each, `{name}` or `{name:words}` for what was found; a line of one
    setting begins with it (`method=exact: p = ...`). See `referee.report.explanation.formulas`."""
    aliases: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    examples: tuple[TestExample, ...] = ()
    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", "_".join(re.findall(r"\w+", self.title.lower())))

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.compare,)

    def __call__(self, *data: Any, alpha: float = 0.05, seed: int = 0, **options: Any) -> Comparison:
        """Compare two models; see `question` and `takes` for what to give.

        Values of units, or decisions: `(a, b)`, and `n_train` with `n_test`, or `test_fraction`, where training sets
        overlap. Rows: `(truth, a, b, metric=...)`. Many models: a mapping of names to values, or a frame.
        `better="lower"` for losses.

        >>> from referee import tests
        >>> tests["mcnemar"]([1, 1, 0, 1], [1, 1, 0, 1]).p
        1.0
        """
        from referee.taking import TAKERS

        settings = {key: options.pop(key) for key in list(options) if key in self.defaults}
        test = self.bind(**settings) if settings else self
        return TAKERS[self.takes](test, data, options, alpha=alpha, seed=seed)

    def apply(self, a: Any, b: Any, design: Design) -> Comparison:
        """Compare what was taken, unless the design forbids it; the result knows which test it is of."""
        refuse_unless_valid(self, design)
        found = self.compare(a, b, design, **self.settings)
        naive = [Notice("W_NAIVE", why) for kind, why in self.with_warning.items() if kind == design.kind]
        return replace(found, test=self.full_name, alpha=design.alpha, warnings=(*naive, *found.warnings))


def refuse_unless_valid(test: SignificanceTest, design: Design) -> None:
    """Stop where the design forbids the test, and name those that it allows; nothing is known of independent units."""
    if design.kind == "independent" or design.kind in (*test.designs, *test.with_warning):
        return
    valid = [name for name, one in tests.items() if design.kind in one.designs and one.takes != "many"]
    raise UsageError(
        "E_TEST",
        f"{test.name} ({test.title}) is not valid here ({IN_WORDS[design.kind]}): it is for "
        + "; ".join(IN_WORDS[kind] for kind in test.designs),
        hint=f"valid are {listed(valid, most=30)}",
    )


tests: Catalogue[SignificanceTest] = Catalogue("referee.significance_tests", "test")
