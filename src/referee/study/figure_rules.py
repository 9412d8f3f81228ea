"""How the claims about Figure 1 are judged: decision trees on the pen digits, for both choices of positive digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.study.claim_rules import Finding, graded

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.study.confusions import Confusions
    from referee.study.results import Study

    Rule = Callable[[Confusions, Confusions], tuple[bool, bool, str]]
    """What the confusions of accuracy and of AUC say: whether the claim holds, whether partly, and the count."""


def judged_by(rule: Rule) -> Callable[[Study], Finding | None]:
    """The digits that were asked for decide; what the others say stands beside it."""

    def judge(study: Study) -> Finding | None:
        if "pen-digits" not in study.figure:
            return None
        told = []
        for name, found in study.figure.items():
            holds, partly, count = rule(found["accuracy"], found["roc_auc"])
            told.append((study.positive(name), graded(holds, partly, count)))
        counts = "; ".join(f"{digits}: {one.found}" for digits, one in told)
        return Finding(told[0][1].verdict, counts)

    return judge


def never_turned_round(accuracy: Confusions, auc: Confusions) -> tuple[bool, bool, str]:
    return accuracy.a_with_b == 0, accuracy.a_with_b < auc.a_with_b, f"{accuracy.a_with_b} (AUC {auc.a_with_b})"


def few_confusions(accuracy: Confusions, _: Confusions) -> tuple[bool, bool, str]:
    confused, total = accuracy.a_with_tie + accuracy.b_with_tie, int(accuracy.crossed.sum())
    return confused <= 0.2 * total, confused <= 0.4 * total, f"{confused} of {total}"


def more_confusions_by_auc(accuracy: Confusions, auc: Confusions) -> tuple[bool, bool, str]:
    kinds = [(getattr(accuracy, kind), getattr(auc, kind)) for kind in ("a_with_tie", "b_with_tie", "a_with_b")]
    more = sum(theirs > ours for ours, theirs in kinds)
    told = ", ".join(f"{theirs} v {ours}" for ours, theirs in kinds)
    return more == len(kinds), sum(b for _, b in kinds) > sum(a for a, _ in kinds), f"{told} (AUC v accuracy)"


def too_sensitive(accuracy: Confusions, auc: Confusions) -> tuple[bool, bool, str]:
    ours, theirs = (int(found.crossed[1, 0] + found.crossed[1, 2]) for found in (accuracy, auc))
    ties = int(accuracy.crossed[1].sum())
    return theirs >= 2 * ours and theirs > 0, theirs > ours, f"AUC {theirs}, accuracy {ours} of {ties} ties"


def more_found(accuracy: Confusions, auc: Confusions) -> tuple[bool, bool, str]:
    told = f"accuracy {accuracy.found}, AUC {auc.found} of {accuracy.different}"
    return accuracy.found > auc.found, accuracy.found == auc.found, told
