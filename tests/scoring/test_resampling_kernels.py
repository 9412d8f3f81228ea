"""Sums over replicates, partitions and ordered rows against slow, obvious ones; compiled or not, to the last bit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import metrics
from referee.comparing import tests
from referee.engines import Summary, compiled, kernels, summarise
from referee.engines.memory import rows as row_order
from referee.scoring import replicates as loops
from referee.scoring import row_changes, values
from referee.scoring.partitions import add_cells, add_pairs_by_unit, add_products_by_unit, add_values
from referee.scoring.sampled_rows import FallingRows, mid_ranks
from referee.testing.samples import sample
from tests.engines.test_kernels import labelled, numbers
from tests.strategies import FEW_EXAMPLES

KERNELS = ("add_terms", "add_by_cell", "add_products", "add_pairs")
FORMS = pytest.mark.parametrize("form", [lambda kernel: kernel, compiled], ids=["plain", "compiled"])


@st.composite
def drawn_rows(draw):
    """Scores and classes, weights of which some are 0, pieces that several rows share, and how often each is drawn."""
    scores, truth = draw(labelled())
    rows, chance = len(scores), draw(st.randoms(use_true_random=False))
    weight = np.array([chance.choice([0.0, 0.25, 1.0, 1.0, 3.5]) for _ in range(rows)])
    pieces = chance.randint(1, rows)
    piece = np.array([chance.randrange(pieces) for _ in range(rows)], np.int32)
    times = np.array([[chance.choice([0, 0, 1, 1, 2, 5]) for _ in range(3)] for _ in range(pieces)], np.uint8)
    return scores, truth, weight, piece, times


def of_both_forms(name, times, *arguments, shape):
    """What the kernel and its plain twin find, which is the same."""
    found = []
    for run in (getattr(loops, f"{name}_plainly"), compiled(getattr(loops, name)), getattr(loops, name)):
        totals = [np.zeros(one) for one in shape]
        run(times, *arguments, *totals)
        found.append(totals)
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))
    return found[0]


def obvious_pairs(scores, truth, weight):
    """Pairs of a positive above a negative row, ties one half, one by one."""
    total = Fraction(0)
    for i in np.flatnonzero(truth):
        for j in np.flatnonzero(~truth):
            won = 1 if scores[i] > scores[j] else Fraction(1, 2) if scores[i] == scores[j] else 0
            total += won * Fraction(float(weight[i])) * Fraction(float(weight[j]))
    return float(total)


@FEW_EXAMPLES
@given(drawn_rows())
def test_pairs_of_replicates(rows):
    scores, truth, weight, piece, times = rows
    falling = FallingRows.of(np.flatnonzero(weight > 0), scores, truth)
    order = falling.order
    sides, pairs = of_both_forms(
        "add_pairs", times, piece[order], weight[order], falling.ends, falling.share, shape=[(2, 3), 3]
    )
    for replicate in range(3):
        counted = weight * times[piece, replicate]
        assert pairs[replicate] == obvious_pairs(scores, truth, counted)
        assert sides[:, replicate].tolist() == [counted[truth].sum(), counted[~truth].sum()]


@FEW_EXAMPLES
@given(drawn_rows())
def test_sums_of_replicates(rows):
    scores, truth, weight, piece, times = rows
    terms = np.stack([np.clip(scores.astype(float), -1e9, 1e9), weight])
    cell = truth * 2 + (scores > 0)
    (sums,) = of_both_forms("add_terms", times, piece, terms, shape=[(2, 3)])
    (cells,) = of_both_forms("add_by_cell", times, piece, cell, weight, shape=[(4, 3)])
    means = np.array([[0.5, 0.0, 1.0], [1.0, -2.0, 0.25]])
    (products,) = of_both_forms("add_products", times, piece, terms, means, weight, shape=[3])
    for replicate in range(3):
        drawn = times[piece, replicate].astype(float)
        size = np.abs(terms) @ drawn
        assert sums[:, replicate] == pytest.approx(terms @ drawn, rel=1e-13, abs=1e-14 * size.max() + 1e-300)
        assert cells[:, replicate].tolist() == np.bincount(cell, drawn * weight, 4).tolist()
        a, b = terms - means[:, replicate, None]
        assert products[replicate] == pytest.approx(
            (drawn * weight * a * b).sum(), rel=1e-12, abs=1e-13 * (drawn * weight * np.abs(a * b)).sum() + 1e-300
        )


def test_many_rows_are_added_in_parts():
    """More rows than one part holds; and adding equal numbers loses no digits."""
    terms = np.full((1, 100_000), 0.1)
    (sums,) = of_both_forms_quickly(terms)
    assert sums == pytest.approx([10_000.0, 20_000.0], rel=1e-13)


def of_both_forms_quickly(terms):
    times = np.tile(np.array([[1, 2]], np.uint8), (terms.shape[1], 1))
    found = [np.zeros((1, 2)), np.zeros((1, 2))]
    for run, totals in zip((loops.add_terms_plainly, compiled(loops.add_terms)), found, strict=True):
        run(times, np.arange(terms.shape[1]), terms, totals)
    assert np.array_equal(*found)
    return found[0]


@FORMS
@FEW_EXAMPLES
@given(drawn_rows(), st.randoms(use_true_random=False))
def test_sums_of_partitions(form, rows, chance):
    scores, truth, weight, _, _ = rows
    codes = np.array([[chance.randrange(4) for _ in scores] for _ in range(2)], np.uint16)
    falling = FallingRows.of(np.flatnonzero(weight > 0), scores, truth)
    order, cell = falling.order, truth.astype(int)
    values = np.clip(scores.astype(float), -1e9, 1e9)
    pairs, cells, sums, products = np.zeros((2, 4)), np.zeros((2, 4, 2)), np.zeros((2, 4)), np.zeros((2, 4))
    means = np.array([np.full((2, 4), 0.5), np.full((2, 4), 2.0)])
    form(add_pairs_by_unit)(codes, order, weight[order], falling.ends, falling.share, pairs)
    form(add_cells)(codes, cell, weight, cells)
    form(add_values)(codes, values, sums)
    form(add_products_by_unit)(codes, np.stack([values, weight]), means, weight, products)
    for partition in range(2):
        for unit in range(4):
            here = codes[partition] == unit
            assert pairs[partition, unit] == obvious_pairs(scores[here], truth[here], weight[here])
            assert cells[partition, unit].tolist() == [weight[here & ~truth].sum(), weight[here & truth].sum()]
            assert sums[partition, unit] == pytest.approx(
                values[here].sum(), rel=1e-13, abs=1e-14 * np.abs(values[here]).sum() + 1e-300
            )
            each = weight[here] * (values[here] - 0.5) * (weight[here] - 2)
            assert products[partition, unit] == pytest.approx(
                each.sum(), rel=1e-12, abs=1e-13 * np.abs(each).sum() + 1e-300
            )


@FEW_EXAMPLES
@given(numbers, st.sampled_from([np.float32, np.float64]))
def test_rising_rows(values, dtype):
    values = np.array(values, dtype)
    scores, rows = row_order.rising(values)
    assert sorted(rows.tolist()) == list(range(len(values)))
    assert scores.tolist() == np.sort(values.astype(float)).tolist()
    assert np.array_equal(values[rows].astype(float), scores)


@FEW_EXAMPLES
@given(labelled())
def test_steps_of_rows(rows):
    scores, truth = rows
    steps = np.unique(scores[truth] if truth.any() else scores)[::-1]
    expected = [sum(bool(step > score) for step in steps) for score in scores]
    assert row_order.steps_of_rows(scores, steps).tolist() == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "COMPILE_FROM", 0)
        assert row_order.steps_of_rows(scores, steps).tolist() == expected


@pytest.mark.parametrize("name", ["roc_auc", "roc_auc(average=macro)", "roc_auc(average=weighted)",
                                  "roc_auc(average=micro)", "average_precision", "ks"])  # fmt: skip
def test_influences_of_many_rows_are_those_of_few(monkeypatch, name):
    """The quick ways for many rows change nothing but the time."""
    predictions = sample("binary", 1, 300)
    metric, summary = metrics[name], summarise(predictions, predictions.models[0])
    expected = row_changes(summary, metric)
    monkeypatch.setattr(kernels, "COMPILE_FROM", 0)
    again = Summary(predictions, predictions.models[0], None)
    assert row_changes(again, metric) == pytest.approx(expected, rel=1e-12, abs=1e-15)
    known = values(metric, again, 2, 1)
    assert known == pytest.approx(values(metric, summary, 2, 1), rel=1e-15)


def test_delong_of_many_rows_is_that_of_few(monkeypatch):
    first, second = (sample("binary", seed, 300) for seed in (1, 2))
    truth, (a, b) = first.truth, (one.models[0].scores for one in (first, second))
    expected = tests["delong"](truth, a, b)
    monkeypatch.setattr(kernels, "COMPILE_FROM", 0)
    found = tests["delong"](truth, a, b)
    assert (found.difference, found.p) == pytest.approx((expected.difference, expected.p), rel=1e-12)


@FEW_EXAMPLES
@given(numbers)
def test_mid_ranks(values):
    values = np.array(values)
    for value, rank in zip(values, mid_ranks(values), strict=True):
        assert rank == (values < value).sum() + ((values == value).sum() + 1) / 2


def test_every_hot_loop_has_a_plain_twin():
    assert {name for name in vars(loops) if name.endswith("_plainly")} == {f"{name}_plainly" for name in KERNELS}
