"""Which comparisons need the rows themselves, and why; the others are made of sums, wherever the rows are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.comparing.significance_test import SignificanceTest, tests
from referee.engines import engine_of
from referee.errors import Notice, RefereeError, UsageError
from referee.predictions import is_in_database
from referee.scoring import metrics, why_not_summed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.predictions import Predictions
    from referee.scoring import Metric

SUMMED_TESTS = ("influence", "delong")
"""Tests that are made of sums over rows."""


def why_rows(
    goal: str | Metric | None,
    roles: Mapping[str, Any],
    *,
    test: str | SignificanceTest | None = None,
    unit: str | None = None,
    subsets: int | None = None,
    ledger: Any = None,
) -> str | None:
    """Why a comparison needs the rows; None where their sums are enough. `roles` are columns by what they are for."""
    if unit == "slice":  # one value for each data set
        return None
    reasons = (
        _of_roles(roles),
        "the ledger of a gate looks at each row" if ledger is not None else None,
        "subsets are dealt out row by row" if subsets is not None else None,
        "folds are compared one by one" if unit == "fold" else None,
        _of_test(test),
        _of_goal(goal, roles),
    )
    return next((reason for reason in reasons if reason), None)


def _of_roles(roles: Mapping[str, Any]) -> str | None:
    if roles.get("time") is not None:
        return "rows are put in the order of time"
    if roles.get("group") is not None:
        return "groups of rows are compared by leaving each out, or flipping its sign"
    in_splits = roles.get("fold") is not None or roles.get("repeat") is not None
    return "the rows of each id are taken together" if roles.get("id") is not None and in_splits else None


def _of_test(test: str | SignificanceTest | None) -> str | None:
    if test in (None, "auto"):
        return None
    chosen = tests[test] if isinstance(test, str) else test
    if not isinstance(chosen, SignificanceTest) or chosen.name in SUMMED_TESTS:
        return None
    if chosen.random:
        return f"{chosen.title} draws rows"
    return f"{chosen.title} looks at each {'row' if chosen.takes in ('rows', 'decisions') else 'fold'}"


def _of_goal(goal: str | Metric | None, roles: Mapping[str, Any]) -> str | None:
    if goal is None:
        return None
    try:
        metric = metrics[goal] if isinstance(goal, str) else goal
    except RefereeError:  # which will be said when the goal is looked for
        return None
    if (reason := why_not_summed(metric)) is not None:
        return f"{metric.shown_name}: {reason}"
    has_yardstick = roles.get("baseline") is not None or roles.get("fold") is not None
    if "baseline" in metric.row_arguments and not has_yardstick:
        return f"{metric.shown_name}: its yardstick is estimated from the same rows"
    return None


def refuse_without_rows(predictions: Predictions, metric: Metric, test: SignificanceTest | None, **design: Any) -> None:
    """Stop before anything is asked, where a comparison needs rows and these are not in memory."""
    if predictions.has_rows:
        return
    reason = "rows of a file that is too large for memory are read in batches"
    if predictions.engine == "database":
        roles = {name: getattr(predictions, name) for name in ("time", "group", "fold", "repeat", "baseline")}
        why = why_rows(metric, roles, test=test, **design)
        if why is None:
            return
        reason = why
    raise UsageError(
        "E_ROWS",
        f"this comparison needs the rows in memory, and these {predictions.rows:,} are summarised where they are: "
        f"{reason}",
        hint=f"{engine_of(predictions).TO_HAVE_ROWS}, or compare data sets, which needs no rows: --by COL "
        "and --unit slice",
    )


def with_notice(predictions: Predictions, sources: Sequence[Any], reason: str | None) -> Predictions:
    """Say that a database's rows were read, and why."""
    if not predictions.has_rows or not any(map(is_in_database, sources)):
        return predictions
    why = reason or "several sources are brought to the same rows"
    notice = Notice("W_ROWSREAD", f"all {predictions.rows:,} rows were read from the database: {why}")
    return replace(predictions, notices=(*predictions.notices, notice))
