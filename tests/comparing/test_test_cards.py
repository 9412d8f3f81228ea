"""The catalogue of significance tests: the list, its filters, and each test's card."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys

import pytest

from referee.comparing import tests
from referee.comparing.design import IN_WORDS
from referee.comparing.test_cards import significance_card

FORMS = ["text", "json", "csv", "md"]


def test_the_list_has_every_test(referee):
    assert [card["name"] for card in referee("tests").json["tests"]] == list(tests)
    rows = list(csv.DictReader(io.StringIO(referee("tests", form="csv").out)))
    assert [row["name"] for row in rows] == list(tests)
    assert [row["question"] for row in rows] == [test.question for test in tests.values()]
    text, markdown = referee("tests", form="text").out, referee("tests", form="md").out
    assert all(f"\n  {name} " in text and f"| {name} |" in markdown.replace("\\", "") for name in tests)


def test_the_list_is_grouped_by_design(referee):
    text = referee("tests", form="text").out
    first = [IN_WORDS[kind] for kind in IN_WORDS if any(test.designs[0] == kind for test in tests.values())]
    assert [line for line in text.splitlines() if line and not line.startswith(" ")] == first


@pytest.mark.parametrize("kind", list(IN_WORDS))
def test_filtered_by_design(referee, kind):
    found = {card["name"] for card in referee("tests", "--design", kind).json["tests"]}
    assert found == {name for name, test in tests.items() if kind in test.designs}
    assert "paired_t" not in found or kind != "splits"


@pytest.mark.parametrize("takes", ["units", "rows", "decisions", "many"])
def test_filtered_by_what_a_test_takes(referee, takes):
    found = {card["name"] for card in referee("tests", "--takes", takes).json["tests"]}
    assert found == {name for name, test in tests.items() if test.takes == takes} != set()


def test_a_filter_that_leaves_nothing(referee):
    run = referee("tests", "--takes", "decisions", "--design", "splits", form="text")
    assert (run.code, run.out) == (0, "  0 tests; widen the filter\n")


def test_one_test_is_not_filtered(referee):
    run = referee("tests", "sign", "--design", "rows")
    assert (run.code, run.json["error"]["code"]) == (2, "E_USAGE")


def test_a_name_that_does_not_exist(referee):
    run = referee("tests", "paired_tt")
    assert (run.code, run.json["error"]["code"]) == (2, "E_UNKNOWN")
    assert "'paired_t'" in run.json["error"]["message"]


@pytest.mark.parametrize("name", list(tests))
@pytest.mark.parametrize("form", FORMS)
def test_every_card_in_every_format(referee, name, form):
    run = referee("tests", name, form=form)
    assert (run.code, run.err) == (0, "")
    said = run.out.replace('\\"', '"').replace('""', '"')
    said = re.sub(r"\\([\W_])", r"\1", said) if form == "md" else said
    assert f'referee.tests["{name}"](' in said
    if form in ("csv", "md"):  # on the screen lines are broken, and JSON is looked at below
        test = tests[name]
        assert all(words in said for words in (test.question, test.hypothesis, *test.assumptions, *test.references))


@pytest.mark.parametrize("name", [None, *tests])
def test_cards_fit_the_terminal(referee, name):
    text = referee(*(["tests", name] if name else ["tests"]), form="text").out
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", list(tests))
def test_examples_give_what_others_found(name):
    for example in significance_card(tests[name]).values["examples"]:
        for key, expected in example["finds"].items():
            found = example["referee"][key]
            # Printed tables have four digits.
            assert found == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-3)), key


def test_a_card_says_where_a_test_is_not_valid(referee):
    card = referee("tests", "paired_t").json
    assert "splits" not in card["valid_for"]
    assert "corrected_resampled_t" in card["not_valid_for"]["splits"]
    assert "It runs, with a warning" in " ".join(referee("tests", "paired_t", form="text").out.split())


def test_the_lecture_s_example_on_the_card(referee):
    (example,) = referee("tests", "paired_t").json["examples"][:1]
    assert example["referee"]["statistic"] == pytest.approx(2.488737606, abs=1e-9)
    assert example["referee"]["outcome"] == "b"
    assert "statistic 2.488737606" in referee("tests", "paired_t", form="md").out


def test_a_card_has_the_parameters_of_the_call(referee):
    card = referee("tests", "mcnemar(method=mid_p)").json
    assert card["name"] == "mcnemar(method=mid_p)"
    assert card["parameters"]["method"]["value"] == "mid_p"
    assert "method=mid_p (default exact)" in referee("tests", "mcnemar(method=mid_p)", form="text").out


def test_how_a_test_is_called(referee):
    assert referee("tests", "delong").json["python"] == 'referee.tests["delong"](truth, a, b)'
    card = referee("tests", "corrected_resampled_t").json
    assert "n_train=" in card["python"]
    assert "--unit fold" in card["command_line"][0]
    # A test of all models at once is shown where data sets are compared; it cannot be asked for by name.
    assert not any("--test" in line for line in referee("tests", "friedman").json["command_line"])


@pytest.mark.parametrize("name", list(tests))
def test_the_options_of_the_command_line_exist(name):
    from referee.cli.compare import command

    known = {option for parameter in command.params for option in parameter.opts}
    for line in significance_card(tests[name]).values["command_line"]:
        assert {word for word in line.split() if word.startswith("--")} <= known


@pytest.mark.parametrize("name", list(tests))
def test_the_card_in_the_documentation_has_no_empty_line_of_its_own(name):
    lines = significance_card(tests[name]).to_markdown().splitlines()
    assert lines[1] == ""
    assert all(line.strip("- ") for line in lines[2:])
    assert not any(line.endswith(": ") for line in lines)


def test_help_needs_nothing_heavy():
    code = (
        "from referee.cli.process import run; import io, sys; sys.stdout = io.StringIO(); run(['tests', '--help']); "
        "print(*{'numpy', 'scipy', 'rich'} & set(sys.modules), file=sys.__stdout__)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


def test_the_list_of_metrics_fits_the_terminal(referee):
    assert max(map(len, referee("metrics", form="text").out.splitlines())) <= 80
