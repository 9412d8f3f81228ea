"""What is shown of scores: every metric of every model, then slices, folds, classes and confusion matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from referee.document import (
    Cell,
    Cells,
    Column,
    Columns,
    Document,
    Footnotes,
    Lines,
    Part,
    Table,
    count,
    counted,
    level,
    name_cell,
    named,
    number,
    number_cell,
    percent,
    table,
)
from referee.scoring.metric import shown_name
from referee.scoring.shown_scores import (
    HEADINGS,
    by_class,
    by_unit,
    guessing_name,
    half_width,
    heading_of,
    is_lopsided,
    largest_half,
    overall,
    pieces_in_words,
    rows_described,
    uncertainty,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scoring.score_table import Score
    from referee.scoring.scores import Scores
    from referee.scoring.shown_scores import Grid, Overall

    Beside = Callable[[Score], str]

FEW_METRICS = 6
"""Each of so few has a line for each model, with its interval and standard error."""
FEW_UNITS = 4
MOST_CLASSES = 50
OF_EACH_CLASS = ("precision", "recall", "specificity", "f_beta", "roc_auc", "average_precision")
"""What the table of classes shows where nobody asked for certain metrics."""
LONGEST_METRIC = 40


def scores_document(scores: Scores, *, whole: bool = False) -> Document:
    """`whole` has every metric of each class, also of two."""
    predictions = scores.predictions
    parts = [_each_metric(scores) if len(scores.metrics) <= FEW_METRICS else _all_metrics(scores)]
    parts += [_units_part(grid, "by slice") for grid in by_unit(scores, "slice")]
    parts += [_units_part(grid, "by fold") for grid in by_unit(scores, "unit")]
    parts += _classes(scores, whole) if whole or predictions.task == "multiclass" else []
    parts += confusion_parts(scores)
    about = rows_described(predictions)
    return Document("scores", "", tuple(parts), about, predictions.notes, scores.notices)


def _each_metric(scores: Scores) -> Part:
    notes, rows = Footnotes(), overall(scores)
    in_time = scores.predictions.time is not None
    cells = [cell for row in rows for cell in _of_metric(row, scores.predictions.names, notes, in_time)]
    columns = ["", "value", f"{level(scores.alpha)} interval", "standard error", *(["pieces"] if in_time else [])]
    said = (*notes.lines(), *_kinds_of_intervals(rows), *pieces_in_words(scores, rows))
    return Part("Scores", (table("scores", columns, cells, remarks=said, longest_name=24),), asked=True)


def _of_metric(row: Overall, names: Sequence[str], notes: Footnotes, in_time: bool) -> Iterator[list[Cell]]:
    yield [Cell(f"{row.name}, {row.metric.better} is better", mark="heading")]
    for name, score in zip(names, row.models, strict=True):
        value = notes.cell(score.value, score.undefined, "best" if row.is_best(score) else "")
        error = Cell("" if not ends(score) else number(score.standard_error))
        pieces = Cell("" if score.pieces is None else count(score.pieces), score.pieces)
        yield [name_cell(name), value, Cell(ends(score)), error, *([pieces] if in_time else [])]
    if row.guessed is not None:
        value = notes.cell(row.guessed.value, row.guessed.undefined)
        yield [Cell(guessing_name(names)), value, *[Cell("")] * (3 if in_time else 2)]


def ends(score: Score) -> str:
    """Both ends of a value's interval; nothing where there is none."""
    if score.value is None or score.low is None or score.high is None:
        return ""
    return f"[{number(score.low)}, {number(score.high)}]"


def _kinds_of_intervals(rows: Sequence[Overall]) -> Iterator[str]:
    """What the intervals are, and of which metrics; of many, the commonest kind is that of all others."""
    kinds: dict[str, dict[str, None]] = {}
    for row in rows:
        for score in row.models:
            if score.interval is not None:
                kinds.setdefault(score.interval, {})[row.metric.shown_name] = None
    if not kinds:
        return
    ordered = sorted(kinds, key=lambda kind: len(kinds[kind]))
    said = {kind: ", ".join(names) for kind, names in kinds.items()}
    if len(rows) > FEW_METRICS and len(kinds) > 1:
        said[ordered[-1]] = "all others"
    else:
        ordered = list(kinds)
    yield "intervals: " + "; ".join(f"{kind} ({said[kind]})" for kind in ordered)


def _all_metrics(scores: Scores) -> Part:
    """One table, with as much beside the values as there is room for: at least one ± for all models."""
    widest, *narrower = [_metrics_by_model(scores, beside) for beside in (uncertainty, half_width, _nothing)]
    return Part("Scores", (replace(widest, narrower=tuple(narrower)),), asked=True)


def _metrics_by_model(scores: Scores, beside: Beside) -> Table:
    rows, names, notes = overall(scores), scores.predictions.names, Footnotes()
    shared = [Column("±", in_each=True)] if beside is _nothing and any(largest_half(row.models) for row in rows) else []
    columns: Columns = [
        "",
        *(Column(name, is_name=True) for name in names),
        *shared,
        *([Column(guessing_name(names), in_each=True)] if scores.baseline else []),
    ]
    cells, heading = [], ""
    for row in rows:
        if heading_of(row.metric) != heading:
            heading = heading_of(row.metric)
            cells.append([Cell(HEADINGS[heading] + _threshold_of(rows, heading), mark="heading")])
        cells.append([_metric_cell(row, rows), *_values(row, beside, notes, bool(shared))])
    said = ["↓  lower is better", *_said_beside(rows, beside, scores.alpha), *notes.lines()]
    said += [*_kinds_of_intervals(rows), *pieces_in_words(scores, rows)]
    return table("scores", columns, cells, remarks=tuple(said), longest_name=LONGEST_METRIC)


def _metric_cell(row: Overall, rows: Sequence[Overall]) -> Cell:
    """With the threshold, unless that stands in the heading, as all below it have the same."""
    name = row.name.removesuffix(_threshold_of(rows, heading_of(row.metric)))
    is_lower = row.metric.better == "lower" and row.metric.compares_models
    return Cell("{} ↓" if is_lower else "{}", names=(name,))


def _threshold_of(rows: Sequence[Overall], heading: str) -> str:
    thresholds = {row.at_threshold for row in rows if heading_of(row.metric) == heading}
    return thresholds.pop() if len(thresholds) == 1 else ""


def _values(row: Overall, beside: Beside, notes: Footnotes, is_shared: bool) -> Iterator[Cell]:
    for score in row.models:
        yield notes.cell(score.value, score.undefined, "best" if row.is_best(score) else "", beside(score))
    if is_shared:
        yield Cell(largest_half(row.models))
    if row.guessed is not None:
        yield notes.cell(row.guessed.value, row.guessed.undefined)


def _nothing(_: Score) -> str:
    return ""


def _said_beside(rows: Sequence[Overall], beside: Beside, alpha: float) -> Iterator[str]:
    """What stands beside the values."""
    scores = [score for row in rows for score in row.models]
    if beside is _nothing and any(map(half_width, scores)):
        each = f"--metrics M1,M2 (up to {FEW_METRICS}) shows each"
        yield f"±  the largest half-width of these models' {level(alpha)} intervals; {each}"
    signs = {beside(score)[:1] for score in scores}
    if "±" in signs:
        hidden = beside is half_width and any(map(is_lopsided, scores))
        more = "; --format json has both ends, as some are far from the same" if hidden else ""
        yield f"±  half-width of the {level(alpha)} interval (the larger side){more}"
    if "[" in signs:
        yield f"[low, high]  the {level(alpha)} interval, where its halves differ by more than a quarter"


def _units_part(grid: Grid, how: str) -> Part:
    """All units, where the screen is wide enough; else how far they go."""
    shown = _grid_table(grid, "units")
    return Part(f"{grid.model}, {how}", (replace(shown, narrower=(_ranges(grid),)),), folded=True, asked=True)


def _grid_table(grid: Grid, name: str, classes: Sequence[str] | None = None) -> Table:
    """What is fewer, units or metrics, goes across; with `classes`, what is none of them, an average, stands out."""
    notes, units_across = Footnotes(), len(grid.units) <= FEW_UNITS and classes is None
    down, across = (grid.metrics, grid.units) if units_across else (grid.units, grid.metrics)
    columns = [Column(unit if units_across else shown_name(unit), is_name=True) for unit in across]
    rows = []
    for row_name in down:
        places = [(row_name, other) if units_across else (other, row_name) for other in across]
        cells = [_score_cell(grid.cells.get(place), notes) for place in places]
        name_of = shown_name(row_name) if units_across else row_name
        is_average = classes is not None and row_name not in classes
        rows.append([name_cell(name_of, "best" if is_average else ""), *cells])
    return table(name, [Column("", words=True), *columns], rows, remarks=notes.lines(), longest_name=25)


def _score_cell(score: Score | None, notes: Footnotes) -> Cell:
    return number_cell(None) if score is None else notes.cell(score.value, score.undefined)


def _ranges(grid: Grid) -> Table:
    """How many units have a value, and its ends; of folds also the mean, which is undefined if one fold is."""
    has_mean = "mean" in grid.units
    units = [unit for unit in grid.units if unit != "mean"]
    rows = [[name_cell(shown_name(metric)), *_range(grid, metric, units, has_mean)] for metric in grid.metrics]
    columns = ["", "units", *(["mean"] if has_mean else []), "lowest", "highest"]
    more = f"--metrics M1,M2 shows each of the {len(units)}; --format json has all"
    return table("units", columns, rows, more=more, longest_name=25)


def _range(grid: Grid, metric: str, units: Sequence[str], has_mean: bool) -> Iterator[Cell]:
    values = [grid.cells[metric, unit].value for unit in units]
    known = [value for value in values if value is not None]
    yield Cell(str(len(units)) if len(known) == len(units) else f"{len(known)} of {len(units)}")
    if has_mean:
        yield number_cell(grid.cells[metric, "mean"].value)
    yield from map(number_cell, (min(known, default=None), max(known, default=None)))


def _classes(scores: Scores, whole: bool) -> Iterator[Part]:
    """Each class against the rest, with the averages below."""
    for grid in by_class(scores):
        chosen = grid.metrics
        if len(scores.metrics) > FEW_METRICS and not whole:
            chosen = [metric for metric in OF_EACH_CLASS if metric in grid.metrics]
        shown = _grid_table(replace(grid, metrics=chosen), "classes", scores.predictions.classes)
        yield Part(f"{grid.model}, each class against the rest", (shown,), folded=True)


def confusion_parts(scores: Scores) -> list[Part]:
    """The confusion matrix of each model."""
    return [_confusion_part(scores.predictions, name, matrix) for name, matrix in scores.confusion.items()]


def _confusion_part(predictions: Predictions, name: str, matrix: Array) -> Part:
    """With totals and recognition rates, as the lecture draws it."""
    instead = f"{len(matrix)} x {len(matrix)} classes: see --format json"
    block: Table | Lines = Lines((instead,))
    if len(matrix) <= MOST_CLASSES:
        block = replace(_confusion(predictions, matrix), narrower=(Table("confusion", (), (), more=instead),))
    return Part(f"{name}, confusion matrix", (block,), folded=True)


def _confusion(predictions: Predictions, matrix: Array) -> Table:
    rates, order = _rate_names(predictions), _positive_first(predictions)
    heads = [Column(predictions.classes[code], is_name=True) for code in order]
    columns: Columns = [
        Column(r"true \ predicted", words=True),
        *heads,
        "total",
        "recognised",
        *([""] if rates else []),
    ]
    rows: list[Cells] = []
    for place, code in enumerate(order):
        row = matrix[code]
        rate = row[code] / row.sum() if row.sum() else float("nan")
        label = name_cell(predictions.classes[code])
        rows.append([label, *_counts(row[order]), percent(rate), *rates[place : place + 1]])
    total = "total" if rates else "total, accuracy"
    rows.append([total, *_counts(matrix.sum(axis=0)[order]), percent(matrix.trace() / matrix.sum()), *rates[-1:]])
    return table("confusion", columns, rows, longest_name=12)


def _counts(row: Array) -> Iterator[Cell]:
    yield from (Cell(count(value), float(value)) for value in (*row, row.sum()))


def _rate_names(predictions: Predictions) -> list[str]:
    """What the recognition rates of two classes are called, and of both together."""
    if predictions.positive is None:
        return []
    return ["sensitivity", "specificity", "accuracy"]


def _positive_first(predictions: Predictions) -> list[int]:
    """The classes in the order of a confusion matrix as textbooks draw it."""
    codes = [*range(len(predictions.classes))]
    return codes if predictions.positive is None else sorted(codes, key=lambda code: code != predictions.positive)


def in_short(scores: Scores) -> str:
    """What was scored, in a few words."""
    models, metrics = scores.predictions.names, [metric.shown_name for metric in scores.metrics]
    return f"{counted(scores.predictions.rows, 'row')}; {named(models)} on {named(metrics)}"
