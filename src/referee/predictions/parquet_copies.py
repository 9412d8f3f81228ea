"""Files larger than memory, read by our rules and written once as Parquet, where DuckDB sums their rows up."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.predictions.database_queries import EXTREMES
from referee.predictions.source import sources
from referee.predictions.temporary_folders import TemporaryFolder, written_to
from referee.predictions.units import Units

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

    from referee.arrays import Array
    from referee.predictions.model import Model
    from referee.predictions.predictions import Predictions
    from referee.predictions.stream_columns import Layout
    from referee.predictions.table import ReadOptions

UNITS = ("fold", "repeat", "group")


def predictions_of_copy(streamed: Any, options: ReadOptions) -> Any:
    """The predictions of rows that come in pieces, of a copy that a database can read."""
    folder = TemporaryFolder()
    try:
        copy = _Copy(streamed, folder.path / "rows.parquet")
        folder.refuse_without_room(f"a copy of {streamed.source}", copy.size)
        copy.write()
    except BaseException:
        folder.remove()
        raise
    opener = sources["duckdb"].over_parquet
    assert opener is not None
    return copy.predictions(opener(streamed.source, [copy.file], options, folder).table)


class _Copy:
    def __init__(self, streamed: Predictions, file: Path) -> None:
        self.streamed, self.file = streamed, file
        self.layout: Layout = streamed.truth.layout  # type: ignore[attr-defined]
        self.extremes: dict[str, tuple[float, float]] = {}

    @property
    def size(self) -> int:
        """Bytes, if nothing becomes smaller."""
        width = sum(column.dtype.itemsize for column in _columns(next(self._pieces())).values())
        return width * self.layout.rows

    def write(self) -> None:
        """One pass, in which every cell is checked."""
        from pyarrow import parquet

        pieces = (self._seen(piece) for piece in self._pieces())
        first = next(pieces)
        codes = [field.name for field in first.schema if field.type == "int32"]
        with written_to(self.file):
            writer = parquet.ParquetWriter(self.file, first.schema, compression="lz4", use_dictionary=codes)
        try:
            for rows in chain([first], pieces):
                with written_to(self.file):
                    writer.write_table(rows)
        except BaseException:
            with suppress(OSError):
                writer.close()
            raise
        with written_to(self.file):
            writer.close()

    def _pieces(self) -> Iterator[Predictions]:
        return self.layout.pieces(self.streamed.names, group=True)

    def _seen(self, piece: Predictions) -> pa.Table:
        import pyarrow as pa

        for model in piece.models:
            if model.scores is not None:
                low, high = self.extremes.get(model.name, (np.inf, -np.inf))
                self.extremes[model.name] = min(low, float(model.scores.min())), max(high, float(model.scores.max()))
        return pa.table(_columns(piece))

    def predictions(self, table: Any) -> Any:
        """What was streamed, with the columns of the copy."""
        streamed, columns = self.streamed, {name: table[name] for name in table.columns}

        def units(name: str, known: Units | None) -> Units | None:
            return None if known is None else Units(columns[name], known.names)

        made = replace(
            streamed,
            truth=columns["truth"],
            models=tuple(_of_copy(place, model, columns) for place, model in enumerate(streamed.models)),
            weight=columns.get("weight"),
            baseline=columns.get("baseline"),
            **{name: units(name, getattr(streamed, name)) for name in UNITS},  # type: ignore[arg-type]
            slices={name: Units(columns[f"by {name}"], streamed.slices[name].names) for name in self.layout.roles.by},
            engine="database",
        )
        vars(made)[EXTREMES] = {model: self.extremes[model.name] for model in made.models if model.scores is not None}
        return made


def _columns(piece: Predictions) -> dict[str, Array]:
    """All columns of a piece by names of their own; 32-bit floats stay so, as their ties are those of the file."""
    models = range(len(piece.models))
    numbers: dict[str, Any] = {name: getattr(piece, name) for name in ("truth", "weight", "baseline")} | {
        f"{place} {kind}": column for place in models for kind, column in piece.models[place].columns_by_kind().items()
    }
    units: dict[str, Any] = {name: getattr(piece, name) for name in UNITS}
    units |= {f"by {name}": each for name, each in piece.slices.items()}
    codes = {"truth"} if piece.classes else set()
    codes |= {*units, *(f"{place} labels" for place in models)}
    numbers |= {name: None if each is None else each.codes for name, each in units.items()}
    return {
        name: np.asarray(column, np.int32 if name in codes else _kind(column))
        for name, column in numbers.items()
        if column is not None
    }


def _kind(column: Array) -> Any:
    return np.float32 if column.dtype == np.float32 else np.float64


def _of_copy(place: int, model: Model, columns: dict[str, Any]) -> Model:
    classes, levels = range(len(model.class_scores or ())), model.quantiles
    return replace(
        model,
        scores=columns.get(f"{place} scores"),
        labels=columns.get(f"{place} labels"),
        values=columns.get(f"{place} values"),
        class_scores=None if not classes else tuple(columns[f"{place} class {code}"] for code in classes),
        quantiles=levels and {level: columns[f"{place} level {level}"] for level in levels},
    )
