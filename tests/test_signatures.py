"""What editors complete: the public functions name every keyword that they take."""

from __future__ import annotations

import inspect
import pydoc
import re
from dataclasses import fields, is_dataclass
from typing import get_args

import pytest

import referee
from referee.advice import QUESTIONS
from referee.catalogue.keywords import SYNONYMS
from referee.paper import run
from referee.predictions import Columns, Predictions, Roles

DOOR = [
    referee.compare,
    referee.evaluate,
    referee.gate,
    referee.curves,
    referee.threshold,
    referee.calibrate,
    referee.plan,
]
"""What takes predictions in every form."""
READERS = [Predictions.read, Predictions.from_arrays]
FUNCTIONS = [*DOOR, *READERS, referee.select, referee.advise, run, referee.study]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_keyword_is_named_typed_and_explained(function):
    signature = inspect.signature(function)
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    untyped = [
        name for name, parameter in signature.parameters.items() if parameter.annotation is inspect.Parameter.empty
    ]
    assert untyped == []
    assert signature.return_annotation is not inspect.Signature.empty
    assert function.__doc__


def test_advise_has_a_keyword_for_each_question_with_its_answers():
    hints = inspect.get_annotations(referee.advise.__wrapped__, eval_str=False)
    asked = [question for question in QUESTIONS if question.key != "task"]  # which is said of the rows, as for compare
    assert [name for name in hints if name in {question.key for question in QUESTIONS}] == [q.key for q in asked]
    for question in asked:
        if question.options:
            from typing import Literal

            kind = eval(hints[question.key].removesuffix(" | None"), {"Literal": Literal})
            assert get_args(kind) == tuple(question.options), question.key


@pytest.mark.parametrize("function", [*DOOR, Predictions.read], ids=lambda function: function.__name__)
def test_the_words_for_columns_are_the_same_everywhere(function):
    names = set(inspect.signature(function).parameters)
    assert set(Columns.__annotations__) <= names
    own = {"columns", "by", "metrics", "id_like", "time"}  # which is for those that compare rows
    assert {one.name for one in fields(Roles)} - own <= set(Columns.__annotations__)
    others = {"model", "goal"}  # which are our own in some functions
    assert names & (set(SYNONYMS) - others) == set()


def help_text(thing):
    return pydoc.plain(pydoc.render_doc(thing))


def screen_lines(lines):
    return sum(max(1, -(-len(line) // 80)) for line in lines)


CLASSES = [name for name in referee.__all__ if inspect.isclass(getattr(referee, name))]


@pytest.mark.parametrize("name", sorted({*referee.__all__} - {*CLASSES}))
def test_help_fits_a_screen_of_80_columns(name):
    assert screen_lines(help_text(getattr(referee, name)).splitlines()) <= 60


@pytest.mark.parametrize("name", CLASSES)
def test_help_of_a_class_begins_with_a_screen_that_says_what_it_offers(name):
    """What follows is Python's own list of all that it has."""
    kind = getattr(referee, name)
    documentation = inspect.getdoc(kind).splitlines()
    lines = [line.removeprefix(" |").strip() for line in help_text(kind).splitlines()]
    assert screen_lines(lines[: lines.index(documentation[-1].strip())]) <= 45
    mentioned = re.findall(r"`(\w+)(?:\([\w=., ]*\))?`", kind.__doc__)
    fields_of = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    of_scikit_learn = {"cv", "cross_val_score", "GridSearchCV"}
    assert set(mentioned) - fields_of - set(dir(kind)) - of_scikit_learn == set()
    assert len(mentioned) > 5 or len(fields_of) < 15


@pytest.mark.parametrize("name", ["metrics", "tests", "schemes", "learners"])
def test_help_of_a_catalogue_names_every_entry(name):
    catalogue = getattr(referee, name)
    words = set(re.findall(r"\w+", help_text(catalogue)))
    assert {*catalogue} <= words
    assert str(len(catalogue)) in repr(catalogue)


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: referee.compare([], [], trth="y"), "did you mean 'truth'?"),
        (lambda: referee.select([], [], gaol="accuracy"), "did you mean 'goal'?"),
        (lambda: referee.advise(taks="binary"), "did you mean 'task'?"),
        (lambda: referee.study([], [], gaol="f1"), "study() has no keyword 'gaol'; did you mean 'goal'?"),
    ],
)
def test_a_wrong_keyword_is_refused_with_the_nearest_right_one(call, hint):
    with pytest.raises(TypeError, match="has no keyword") as error:
        call()
    assert isinstance(error.value, referee.RefereeError)
    assert hint in str(error.value)
