"""What tools say of a model against itself: the row of the README's table. Peers are those of `REFEREE_PEERS`.

`pip install --target folder autorank mlxtend skore`, then `REFEREE_PEERS=folder python -m benchmarks.against_itself`.
"""

from __future__ import annotations

import warnings
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

import benchmarks.peers  # noqa: F401 (it finds them)
import referee

if TYPE_CHECKING:
    from collections.abc import Callable

X, Y = load_breast_cancer(return_X_y=True)
MODEL = LogisticRegression(max_iter=50).fit(X[:300], Y[:300])
PROBABILITIES, DECISIONS = MODEL.predict_proba(X[300:])[:, 1], MODEL.predict(X[300:])
FOLDS = np.random.default_rng(0).normal(0.8, 0.03, 30)


def by_referee() -> str:
    return referee.compare(Y[300:], {"a": PROBABILITIES, "b": PROBABILITIES}, goal="roc_auc").sentence


def by_autorank() -> str:
    import io
    from contextlib import redirect_stdout

    import pandas
    from autorank import autorank, create_report

    with redirect_stdout(io.StringIO()) as report:
        create_report(autorank(pandas.DataFrame({"a": FOLDS, "b": FOLDS}), alpha=0.05, verbose=False))
    return report.getvalue().strip().splitlines()[-1]


def by_mlxtend() -> str:
    from mlxtend.evaluate import mcnemar, mcnemar_table, paired_ttest_kfold_cv

    table = mcnemar_table(Y[300:], DECISIONS, DECISIONS)
    t_test = paired_ttest_kfold_cv(MODEL, MODEL, X, Y, random_seed=0)
    return f"McNemar p = {mcnemar(table)[1]}, exact p = {mcnemar(table, exact=True)[1]}, k-fold t p = {t_test[1]}"


def by_skore() -> str:
    from skore import ComparisonReport, EstimatorReport

    reports = {name: EstimatorReport(MODEL, X_test=X[300:], y_test=Y[300:], pos_label=1) for name in "ab"}
    values = ComparisonReport(reports).metrics.roc_auc()
    return f"ROC AUC {' and '.join(map(str, np.ravel(values)))}, no test"


TOOLS: dict[str, Callable[[], str]] = {
    "referee": by_referee,
    "autorank": by_autorank,
    "mlxtend": by_mlxtend,
    "skore": by_skore,
}


def main() -> None:
    warnings.simplefilter("ignore")
    for name, said in TOOLS.items():
        try:
            print(f"{name} {version(name)}: {said()}")  # noqa: T201 (what it is for)
        except (PackageNotFoundError, ImportError):
            print(f"{name}: not installed")  # noqa: T201


if __name__ == "__main__":
    main()
