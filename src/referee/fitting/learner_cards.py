"""What a learner's card says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Card, Shelf, parameter_in_words, parameters

if TYPE_CHECKING:
    from referee.fitting.model_spec import Learner

GROUPS = {
    "both": "For classes and for numbers",
    "classes": "For classes",
    "numbers": "For numbers",
}


def learner_card(learner: Learner) -> Card:
    """A learner's declarations, and how it is asked for."""
    about = parameters(learner)
    name = f'"{learner.full_name}"' if learner.settings else learner.name
    other = "tree" if learner.name == "dummy" else "dummy"
    values = {
        "name": learner.full_name,
        "title": learner.title,
        "what": learner.what,
        "tasks": list(learner.tasks),
        "random": learner.random,
        "parameters": about,
        "aliases": list(learner.aliases),
        "command_line": f"referee select data.csv --target y --models {name},{other} --goal METRIC",
        "python": f'referee.select(["{learner.full_name}", "{other}"], X, y, goal=METRIC)',
        "references": list(learner.references),
    }
    words = {
        "parameters": [parameter_in_words(key, parameter) for key, parameter in about.items()],
        "references": learner.references,
    }
    return Card("learner", values, words, frozenset({"command_line", "python"}))


def _group(learner: Learner) -> str:
    if "regression" not in learner.tasks:
        return "classes"
    return "both" if len(learner.tasks) > 1 else "numbers"


LEARNER_CARDS = Shelf("learner", learner_card, ("name", "title", "what"), GROUPS, _group)
