"""Whether any sign in the data tells false winners on log loss where few rows of a class carry it.

Writes rare_surprises.md beside it: `python docs/simulations/rare_surprises.py [data sets a cell]`, from the root.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import t as student

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.validity import worlds
from benchmarks.validity.cell import generator_of
from referee.comparing.doubts import FEW_DEGREES, HEAVIER, HEAVY

if TYPE_CHECKING:
    from referee.arrays import Array

SETTINGS = ((10_000, 0.005), (1000, 0.05), (10_000, 0.02))
KINDS = ("different shape", "same shape", "first model better")
SKEWED = 0.1


class Found(NamedTuple):
    """Of one data set, whether it has a winner, and which signs speak against it."""

    clean: bool
    heavy: bool
    heavy_in_class: bool
    skewed: bool


def makers(kind: str, positives: float) -> tuple[worlds.Maker, worlds.Maker]:
    second = {
        "different shape": worlds.of_equal_value(positives, "log_loss"), "same shape": worlds.PLAIN,
        "first model better": worlds.Maker(1.0),
    }  # fmt: skip
    return worlds.PLAIN, second[kind]


def surprise(truth: Array, scores: Array) -> Array:
    return -np.log(np.maximum(np.where(truth == 1, scores, 1 - scores), np.finfo(float).eps))


def one_set(rows: int, positives: float, kind: str, number: int) -> Found:
    generator = generator_of(f"rare surprises | {rows} | {positives} | {kind}", number)
    truth, models = worlds.classes(positives, rows, makers(kind, positives), generator)
    a, b = (surprise(truth, scores) for scores in models.values())
    difference = (a - b).mean()
    apart = a - b - difference
    squares = (apart**2).sum()
    df = np.clip(2 * rows / (rows * (apart**4).sum() / squares**2 - 1), 1, rows - 1)
    p = 2 * student.sf(abs(difference) / np.sqrt(squares / (rows * (rows - 1))), df)
    winner, loser = (a, b) if difference < 0 else (b, a)
    rarer = min(truth.sum(), rows - truth.sum())
    against = np.sign(difference) * (apart**3).mean() / (apart**2).mean() ** 1.5 / np.sqrt(rows)
    return Found(
        bool(p < 0.05 and df >= FEW_DEGREES), is_heavier(winner, loser, -(-rows // 100)),
        is_heavier(winner, loser, max(1, -(-int(rarer) // 10))), bool(against > SKEWED),
    )  # fmt: skip


def is_heavier(winner: Array, loser: Array, largest: int) -> bool:
    """Whether so many of the largest losses carry much of the winner's, and much more than of the loser's."""
    own, other = (np.partition(one, -largest)[-largest:].sum() / one.sum() for one in (winner, loser))
    return bool(own > HEAVY and own > HEAVIER * other)


TEXT = """# Rare surprises of a rare class
Made by `python docs/simulations/rare_surprises.py {sets}`: {sets:,} data sets a cell. Log loss hangs on the rows of the
rarer class. Where one of two equally good models has a heavier tail (*different shape*), it wins where its rare
surprises happen to be missing. A sign is of use if it flags many of these false winners, and few of the true ones
(*first model better*). Signs: the winner's largest 1% of all rows carry more than {heavy:.0%} of its loss and
{heavier:g} times the loser's share (what a verdict looks at now); the same of as many rows as a tenth of the rarer
class; the differences are skewed against the winner by more than {skewed:g} root n. In % of all data sets:

| rows | positive | models | winner, clean | flagged by 1% of the rows | by a tenth of the rarer class | by skewness |
|--:|--:|---|--:|--:|--:|--:|
"""
ANSWER = """
No sign flags most of the false winners without flagging more of the true ones. So a verdict on log loss with fewer than
100 rows of a class says that errors rarer than 3 in these rows cannot be judged.
"""


def line(rows: int, positives: float, kind: str, sets: int) -> str:
    each = np.array([one_set(rows, positives, kind, number) for number in range(sets)])
    shares = [100 * each[:, 0].mean(), *(100 * (each[:, 0] & each[:, sign]).mean() for sign in (1, 2, 3))]
    return f"| {rows:,} | {100 * positives:g}% | {kind} | " + " | ".join(f"{share:.1f}" for share in shares) + " |"


def main(sets: int) -> None:
    lines = [line(*setting, kind, sets) for setting in SETTINGS for kind in KINDS]
    text = TEXT.format(sets=sets, heavy=HEAVY, heavier=HEAVIER, skewed=SKEWED) + "\n".join(lines) + "\n" + ANSWER
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
