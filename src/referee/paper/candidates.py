"""The candidates of the regret map: 27 models of six learners, and the sets that somebody may choose from."""

from __future__ import annotations

from referee.records import dataclass

KINDS = {"tuning": "tuning one learner", "unlike": "unlike learners", "mixed": "both at once", "two": "two models"}
"""Of candidates."""


@dataclass(frozen=True)
class CandidateSet:
    """Models that one is chosen from."""

    name: str
    kind: str
    models: tuple[str, ...]

    def places(self) -> list[int]:
        """Where its models are among all."""
        return [CANDIDATES.index(model) for model in self.models]


def _tuned(learner: str, *settings: str) -> tuple[str, ...]:
    return tuple(f"{learner}({setting})" for setting in settings)


FORESTS = _tuned("forest", *(f"trees=60, min_leaf={leaf}" for leaf in (1, 2, 4, 8, 16, 32)))
BOOSTINGS = _tuned("boosting", *(f"rounds=60, leaves={n}, rate={r}" for n in (4, 16, 64) for r in (0.05, 0.2)))
LOGISTICS = _tuned("logistic", *(f"penalty={penalty}" for penalty in ("1000", "100", "10", "1", "0.1", "0.01")))
NEIGHBOURS = _tuned("knn", *(f"k={k}" for k in (1, 3, 7, 15, 31, 61)))
BAYES, TREE, C45 = "naive_bayes", "tree(min_leaf=5)", "tree(like=c45)"

CANDIDATES = (*FORESTS, *BOOSTINGS, *LOGISTICS, *NEIGHBOURS, BAYES, TREE, C45)
LONGEST_K = 61
"""The most neighbours: a training set must have more rows."""

SETS = (
    CandidateSet("six forests", "tuning", FORESTS),
    CandidateSet("six boostings", "tuning", BOOSTINGS),
    CandidateSet("six logistic regressions", "tuning", LOGISTICS),
    CandidateSet("six nearest neighbours", "tuning", NEIGHBOURS),
    CandidateSet("seven learners", "unlike", (FORESTS[1], BOOSTINGS[2], LOGISTICS[3], NEIGHBOURS[2], BAYES, TREE, C45)),
    CandidateSet("four learners", "unlike", (FORESTS[1], LOGISTICS[3], NEIGHBOURS[3], BAYES)),
    CandidateSet(
        "twelve models",
        "mixed",
        (*FORESTS[0:5:2], BOOSTINGS[1], BOOSTINGS[3], BOOSTINGS[4], LOGISTICS[2], LOGISTICS[4], *NEIGHBOURS[1:5:3],
         BAYES, TREE),
    ),
    CandidateSet(
        "six models", "mixed", (FORESTS[0], FORESTS[3], BOOSTINGS[3], LOGISTICS[3], LOGISTICS[1], NEIGHBOURS[3])
    ),
    CandidateSet("five strong models", "mixed", (FORESTS[2], BOOSTINGS[1], BOOSTINGS[2], LOGISTICS[3], C45)),
    CandidateSet("two forests", "two", (FORESTS[0], FORESTS[4])),
    CandidateSet("two learners", "two", (FORESTS[1], LOGISTICS[3])),
)  # fmt: skip
