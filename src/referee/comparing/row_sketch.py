"""Sketch of rows: the smallest hashes of their ids, by which rows that were counted before are recognised.

Whatever rows come later, those whose hash is below the largest of both sketches are known on both sides. So up to 1,024
rows the overlap is exact, and of more it is an estimate that hardly ever misses a share above half a percent of the
larger side.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import CheckpointError, Notice
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from referee.arrays import Array
    from referee.predictions import Predictions

KEPT = 1024
START, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
"""Fowler, Noll and Vo's 64 bits (FNV-1a)."""
FINISH = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
"""Steele, Lea and Flood's mixing of bits (SplitMix64), as the first bits of FNV-1a are not random enough."""


@dataclass(frozen=True, eq=False)
class RowSketch:
    """The smallest hashes of the ids, and how many ids there are.

    >>> one, other = (RowSketch.of(hashes_of(map(str, rows))) for rows in (range(300), range(250, 500)))
    >>> one.overlap(other)
    50.0
    """

    ids: int
    smallest: Array

    @classmethod
    def of(cls, hashes: Array) -> RowSketch:
        every = np.unique(hashes)
        return cls(len(every), every[:KEPT])

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> RowSketch:
        return cls(content["ids"], np.frombuffer(b64decode(content["smallest"]), "<u8"))

    def to_dict(self) -> dict[str, Any]:
        return {"ids": self.ids, "smallest": b64encode(self.smallest.astype("<u8").tobytes()).decode()}

    def overlap(self, other: RowSketch) -> float:
        """How many ids both have; exact where all hashes are kept, else by the share of hashes that both know."""
        both = np.intersect1d(self.smallest, other.smallest, assume_unique=True)
        known = min(self._share, other._share)
        return float(len(both)) / known  # no hash of both is above the last of either

    @property
    def _share(self) -> float:
        """Of all hashes there may be: below it, those of these ids are all kept."""
        return 1.0 if self.is_whole else float(self.smallest[-1]) / 2.0**64

    @property
    def is_whole(self) -> bool:
        """Whether the hashes of all ids are kept."""
        return self.ids <= KEPT


def sketch_of_rows(predictions: Predictions) -> RowSketch | None:
    """By the column that identifies rows; None where none was named."""
    columns = {} if predictions.account is None else predictions.account.columns
    name = next((name for name, entry in columns.items() if entry.get("as") == "id"), None)
    sources: Sequence[Any] = getattr(predictions.slices, "sources", ())
    source = next((source for source in sources if name in source.table.columns.column_names), None)
    if name is None or source is None or predictions.query_column is not None:
        return None
    return RowSketch.of(source.align(hashes_of(source.table.column(name))))


def hashes_of(ids: Any) -> Array:
    """One of each id, as it is written: FNV-1a of its bytes, mixed once more.

    >>> [f"{each:016x}" for each in hashes_of(["", "a"]).tolist()]
    ['f52a15e9a9b5e89b', '02c0bdbf481420f8']
    """
    import pyarrow as pa

    texts = ids if isinstance(ids, pa.ChunkedArray) else pa.chunked_array([pa.array(list(ids), pa.large_string())])
    if pa.types.is_dictionary(texts.type):
        texts = texts.cast(texts.type.value_type)
    each = [_hashes(chunk.cast(pa.large_string())) for chunk in texts.chunks]
    return np.concatenate(each) if each else np.empty(0, np.uint64)


def _hashes(texts: Any) -> Array:
    """Byte after byte, for all texts that are long enough."""
    _, places, letters = texts.buffers()
    ends = np.frombuffer(places, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    letters = np.frombuffer(letters or b"", np.uint8)
    keys, rows = np.full(len(texts), START), np.arange(len(texts))
    with np.errstate(over="ignore"):
        for step in range(int(np.diff(ends).max(initial=0))):
            rows = rows[ends[rows + 1] - ends[rows] > step]
            keys[rows] = (keys[rows] ^ letters[ends[rows] + step]) * PRIME
        for turn, factor in FINISH:
            keys = (keys ^ (keys >> np.uint64(turn))) * np.uint64(factor)
    return keys


def refuse_counted(path: Path, sketch: RowSketch | None, rows: int, before: Sequence[Mapping[str, Any]]) -> None:
    """Stop where rows that are said to be new have been counted in an earlier look."""
    for look in before if sketch is not None else ():
        assert sketch is not None
        seen = RowSketch.read(look["ids"]) if look.get("ids") else None
        if seen is None or not (again := sketch.overlap(seen)):
            continue
        number = min(round(again), rows)
        about = f"{number:,}" if sketch.is_whole and seen.is_whole else f"about {number:,}"
        raise CheckpointError(
            "E_LEDGER",
            f"{path}: {about} of the {rows:,} rows were already counted in look {look['look']}, by their ids, and a "
            "row counts once",
            hint="with --new-rows give only rows that no look has seen; the very same rows again are no new look",
        )


def overlap_notices(sketch: RowSketch | None, before: Sequence[Mapping[str, Any]]) -> list[Notice]:
    """What cannot be seen of rows that may have been counted before."""
    if sketch is None:
        what = "without --id nothing shows whether these rows were counted in an earlier look"
        return [Notice("W_NOIDS", f"{what}: --new-rows adds up what it is given")]
    unknown = [str(look["look"]) for look in before if not look.get("ids")]
    if not unknown:
        return []
    looks = f"look{'s' if len(unknown) > 1 else ''} {', '.join(unknown)}"
    return [Notice("W_NOIDS", f"the ledger holds no ids of {looks}: rows that were counted there are not recognised")]
