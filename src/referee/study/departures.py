"""Where a run is not the paper's experiment: fewer cases or repetitions, or other settings than it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.errors import Notice
from referee.study.datasets import DATA_SETS
from referee.study.pairs import PAPER_PAIRS
from referee.study.settings import Settings

if TYPE_CHECKING:
    from referee.study.results import Study

PAPER_CASES = len(DATA_SETS) * len(PAPER_PAIRS)
PRINTED = ("train", "holdout", "test_subsets", "holdout_subsets", "retrain", "alpha")
"""Settings that the paper prints, or that its ratios between 0 and 1 need."""


def departures(study: Study) -> list[str]:
    """What is not as in the paper, in words; where no models were fitted, only which data there are."""
    if not study.cases:
        known = sum(name in DATA_SETS for name in study.work.data)
        return [] if known == len(DATA_SETS) else [f"{known} of its {len(DATA_SETS)} data sets"]
    usual, settings = Settings(), study.settings
    cases = sum(_is_the_papers(study, case.data_set, case.pair) for case in study.cases)
    said = [] if cases == PAPER_CASES else [f"{cases} of its {PAPER_CASES} cases"]
    if len(study.cases) > cases:
        said.append(f"{len(study.cases) - cases} cases that it does not have")
    if settings.repetitions < usual.repetitions:
        said.append(f"{settings.repetitions} of its {usual.repetitions} repetitions")
    other = [name for name in PRINTED if getattr(settings, name) != getattr(usual, name)]
    return said + [f"{name.replace('_', '-')} {getattr(settings, name)}" for name in other]


def _is_the_papers(study: Study, data_set: str, pair: str) -> bool:
    return data_set in DATA_SETS and pair in [one.name for one in PAPER_PAIRS if one in study.settings.pairs]


def departure_notices(study: Study) -> tuple[Notice, ...]:
    """The warning that the paper's claims are judged by something else than its experiment."""
    said = departures(study)
    if not said:
        return ()
    message = f"this is not the paper's whole experiment ({', '.join(said)}): its claims are about the whole"
    return (Notice("W_NOTWHOLE", message),)
