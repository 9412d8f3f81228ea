"""Explanations: the lecture's example word by word, every test's formula with its numbers, and degenerate results."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pytest

from referee.catalogue import with_enough_digits
from referee.comparing import Comparison, Design, SignificanceTest, tests, undefined
from referee.comparing.explained_formulas import table_of, worked
from referee.comparing.explanation import explanation
from referee.document import wrapped

M1 = [0.12, 0.18, 0.14, 0.21, 0.21, 0.09, 0.18, 0.15, 0.16, 0.03]
M2 = [0.03, 0.03, 0.02, 0.25, 0.18, 0.01, 0.07, 0.05, 0.17, 0.09]


@pytest.fixture
def explained(monkeypatch):
    """Run a test as Python users do and explain it: `explained("paired_t", a, b, better="lower")`."""
    seen = {}
    apply = SignificanceTest.apply

    def watched(self, a, b, design):
        seen["test"], seen["design"] = self, design
        return apply(self, a, b, design)

    monkeypatch.setattr(SignificanceTest, "apply", watched)

    def run(name, *data, shown="error_rate", **options):
        found = replace(tests[name](*data, **options), a="M1", b="M2", metric=shown)
        return explanation(found, seen["test"], seen["design"]), found, seen["test"], seen["design"]

    return run


def step(steps, title):
    (found,) = [one for one in steps if re.match(rf"\d+\. {title}: ", one)]
    return found.partition(": ")[2]


def test_the_lecture_s_example(explained):
    steps, found, *_ = explained("paired_t", M1, M2, better="lower")
    assert found.statistic == pytest.approx(2.488737606, abs=5e-10)
    assert [one.partition(".")[0] for one in steps] == list("12345678")
    assert "M1 (a) and M2 (b), by error_rate; lower is better" in step(steps, "Question")
    assert "null hypothesis" in step(steps, "Question")
    assert tests["paired_t"].hypothesis in step(steps, "Question")
    assert "10 folds" in step(steps, "Units")
    assert "mean difference 0.057, standard deviation 0.07243, standard error 0.0229." in step(steps, "Units")
    assert step(steps, "Statistic").endswith("= 0.057 / (0.07243 / sqrt(10)) = 2.489.")
    assert step(steps, "Degrees of freedom") == "10 folds minus 1 = 9."
    assert "the t table has t(0.025, 9) = 2.262" in step(steps, "Critical value")
    assert "alpha / 2 = 0.025 on each side" in step(steps, "Critical value")
    assert step(steps, "Decision") == (
        "|t| = 2.489 > 2.262 (p = 0.03449 < 0.05), so the null hypothesis is rejected at 5%: M2 is better, its "
        "error_rate is lower."
    )
    assert all(assumption in step(steps, "Assumed") for assumption in tests["paired_t"].assumptions)


def test_the_textbook_s_variance_beside_it(explained):
    steps, found, *_ = explained("paired_t_population", M1, M2, better="lower")
    assert found.statistic == pytest.approx(2.6233, abs=1e-4)
    assert "population standard deviation" in step(steps, "Statistic")
    assert step(steps, "Statistic").endswith("= 2.623.")
    assert "|t| = 2.623 > 2.262" in step(steps, "Decision")


def test_seen_from_the_other_side(explained):
    steps, *_ = explained("paired_t", M2, M1, better="lower")
    assert "= -0.057 / (0.07243 / sqrt(10)) = -2.489." in step(steps, "Statistic")
    assert "|t| = 2.489 > 2.262" in step(steps, "Decision")
    assert "M1 is better, its error_rate is lower" in step(steps, "Decision")


def test_a_difference_that_is_not_significant(explained):
    steps, found, *_ = explained("paired_t", M1, M2, better="lower", alpha=0.01)
    assert "t(0.005, 9) = 3.25" in step(steps, "Critical value")
    assert "|t| = 2.489 < 3.25" in step(steps, "Decision")
    assert "is not rejected at 1%. That does not show that the models are equal" in step(steps, "Decision")
    assert f"from {found.low:.4g} to {found.high:.4g}" in step(steps, "Decision")


def test_overlapping_splits(explained):
    steps, *_ = explained("corrected_resampled_t", M1, M2, n_train=90, n_test=10, better="lower")
    assert "0.057 / (0.07243 x sqrt(1 / 10 + 10 / 90)) = 1.713" in step(steps, "Statistic")
    assert "training sets of the splits overlap" in step(steps, "Units")
    # Nadeau and Bengio: 0.07243^2 (1 / 10 + 10 / 90), of which the root is the statistic's denominator.
    assert "x (1 / n + test rows / training rows) = 0.005246 x (1 / 10 + 10 / 90) = " in step(steps, "Variance")
    naive, *_ = explained("paired_t", M1, M2, n_train=90, n_test=10, better="lower")
    assert "not one that the test is valid for" in step(naive, "Assumed")


def test_repeated_cross_validation_has_the_folds_degrees_of_freedom():
    sizes = {"n_train": np.full(20, 90.0), "n_test": np.full(20, 10.0)}
    design = Design("splits", "fold", "lower", folds=10, repeats=2, **sizes)
    found = tests["corrected_resampled_t"].apply(np.array(M1 + M2), np.array(M2 + [0.1] * 10), design)
    steps = explanation(found, tests["corrected_resampled_t"], design)
    assert step(steps, "Degrees of freedom").endswith(" minus 1 = 10 minus 1 = 9.")


def test_counts_of_decisions(explained):
    a, b = [1] * 110 + [0] * 98 + [1] * 700, [0] * 110 + [1] * 98 + [1] * 700
    steps, *_ = explained("mcnemar", a, b, shown="accuracy")
    assert step(steps, "Units").startswith("208 rows that only one of the two models classifies correctly")
    assert "only M1 110, only M2 98, both right 700, rows 908" in step(steps, "Units")
    assert "110" in step(steps, "Probability") and "208" in step(steps, "Probability")
    assert "p = 0.4457 > 0.05" in step(steps, "Decision")
    steps, *_ = explained("mcnemar", a, b, shown="accuracy", method="asymptotic")
    assert "= (|110 - 98| - 0)^2 / (110 + 98) = 0.6923." in step(steps, "Statistic")
    assert "the chi-squared table has chi-squared(0.05, 1) = 3.841" in step(steps, "Critical value")
    assert "chi-squared = 0.6923 < 3.841" in step(steps, "Decision")


def test_wins_and_losses(explained):
    steps, *_ = explained("sign", [1] * 44 + [0] * 56, [0] * 44 + [1] * 21 + [0] * 35, shown="accuracy")
    assert "wins 44, losses 21, ties 35" in step(steps, "Units")
    assert {"44", "21", "65"} <= set(re.findall(r"\d+", step(steps, "Probability")))
    assert "p = 0.005918 < 0.05" in step(steps, "Decision")


def test_rows_dealt_out_several_times():
    test, design = tests["paired_t"], Design("subsets", "subset", "lower")
    found = test.apply(np.array(M1), np.array(M2), design)
    found = replace(found, details={"partitions": 25, "significant_partitions": 20})
    units = step(explanation(found, test, design), "Units")
    assert "partitions 25, significant partitions 20. All numbers are of the partition with the median p" in units


def test_rows(explained):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    scores = [truth + rng.normal(0, noise, 300) for noise in (1, 2)]
    steps, found, *_ = explained("influence", truth, *scores, metric="roc_auc", shown="roc_auc")
    assert f"= {found.statistic:.4g}." in step(steps, "Statistic")
    assert "kurtosis" in step(steps, "Degrees of freedom")
    steps, *_ = explained("delong", truth, *scores, shown="roc_auc")
    assert "the normal table has z(0.025) = 1.96" in step(steps, "Critical value")
    assert "normal distribution" in step(steps, "Degrees of freedom")
    assert "|z| = " in step(steps, "Decision")


def test_probabilities_in_the_place_of_p(explained):
    steps, *_ = explained("bayes_correlated_t", M1, M2, better="lower", rope=0.001)
    assert "There is no null hypothesis" in step(steps, "Question")
    assert "P(M2 is better) = " in step(steps, "Decision")
    assert "exceeds 1 - alpha = 0.95, so M2 is better" in step(steps, "Decision")
    steps, *_ = explained("bayes_correlated_t", M1, M2, better="lower", rope=0.05)
    assert "neither exceeds 1 - alpha = 0.95, so it is a tie" in step(steps, "Decision")


def test_a_claim_that_is_not_about_a_winner(explained):
    steps, *_ = explained("tost", M1, M2, better="lower", margin=0.2)
    assert "is rejected at 5%: M1 is equivalent to M2." in step(steps, "Decision")
    assert "t(0.05, 9) = 1.833" in step(steps, "Critical value")
    steps, *_ = explained("tost", M1, M2, better="lower", margin=0.01)
    assert "It is not shown that M1 is equivalent to M2; nor is it shown that it is not" in step(steps, "Decision")


def test_many_models(explained):
    values = {"x": [3, 3, 3, 1], "y": [2, 2, 2, 2], "z": [1, 1, 1, 3]}
    steps, *_ = explained("iman_davenport", values, shown="accuracy")
    assert "all models, by accuracy" in step(steps, "Question")
    assert "mean ranks: x 1.5, y 2, z 2.5" in step(steps, "Units")
    assert "F(0.05; 2, 6) = 5.143" in step(steps, "Critical value")
    assert "M1" not in " ".join(steps)


@pytest.mark.parametrize("name", [name for name, test in tests.items() if test.takes == "units"])
def test_identical_models(explained, name):
    options = {"margin": 0.1} if "margin" in tests[name].defaults else {}
    options |= {"n_train": 90, "n_test": 10} if tests[name].designs == ("splits",) else {}
    steps, found, *_ = explained(name, M1, M1, **options)
    assert found.outcome == "tie"
    assert "tie" in " ".join(steps)
    assert "is better, its" not in " ".join(steps)


def test_nothing_differs(explained):
    steps, *_ = explained("paired_t", M1, M1)
    assert "the models do not differ on any fold" in step(steps, "No difference")
    assert "p = 1 by definition, and it is a tie" in step(steps, "No difference")
    steps, *_ = explained("mcnemar", [1, 0], [1, 0])
    assert "no row is classified correctly by only one of the models" in step(steps, "No difference")


def test_wins_and_losses_that_cancel_out(explained):
    truth, a, b = [1, 1, 0, 0] * 5, [1, 0, 0, 0] * 5, [0, 1, 0, 0] * 5
    steps, found, *_ = explained("permutation", truth, a, b, metric="accuracy", permutations=100)
    assert (found.difference, found.p) == (0, 1)
    assert "the models do not differ on any" not in " ".join(steps)
    assert "(100 + 1) / (100 + 1) = 1" in step(steps, "Probability")


def test_bootstrap_replicates(explained):
    truth, a, b = [1, 1, 0, 0] * 20, [1, 1, 0, 0] * 20, [1, 0, 0, 1] * 20
    steps, *_ = explained("bootstrap", truth, a, b, metric="accuracy", shown="accuracy", replicates=200)
    assert "200" in step(steps, "Probability")
    assert "M1 is better, its accuracy is higher" in step(steps, "Decision")


def test_no_spread(explained):
    constant = [value + 0.25 for value in M1]
    steps, *_ = explained("paired_t", constant, M1, better="lower")
    assert "all units differ by the same 0.25" in step(steps, "No spread")
    assert "10 fair coins" in step(steps, "No spread")
    assert "p = 0.001953, so at 5% M2 is better" in step(steps, "No spread")
    steps, *_ = explained("corrected_resampled_t", constant, M1, n_train=90, n_test=10)
    assert "no other test is available: it is a tie" in step(steps, "No spread")
    assert not [one for one in steps if "Decision" in one]


def test_undefined():
    test, design = tests["influence"], Design("rows", "row")
    steps = explanation(undefined("recall of x is undefined: there is no positive"), test, design)
    assert "there is neither a winner nor a tie" in step(steps, "No result")
    assert not [one for one in steps if "Decision" in one]


def test_a_test_without_a_formula():
    test = replace(tests["paired_t"], statistic_formula="")
    design = Design(better="lower")
    steps = explanation(test.apply(np.array(M1), np.array(M2), design), test, design)
    assert step(steps, "Statistic") == "t = 2.489."
    plain = Comparison(0.1, 0.2, "tie", statistic=3.0, units=10)
    assert "p = 0.2: how often chance alone" in step(explanation(plain, test, design), "Probability")


def arithmetic(text):
    """The value of a formula with numbers put in, or None where it holds words."""
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text.replace(",", "")).replace("^", "**").replace(" x ", " * ")
    if re.search(r"[A-Za-z]", re.sub(r"sqrt|abs|\de[+-]\d", "", text)):
        return None
    return eval(text, {"sqrt": sqrt, "abs": abs})


@pytest.mark.parametrize("name", list(tests))
def test_formulas_give_the_numbers(explained, name):
    """A formula that is shown with numbers in it must give the statistic, and what it names must be known."""
    for example in tests[name].examples:
        _, found, test, design = explained(name, *example.given, **example.options)
        for result, formula in worked(found, test, design, digits=17).items():
            expected = {"df": found.df, "p": found.p}.get(result, found.statistic)
            value = arithmetic(formula.numbers.partition(":")[0])
            assert value is None or value == pytest.approx(expected, rel=1e-9), result
        named = set(re.findall(r"\{(\w+)", test.statistic_formula))
        assert not named or found.p == 1 or worked(found, test, design)


@pytest.mark.parametrize("name", list(tests))
def test_every_explanation_is_whole(explained, name):
    for example in tests[name].examples:
        steps, found, *_ = explained(name, *example.given, shown="accuracy", **example.options)
        text = " ".join(steps)
        assert not re.search(r"None|nan|[{}]|\.\.|  ", text), text
        assert max(len(line) for step in steps for line in wrapped(step, 80, rest="   ")) <= 80
        assert f"{found.winner} is better" in text if found.winner else "is better, its" not in text


@pytest.mark.parametrize(
    ("df", "critical", "place"),
    [
        (9, 2.2621571628, "t(0.025, 9)"),
        (9, 1.8331129327, "t(0.05, 9)"),
        (inf, 1.9599639845, "z(0.025)"),
        (None, 1.9599639845, "z(0.025)"),
        (1, 3.8414588207, "chi-squared(0.05, 1)"),
    ],
)
def test_the_table_is_known_by_its_value(df, critical, place):
    assert table_of(Comparison(0.1, 0.5, "tie", 1.0, df, critical)).place == place
    assert table_of(Comparison(0.1, 0.5, "tie", 1.0, df, 7.5)) is None


def test_numbers_that_are_nearly_the_same():
    assert with_enough_digits(0.049999999, 0.05) == ("0.049999999", "0.05")
    assert with_enough_digits(2.5, 2.5) == ("2.5", "2.5")


def test_names_that_a_terminal_would_obey():
    found = Comparison(
        0.1, 0.01, "a", 3.0, 9, 2.262157163, units=10, a="\x1b[31mred", b="two\nlines", metric="accuracy"
    )
    assert all(letter.isprintable() for one in explanation(found, tests["paired_t"], Design()) for letter in one)
