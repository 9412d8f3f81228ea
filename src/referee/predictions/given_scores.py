"""Scores that are given in Python: a matrix, an array per model, results of cross_validate, searches."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import CallError, InputError, Notice, UsageError, listed
from referee.predictions.account import Account
from referee.predictions.given_arrays import own_names
from referee.predictions.model import Model
from referee.predictions.predictions import Predictions
from referee.predictions.roles import as_tuple
from referee.predictions.score_roles import ScoreRoles, cross_validated
from referee.predictions.scored_rows import ScoredRows
from referee.predictions.source import is_table
from referee.predictions.table import shape_of
from referee.predictions.units import Units
from referee.predictions.wrong_calls import described

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array


SPLIT = re.compile(r"split(\d+)_test_(.+)")
SIZES = ("train_size", "test_size", "test_fraction")
OWN_SCORES = ("accuracy", "r2")
"""What estimators score by if no scorer is named: classifiers, and regressors."""


def is_fold_scores(given: Any) -> bool:
    """Whether it is what cross_validate gives, by model, or a search over parameters or its results."""
    if hasattr(given, "cv_results_") or _is_search_result(given):
        return True
    if not isinstance(given, Mapping) or not given:
        return False
    return all(
        isinstance(result, Mapping) and any(str(key).startswith("test_") for key in result) for result in given.values()
    )


def _is_search_result(given: Any) -> bool:
    return isinstance(given, Mapping) and "params" in given and any(SPLIT.fullmatch(str(key)) for key in given)


def fold_scores(given: Any, scorer: str | None = None, **said: Any) -> Predictions:
    """Make folds the rows; `said` are the sizes of the splits, where the results do not tell them.

    >>> results = {"a": {"test_score": [0.8, 0.9]}, "b": {"test_score": [0.7, 0.9]}}
    >>> fold_scores(results, "accuracy", test_fraction=0.5).names
    ('a', 'b')
    """
    for name in said:
        if name not in SIZES:
            raise UsageError("E_ROLE", f"scores of folds take {listed(SIZES)}, not {name}")
    search = _is_search_result(given) or hasattr(given, "cv_results_")
    scores = _of_candidates(given, scorer) if search else _of_models(given, scorer)
    scorer = scorer or getattr(given, "scoring", None)
    rows = len(next(iter(scores.values())))
    splits = {} if search else _splits_in(given)
    roles = ScoreRoles.of(rows="folds", **(said or (_fraction_of(given) if search else {})))
    n_train, n_test = roles.sizes(rows)
    if n_train is None and splits:
        n_train, n_test = (np.array([len(rows) for rows in splits[side]], float) for side in ("train", "test"))
    called = scorer if isinstance(scorer, str) else "score"
    scored = ScoredRows("folds", "higher", None, n_train, n_test, called=called)
    if not (_are_random(given) or (splits and _overlap(splits["test"]))):
        scored = _with_folds(scored, rows)
    return Predictions(
        task="scores",
        truth=np.zeros(rows),
        models=tuple(Model(name, values=values, columns=(name,)) for name, values in scores.items()),
        scored=scored,
        fold=Units(np.arange(rows), tuple(map(str, range(1, rows + 1)))),
        account=Account({name: {"as": "score", "model": name} for name in scores}, rows_are="folds"),
        **_taken_for(given, scorer),
    )


def _taken_for(given: Any, scorer: Any) -> dict[str, Any]:
    """Results that do not name their scorer are taken for the goal, which has to be said."""
    first = next(iter(given.values())) if isinstance(given, Mapping) and not _is_search_result(given) else given
    results = getattr(first, "cv_results_", first)
    named = isinstance(getattr(given, "scoring", None), str) or any(
        str(key).endswith(f"test_{scorer}") for key in results
    )
    if not isinstance(scorer, str) or named:
        return {}
    said = f"the results do not say how they were scored; assumed is {scorer}"
    if scorer in OWN_SCORES:
        return {"notes": (said,)}
    own = "without scoring= the score is accuracy (classifiers) or r2 (regressors)"
    hint = f"scoring=[{scorer!r}] in cross_validate or the search names them"
    return {"notices": (Notice("W_SCORER", f"{said}: {own}; {hint}"),)}


def _with_folds(scored: ScoredRows, rows: int) -> ScoredRows:
    """Folds and repeats, where every row is tested once in each repeat."""
    if scored.overlap is None:
        return scored
    folds = round(1 / scored.overlap) + 1
    repeats = rows // folds
    return (
        replace(scored, folds=folds, repeats=repeats)
        if cross_validated(folds, repeats, rows, scored.overlap)
        else scored
    )


def _of_models(given: Mapping[str, Mapping[str, Any]], scorer: str | None) -> dict[str, Array]:
    scores = {str(name): _numbers(str(name), _chosen(str(name), result, scorer)) for name, result in given.items()}
    lengths = {name: len(values) for name, values in scores.items()}
    if len(set(lengths.values())) > 1:
        said = " and ".join(f"{name} has {length}" for name, length in lengths.items())
        raise UsageError("E_LENGTH", f"every model needs a score for each fold: {said}")
    return scores


def _chosen(name: str, results: Mapping[str, Any], scorer: str | None) -> Any:
    """The scores by the scorer that was named, or by the only one."""
    known = [str(key).removeprefix("test_") for key in results if str(key).startswith("test_")]
    if scorer in known:
        return results[f"test_{scorer}"]
    if known == ["score"]:
        return results["test_score"]
    asked = "which of the scores should decide?" if scorer is None else f"there is no score {scorer!r}"
    raise UsageError("E_GOAL", f"{asked} {name} has {listed(known)}", hint=f"goal={known[0]!r}")


def _numbers(name: str, values: Any) -> Array:
    scores = np.asarray(values, float)
    if not np.isfinite(scores).all():
        fold = int(np.argmin(np.isfinite(scores)))
        raise InputError(
            "E_NONFINITE", f"{name}: the score of fold {fold + 1} is {scores[fold]}", hint="did the fit fail there?"
        )
    return scores


def _splits_in(given: Mapping[str, Mapping[str, Any]]) -> dict[str, Sequence[Array]]:
    """The rows of each split, where cross_validate was asked to give them back: the same for all models."""
    known = {str(name): result["indices"] for name, result in given.items() if "indices" in result}
    if not known:
        return {}
    (first, indices), *others = known.items()
    for name, other in others:
        same = all(map(np.array_equal, indices["test"], other["test"]))
        if len(other["test"]) != len(indices["test"]) or not same:
            raise InputError(
                "E_ALIGN", f"{first} and {name} were tested on different splits",
                hint="use the same cv for both, such as KFold(10, shuffle=True, random_state=0)",
            )  # fmt: skip
    return dict(indices)


def _overlap(tests: Sequence[Array]) -> bool:
    """Whether rows were tested unequally often: then these are random splits, and not folds."""
    times = np.bincount(np.concatenate(tests))
    return len(set(times.tolist())) > 1


def _are_random(given: Any) -> bool:
    """Whether a search drew its splits one by one."""
    return type(getattr(given, "cv", None)).__name__.endswith("ShuffleSplit")


def _of_candidates(given: Any, scorer: str | None) -> dict[str, Array]:
    """Each candidate of a search by its parameters."""
    results, scoring = getattr(given, "cv_results_", given), getattr(given, "scoring", None)
    if isinstance(scoring, str) and scorer not in (None, scoring):
        raise UsageError("E_GOAL", f"the search was scored by {scoring!r}, not by {scorer!r}", hint=f"goal={scoring!r}")
    splits = [match for key in results if (match := SPLIT.fullmatch(str(key)))]
    known = list(dict.fromkeys(match[2] for match in splits))
    chosen = scorer if scorer in known else known[0] if known == ["score"] else None
    if chosen is None:
        asked = "which of the scores should decide?" if scorer is None else f"there is no score {scorer!r}"
        raise UsageError("E_GOAL", f"{asked} The search has {listed(known)}", hint=f"goal={known[0]!r}")
    order = sorted(int(match[1]) for match in splits if match[2] == chosen)
    matrix = np.stack([np.asarray(results[f"split{place}_test_{chosen}"], float) for place in order], axis=1)
    names = candidate_names(results["params"])
    return {name: _numbers(name, values) for name, values in zip(names, matrix, strict=True)}


def splits_of_search(results: Mapping[str, Any]) -> int:
    """How many splits every candidate was scored on."""
    return len({match[1] for key in results if (match := SPLIT.fullmatch(str(key)))})


def candidate_names(candidates: Sequence[Mapping[str, Any]]) -> list[str]:
    """What candidates are called: their parameters, as far as these differ.

    >>> candidate_names([{"C": 1, "kernel": "rbf"}, {"C": 10, "kernel": "rbf"}])
    ['C=1', 'C=10']
    """
    texts = [{str(key): str(value) for key, value in candidate.items()} for candidate in candidates]
    same = (
        {key for key in texts[0] if len({candidate.get(key) for candidate in texts}) == 1} if len(texts) > 1 else set()
    )
    return [
        ", ".join(f"{key}={value}" for key, value in candidate.items() if key not in same) or "default"
        for candidate in texts
    ]


def _fraction_of(search: Any) -> dict[str, float]:
    """The share of test rows, where the splitter of a search tells it: k folds, or random splits of one size."""
    if not hasattr(search, "cv_results_"):
        return {}
    splitter = getattr(search, "cv", None)
    if splitter is None or isinstance(splitter, int):
        return {"test_fraction": 1 / (splitter or 5)}
    folds = getattr(splitter, "cvargs", {}).get("n_splits") or getattr(splitter, "n_splits", None)
    kind = type(splitter).__name__
    if kind.endswith("KFold") and folds:
        return {"test_fraction": 1 / folds}
    share = getattr(splitter, "test_size", None)
    return {"test_fraction": share} if isinstance(share, float) else {}


COLUMNS = ("id", "group", "time", "fold", "repeat", "dataset", "seed_column")
"""What may be said of each score by an array as long as the scores."""


def with_score_columns(call: str, data: Sequence[Any], said: Mapping[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """Name arrays as the columns of one table; what is a table, or where one is, stays as it was given.

    >>> with_score_columns("compare", [np.array([[0.1, 0.2], [0.3, 0.4]])], {"group": [1, 2]})[1]
    {'group': 'group'}
    >>> [*with_score_columns("compare", [[0.1, 0.3], [0.2, 0.4]], {"models": ["a", "b"]})[0][0]]
    ['a', 'b']
    """
    if len(data) == 1 and isinstance(data[0], Mapping):
        return _with_arrays(dict(data[0]), said)
    if not data or any(isinstance(thing, str | os.PathLike | Mapping) or is_table(thing) for thing in data):
        return data, dict(said)
    columns = _columns(call, data, said.get("models"))
    names = None if said.get("models") is None else list(map(str, as_tuple(said["models"])))
    if names is not None and len(names) != len(columns):
        raise CallError(
            "E_CALL", f"{call}() was given scores of {len(columns)} models and {len(names)} names of models"
        )
    table = dict(zip(names or own_names(columns), columns, strict=True))
    return _with_arrays(table, {name: value for name, value in said.items() if name != "models"})


def _columns(call: str, data: Sequence[Any], models: Any) -> list[Any]:
    """The scores of each model."""
    first = data[0]
    if len(data) > 1 or len(shape_of(first)) == 1:
        return list(data)
    if isinstance(first, list | tuple) and not all(isinstance(row, list | tuple) for row in first):
        return list(first)  # arrays or series, one for each model
    matrix = np.asarray(first)
    if matrix.ndim != 2:
        raise CallError("E_CALL", f"{call}() was given {described(first)}: scores have a row for each item")
    rows, columns = matrix.shape
    if columns > rows and models is None:
        said = f"{call}() was given {columns} scores of each of {rows} items, as rows are items and columns are models"
        right = f'referee.{call}({{"a": scores_a, "b": scores_b}}, task="scores")'
        raise CallError("E_CALL", f"{said}: transpose the array (scores.T) or name the models, as in {right}")
    return list(matrix.T)


def _with_arrays(table: dict[str, Any], said: Mapping[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """What is said of the scores by arrays becomes columns, too."""
    named = dict(said)
    for role in COLUMNS:
        value = named.get(role)
        if value is not None and not isinstance(value, str):
            name = role
            while name in table:
                name += "_"
            table[name], named[role] = value, name
    return [table], named
