"""How the claims about Figure 1 are judged: decision trees on the pen digits, for both choices of positive digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.paper.claim_rules import Finding, graded

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.paper.outcome_confusions import Confusions
    from referee.paper.study import Study

    Rule = Callable[[Confusions, Confusions], Finding | None]
    """What the confusions of accuracy and of AUC say; None where no repetition can tell."""


def judged_by(rule: Rule) -> Callable[[Study], Finding | None]:
    """The digits that were asked for decide; what the others say stands beside it."""

    def judge(study: Study) -> Finding | None:
        if "pen-digits" not in study.figure:
            return None
        told = {name: rule(found["accuracy"], found["roc_auc"]) for name, found in study.figure.items()}
        decisive = told["pen-digits"]
        counts = "; ".join(f"{study.positive(name)}: {one.found}" for name, one in told.items() if one)
        return decisive and Finding(decisive.verdict, counts)

    return judge


def never_turned_round(accuracy: Confusions, auc: Confusions) -> Finding | None:
    count = f"{accuracy.a_with_b} (AUC {auc.a_with_b}) of {accuracy.different}"
    return graded(accuracy.a_with_b == 0, accuracy.a_with_b < auc.a_with_b, count) if accuracy.different else None


def few_confusions(accuracy: Confusions, _: Confusions) -> Finding | None:
    confused, total = accuracy.a_with_tie + accuracy.b_with_tie, int(accuracy.crossed.sum())
    return graded(confused <= 0.2 * total, confused <= 0.4 * total, f"{confused} of {total}") if total else None


def more_confusions_by_auc(accuracy: Confusions, auc: Confusions) -> Finding | None:
    kinds = [(getattr(accuracy, kind), getattr(auc, kind)) for kind in ("a_with_tie", "b_with_tie", "a_with_b")]
    more = sum(theirs > ours for ours, theirs in kinds)
    told = ", ".join(f"{theirs} v {ours}" for ours, theirs in kinds)
    in_sum = sum(b for _, b in kinds) > sum(a for a, _ in kinds)
    return graded(more == len(kinds), in_sum, f"{told} (AUC v accuracy)")


def too_sensitive(accuracy: Confusions, auc: Confusions) -> Finding | None:
    ours, theirs = (int(found.crossed[1, 0] + found.crossed[1, 2]) for found in (accuracy, auc))
    ties = int(accuracy.crossed[1].sum())
    told = f"AUC {theirs}, accuracy {ours} of {ties} ties"
    return graded(theirs >= 2 * ours and theirs > 0, theirs > ours, told) if ties else None


def more_found(accuracy: Confusions, auc: Confusions) -> Finding | None:
    told = f"accuracy {accuracy.found}, AUC {auc.found} of {accuracy.different}"
    more = graded(accuracy.found > auc.found, accuracy.found == auc.found, told)
    return more if accuracy.different else None
