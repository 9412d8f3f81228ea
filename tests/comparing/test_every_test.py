"""Every significance test is what it says it is; a new file in the folder is tested by being there."""

from __future__ import annotations

import json
from math import nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.comparing import Design, tests
from referee.comparing.design import IN_WORDS
from referee.comparing.significance_test import contenders
from tests.models_to_compare import (
    BY_TAKES,
    MANY,
    NAMES,
    SCORES_A,
    SCORES_B,
    TRUTH,
    A,
    of_any,
    of_two,
    required,
    run,
)
from tests.strategies import FEW_EXAMPLES, grid

TWO_MODELS = [name for name in NAMES if tests[name].takes != "many"]
WITHOUT_EXAMPLE = {"delong"}
"""Its examples are R's, on a thousand rows: tests/comparing/test_against_r.py."""
ONE_SIDED = {"non_inferiority"}
UNSIGNED = {"five_by_two_f", "tost"}
"""Their statistic is the same whichever model comes first."""
COUNTS = {
    "sign": lambda found: found.units,
    "wilcoxon": lambda found: found.details["positive_ranks"] + found.details["negative_ranks"],
    "mcnemar": lambda found: found.details["only_a"] + found.details["only_b"],
}
"""Their statistic is the first model's share of a whole."""
EXCHANGED = {
    "wins": "losses", "losses": "wins", "only_a": "only_b", "only_b": "only_a", "a_better": "b_better",
    "b_better": "a_better", "positive_ranks": "negative_ranks", "negative_ranks": "positive_ranks",
}  # fmt: skip
UNCHANGED = ("ties", "zeros", "practically_equal", "equivalent", "margin", "rope", "rho", "both_right", "rows")
OTHER = {"a": "b", "b": "a"}


@pytest.mark.parametrize("name", NAMES)
def test_examples(name):
    test = tests[name]
    assert test.examples or name in WITHOUT_EXAMPLE
    for example in test.examples:
        found = test(*example.given, **example.options)
        assert example.source.strip()
        for key, expected in example.finds.items():
            value = getattr(found, key) if hasattr(found, key) else found.details[key]
            if isinstance(expected, str):
                assert value == expected, (example.source, key)
            else:
                assert value == pytest.approx(expected, rel=1e-9, abs=0), (example.source, key)


@pytest.mark.parametrize("name", NAMES)
def test_card(name):
    test = tests[name]
    assert test.name == name
    assert test.title.strip() and test.hypothesis.strip()
    assert test.question.endswith("?")
    assert test.assumptions and all(one.strip() for one in test.assumptions)
    assert test.references and all(one.strip() for one in test.references)
    assert test.designs and {*test.designs, *test.with_warning} <= IN_WORDS.keys()
    assert not set(test.designs) & test.with_warning.keys()
    assert test.parameters.keys() == test.defaults.keys()
    for key, parameter in test.parameters.items():
        assert parameter.meaning.strip()
        assert test.defaults[key] is None or not parameter.refusal(test.defaults[key])


def test_names_are_told_apart():
    words = [word for test in tests.values() for word in (test.name, *test.aliases)]
    assert len(words) == len(set(words))
    assert len({test.title for test in tests.values()}) == len(NAMES)


EXPECTED = (
    "influence", "delong", "mcnemar", "paired_t", "paired_t_population", "corrected_resampled_t", "sign", "wilcoxon",
    "five_by_two_t", "five_by_two_f", "bayes_correlated_t", "bayes_signed_rank", "friedman", "iman_davenport",
    "nemenyi", "tost", "non_inferiority",
)  # fmt: skip


def test_what_the_contract_names_is_there():
    assert set(EXPECTED) <= set(NAMES)


def assert_tie(found):
    assert found.outcome == "tie"
    if "practically_equal" in found.details:
        assert found.p is None
        assert found.details["practically_equal"] == 1.0
    else:
        assert found.p == 1.0
    assert found.undefined is None


@pytest.mark.parametrize("name", TWO_MODELS)
def test_identical_models_tie(name):
    for model in (0, 1):
        found = of_two(name, model, model)
        assert_tie(found)
        assert found.difference == found.low == found.high == 0 or found.low is None


@pytest.mark.parametrize("name", BY_TAKES["many"])
def test_identical_columns_tie(name):
    found = run(name, {"a": A, "b": A, "c": A})
    assert_tie(found)
    assert set(found.details["mean_ranks"].values()) == {2.0}


def exactly(name, value):
    """Values of units are mirrored to the last bit; shares of rows are computed from either end."""
    return value if tests[name].takes == "units" else pytest.approx(value, rel=1e-13, abs=0)


def assert_mirrored(name, found, swapped):
    for one, other in (("difference", "difference"), ("low", "high"), ("high", "low")):
        value, mirrored = getattr(found, one), getattr(swapped, other)
        assert (value is None) == (mirrored is None), one
        assert value is None or mirrored == exactly(name, -value), one
    for key in ("df", "critical", "standard_error", "units"):
        assert getattr(swapped, key) == getattr(found, key), key
    assert swapped.outcome == OTHER.get(found.outcome, found.outcome)
    assert (swapped.statistic is None) == (found.statistic is None)
    for key, value in found.details.items():
        if key in EXCHANGED:
            assert swapped.details[EXCHANGED[key]] == value, key
        elif key in UNCHANGED:
            assert swapped.details[key] == value, key
    if name not in ONE_SIDED:
        assert swapped.p == found.p
        if found.statistic is not None:
            whole = COUNTS[name](found) if name in COUNTS else 0
            expected = found.statistic if name in UNSIGNED else whole - found.statistic
            assert swapped.statistic == expected


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("name", [name for name in TWO_MODELS if tests[name].takes not in ("rows", "refits")])
def test_exchanging_the_models_mirrors_everything(name, better):
    assert_mirrored(name, of_two(name, better=better), of_two(name, 1, 0, better=better))


@pytest.mark.parametrize("name", BY_TAKES["rows"])
def test_exchanging_models_of_rows_mirrors_everything(name):
    """What a test draws hangs on the rows and on the names of the models, so these stay as they are."""
    test = tests[name]
    a, b = contenders(test, TRUTH, {"a": SCORES_A, "b": SCORES_B}, required(test))
    design = Design("rows" if "rows" in test.designs else test.designs[0], "row", a.metric.better)
    assert_mirrored(name, test.apply(a, b, design), test.apply(b, a, design))


MILLIONTHS = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))
VALUES = st.one_of(
    st.lists(st.tuples(number, number), min_size=10, max_size=10) for number in (grid(0, 1, 16), MILLIONTHS)
)
EXTREME = ([1e-308, *[0.0] * 9], [1e200, -2e200, *[0.0] * 8], [3e-200 * (i % 3) for i in range(10)])


@pytest.mark.parametrize("name", BY_TAKES["units"])
def test_exchanging_any_values_mirrors_everything(name):
    @FEW_EXAMPLES
    @given(VALUES)
    def holds(pairs):
        a, b = (list(column) for column in zip(*pairs, strict=True))
        found = run(name, a, b)
        assert_mirrored(name, found, run(name, b, a))
        json.dumps(found.to_dict(), allow_nan=False)
        assert found.p is None or 0 <= found.p <= 1

    holds()


@pytest.mark.parametrize("a", EXTREME, ids=["tiny", "huge", "small"])
@pytest.mark.parametrize("name", BY_TAKES["units"])
def test_extreme_values_have_an_answer(name, a):
    found = run(name, a, [0.0] * 10)
    assert_mirrored(name, found, run(name, [0.0] * 10, a))
    assert found.outcome in ("a", "b", "tie")
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("name", BY_TAKES["units"])
def test_losses_are_gains_negated(name):
    @FEW_EXAMPLES
    @given(VALUES)
    def holds(pairs):
        a, b = (np.array(column) for column in zip(*pairs, strict=True))
        gains, losses = run(name, a, b), run(name, -a, -b, better="lower")
        assert losses.outcome == gains.outcome
        assert losses.p == gains.p
        assert losses.difference == -gains.difference

    holds()


@pytest.mark.parametrize("name", BY_TAKES["units"])
def test_sign_of_the_difference_agrees_with_the_outcome(name):
    @FEW_EXAMPLES
    @given(VALUES)
    def holds(pairs):
        a, b = (list(column) for column in zip(*pairs, strict=True))
        found = run(name, a, b, alpha=0.4)
        if found.outcome in ("a", "b"):
            assert found.difference * (1 if found.outcome == "a" else -1) >= 0
        if found.low is not None:
            assert found.low <= found.difference <= found.high

    holds()


@pytest.mark.parametrize("name", BY_TAKES["many"])
def test_the_order_of_models_does_not_matter(name):
    found = run(name, MANY)
    for other in (run(name, dict(reversed(MANY.items()))), run(name, MANY | {"c": MANY["c"]}, seed=1)):
        assert (other.p, other.statistic, other.outcome) == (found.p, found.statistic, found.outcome)
        assert other.details["mean_ranks"] == found.details["mean_ranks"]
    losses = run(name, {key: [-value for value in values] for key, values in MANY.items()}, better="lower")
    assert (losses.p, losses.details) == (found.p, found.details)


def claim(found):
    """What the test decides: a winner, a difference, or that a margin is kept."""
    for key in ("equivalent", "non_inferior"):
        if key in found.details:
            return found.details[key]
    return found.outcome != "tie"


@pytest.mark.parametrize("name", NAMES)
def test_significant_means_below_alpha_strictly(name):
    found = of_any(name)
    edge = found.p if found.p is not None else 1 - found.details["a_better"]
    assert 0 < edge < 0.5
    assert claim(of_any(name, alpha=edge)) is False
    beyond = nextafter(edge, 1) if found.p is not None else edge + 1e-15
    assert claim(of_any(name, alpha=beyond)) is True


@pytest.mark.parametrize("name", NAMES)
def test_results_are_plain_json(name):
    found = of_any(name)
    read_back = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert read_back["details"] == found.details
    assert read_back["test"] == tests[name].bind(**_settings(name)).full_name
    assert found.units > 0


def _settings(name):
    return {key: value for key, value in required(tests[name]).items() if key in tests[name].defaults}
