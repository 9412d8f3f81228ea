"""What pytest gets from referee: a fixture that reads predictions lying beside the test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee import Predictions


@pytest.fixture
def read_predictions(request: pytest.FixtureRequest) -> Callable[..., Predictions]:
    """Read predictions as `referee.Predictions.read` does; a path is one beside the test, unless it is absolute."""

    def read(source: str, *more: str, **columns: Any) -> Predictions:
        from referee import Predictions

        folder = Path(request.path).parent
        sources = [text if "://" in text else str(folder / text) for text in (source, *more)]
        return Predictions.read(*sources, **columns)

    return read
