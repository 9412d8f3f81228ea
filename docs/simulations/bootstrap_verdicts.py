"""How often a bootstrap names a winner between equal learners, by three ways to test: writes bootstrap_verdicts.md."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from referee.arrays import Array
from referee.comparing import tests
from referee.comparing.split_estimates import around_the_estimate, point_632

BAGS, HALF = 30, 4
SHIFTS = np.array([1.0, 0.5, 0.25, 0.0])
"""How far the classes are apart in each column of a half; both halves are alike, and one learner sees each."""

Learner = Callable[[Array, Array, Array], Array]


def by_least_squares(rows: Array, sides: Array, asked: Array) -> Array:
    weights = np.linalg.lstsq(np.c_[np.ones(len(rows)), rows], sides, rcond=None)[0]
    return np.where(np.c_[np.ones(len(asked)), asked] @ weights > 0, 1, -1)


def by_neighbours(count: int) -> Learner:
    def answer(rows: Array, sides: Array, asked: Array) -> Array:
        distances = (asked**2).sum(1)[:, None] + (rows**2).sum(1) - 2 * asked @ rows.T
        found = np.argpartition(distances, count - 1, axis=1)[:, :count]
        return np.where(sides[found].sum(axis=1) > 0, 1, -1)

    return answer


LEARNERS: dict[str, Learner] = {
    "linear": by_least_squares,
    "5 nearest neighbours": by_neighbours(5),
    "1 nearest neighbour": by_neighbours(1),
}


def values_of_bags(
    learner: Learner, rows: Array, sides: Array, random: np.random.Generator
) -> tuple[Array, Array, Array, Array]:
    """Accuracy of the two learners on the test and the training rows of each bag, and the numbers of distinct rows."""
    test, train, sizes = np.empty((2, BAGS)), np.empty((2, BAGS)), np.empty((2, BAGS))
    for bag in range(BAGS):
        drawn = random.integers(len(rows), size=len(rows))
        left = np.setdiff1d(np.arange(len(rows)), drawn)
        sizes[:, bag] = len(rows) - len(left), len(left)
        for half in range(2):
            columns = rows[:, HALF * half : HALF * (half + 1)]
            right = learner(columns[drawn], sides[drawn], columns) == sides
            test[half, bag], train[half, bag] = right[left].mean(), right[drawn].mean()
    return test, train, sizes[0], sizes[1]


def false_winners(learner: Learner, rows: int, sets: int) -> Array:
    """Shares of data sets with p below 0.05."""
    random = np.random.default_rng(rows)
    found = []
    for _ in range(sets):
        sides = random.choice([-1, 1], size=rows)
        table = random.normal(size=(rows, 2 * HALF)) + (sides[:, None] > 0) * np.tile(SHIFTS, 2)
        test, train, n_train, n_test = values_of_bags(learner, table, sides, random)
        pairs = list(zip(test, train, strict=True))
        mixed = [around_the_estimate("point_632", each, train=seen) for each, seen in pairs]
        guessing = np.full(BAGS, 0.5)
        plus = [
            around_the_estimate("point_632_plus", each, train=seen, no_information=guessing) for each, seen in pairs
        ]
        ways = [test, point_632(test, train), mixed, plus]
        p = [tests["corrected_resampled_t"](*pair, n_train=n_train, n_test=n_test).p for pair in ways]
        found.append(np.array(p) < 0.05)
    return np.mean(found, axis=0)


def main() -> None:
    sets = int(sys.argv[1]) if sys.argv[1:] else 500
    lines = [
        "# Winners between equal learners, by a bootstrap",
        f"Share of {sets} simulated data sets in which the corrected resampled t-test has p below 0.05, written by "
        f"`python docs/simulations/bootstrap_verdicts.py {sets}`; so many tell a share of 5% to within "
        f"{196 * (0.05 * 0.95 / sets) ** 0.5:.1f}%.",
        f"Two learners of one kind see two halves of the columns that tell equally much, so 5% is right; accuracy, "
        f"{BAGS} bootstrap samples. A training set counts by its distinct rows.",
        "",
        "- **out of bag**: the values of the test rows (`bootstrap`)",
        "- **.632 of each sample**: 0.632 x test + 0.368 x training in each sample; training values of overlapping "
        "samples scatter far less than from one data set to another, so this is too sure",
        "- **.632**, **.632+**: the estimate, with the spread of the test values: what `bootstrap_632` and "
        "`bootstrap_632_plus` do",
        "",
        "| learners | rows | out of bag | .632 of each sample | .632 | .632+ |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, learner in LEARNERS.items():
        for rows in (60, 200):
            shares = " | ".join(f"{100 * share:.1f}%" for share in false_winners(learner, rows, sets))
            lines.append(f"| {name} | {rows} | {shares} |")
    Path(__file__).with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
