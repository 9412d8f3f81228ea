"""Gates that are asked again and again: the ledger, its identity checks, and the error of all looks together."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from referee import gate, history
from referee.cli.process import run
from referee.comparing.boundaries import obrien_fleming
from referee.comparing.ledger import read_ledger
from referee.errors import CheckpointError, InputError, UsageError

ASKED = {"goal": "accuracy", "production": "old", "candidate": "new", "margin": 0.02}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "gate.jsonl"


def models(rows=1000, right=(0.85, 0.85), seed=0):
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, 2, rows)
    shares = dict(zip(("old", "new"), right, strict=True))
    both = {name: np.where(draw.random(rows) < share, truth, 1 - truth) for name, share in shares.items()}
    return truth, both


def look(path, truth, both, rows, **options):
    """The gate on the first rows."""
    part = {name: column[rows] if isinstance(rows, slice) else column[:rows] for name, column in both.items()}
    rows = rows if isinstance(rows, slice) else slice(rows)
    return gate(truth[rows], part, ledger=path, positive=1, **{**ASKED, "looks": 5, "until": 1000, **options})


class TestPlannedLooks:
    def test_z_and_boundaries_of_each_look(self, path):
        truth, both = models()
        for rows in (200, 400, 600):
            look(path, truth, both, rows)
        bounds = obrien_fleming(5, 0.05)
        for number, seen in enumerate(history(path).looks):
            rows = 200 * (number + 1)
            each = (both["new"] == truth)[:rows].astype(float) - (both["old"] == truth)[:rows]
            kurtosis = stats.kurtosis(each, fisher=False)
            t = (each.mean() + 0.02) / (each.std(ddof=1) / rows**0.5)
            z = stats.norm.isf(stats.t.sf(t, min(rows - 1, 2 * rows / (kurtosis - 1))))
            assert seen["z"] == pytest.approx(z, rel=1e-9)
            assert seen["boundary"] == pytest.approx(bounds[number], abs=1e-5)
            assert seen["outcome"] == ("pass" if z > bounds[number] else "inconclusive")

    def test_a_candidate_that_passes_has_passed(self, path):
        truth, both = models(right=(0.8, 0.95))
        first = look(path, truth, both, 400)
        later = look(path, truth, both, 1000)
        assert (first.outcome, first.look.is_new, first.look.decided_at) == ("pass", True, 1)
        assert (later.outcome, later.look.is_new, later.look.rows) == ("pass", False, 400)
        assert len(history(path).looks) == 1
        assert bool(later)

    def test_a_candidate_that_is_worse_fails(self, path):
        found = look(path, *models(right=(0.95, 0.8)), 600)
        assert (found.outcome, found.passed) == ("fail", False)
        assert found.sentence.startswith("Fail, look 1 of 5 (600 of 1,000 rows): new is worse than old")

    def test_the_plan_ends(self, path):
        truth, both = models(rows=1200, right=(0.85, 0.843), seed=5)
        assert look(path, truth, both, 1000).outcome == "inconclusive"
        with pytest.raises(CheckpointError, match="the plan ended at 1,000 rows"):
            look(path, truth, both, 1200)

    def test_superiority_needs_both(self, path):
        truth, both = models(right=(0.85, 0.86), seed=5)
        alone = look(path, truth, both, 1000)
        asked = look(path.with_name("other.jsonl"), truth, both, 1000, superiority=True)
        assert (alone.outcome, asked.outcome) == ("pass", "inconclusive")
        sure = models(right=(0.8, 0.95))
        assert look(path.with_name("sure.jsonl"), *sure, 1000, superiority=True).outcome == "pass"

    def test_of_a_loss_less_is_better(self, path):
        truth, both = models(right=(0.8, 0.95))
        found = look(path, truth, both, 600, goal="error_rate")
        assert found.outcome == "pass"
        assert found.look.low > 0
        assert history(path).looks[0]["difference"] < 0


class TestIdentity:
    def test_the_same_rows_again_are_no_new_look(self, path):
        truth, both = models()
        look(path, truth, both, 200)
        before = path.read_text()
        again = look(path, truth, both, 200)
        assert (again.look.number, again.look.is_new) == (1, False)
        assert path.read_text() == before

    def test_old_rows_may_come_in_another_order(self, path):
        truth, both = models()
        look(path, truth, both, 200)
        mixed = np.concatenate([np.random.default_rng(0).permutation(200), np.arange(200, 1000)])
        found = look(path, truth[mixed], {name: column[mixed] for name, column in both.items()}, 400)
        assert found.look.number == 2

    @pytest.mark.parametrize("changed", ["old", "new", "truth"])
    def test_old_predictions_stay_as_they_are(self, path, changed):
        truth, both = models()
        look(path, truth, both, 200)
        if changed == "truth":
            truth[7] = 1 - truth[7]
        else:
            both[changed][7] = 1 - both[changed][7]
        named = "new" if changed == "new" else "old"
        with pytest.raises(CheckpointError, match=f"truth or the predictions of {named} have changed"):
            look(path, truth, both, 400)

    def test_rows_do_not_go_away(self, path):
        truth, both = models()
        look(path, truth, both, 400)
        with pytest.raises(CheckpointError, match="400 rows were looked at before, and now there are 200"):
            look(path, truth, both, 200)

    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("goal", "brier"), ("margin", 0.03), ("alpha", 0.1), ("superiority", True), ("looks", 6), ("until", 2000),
            ("new_rows", True), ("spend", True),
        ],
    )  # fmt: skip
    def test_another_question_is_another_ledger(self, path, option, value):
        truth, both = models()
        look(path, truth, both, 200)
        with pytest.raises(CheckpointError, match=r"of this ledger (is|were made without)") as caught:
            look(path, truth, both, 400, **{option: value})
        assert caught.value.exit == 7

    def test_another_production_model_is_another_ledger(self, path):
        truth, both = models()
        look(path, truth, both, 200)
        with pytest.raises(CheckpointError, match="the production of this ledger is 'old', not 'older'"):
            look(path, truth, {"older": both["old"], "new": both["new"]}, 400, production="older")

    def test_later_looks_need_not_repeat_the_plan(self, path):
        truth, both = models()
        look(path, truth, both, 200, spend=True)
        assert look(path, truth, both, 400, looks=None, until=None).look.number == 2

    def test_a_new_class_that_comes_later_changes_no_old_row(self, path):
        draw = np.random.default_rng(0)
        truth = draw.choice(["b", "c"], 400)
        truth[300:] = draw.choice(["a", "b", "c"], 100)
        both = {name: np.where(draw.random(400) < 0.8, truth, "c") for name in ("old", "new")}
        asked = {**ASKED, "ledger": path, "looks": 5, "until": 1000, "task": "multiclass"}
        for rows in (250, 400):
            found = gate(truth[:rows], {name: column[:rows] for name, column in both.items()}, **asked)
        assert found.look.number == 2


class TestLedgerFile:
    def test_a_line_that_was_cut_off_is_left_out(self, path):
        truth, both = models()
        look(path, truth, both, 200)
        look(path, truth, both, 400)
        whole = path.read_bytes()
        lines = whole.splitlines(keepends=True)
        for cut in (1, 30, len(lines[-1]) - 1):
            path.write_bytes(whole[:-cut])
            assert len(read_ledger(path).looks) == 1
        found = look(path, truth, both, 600)
        assert [one.code for one in found.verdict.warnings][:1] == ["W_LEDGER"]
        assert [one["rows"] for one in history(path).looks] == [200, 600]
        assert history(path).ledger.notices == ()

    def test_a_first_line_that_was_cut_off(self, path):
        truth, both = models()
        look(path, truth, both, 200)
        path.write_bytes(path.read_bytes()[:40])
        assert look(path, truth, both, 200).look.number == 1
        assert len(history(path).looks) == 1

    def test_a_line_that_was_changed_is_refused(self, path):
        truth, both = models()
        look(path, truth, both, 200)
        look(path, truth, both, 400)
        path.write_text(path.read_text().replace('"rows": 200', '"rows": 100'))
        with pytest.raises(CheckpointError, match="line 2: the line was changed"):
            history(path)

    def test_a_line_that_was_taken_out_is_refused(self, path):
        truth, both = models()
        for rows in (200, 400, 600):
            look(path, truth, both, rows)
        first, _, *others = path.read_text().splitlines(keepends=True)
        path.write_text("".join([first, *others]))
        with pytest.raises(CheckpointError, match="line 2"):
            look(path, truth, both, 800)

    def test_another_file_is_no_ledger(self, path):
        path.write_text('{"rows": 3}\n')
        with pytest.raises(CheckpointError, match="is not a ledger of a gate"):
            look(path, *models(), 200)
        assert path.read_text() == '{"rows": 3}\n'

    def test_without_a_look_there_is_no_history(self, path):
        with pytest.raises(InputError, match="there is no file"):
            history(path)


def codes(found):
    return [notice.code for notice in found.verdict.warnings]


class TestShards:
    @pytest.mark.parametrize("anytime", [False, "asymptotic", "exact"])
    def test_shards_add_up_to_the_whole(self, path, anytime):
        truth, both = models()
        plan = {} if not anytime else {"looks": None, "anytime": anytime}
        for start in (0, 300, 500):
            look(path, truth, both, slice(start, start + (300 if not start else 200)), new_rows=True, **plan)
        other = path.with_name("whole.jsonl")
        look(other, truth, both, 700, **plan)
        merged, whole = read_ledger(path).looks[-1]["state"], read_ledger(other).looks[-1]["state"]
        assert merged["rows"] == whole["rows"] == 700
        for key in ("mean", "squares", "wins", "discordant", "gains", "losses", "leads"):
            assert merged[key] == (None if whole[key] is None else pytest.approx(whole[key], rel=1e-12, abs=1e-12))

    def test_the_same_shard_again_is_no_new_look(self, path):
        truth, both = models()
        for rows in (slice(0, 200), slice(200, 400), slice(0, 200)):
            found = look(path, truth, both, rows, new_rows=True)
        assert (found.look.is_new, len(history(path).looks)) == (False, 2)

    def test_rows_that_were_counted_before_are_refused(self, path):
        truth, both = models()
        ids = np.array([f"row {place}" for place in range(1000)])
        for rows in (slice(0, 200), slice(200, 400)):
            found = look(path, truth, both, rows, new_rows=True, id=ids[rows])
            assert found.look.is_new and "W_NOIDS" not in codes(found)
        with pytest.raises(CheckpointError, match="20 of the 200 rows were already counted in look 2"):
            look(path, truth, both, slice(380, 580), new_rows=True, id=ids[380:580])
        again = look(path, truth, both, slice(0, 200), new_rows=True, id=ids[:200])
        assert not again.look.is_new and len(history(path).looks) == 2
        changed = {**both, "new": 1 - both["new"]}
        with pytest.raises(CheckpointError, match="200 of the 200 rows were already counted in look 1"):
            look(path, truth, changed, slice(0, 200), new_rows=True, id=ids[:200])
        last = look(path, truth, both, slice(400, 600), new_rows=True, id=ids[400:600])
        assert last.look.rows == 600
        assert all("ids" not in one for one in history(path).looks)

    def test_candidates_may_share_rows(self, path):
        truth, both = models()
        both["other"] = both["new"]
        for name in ("new", "other"):
            part = {model: both[model] for model in ("old", name)}
            asked = {"new_rows": True, "id": np.arange(300), "candidate": name}
            assert look(path, truth, part, slice(0, 300), **asked).look.is_new

    def test_of_many_rows_about_so_many(self, path):
        truth, both = models(60_000)
        until = {"until": 60_000, "new_rows": True, "margin": 0.001}
        look(path, truth, both, slice(0, 20_000), id=np.arange(20_000), **until)
        look(path, truth, both, slice(20_000, 40_000), id=np.arange(20_000, 40_000), **until)
        with pytest.raises(CheckpointError, match=r"about [\d,]+ of the 20,000 rows") as refused:
            look(path, truth, both, slice(39_000, 59_000), id=np.arange(39_000, 59_000), **until)
        said = int(re.search(r"about ([\d,]+)", str(refused.value)).group(1).replace(",", ""))
        assert 600 < said < 1500  # of 1,000, by a share of 1,024 in 20,000

    def test_without_ids_overlap_cannot_be_seen_and_that_is_said(self, path):
        truth, both = models()
        assert "W_NOIDS" in codes(look(path, truth, both, slice(0, 200), new_rows=True))
        later = look(path, truth, both, slice(100, 300), new_rows=True, id=np.arange(100, 300))
        (said,) = [one.message for one in later.verdict.warnings if one.code == "W_NOIDS"]
        assert "holds no ids of look 1:" in said

    def test_a_metric_that_needs_all_rows_is_refused(self, path):
        with pytest.raises(UsageError, match="needs all of them at once"):
            look(path, *models(), 300, goal="mcc", new_rows=True)


class TestAnytime:
    def test_the_interval_of_any_metric(self, path):
        """s sqrt(2 (n r^2 + 1) / (n^2 r^2) ln(1 + sqrt(n r^2 + 1) / (2 a))) about the difference."""
        truth, both = models(right=(0.7, 0.75))
        found = look(path, truth, both, 500, looks=None, anytime=True)
        each = (both["new"] == truth)[:500].astype(float) - (both["old"] == truth)[:500]
        rho = (-2 * np.log(0.05) + np.log(1 - 2 * np.log(0.05))) / 500
        grown = 500 * rho + 1
        reach = each.std(ddof=1) * np.sqrt(2 * grown / (500**2 * rho) * np.log(1 + np.sqrt(grown) / 0.1))
        assert found.look.low == pytest.approx(each.mean() - reach, rel=1e-9)
        assert found.look.high == pytest.approx(each.mean() + reach, rel=1e-9)

    def test_the_interval_never_widens(self, path):
        truth, both = models()
        ends = [look(path, truth, both, rows, looks=None, anytime=True).look for rows in (200, 500, 1000)]
        assert all(a.low <= b.low and a.high >= b.high for a, b in pairwise(ends))

    def test_too_few_rows_decide_nothing(self, path):
        found = look(path, *models(right=(0.5, 0.99)), 90, looks=None, anytime=True)
        assert found.outcome == "inconclusive"
        assert "before 100 rows with 20 of the rarer class nothing is decided" in found.sentence

    def test_without_a_number_of_rows_ten_times_the_first_look(self, path):
        look(path, *models(), 150, looks=None, until=None, anytime=True)
        assert history(path).rule["until"] == 1500

    def test_bets_need_bounded_losses(self, path):
        truth, _ = models()
        draw = np.random.default_rng(0)
        both = {name: np.clip(draw.random(1000), 0.01, 0.99) for name in ("old", "new")}
        for goal in ("log_loss", "roc_auc"):
            with pytest.raises(UsageError, match="bets on losses that are bounded"):
                look(path, truth, both, 500, looks=None, anytime="exact", goal=goal)
        assert look(path, truth, both, 500, looks=None, anytime="exact", goal="brier").look.p <= 1


class TestCandidates:
    def test_each_candidate_has_its_looks(self, path):
        truth, both = models()
        both["newer"] = models(seed=9)[1]["new"]
        look(path, truth, both, 400)
        second = look(path, truth, both, 400, candidate="newer")
        assert (second.look.number, second.look.candidate_number, second.look.alpha) == (1, 2, 0.05)
        assert "up to 10% of the time" in history(path).sentence

    def test_alpha_may_be_shared(self, path):
        truth, both = models()
        shares = []
        for number in range(1, 5):
            both[f"new{number}"] = both["new"]
            shares.append(look(path, truth, both, 400, candidate=f"new{number}", spend=True).look.alpha)
        assert shares == pytest.approx([0.05 * 6 / (np.pi * number) ** 2 for number in range(1, 5)])
        assert "Alpha 0.05 is shared among all candidates" in history(path).sentence


class TestRefusals:
    def test_options_of_looks_need_a_ledger(self):
        truth, both = models(rows=100)
        for option in ({"looks": 5}, {"until": 100}, {"anytime": True}, {"new_rows": True}, {"spend": True}):
            with pytest.raises(UsageError, match="is about several looks"):
                gate(truth, both, positive=1, **ASKED, **option)

    def test_a_ledger_begins_with_a_plan(self, path):
        for plan in ({"looks": None, "until": None}, {"until": None}, {"looks": None}):
            with pytest.raises(UsageError, match="begins with a plan"):
                look(path, *models(), 100, **plan)
        with pytest.raises(UsageError, match="use one of them"):
            look(path, *models(), 100, anytime=True)
        assert not path.exists()

    def test_folds_are_no_rows(self, path):
        with pytest.raises(UsageError, match="by the influence test"):
            look(path, *models(), 200, subsets=10)


def test_on_the_command_line(path, tmp_path, capsys):
    truth, both = models(right=(0.8, 0.95))
    table = tmp_path / "rows.csv"
    table.write_text("y,old,new\n" + "\n".join(map("{},{},{}".format, truth, both["old"], both["new"])))
    line = f"gate {table} --truth y --positive 1 --goal accuracy --production old --candidate new --margin 0.02"
    assert run([*line.split(), "--ledger", str(path), "--looks", "5", "--until", "2000", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["gate"]
    assert (found["outcome"], found["look"]["number"], found["look"]["rows"]) == ("pass", 1, 1000)
    assert run(["history", str(path), "--format", "json"]) == 0
    kept = json.loads(capsys.readouterr().out)
    assert (kept["command"], kept["outcomes"], kept["rule"]["looks"]) == ("history", {"new": "pass"}, 5)
    assert run([*line.split(), "--ledger", str(path), "--anytime"]) == 7
    assert "the method of this ledger is 'planned', not 'asymptotic'" in capsys.readouterr().err


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 100), marks=pytest.mark.soak)], ids=len)
@pytest.mark.parametrize("options", [{}, {"looks": None, "anytime": True}])
def test_many_looks_pass_a_bad_candidate_rarely(tmp_path, options, seeds):
    """Exactly at the margin, ten looks: each alone at 0.05 would pass 15% (docs/simulations/looks.md: 2,000 sets)."""
    passed = 0
    for seed in seeds:
        truth, both = models(rows=500, right=(0.87, 0.85), seed=seed)
        for rows in range(50, 501, 50):
            asked = {"looks": 10, "until": 500, **options}
            passed += look(tmp_path / f"{seed}.jsonl", truth, both, rows, **asked).outcome == "pass" and rows == 500
    assert passed <= stats.binom.ppf(0.999, len(seeds), 0.05)


DOCS = Path(__file__).parents[2] / "docs"


def simulated(title):
    """The numbers of a table of the simulation: goal, looks, and the shares by their columns."""
    text = (DOCS / "simulations" / "looks.md").read_text(encoding="utf-8")
    part = text.split(title)[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")]
    return [
        (row[0], int(row[1]), [float(cell) for cell in row if re.fullmatch(r"[\d.]+", cell)][1:]) for row in rows[2:]
    ]


def test_what_the_guide_says_of_looks_was_measured():
    guide = " ".join((DOCS / "guide" / "looks.md").read_text(encoding="utf-8").split())
    cells = simulated("# Gates that are looked at again and again")
    for looks, words in ((5, "{} after 5 looks"), (20, "{} after 20"), (100, "{} after 100")):
        alone = [round(shares[0]) for _, seen, shares in cells if seen == looks]
        between = " of the time" if looks == 5 else ""
        assert words.format(f"{min(alone)}% to {max(alone)}%{between}") in guide
    planned, anytime = ([shares[place] for _, looks, shares in cells if looks > 1] for place in (1, 2))
    assert f"false passes were {min(planned)}% to {max(planned)}% (accuracy" in guide
    assert f"false passes were {min(anytime)}% to {max(anytime)}%." in guide
    better = [shares[1] for _, _, shares in simulated("## Superiority")]
    assert f"where 2.5% are allowed, {min(better)}% to {max(better)}%" in guide
    any_false, spent = ([shares[place] for _, _, shares in simulated("## Ten candidates")] for place in (0, 3))
    assert f"passed {min(any_false)}% to {max(any_false)}% of the time with planned looks" in guide
    assert f"and {min(spent)}% to {max(spent)}% with `--spend`" in guide


def test_no_simulated_look_passes_too_often():
    """2,000 sets: 5% with three standard errors is 6.5%, 2.5% is 3.5%."""
    for title, most in (("# Gates that are looked at again and again", 6.5), ("## Superiority", 3.5)):
        ways = [shares[1:4] if len(shares) == 8 else shares[1:3] for _, _, shares in simulated(title)]
        assert ways and max(map(max, ways)) <= most
    assert max(max(shares[3:6]) for _, _, shares in simulated("## Ten candidates")) <= 6.5
