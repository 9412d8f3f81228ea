"""Summaries at their edges, row by row: parts without rows, ties, several units, extreme sizes, bins of a state."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, matthews_corrcoef, roc_auc_score

import referee
from referee.engines import Counts, Ranking, Sums, engine_of, nonzero, pairs_across
from referee.engines.kernels import merge_steps
from referee.engines.ranked_scores import merge_rankings
from referee.engines.state.forms import Form
from referee.predictions import Predictions
from tests.engines.test_stream_engine import assert_same, binary_columns, in_pieces, written

UNITS = 3
DRAW = np.random.default_rng(11)
CODES = DRAW.choice([0, 2], 60)
"""The unit in the middle has no rows."""
SCORES, TRUTH = DRAW.integers(0, 12, 60) / 10, DRAW.integers(0, 2, 60)


def ranked(scores=SCORES, truth=TRUTH, codes=CODES, units=UNITS):
    steps = [sorted(set(scores[codes == unit].tolist()), reverse=True) for unit in range(units)]
    counted = [
        (score, *(int(((scores == score) & (codes == unit) & (truth == side)).sum()) for side in (1, 0)))
        for unit, each in enumerate(steps)
        for score in each
    ]
    score, positives, negatives = (np.array(column) for column in zip(*counted, strict=True))
    return Ranking(score, positives, negatives, np.cumsum([0, *map(len, steps)]))


def by_unit(value, empty=0):
    """A number of the rows of each unit, by itself."""
    rows = [unit == CODES for unit in range(UNITS)]
    return [value(SCORES[here], TRUTH[here] == 1) if here.any() else empty for here in rows]


class TestRanking:
    def test_sums_over_steps_are_pairs_of_rows(self):
        won = ranked().sum(lambda at: at.negatives * at.tp_above + at.negatives * at.positives / 2)
        pairs = by_unit(lambda s, p: ((s[p][:, None] > s[~p]) + (s[p][:, None] == s[~p]) / 2).sum())
        assert won.tolist() == pairs
        assert ranked().P.tolist() == by_unit(lambda _s, p: p.sum())
        assert ranked().N.tolist() == by_unit(lambda _s, p: (~p).sum())

    def test_the_largest_over_steps(self):
        best = ranked().max(lambda at: at.tp - at.fp)
        expected = by_unit(lambda s, p: max(int((p[s >= c]).sum() - (~p[s >= c]).sum()) for c in s), np.nan)
        np.testing.assert_array_equal(best, expected)
        allowed = ranked().highest(lambda at: at.tp / (at.tp + at.fp), lambda at: at.tp / at.P, at_least=0.5)
        expected = by_unit(
            lambda s, p: max(p[s >= c].mean() for c in s if p[s >= c].sum() / p.sum() >= 0.5 - 1e-12), np.nan
        )
        np.testing.assert_allclose(allowed, expected)

    @pytest.mark.parametrize("rows", [0, 1, 7, 19.5, 100])
    def test_hits_among_the_first_rows_share_ties(self, rows):
        def expected(scores, positive):
            left, hits = Fraction(rows), Fraction(0)
            for score in sorted(set(scores), reverse=True):
                here = scores == score
                taken = min(left, int(here.sum()))
                hits += taken * Fraction(int(positive[here].sum()), int(here.sum()))
                left -= taken
            return float(hits)

        np.testing.assert_allclose(ranked().hits(np.full(UNITS, rows)), by_unit(expected))

    def test_bins_join_the_rows_of_their_steps(self):
        binned = ranked().binned(lambda at: (at.score * 10).astype(int) // 4, 3)
        for unit in range(UNITS):
            here = unit == CODES
            bins = (SCORES[here] * 10).astype(int) // 4
            alone = binned.of_unit(unit)
            kept = [place for place in range(3) if (bins == place).any()]
            assert alone.positives.tolist() == [TRUTH[here][bins == place].sum() for place in kept]
            assert (alone.positives + alone.negatives).tolist() == [(bins == place).sum() for place in kept]
            np.testing.assert_allclose(alone.scores, [SCORES[here][bins == place].mean() for place in kept])

    def test_the_same_rows_for_the_other_class(self):
        alone = ranked().of_unit(0)
        for complement in (True, False):
            turned = alone.turned(complement=complement)
            expected = (1 - alone.scores if complement else -alone.scores)[::-1]
            np.testing.assert_array_equal(turned.scores, expected)
            assert turned.positives.tolist() == alone.negatives[::-1].tolist()
        # 1 - score may round two scores into one: their rows then tie.
        close = Ranking(np.array([2e-17, 1e-17]), np.array([1, 0]), np.array([0, 2]), np.array([0, 2]))
        joined = close.turned(complement=True)
        assert (joined.positives.tolist(), joined.negatives.tolist()) == ([2], [1])

    def test_coarse_steps_hold_the_same_rows_in_order(self, monkeypatch):
        monkeypatch.setattr("referee.engines.ranked_scores.FEW_STEPS", 4)
        alone = ranked(codes=np.zeros(60, int), units=1)
        coarse = alone.coarse
        assert len(coarse.scores) <= 4
        assert (int(coarse.P[0]), int(coarse.N[0])) == (TRUTH.sum(), 60 - TRUTH.sum())
        assert (np.diff(coarse.scores) < 0).all()
        rows = coarse.positives + coarse.negatives
        assert rows.max() <= 60 / 4 + (alone.positives + alone.negatives).max()


def sums_of(terms, weight, codes):
    """Weighted means and centred second moments of each unit, as NumPy has them."""
    whole = np.array([weight[codes == unit].sum() for unit in range(UNITS)])
    means = np.full((UNITS, terms.shape[1]), np.nan)
    moments = np.zeros((UNITS, terms.shape[1], terms.shape[1]))
    for unit in np.flatnonzero(whole):
        here = codes == unit
        means[unit] = np.average(terms[here], axis=0, weights=weight[here])
        off = terms[here] - means[unit]
        moments[unit] = (off * weight[here][:, None]).T @ off
    return Sums(("a", "b"), whole, means, moments)


@pytest.mark.parametrize("cut", [0, 1, 20, 59, 60])
def test_parts_of_sums_add_up(cut):
    """Also where a part has no row of a unit, or none at all."""
    terms, weight = DRAW.normal([5, -3], [1, 2], (60, 2)), DRAW.random(60)
    whole = sums_of(terms, weight, CODES)
    merged = sums_of(terms[:cut], weight[:cut], CODES[:cut]).merge(sums_of(terms[cut:], weight[cut:], CODES[cut:]))
    np.testing.assert_allclose(merged.weight, whole.weight)
    with np.errstate(invalid="ignore"):
        for term in ("a", "b"):
            np.testing.assert_allclose(merged.mean(term), whole.mean(term))
            np.testing.assert_allclose(merged.variance(term), whole.variance(term))
        np.testing.assert_allclose(merged.covariance("a", "b"), whole.covariance("a", "b"))


def test_counts_by_hand():
    matrix = np.array([[[5, 1, 0], [2, 7, 3], [1, 0, 4]]])
    counts = Counts(matrix)
    truth, said = (np.repeat([place[side] for place in product(range(3), repeat=2)], matrix.ravel()) for side in (0, 1))
    both = pairs_across(counts.true, counts.true)[0] * pairs_across(counts.predicted, counts.predicted)[0]
    assert counts.beyond_chance[0] / both**0.5 == pytest.approx(matthews_corrcoef(truth, said))
    assert pairs_across(counts.true, counts.predicted)[0] == sum(a != b for a in truth for b in said)
    alone = counts.against_rest(1)
    assert (alone.tp[0], alone.fp[0], alone.fn[0], alone.tn[0]) == (7, 1, 5, 10)
    assert (alone.P[0], alone.N[0]) == (12, 11)
    assert np.isnan(nonzero(np.array([0.0]))[0])


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_numbers_whose_squares_are_beyond_all_numbers(size):
    """The unit of the truth does not matter: errors have it, shares have none."""
    truth = DRAW.normal(size=50)
    guess = truth + DRAW.normal(size=50)
    asked = ["rmse", "mae", "r2", "rae", "correlation"]
    small, large = (referee.evaluate(k * truth, {"m": k * guess}, metrics=asked) for k in (1.0, size))
    for metric in asked:
        expected = small["m", metric].value * (size if metric in ("rmse", "mae") else 1)
        assert large["m", metric].value == pytest.approx(expected, rel=1e-9, abs=0), metric


def test_forms_are_plain_arithmetic():
    """On rows: what a form says of the kept variables is what its formula says of the terms."""
    rows, centres = DRAW.normal(size=(20, 2)), np.array([0.5, -2.0])
    x, y = (rows - 0).T
    kept = np.stack([np.ones(20), x - 0.5, y + 2, (x - 0.5) ** 2, (x - 0.5) * (y + 2), (y + 2) ** 2], axis=1)
    a, b = Form.of_terms(["x", "y"], centres).values()
    for form, expected in (
        (a + 2, x + 2),
        (3 * a - b, 3 * x - y),
        (a - 1.5, x - 1.5),
        (a * b, x * y),
        ((a + b) * (a - 1), (x + y) * (x - 1)),
    ):
        np.testing.assert_allclose(kept @ form.numbers, expected)
    with pytest.raises(TypeError):
        (a * b) * a


def test_a_state_bounds_its_rankings_by_the_best_and_the_worst_order():
    """Bins of 65,536: all rows lie in two of them, where positives may stand first or last."""
    draw = np.random.default_rng(12)
    truth = draw.integers(0, 2, 200)
    inside = draw.random(200) / 70000
    bins = draw.integers(0, 2, 200)
    scores = 0.5 + bins / 4 + inside
    state = referee.summarise(truth, {"m": scores}).predictions()
    summary = engine_of(state).summarise(state, state.models[0])
    least, most = sorted(_auc_of(ranking) for ranking in summary.extreme_rankings())
    assert most == pytest.approx(roc_auc_score(truth, bins + 0.1 * truth))
    assert least == pytest.approx(roc_auc_score(truth, bins - 0.1 * truth))


def _auc_of(ranking):
    at = ranking.steps
    pairs = (at.negatives * (at.tp - at.positives / 2)).sum()
    return float(pairs / ranking.P[0] / ranking.N[0])


@pytest.mark.parametrize(
    "roles",
    [{"by": ("region",), "weight": "w", "fold": "fold"}, {"positive": "0", "threshold": 0.4}],
    ids=["everything", "other class"],
)
def test_pieces_of_a_file_are_the_file(tmp_path, roles):
    asked = ["roc_auc", "average_precision", "brier", "f1", "probability_rae", "calibration_error", "ks", "accuracy"]
    source = written(tmp_path / "rows.parquet", binary_columns())
    scored = assert_same(source, asked=asked, truth="y", models=["a", "b"], rows=17, **roles)
    if "weight" not in roles:
        columns = binary_columns()
        expected = average_precision_score(columns["y"] == 0, columns["b"])
        assert scored["b", "average_precision"].value == pytest.approx(expected)


def assert_same_ends(source, asked, **roles):
    """Intervals and standard errors, where they are known of pieces."""
    at_once = referee.evaluate(Predictions.read(source, **roles), asked, by=roles.get("by", ()))
    pieces = referee.evaluate(in_pieces(source, 17, **roles), asked, by=roles.get("by", ()))
    known = 0
    for mine, theirs in zip(at_once.rows, pieces.rows, strict=True):
        if theirs.low is not None:
            known += 1
            expected = (mine.low, mine.high, mine.standard_error)
            assert (theirs.low, theirs.high, theirs.standard_error) == pytest.approx(expected, rel=1e-6), mine
    assert known > len(at_once.rows) / 3


def test_intervals_of_pieces_are_those_of_the_file(tmp_path):
    asked = ["roc_auc", "average_precision", "brier", "log_loss", "f1", "accuracy", "mcc", "precision"]
    source = written(tmp_path / "rows.parquet", binary_columns())
    assert_same_ends(source, asked, truth="y", models=["a", "b"])
    draw = np.random.default_rng(13)
    truth = draw.normal(100, 5, 150)
    columns = {"y": truth, "m": truth + draw.normal(size=150)}
    numbers = written(tmp_path / "numbers.parquet", columns)
    assert_same_ends(numbers, ["rmse", "mae", "mse", "r2", "correlation", "median_ae"], truth="y", models=["m"])


def test_medians_by_numpy():
    draw = np.random.default_rng(15)
    for rows in (4, 5, 12):
        truth = draw.normal(size=rows)
        guess = truth + draw.normal(size=rows).round(1)
        found = referee.evaluate(truth, {"m": guess}, metrics="median_ae")
        assert found["m", "median_ae"].value == pytest.approx(np.median(np.abs(truth - guess)))


def test_numbers_in_pieces_are_the_numbers(tmp_path):
    draw = np.random.default_rng(13)
    truth = draw.normal(100, 5, 150)
    columns = {"y": truth, "m": truth + draw.normal(size=150), "w": draw.integers(0, 3, 150)}
    columns["place"] = draw.choice(["x", "y"], 150)
    source = written(tmp_path / "rows.parquet", columns)
    asked = ["rmse", "mae", "r2", "rae", "rrse", "correlation", "median_ae"]
    for roles in ({}, {"by": ("place",), "weight": "w"}):
        assert_same(source, asked=asked, truth="y", models=["m"], rows=17, **roles)


def test_slices_in_memory_are_their_rows_alone():
    draw = np.random.default_rng(14)
    truth, scores = draw.integers(0, 3, 90), draw.dirichlet(np.ones(3), 90)
    place = draw.choice(["x", "y"], 90)
    asked = ["accuracy", "f1(average=macro)", "hand_till", "log_loss", "brier", "mcc"]
    sliced = referee.evaluate(truth, {"m": scores}, metrics=asked, by={"place": place})
    for name in ("x", "y"):
        alone = referee.evaluate(truth[place == name], {"m": scores[place == name]}, metrics=asked)
        for metric in asked:
            full = alone["m", metric].metric
            (part,) = [row for row in sliced.rows if row.slice == name and row.metric == full and row.class_ is None]
            for field in ("value", "low", "high", "standard_error"):
                assert getattr(part, field) == pytest.approx(getattr(alone["m", metric], field), rel=1e-9), metric


def test_a_state_says_what_it_lacks():
    draw = np.random.default_rng(17)
    truth, scores = draw.integers(0, 2, 60), draw.random(60)
    state = referee.summarise(truth, {"m": scores})
    for metric, reason in (("paper_average", "joins"), ("probability_rae", "yardstick"), ("calibration_error", "bins")):
        with pytest.raises(referee.RefereeError, match=reason):
            referee.evaluate(state, metrics=metric)
    several = referee.summarise(draw.integers(0, 3, 60), {"m": draw.dirichlet(np.ones(3), 60)})
    with pytest.raises(referee.RefereeError, match="joint ranking"):
        referee.evaluate(several, metrics="roc_auc")
    assert referee.evaluate(several, metrics="accuracy")["m", "accuracy"].value is not None


@pytest.mark.parametrize("metric", ["hand_till", "roc_auc(average=macro)", "log_loss", "calibration_error(mass=true)"])
def test_rows_of_several_classes_that_stand_twice(metric):
    """Integer weights are repeated rows, also within slices; the error is that of the jackknife over rows."""
    draw = np.random.default_rng(18)
    truth, scores = draw.integers(0, 3, 120), draw.dirichlet(np.ones(3), 120)
    times, place = draw.integers(1, 4, 120), draw.choice(["x", "y"], 120)
    options = {"metrics": metric, "by": {"place": place}, "weight_kind": "frequency"}
    counted = referee.evaluate(truth, {"m": scores}, weight=times, **options)
    again = np.repeat(np.arange(120), times)
    repeated = referee.evaluate(truth[again], {"m": scores[again]}, metrics=metric, by={"place": place[again]})
    for mine, other in zip(counted.rows, repeated.rows, strict=True):
        assert (mine.slice, mine.class_) == (other.slice, other.class_)
        assert mine.value == pytest.approx(other.value, rel=1e-9)
        if mine.standard_error is not None:
            assert mine.standard_error == pytest.approx(other.standard_error, rel=1e-9)


@pytest.mark.parametrize("units", [1, 2, 3])
def test_rankings_of_parts_are_merged_unit_by_unit(units):
    codes = CODES % units if units < 3 else CODES
    halves = (np.arange(60) < 30, np.arange(60) >= 30)
    merged = merge_rankings([ranked(SCORES[here], TRUTH[here], codes[here], units) for here in halves])
    whole = ranked(SCORES, TRUTH, codes, units)
    for name in ("scores", "positives", "negatives"):
        assert getattr(merged, name).tolist() == getattr(whole, name).tolist()
    assert (merged.P.tolist(), merged.N.tolist()) == (whole.P.tolist(), whole.N.tolist())


def test_two_series_of_steps_are_one():
    a = (np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 0.0]), np.array([0.0, 1.0, 4.0]))
    b = (np.array([2.0, 0.5]), np.array([5.0, 1.0]), np.array([2.0, 0.0]))
    steps = tuple(np.full(5, 9.0) for _ in range(3))
    assert merge_steps(a, b, steps) == 4
    assert [column[:4].tolist() for column in steps] == [[3, 2, 1, 0.5], [1, 7, 0, 1], [0, 3, 4, 0]]
