"""Whoever stops a run is told what it has kept, and how to go on; an error is left as it is."""

from __future__ import annotations

import pytest

from referee.fitting import saying_how_to_go_on


@pytest.mark.parametrize(
    ("folder", "done", "words"),
    [
        (None, 3, "no fit was kept; with --out DIR"),
        ("runs", 1, "1 fit is kept in runs; to resume"),
        ("runs", 12, "12 fits are kept in runs; to resume"),
    ],
)
def test_an_interruption_says_what_is_kept(folder, done, words):
    with pytest.raises(KeyboardInterrupt) as stop, saying_how_to_go_on(folder, range(done), "fit"):
        raise KeyboardInterrupt
    assert stop.value.__notes__[0].startswith(words)


def test_an_error_is_no_interruption():
    with pytest.raises(ValueError, match="mine") as error, saying_how_to_go_on("runs", [], "fit"):
        raise ValueError("mine")
    assert not hasattr(error.value, "__notes__")
