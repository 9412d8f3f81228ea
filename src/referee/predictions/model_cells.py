"""A model's columns read as what they are: scores, probabilities, decisions, values or quantiles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.document import counted
from referee.errors import InputError, Notice, UsageError, listed
from referee.predictions.cell_labels import coded, stored_kind
from referee.predictions.cells import is_numeric, numbers
from referee.predictions.column_facts import outside, score_columns
from referee.predictions.model import Model
from referee.predictions.model_columns import BOUNDS, offered
from referee.predictions.roles import option_row
from referee.predictions.truth import class_code, codes_of_labels, holds_numbers, match_label, needs_positive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.predictions.model_columns import ModelColumns
    from referee.predictions.truth import Truth


def with_decisions(candidates: Sequence[ModelColumns], truth: Truth) -> tuple[list[ModelColumns], list[Notice]]:
    """Tell labels from scores, for all models together: 0 and 1 must not mean one thing here and another there."""
    if truth.task == "regression":
        return list(candidates), []
    decided = {
        candidate.name: candidate.column is not None and _holds_decisions(candidate, truth) for candidate in candidates
    }
    scored = [candidate for candidate in candidates if candidate.column is not None and not decided[candidate.name]]
    doubtful = [candidate for candidate in candidates if decided[candidate.name] and _may_be_scores(candidate, truth)]
    if scored:
        decided |= {candidate.name: False for candidate in doubtful}
    notices = _about_zero_and_one(doubtful, scored, candidates, truth)
    return [replace(candidate, decides=decided[candidate.name]) for candidate in candidates], notices


def _may_be_scores(candidate: ModelColumns, truth: Truth) -> bool:
    """Whether a column of 0 and 1 says one thing as labels and another as scores of the positive class."""
    table, column = candidate.source.table, candidate.column
    if truth.positive is None or column is None or not is_numeric(table, column):
        return False
    if (candidate.label is not None and candidate.label[1] == column) or stored_kind(table, column) == "boolean":
        return False
    names = coded(table, column)[1]
    bits = [match_label(name, ("0", "1")) for name in names]
    differs = [(class_code(n, truth) == truth.positive) != (bit == "1") for n, bit in zip(names, bits, strict=True)]
    return None not in bits and any(differs)


def _about_zero_and_one(
    doubtful: Sequence[ModelColumns], scored: Sequence[ModelColumns], candidates: Sequence[ModelColumns], truth: Truth
) -> list[Notice]:
    if not doubtful:
        return []
    assert truth.positive is not None
    positive, first = truth.classes[truth.positive], doubtful[0]
    what = f"{first.source.table.name}: {'column' if len(doubtful) == 1 else 'columns'} "
    what += f"{listed(candidate.column for candidate in doubtful)} with only 0 and 1 "
    what += "is" if len(doubtful) == 1 else "are"
    if scored:
        names = option_row(candidate.name for candidate in candidates)
        alike = listed(candidate.column for candidate in scored)
        said = f"read as scores of {positive!r}, as {alike}: 1 means {positive!r}"
        labels = " ".join(f"--label {option_row([f'{candidate.name}={candidate.column}'])}" for candidate in doubtful)
        other = f"for labels use --models {names} {labels}"
    else:
        said = f"read as labels: 1 is the label '1', not a probability of {positive!r}"
        other = f"for probabilities give a column for each class, such as {first.name}:{positive}"
    return [Notice("W_ZEROONE", f"{what} {said}; {other}")]


def make_model(candidate: ModelColumns, truth: Truth, truth_column: str) -> tuple[Model, str | None]:
    """Read one model; also say how its decisions are stored, if it gives decisions."""
    if truth.task == "regression":
        if candidate.label is not None:
            raise UsageError(
                "E_LABELROLE",
                f"model {candidate.name!r} has decisions ({candidate.label[1]!r}), but the truth is numbers",
            )
        return _of_numbers(candidate), None
    decisions, kind = _decisions(candidate, truth)
    model = Model(
        candidate.name,
        labels=decisions,
        columns=candidate.columns,
        source=candidate.source.table.name,
        order=candidate.source.places,
    )
    if candidate.by_class:
        return _within_range(_of_class_columns(candidate, truth, model)), kind
    if candidate.column is None:
        return model, kind
    if truth.task == "binary" and truth.positive is None and is_numeric(candidate.source.table, candidate.column):
        raise needs_positive(candidate.source.table.name, truth_column, truth.classes)
    return _of_single_column(candidate, truth, model, kind)


def _decisions(candidate: ModelColumns, truth: Truth) -> tuple[Array | None, str | None]:
    if candidate.label is None:
        return None, None
    source, column = candidate.label
    codes, kind = codes_of_labels(source.table, column, truth)
    return source.align(codes), kind


def _of_single_column(
    candidate: ModelColumns, truth: Truth, model: Model, kind: str | None
) -> tuple[Model, str | None]:
    """A column of scores, or of decisions if all it holds are class labels."""
    table, column = candidate.source.table, candidate.column
    assert column is not None
    if candidate.decides:
        codes, stored = codes_of_labels(table, column, truth)
        decided = candidate.source.align(codes)
        scores = None if truth.positive is None else (decided == truth.positive).astype(float)
        labels_ = model.labels if model.labels is not None else decided
        return replace(model, labels=labels_, scores=scores if is_numeric(table, column) else None), kind or stored
    if truth.positive is None:
        amounts = "if the truth holds amounts, choose rmse or mae; " if holds_numbers(truth.classes) else ""
        offer = offered(table.columns.column_names, truth.classes)
        named = "" if offer else f" named {candidate.name}:CLASS"
        raise InputError(
            "E_MODELKIND",
            f"{table.name}: column {column!r} contains numbers that are not class labels ({listed(truth.classes)})"
            + (f"; {offer}" if offer else ""),
            hint=f"{amounts}with several classes, give decisions or a column per class{named}",
        )
    return _within_range(replace(model, scores=candidate.source.align(numbers(table, column)))), kind


DUST = 1e-9
"""So far rounding may take a probability out of its range."""


def _within_range(model: Model) -> Model:
    """Probabilities as they were before rounding took some of them below 0 or above 1, if nothing else did."""
    columns = score_columns(model)
    lows, highs = [column.min(initial=0) for column in columns], [column.max(initial=1) for column in columns]
    low, high = min(lows), max(highs)
    if (low == 0 and high == 1) or low < -DUST or high > 1 + DUST:
        return model
    scores = None if model.scores is None else np.clip(model.scores, 0, 1)
    class_scores = model.class_scores and tuple(np.clip(column, 0, 1) for column in model.class_scores)
    return replace(model, scores=scores, class_scores=class_scores, rounded=outside(model))


def rounded_notices(models: Sequence[Model]) -> list[Notice]:
    """Say which probabilities were taken for 0 or 1."""
    return [
        Notice(
            "W_ROUNDING",
            f"{model.source}: column {dust.column!r}, row {dust.row}: {dust.value!r} is outside 0 to 1 by rounding; "
            f"{counted(dust.rows, 'such value')} taken as 0 or 1",
        )
        for model in models
        if (dust := model.rounded) is not None
    ]


def _holds_decisions(candidate: ModelColumns, truth: Truth) -> bool:
    """Whether a single column holds labels: text, or numbers that are all classes."""
    table, column = candidate.source.table, candidate.column
    assert column is not None and truth.code_of is not None
    if not is_numeric(table, column):
        return True
    if not _whole_numbers(candidate):
        return False
    known = list(truth.code_of)
    return all(match_label(name, known) is not None for name in coded(table, column)[1])


def stray_label(candidate: ModelColumns, truth: Truth) -> str | None:
    """A number among labels that is none: the column may be decisions with an error, or scores after all."""
    if candidate.column is None or truth.code_of is None or not is_numeric(candidate.source.table, candidate.column):
        return None
    if not _whole_numbers(candidate):
        return None
    names = coded(candidate.source.table, candidate.column)[1]
    strange = [name for name in names if match_label(name, list(truth.code_of)) is None]
    return strange[0] if strange and len(strange) < len(names) <= len(truth.classes) + 1 else None


def _whole_numbers(candidate: ModelColumns) -> bool:
    assert candidate.column is not None
    values = numbers(candidate.source.table, candidate.column, as_labels=True)
    return bool(np.all(values == np.floor(values)))


def _of_class_columns(candidate: ModelColumns, truth: Truth, model: Model) -> Model:
    """One column per class, by name; two classes become the score of the positive one."""
    assert truth.code_of is not None
    columns: list[Array | None] = [None] * len(truth.classes)
    order = []
    for label, column in candidate.by_class.items():
        code = class_code(label, truth)
        if code is None:
            raise InputError(
                "E_CLASSCOL", f"{candidate.source.table.name}: column {column!r}: {label!r} is not a class in the truth"
            )
        values = candidate.source.align(numbers(candidate.source.table, column)).astype(float)
        columns[code] = values if columns[code] is None else columns[code] + values
        order.append(code)
    return _from_scores(candidate, truth, model, columns, tuple(dict.fromkeys(order)))


def _from_scores(
    candidate: ModelColumns, truth: Truth, model: Model, columns: list[Array | None], order: tuple[int, ...]
) -> Model:
    missing = [name for name, column in zip(truth.classes, columns, strict=True) if column is None]
    if missing:
        raise InputError(
            "E_CLASSCOL",
            f"{candidate.source.table.name}: model {candidate.name!r} has no column for the class {listed(missing)}",
            hint=f"its columns are {listed(candidate.columns)}; every class needs one",
        )
    return replace(model, class_scores=tuple(column for column in columns if column is not None), tie_order=order)


def _of_numbers(candidate: ModelColumns) -> Model:
    """Predicted numbers, or quantiles where there is a column for each level."""
    table = candidate.source.table
    model = Model(candidate.name, columns=candidate.columns, source=table.name)
    if candidate.column is not None:
        return replace(model, values=candidate.source.align(numbers(table, candidate.column)))
    quantiles = {
        _level(table.name, level, column): candidate.source.align(numbers(table, column))
        for level, column in candidate.by_class.items()
    }
    if candidate.are_bounds:
        _refuse_crossed(candidate, list(quantiles.values()))
    if not all(0 < level < 1 for level in quantiles):
        raise InputError("E_LEVEL", f"{table.name}: the quantile levels of {candidate.name!r} must lie between 0 and 1")
    return replace(model, quantiles=dict(sorted(quantiles.items())))


def _refuse_crossed(model: ModelColumns, ends: list[Array]) -> None:
    crossed = ends[0] > ends[1]
    if crossed.any():
        row = int(np.argmax(crossed))
        table, (lower, upper) = model.source.table, model.columns
        place = table.place((row if model.source.order is None else int(model.source.order[row])) + 1)
        raise InputError(
            "E_INTERVAL",
            f"{table.name}: {place}: the lower end {ends[0][row]:g} (column {lower!r}) lies above the upper end "
            f"{ends[1][row]:g} (column {upper!r}); {counted(int(crossed.sum()), 'such row')}",
            hint="are the columns swapped? --model NAME=prefix_{bound} takes prefix_lower and prefix_upper",
        )


def _level(source: str, level: str, column: str) -> float:
    try:
        return float(level)
    except ValueError:
        if level in BOUNDS:
            raise UsageError(
                "E_INTERVAL",
                f"{source}: column {column!r} is an end of an interval: what share of the truths should the interval "
                "contain?",
                hint="use --interval 0.9 if it is 90%",
            ) from None
        message = f"{source}: column {column!r}: {level!r} is not a quantile level between 0 and 1"
        raise InputError("E_LEVEL", message) from None
