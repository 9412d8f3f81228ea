"""OwnStudy: what choosing by each metric is worth for each goal, on somebody's data and with their models."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from referee.errors import ModelError, Notice
    from referee.metric import Metric
    from referee.study.choosing import Choice

USUAL = {
    "binary": ("accuracy", "roc_auc", "f_beta", "rms", "log_loss", "paper_average"),
    "multiclass": ("accuracy", "balanced_accuracy", "f_beta", "mcc", "brier", "log_loss"),
    "regression": ("mae", "rmse", "median_ae", "mape", "r2", "correlation"),
}
"""The metrics that people choose by, and that are spoken of where all were asked for."""


@dataclass(frozen=True, eq=False)
class OwnStudy:
    """What choosing by each metric is worth for each goal, on these data and with these models."""

    rows: int
    task: str
    target: str
    scheme: str
    repetitions: int
    sizes: dict[str, int]
    """Rows of the training, holdout and test part."""
    models: tuple[str, ...] = ()
    metrics: tuple[Metric, ...] = ()
    named: bool = False
    """Whether the metrics were asked for by name."""
    choices: tuple[Choice, ...] = ()
    best: dict[str, dict[str, float]] = field(default_factory=dict)
    """For each goal, how often each model is the best on the test part."""
    goal: str | None = None
    goal_as_said: str | None = None
    """The name that it was asked for by, such as f1 for f_beta."""
    subsets: int | None = None
    """Of the holdout and the test part, each; None where they would be too small."""
    alpha: float = 0.05
    seed: int = 0
    fingerprint: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    failures: tuple[ModelError, ...] = ()

    def choice(self, goal: str, evaluation: str) -> Choice:
        return next(one for one in self.choices if (one.goal, one.evaluation) == (goal, evaluation))

    def for_goal(self, goal: str) -> list[Choice]:
        """All evaluation metrics, the cheapest first, the goal itself before its equals."""
        found = [one for one in self.choices if one.goal == goal and one.cost is not None]
        return sorted(found, key=lambda one: (one.cost or 0.0, one.evaluation != goal))

    @property
    def overlap(self) -> float:
        """Rows that are not trained on, for each one that is."""
        return (self.sizes["holdout"] + self.sizes["test"]) / self.sizes["train"]

    def called(self, metric: str) -> str:
        """A metric by the name that was typed, if it is the goal."""
        return self.goal_as_said or metric if metric == self.goal else metric

    @property
    def usual(self) -> tuple[str, ...]:
        """The metrics that are shown and spoken of: those that were named, else those that people know."""
        names = tuple(metric.full_name for metric in self.metrics)
        known = tuple(name for name in USUAL[self.task] if name in names)
        return names if self.named or len(known) < 2 else known

    @property
    def sentence(self) -> str:
        from referee.study.own_sentence import sentence_of

        return sentence_of(self)

    def to_dict(self) -> dict[str, Any]:
        """The body of the contract's JSON."""
        same = ("rows", "task", "target", "goal", "alpha", "seed", "fingerprint", "scheme", "repetitions", "sizes")
        return {
            **{name: getattr(self, name) for name in same},
            "subsets": self.subsets,
            "models": list(self.models),
            "metrics": [metric.full_name for metric in self.metrics],
            "choices": [choice.to_dict() for choice in self.choices],
            "best": self.best,
            "sentence": self.sentence,
            "notes": list(self.notes),
            "warnings": [vars(notice) for notice in self.warnings],
            "failures": [{"code": error.code, "message": error.message} for error in self.failures],
        }
