"""What procedure_tests.py has found, as a page; the same sets by referee itself; and one cross-validation by rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import procedure_kernel as kernel
import procedure_tests as grid
from scipy.stats import t as student

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Array = np.ndarray[Any, Any]

LOG_SCALE = ("log_loss", "rmse", "mae")
BY_SELECT = 1
"""Sets of a setting whose models referee also fits, with scikit-learn's learners, for the first metric and the last."""
CLOSE = 1e-9
FOLDS, FACTORS = 10, (1, 2)
OUT_OF_FOLD = (
    grid.Setting("logistic", "heavy", 150, 1000),
    grid.Setting("5-NN", "rings", 200, 1000),
    grid.Setting("15-NN", "adult", 200, 1000),
    grid.Setting("naive Bayes", "heavy, 25% positive", 200, 1000),
    grid.Setting("stump", "heavy", 150, 400),
    grid.Setting("tree of depth 3", "rings", 200, 400),
)


def write(results: Path, what: str, sets: int) -> None:
    beside = results.with_suffix(f".{what}.json")
    if what == "check":
        beside.write_text(json.dumps(check(sets)))
    elif what == "rows":
        beside.write_text(json.dumps({setting.name: by_rows(setting) for setting in OUT_OF_FOLD}))
    else:
        known = {part: results.with_suffix(f".{part}.json") for part in ("check", "rows")}
        found = {part: json.loads(path.read_text()) if path.exists() else {} for part, path in known.items()}
        page = grid.Path(__file__).with_name("procedure_tests.md")
        page.write_text("\n".join(lines(results, found["check"], found["rows"])) + "\n")


def lines(results: Path, checked: dict[str, Any], out_of_fold: dict[str, Any]) -> Iterator[str]:
    every = [(setting, grid.found_of(results, setting)) for setting in grid.GRID]
    cells = [cell for setting, found in every if found for cell in _cells(setting, found)]
    yield "# False winners between equal learning procedures: leave two groups out"
    yield from _intention()
    yield from _answer(cells)
    yield ""
    yield "## Cells"
    yield (
        "False winners in % (standard error); *clean*: without those whose verdict calls itself "
        "approximate as a learner is unstable (F1 always does); *second round*: fresh sets where the first "
        "had more than 7%; *variance*: that of the test in the true one, means; *covers*: how often the "
        "95% interval of one procedure has its mean."
    )
    yield ""
    yield "| learner, data, rows | metric | sets | false winners | clean | second round | variance | covers |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    yield from (cell["line"] for cell in cells)
    if missing := [setting.name for setting, found in every if len(found) < setting.sets]:
        yield ""
        yield f"Not complete: {'; '.join(missing)}."
    yield from _checked(checked)
    yield from _rows(out_of_fold)


def _intention() -> Iterator[str]:
    yield (
        "Written by `python docs/simulations/procedure_tests.py RESULTS.jsonl run`, `check`, `rows` and "
        "`table`. The constants of the test were tuned on other data, and frozen; grid, sizes, seeds and "
        "the rule below were written down before the first set was drawn. Two procedures are equal because "
        "each sees features of its own that are exchangeable given the truth: *heavy* (skewed, "
        "heavy-tailed, correlated), *rings*, *three* classes, *curve* (a number), and rows of large UCI "
        "sets (*adult*, *letter*, *page-blocks*, *abalone*) whose columns each procedure sees through "
        "noise of its own. Two different learners see the same features, and the mean of all sets stands "
        "for their true difference."
    )
    yield ""
    yield (
        f"The rule: a cell fails where it has more than {grid.LIMIT:g}% false winners by more than two "
        f"standard errors, or more than {grid.LIMIT:g}% in {grid.AGAIN:,} fresh sets that are drawn where "
        "its first round was above by less. The test becomes the default of `select` if no cell with at least "
        f"{grid.LEAST_SETS} sets fails, none waits for its second round, and at least {grid.LEAST_CELLS} "
        "cells have run."
    )


def _answer(cells: list[dict[str, Any]]) -> Iterator[str]:
    counted = [cell for cell in cells if cell["sets"] >= grid.LEAST_SETS]
    failed = [cell["name"] for cell in counted if cell["fails"]]
    waiting = [cell["name"] for cell in counted if cell["waits"]]
    others = [cell for cell in counted if cell["metric"] != "f1"]
    passed = not failed and not waiting and len(counted) >= grid.LEAST_CELLS
    yield ""
    yield "## Answer"
    yield f"**{'Confirmed' if passed else 'Not confirmed'}**: of {len(counted)} cells {len(failed)} fail."
    if failed:
        yield f"They are {'; '.join(failed)}."
    if waiting:
        yield f"Still waiting for the second round: {'; '.join(waiting)}."
    above = sum(cell["rate"] > grid.LIMIT for cell in others)
    yield (
        f"Without F1, {above} of {len(others)} cells have more than {grid.LIMIT:g}% in their first round; "
        f"the median is {np.median([cell['rate'] for cell in others]):.1f}%."
    )
    if not passed:
        yield (
            "So `select` keeps its default, and leave_two_groups_out is an option by name. Its verdicts on F1 "
            "and its kin, of unstable learners and of fewer than 100 rows call themselves approximate."
        )


def _cells(setting: grid.Setting, found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    first, second = found[: setting.sets], found[setting.sets :]
    for metric in setting.metrics:
        rate = grid.false_winners(first, setting, metric)
        again = grid.false_winners(second, setting, metric) if second else None
        error = grid.error_of(rate, len(first))
        clearly = rate - 2 * error > grid.LIMIT
        complete = len(second) >= grid.AGAIN
        again_high = complete and rate > grid.LIMIT and again is not None and again > grid.LIMIT
        clean = grid.false_winners([one for one in first if one[metric][2][3] <= kernel.DOMINATED], setting, metric)
        clean *= np.mean([one[metric][2][3] <= kernel.DOMINATED for one in first])
        differences = [kernel.Estimate(*one[metric][2]) for one in first]
        true = np.var([one.value for one in differences])
        times = np.mean([one.variance for one in differences]) / true if true else 1.0
        shown = f"**{rate:.1f}** ({error:.1f})" if rate > grid.LIMIT else f"{rate:.1f} ({error:.1f})"
        later = "" if again is None or rate <= grid.LIMIT else f"{again:.1f} ({len(second):,} sets)"
        name = f"{setting.name}: {metric}"
        cleaned = "-" if metric == "f1" else f"{clean:.1f}"
        covers = _coverage(first, setting, metric)
        yield {
            "name": name, "metric": metric, "sets": len(first), "rate": rate, "fails": clearly or again_high,
            "waits": rate > grid.LIMIT and not clearly and not complete,
            "line": f"| {setting.name} | {metric} | {len(first):,} | {shown} | {cleaned} | {later} | {times:.2f} | "
            f"{covers:.1f} |",
        }  # fmt: skip


def _coverage(found: list[dict[str, Any]], setting: grid.Setting, metric: str) -> float:
    """Of the first procedure's interval on its scale; of two that are equal, of both."""
    inside = []
    for side in (0,) if setting.other else (0, 1):
        each = [kernel.Estimate(*one[metric][side]) for one in found]
        truth = float(np.mean([one.value for one in each]))
        inside += [_holds(one, truth, metric) for one in each]
    return 100 * float(np.mean(inside))


def _holds(one: kernel.Estimate, truth: float, metric: str) -> bool:
    reach = student.ppf(0.975, one.df) * one.variance**0.5
    if metric in LOG_SCALE:
        return bool(abs(np.log(one.value / truth)) <= reach / one.value)
    value = float(np.clip(one.value, 1e-6, 1 - 1e-6))
    logit = np.log(value / (1 - value)) - np.log(truth / (1 - truth))
    return bool(abs(logit) <= reach / (value * (1 - value)))


def _checked(checked: dict[str, Any]) -> Iterator[str]:
    if checked:
        yield ""
        yield "## The same sets by referee"
        yield (
            f"`referee.tests['leave_two_out_t']` on the same predictions, {checked['sets']} sets of each of "
            f"{checked['settings']} settings on every metric: the largest relative difference of a standard "
            f"error is {checked['largest_error']:.0e}, of a p {checked['largest_p']:.0e}. `referee.select` with "
            f"scikit-learn's own learners on the first set of each, {checked['selected']} verdicts (accuracy and F1, "
            f"RMSE and MAE): p differs by at most {checked['largest_selected']:.0e}. Two things must be made alike for "
            "that. Trees give exactly a half to some rows: a cut at 0.5 calls these positive, as the kernel does, "
            "while scikit-learn's `predict`, which `select` asks, calls them negative. Without that "
            f"{checked['halves']} of the p would differ by up to {checked['largest_cut']:.1g}. And scikit-learn's LDA "
            "divides the covariance by all rows, the kernel by the rows minus the classes, so that only its AUC, "
            "which does not depend on it, was compared."
        )


def _rows(found: dict[str, Any]) -> Iterator[str]:
    if not found:
        return
    yield ""
    yield "## One cross-validation, row by row"
    yield (
        f"Out-of-fold predictions of {FOLDS} folds, false winners in % by the variance of the rows, and by "
        "twice that, which a verdict on a file says of the procedures. How much training sets add cannot "
        "be seen from one run."
    )
    yield ""
    yield "| learner, data, rows | sets | metric | rows | twice |"
    yield "|---|--:|---|--:|--:|"
    for setting in OUT_OF_FOLD:
        for metric, (once, twice) in found[setting.name].items():
            yield f"| {setting.name} | {setting.sets:,} | {metric} | {once:.1f} | {twice:.1f} |"


def by_rows(setting: grid.Setting) -> dict[str, list[float]]:
    """False winners of rows x 1 and x 2, of each metric but F1, which rows with few positives have doubts of."""
    metrics = [metric for metric in setting.metrics if metric != "f1"]
    wins = {metric: np.zeros(len(FACTORS)) for metric in metrics}
    for number in range(setting.sets):
        drawn, _ = grid.draw(setting._replace(learner=f"{setting.learner} by rows"), number)
        fold = np.random.default_rng([grid.SEED, number]).permutation(setting.rows) % FOLDS
        learners = [grid.LEARNERS[setting.learner](2) for _ in range(2)]
        said = [_out_of_fold(one, x, drawn.truth, fold) for one, x in zip(learners, drawn[:2], strict=True)]
        for metric in metrics:
            (value_a, a), (value_b, b) = (kernel.METRICS[metric](drawn.truth, one) for one in said)
            strata = kernel.strata_of(metric, drawn.truth)
            each = [(a - b)[strata == one] for one in np.unique(strata)]
            variance = sum(part.var(ddof=1) / len(part) for part in each)
            for place, factor in enumerate(FACTORS):
                estimate = kernel.Estimate(value_a - value_b, factor * variance, setting.rows - 1, 1.0)
                wins[metric][place] += estimate.p < 0.05
    return {metric: (100 * each / setting.sets).tolist() for metric, each in wins.items()}


def _out_of_fold(learner: Any, table: Array, truth: Array, fold: Array) -> Array:
    prepared = learner.prepare(table) if hasattr(learner, "prepare") else table
    said = np.empty(len(truth))
    for one in range(FOLDS):
        said[fold == one] = learner(prepared, truth, np.flatnonzero(fold != one), np.flatnonzero(fold == one))
    return said


def check(sets: int) -> dict[str, Any]:
    """The numbers of the kernel and those of referee, side by side."""
    errors, ps, by_cut, by_label = [0.0], [0.0], [0.0], [0.0]
    for setting in grid.GRID:
        slow = setting.learner in ("forest of 10", "boosting")
        for number in range(min(sets, 5) if slow else sets):
            drawn, _ = grid.draw(setting, number)
            group, numbered = _dealt_by_referee(drawn, number)
            for metric, ours, labelled, theirs in _compared(setting, drawn, group, numbered):
                errors.append(abs(theirs.standard_error / ours.variance**0.5 - 1) if ours.variance else 0.0)
                ps.append(abs(theirs.p - ours.p))
                if number < BY_SELECT and _is_scikit_learns(setting, metric):
                    selected = _selected(setting, drawn, number, metric)
                    by_cut.append(abs(selected - ours.p))
                    by_label.append(abs(selected - labelled.p))
    return {
        "sets": sets, "settings": len(grid.GRID), "selected": len(by_label) - 1, "largest_error": max(errors),
        "largest_p": max(ps), "largest_selected": max(by_label), "largest_cut": max(by_cut),
        "halves": sum(difference > CLOSE for difference in by_cut),
    }  # fmt: skip


def _is_scikit_learns(setting: grid.Setting, metric: str) -> bool:
    """Whether `select` fits the same: LDA divides by all rows there, which only the order of the scores is blind to."""
    ends = setting.metrics[0], setting.metrics[-1]
    return metric in ends if setting.learner != "LDA" else metric == "roc_auc"


def _dealt_by_referee(drawn: grid.Drawn, seed: int) -> tuple[Array, Array]:
    """The group of each row in each deal of the scheme, and the repeat and fold of each pair."""
    from referee import schemes

    classes = drawn.truth if drawn.truth.dtype.kind in "iu" else None
    splits = list(schemes["leave_two_groups_out"].splits(drawn.a, classes, seed=seed))
    fits = len(splits) // grid.DEALS
    group = np.empty((grid.DEALS, len(drawn.truth)), int)
    numbered = np.empty((grid.DEALS, len(kernel.pairs(grid.GROUPS)), 2), int)
    for deal in range(grid.DEALS):
        part = splits[deal * fits : (deal + 1) * fits]
        tested = np.array([np.isin(np.arange(len(drawn.truth)), split.test) for split in part])
        group[deal] = np.unique(tested.T, axis=0, return_inverse=True)[1].ravel()
        for pair, both in enumerate(kernel.pairs(grid.GROUPS)):
            (split,) = [one for one in part if set(group[deal][one.test]) == set(both)]
            numbered[deal, pair] = split.repeat, split.fold
    return group, numbered


def _compared(setting: grid.Setting, drawn: grid.Drawn, group: Array, numbered: Array) -> Iterator[tuple[Any, ...]]:
    """Of each metric by the kernel; by the kernel with halves as scikit-learn labels them; and by the test's name."""
    from referee import tests

    classes = int(drawn.truth.max()) + 1 if drawn.truth.dtype.kind in "iu" else 0
    said = [kernel.out_of_pairs(learner, x, drawn.truth, group) for learner, x in _procedures(setting, drawn, classes)]
    tested = ~np.isnan(said[0].reshape(*said[0].shape[:3], -1)[..., 0])
    deal, pair, row = np.nonzero(tested)
    roles = {"id": row, "repeat": numbered[deal, pair, 0], "fold": numbered[deal, pair, 1]}
    task = {0: "regression", 2: "binary"}.get(classes, "multiclass")
    as_labelled = said
    if setting.learner in grid.TREES:
        learner = grid.fitted(grid.estimator_of(setting.learner, classes), as_labelled=True)
        as_labelled = [kernel.out_of_pairs(learner, x, drawn.truth, group) for x in drawn[:2]]
    for metric in setting.metrics:
        ours, labelled = (_difference(metric, drawn.truth, both, group) for both in (said, as_labelled))
        given = {"metric": _named(metric, classes), "task": task, **({"positive": 1} if classes == 2 else {})}
        both = [one[tested] for one in said]
        yield metric, ours, labelled, tests["leave_two_out_t"](drawn.truth[row], *both, **given, **roles)


def _difference(metric: str, truth: Array, said: list[Array], group: Array) -> kernel.Estimate:
    (a, whole_a), (b, whole_b) = (kernel.judged(metric, truth, one, group) for one in said)
    return kernel.estimate(a - b, whole_a - whole_b, group, kernel.strata_of(metric, truth))


def _procedures(setting: grid.Setting, drawn: grid.Drawn, classes: int) -> list[tuple[Any, Array]]:
    names = (setting.learner, setting.other or setting.learner)
    tables = (drawn.a, drawn.a if setting.other else drawn.b)
    return [(grid.LEARNERS[name](classes), table) for name, table in zip(names, tables, strict=True)]


def _named(metric: str, classes: int) -> str:
    return metric if metric != "f1" else "f_beta(average=macro)" if classes > 2 else "f_beta"


def _selected(setting: grid.Setting, drawn: grid.Drawn, seed: int, metric: str) -> float:
    """The p that `select` has of scikit-learn's learners on the same splits."""
    from referee import select

    classes = int(drawn.truth.max()) + 1 if drawn.truth.dtype.kind in "iu" else 0
    width = drawn.a.shape[1]
    columns = (slice(0, width), slice(0, width) if setting.other else slice(width, 2 * width))
    names = (setting.learner, setting.other or setting.learner)
    models = {side: _on(_estimator(name, classes), part) for side, name, part in zip("ab", names, columns, strict=True)}
    more = {"positive": 1} if classes == 2 else {}
    target = drawn.truth + 0.5 if setting.data == "abalone" else drawn.truth  # whole numbers would be taken for classes
    verdict = select(
        models, np.hstack([drawn.a, drawn.b]), target, goal=_named(metric, classes), metrics="goal", seed=seed,
        scheme="leave_two_groups_out", **more,
    )  # fmt: skip
    return float(verdict.comparisons[0].p or 0.0)


def _on(estimator: Any, columns: slice) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(ColumnTransformer([("part", "passthrough", columns)]), estimator)


def _estimator(name: str, classes: int) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    if name.endswith("-NN"):
        return (KNeighborsClassifier if classes else KNeighborsRegressor)(int(name.removesuffix("-NN")))
    known = {
        "LDA": LinearDiscriminantAnalysis(), "naive Bayes": GaussianNB(), "ridge": Ridge(alpha=1.0),
        "logistic": LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=1000),
    }  # fmt: skip
    return known.get(name) or grid.estimator_of(name, classes)
