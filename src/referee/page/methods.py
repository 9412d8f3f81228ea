"""What was done, in words to paste into a paper: written from what was recorded, and claiming no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee import __version__
from referee.comparing import Gate, Verdict, certainty, draws_for, splits_in_words
from referee.comparing.split_estimates import IN_WORDS
from referee.document import count, counted, level, named, number, one_line, p_value, plural, visible
from referee.page.bibliography import bibliography
from referee.page.shell import Section, rendered
from referee.page.significance_methods import references_of_tests, slices_tested, tested

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.page.subject import Subject


WEIGHTS = {
    "probability": "probability weights: each says how many rows of the population a row stands for",
    "frequency": "frequency weights: each says how often a row was observed",
}
FITTED_ONLY = "so the result is about these fitted models, not about the learning procedures"
SECTION_LEAD = "Written only from what was recorded. Read it before you sign it."


def methods_text(verdict: Verdict, gate: Gate | None = None) -> str:
    """A paragraph on data, models, metric, design, test and result."""
    return " ".join(_sentences(verdict, gate))


def references_of(verdict: Verdict, gate: Gate | None = None) -> list[str]:
    """What the test, the metric, the scheme and the adjustments rest on."""
    references = [*references_of_tests(verdict, gate), *verdict.goal.references]
    if verdict.selection is not None:
        from referee.fitting import schemes

        name = verdict.selection.scheme.partition("(")[0]
        references += schemes[name].references if name in schemes else ()
    return list(dict.fromkeys(references))


def _sentences(verdict: Verdict, gate: Gate | None) -> Iterator[str]:
    yield from _data(verdict)
    yield from _fitted(verdict)
    yield from DESIGNS[verdict.design.kind](verdict)
    yield from tested(verdict, gate)
    yield from _result(verdict, gate)
    yield from _corrected(verdict)
    yield from slices_tested(verdict)
    yield f"Computed with referee {__version__}, seed {verdict.seed}."
    yield (
        "It is not recorded when the goal was named; if that was after looking at the results, no error rate is "
        "claimed."
    )


def _data(verdict: Verdict) -> Iterator[str]:
    predictions, goal = verdict.predictions, verdict.goal
    models = f"{len(verdict.values):,} models" if len(verdict.values) > 2 else "Two models"
    yield f"{models} were compared on {goal.title} ({verdict.goal_name}; {goal.better} is better)"
    if predictions.scored is None:
        yield f"using their predictions of {_rows(verdict)}{_truth(verdict)}{_repeated(verdict)}."
    else:
        rows = counted(predictions.rows, predictions.row_name)
        yield f"using {rows}, as they were given." if "score" in rows else f"using their scores of {rows}, as given."
    if predictions.weight is not None:
        yield f"The rows have weights, taken as {WEIGHTS[predictions.weight_kind]}."


def _rows(verdict: Verdict) -> str:
    """How many rows there are, however often each was predicted."""
    predictions, selection = verdict.predictions, verdict.selection
    if predictions.example is not None:
        return counted(len(predictions.example), "row")
    fewer = selection is not None and selection.rows > predictions.rows
    return counted(predictions.rows, predictions.row_name) + (
        f" out of {selection.rows:,}" if selection and fewer else ""
    )


def _repeated(verdict: Verdict) -> str:
    predictions = verdict.predictions
    return "" if predictions.example is None else f", predicted {predictions.rows:,} times in all"


def _truth(verdict: Verdict) -> str:
    predictions = verdict.predictions
    if predictions.positive is None:
        return f" of {len(predictions.classes):,} classes" if predictions.classes else ""
    name = one_line(predictions.classes[predictions.positive])
    matrix = next(iter(verdict.scores.confusion.values()))
    share = matrix.sum(axis=1)[predictions.positive] / matrix.sum()
    of_what = "" if predictions.weight is None else " of the weight"
    return f" ({100 * share:.1f}%{of_what} of class {name!r}, the positive one)"


def _fitted(verdict: Verdict) -> Iterator[str]:
    selection = verdict.selection
    if selection is None:
        return
    splits = "split" if selection.splits == 1 else f"{selection.splits:,} splits"
    yield f"All models were fitted on the same {splits} ({selection.scheme})."
    if selection.failures:
        yield f"{counted(len(selection.failures), 'further model')} failed and took no part in the comparison."


def _one_by_one(verdict: Verdict) -> Iterator[str]:
    yield f"Each {verdict.predictions.row_name} is a unit, and they are taken as independent."


def _by_rows(verdict: Verdict) -> Iterator[str]:
    if verdict.predictions.scored is not None:
        yield f"All models have a score for the same {plural(verdict.predictions.row_name)}; {_independent(verdict)}."
        return
    rows = plural(verdict.predictions.row_name)
    yield f"The models predicted the same {rows} of one test set; {_independent(verdict)}."


def _out_of_fold(verdict: Verdict) -> Iterator[str]:
    predictions = verdict.predictions
    repeats = 1 if predictions.repeat is None else len(predictions.repeat)
    folds = "" if predictions.fold is None else counted(len(predictions.fold), "fold")
    where = f"{folds} in each of {repeats:,} repeats" if folds and repeats > 1 else folds or f"{repeats:,} repeats"
    yield (
        f"The predictions are out of fold: different fitted models made those of {where}, and they were compared row "
        f"by row, {FITTED_ONLY}; {_independent(verdict)}."
    )


def _in_time(verdict: Verdict) -> Iterator[str]:
    return _by_rows(verdict) if verdict.predictions.fold is None else _out_of_fold(verdict)


def _independent(verdict: Verdict) -> str:
    """What is taken as independent, which nothing in the data can show."""
    predictions = verdict.predictions
    if predictions.group is not None:
        groups, rows = f"{len(predictions.group):,} groups", plural(predictions.row_name)
        return f"{rows} may depend on each other within {groups}, and the groups are taken as independent"
    if predictions.example is not None:
        return "the predictions of one row are taken together, and the rows are taken as independent"
    if predictions.time is not None:
        return f"the {plural(predictions.row_name)} are in time order, and neighbours may be similar"
    return f"the {plural(predictions.row_name)} are taken as independent"


def _by_splits(verdict: Verdict) -> Iterator[str]:
    design = verdict.design
    by = "the mean of their values on the test rows of each split"
    if design.mixes_training:
        by = f"their {design.value_names} ({IN_WORDS[design.combine]}), with the spread of the values on the test rows"
    times = f", and their overlap counts {design.correction:g} times in the variance of a difference"
    yield (
        f"The models were compared by {by} ({splits_in_words(design)}). The training sets overlap, so these values "
        f"depend on each other{times if design.correction != 1 else ''}."
    )


def _by_pairs(verdict: Verdict) -> Iterator[str]:
    design = verdict.design
    yield (
        f"The rows were divided into {design.folds} groups, {counted(design.repeats or 1, 'time')}, and every pair "
        "of groups was predicted by models fitted on the others. The variance of a difference is that of the tested "
        "rows "
        "plus what the choice of training rows adds, estimated by leaving out groups."
    )


def _by_subsets(verdict: Verdict) -> Iterator[str]:
    comparison, median = verdict.comparisons[0], "p" if verdict.comparisons[0].p is not None else "probability"
    times, subsets = comparison.details["partitions"], counted(comparison.details["subsets"], "equal stratified subset")
    together = {"group": " (groups stay together)", "id": " (the predictions of one row stay together)"}
    predictions = verdict.predictions
    kept = "group" if predictions.group is not None else "id" if predictions.example is not None else ""
    yield (
        f"The rows were divided at random into {subsets}, in {counted(times, 'partition')}{together.get(kept, '')}. "
        "A model's value is the mean over all of them; every pair was tested in each partition by itself, and "
        f"difference, interval and {median} come from the partition with the median {median}."
    )


def _by_data_sets(verdict: Verdict) -> Iterator[str]:
    slices = verdict.scores.slices
    assert slices is not None
    yield (
        f"The models were compared by the mean of their values on each of {counted(len(slices.units), 'data set')} "
        f"({named([one_line(name) for name in slices.by])})."
    )


DESIGNS = {
    "rows": _by_rows,
    "out_of_fold": _out_of_fold,
    "time": _in_time,
    "splits": _by_splits,
    "left_out": _by_pairs,
    "subsets": _by_subsets,
    "data_sets": _by_data_sets,
    "independent": _one_by_one,
}
"""How the values that are compared came about."""


GATE = {
    "pass": "passed",
    "fail": "failed: it was shown to be worse by more than the margin",
    "inconclusive": "neither passed nor failed: it was not shown whether it is worse by more than the margin",
}


def _result(verdict: Verdict, gate: Gate | None) -> Iterator[str]:
    best, second = verdict.best, verdict.runner_up
    comparison = verdict.comparison(best, second)
    if comparison.difference is not None:
        a, b = (f"{number(verdict.values[name])}" for name in (best, second))
        yield f"{one_line(best)} had {a}, {one_line(second)} {b}; they differ by {certainty(comparison)}."
    if verdict.across is not None:
        p = p_value(verdict.across.p or 0)
        yield f"Over all data sets, Friedman's test with Iman and Davenport's correction gave {p}."
    if gate is not None:
        yield f"{one_line(gate.candidate)} {GATE[gate.outcome]}."
    elif verdict.outcome == "winner":
        yield f"{one_line(best)} was named the winner."
    elif verdict.outcome == "tie":
        yield f"No winner was named; {named([one_line(name) for name in verdict.winners])} may each be the best."
    if verdict.undecided:
        yield f"No verdict was reached: {verdict.undecided}."


def _corrected(verdict: Verdict) -> Iterator[str]:
    if (corrected := verdict.corrected) is None:
        return
    value, low, high = map(number, (corrected.value, corrected.low, corrected.high))
    yield (
        f"The best of several values is optimistic; the luck in the value of {one_line(corrected.model)} was "
        f"estimated from {count(draws_for(len(verdict.values)))} normal draws with the covariance of the values, "
        f"centred on the values shrunk towards their mean, using the draws in which the same model comes out best. "
        f"Without this luck, the value is {value} ({level(verdict.alpha)} interval that holds for all models "
        f"at once: {low} to {high})."
    )


def methods_section(subject: Subject, verdict: Verdict) -> Section:
    body = rendered(
        "section/methods.html",
        text=visible(methods_text(verdict, subject.gate)),
        bibtex=bibliography(references_of(verdict, subject.gate)),
    )
    return Section("methods", "Methods, ready to paste", body, SECTION_LEAD, "Methods")
