"""The ten nights of the guide are those that the script runs."""

from __future__ import annotations

from benchmarks.nights import PAGE, text


def test_the_guide_shows_what_the_script_prints():
    assert text() in PAGE.read_text(encoding="utf-8")
