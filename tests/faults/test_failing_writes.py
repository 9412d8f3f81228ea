"""A write that fails, or kills, is survived wherever it comes: nothing is lost, the error is exit 6, work goes on."""

from __future__ import annotations

import pytest

from tests.faults.failing_writes import FAULTS, all_attempts, built

EVERY = {"store": 9, "verdicts": 7, "study": 11}
"""Which writes are tried in each run of the tests; `make soak` tries all."""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return built(tmp_path_factory.mktemp("library")) or pytest.skip("there is no C compiler")


@pytest.mark.parametrize(
    ("kind", "every"),
    [*EVERY.items(), *(pytest.param(kind, 1, marks=pytest.mark.soak) for kind in EVERY)],
)
def test_every_write_may_fail(tmp_path, library, kind, every):
    told = all_attempts(kind, library, tmp_path / "work", every)
    assert told["wrong"] == []
    assert told["attempts"] == len(FAULTS) * len(range(1, told["writes"] + 1, every))
    assert told["codes"]["kill"].keys() == {"-9"}
    refused = sum(codes.get("6", 0) for codes in told["codes"].values())
    assert refused > told["attempts"] / 4
