"""`referee sources` and `referee learners`: every entry has a card, and its calls are ones that work."""

from __future__ import annotations

import html
import shlex

import pytest

from referee.fitting import learners
from referee.predictions import sources


@pytest.mark.parametrize(("command", "catalogue"), [("sources", sources), ("learners", learners)])
def test_every_entry_is_listed_and_has_a_card(referee, command, catalogue):
    listed = referee(command).json[command]
    assert [card["name"] for card in listed] == [*catalogue]
    for name in catalogue:
        card = referee(command, name).json
        assert card["name"] == name and card["what"].endswith(".")
        assert referee(command, name, form="md").code == 0


@pytest.mark.parametrize(("command", "catalogue"), [("sources", sources), ("learners", learners)])
def test_their_page_says_of_each_what_it_is(referee, tmp_path, command, catalogue):
    assert referee(command, "--html", tmp_path / "cards.html").code == 0
    page = html.unescape((tmp_path / "cards.html").read_text())
    assert [name for name, entry in catalogue.items() if page.count(entry.what) != 1] == []


def test_they_are_filtered(referee):
    assert {card["name"] for card in referee("sources", "--tells", "truth").json["sources"]} == {"weka_predictions"}
    assert "logistic" not in {c["name"] for c in referee("learners", "--task", "regression").json["learners"]}
    assert referee("sources", "csv", "--kind", "file").code == 2


def test_a_misspelt_name_is_answered(referee):
    found = referee("sources", "parket")
    assert (found.code, found.json["error"]["code"]) == (2, "E_UNKNOWN")
    assert "did you mean 'parquet'" in found.json["error"]["message"]


@pytest.mark.usefixtures("fits_here")
@pytest.mark.parametrize("name", [*learners])
def test_the_command_of_a_learners_card_runs(referee, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    goal = "accuracy" if "binary" in learners[name].tasks else "rmse"
    target = (lambda n: "np"[n % 2]) if goal == "accuracy" else (lambda n: n % 7 + 0.5)
    rows = [f"{n % 5},{n % 3},{target(n)}" for n in range(60)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,y", *rows]))
    words = shlex.split(referee("learners", name).json["command_line"].replace("METRIC", goal))
    found = referee(*words[1:], "--scheme", "holdout", *(["--positive", "p"] if goal == "accuracy" else []))
    assert found.code == 0, found.out
