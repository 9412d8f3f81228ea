"""Which table of a database file is meant."""

from __future__ import annotations

from urllib.parse import unquote

from referee.errors import UsageError, did_you_mean, listed


def chosen_table(source: str, wanted: str | None, known: list[str]) -> str:
    """Choose the table that was named, if the catalogue has it, or the only one there is.

    >>> chosen_table("f.db", None, ["preds"]), chosen_table("f.db", "my%20preds", ["my preds", "x"])
    ('preds', 'my preds')
    """
    if not known:
        raise UsageError("E_TABLE", f"{source} holds no table")
    if wanted is None:
        if len(known) == 1:
            return known[0]
        raise UsageError(
            "E_TABLE",
            f"{source} holds {len(known)} tables, {listed(known)}: say which with --table",
            hint="--table NAME, or #NAME at the end of an address",
        )
    for name in (wanted, unquote(wanted)):
        if name in known:
            return name
    hint = did_you_mean(wanted, known)
    raise UsageError("E_TABLE", f"{source} has no table {wanted!r}; {hint}", hint=hint)


def quoted(identifier: str) -> str:
    """Write an identifier as SQL text, whatever it holds.

    >>> print(quoted('t"; DROP TABLE x; --'))
    "t""; DROP TABLE x; --"
    """
    return '"' + identifier.replace('"', '""') + '"'
