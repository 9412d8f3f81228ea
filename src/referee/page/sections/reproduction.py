"""How to make the same page again: the command or the call, the seed, the versions and the fingerprints."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING

from referee import __version__
from referee.page.shell import Section, rendered
from referee.wording import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from referee.page.subject import Subject

PACKAGES = ("numpy", "scipy", "scikit-learn", "pyarrow", "numba")


def reproduction_section(subject: Subject) -> Section:
    return reproduction(subject.command or _call(subject), _facts(subject))


def _call(subject: Subject) -> str:
    """What was called in Python, where nothing was typed."""
    makers = (subject.gate, subject.verdict, subject.scores)
    return next(maker.call for maker in makers if maker is not None)


def reproduction(command: str, facts: Iterable[tuple[str, str]]) -> Section:
    """The command or call where there was one, what the result rests on, and the versions it may depend on."""
    facts = [*facts, ("Versions", versions())]
    what = "call" if command.startswith("referee.") else "command"
    body = rendered("section/reproduction.html", command=visible(command), what=what, facts=facts)
    return Section("reproduce", "Reproduce this page", body, short="Reproduce")


def versions() -> str:
    """What the results may depend on."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"referee {__version__}, Python {platform.python_version()}, {packages}"


def _facts(subject: Subject) -> Iterator[tuple[str, str]]:
    predictions = subject.predictions
    if predictions.source:
        yield "Source", visible(predictions.source)
    yield "Fingerprint of the predictions", predictions.fingerprint
    selection = subject.verdict.selection if subject.verdict else None
    if selection is not None:
        yield "Scheme", f"{selection.scheme}: {selection.splits:,} splits"
        yield "Fingerprint of the splits", selection.splits_fingerprint
        if selection.folder:
            yield "All fits are kept in", visible(selection.folder)
    yield "Seed", str(subject.seed)
    yield "Alpha", f"{subject.alpha:g}"
