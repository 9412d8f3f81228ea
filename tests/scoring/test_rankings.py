"""Metrics of rankings: trec_eval, ranx and scikit-learn, ties by all their orders, and what a query is."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

import referee
from referee import metrics
from referee.errors import RefereeError

TREC = {
    "map": "map",
    "map_cut_5": "map@5",
    "ndcg": "ndcg",
    "ndcg_cut_5": "ndcg@5",
    "recip_rank": "mrr",
}
RANX = {
    "map": "map",
    "map@5": "map(k=5)",
    "mrr": "mrr",
    "mrr@3": "mrr(k=3)",
    "ndcg": "ndcg",
    "ndcg@5": "ndcg(k=5)",
    "ndcg_burges": "ndcg(gain=exponential)",
    "ndcg_burges@5": "ndcg(k=5, gain=exponential)",
}
SAID = {"truth": "relevance", "query": "query"}


@pytest.fixture
def file(reference):
    return reference / "query_rankings.csv"


@pytest.fixture
def found(reference):
    """By others: system -> program -> measure."""
    return json.loads((reference / "query_rankings.json").read_text())


@pytest.mark.parametrize("theirs", TREC)
def test_trec_eval(file, found, theirs):
    scores = referee.evaluate(file, metrics=[TREC[theirs]], **SAID)
    for system in found:
        each = np.array(found[system]["trec_eval"][theirs])
        score = scores[system, TREC[theirs]]
        assert score.value == pytest.approx(each.mean(), abs=1e-12)
        assert score.standard_error == pytest.approx(stats.sem(each), abs=1e-12)


@pytest.mark.parametrize("theirs", RANX)
def test_ranx(file, found, theirs):
    scores = referee.evaluate(file, metrics=[RANX[theirs]], **SAID)
    for system in found:
        assert scores[system, RANX[theirs]].value == pytest.approx(found[system]["ranx"][theirs], abs=1e-12)


@pytest.mark.parametrize("theirs", TREC)
def test_paired_tests_over_queries(file, found, theirs):
    """What trec_eval gives for each query, tested by SciPy."""
    a, b = (np.array(found[system]["trec_eval"][theirs]) for system in ("bm25", "neural"))
    expected = stats.ttest_rel(a, b)
    (by_rows,) = referee.compare(file, goal=TREC[theirs], **SAID).comparisons
    assert by_rows.difference == pytest.approx((a - b).mean(), abs=1e-12)
    assert by_rows.statistic == pytest.approx(expected.statistic, rel=1e-9)
    (paired,) = referee.compare(file, goal=TREC[theirs], test="paired_t", **SAID).comparisons
    assert (paired.statistic, paired.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    (signed,) = referee.compare(file, goal=TREC[theirs], test="wilcoxon", **SAID).comparisons
    ranks = stats.wilcoxon(np.round(a - b, 12))
    assert min(signed.details["positive_ranks"], signed.details["negative_ranks"]) == ranks.statistic


@pytest.mark.parametrize("k", [None, 1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_with_ties(seed, k):
    draw = np.random.default_rng(seed)
    relevance, scores = draw.integers(0, 4, (30, 6)), draw.integers(0, 3, (30, 6))
    relevance[:, :2] = 0, 1
    query = np.repeat(np.arange(30), 6)
    ours = metrics["ndcg"](relevance.ravel(), scores.ravel(), query=query, k=k)
    assert ours == pytest.approx(sk.ndcg_score(relevance, scores, k=k), abs=1e-12)


def test_average_precision_of_one_query_is_scikit_learns():
    draw = np.random.default_rng(1)
    relevance, scores = draw.permutation(np.arange(50) % 4 == 0), draw.permutation(50)
    theirs = sk.average_precision_score(relevance, scores)
    assert metrics["map"](relevance.astype(int), scores) == pytest.approx(theirs, abs=1e-12)


def in_order(relevance, k):
    """Average precision and reciprocal rank of an order, in fractions."""
    hits = [place for place, relevant in enumerate(relevance, 1) if relevant]
    precision = sum((Fraction(count, place) for count, place in enumerate(hits, 1) if place <= k), Fraction(0))
    return precision / len(hits), Fraction(1, hits[0]) if hits[0] <= k else Fraction(0)


@pytest.mark.parametrize("k", [1, 2, 4, 7])
@pytest.mark.parametrize(
    "scores", [[1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 1, 1, 1, 1], [3, 2, 2, 2, 2, 1, 1], [1, 2, 1, 2, 3, 1, 2]]
)
@pytest.mark.parametrize("relevance", [[0, 0, 1, 0, 0, 0, 0], [0, 1, 1, 0, 0, 2, 1], [1, 0, 0, 3, 1, 1, 0]])
def test_ties_are_averaged_over_all_their_orders(relevance, scores, k):
    orders = [
        [relevance[item] for item in order]
        for order in permutations(range(7))
        if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]
    each = [in_order(order, k) for order in orders]
    expected = [sum(values, Fraction(0)) / len(each) for values in zip(*each, strict=True)]
    ours = [metrics[name](relevance, scores, k=k) for name in ("map", "mrr")]
    assert ours == pytest.approx([float(value) for value in expected], abs=1e-12)


def table(**changed):
    """Three queries with two relevant items of five each."""
    columns = {
        "q": [name for name in "abc" for _ in range(5)],
        "y": [0, 1, 0, 2, 0] * 3,
        "m": [5, 4, 3, 2, 1, 1, 2, 3, 4, 5, 2, 5, 1, 3, 4],
        "n": [1, 2, 3, 4, 5] * 3,
    }
    return columns | changed


def of_table(columns, **said):
    return referee.evaluate(columns, truth="y", metrics=["ndcg", "map", "mrr"], **{"query": "q", **said})


def test_queries_without_a_better_order_are_left_out_and_counted():
    columns = table()
    more = {"q": ["d", "d", "e", "f", "f"], "y": [0, 0, 1, 3, 3], "m": [1, 2, 3, 4, 5], "n": [1, 2, 3, 4, 5]}
    scores = of_table({name: values + more[name] for name, values in columns.items()})
    assert [score.value for score in scores] == [score.value for score in of_table(columns)]
    (notice,) = [notice for notice in scores.notices if notice.code == "W_QUERIES"]
    assert "3 of 6 queries (column 'q') were left out: 1 has no relevant item" in notice.message
    assert "2 have items of one relevance only" in notice.message
    assert scores.to_dict()["rows"] == 3


def test_the_order_of_items_and_queries_does_not_matter():
    rows = np.random.default_rng(0).permutation(15)
    shuffled = {name: np.array(values)[rows].tolist() for name, values in table().items()}
    assert [score.value for score in of_table(shuffled)] == [score.value for score in of_table(table())]


def test_guessing_is_a_random_order():
    """Of five items two are relevant: each pair of places is as likely."""
    pairs = [sorted(places) for places in permutations(range(1, 6), 2)]
    expected = np.mean([(1 / first + 2 / second) / 2 for first, second in pairs])
    scores = of_table(table())
    guessed = next(row for row in scores.baseline if row.metric == "mean_average_precision")
    assert guessed.value == pytest.approx(expected, abs=1e-12)


def test_weights_of_queries_count_queries():
    once = of_table(table(), models=["m"])
    weighted = of_table(table(w=[3] * 5 + [1] * 5 + [0] * 5), weight="w", models=["m"])
    columns = table()
    kept = {name: values[:5] * 3 + values[5:10] for name, values in columns.items()}
    kept["q"] = [name for name in "abcd" for _ in range(5)]
    assert weighted["m", "map"].value == pytest.approx(of_table(kept, models=["m"])["m", "map"].value, abs=1e-12)
    assert weighted["m", "map"].value != once["m", "map"].value


def test_slices_are_of_queries():
    scores = of_table(table(lang=["en"] * 10 + ["de"] * 5), by="lang")
    german = next(row for row in scores if row.slice == "de" and row.model == "m" and row.metric == "ndcg")
    alone = of_table({name: values[10:] for name, values in table().items()})
    assert german.value == alone["m", "ndcg"].value


@pytest.mark.parametrize(
    ("columns", "said", "code", "words"),
    [
        (table(y=[0, 1, 0, -2, 0] * 3), {}, "E_RELEVANCE", "row 4: the relevance -2 is negative"),
        (table(y=[0, 1, 0, None, 0] * 3), {}, "E_MISSING", "row 4"),
        (table(q=[*"aaaaabbbb", None, *"ccccc"]), {}, "E_MISSING", "column 'q', row 10"),
        (table(y=[1] * 15), {}, "E_QUERY", "no query of column 'q' has items of different relevance"),
        (table(y=[0] * 15), {}, "E_QUERY", "no order of them is better than another"),
        (table(), {"query": None}, "E_ROLE", "which column is the query?"),
        (table(), {"query": "qq"}, "E_NOCOL", "did you mean 'q'?"),
        (table(), {"task": "binary"}, "E_ROLE", "query= is for rankings"),
        (
            table(lang=["en", "de", "en"] * 5),
            {"by": "lang"},
            "E_QUERY",
            "their 'lang'",
        ),
        (table(w=[*range(1, 16)]), {"weight": "w"}, "E_QUERY", "differ in their weight"),
    ],
)
def test_bad_rankings(columns, said, code, words):
    with pytest.raises(RefereeError) as caught:
        of_table(columns, **said)
    assert caught.value.code == code
    assert words in caught.value.message


def test_other_metrics_do_not_rank():
    with pytest.raises(RefereeError, match="use group= instead of query="):
        referee.compare(table(), truth="y", query="q", goal="rmse")
    with pytest.raises(RefereeError, match="do not know which query"):
        metrics["ndcg"].scorer()


def test_runs_in_two_files_are_joined_by_query_and_item(tmp_path, file):
    lines = [line.split(",") for line in file.read_text().split()]
    (tmp_path / "bm25.csv").write_text("\n".join(",".join(line[:4]) for line in lines))
    rest = [lines[0], *reversed(lines[1:])]
    (tmp_path / "neural.csv").write_text("\n".join(",".join((*line[:2], line[4])) for line in rest))
    both = [tmp_path / "bm25.csv", tmp_path / "neural.csv"]
    joined = referee.compare(both, id="item", goal="ndcg", **SAID)
    assert joined.sentence == referee.compare(file, goal="ndcg", **SAID).sentence


def test_arrays(file):
    rows = [line.split(",") for line in file.read_text().split()[1:]]
    query, _, relevance, *systems = zip(*rows, strict=True)
    models = dict(zip(("bm25", "neural"), (np.array(one, float) for one in systems), strict=True))
    verdict = referee.compare(np.array(relevance, float), models, query=list(query), goal="ndcg@5")
    assert verdict.sentence == referee.compare(file, goal="ndcg(k=5)", **SAID).sentence
