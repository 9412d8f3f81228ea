"""What the paper has printed: its tables and its figure, for putting ours beside them."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

NUMBERS = ("1", "2", "3", "4", "5", "6", "7")


@cache
def paper() -> dict[str, Any]:
    """Everything that was transcribed: reference, names, tables, figure_1, remarks.

    >>> paper()["reference"][:30]
    'Huang, Ling, Zhang and Matwin '
    """
    return dict(json.loads(files("referee.study").joinpath("paper.json").read_text("utf-8")))


def printed(number: int | str) -> dict[str, Any]:
    """The values of a table: 2 to 5 by data set, pair and evaluation metric, 6 and 7 by goal and evaluation metric.

    >>> printed(5)["adult"]["tree"]["roc_auc"], printed(7)["accuracy"]["accuracy"]
    (0.62, 0.85)
    """
    return dict(paper()["tables"][str(number)]["values"])


def figure_1() -> dict[str, Any]:
    """The paper's three-by-three counts of decision trees on pen digits: goal down, evaluation metric across.

    >>> figure_1()["crossed"]["roc_auc"]
    [[8, 5, 0], [21, 39, 5], [5, 8, 9]]
    """
    return dict(paper()["figure_1"])


def paper_name(name: str) -> str:
    """What the paper calls a data set, a learner or a metric.

    >>> paper_name("log_loss"), paper_name("brier")
    ('MXE', 'brier')
    """
    return str(paper()["names"].get(name, name))


def remarks(number: int | str) -> list[str]:
    """What must be said of a table's printed values.

    >>> remarks(6)[0][:15]
    '0.46 is printed'
    """
    return [one["remark"] for one in paper()["remarks"] if one["table"] == str(number)]
