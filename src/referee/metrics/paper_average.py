from __future__ import annotations

from math import inf, log
from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.metrics import accuracy, f_beta, log_loss, rms, roc_auc
from referee.scoring import BINARY, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines import Counts, Ranking, Sums


def row_terms(
    truth: Sequence[Column], prediction: Sequence[Column], xp: Any, *, clip: float = 1e-6
) -> dict[str, Column]:
    return rms.row_terms(truth, prediction, xp) | log_loss.row_terms(truth, prediction, xp, clip=clip)


def value(counts: Counts, sums: Sums, ranking: Ranking) -> Array:
    gains = accuracy.value(counts) + roc_auc.value(ranking) + f_beta.value(counts)
    losses = rms.value(sums) + log_loss.value(sums)
    return (gains + 2 - losses) / 5


metric = Metric(
    title="The paper's average of five metrics",
    question="How good is the model if its later use is unknown?",
    formula="(accuracy + AUC + F + (1 - RMS) + (1 - MXE)) / 5",
    needs="probabilities",
    tasks=BINARY,
    better="higher",
    range=(-inf, 1),
    value=value,
    row_terms=row_terms,
    per_class=True,
    proper="no",
    depends_on_prevalence=True,
    undefined_when="only one class is present",
    blind_to="what matters: MXE has no upper bound, so a few confident errors outweigh the other four; "
    "and F does not reward honest probabilities",
    related=("accuracy", "roc_auc", "f_beta", "rms", "log_loss"),
    references=(
        "J. Huang, C. X. Ling, H. Zhang and S. Matwin (2008). Proper model selection with significance test. In ECML "
        "PKDD, 536-547",
        "R. Caruana and A. Niculescu-Mizil (2004). Data mining in metric space: an empirical analysis of supervised "
        "learning performance criteria. In KDD, 69-78",
    ),
    parameters={
        "clip": Parameter("probabilities below this count as this in MXE; 0 gives the exact infinity", low=0, high=0.5)
    },
    examples=(
        Example(
            truth=[0, 1, 1, 0],
            prediction=[0.1, 0.9, 0.8, 0.3],
            value=(1 + 1 + 1 + (1 - 0.0375**0.5) + (1 + (2 * log(0.9) + log(0.8) + log(0.7)) / 4)) / 5,
            source="the paper's formulas by hand",
        ),
    ),
)
