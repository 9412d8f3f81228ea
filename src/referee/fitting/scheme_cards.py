"""What a scheme's card says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import Card, Shelf, in_words, parameter_in_words, parameters
from referee.comparing import combined
from referee.comparing.split_estimates import IN_WORDS
from referee.fitting.scheme import PROPERTIES, Scheme, SchemeExample

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.fitting.splits import Split

NEEDS = {
    "classes": "classes: the target has a few distinct values",
    "groups": "groups: which rows belong together (--group)",
    "time": "time: the time of each row (--time)",
}
OPTIONS = {"groups": " --group GROUP", "time": " --time TIME"}
CODE = frozenset({"command_line", "python"})


def scheme_card(scheme: Scheme) -> Card:
    """A scheme's declarations, its examples worked again, and how it is called."""
    about = parameters(scheme)
    examples = [worked(scheme, example) for example in scheme.examples]
    values = {
        "name": scheme.full_name,
        **{key: getattr(scheme, key) for key in ("title", "question", "draws", *PROPERTIES)},
        "needs": list(scheme.needs),
        "weak_at": scheme.weak_at,
        "parameters": about,
        "aliases": list(scheme.aliases),
        "command_line": command_line(scheme),
        "python": call(scheme),
        "examples": examples,
        "references": list(scheme.references),
    }
    words = {
        "combine": [IN_WORDS[scheme.combine]],
        "overlapping": [f"{in_words(scheme.overlapping)}: {_what_follows(scheme)}"],
        "needs": [NEEDS[need] for need in scheme.needs],
        "parameters": [parameter_in_words(name, parameter) for name, parameter in about.items()],
        "examples": [_example_in_words(example) for example in examples],
        "references": scheme.references,
    }
    return Card("scheme", values, words, CODE)


OVERLAPPING = {
    True: "training sets share rows, so only a test that allows for it is valid (corrected_resampled_t, or "
    "leave_two_out_t where every pair of groups is left out)",
    False: "there is one training set, so fitted models are compared",
}
IN_TIME = (
    "training sets share rows, but each row is predicted once, by a model fitted on earlier ones: the fitted models "
    "are compared row by row in time order (influence, with independent pieces); corrected_resampled_t compares "
    "splits, if it is named, if rows belong to groups, or if the splits score on different scales"
)


def _what_follows(scheme: Scheme) -> str:
    return IN_TIME if "time" in scheme.needs else OVERLAPPING[scheme.overlapping]


def command_line(scheme: Scheme) -> str:
    """How the command line fits models on the splits."""
    name = f'"{scheme.full_name}"' if scheme.settings else scheme.name
    needed = "".join(OPTIONS.get(need, "") for need in scheme.needs)
    return f"referee select data.csv --target y --models tree,naive_bayes --goal METRIC --scheme {name}{needed}"


def call(scheme: Scheme) -> str:
    """How Python makes the splits."""
    settings = ", ".join(f"{name}={value!r}" for name, value in scheme.settings.items())
    bound = f"({settings})" if settings else ""
    given = ["X", "y", *(f"{need}={need}" for need in scheme.needs if need != "classes")]
    return f'referee.schemes["{scheme.name}"]{bound}.split({", ".join(given)})'


def worked(scheme: Scheme, example: SchemeExample) -> dict[str, Any]:
    """An example with what the scheme finds."""
    return {
        "given": dict(example.given),
        "settings": dict(example.settings),
        "finds": dict(example.finds),
        "referee": {key: value for key, value in _worked_again(scheme, example).items() if key in example.finds},
        "source": example.source,
    }


def _worked_again(scheme: Scheme, example: SchemeExample) -> dict[str, Any]:
    given = dict(example.given)
    if "test" in given:
        return {"combined": combined(scheme.combine, **given)}
    rows = given.pop("rows", None) or len(next(iter(given.values())))
    as_described = replace(scheme, settings={})(**example.settings)
    return facts(as_described.splits(np.arange(rows), **given), rows, given.get("y"))


def facts(splits: Iterable[Split], rows: int, y: Sequence[Any] | None = None) -> dict[str, Any]:
    """Numbers that describe splits: smallest and largest sizes, and shares of all rows on average.

    >>> from referee import schemes
    >>> facts(schemes["k_fold(k=3)"].splits(range(8)), 8)["test_rows"]
    [2, 3]
    """
    every = list(splits)
    subsets = [part for split in every for parts in split.subsets.values() for part in parts]
    known = {
        "splits": len(every),
        "folds": max(split.fold for split in every),
        "train_rows": _range(len(split.train) for split in every),
        "test_rows": _range(len(split.test) for split in every),
        "trained_share": float(np.mean([len(np.unique(split.train)) / rows for split in every])),
        "tested_share": float(np.mean([len(split.test) / rows for split in every])),
        "inner_splits": _range(len(split.inner) for split in every),
    }
    if subsets:
        known["subsets"] = {purpose: len(parts) for purpose, parts in every[0].subsets.items()}
        known["subset_rows"] = _range(map(len, subsets))
    if y is not None:
        classes = np.asarray(y)
        known["test_rows_of_class"] = {
            str(name): _range(int((classes[split.test] == name).sum()) for split in every)
            for name in np.unique(classes)
        }
    return known


def _range(sizes: Iterable[int]) -> list[int]:
    every = list(sizes)
    return [min(every), max(every)]


def _example_in_words(example: Mapping[str, Any]) -> str:
    settings = "".join(f", {key}={value}" for key, value in example["settings"].items())
    given = ", ".join(_given_in_words(key, value) for key, value in example["given"].items())
    theirs, ours = _in_words(example["finds"]), _in_words(example["referee"])
    return f"{example['source']}. Given {given}{settings}: {theirs}. referee: {ours}"


def _given_in_words(key: str, value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,} {key}"
    names, counts = np.unique(np.asarray(value), return_counts=True)
    if len(names) < len(value):
        return f"{key}: " + ", ".join(f"{count} x {name}" for name, count in zip(names, counts, strict=True))
    return f"{key} {', '.join(map(str, value))}"


def _in_words(known: Mapping[str, Any]) -> str:
    return ", ".join(f"{key.replace('_', ' ')} {_value_in_words(value)}" for key, value in known.items())


def _value_in_words(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key} {_value_in_words(part)}" for key, part in value.items())
    if isinstance(value, list):
        return f"{value[0]:,}" if value[0] == value[1] else f"{value[0]:,} to {value[1]:,}"
    return f"{value:,.10g}"


SCHEME_CARDS = Shelf(
    "scheme",
    scheme_card,
    ("name", "combine", "overlapping", "needs", "question"),
    IN_WORDS,
    lambda scheme: scheme.combine,
)
