"""Completion as shells ask for it; bash itself judges its script."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

ON_TAB = """
eval "$(_REFEREE_COMPLETE=bash_source referee)"
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_referee_completion referee
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def referee_on_path(tmp_path):
    """A folder with the command, as an installation has it."""
    command = tmp_path / "bin" / "referee"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m referee "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}


def test_the_key_in_bash(referee_on_path, tmp_path):
    def offered(words):
        told = ["bash", "--norc", "-c", ON_TAB.format(words=words)]
        run = subprocess.run(told, env=referee_on_path, capture_output=True, text=True, cwd=tmp_path, check=True)
        return run.stdout.split()

    assert offered("referee co") == ["compare"]
    assert offered("referee compare x.csv --mar") == ["--margin"]
    assert offered("referee compare x.csv --adjust h") == ["holm", "hochberg"]
    assert offered("referee compare x.csv --metrics accuracy,bri") == ["accuracy,brier"]
    assert offered("referee compare x.csv --test de") == ["delong"]
    assert offered("referee schemes leave") == ["leave_one_out", "leave_two_groups_out"]


@pytest.mark.parametrize(("words", "offered"), [
    ("referee compare pre", "file,pre"), ("referee compare x --figures o", "dir,o"), ("referee nonsense x", ""),
])  # fmt: skip
def test_paths_are_left_to_the_shell(referee_on_path, words, offered):
    place = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1), "_REFEREE_COMPLETE": "bash_complete"}
    run = subprocess.run(["referee"], env=referee_on_path | place, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_scripts_of_other_shells(referee_on_path, shell):
    asked = referee_on_path | {"_REFEREE_COMPLETE": f"{shell}_source"}
    script = subprocess.run(["referee"], env=asked, capture_output=True, text=True, check=True).stdout
    assert f"_REFEREE_COMPLETE={shell}_complete" in script
    assert shell == "zsh" or 'string split --max 1 ","' in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=script, text=True, check=True)


IN_FISH = """_REFEREE_COMPLETE=fish_source referee | source
complete -C "referee compare x.csv --mar"
complete -C "referee compare x.csv --metrics accuracy,bri"
"""


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_the_key_in_fish(referee_on_path, tmp_path):
    there = referee_on_path | {"HOME": str(tmp_path)}
    run = subprocess.run(["fish", "--no-config", "-c", IN_FISH], env=there, capture_output=True, text=True, check=True)
    option, metrics = run.stdout.splitlines()
    assert option.startswith("--margin\tThe difference that matters, in units")
    assert metrics == "accuracy,brier"


IN_ZSH = r"""zmodload zsh/zpty
zpty -b shell "zsh -f -i"
zpty -w shell 'autoload -Uz compinit; compinit -u -D; eval "$(_REFEREE_COMPLETE=zsh_source referee)"; print READ""Y'
zpty -r -m shell line '*READY*'
zpty -w -n shell $'referee compare x.csv --mar\t'
zpty -r -m shell line '*--margin*' && print -r -- completed
zpty -d shell
"""


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_the_key_in_zsh(referee_on_path, tmp_path):
    told = ["zsh", "-f", "-c", IN_ZSH]
    there = referee_on_path | {"HOME": str(tmp_path)}
    run = subprocess.run(told, env=there, capture_output=True, text=True, check=False, timeout=120)
    assert run.stdout.split()[-1:] == ["completed"]


def test_an_instruction_that_is_none(referee_on_path):
    run = subprocess.run(["referee"], env=referee_on_path | {"_REFEREE_COMPLETE": "nonsense"}, check=False)
    assert run.returncode == 2
