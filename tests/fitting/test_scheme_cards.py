"""The catalogue of schemes: the list, its filters, each scheme's card, and the page of the documentation."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee import schemes
from referee.comparing.split_estimates import IN_WORDS
from referee.fitting.scheme import PROPERTIES
from referee.fitting.scheme_cards import scheme_card

ROOT = Path(__file__).parents[2]
FORMS = ["text", "json", "csv", "md"]


def test_the_list_has_every_scheme(referee):
    assert [card["name"] for card in referee("schemes").json["schemes"]] == list(schemes)
    rows = list(csv.DictReader(io.StringIO(referee("schemes", form="csv").out)))
    assert [(row["name"], row["question"]) for row in rows] == [(n, one.question) for n, one in schemes.items()]
    text, markdown = referee("schemes", form="text").out, referee("schemes", form="md").out
    assert all(f"\n  {name} " in text and f"| {name} |" in markdown.replace("\\", "") for name in schemes)


def test_the_list_is_grouped_by_how_scores_combine(referee):
    text = referee("schemes", form="text").out
    assert [line for line in text.splitlines() if line and not line.startswith(" ")] == list(IN_WORDS.values())
    assert {scheme.combine for scheme in schemes.values()} == set(IN_WORDS)


FILTERS = [
    (["--overlapping"], lambda one: one.overlapping), (["--not-overlapping"], lambda one: not one.overlapping),
    (["--stratified"], lambda one: one.stratified), (["--needs", "groups"], lambda one: "groups" in one.needs),
    (["--needs", "time"], lambda one: "time" in one.needs), (["--combine", "mean"], lambda one: one.combine == "mean"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "has"), FILTERS)
def test_filters(referee, options, has):
    found = {card["name"] for card in referee("schemes", *options).json["schemes"]}
    assert found == {name for name, scheme in schemes.items() if has(scheme)} != set()


def test_one_scheme_is_not_filtered(referee):
    run = referee("schemes", "k_fold", "--stratified")
    assert (run.code, run.json["error"]["code"]) == (2, "E_USAGE")


def test_a_name_that_does_not_exist(referee):
    run = referee("schemes", "k_fould")
    assert (run.code, run.json["error"]["code"]) == (2, "E_UNKNOWN")
    assert "'k_fold'" in run.json["error"]["message"]


@pytest.mark.parametrize("name", list(schemes))
@pytest.mark.parametrize("form", FORMS)
def test_every_card_in_every_format(referee, name, form):
    run = referee("schemes", name, form=form)
    assert (run.code, run.err) == (0, "")
    said = run.out.replace('\\"', '"').replace('""', '"')
    said = re.sub(r"\\([\W_])", r"\1", said) if form == "md" else said
    assert f'referee.schemes["{name}"]' in said
    if form in ("csv", "md"):
        scheme = schemes[name]
        assert all(words in said for words in (scheme.question, scheme.draws, scheme.weak_at, *scheme.references))


@pytest.mark.parametrize("name", list(schemes))
def test_a_card_has_every_declared_property(name):
    card = scheme_card(schemes[name]).values
    for key in PROPERTIES:
        declared = getattr(schemes[name], key)
        assert card[key] == (list(declared) if isinstance(declared, tuple) else declared)


@pytest.mark.parametrize("name", [None, *schemes])
def test_cards_fit_the_terminal(referee, name):
    text = referee(*(["schemes", name] if name else ["schemes"]), form="text").out
    assert max(map(len, text.splitlines())) <= 80


def test_a_card_has_the_parameters_of_the_call(referee):
    card = referee("schemes", "k_fold(k=5)").json
    assert (card["name"], card["parameters"]["k"]["value"]) == ("k_fold(k=5)", 5)
    assert card["python"] == 'referee.schemes["k_fold"](k=5).split(X, y)'
    # Examples are of the scheme as its file describes it.
    assert card["examples"][0]["referee"]["splits"] == 10


@pytest.mark.parametrize("name", list(schemes))
def test_the_options_of_the_command_line_exist(name):
    from referee.cli.select import command

    known = {option for parameter in command.params for option in parameter.opts}
    said = scheme_card(schemes[name]).values["command_line"]
    assert {word for word in said.split() if word.startswith("--")} <= known
    assert f"--scheme {name}" in said


def test_how_a_scheme_is_called(referee):
    assert '--scheme "k_fold(k=5)"' in referee("schemes", "k_fold(k=5)").json["command_line"]
    assert referee("schemes", "time_ordered").json["python"].endswith(".split(X, y, time=time)")
    assert referee("schemes", "group_k_fold").json["python"].endswith(".split(X, y, groups=groups)")
    nested = referee("schemes", "nested(outer=holdout)").json
    assert nested["python"] == "referee.schemes[\"nested\"](outer='holdout').split(X, y)"
    assert (nested["combine"], nested["overlapping"]) == ("mean", False)


@pytest.mark.parametrize("name", list(schemes))
def test_the_card_in_the_documentation_has_no_empty_line_of_its_own(name):
    lines = scheme_card(schemes[name]).to_markdown().splitlines()
    assert lines[1] == ""
    assert all(line.strip("- ") for line in lines[2:])
    assert not any(line.endswith(": ") for line in lines)


def test_nothing_heavy_at_start_up():
    heavy = "{'numpy', 'scipy', 'sklearn', 'rich', 'pandas'} & set(sys.modules)"
    code = (
        "import referee, sys; referee.schemes; list(referee.schemes); import io; sys.stdout = io.StringIO()\n"
        "from referee.cli.process import run; run(['schemes', '--help']); run(['--help'])\n"
        f"print(*{heavy}, file=sys.__stdout__)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
