"""The numbers that tests/scoring/test_numerical_trust.py holds against others, as a part of docs/reliability.md."""

from __future__ import annotations


def lines(results):
    yield "## Numbers"
    yield (
        "NIST's Statistical Reference Datasets, exact fractions, offsets, extreme weights, narrow types and a thousand "
        "million rows by adding states (`tests/scoring/test_numerical_trust.py`):"
    )
    yield ""
    yield "| what | compared with | within |"
    yield "|---|---|---|"
    yield from (f"| {row['what']} | {row['with']} | {row['within']} |" for row in results["checks"])
