"""Groups left out in pairs: the variance by an independent rewrite and by the scripts that it was found with."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

import referee
from referee import Predictions, metrics, schemes, select, tests
from referee.comparing import contest_of
from referee.comparing.left_out import LeftOut
from referee.errors import RefereeError
from referee.fitting import read_run

pytestmark = pytest.mark.usefixtures("fits_here")
SIMULATIONS = Path(__file__).resolve().parents[2] / "docs" / "simulations"
ROWS, SEED = 90, 7
TEST = tests["leave_two_out_t"]


def imported(folder, name, monkeypatch):
    """A script that lies beside others, and nothing that it leaves behind."""
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return importlib.import_module(name)


@pytest.fixture
def kernel(monkeypatch):
    return imported(SIMULATIONS, "procedure_kernel", monkeypatch)


def _patterns(tested):
    """The group of each row, by the fits that it was tested in."""
    return np.unique(tested.T, axis=0, return_inverse=True)[1].ravel()


class Fits:
    """What fits of noisy learners say of the rows of every two groups, in a long table and by deal and pair."""

    def __init__(self, classes, *, deals=3, rows=ROWS, jumpy=0.3):
        random = np.random.default_rng([SEED, classes, rows])
        self.truth = random.integers(classes, size=rows) if classes else random.normal(size=rows)
        splits = list(schemes["leave_two_groups_out"](deals=deals).splits(self.truth, self.truth, seed=SEED))
        self.row = np.concatenate([split.test for split in splits])
        sizes = [len(split.test) for split in splits]
        self.repeat, self.fold = (np.repeat([getattr(s, key) for s in splits], sizes) for key in ("repeat", "fold"))
        fit = np.repeat(np.arange(len(splits)), sizes)
        tested = np.zeros((len(splits), rows), bool)
        tested[fit, self.row] = True
        self.group = np.stack([_patterns(part) for part in np.split(tested, deals)])
        self.tested, self.deals = tested, deals
        deal = fit // (len(splits) // deals)
        own = self.group[deal, self.row]
        both = np.array([sorted(set(self.group[f * deals // len(splits)][of_fit])) for f, of_fit in enumerate(tested)])
        beside = both.sum(axis=1)[fit] - own
        self.said = []
        for _ in range(2):
            of_row, of_fit = random.normal(size=(rows, max(1, classes - 1))), random.normal(size=(len(splits), 1))
            of_beside = random.normal(size=(deals, 6, 1))[deal, beside]  # what the fit has not learned from
            noise = of_row[self.row] + jumpy * (0.3 * of_fit[fit] + of_beside + random.normal(size=(len(fit), 1)))
            self.said.append(self._said(noise, classes))

    def _said(self, noise, classes):
        if not classes:
            return self.truth[self.row] + noise[:, 0]
        signal = noise + (self.truth[self.row][:, None] == np.arange(1, classes))
        shares = np.exp(np.column_stack([np.zeros(len(noise)), signal]))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares[:, 1] if classes == 2 else shares

    @property
    def roles(self):
        return {"id": self.row, "repeat": self.repeat, "fold": self.fold}

    def by_pairs(self, kernel, said):
        """(deal, pair of groups, row[, class])."""
        pairs = kernel.pairs(int(self.group.max()) + 1)
        table = np.full((self.deals, len(pairs), len(self.truth), *said.shape[1:]), np.nan)
        fits = np.split(np.arange(len(self.tested)), self.deals)
        at = np.repeat(np.arange(len(self.tested)), self.tested.sum(axis=1))
        for deal, numbers in enumerate(fits):
            for number in numbers:
                both = tuple(sorted(set(self.group[deal][self.tested[number]].tolist())))
                table[deal, pairs.index(both), self.row[at == number]] = said[at == number]
        return table

    def expected(self, kernel, metric):
        (a, whole_a), (b, whole_b) = (
            kernel.judged(metric, self.truth, self.by_pairs(kernel, said), self.group) for said in self.said
        )
        return kernel.estimate(a - b, whole_a - whole_b, self.group, kernel.strata_of(metric, self.truth))

    def found(self, metric, **more):
        classes = 0 if self.truth.dtype.kind == "f" else int(self.truth.max()) + 1
        name = {"f1": "f_beta(average=macro)" if classes > 2 else "f_beta"}.get(metric, metric)
        given = {"positive": 1} if classes == 2 else {}
        task = {0: "regression", 2: "binary"}.get(classes, "multiclass")
        return TEST(self.truth[self.row], *self.said, metric=name, task=task, **given, **self.roles, **more)


CASES = [(2, metric) for metric in ("accuracy", "roc_auc", "brier", "log_loss", "f1")]
CASES += [(3, metric) for metric in ("accuracy", "log_loss", "f1")] + [(0, "rmse"), (0, "mae")]


class TestAgainstOthers:
    @pytest.mark.parametrize(("classes", "metric"), CASES)
    @pytest.mark.parametrize("jumpy", [0.1, 2.0])
    def test_an_independent_rewrite(self, kernel, classes, metric, jumpy):
        fits = Fits(classes, jumpy=jumpy)
        ours, theirs = fits.found(metric), fits.expected(kernel, metric)
        assert ours.difference == pytest.approx(theirs.value, rel=1e-9, abs=1e-14)
        assert ours.standard_error**2 == pytest.approx(theirs.variance, rel=1e-9)
        assert ours.df == pytest.approx(theirs.df, rel=1e-9)
        assert ours.p == pytest.approx(theirs.p, rel=1e-9)
        assert ours.details["training"]["adds"] == pytest.approx(theirs.ratio - 1, abs=1e-9)

    def test_six_deals(self, kernel):
        fits = Fits(2, deals=6)
        assert fits.found("brier").standard_error ** 2 == pytest.approx(
            fits.expected(kernel, "brier").variance, rel=1e-9
        )

    @pytest.mark.parametrize("jumpy", [0.1, 0.6, 2.0])
    @pytest.mark.parametrize("metric", ["accuracy", "brier", "log_loss"])
    def test_the_scripts_it_was_found_with(self, shared, monkeypatch, metric, jumpy):
        """Their `rule` gives the estimate, W, df and parts of the values of groups; the bounds are those of the text.

        Their code takes the smaller of W and the corrected variance where training rows dominate; the text does not.
        """
        rule = imported(shared / "findings" / "procedures", "final", monkeypatch).rule
        fits = Fits(2, jumpy=jumpy)
        a, b = (losses(metric, fits.truth[fits.row], said) for said in fits.said)
        each = a - b
        at = np.repeat(np.arange(len(fits.tested)), fits.tested.sum(axis=1))
        cells, rows = np.zeros((1, 3, 6, 6, 1)), np.zeros((1, 3, 1))
        for deal in range(3):
            inside = at // 15 == deal
            mean = np.bincount(fits.row[inside], each[inside]) / 5
            rows[0, deal, 0] = mean.var(ddof=1) / ROWS
            for number in range(15 * deal, 15 * deal + 15):
                group = fits.group[deal][fits.row[at == number]]
                u, v = sorted(set(group.tolist()))
                for tested, beside in ((u, v), (v, u)):
                    cells[0, deal, tested, beside, 0] = each[at == number][group == tested].mean()
        with np.errstate(over="ignore"):
            value, wide, df, parts = rule(cells, rows, ROWS)
        bounded = np.where(wide > 4 * parts["RV"], parts["NB"], np.minimum(wide, 2.5 * parts["NB"]))
        variance = np.maximum(bounded, parts["RV"])
        ours = fits.found(metric)
        assert ours.difference == pytest.approx(value.item(), rel=1e-9, abs=1e-14)
        assert ours.standard_error**2 == pytest.approx(variance.item(), rel=1e-9)
        assert ours.df == pytest.approx(df.item(), rel=1e-9)

    def test_products_of_pieces_add_up(self, kernel):
        """For rows and, where training rows add to the variance, for the difference of two models as a whole."""
        fits = Fits(2, jumpy=0.6)
        contest = contest_of(predictions_of(fits), metrics["brier"], unit="fold")
        (a, whole_a), (b, whole_b) = (
            kernel.judged("brier", fits.truth, fits.by_pairs(kernel, said), fits.group) for said in fits.said
        )
        strata = np.zeros(ROWS, int)
        each = [kernel.estimate(*one, fits.group, strata) for one in ((a, whole_a), (b, whole_b))]
        of_rows = [np.nanmean(one, axis=1).var(axis=1, ddof=1).mean() / ROWS for one in (a, b)]
        pieces = contest.pieces
        for own, rows in zip(pieces, of_rows, strict=True):
            assert (own[: 3 * ROWS] ** 2).sum() == pytest.approx(rows, rel=1e-9)
        assert [one.ratio > 1 for one in each] == [True, True]
        covariance = contest.covariance
        for place, one in enumerate(each):
            # Each model's own excess is in the diagonal, but for what could be no variance of both together.
            assert covariance[place, place] >= one.ratio * of_rows[place] * (1 - 1e-9)


def losses(metric, truth, said):
    of_truth = np.where(truth == 1, said, 1 - said)
    return {"accuracy": (of_truth >= 0.5) * 1.0, "brier": (1 - of_truth) ** 2, "log_loss": -np.log(of_truth)}[metric]


def predictions_of(fits, **more):
    names = dict(zip("ab", fits.said, strict=True))
    return Predictions.from_arrays(fits.truth[fits.row], names, positive=1, **fits.roles | more)


class TestDegenerate:
    @pytest.mark.parametrize("metric", ["roc_auc", "brier"])
    def test_exchanging_the_models_mirrors_everything(self, metric):
        fits = Fits(2)
        found = fits.found(metric)
        fits.said.reverse()
        other = fits.found(metric)
        for one, mirrored in (("difference", "difference"), ("low", "high"), ("high", "low")):
            assert getattr(found, one) == pytest.approx(-getattr(other, mirrored), rel=1e-12)
        assert found.p == pytest.approx(other.p, rel=1e-12)

    def test_identical_procedures(self):
        fits = Fits(2)
        fits.said[1] = fits.said[0]
        found = fits.found("roc_auc")
        assert (found.difference, found.p, found.outcome, found.standard_error) == (0.0, 1.0, "tie", 0.0)

    def test_a_difference_that_is_the_same_everywhere_is_no_certainty(self):
        fits = Fits(0)
        fits.said = [fits.truth[fits.row] + 1.0, fits.truth[fits.row] + 2.0]
        found = fits.found("mae")
        assert (found.p, found.outcome) == (None, "tie")
        assert [notice.code for notice in found.warnings] == ["W_ZEROVAR"]

    def test_losses_that_only_the_tested_row_decides(self):
        """The jackknife is then the variance of the folds, and training rows add nothing: by algebra."""
        fits = Fits(0)
        own = np.random.default_rng(1).random(ROWS)
        fits.said = [fits.truth[fits.row] + own[fits.row], fits.truth[fits.row]]
        found = fits.found("mae")
        assert found.standard_error**2 == pytest.approx(own.var(ddof=1) / ROWS, rel=1e-9)
        assert (found.df, found.details["training"]["adds"]) == (ROWS - 1, pytest.approx(0, abs=1e-9))


class TestRecognised:
    def test_in_any_order_of_rows_and_by_any_names(self):
        fits = Fits(2)
        usual = fits.found("roc_auc")
        order = np.random.default_rng(3).permutation(len(fits.row))
        fits.said = [said[order] for said in fits.said]
        fits.row, fits.fold, fits.repeat = fits.row[order], fits.fold[order], fits.repeat[order].astype(str)
        assert fits.found("roc_auc").standard_error == pytest.approx(usual.standard_error, rel=1e-12)

    def test_other_splits_are_not(self):
        y = np.arange(60) % 2
        splits = list(schemes["k_fold(k=3, repeats=15)"].splits(y, y))
        row = np.concatenate([split.test for split in splits])
        sizes = [len(split.test) for split in splits]
        fold, repeat = (np.repeat([getattr(split, key) for split in splits], sizes) for key in ("fold", "repeat"))
        said = np.random.default_rng(0).random(len(row))
        given = {"id": row, "fold": fold, "repeat": repeat}
        assert LeftOut.of(Predictions.from_arrays(y[row], {"a": said}, **given)) is None
        with pytest.raises(RefereeError, match="every two of several groups") as caught:
            TEST(y[row], said, said[::-1], metric="brier", **given)
        assert (caught.value.code, caught.value.exit) == ("E_DESIGN", 2)

    def test_weights_and_groups_are_not(self):
        fits = Fits(2)
        assert LeftOut.of(predictions_of(fits)) is not None
        assert LeftOut.of(predictions_of(fits, weight=1.0 + fits.row % 2)) is None
        assert LeftOut.of(predictions_of(fits, group=fits.row // 2)) is None

    def test_a_file_of_such_predictions(self, tmp_path):
        fits = Fits(2)
        columns = {"y": fits.truth[fits.row], "a": fits.said[0], "b": fits.said[1], "row": fits.row}
        columns |= {"fold": fits.fold, "repeat": fits.repeat}
        lines = [",".join(columns), *(",".join(map(str, each)) for each in zip(*columns.values(), strict=True))]
        (tmp_path / "p.csv").write_text("\n".join(lines))
        given = {"truth": "y", "models": ["a", "b"], "id": "row", "fold": "fold", "repeat": "repeat", "positive": 1}
        verdict = referee.compare(str(tmp_path / "p.csv"), goal="brier", test="leave_two_out_t", **given)
        assert verdict.design.kind == "left_out"
        assert verdict.comparisons[0].p == pytest.approx(fits.found("brier").p, rel=1e-9)
        again = referee.compare(str(tmp_path / "p.csv"), goal="brier", unit="fold", **given)
        assert again.comparisons[0].p == verdict.comparisons[0].p


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(5)
    x = random.normal(size=(150, 4))
    return x, (x[:, 0] + random.normal(size=150) > 0).astype(int)


@pytest.fixture(scope="module")
def selected(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    asked = {"goal": "roc_auc", "positive": 1, "scheme": "leave_two_groups_out", "metrics": "goal", "store": folder}
    return select(["logistic", "knn(k=5)", "dummy"], *table, **asked), folder


class TestSelect:
    def test_the_verdict(self, selected):
        verdict, _ = selected
        assert (verdict.design.kind, verdict.test.name) == ("left_out", "leave_two_out_t")
        assert verdict.selection.splits == 45
        found = json.loads(verdict.to_json())
        assert found["design"] == "left_out"
        assert all("adds" in pair["details"]["training"] for pair in found["comparisons"])
        assert len(verdict.tiers) >= 1 and verdict.corrected is not None

    def test_the_interval_is_that_of_the_procedure(self, selected):
        """On the logit scale, by the variance with training rows, which is larger than that of the rows alone."""
        verdict, _ = selected
        contest = contest_of(verdict.predictions, metrics["roc_auc"], unit="fold")
        for name in ("logistic", "knn"):
            refits, score = contest.contenders[name].refits, verdict.goal_scores[name, "roc_auc"]
            reach = student.ppf(0.975, refits.spread.df) * refits.spread.standard_error
            value = refits.value
            ends = [np.log(value / (1 - value)) + side * reach / (value * (1 - value)) for side in (-1, 1)]
            assert [score.low, score.high] == pytest.approx([1 / (1 + np.exp(-end)) for end in ends], rel=1e-9)
            assert score.value == pytest.approx(value)
            assert verdict.values[name] == score.value

    def test_a_stored_run_says_the_same(self, selected):
        verdict, folder = selected
        again = referee.compare(read_run(folder), goal="roc_auc", metrics="goal")
        assert again.sentence == verdict.sentence
        assert again.design.kind == "left_out"

    def test_the_corrected_test_stays_by_name(self, table):
        asked = {"goal": "brier", "positive": 1, "metrics": "goal"}
        verdict = select(["logistic", "dummy"], *table, scheme="leave_two_groups_out(deals=1)", **asked,
                         test="corrected_resampled_t")  # fmt: skip
        assert (verdict.design.kind, verdict.test.name) == ("splits", "corrected_resampled_t")

    def test_the_default_is_the_other_scheme(self, table):
        verdict = select(["logistic", "dummy"], *table, goal="brier", positive=1, metrics="goal")
        assert verdict.selection.scheme == "random_subsampling"

    @pytest.mark.parametrize("said", ["weight", "group"])
    def test_weights_and_groups_are_refused_before_fitting(self, referee, tmp_path, said):
        rows = [f"{i % 7},{i % 5},{i % 2}" for i in range(60)]
        (tmp_path / "d.csv").write_text("\n".join(["x,w,y", *rows]))
        run = referee("select", tmp_path / "d.csv", "--target", "y", "--models", "tree,dummy", "--goal", "accuracy",
                      "--scheme", "leave_two_groups_out", f"--{said}", "w")  # fmt: skip
        assert (run.json["error"]["code"], run.code) == ("E_SCHEME", 2)
        assert "random_subsampling" in run.json["error"]["hint"]

    @pytest.mark.parametrize(("rows", "positives", "code"), [(11, 5, "E_TOOFEW"), (60, 5, "E_FOLDS")])
    def test_small_data_are_refused(self, rows, positives, code):
        y = np.arange(rows) < positives
        with pytest.raises(RefereeError) as caught:
            schemes["leave_two_groups_out"].splits(y, y)
        assert (caught.value.code, caught.value.exit) == (code, 4)

    def test_an_odd_number_of_groups_is_refused(self):
        with pytest.raises(RefereeError, match="even"):
            schemes["leave_two_groups_out(groups=5)"].splits(np.zeros(60))


class TestWords:
    @pytest.mark.parametrize("jumpy", [0.3, 0.6])
    def test_how_much_training_rows_add(self, kernel, jumpy):
        fits = Fits(2, rows=ROWS + 30, jumpy=jumpy)
        verdict = referee.compare(predictions_of(fits), "brier", unit="fold", metrics="goal")
        adds = round(100 * (fits.expected(kernel, "brier").ratio - 1))
        assert adds > 0
        assert f"The choice of training rows adds {adds}% to the variance." in verdict.sentence


class TestDoubts:
    @pytest.mark.parametrize(
        ("metric", "rows", "said"),
        [("f_beta", ROWS + 30, "up to 14%"), ("brier", ROWS, "only 90 rows"), ("brier", ROWS + 30, None)],
    )
    def test_where_too_many_winners_were_measured(self, metric, rows, said):
        fits = Fits(2, rows=rows, jumpy=0.05)
        verdict = referee.compare(predictions_of(fits), metric, unit="fold", metrics="goal")
        assert verdict.approximate_reason == said or said in verdict.approximate_reason

    def test_unstable_learners(self):
        fits = Fits(2, rows=ROWS + 30, jumpy=1.3)
        verdict = referee.compare(predictions_of(fits), "brier", unit="fold", metrics="goal")
        assert verdict.comparisons[0].details["training"]["unstable"]
        assert "unstable" in verdict.sentence


class TestOutOfFold:
    def test_a_line_on_the_procedures(self):
        """Twice the row variance with rows less one degrees of freedom, by SciPy."""
        random = np.random.default_rng(2)
        y = random.integers(2, size=300)
        a, b = (np.clip(0.5 + sign * (y - 0.5) + 0.2 * random.normal(size=300), 0.01, 0.99) for sign in (0.7, 0.6))
        verdict = referee.compare(y, {"a": a, "b": b}, goal="brier", metrics="goal", fold=np.arange(300) % 10)
        each = (a - y) ** 2 - (b - y) ** 2
        expected = 2 * student.sf(abs(each.mean()) / np.sqrt(2 * each.var(ddof=1) / 300), 299)
        known = json.loads(verdict.to_json())["comparisons"][0]["details"]["procedures"]
        assert known["p"] == pytest.approx(expected, rel=1e-9)
        shown = verdict.to_markdown()
        assert "twice the row variance" in shown and "procedure" in shown

    def test_one_test_set_has_none(self):
        verdict = referee.compare([0, 1] * 20, {"a": [0.1, 0.9] * 20, "b": [0.3, 0.4] * 20}, goal="brier")
        assert "procedures" not in verdict.comparisons[0].details

    def test_repeats_have_none(self):
        fits = Fits(2)
        verdict = referee.compare(replace(predictions_of(fits), train_rows=None), "brier", unit="row", metrics="goal")
        assert "procedures" not in verdict.comparisons[0].details
