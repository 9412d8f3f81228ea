"""What a significance test's card says, and a test of given values, explained step by step."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from referee.catalogue import Card, Shelf, in_symbols, parameter_in_words, parameters, write_call
from referee.comparing.design import IN_WORDS
from referee.comparing.explanation import decided, explanation_parts, symbol_of
from referee.document import Document, Result
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.comparing.comparison import Comparison
    from referee.comparing.design import Design, Kind
    from referee.comparing.significance_test import SignificanceTest, TestExample
    from referee.document import Part


TAKES = {
    "units": "two lists of values, one value for each unit (fold, subset, data set)",
    "rows": "the truth and two models' predictions, row by row",
    "decisions": "two lists that say which rows were classified correctly (1) or not (0)",
    "many": "the values of all models by name, one value for each unit",
    "refits": "the truth and what each of two models predicted, with the row (id), fold and repeat of each prediction",
    "folds": "two lists of lists: the values of the folds of each data set",
}
CALLS = {
    "units": "(a, b)",
    "rows": '(truth, a, b, metric="roc_auc")',
    "decisions": "(right_a, right_b)",
    "many": '({"m1": [...], "m2": [...]})',
    "refits": '(truth, a, b, metric="roc_auc", id=row, fold=fold, repeat=repeat)',
    "folds": "(a, b, test_fraction=0.1)",
}
OPTIONS: dict[Kind, str] = {
    "rows": "",
    "out_of_fold": " --fold fold",
    "time": " --time day",
    "splits": " --fold fold --repeat repeat --unit fold",
    "left_out": " --id row --fold fold --repeat repeat",
    "subsets": " --subsets 100",
    "data_sets": " --by dataset --unit slice",
}
"""How the command line is told of a design; values of independent units are given from Python."""
MOST_VALUES = 12
CODE = frozenset({"command_line", "python"})


def significance_card(test: SignificanceTest) -> Card:
    """A test's declarations, its examples worked again, and how it is called."""
    about = parameters(test)
    examples = [_worked(test, example) for example in test.examples]
    sizes = measured_sizes(test)
    values = {
        "name": test.full_name,
        "title": test.title,
        "question": test.question,
        "null_hypothesis": test.hypothesis,
        "statistic": in_symbols(test.statistic_formula),
        "takes": test.takes,
        "metrics": list(test.metrics) if test.metrics else None,
        "valid_for": list(test.designs),
        "not_valid_for": dict(test.with_warning),
        "assumptions": list(test.assumptions),
        "measured_sizes": sizes,
        "parameters": about,
        "aliases": list(test.aliases),
        "command_line": commands(test),
        "python": call(test),
        "examples": examples,
        "references": list(test.references),
    }
    words = {
        "statistic": in_symbols(test.statistic_formula),
        "takes": [TAKES[test.takes]],
        "valid_for": [IN_WORDS[kind] for kind in test.designs],
        "not_valid_for": [
            f"{IN_WORDS[kind]}. It runs, with a warning: {why}" for kind, why in test.with_warning.items()
        ],
        "assumptions": test.assumptions,
        "measured_sizes": [*sizes, "all of them: docs/validity.md"],
        "parameters": [parameter_in_words(name, parameter) for name, parameter in about.items()],
        "command_line": commands(test),
        "examples": [_example_in_words(example) for example in examples],
        "references": test.references,
    }
    return Card("test", values, words, CODE)


def measured_sizes(test: SignificanceTest) -> list[str]:
    """How often it names a winner between equal models, as `make validity` has measured it; also with other settings.

    >>> from referee import tests
    >>> any("30 splits" in line for line in measured_sizes(tests["corrected_resampled_t"]))
    True
    """
    known = json.loads(files("referee.comparing").joinpath("measured_sizes.json").read_text("utf-8"))
    alike = [name for name in known if name.partition("(")[0] == test.name]
    return [line if name == test.name else f"{name}: {line}" for name in alike for line in known[name]]


def commands(test: SignificanceTest) -> list[str]:
    """How the command line runs the test, for each design that it is valid for."""
    goal = test.metrics[0] if test.metrics else "METRIC"
    asked = f"referee compare preds.csv --truth y --goal {goal}"
    needed = write_call(test.name, _needed(test))
    named = "" if test.takes == "many" else f' --test "{needed}"' if needed != test.name else f" --test {test.name}"
    if "margin" in test.defaults:
        named = " --margin D"  # the verdict holds every difference against it
    if test.takes == "folds":
        columns = "--dataset dataset --fold fold --model-column model --score-column accuracy --test-fraction 0.1"
        return [f"referee compare scores.csv --task scores {columns}{named}"]
    return [f"{asked}{OPTIONS[kind]}{named}" for kind in test.designs if kind in OPTIONS]


def call(test: SignificanceTest) -> str:
    """How Python runs the test."""
    given = CALLS[test.takes]
    if test.metrics:
        given = given.replace(', metric="roc_auc"', "")
    if test.designs == ("splits",):
        given = given.replace(")", ", n_train=..., n_test=...)")
    needed = "".join(f", {name}={value}" for name, value in _needed(test).items())
    return f'referee.tests["{test.name}"]{given[:-1]}{needed})'


def _needed(test: SignificanceTest) -> dict[str, Any]:
    """The parameters without a default, as the first example gives them."""
    shown = test.examples[0].options if test.examples else {}
    return {name: shown[name] for name, default in test.defaults.items() if default is None and name in shown}


def _worked(test: SignificanceTest, example: TestExample) -> dict[str, Any]:
    comparison = test(*example.given, **example.options)
    known = comparison.to_dict() | dict(comparison.details)
    return {
        "given": list(example.given),
        "options": dict(example.options),
        "finds": dict(example.finds),
        "referee": {key: known.get(key) for key in example.finds},
        "source": example.source,
    }


def _example_in_words(example: Mapping[str, Any]) -> str:
    given = ", ".join([*map(shortened, example["given"]), *(f"{k}={v}" for k, v in example["options"].items())])
    theirs, ours = _numbers_in_words(example["finds"]), _numbers_in_words(example["referee"])
    return f"{example['source']}. Given {given}: {theirs}. referee: {ours}"


def shortened(given: Any) -> str:
    """A list without its middle, if it is long.

    >>> shortened([0.0] * 3), shortened(list(range(100)))
    ('[0, 0, 0]', '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..., 99] (100 values)')
    """
    if hasattr(given, "items"):
        return "; ".join(f"{name}: {shortened(values)}" for name, values in given.items())
    values = [f"{value:g}" if isinstance(value, float) else str(value) for value in given]
    if len(values) <= MOST_VALUES:
        return f"[{', '.join(values)}]"
    return f"[{', '.join([*values[: MOST_VALUES - 2], '...', values[-1]])}] ({len(values)} values)"


def _numbers_in_words(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {value if isinstance(value, str) or value is None else format(value, '.10g')}"
        for name, value in values.items()
    )


TEST_CARDS = Shelf(
    "test", significance_card, ("name", "takes", "designs", "question"), IN_WORDS, lambda test: test.designs[0]
)


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
