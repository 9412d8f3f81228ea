"""Values that nobody means to give, to every argument and option: each is taken, or refused in our words."""

from __future__ import annotations

import inspect
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import referee
from referee import Predictions, RefereeError
from referee.cli.commands import command_named
from referee.cli.overview import COMMANDS
from tests.fuzz.calls import BUG, NO, run

pytestmark = pytest.mark.usefixtures("fits_here")
ROWS = 60
DRAW = np.random.default_rng(1)
TRUTH = (DRAW.random(ROWS) < 0.4).astype(int)
SCORES = {"a": np.clip(TRUTH * 0.4 + DRAW.random(ROWS) * 0.6, 0, 1), "b": DRAW.random(ROWS)}
FEATURES = np.c_[SCORES["a"], SCORES["b"]]
ODD = {
    "None": lambda: None,
    "a number": lambda: 5,
    "a negative one": lambda: -1,
    "no number": lambda: float("nan"),
    "a whole number beyond all": lambda: 10**400,
    "True": lambda: True,
    "a generator": lambda: (each for each in (1, 2)),
    "complex numbers": lambda: np.array([1 + 2j, 3]),
    "bytes": lambda: b"x\xff",
    "an empty dict": dict,
    "an empty list": list,
    "no text": str,
    "a folder": Path.cwd,
    "5,000 letters": lambda: "x" * 5000,
    "a NUL": lambda: "a\0b",
    "an object": object,
    "a function": lambda: len,
    "a type": lambda: int,
    "a set": lambda: {1, 2},
    "lists of different length": lambda: [[1], [2, 3]],
    "numbers by number": lambda: {5: 5},
    "None by name": lambda: {"a": None},
}


@pytest.fixture(scope="module")
def predictions():
    return Predictions.from_arrays(TRUTH, SCORES, positive=1)


@pytest.fixture(scope="module")
def scored(predictions):
    return referee.compare(predictions, goal="accuracy")


def asked(predictions):
    """A call of each public function that works, as it is before one argument becomes odd."""
    fitted = (["dummy", "naive_bayes"], FEATURES, TRUTH), {"goal": "accuracy", "positive": 1}
    return {
        "advise": ((), {"task": "binary", "purpose": "probabilities", "quality": "calibration"}),
        "calibrate": ((predictions,), {"model": "a", "method": "platt", "folds": 2}),
        "compare": ((predictions,), {"goal": "accuracy"}),
        "curves": ((predictions,), {}),
        "evaluate": ((predictions,), {"metrics": "accuracy"}),
        "gate": ((predictions,), {"goal": "accuracy", "candidate": "a", "production": "b", "margin": 0.01}),
        "lint": ((predictions, "accuracy"), {}),
        "plan": ((predictions,), {"goal": "accuracy", "margin": 0.05}),
        "refit": ((), {"goal": "accuracy"}),
        "select": (fitted[0], fitted[1] | {"scheme": "holdout", "metrics": "accuracy"}),
        "study": (fitted[0], fitted[1] | {"repetitions": 2, "metrics": "accuracy"}),
        "summarise": ((predictions,), {}),
        "threshold": ((predictions,), {"goal": "f1"}),
    }


FUNCTIONS = sorted(name for name in referee.__all__ if inspect.isfunction(getattr(referee, name)))


def ends_in_our_words(call):
    """Demand an answer, or an error of ours that is a TypeError or ValueError where the call is to blame."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            call()
        except RefereeError as error:
            assert error.exit != BUG
            assert isinstance(error, TypeError | ValueError) or error.exit not in (2, 3), error
            assert len(str(error)) > 10


def variations(function, args, kwargs):
    """The call with each argument replaced in turn, by what each odd value makes of it."""
    parameters = list(inspect.signature(function).parameters.values())
    for place, parameter in enumerate(parameters):
        for value in ODD.values():
            by_position, by_name = list(args), dict(kwargs)
            if parameter.kind is parameter.VAR_POSITIONAL:
                by_position = [value()]
            elif place < len(args):
                by_position[place] = value()
            else:
                by_name[parameter.name] = value()
            yield parameter.name, by_position, by_name


def test_every_public_function_is_asked(predictions):
    assert {*asked(predictions), "history"} == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_of_every_function(name, predictions, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = getattr(referee, name)
    args, kwargs = (asked(predictions) | {"history": ((tmp_path / "none",), {})})[name]
    if name != "history":
        function(*args, **kwargs)
    for argument, by_position, by_name in variations(function, args, kwargs):
        if argument != "cluster":  # which would look for one
            ends_in_our_words(lambda a=by_position, b=by_name: function(*a, **b))


@pytest.mark.parametrize("method", ["save", "plot", "save_to", "under", "comparison"])
def test_every_argument_of_a_results_methods(method, scored, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bound = getattr(scored, method)
    fitting = {"comparison": ("a", "b"), "under": ("accuracy",)}.get(method, ("out.html",))
    for _, by_position, by_name in variations(bound, fitting, {}):
        ends_in_our_words(lambda a=by_position, b=by_name: bound(*a, **b))


READERS = {
    "read": Predictions.read,
    "from_frame": Predictions.from_frame,
    "from_arrays": Predictions.from_arrays,
    "state": referee.State.read,
}


@pytest.mark.parametrize("name", READERS)
def test_every_argument_of_a_reader(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(table())
    frame = {"y": TRUTH.tolist(), **{name: scores.tolist() for name, scores in SCORES.items()}}
    args = {"from_frame": (frame,), "from_arrays": (TRUTH, SCORES)}.get(name, ("rows.csv",))
    kwargs = {"truth": "y"} if name in ("read", "from_frame") else {}
    for _, by_position, by_name in variations(READERS[name], args, kwargs):
        ends_in_our_words(lambda a=by_position, b=by_name: READERS[name](*a, **b))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda p: referee.calibrate(p, method=5), "calibrate() was given method=5: a text or a list is needed"),
        (lambda _: referee.history(5), "history() was given ledger=5: a text or a path is needed"),
        (lambda p: referee.compare(p, goal="accuracy").save(5), "save() was given path=5: a text or a path is needed"),
        (lambda p: referee.compare(p, goal="accuracy", adjust=None), "adjust=None: 'holm', 'hochberg', 'bh', "),
        (lambda p: referee.compare(p, goal="accuracy", alpha=None), "alpha=None: a number such as 0.05 is needed"),
        (lambda p: referee.compare(p, goal="accuracy", subsets="x"), "subsets='x': a whole number is needed"),
        (
            lambda p: referee.gate(p, goal="accuracy", production="a", candidate="b", margin=10**400),
            "a number is needed",
        ),
    ],
)
def test_what_is_said(call, said, predictions):
    with pytest.raises(RefereeError, match=re.escape(said)) as caught:
        call(predictions)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda _: referee.metrics[5], "int is not the name of an entry"),
        (lambda _: referee.metrics[None], "NoneType is not the name of an entry"),
        (lambda _: referee.tests[[]], "list is not the name of an entry"),
        (lambda p: referee.evaluate(p, metrics="accuracy")[5], "5 is not a model and a metric"),
        (lambda p: referee.evaluate(p, metrics="accuracy")["a", "f1"], "there is no score of 'a' on 'f_beta'"),
        (lambda _: referee.ReadOptions(max_memory="1GB"), "max_memory='1GB' is not a number"),
        (lambda _: referee.ReadOptions(timeout=True), "timeout=True is not a number"),
        (lambda _: referee.ReadOptions(table=5), "table=5 is not text"),
        (lambda _: referee.ReadOptions(engine=[]), "there is no engine []"),
        (lambda _: referee.history(f"sqlite:///{'x' * 5000}.db#v"), "there is no such file"),
        (lambda p: referee.calibrate(p, method=[]), "no method was named"),
    ],
)
def test_what_is_looked_up_or_set(call, said, predictions):
    with pytest.raises(RefereeError, match=re.escape(said)) as caught:
        call(predictions)
    assert caught.value.exit in (2, 3)


TEXTS = ("", "x" * 5000, "nan", "-1", "1e400", "\x1b[2J", "a=b", ".", "/dev/null", "[" * 500)
FEW = ("x" * 5000, "nan")
"""For an option that an earlier command has, too."""


def table():
    lines = (f"{y},{a},{b}" for y, a, b in zip(TRUTH, *SCORES.values(), strict=True))
    return "\n".join(["y,a,b", *lines]) + "\n"


GIVEN = {
    "calibrate": ["rows.csv", "--truth", "y", "--model", "a", "--method", "platt"],
    "compare": ["rows.csv", "--truth", "y", "--goal", "accuracy", "--metrics", "goal"],
    "curves": ["rows.csv", "--truth", "y"],
    "evaluate": ["rows.csv", "--truth", "y", "--metrics", "accuracy"],
    "gate": ["rows.csv", "--truth", "y", "--goal", "accuracy", "--production=a", "--candidate=b", "--margin=0"],
    "plan": ["--goal", "accuracy", "--margin", "0.05", "--value", "0.8", "--correlation", "0.5"],
    "summarise": ["rows.csv", "--truth", "y", "--out", "rows.state"],
    "threshold": ["rows.csv", "--truth", "y", "--goal", "f1"],
    "advise": ["--task", "binary", "--purpose", "probabilities"],
    "history": ["none.jsonl"],
    "metrics": [], "schemes": [], "tests": [], "learners": [], "sources": [],
}  # fmt: skip


def test_every_command_is_asked():
    """Those left out fit models, or do not end: their options are the ones of these."""
    assert COMMANDS.keys() - GIVEN.keys() <= {"select", "study", "serve", "demo", "lecture", "completion", "schema"}


def options_of(name):
    options = (each for each in command_named(name).params if each.param_type_name == "option" and not each.is_flag)
    return [option.opts[0] for option in options]


@pytest.mark.parametrize("name", GIVEN)
def test_every_option_of_every_command(name, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(table())
    earlier = {option for other in GIVEN if other < name for option in options_of(other)}
    for option in options_of(name):
        for text in FEW if option in earlier else TEXTS:
            ended = run([name, *GIVEN[name], option, text, "--format", "json"], capfd)
            assert ended.problem is None, f"{ended.problem}\n{str(ended)[:1500]}"
            assert ended.code in (0, 2, 3, 4, 6, 8, *((NO,) if name == "gate" else ())), str(ended)[:1500]


@pytest.mark.parametrize("name", [name for name, given in GIVEN.items() if "rows.csv" in given])
@pytest.mark.parametrize("text", TEXTS)
def test_every_source(name, text, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    ended = run([name, text, *GIVEN[name][1:], "--format", "json"], capfd)
    assert (ended.problem, ended.code) in {(None, 2), (None, 3), (None, 8)}, str(ended)[:1500]
