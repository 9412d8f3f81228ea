"""The files for CI servers: their steps are run here as the servers would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
GATE = "--truth y --goal accuracy --production 'the old' --candidate new --margin 0.05"


@pytest.fixture
def job(tmp_path):
    """A checked-out project with predictions whose candidate is right on every row."""
    rows = "".join(f"{i % 2},{(i // 3) % 2},{i % 2}\n" for i in range(200))
    (tmp_path / "preds.csv").write_text("y,the old,new\n" + rows)
    return tmp_path


def filled_in(text, inputs):
    for name, given in inputs.items():
        text = text.replace(f"${{{{ inputs.{name} }}}}", given)
    assert "${{" not in text, "every input is given"
    return text


def in_bash(command, job, environment):
    folder = Path(sys.executable).parent
    environment = os.environ | environment | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    shell = ["bash", "-e", "-c", command]
    return subprocess.run(shell, env=environment, cwd=job, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "code", "outcome"),
    [
        (f"preds.csv {GATE}", 0, "pass"),
        (f"preds.csv {GATE}".replace("'the old' --candidate new", "new --candidate 'the old'"), 1, "fail"),
        (f"missing.csv {GATE}", 2, "error"),
    ],
)
def test_the_action_gates_and_writes_the_summary(job, arguments, code, outcome):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert set(action["inputs"]) == {"arguments", "junit", "extras"}
    step = next(step for step in action["runs"]["steps"] if step.get("id") == "gate")
    inputs = {"arguments": arguments, "junit": "gate.xml"}
    environment = {name: filled_in(text, inputs) for name, text in step["env"].items()}
    places = {"GITHUB_STEP_SUMMARY": job / "summary.md", "GITHUB_OUTPUT": job / "outputs", "GITHUB_ACTION_PATH": ROOT}
    found = in_bash(step["run"], job, environment | {name: str(path) for name, path in places.items()})
    assert found.returncode == code, found.stdout + found.stderr
    assert (job / "outputs").read_text() == f"outcome={outcome}\n"
    expected = "error[E_NOFILE] missing.csv" if outcome == "error" else f"{outcome.capitalize()}: "
    assert expected in (job / "summary.md").read_text()
    assert (job / "gate.xml").exists() == (outcome != "error")


def test_the_gitlab_template_and_the_hook_run_the_gate(job):
    template = yaml.safe_load((ROOT / "docs/ci/gitlab.yml").read_text())[".referee-gate"]
    hook = yaml.safe_load((ROOT / "docs/ci/pre-commit.yaml").read_text())["repos"][0]["hooks"][0]
    assert template["artifacts"]["reports"]["junit"] == "$JUNIT"
    (job / "preds.csv").write_text((job / "preds.csv").read_text().replace("the old", "old"))
    arguments = "preds.csv --truth y --goal accuracy --production old --candidate new --margin 0.05"
    (line,) = template["script"]
    for command in (line, hook["entry"].replace("roc_auc", "accuracy")):
        found = in_bash(command, job, {"ARGUMENTS": arguments, "JUNIT": "gate.xml"})
        assert found.returncode == 0 and "Pass:" in found.stdout, found.stdout + found.stderr
    assert (job / "gate.xml").exists()


def locked(name):
    """Each package of a lock file with its version and hashes."""
    lines = (ROOT / name).read_text().replace("\\\n", "").splitlines()
    return {line.split()[0]: set(re.findall(r"--hash=(\S+)", line)) for line in lines if "==" in line}


def test_the_demo_has_the_versions_that_are_tested():
    base, everything = locked("requirements-base.lock"), locked("requirements.lock")
    assert {name: everything.get(name) for name in base} == base
    assert all(base.values()) and len(base) < len(everything) / 2
