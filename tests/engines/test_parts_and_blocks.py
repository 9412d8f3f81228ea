"""What is computed block by block, from bins or in a database is what plain arithmetic on all rows gives."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

import referee
from referee.engines import Ranking, engine_of, merge_rankings
from referee.engines.database.answers import Parts
from referee.engines.database.step_columns import StepColumn
from referee.engines.kernels import RunningSums
from referee.engines.rank_sums import rank_sums
from referee.engines.state.engine import _largest
from referee.engines.stream.rankings import PooledRanking, SortedRanking
from referee.predictions.state_sums import CellSums
from referee.scoring.fold_scales import _kruskal_wallis
from tests.engines.test_stream_engine import in_pieces, written

DRAW = np.random.default_rng(77)
ROWS = 90
TRUTH = DRAW.integers(0, 2, ROWS)
SCORES = np.round(0.3 * TRUTH + 0.7 * DRAW.random(ROWS), 2)


def steps_by_hand(positives, negatives):
    scores = sorted({*positives.tolist(), *negatives.tolist()}, reverse=True)
    return [(score, int((positives == score).sum()), int((negatives == score).sum())) for score in scores]


@pytest.mark.parametrize("steps", [1, 2, 3, 50])
def test_series_of_blocks_are_merged_into_one(steps):
    """Whichever ends first, with ties between them and within them."""
    for sizes in ((4, 9), (9, 4), (1, 12), (7, 7, 3), (0, 5)):
        sides = [(np.sort(DRAW.integers(0, 9, size) / 8), np.sort(DRAW.integers(0, 9, size) / 8)) for size in sizes]
        pooled = PooledRanking([SortedRanking([side], steps=steps) for side in sides])
        expected = steps_by_hand(*map(np.concatenate, zip(*sides, strict=True)))
        found = zip(pooled.scores.tolist(), pooled.positives.tolist(), pooled.negatives.tolist(), strict=True)
        assert list(found) == expected


def test_a_ranking_alone_is_merged_with_nothing():
    several = Ranking(np.array([0.9, 0.4, 0.7]), np.array([1, 0, 2]), np.array([0, 3, 1]), np.array([0, 2, 3]))
    merged = merge_rankings([several])
    assert (merged.scores.tolist(), merged.starts.tolist()) == ([0.9, 0.4, 0.7], [0, 2, 3])


def test_sums_of_weights_are_the_same_alone_and_among_others():
    """To the last bit: a slice of all rows is all rows."""
    weight, nothing = DRAW.random(3000) * 1e3, np.zeros(3000)
    alone = Ranking(np.arange(3000.0)[::-1], weight, nothing, np.array([0, 3000]))
    among = Ranking(alone.scores, weight, nothing, np.array([0, 3000, 3000]))
    assert alone.P[0] == among.P[0]


def test_narrow_counts_have_wide_sums():
    narrow = Ranking(np.array([0.9, 0.4]), *np.array([[200, 100], [150, 250]], np.uint8), np.array([0, 2]))
    assert (narrow.P.tolist(), narrow.N.tolist()) == ([300], [400])
    assert [part.tolist() for part in narrow.running] == [[200, 300], [150, 400]]


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_blocks_are_numpys(weighted):
    one, other = DRAW.normal(1e6, 1, 40), DRAW.normal(size=40)
    weight = DRAW.integers(0, 4, 40).astype(float) if weighted else None
    running = RunningSums()
    for part in np.array_split(np.arange(40), 6):
        running.add({"one": one[part], "other": other[part]}, None if weight is None else weight[part])
    total = running.total
    assert total.weight == pytest.approx([40 if weight is None else weight.sum()])
    assert total.means[0] == pytest.approx([np.average(each, weights=weight) for each in (one, other)], rel=1e-14)
    covariance = np.cov(one, other, aweights=weight, ddof=0) * total.weight
    assert total.moments[0] == pytest.approx(covariance, rel=1e-9)


def test_bins_of_one_score_and_of_several_bound_their_ranking():
    """Two bins of many scores, two of one score, of which one has a single row."""
    truth = np.array([1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    scores = np.array([0.9] * 3 + [0.7 + 1e-7 * n for n in range(4)] + [0.5] + [0.2 + 1e-7 * n for n in range(3)])
    bins = np.round(scores, 3)
    many = np.isin(bins, (0.7, 0.2))
    state = referee.summarise(truth, {"m": scores}, positive=1).predictions()
    rankings = engine_of(state).summarise(state, state.models[0]).extreme_rankings()
    for ranking, sign in zip(rankings, (1, -1), strict=True):
        assert (int(ranking.P[0]), int(ranking.N[0])) == (6, 5)
        best = roc_auc_score(truth, bins + sign * many * 0.01 * truth)
        won = (ranking.negatives * (np.cumsum(ranking.positives) - ranking.positives / 2)).sum()
        assert won / 30 == pytest.approx(best)
        assert set(ranking.scores.tolist()) <= set(scores.tolist())


def test_the_largest_losses_of_a_state():
    """The three largest rows of 1, 2 and 4 rows of sizes 9, 4 and 1: one of size 9, two of size 4."""
    cells = CellSums(np.array([1, 2, 3]), np.array([[4, 4.0], [2, 8.0], [1, 9.0]]), np.empty(0), np.empty(0))
    assert [_largest(cells, rows) for rows in (1, 2, 3, 5, 7, 9)] == [9, 13, 17, 19, 21, 21]


@pytest.mark.parametrize("weight", [None, "w"])
def test_guesses_of_pieces_are_weighted_quantiles(tmp_path, weight):
    """Of the truth, as NumPy has them; the guess of mae is the median."""
    truth, times = DRAW.normal(size=ROWS).round(2), DRAW.integers(1, 9, ROWS).astype(float)
    source = written(tmp_path / "rows.parquet", {"y": truth, "m": truth + 1, "w": times})
    read = in_pieces(source, 17, truth="y", models=["m"], **({"weight": weight} if weight else {}))
    weights = times if weight else None
    levels = (0.1, 0.5, 0.8)
    mean, quantiles = engine_of(read).mean_and_quantiles(read, levels)
    assert mean == pytest.approx(np.average(truth, weights=weights))
    for level in levels:
        assert quantiles[level] == np.quantile(truth, level, weights=weights, method="inverted_cdf")


@pytest.mark.parametrize("factor", [1.0, 1e200])
def test_a_guess_is_the_mean_of_all_numbers(factor):
    """Also where their sum is beyond all numbers."""
    truth = (DRAW.random(4000) + 1) * factor
    known = referee.Predictions.from_arrays(truth, {"m": truth})
    mean, _ = engine_of(known).mean_and_quantiles(known, ())
    assert mean == pytest.approx(np.mean(truth / factor) * factor, rel=1e-12)
    huge = referee.Predictions.from_arrays(truth * (1e308 / truth.max()), {"m": truth})
    assert engine_of(huge).mean_and_quantiles(huge, ())[0] == pytest.approx(1e308 * np.mean(truth / truth.max()))


@pytest.mark.parametrize("weighted", [False, True])
def test_ranks_of_folds_are_those_of_kruskal_and_wallis(weighted):
    """Within each class; a row that is seen several times stands there as often, and ties share their ranks."""
    fold, times = np.repeat([0, 1, 2], 30), DRAW.integers(1, 4, ROWS)
    again = np.repeat(np.arange(ROWS), times if weighted else 1)
    scores = np.round(SCORES + 0.2 * fold, 1)
    roles = {"fold": fold, **({"weight": times, "weight_kind": "frequency"} if weighted else {})}
    known = referee.Predictions.from_arrays(TRUTH, {"m": scores}, **roles)
    summary = engine_of(known).summarise(known, known.models[0], known.fold)
    (of_classes,) = engine_of(known).rank_sums(summary)
    for sums, label in zip(of_classes, (0, 1), strict=True):
        here = again[TRUTH[again] == label]
        ranks = (stats.rankdata(scores[here]) - 0.5) / len(here)
        parts = [ranks[fold[here] == each] for each in range(3)]
        assert sums.within == pytest.approx(ranks.var())
        assert sums.means == pytest.approx([part.mean() for part in parts])
        rows = np.array([*map(len, parts)])
        assert sums.between == pytest.approx(np.average([(p.mean() - 0.5) ** 2 for p in parts], weights=rows))
        assert _kruskal_wallis(sums, rows) == pytest.approx(stats.kruskal(*parts).statistic)


def test_ranks_of_one_score_have_no_variance():
    """However weights add up and round."""
    for rows in range(2, 40):
        weight = DRAW.random(rows)
        assert rank_sums([(np.full(rows, 0.5), np.zeros(rows, int), weight)], 1).within == 0


@pytest.mark.parametrize("weight", [None, "w"])
def test_ranks_of_folds_in_pieces_are_those_of_the_file(tmp_path, weight):
    """Only ratios of weights count."""
    columns = {"y": TRUTH, "m": SCORES, "fold": np.arange(ROWS) % 3, "w": np.arange(ROWS) % 4}
    source = written(tmp_path / "rows.parquet", columns)
    said = {"truth": "y", "models": ["m"], "fold": "fold", **({"weight": weight} if weight else {})}
    found = []
    for known in (in_pieces(source, 17, **said), referee.Predictions.read(source, **said)):
        summary = engine_of(known).summarise(known, known.models[0], known.fold)
        found.append([sums for of_classes in engine_of(known).rank_sums(summary) for sums in of_classes])
    assert [len(each) for each in found] == [2, 2]
    for mine, other in zip(*found, strict=True):
        assert mine.weight / mine.weight.sum() == pytest.approx(other.weight / other.weight.sum())
        assert mine.means == pytest.approx(other.means)
        assert (mine.within, mine.between) == pytest.approx((other.within, other.between))


@pytest.fixture
def in_place(monkeypatch):
    """Rows of a database that are not read, however few they are."""
    monkeypatch.setattr("referee.predictions.given.FEW_ROWS", 0)
    connection = duckdb.connect()

    def relation(columns):
        connection.register("rows", pa.table(columns))
        return connection.sql("SELECT * FROM rows")

    return relation


def test_weighted_rows_of_a_database(in_place):
    """Truth of other whole numbers than codes; a copy of the truth is said to be one."""
    times = DRAW.integers(1, 4, ROWS)
    columns = {"y": TRUTH + 3, "m": SCORES, "copy": TRUTH.astype(float), "w": times * 0.5}
    asked = ["roc_auc", "average_precision", "brier"]
    found = referee.evaluate(in_place(columns), truth="y", models=["m", "copy"], weight="w", metrics=asked, positive=4)
    assert found.predictions.engine == "database"
    expected = [
        roc_auc_score(TRUTH, SCORES, sample_weight=times), average_precision_score(TRUTH, SCORES, sample_weight=times),
        np.average((SCORES - TRUTH) ** 2, weights=times),
    ]  # fmt: skip
    assert [found["m", name].value for name in asked] == pytest.approx(expected, rel=1e-12)
    perfect = [notice.message for notice in found.notices if notice.code == "W_PERFECT"]
    known = referee.evaluate(TRUTH + 3, {"m": SCORES, "copy": TRUTH.astype(float)}, weight=times * 0.5, metrics=asked,
                             positive=4)  # fmt: skip
    assert perfect == [notice.message for notice in known.notices if notice.code == "W_PERFECT"]
    for mine, theirs in zip(found.rows, known.rows, strict=True):
        if mine.low is not None:
            ends = (theirs.low, theirs.high, theirs.standard_error)
            assert (mine.low, mine.high, mine.standard_error) == pytest.approx(ends, rel=1e-6)


@pytest.mark.parametrize("kind", ["probability", "frequency"])
def test_pairs_of_weighted_rows_of_a_database(in_place, kind):
    """Error, degrees of freedom and p are those of the rows in memory; a row without weight is none."""
    surprises = np.where(np.arange(ROWS) % 30 == 7, 1 - TRUTH, np.round(SCORES**1.1, 3))
    columns = {"y": TRUTH, "a": SCORES, "b": surprises, "w": DRAW.integers(0, 4, ROWS)}
    asked = {"truth": "y", "models": ["a", "b"], "weight": "w", "weight_kind": kind, "positive": 1, "goal": "brier"}
    found = [referee.compare(rows, metrics="goal", **asked) for rows in (in_place(columns), columns)]
    assert [verdict.predictions.engine for verdict in found] == ["database", "memory"]
    (pair,), (other,) = (verdict.comparisons for verdict in found)
    for part in ("difference", "standard_error", "df", "p", "low", "high"):
        assert getattr(pair, part) == pytest.approx(getattr(other, part), rel=1e-9), part
    assert pair.df < (columns["w"] > 0).sum() - 1 < columns["w"].sum() - 1, "as the tails are heavy"
    assert found[0].sentence == found[1].sentence
    seen = columns["w"] if kind == "frequency" else columns["w"] > 0
    assert found[0].predictions.rows_of_classes.tolist() == [seen[code == TRUTH].sum() for code in (0, 1)]


NEAR = np.where(np.arange(ROWS) % 7 == 0, np.arange(ROWS) % 2, SCORES)
"""Some rows are certain, rightly or wrongly."""
SHARES = DRAW.dirichlet(np.ones(3), ROWS)


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        ({"m": NEAR}, {"positive": "1"}),
        ({"m": NEAR}, {"positive": "0"}),
        ({"m": np.where(np.arange(ROWS) == 5, -0.25, NEAR)}, {"positive": "1"}),
        ({"m": TRUTH * 1.0}, {"positive": "1"}),
        ({"m": np.array(["no", "yes"])[1 - TRUTH]}, {"positive": "yes", "labels": {"m": "m"}}),
        ({f"m:{code}": SHARES[:, code] for code in range(3)}, {}),
        ({f"m:{code}": np.where(np.arange(ROWS) == 9, 0.9, SHARES[:, code]) for code in range(3)}, {}),
        ({f"m:{code}": np.array([code == row % 3 for row in range(ROWS)], float) for code in range(3)}, {}),
    ],
    ids=["certain", "of the other class", "outside", "the truth", "labels", "shares", "not summing", "decided"],
)
def test_facts_of_a_database_are_those_of_the_rows(in_place, columns, roles):
    """But for the row, which a table of a database has not."""
    truth = np.array(["no", "yes"])[TRUTH] if "labels" in roles else TRUTH
    rows = {"y": np.arange(ROWS) % 3 if len(columns) > 1 else truth, **columns}
    said = {"truth": "y", "task": "multiclass" if len(columns) > 1 else "binary", **roles}
    said |= {} if "labels" in roles else {"models": ["m"]}
    there = referee.Predictions.read(in_place(rows), **said, options=referee.ReadOptions(engine="database"))
    (found,), (known,) = there.facts.values(), referee.Predictions.read(rows, **said).facts.values()
    for part in ("rows", "is_truth", "decisions_only", "impossible", "certain"):
        assert getattr(found, part) == getattr(known, part), part
    for part in ("outside", "not_summing"):
        mine, other = getattr(found, part), getattr(known, part)
        assert (mine is None) is (other is None)
        assert mine is None or mine.value == pytest.approx(other.value)
    counts = there.rows_of_classes.tolist()
    assert counts == np.unique(rows["y"], return_counts=True)[1].tolist()


@pytest.mark.parametrize("from_lowest", [True, False])
def test_sums_before_each_part(from_lowest):
    """Parts stand from the highest scores on, or from the lowest."""
    numbers = np.array([3.0, 1.0, 4.0, 1.5])
    expected = [numbers[place + 1 :].sum() if from_lowest else numbers[:place].sum() for place in range(4)]
    assert Parts((0.75, 0.5, 0.25)).sums_before(numbers, from_lowest=from_lowest).tolist() == expected


def test_numbers_of_one_element_are_columns_of_steps():
    """As formulas have them of rankings of one unit."""
    one = StepColumn.of(2.5)
    assert StepColumn.of(one) is one
    assert StepColumn.of(np.array([2.5])).value.equals(one.value)
    with pytest.raises(TypeError):
        StepColumn.of(np.array([2.5, 1.0]))
