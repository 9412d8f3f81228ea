"""Intervals of values that hang on counts of equal rows: exact, joined from the classes, or with a little added."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

from referee import metrics
from referee.predictions import Model, Predictions
from referee.scoring import SMOOTHED, evaluate
from referee.scoring.counted_intervals import EXACT, JOINED, with_added
from referee.scoring.intervals import jeffreys, mover
from referee.thresholds import threshold

Z = norm.ppf(0.975)
TABLES = [
    [[a, rows - a], [b, others - b]]
    for (rows, others), (a, b) in product(((200, 6), (40, 25), (7, 3)), ((0.97, 1), (1, 1), (0.6, 0.4), (0, 0.9)))
    for a, b in [(round(a * rows), round(b * others))]
]
"""Rows are the true classes; some classes are perfect, or all wrong."""


def of_table(table, **more):
    """As many rows as the table has in each cell."""
    table = np.asarray(table)
    truth, decided = (np.repeat(place.ravel(), table.ravel()) for place in np.indices(table.shape))
    classes = tuple("abcd"[: len(table)])
    task = "binary" if len(table) == 2 else "multiclass"
    positive = 1 if len(table) == 2 else None
    return Predictions(task, truth, (Model("m", labels=decided),), classes, positive, **more)


def ends(predictions, name):
    found = evaluate(predictions, [name])["m", name]
    return found.low, found.high


def jeffreys_by_scipy(hits, rows):
    low, high = beta.ppf([0.025, 0.975], hits + 0.5, rows - hits + 0.5)
    return (0.0 if hits == 0 else low), (1.0 if hits == rows else high)


def joined_by_hand(table):
    """Zou and Donner (2008): each side by itself, squares of the distances added."""
    shares = [(row[place], sum(row)) for place, row in enumerate(table)]
    mean = np.mean([hits / rows for hits, rows in shares])
    below, above = (
        np.sqrt(sum(((hits / rows - jeffreys_by_scipy(hits, rows)[side]) / len(shares)) ** 2 for hits, rows in shares))
        for side in (0, 1)
    )
    return mean - below, mean + above


@pytest.mark.parametrize("table", [*TABLES, [[30, 5, 1], [0, 8, 0], [2, 2, 15]], [[5, 0, 0], [0, 4, 0], [1, 0, 9]]])
def test_means_of_recalls_join_the_intervals_of_the_classes(table):
    expected = joined_by_hand(table)
    predictions = of_table(table)
    assert ends(predictions, "balanced_accuracy") == pytest.approx(expected, abs=1e-12)
    assert ends(predictions, "recall(average=macro)") == pytest.approx(expected, abs=1e-12)
    if len(table) == 2:
        assert ends(predictions, "specificity(average=macro)") == pytest.approx(expected, abs=1e-12)
        informed = tuple(2 * end - 1 for end in expected)
        assert ends(predictions, "informedness") == pytest.approx(informed, abs=1e-12)


@pytest.mark.parametrize("table", TABLES)
def test_intervals_do_not_contradict_those_of_the_classes(table):
    """As low as the mean of the exact lower ends at most, and as low as one class alone could make it at least."""
    predictions = of_table(table)
    low, high = ends(predictions, "balanced_accuracy")
    (recall_low, recall_high), (other_low, other_high) = (ends(predictions, name) for name in ("recall", "specificity"))
    assert (recall_low + other_low) / 2 <= low
    assert high <= (recall_high + other_high) / 2
    shares = [row[place] / sum(row) for place, row in enumerate(table)]
    alone = [jeffreys_by_scipy(row[place], sum(row)) for place, row in enumerate(table)]
    for (one_low, one_high), other in zip(alone, shares[::-1], strict=True):
        assert low <= (one_low + other) / 2 + 1e-12
        assert high >= (one_high + other) / 2 - 1e-12


def test_six_of_six_are_no_certainty():
    predictions = of_table([[194, 6], [0, 6]])
    assert ends(predictions, "recall") == pytest.approx((0.540742, 1), abs=1e-6)  # R's binom.test(6, 6)
    low, high = ends(predictions, "balanced_accuracy")
    assert low < 0.85
    assert high < 1


@pytest.mark.parametrize("case", [(6, 0.9, 200, 0.9), (20, 0.95, 200, 0.9), (50, 0.9, 50, 0.9), (10, 0.95, 200, 0.9)])
def test_joined_intervals_cover(case):
    """Every table that can come out, by how often it does."""
    rows, share, others, other_share = case

    @cache
    def of_class(hits, rows):
        return jeffreys(hits, rows, 0.05)

    held = 0.0
    for a, b in product(range(rows + 1), range(others + 1)):
        often = binom.pmf(a, rows, share) * binom.pmf(b, others, other_share) if b > 0.7 * others else 0.0
        if often > 1e-9:
            low, high = mover([(a, rows), (b, others)], [of_class(a, rows), of_class(b, others)])
            held += often * (low <= (share + other_share) / 2 <= high)
    assert 0.93 <= held <= 0.985


def kappa_by_hand(table):
    """Its value and its variance after Fleiss, Cohen and Everitt (1969)."""
    p = np.asarray(table, float) / np.sum(table)
    rows, columns, both = p.sum(axis=1), p.sum(axis=0), np.arange(len(p))
    agree, chance = np.trace(p), rows @ columns
    value = (agree - chance) / (1 - chance)
    first = (p[both, both] * (1 - (rows + columns) * (1 - value)) ** 2).sum()
    mixed = (p * (columns[:, None] + rows[None, :]) ** 2).sum() - (p[both, both] * (rows + columns) ** 2).sum()
    third = (value - chance * (1 - value)) ** 2
    return value, (first + (1 - value) ** 2 * mixed - third) / (np.sum(table) * (1 - chance) ** 2)


def mcc_by_hand(table):
    """The correlation of two columns of 0 and 1, and the variance of its influences."""
    table = np.asarray(table, float)
    p = table / table.sum()
    x, y = np.meshgrid([0, 1], [0, 1], indexing="ij")
    x, y = ((one - (p * one).sum()) / np.sqrt((p * (one - (p * one).sum()) ** 2).sum()) for one in (x, y))
    value = (p * x * y).sum()
    influence = x * y - value * (x**2 + y**2) / 2
    return value, (p * influence**2).sum() / table.sum()


@pytest.mark.parametrize("table", [table for table in TABLES if min(table[0][0] + table[1][0], table[0][1]) > 0])
@pytest.mark.parametrize(("name", "by_hand"), [("kappa", kappa_by_hand), ("mcc", mcc_by_hand)])
def test_kappa_and_mcc_have_a_quarter_in_each_cell(name, by_hand, table):
    centre, variance = by_hand(np.asarray(table) + 0.25)
    reach = Z * np.sqrt(variance) / (1 - centre**2)
    value = metrics[name].of_counts(table, positive=1)
    expected = (
        min(value, np.tanh(np.arctanh(centre) - reach)),
        max(value, np.tanh(np.arctanh(centre) + reach)),
    )
    assert ends(of_table(table), name) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("name", ["kappa", "mcc"])
@pytest.mark.parametrize("case", [(200, 0.5, 0.99, 0.99), (200, 0.05, 0.9, 0.95)])
def test_intervals_with_a_quarter_cover(name, case):
    """600 tables; without it one of five intervals of the first case misses."""
    rows, positives, recall, specificity = case
    in_class = np.array([[specificity, 1 - specificity], [1 - recall, recall]])
    share = (in_class * [[1 - positives], [positives]]).ravel()
    metric = metrics[name]
    true = metric.of_counts((share * 1e6).reshape(2, 2).tolist(), positive=1)
    drawn, often = np.unique(np.random.default_rng(1).multinomial(rows, share, 600), axis=0, return_counts=True)
    held = 0
    for table, times in zip(drawn.reshape(-1, 2, 2), often, strict=True):
        low, high = with_added(metric, table, metric.of_counts(table, positive=1), 0.05)
        held += times * (low <= true <= high)
    assert 0.925 <= held / 600 <= 0.98


def test_what_kind_of_interval_is_said():
    scores = evaluate(of_table([[180, 20], [5, 45]]))
    kinds = {name: scores["m", name].interval for name in ("accuracy", "precision", "balanced_accuracy", "kappa")}
    assert kinds == {"accuracy": EXACT, "precision": EXACT, "balanced_accuracy": JOINED, "kappa": SMOOTHED}
    assert scores["m", "f_beta"].interval == "t on the logit scale"
    assert scores["m", "expected_cost"].interval == "t on the log scale"
    assert {row["interval"] for row in scores.to_dict()["scores"]} >= {EXACT, JOINED, SMOOTHED}
    for name, kind in kinds.items():
        assert metrics[name].interval.startswith(kind)


def test_rows_that_are_not_alike_have_other_intervals():
    plain = of_table([[180, 20], [5, 45]])
    uneven = replace(plain, weight=np.arange(1.0, plain.rows + 1))
    for name in ("accuracy", "balanced_accuracy", "kappa"):
        assert evaluate(uneven, [name])["m", name].interval.startswith("t on")


def test_several_classes_of_kappa_have_no_quarter():
    found = evaluate(of_table([[30, 5, 1], [0, 8, 0], [2, 2, 15]]), ["kappa", "mcc"])
    assert {found["m", name].interval for name in ("kappa", "mcc")} == {"t on Fisher's z scale"}


def test_micro_averages_that_count_rows_twice_are_no_shares():
    """Each row of three classes is a negative one twice; its decisions are not independent."""
    predictions = of_table([[30, 5, 1], [0, 8, 0], [2, 2, 15]])
    found, exact = evaluate(predictions), ends(predictions, "accuracy")
    for name in ("specificity", "negative_predictive_value", "jaccard"):
        assert found["m", f"{name}(average=micro)"].interval == "t on the logit scale"
    for name in ("recall(average=micro)", "precision(average=micro)", "recall(average=weighted)"):
        assert (found["m", name].low, found["m", name].high) == exact


def test_thresholds_have_the_same_intervals():
    predictions = of_table([[194, 6], [0, 6]])
    scored = replace(predictions, models=(Model("m", scores=predictions.models[0].labels.astype(float)),))
    found = threshold(scored, "balanced_accuracy", folds=0)["m"]
    assert (found.value_low, found.value_high) == pytest.approx(ends(predictions, "balanced_accuracy"))


def test_few_rows_of_a_class_are_pointed_out(tmp_path, referee):
    lines = ["y,m", *["yes,0.9"] * 6, *["no,0.2"] * 40]
    path = tmp_path / "few.csv"
    path.write_text("\n".join(lines) + "\n")
    given = ("evaluate", path, "--truth", "y", "--positive", "yes")
    said = "only 6 rows of class 'yes': intervals of metrics that compare classes are rough"
    assert [one["message"] for one in referee(*given).json["warnings"] if one["code"] == "W_FEWROWS"] == [said]
    as_text = referee(*given, form="text")
    assert "W_FEWROWS" in as_text.out + as_text.err
    page = Predictions.read(path, truth="y", positive="yes")
    assert "intervals of metrics that compare classes are rough" in evaluate(page).to_html()
    of_rows = referee(*given, "--metrics", "accuracy,brier").json["warnings"]
    assert "W_FEWROWS" not in [one["code"] for one in of_rows]


def test_rows_seen_several_times_are_that_many():
    few = of_table([[40, 5], [2, 6]])
    assert "W_FEWROWS" in [notice.code for notice in evaluate(few).notices]
    often = replace(few, weight=np.full(few.rows, 4.0), weight_kind="frequency")
    assert "W_FEWROWS" not in [notice.code for notice in evaluate(often).notices]


def ranked(positives, negatives, swaps=0):
    """All positives above all negatives, but for so many pairs in the middle that have changed places."""
    truth = np.repeat([1, 0], [positives, negatives])
    scores = np.linspace(1, 0, positives + negatives)
    at = np.arange(swaps)
    scores[positives - 1 - at], scores[positives + at] = scores[positives + at], scores[positives - 1 - at]
    return Predictions.from_arrays(truth, {"m": scores})


def beta_ends(hits, rows):
    low, high = beta.ppf([0.025, 0.975], hits + 0.5, rows - hits + 0.5)
    return (low if hits else 0.0), (high if hits < rows else 1.0)


class TestRankings:
    """A ranking is as sure as its classes are large: it contradicts no interval of a threshold that it contains."""

    @pytest.mark.parametrize(("positives", "negatives"), [(6, 6), (6, 100), (20, 200), (100, 5)])
    def test_a_perfect_one_has_the_interval_of_the_threshold_that_tells_all_apart(self, positives, negatives):
        found, apart = ranked(positives, negatives), of_table([[negatives, 0], [0, positives]])
        assert ends(found, "roc_auc") == pytest.approx(ends(apart, "balanced_accuracy"))
        assert ends(found, "ks") == pytest.approx(ends(apart, "informedness"))
        room = np.hypot(1 - beta_ends(positives, positives)[0], 1 - beta_ends(negatives, negatives)[0])
        assert ends(found, "ks")[0] == pytest.approx(1 - room)
        turned = Predictions.from_arrays(found.truth, {"m": 1 - found.models[0].scores})
        assert ends(turned, "roc_auc") == pytest.approx((0, room / 2))
        assert evaluate(found, ["roc_auc"])["m", "roc_auc"].interval == JOINED

    @pytest.mark.parametrize("sizes", [(6, 6), (6, 100), (20, 200)])
    def test_a_worse_one_is_not_surer(self, sizes):
        lows = [ends(ranked(*sizes, swaps), "roc_auc")[0] for swaps in range(4)]
        assert lows == sorted(lows, reverse=True)

    @pytest.mark.parametrize(("sizes", "swaps"), [((6, 100), 1), ((20, 20), 4), ((50, 300), 10)])
    def test_ks_is_the_difference_of_two_shares(self, sizes, swaps):
        found = ranked(*sizes, swaps)
        scores, truth = found.models[0].scores, found.truth
        cuts = [((scores[truth == 1] >= cut).sum(), (scores[truth == 0] < cut).sum()) for cut in scores]
        (p, n), (tp, tn) = sizes, max(cuts, key=lambda cut: cut[0] / sizes[0] + cut[1] / sizes[1])
        each = [beta_ends(tp, p), beta_ends(tn, n)]
        centre = tp / p + tn / n - 1
        low = centre - np.hypot(tp / p - each[0][0], tn / n - each[1][0])
        high = centre + np.hypot(each[0][1] - tp / p, each[1][1] - tn / n)
        assert ends(found, "ks") == pytest.approx((max(0, low), min(1, high)))

    def test_lift_is_not_beyond_its_most(self):
        """All 6 positives among the 11 rows at the top: 10 times as many, which is the most, and 6 of 6 are few."""
        found = ranked(6, 104)
        low, high = ends(found, "lift")
        assert high == pytest.approx(10) and low == pytest.approx(10 * 0.025 ** (1 / 6))
        almost = Predictions.from_arrays(found.truth, {"m": np.where(np.arange(110) == 0, 0.0, found.models[0].scores)})
        assert ends(almost, "lift")[1] <= 10 + 1e-9

    def test_groups_and_weights_keep_theirs(self):
        found = ranked(20, 20)
        grouped = Predictions.from_arrays(
            found.truth, {"m": found.models[0].scores}, group=np.arange(40) % 8, weight=np.ones(40)
        )
        assert evaluate(grouped, ["roc_auc"])["m", "roc_auc"].interval == "Clopper and Pearson's bound"
