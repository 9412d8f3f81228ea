"""What `referee metrics`, `schemes` and `tests` share: one entry's card, or the list of those that were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.catalogue import Catalogue, Entry, Shelf

EntryType = TypeVar("EntryType", bound="Entry")
Wanted = dict[str, str | bool | None]

PROPERTIES = {
    "threshold": "depends_on_threshold",
    "prevalence": "depends_on_prevalence",
    "task": "tasks",
    "design": "designs",
}
"""What a filter is of, where it has not the name of the property."""


def show_entries(
    name: str | None,
    form: str,
    html: str | None,
    wanted: Wanted,
    catalogue: Catalogue[EntryType],
    shelf: Shelf[EntryType],
) -> None:
    """Show the card of the entry that was named, or list those that have the properties."""
    from referee.catalogue import Listing
    from referee.cli.output import save_page_of, show

    if name is not None:
        refuse_filters(name, shelf.kind, wanted)
    chosen = (entry for entry in catalogue.values() if has_properties(entry, wanted))
    result = Listing(shelf, tuple(chosen)) if name is None else shelf.card(catalogue[name])
    save_page_of(result, html)
    show(result, form)


def refuse_filters(name: str, kind: str, wanted: Wanted) -> None:
    """Stop where one entry is named, and filters of the list of them are given too."""
    given = [key for key, value in wanted.items() if value is not None]
    if given:
        raise UsageError(
            "E_USAGE",
            f"{name!r} names one {kind}, and --{given[0]} filters the list of them",
            hint="give a name or filters, not both",
        )


def has_properties(entry: object, wanted: Wanted) -> bool:
    """Whether an entry has all the properties that were asked for."""
    for key, value in wanted.items():
        known = getattr(entry, PROPERTIES.get(key, key), None) if value is not None else None
        if known != value and not (isinstance(known, tuple) and value in known):
            return False
    return True
