"""Guards of a gate: the intervals are those of plain arithmetic, and one guard that fails stops the candidate."""

from __future__ import annotations

import xml.etree.ElementTree as Xml

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import norm, t

from benchmarks.engines import duckdb_file, table
from referee import Predictions, compare, gate
from referee.errors import RefereeError, UsageError

PAIR = {"production": "old", "candidate": "new"}
ROWS = 6000
REGIONS = np.array(["north", "south", "west"])


@pytest.fixture(scope="module")
def drawn():
    """A candidate as good as production, but for positives in the north: there it finds a third less."""
    random = np.random.default_rng(5)
    truth, region = random.integers(0, 2, ROWS), random.integers(0, 3, ROWS)
    right = {name: random.random(ROWS) < 0.9 for name in ("old", "new")}
    right["new"] &= ~((region == 0) & (truth == 1) & (random.random(ROWS) < 0.33))
    return truth, region, {name: np.where(each, truth, 1 - truth) for name, each in right.items()}


@pytest.fixture(scope="module")
def predictions(drawn):
    truth, region, models = drawn
    return Predictions.from_arrays(truth, models, by={"region": REGIONS[region]})


def interval_by_hand(drawn, rows, alpha):
    """Of the difference of recalls: both have the same positives, so it is a mean of paired differences over them."""
    truth, _, models = drawn
    positives = rows & (truth == 1)
    each = models["new"][positives].astype(float) - models["old"][positives]
    error = each.std() / len(each) ** 0.5
    return each.mean() + np.array([-1, 1]) * norm.ppf(1 - alpha) * error


def test_intervals_are_those_of_the_positives(drawn, predictions):
    found = gate(predictions, goal="specificity", margin=0.03, guards={"recall": 0.03}, by="region", **PAIR)
    everywhere, *slices = found.guards
    _, region, _ = drawn
    assert [guard.slice for guard in slices] == [*REGIONS]
    np.testing.assert_allclose(
        (everywhere.low, everywhere.high), interval_by_hand(drawn, region >= 0, 0.05), rtol=0, atol=2e-4
    )
    for code, guard in enumerate(slices):
        expected = interval_by_hand(drawn, region == code, 0.05 / 3)
        np.testing.assert_allclose((guard.low, guard.high), expected, rtol=0, atol=5e-4)
        shown = "pass" if expected[0] > -0.03 else "fail" if expected[1] < -0.03 else "inconclusive"
        assert guard.outcome == shown


def test_a_slice_that_is_shown_to_be_worse_stops_the_candidate(predictions):
    alone = gate(predictions, goal="specificity", margin=0.05, **PAIR)
    found = gate(predictions, goal="specificity", margin=0.05, guards={"recall": 0.2}, by="region", **PAIR)
    assert alone.passed and not alone.guards
    assert [guard.outcome for guard in found.guards] == ["pass", "fail", "pass", "pass"]
    assert found.outcome == "fail" and not found.passed
    assert found.sentence.startswith("Fail because of a guard: recall in north is worse by more than 0.2000")
    assert found.sentence.endswith(alone.sentence[1:])


def test_slices_too_small_to_say_do_not_stop_it(drawn):
    truth, _, models = drawn
    few = np.arange(ROWS) < 12
    both = Predictions.from_arrays(truth, models, by={"part": np.where(few, "few", "most")})
    found = gate(both, goal="specificity", margin=0.05, guards={"recall": 0.2}, by="part", **PAIR)
    assert {guard.slice: guard.outcome for guard in found.guards} == {
        None: "pass",
        "few": "inconclusive",
        "most": "pass",
    }
    assert found.passed and found.sentence.endswith(
        "in none of 2 slices is it shown to be worse; 1 of them is too small to say."
    )


@pytest.mark.parametrize(("inconclusive", "passed"), [("fail", False), ("pass", True)])
def test_a_guard_on_all_rows_must_be_shown(inconclusive, passed):
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, 200)
    models = {name: np.where(random.random(200) < 0.9, truth, 1 - truth) for name in ("old", "new")}
    both = Predictions.from_arrays(truth, models)
    found = gate(both, goal="accuracy", margin=0.5, guards={"recall": 0.001}, inconclusive=inconclusive, **PAIR)
    assert (found.outcome, found.passed) == ("inconclusive", passed)
    assert found.guards[0].outcome == "inconclusive"


def test_a_guard_decides_as_a_gate_on_its_metric_does(predictions):
    for metric, margin in (("accuracy", 0.03), ("mcc", 0.05), ("recall", 0.2)):
        (guard,) = gate(predictions, goal="specificity", margin=0.05, guards={metric: margin}, **PAIR).guards
        assert guard.outcome == gate(predictions, goal=metric, margin=margin, **PAIR).outcome
        pair = compare(predictions, goal=metric, metrics=[metric], alpha=0.1).comparisons[0]
        sign = 1 if pair.a == "new" else -1
        np.testing.assert_allclose(sorted((guard.low, guard.high)), sorted((sign * pair.low, sign * pair.high)))


@pytest.mark.parametrize(
    ("guards", "code", "said"),
    [
        (["recall"], "E_GUARD", "metrics with their margins"),
        ("recall:0.01", "E_GUARD", "metrics with their margins"),
        ({"recall": "much"}, "E_CALL", "margin='much': a number is needed"),
        ({"recall": -0.1}, "E_MARGIN", "-0.1 must be a positive number"),
        ({"recal": 0.1}, "E_UNKNOWN", "did you mean 'recall'"),
    ],
)
def test_guards_that_are_none(predictions, guards, code, said):
    with pytest.raises(RefereeError, match=said) as refused:
        gate(predictions, goal="accuracy", margin=0.05, guards=guards, **PAIR)
    assert refused.value.code == code


def test_guards_and_looks_do_not_mix(predictions, tmp_path):
    with pytest.raises(UsageError, match="guards are looked at once"):
        gate(
            predictions, goal="accuracy", margin=0.05, guards={"recall": 0.1}, ledger=tmp_path / "l.jsonl", looks=2,
            until=10_000, **PAIR,
        )  # fmt: skip


@pytest.fixture
def file(tmp_path, drawn):
    truth, region, models = drawn
    path = tmp_path / "preds.csv"
    lines = (f"{y},{REGIONS[r]},{a},{b}\n" for y, r, a, b in zip(truth, region, *models.values(), strict=True))
    path.write_text("y,region,old,new\n" + "".join(lines))
    return path


ARGUMENTS = ("--truth", "y", "--goal", "specificity", "--production", "old", "--candidate", "new", "--margin", "0.05")


def test_the_command_and_its_junit_file(referee, file, tmp_path):
    junit = tmp_path / "gate.xml"
    found = referee("gate", file, *ARGUMENTS, "--guard", "recall:0.2", "--by", "region", "--junit", junit)
    assert found.code == 1
    guards = found.json["gate"]["guards"]
    assert [(guard["metric"], guard["slice"], guard["outcome"]) for guard in guards] == [
        ("recall", None, "pass"), ("recall", "north", "fail"), ("recall", "south", "pass"), ("recall", "west", "pass"),
    ]  # fmt: skip
    suite = Xml.parse(junit).getroot()
    assert suite.attrib["tests"] == "5" and suite.attrib["failures"] == "2" == str(len(suite.findall("*/failure")))
    assert [case.attrib["name"] for case in suite if case.find("failure") is not None] == [
        "specificity", "guard recall in north",
    ]  # fmt: skip


def test_what_is_left_open_and_let_through_is_skipped(referee, file, tmp_path):
    junit = tmp_path / "gate.xml"
    options = ("--guard", "f1:0.0001", "--inconclusive", "pass", "--junit", junit)
    found = referee("gate", file, *ARGUMENTS[:-1], "0.2", *options)
    outcome = found.json["gate"]["guards"][0]["outcome"]
    cases = {case.attrib["name"]: [part.tag for part in case] for case in Xml.parse(junit).getroot()}
    assert outcome != "pass" and cases["guard f1"] == (["failure"] if outcome == "fail" else ["skipped"])


@pytest.mark.parametrize("text", ["recall", "recall:", ":0.1", "recall:much"])
def test_a_guard_without_a_margin(referee, file, text):
    found = referee("gate", file, *ARGUMENTS, "--guard", text)
    assert found.code == 2 and "METRIC:MARGIN" in found.json["error"]["message"]


def test_names_that_xml_cannot_hold(referee, tmp_path):
    path = tmp_path / "p.csv"
    names = ("a<b&\"c'", "\x0bnew")
    rows = "".join(f"{i % 2},{i % 2},{i % 2}\n" for i in range(100))
    path.write_text('y,"a<b&""c\'",\x0bnew\n' + rows)
    junit = tmp_path / "gate.xml"
    found = referee(
        "gate", path, "--truth", "y", "--goal", "accuracy", "--production", names[0], "--candidate", names[1],
        "--margin", "0.1", "--junit", junit,
    )  # fmt: skip
    assert found.code == 0, found.err
    assert Xml.parse(junit).getroot()[0].attrib["classname"] == "�new vs a<b&\"c'"


def test_every_format_shows_the_guards(referee, file, tmp_path):
    page = tmp_path / "gate.html"
    options = ("gate", file, *ARGUMENTS, "--guard", "recall:0.2", "--by", "region", "--html", page)
    for form in ("text", "md", "latex"):
        shown = referee(*options, form=form).out
        assert "north" in shown and "inconclusive" not in shown and "Guards" in shown
    assert "<h2" in page.read_text() and "Guards" in page.read_text()


def test_intervals_use_a_t_distribution_of_few_rows():
    """Differences of paired zeros and ones on 40 rows: the interval is wider than the normal one, as t's is."""
    random = np.random.default_rng(3)
    truth = np.arange(40) % 2
    models = {name: np.where(random.random(40) < 0.8, truth, 1 - truth) for name in ("old", "new")}
    both = Predictions.from_arrays(truth, models)
    (guard,) = gate(both, goal="recall", margin=0.5, guards={"accuracy": 0.3}, **PAIR).guards
    each = (models["new"] == truth).astype(float) - (models["old"] == truth)
    half = t.ppf(0.95, 39) * each.std(ddof=1) / 40**0.5
    np.testing.assert_allclose((guard.low, guard.high), each.mean() + np.array([-half, half]), rtol=0.02)


@pytest.mark.parametrize("roles", [{}, {"weight": "w"}, {"group": "person"}, {"fold": "fold", "unit": "fold"}])
def test_slices_of_a_database_are_guarded_there(roles):
    """Except where folds of slices are counted, which takes the rows."""
    rows, asked = table(900), {"truth": "y", "models": ["a", "b"], "production": "b", "candidate": "a", **roles}
    asked |= {"goal": "log_loss", "margin": 0.02, "guards": {"recall": 0.1, "roc_auc": 0.01}, "by": "region"}
    with duckdb_file(rows) as source:
        found, expected = (gate(each, metrics="goal", **asked) for each in (source, rows))
    assert found.verdict.predictions.has_rows == ("unit" in roles)
    assert found.sentence == expected.sentence and len(found.guards) == 2 + 2 * 3
    for one, other in zip(found.guards, expected.guards, strict=True):
        assert (one.place, one.outcome, one.reason) == (other.place, other.outcome, other.reason)
        for name in ("candidate", "production", "difference", "low", "high"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9, abs=1e-12)


def test_many_slices_of_a_database_take_the_rows():
    rows = table(600).append_column("part", pa.array(np.arange(600) % 51))
    pair = {"truth": "y", "models": ["a", "b"], "production": "b", "candidate": "a", "goal": "accuracy", "margin": 0.1}
    with duckdb_file(rows) as source, pytest.raises(UsageError, match="guards in 51 slices need the rows") as refused:
        gate(source, guards={"recall": 0.1}, by="part", metrics="goal", **pair)
    assert "ReadOptions(engine='memory')" in refused.value.hint
