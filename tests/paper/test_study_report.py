"""What a study looks like: on the screen, as Markdown, CSV, JSON and page."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from referee.cli.output import show
from referee.cli.study import OWN_NAMES, command, table_numbers
from referee.paper import DATA_SETS, run
from tests.cli.test_schemas import refusals
from tests.made_up_study import SMALL, made_up_data

pytestmark = pytest.mark.usefixtures("fits_here")

NAME = "<b>own & other</b>"


@pytest.fixture(scope="module")
def study():
    """Pen digits that are none, so that there is a figure, and a name that must not be taken for HTML."""
    data = made_up_data(columns=10)
    return run({"pen-digits": data["numbers"], NAME: data["mixed"]}, repetitions=2, **SMALL)


def shown(study, form, capsys, **options):
    capsys.readouterr()
    show(study, form, **options)
    return capsys.readouterr().out


def test_the_screen_fits_80_columns_and_ends_with_the_sentence(study, capsys):
    text = shown(study, "text", capsys)
    assert max(len(line) for line in text.splitlines() if not line.startswith("warning[")) <= 80
    assert all(f"Table {number}." in text for number in range(1, 8))
    assert "Figure 1." in text
    assert "Beyond the paper" in text
    assert re.search(
        r"Of \d+ claims of the paper, which has 34:\s\d+ reproduced, \d+ partly, \d+ not",
        text.rstrip().split("\n\n")[-1],
    )
    show(study, "text", quiet=True)
    quiet = capsys.readouterr()
    assert quiet.err.startswith("warning[W_NOTWHOLE] ")
    assert quiet.out.startswith("Of ")


def test_nine_metrics_fit_80_columns_and_one_repetition_has_no_errors(capsys):
    study = run({"mixed": made_up_data()["mixed"]}, repetitions=1, metrics="eight", **SMALL)
    text = shown(study, "text", capsys)
    assert max(len(line) for line in text.splitlines() if not line.startswith("warning[")) <= 80
    assert not re.search(r"\bnan\b", text)
    assert not re.search(r">nan\b|\bnan<|\"nan\"", study.to_html())
    rows = list(csv.DictReader(io.StringIO(shown(study, "csv", capsys))))
    assert {row["standard_error"] for row in rows} == {""}


def test_other_readings_and_every_case_are_in_markdown_and_page(study, capsys):
    for text in (shown(study, "md", capsys), study.to_html()):
        for words in (
            "Table 2 with every way to count ties", "Table 7 with the normalised average", "recall and confusions",
            "Consistency / discriminancy", "How close ours is to the paper", "are not independent",
        ):  # fmt: skip
            assert words in text


def test_the_claims_stand_before_the_tables(study, capsys):
    for form, heading in (("text", "Table 1. Data"), ("md", "**Table 1. Data")):
        text = shown(study, form, capsys)
        assert text.index(study.claims[0].claim.words[:30]) < text.index(heading)


def test_csv_has_every_number_of_tables_2_to_7(study, capsys):
    rows = list(csv.DictReader(io.StringIO(shown(study, "csv", capsys))))
    assert len(rows) == 4 * 2 * 3 * 2 + 2 * 6 * 6
    (one,) = [row for row in rows if (row["table"], row["goal"], row["evaluation"]) == ("7", "rms", "log_loss")]
    assert float(one["paper"]) == 0.81
    assert float(one["ours"]) == study.tables[7].values["rms"]["log_loss"]
    assert rows[0]["table"] == "2"
    assert [row["paper"] for row in rows if row["data_set"] == NAME] == [""] * 24


def test_json_holds_what_the_contract_says(study, capsys):
    body = json.loads(shown(study, "json", capsys))
    assert refusals(body) == []
    assert (body["command"], body["seed"], body["alpha"]) == ("study", 0, 0.05)
    assert {"values", "paper", "standard_errors"} <= set(body["tables"]["7"])
    assert body["tables"]["2"]["ties"] == "half"
    assert set(body["tables"]["2"]["other_ties"]) == {"strict", "excluded"}
    assert body["tables"]["5"]["paper"] == {"pen-digits": body["tables"]["5"]["paper"]["pen-digits"]}
    assert set(body["beyond_the_paper"]) >= {"regret", "contests", "constant_answer"}
    assert body["figure_1"]["paper"]["truth"] == [13, 65, 22]
    assert set(body["beyond_the_paper"]["confusions"]["pen-digits"]["tree"]) == set(body["tables"]["7"]["values"])
    one = body["beyond_the_paper"]["agreement"]["subsets"]
    assert one["rms"]["f_beta"]["only_f"] == one["f_beta"]["rms"]["only_g"]
    assert body["tables"]["7"]["absolute_differences"]["off the diagonal"]["numbers"] == 30
    assert sum(body["tables"]["7"]["cases_where_the_goal_is_best"].values()) <= 6 * body["tables"]["7"]["cases"]


class Addresses(HTMLParser):
    """Collects tags, and every attribute that could fetch something."""

    def __init__(self):
        super().__init__()
        self.tags, self.fetched = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "href", "action", "data")]


def test_the_page_is_whole_and_asks_nobody(study):
    text = study.to_html(command="referee study --seed 0")
    found = Addresses()
    found.feed(text)
    assert all(address.startswith("#") for address in found.fetched)
    assert found.tags.count("svg") == 4
    assert NAME not in text
    assert "&lt;b&gt;own &amp; other&lt;/b&gt;" in text
    assert "referee study --seed 0" in text
    assert all(one.count.replace(">", "&gt;").replace("<", "&lt;") in text for one in study.claims)
    assert study.to_html(command="referee study --seed 0") == text


def test_a_page_that_cannot_be_written_is_said_before_the_work(referee, tmp_path):
    found = referee("study", "--data", tmp_path, "--html", tmp_path / "no" / "page.html", form=None)
    assert found.code == 6
    assert "there is no folder" in found.err


def test_table_1_alone_fits_nothing(capsys):
    data = {"mixed": made_up_data()["mixed"]}
    study = run(data, tables=(1,))
    assert not study.repeated
    assert "Table 1." in shown(study, "text", capsys)
    assert json.loads(shown(study, "json", capsys))["tables"].keys() == {"1"}


def test_numbers_of_tables():
    assert table_numbers("1-3, 7,3") == (1, 2, 3, 7)


def test_every_option_is_in_the_guide():
    guide = (Path(__file__).parents[2] / "docs/guide/study.md").read_text()
    said_elsewhere = {"--format", "--config", "--quiet", "--all"}
    options = {
        option for one in command.params if one.name not in OWN_NAMES for option in (*one.opts, *one.secondary_opts)
    }
    assert {option for option in options - said_elsewhere if not re.search(rf"{option}\b", guide)} == set()


def test_the_full_study_is_of_the_papers_data():
    """What docs/study holds is the whole experiment: 15 cases, 100 repetitions, every claim."""
    file = Path(__file__).parents[2] / "docs/study/tables.json"
    body = json.loads(file.read_text())
    assert body["repetitions"] == 100
    assert list(body["tables"]["5"]["values"]) == list(DATA_SETS)
    assert body["tables"]["7"]["cases"] == 15
    for number in ("2", "3", "4", "5"):
        rows = [row for pairs in body["tables"][number]["values"].values() for row in pairs.values()]
        assert len(rows) == 15
        assert all(0 <= value <= 1 for row in rows for value in row.values())
