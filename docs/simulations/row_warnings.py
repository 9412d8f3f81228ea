"""How often W_DUPROWS is given: to rows that are independent, which it should not be, and to copies, which it should.

python docs/simulations/row_warnings.py
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from referee.comparing.row_worth import are_copies, repeated_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array

    Data = tuple[Array, list[Array]]
    Draw = Callable[[np.random.Generator, int], Data]

DRAWS, ROWS = 200, (100, 300, 1000, 3000)


def continuous(chance: np.random.Generator, rows: int) -> Data:
    truth = chance.random(rows) < 0.4
    return truth.astype(int), [truth + chance.normal(size=rows) for _ in range(2)]


def rounded(digits: int) -> Draw:
    def draw(chance: np.random.Generator, rows: int) -> Data:
        truth, scores = continuous(chance, rows)
        return truth, [np.round(1 / (1 + np.exp(-score)), digits) for score in scores]

    return draw


def decisions(chance: np.random.Generator, rows: int) -> Data:
    truth, scores = continuous(chance, rows)
    return truth, [(score > 0.5).astype(float) for score in scores]


def categories(levels: int, steep: float) -> Draw:
    """Models of a few categories: rows with the same ones are scored alike by all models."""

    def draw(chance: np.random.Generator, rows: int) -> Data:
        cells = chance.integers(0, levels, (2 * rows, 3)).astype(float)
        signal = (cells - cells.mean(axis=0)) @ np.array([1.0, 0.7, 0.4]) * steep
        truth = (chance.random(2 * rows) < 1 / (1 + np.exp(-signal))).astype(int)
        models = [LogisticRegression(), DecisionTreeClassifier(min_samples_leaf=5)]
        fitted = [model.fit(cells[rows:], truth[rows:]).predict_proba(cells[:rows])[:, 1] for model in models]
        return truth[:rows], fitted

    return draw


def regression(chance: np.random.Generator, rows: int) -> Data:
    truth = np.round(chance.normal(size=rows), 1)
    return truth, [np.round(truth + chance.normal(size=rows), 1) for _ in range(2)]


def copied(draw: Draw, share: float) -> Draw:
    """Some rows once more, up to as many rows as wanted."""

    def draw_again(chance: np.random.Generator, rows: int) -> Data:
        own = round(rows * (1 - share))
        truth, columns = draw(chance, own)
        places = np.concatenate([np.arange(own), chance.integers(0, own, rows - own)])
        return truth[places], [column[places] for column in columns]

    return draw_again


INDEPENDENT = {
    "continuous scores": continuous,
    "scores with 3 digits": rounded(3),
    "scores with 2 digits": rounded(2),
    "scores with 1 digit": rounded(1),
    "decisions only": decisions,
    "logistic and tree on 3 columns of 4 categories": categories(4, 1.0),
    "the same with 8 categories": categories(8, 0.5),
    "the same, truth nearly certain": categories(8, 3.0),
    "regression with 1 digit": regression,
}
COPIES = {
    "10% copies, continuous scores": copied(continuous, 0.1),
    "half copies, continuous scores": copied(continuous, 0.5),
    "90% copies, continuous scores": copied(continuous, 0.9),
    "half copies, scores with 3 digits": copied(rounded(3), 0.5),
    "half copies, regression with 1 digit": copied(regression, 0.5),
}


def alarms(draw: Draw, rows: int) -> float:
    chance = np.random.default_rng(rows)
    told = [repeated_rows(*draw(chance, rows)) for _ in range(DRAWS)]
    return float(np.mean([repeated is not None and are_copies(repeated) for repeated in told]))


def table(kinds: dict[str, Draw]) -> Iterator[str]:
    yield "| rows: | " + " | ".join(f"{rows:,}" for rows in ROWS) + " |"
    yield "|---" * (len(ROWS) + 1) + "|"
    for name, draw in kinds.items():
        yield f"| {name} | " + " | ".join(f"{100 * alarms(draw, rows):.1f}%" for rows in ROWS) + " |"


def page() -> Iterator[str]:
    yield "# How often rows are called copies"
    yield f"Shares of {DRAWS} data sets with two models that get W_DUPROWS (docs/simulations/row_warnings.py)."
    yield "\n## Independent rows: false alarms"
    yield from table(INDEPENDENT)
    yield "\n## Copies: right alarms"
    yield from table(COPIES)


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text("\n".join(page()) + "\n")
