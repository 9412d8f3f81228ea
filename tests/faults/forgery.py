"""A record of a store replaced by another, with every checksum made anew: a forgery that agrees with itself."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from referee.fitting.runner.records import Packed, checksum, key_bytes


def replace_record(path, key, change):
    """`change(json, arrays)` gives the bytes of the new record."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA synchronous = OFF")
        old = database.execute("SELECT json, arrays FROM records WHERE key = ?", (key_bytes(key),)).fetchone()
        text, blob = change(*old)
        database.execute(
            "UPDATE records SET json = ?, arrays = ?, checksum = ? WHERE key = ?",
            (text, blob, Packed(text, blob).checksum(key), key_bytes(key)),
        )
        seal = bytes(16)
        for own, expected in database.execute("SELECT key, checksum FROM records"):
            seal = bytes(a ^ b for a, b in zip(seal, checksum(own, expected), strict=True))
        database.execute("UPDATE state SET seal = ?", (seal,))
