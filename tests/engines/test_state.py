"""States of parts of the rows add up to what the rows say: exactly where that is promised, else within the bound."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from scipy.stats import ttest_rel
from sklearn import metrics as foreign

import referee
from referee.cli.commands import referee as command
from referee.errors import RefereeError
from referee.predictions import STATE_MAGIC

ROWS = 6_000
draw = np.random.default_rng(7)
TRUTH = (draw.random(ROWS) < 0.3).astype(int)
SHARED = draw.normal(size=ROWS)


def scores(signal, digits=None):
    made = 1 / (1 + np.exp(-(signal * TRUTH - 1 + 0.6 * SHARED + draw.normal(size=ROWS))))
    return made if digits is None else np.round(made, digits)


MODELS = {"a": scores(1.2), "b": scores(1.0), "c": scores(1.1, 2)}
CUTS = (0, 1_500, 1_501, ROWS)


def state_of(truth, models, cuts=CUTS, **said):
    parts = [slice(*ends) for ends in pairwise(cuts)]
    states = [referee.summarise(truth[part], {k: v[part] for k, v in models.items()}, **said) for part in parts]
    return sum(states[1:], states[0])


@pytest.fixture(scope="module")
def state():
    return state_of(TRUTH, MODELS, metrics="f1")


def table_of(tmp_path, name, part):
    path = tmp_path / name
    pq.write_table(pa.table({"y": TRUTH[part], **{k: v[part] for k, v in MODELS.items()}}), path)
    return str(path)


def test_counts_are_those_of_all_rows(state):
    scored = referee.evaluate(state, metrics=["accuracy", "f1", "mcc", "kappa", "balanced_accuracy"])
    for name, column in MODELS.items():
        label = column >= 0.5
        assert scored.confusion[name].tolist() == foreign.confusion_matrix(TRUTH, label).tolist()
        assert scored[name, "accuracy"].value == foreign.accuracy_score(TRUTH, label)
        assert scored[name, "f1"].value == pytest.approx(foreign.f1_score(TRUTH, label), rel=1e-14)
        assert scored[name, "mcc"].value == pytest.approx(foreign.matthews_corrcoef(TRUTH, label), rel=1e-13)
        assert scored[name, "kappa"].value == pytest.approx(foreign.cohen_kappa_score(TRUTH, label), rel=1e-13)


def test_row_terms_are_those_of_all_rows(state):
    scored = referee.evaluate(state, metrics=["log_loss", "brier"])
    for name, column in MODELS.items():
        assert scored[name, "log_loss"].value == pytest.approx(foreign.log_loss(TRUTH, column), rel=1e-13)
        assert scored[name, "brier"].value == pytest.approx(foreign.brier_score_loss(TRUTH, column), rel=1e-13)


def test_paired_test_of_row_terms_is_scipys(state):
    losses = {name: (column - TRUTH) ** 2 for name, column in MODELS.items()}
    verdict = referee.compare(state, goal="brier")
    for comparison in verdict.comparisons:
        expected = ttest_rel(losses[comparison.a], losses[comparison.b])
        assert comparison.statistic == pytest.approx(expected.statistic, rel=1e-9)


@pytest.mark.parametrize("goal", ["roc_auc", "average_precision"])
def test_rankings_are_within_the_bound_that_is_printed(state, goal):
    value = {"roc_auc": foreign.roc_auc_score, "average_precision": foreign.average_precision_score}[goal]
    scored = referee.evaluate(state, metrics=goal)
    (notice,) = [notice for notice in scored.notices if notice.code == "W_BINS"]
    bound = float(re.search(rf"{goal} is exact to within ([\d.e-]+)", notice.message)[1])
    off = {name: abs(scored[name, goal].value - value(TRUTH, column)) for name, column in MODELS.items()}
    assert 0 < max(off.values()) <= bound * 1.05  # which is printed with two digits
    assert off["c"] < 1e-12  # whose scores are few: every bin holds one


def test_bound_at_a_million_rows_is_that_of_its_formula():
    """SUM p q / 2PN over the bins, as half of the pairs within a bin count."""
    rows = 1_000_000
    truth, column = np.arange(rows) % 5 == 0, np.random.default_rng(1).random(rows)
    scored = referee.evaluate(referee.summarise(truth, {"m": column}), metrics="roc_auc")
    (notice,) = [notice for notice in scored.notices if notice.code == "W_BINS"]
    bins = np.minimum((column * 65536).astype(int), 65535)
    positives, negatives = np.bincount(bins[truth], minlength=65536), np.bincount(bins[~truth], minlength=65536)
    expected = (positives * negatives).sum() / 2 / truth.sum() / (~truth).sum()
    assert f"roc_auc is exact to within {expected:.1e}" in notice.message
    assert expected < 9e-6
    assert abs(scored["m", "roc_auc"].value - foreign.roc_auc_score(truth, column)) <= expected


@pytest.mark.parametrize("goal", ["accuracy", "precision", "log_loss", "mcc", "probability_mae"])
def test_verdict_is_that_of_the_rows(state, goal):
    of_state, of_rows = referee.compare(state, goal=goal), referee.compare(TRUTH, MODELS, goal=goal, metrics="goal")
    assert of_state.sentence == of_rows.sentence
    assert (of_state.outcome, of_state.winners, of_state.tiers) == (of_rows.outcome, of_rows.winners, of_rows.tiers)
    assert of_state.better_than_guessing == of_rows.better_than_guessing
    for one_way, other in zip(of_state.comparisons, of_rows.comparisons, strict=True):
        assert one_way.p == pytest.approx(other.p, rel=1e-9)
        assert one_way.standard_error == pytest.approx(other.standard_error, rel=1e-9)


def test_joint_bins_give_the_standard_error_within_their_bound(monkeypatch):
    from referee.predictions import state_sums

    monkeypatch.setattr(state_sums, "MOST_JOINT_CELLS", 600)
    verdict = referee.compare(state_of(TRUTH, MODELS), goal="roc_auc")
    (notice,) = [notice for notice in verdict.warnings if notice.code == "W_BINS"]
    share = float(re.search(r"differences to within ([\d.e-]+)%", notice.message)[1]) / 100
    of_rows = referee.compare(TRUTH, MODELS, goal="roc_auc", test="delong", metrics="goal")
    off = [
        abs(a.standard_error / b.standard_error - 1)
        for a, b in zip(verdict.comparisons, of_rows.comparisons, strict=True)
    ]
    assert 1e-6 < max(off) <= share * 1.05
    assert verdict.outcome == of_rows.outcome


def test_mcnemar_takes_counts_of_decisions():
    asked = {"goal": "accuracy", "test": "mcnemar", "metrics": "goal"}
    backwards = dict(reversed(MODELS.items()))
    for models in (MODELS, backwards):
        found, expected = (referee.compare(*given, **asked) for given in ((state_of(TRUTH, MODELS),), (TRUTH, models)))
        assert found.sentence == expected.sentence
        pairs = {frozenset((pair.a, pair.b)): pair for pair in expected.comparisons}
        for pair in found.comparisons:
            other = pairs[frozenset((pair.a, pair.b))]
            assert (pair.p, pair.details["rows"]) == (other.p, other.details["rows"])
            if pair.a == other.a:
                assert pair.details["only_a"] == other.details["only_a"]


def test_numbers():
    draw = np.random.default_rng(3)
    truth = draw.normal(1e4, 2, ROWS)
    models = {"a": truth + draw.normal(size=ROWS), "b": truth * 1.00001 + draw.normal(0, 1.05, ROWS)}
    state = state_of(truth, models, metrics="pinball(level=0.9)")
    scored = referee.evaluate(state, metrics=["rmse", "mae", "r2", "pinball(level=0.9)"])
    for name, column in models.items():
        assert scored[name, "rmse"].value == pytest.approx(foreign.root_mean_squared_error(truth, column), rel=1e-12)
        assert scored[name, "mae"].value == pytest.approx(foreign.mean_absolute_error(truth, column), rel=1e-12)
        assert scored[name, "r2"].value == pytest.approx(foreign.r2_score(truth, column), rel=1e-9)
        pinball = foreign.mean_pinball_loss(truth, column, alpha=0.9)
        assert scored[name, "pinball(level=0.9)"].value == pytest.approx(pinball, rel=1e-12)
    for goal in ("rmse", "r2", "correlation"):
        (of_state,) = referee.compare(state, goal=goal).comparisons
        (of_rows,) = referee.compare(truth, models, goal=goal, metrics="goal").comparisons
        assert of_state.standard_error == pytest.approx(of_rows.standard_error, rel=1e-8)
        assert of_state.df == pytest.approx(of_rows.df, rel=1e-6)


def test_three_classes():
    draw = np.random.default_rng(5)
    truth = draw.choice(["x", "y", "z"], ROWS)
    shift = np.array(["x", "y", "z"]) == truth[:, None]
    raw = {name: np.exp(k * shift + draw.normal(size=(ROWS, 3))) for name, k in (("a", 1.0), ("b", 0.8))}
    models = {name: numbers / numbers.sum(axis=1, keepdims=True) for name, numbers in raw.items()}
    state = state_of(truth, models, classes=["x", "y", "z"])
    scored = referee.evaluate(state, metrics=["log_loss", "f1_macro"])
    for name, column in models.items():
        assert scored[name, "log_loss"].value == pytest.approx(foreign.log_loss(truth, column), rel=1e-12)
        label = np.array(["x", "y", "z"])[column.argmax(axis=1)]
        expected = foreign.f1_score(truth, label, average="macro")
        assert scored[name, "f1_macro"].value == pytest.approx(expected, rel=1e-12)
    with pytest.raises(RefereeError, match="roc_auc of several classes"):
        referee.compare(state, goal="roc_auc")


def test_order_and_halves_do_not_matter(state):
    again = state_of(TRUTH, MODELS, cuts=(0, 4_000, ROWS), metrics="f1")
    for goal in ("log_loss", "roc_auc"):
        first, second = (referee.compare(each, goal=goal).comparisons[0] for each in (state, again))
        assert first.difference == pytest.approx(second.difference, abs=1e-15)
        assert first.standard_error == pytest.approx(second.standard_error, rel=1e-12)


def test_command_line(tmp_path):
    run = CliRunner()
    files = [
        table_of(tmp_path, f"{place}.parquet", part) for place, part in enumerate((slice(2000), slice(2000, None)))
    ]
    states = [file.replace(".parquet", ".state") for file in files]
    for file, state in zip(files, states, strict=True):
        made = run.invoke(command, ["summarise", file, "--truth", "y", "--out", state])
        assert made.exit_code == 0
        assert "rows of 'a', 'b' and 'c'" in made.output
    whole = table_of(tmp_path, "whole.parquet", slice(None))
    of_rows = json.loads(
        run.invoke(command, ["compare", whole, "--truth", "y", "--goal", "log_loss", "--format", "json"]).output
    )
    of_states = json.loads(run.invoke(command, ["compare", *states, "--goal", "log_loss", "--format", "json"]).output)
    assert of_states["verdict"]["sentence"] == of_rows["verdict"]["sentence"]
    assert of_states["rows"] == ROWS
    asked = ["--goal", "brier", "--production", "b", "--candidate", "a", "--margin", "0.01"]
    assert run.invoke(command, ["gate", *states, *asked]).exit_code == 0
    week = str(tmp_path / "week.state")
    assert run.invoke(command, ["summarise", *states, "--out", week]).exit_code == 0
    sentence = referee.compare(week, goal="log_loss").sentence
    assert sentence == of_rows["verdict"]["sentence"]


def test_stream_gives_the_same_state(tmp_path):
    file = table_of(tmp_path, "rows.parquet", slice(None))
    run = CliRunner()
    for name, more in (("memory.state", []), ("stream.state", ["--max-memory", "1MB"])):
        assert (
            run.invoke(command, ["summarise", file, "--truth", "y", "--out", str(tmp_path / name), *more]).exit_code
            == 0
        )
    both = [referee.compare(str(tmp_path / name), goal="roc_auc") for name in ("memory.state", "stream.state")]
    assert both[0].sentence == both[1].sentence
    assert both[0].predictions.fingerprint == both[1].predictions.fingerprint


def saved(tmp_path, state, name="x.state"):
    path = tmp_path / name
    state.save(path)
    return path


def refused(call, code, match):
    with pytest.raises(RefereeError, match=match) as caught:
        call()
    assert caught.value.code == code


def test_states_that_do_not_go_together(tmp_path, state):
    part = slice(100)
    two = {"a": MODELS["a"][part], "b": MODELS["b"][part]}
    path = saved(tmp_path, state)
    others = {
        "models": referee.summarise(TRUTH[part], two),
        "threshold": referee.summarise(TRUTH[part], {k: v[part] for k, v in MODELS.items()}, threshold=0.4),
        "positive": referee.summarise(TRUTH[part], {k: v[part] for k, v in MODELS.items()}, positive=0),
    }
    for name, other in others.items():
        there = saved(tmp_path, other, f"{name}.state")
        refused(
            lambda there=there: referee.compare(path, there, goal="f1"),
            "E_STATE",
            f"{name}.state cannot be added.*{name}",
        )
    refused(lambda: referee.compare(path, path, goal="f1"), "E_STATE", "already in")
    refused(lambda: referee.compare(path, "rows.csv", goal="f1"), "E_STATE", "rows.csv is not a state")


@pytest.mark.parametrize("role", ["weight", "group", "fold"])
def test_rows_that_no_state_has(role):
    rows = {role: np.arange(ROWS) % 5 + 1}
    refused(lambda: referee.summarise(TRUTH, MODELS, **rows), "E_ROLE", f"{role}.* is not for states")


def test_damaged_files(tmp_path, state):
    path = saved(tmp_path, state)
    data = path.read_bytes()
    begin = len(STATE_MAGIC) + 8
    end = begin + int.from_bytes(data[len(STATE_MAGIC) : begin], "little")
    header = json.loads(data[begin:end])

    def with_header(**changed):
        text = json.dumps(header | changed).encode()
        return STATE_MAGIC + len(text).to_bytes(8, "little") + text + data[end:]

    huge = json.loads(json.dumps(header["tables"]))
    next(iter(huge.values()))["arrays"]["keys"][1] = 10**15
    cases = {
        "shorter": (data[:-100], "damaged"), "flipped": (data[:-50] + b"\x00" * 50, "damaged"),
        "later": (with_header(version=2), "state of format 2"), "huge": (with_header(tables=huge), "is too big"),
        "lost": (with_header(about={}), "damaged"), "empty": (STATE_MAGIC, "damaged"),
    }  # fmt: skip
    for name, (content, match) in cases.items():
        path.write_bytes(content)
        with pytest.raises(RefereeError, match=match):
            referee.State.read(path)
        assert name


def test_a_file_that_is_no_state_is_not_overwritten(tmp_path, referee):
    rows = tmp_path / "rows.csv"
    rows.write_text("y,a\n" + "0,0.2\n1,0.7\n" * 20)
    found = referee("summarise", rows, "--truth", "y", "--out", rows, form="")
    assert (found.code, "E_EXISTS" in found.err) == (6, True)
    assert rows.read_text().startswith("y,a\n")
    out = tmp_path / "rows.state"
    for _ in range(2):  # a state may be made again
        assert referee("summarise", rows, "--truth", "y", "--out", out, form="").code == 0
