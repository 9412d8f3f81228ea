"""An error that is expected, with its code and the words of its message."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from referee.errors import RefereeError


@contextmanager
def refused(code, *words, exit_code=3, hint=None):
    with pytest.raises(RefereeError) as caught:
        yield
    error = caught.value
    assert (error.code, error.exit) == (code, exit_code), error
    absent = [word for word in words if word not in error.message]
    assert not absent, f"{absent} not in: {error.message}"
    assert hint is None or hint in (error.hint or "")
