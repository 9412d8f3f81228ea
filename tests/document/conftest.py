"""Reports are made of fits; where those run is no matter to them."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def no_workers(fits_here):
    """Workers take seconds to start."""
