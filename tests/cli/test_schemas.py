"""What every command writes fits its schema, with no field that the schema does not tell of."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from referee.cli.overview import COMMANDS
from referee.document import schema_names, schema_of
from referee.document.result import SCHEMA
from tests.golden.__main__ import printed
from tests.golden.commands import BINARY, CLASSES, NUMBERS, SELECT
from tests.golden.commands import COMMANDS as FROZEN

INPUTS = Path(__file__).parents[1] / "golden" / "inputs"
NO_JSON = {"summarise", "serve", "schema"}
"""Commands without --format."""
LINES = [
    f"evaluate {BINARY} --metrics roc_auc,accuracy --fold fold",
    "evaluate answers.csv --task scores --id question --group passage",
    f"compare {BINARY} --goal accuracy --metrics accuracy --margin 0.02 --by region",
    f"compare {BINARY} --goal accuracy --metrics accuracy --test mcnemar",
    f"compare {BINARY} --goal roc_auc --metrics roc_auc --test bayes_correlated_t --fold fold --unit fold",
    f"compare {BINARY} --goal accuracy --metrics accuracy --time person",
    f"compare {BINARY} --goal accuracy --metrics accuracy --save-to sqlite:///{{out}}/kept.db#verdicts",
    "history sqlite:///{out}/kept.db#verdicts",
    f"gate {BINARY} --goal roc_auc --production fair --candidate good --margin 0.02 --ledger {{out}}/looks.json "
    "--looks 4 --until 500",
    "history {out}/looks.json",
    f"gate {BINARY} --goal roc_auc --production fair --candidate good --margin 0.02 --guard recall:0.01 --by region",
    f"{SELECT} --goal accuracy --scheme holdout --penalty aic --simplest-first",
    f"{SELECT} --goal accuracy --scheme nested(outer=k_fold(k=3),inner=k_fold(k=2))",
    "curves binary.csv --truth y --models good --band simultaneous",
    f"curves {CLASSES}",
    "threshold binary.csv --truth y --models good,fair --for expected_cost(fn=5) --region",
    "threshold binary.csv --truth y --models good,fair --for recall --at-least precision=0.9",
    "calibrate binary.csv --truth y --models good --method platt --metrics brier --save {out}/map.json",
    "calibrate binary.csv --apply {out}/map.json --output {out}/new.csv",
    "calibrate binary.csv --truth y --models good --method platt --metrics brier --fit-on region=north",
    f"plan --goal roc_auc --margin 0.02 --pilot {BINARY} --group person",
    "advise --no-questions --purpose decision --task binary",
    f"advise {NUMBERS} --no-questions --penalty large",
    f"advise {BINARY} --no-questions --purpose unknown",
    "metrics rmse --show-proper",
    "tests",
    "tests mcnemar",
    "tests friedman --explain",
    "learners",
    "learners knn",
    "sources csv",
    "schemes k_fold",
    "lecture roc t-test",
    "demo --out {out}/demo",
]


def written(line, out):
    """The object that a command writes."""
    text = printed([*line.format(out=out).split(), "--format", "json"])
    return json.loads(text.splitlines()[0])


def closed(schema):
    """The schema with no room for fields that it does not tell of; as users get it, new fields may come."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: part if key == "allOf" else closed(part) for key, part in schema.items()}
    parts |= {"allOf": [_properties_closed(part) for part in schema["allOf"]]} if "allOf" in schema else {}
    definitions = {name: _properties_closed(part) for name, part in schema.get("$defs", {}).items()}
    parts |= {"$defs": definitions} if definitions else {}
    return parts | ({"unevaluatedProperties": False} if {"properties", "$ref", "allOf"} & schema.keys() else {})


def _properties_closed(schema):
    """What is a part of another: only what it holds is closed."""
    return {key: part for key, part in closed(schema).items() if key != "unevaluatedProperties"}


def refusals(answer):
    name = "error" if "error" in answer else answer["command"]
    validator = Draft202012Validator(closed(schema_of(name)))
    return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(answer)]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    out = tmp_path_factory.mktemp("schemas")
    with contextlib.chdir(INPUTS):
        return {line: written(line, out) for line in LINES}


@pytest.mark.parametrize("line", LINES)
def test_what_commands_write(answers, line):
    assert "error" not in answers[line], answers[line]
    assert refusals(answers[line]) == []


FROZEN_JSON = sorted((INPUTS.parent / "texts").glob("*.json"))


@pytest.mark.parametrize("file", FROZEN_JSON, ids=lambda file: file.stem)
def test_frozen_output(file):
    """What tests/golden holds to be printed, byte for byte."""
    assert refusals(json.loads(file.read_text().splitlines()[0])) == []


def test_every_command_and_every_form_is_looked_at(answers):
    frozen = {FROZEN[file.stem][0].split()[0] for file in FROZEN_JSON}
    assert {line.split()[0] for line in LINES} | frozen == set(COMMANDS) - NO_JSON
    assert set(schema_names()) == set(COMMANDS) - NO_JSON | {"error"}
    assert {answer["schema"] for answer in answers.values()} == {SCHEMA}


@pytest.mark.parametrize("name", schema_names())
def test_schemas_are_schemas(name):
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    assert f":{SCHEMA}:" in schema["$id"]
    assert list(Draft202012Validator(schema).iter_errors({})) != []


def keys_of(value, place=()):
    """Where the keys of an object are, one list entry of each kind."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield (*place, key)
            yield from keys_of(part, (*place, key))
    elif isinstance(value, list) and value:
        yield from keys_of(value[0], (*place, 0))


def changed(answer, place, name=None):
    """The answer with another name at a place, or with nothing there."""
    other = copy.deepcopy(answer)
    holder = other
    for step in place[:-1]:
        holder = holder[step]
    value = holder.pop(place[-1])
    if name is not None:
        holder[name] = value
    return other


FREE = ("values", "ranks", "columns", "models", "advantages", "raw", "weights", "positive", "rest", "details")
"""Objects whose keys are names of models, columns, metrics or classes, or differ between tests."""
OPTIONAL = {"look", "margin", "model", "models", "positive", "rest"}


def test_a_dropped_or_renamed_key_is_refused(answers):
    answer = answers[LINES[8]]
    told, open_ended = (Draft202012Validator(form(schema_of("gate"))) for form in (closed, dict))
    places = [place for place in keys_of(answer) if not set(place[:-1]) & set(FREE)]
    assert len(places) > 100
    assert [place for place in places if told.is_valid(changed(answer, place, "other"))] == []
    dropped = [place for place in places if open_ended.is_valid(changed(answer, place))]
    assert {place[-1] for place in dropped} <= OPTIONAL


def test_an_error(tmp_path):
    answer = written("compare nothing.csv --truth y --goal accuracy", tmp_path)
    assert answer["error"]["code"].startswith("E_")
    assert refusals(answer) == []
    assert refusals({"error": {**answer["error"], "exit": 1}}) != []


def test_the_command_that_prints_them():
    from referee.cli.process import run

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run(["schema", "gate"]) == 0
    assert json.loads(out.getvalue()) == schema_of("gate")
    assert "error[E_UNKNOWN] there is no schema 'gat'; did you mean 'gate'?" in printed(["schema", "gat"])
    assert printed(["schema"]).split()[:2] == ["advise", "calibrate"]
