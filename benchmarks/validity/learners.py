"""Two learning procedures that are equal by symmetry: one learner, on two halves of the features that are alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

FEATURES = 5
"""Of each half."""
SHIFT = 0.5


@dataclass(frozen=True)
class Sample:
    """Balanced classes, and for each of the two procedures features of its own: (row, feature)."""

    truth: Array
    halves: tuple[Array, Array]

    @classmethod
    def drawn(cls, generator: np.random.Generator, rows: int, shifts: tuple[float, float] = (SHIFT, SHIFT)) -> Sample:
        truth = np.arange(rows) % 2
        first, second = generator.standard_normal((2, rows, FEATURES))
        return cls(truth, (first + shifts[0] * truth[:, None], second + shifts[1] * truth[:, None]))


def stratified_folds(truth: Array, folds: int, generator: np.random.Generator) -> Array:
    """The fold of each row; every fold gets its share of each class."""
    fold = np.empty(len(truth), int)
    for label in (0, 1):
        rows = generator.permutation(np.flatnonzero(truth == label))
        fold[rows] = np.arange(len(rows)) % folds
    return fold


def repeated_folds(truth: Array, folds: int, repeats: int, generator: np.random.Generator) -> Array:
    """Which rows are tested in each split: (split, row), the folds of a repeat next to each other."""
    each = [stratified_folds(truth, folds, generator) == np.arange(folds)[:, None] for _ in range(repeats)]
    return np.concatenate(each)


def random_splits(truth: Array, splits: int, generator: np.random.Generator) -> Array:
    """A third of each class is tested."""
    return np.stack([stratified_folds(truth, 3, generator) == 0 for _ in range(splits)])


def groups_in_pairs(
    truth: Array, groups: int, deals: int, generator: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Which rows are tested in each fit, every two groups once a deal; and the fold and repeat that this is called."""
    tested = []
    for _ in range(deals):
        group = stratified_folds(truth, groups, generator)
        tested += [np.isin(group, pair) for turn in rounds(groups) for pair in turn]
    repeat, fold = np.divmod(np.arange(len(tested)), groups // 2)
    return np.stack(tested), fold, repeat


def rounds(groups: int) -> list[list[tuple[int, int]]]:
    """A tournament: in each round every group meets another one, and after all of them every other one."""
    others = list(range(1, groups))
    turns = []
    for turn in range(groups - 1):
        circle = [0, *others[turn:], *others[:turn]]
        turns.append([(circle[place], circle[-1 - place]) for place in range(groups // 2)])
    return turns


def naive_bayes(features: Array, truth: Array, tested: Array) -> Array:
    """Gaussian naive Bayes, fitted on the rows that a split does not test: probabilities of all rows, (split, row)."""
    logs = []
    squares = np.concatenate([features, features**2], axis=1)
    for label in (0, 1):
        trained = ((~tested) & (truth == label)).astype(float)
        rows = trained.sum(axis=1, keepdims=True)
        mean, mean_square = np.split(trained @ squares / rows, 2, axis=1)
        variance = mean_square - mean**2
        # The sum over features of (x - mean)^2 / variance, by matrix products.
        distance = squares @ np.concatenate([-2 * mean / variance, 1 / variance], axis=1).T
        constant = (mean**2 / variance + np.log(variance)).sum(axis=1) - 2 * np.log(rows[:, 0])
        logs.append(-(distance + constant).T / 2)
    return np.asarray(1 / (1 + np.exp(np.clip(logs[0] - logs[1], -700, 700))))


def decision_tree(features: Array, truth: Array, tested: Array, depth: int = 6) -> Array:
    """A tree with probabilities by Laplace's rule: of all rows, (split, row)."""
    from sklearn import config_context
    from sklearn.tree import DecisionTreeClassifier

    features = features.astype(np.float32)
    found = np.empty(tested.shape)
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for split, test_rows in enumerate(tested):
            model = DecisionTreeClassifier(max_depth=depth, random_state=0)
            tree = model.fit(features[~test_rows], truth[~test_rows], check_input=False).tree_
            positives = tree.value[:, 0, 1] * tree.n_node_samples
            found[split] = ((positives + 1) / (tree.n_node_samples + 2))[tree.apply(features)]
    return found


def nearest_neighbours(features: Array, truth: Array, tested: Array, k: int = 3) -> Array:
    """The share of positives among the k nearest training rows, by Laplace's rule: of all rows, (split, row)."""
    known = np.flatnonzero(~tested.all(axis=0))
    distance = ((features[:, None] - features[known]) ** 2).sum(axis=-1)
    distance[known, np.arange(len(known))] = np.inf
    # Among so many neighbours k were trained on, even where only half of the rows are.
    order = known[np.argsort(distance, axis=1)[:, : min(4 * k + 20, len(known) - 1)]]
    found = np.empty(tested.shape)
    for split, test_rows in enumerate(tested):
        trained = ~test_rows[order]
        nearest = trained & (np.cumsum(trained, axis=1) <= k)
        found[split] = ((truth[order] * nearest).sum(axis=1) + 1) / (k + 2)
    return found


LEARNERS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "naive Bayes": naive_bayes,
    "decision tree": decision_tree,
    "3 nearest neighbours": nearest_neighbours,
    "15 nearest neighbours": partial(nearest_neighbours, k=15),
    "decision stump": partial(decision_tree, depth=1),
}
