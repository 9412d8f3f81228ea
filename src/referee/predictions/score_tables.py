"""Tables of scores without a truth, wide or long, read as Predictions of the task "scores"."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from referee.document import counted
from referee.errors import InputError, Notice, UsageError, did_you_mean, listed
from referee.predictions.account import Account, id_like_notices
from referee.predictions.alignment import BETWEEN, AlignedTable
from referee.predictions.cell_labels import coded, texts
from referee.predictions.id_like import with_id_like
from referee.predictions.judgements import judged_columns, judged_pair
from referee.predictions.locations import read_table
from referee.predictions.model import Model
from referee.predictions.model_columns import find_models, unused_columns
from referee.predictions.predictions import Predictions
from referee.predictions.score_cells import DROP, RepeatedScores, Samples, long_columns, wide_columns
from referee.predictions.score_roles import ScoreRoles, cross_validated
from referee.predictions.scored_rows import ScoredRows
from referee.predictions.seeds import SeedTable, seed_codes, seed_notices
from referee.predictions.table import ReadOptions
from referee.predictions.times import times
from referee.predictions.units import Instants, Units
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions.roles import Roles
    from referee.predictions.score_cells import ScoreColumn
    from referee.predictions.seeds import Seeds
    from referee.predictions.table import Table

SomePredictions = TypeVar("SomePredictions", bound=Predictions)


def read_scores(
    kind: type[SomePredictions], given: Sequence[Any], roles: ScoreRoles, options: ReadOptions | None = None
) -> SomePredictions:
    """Read the sources and bring every model to the same items, folds or data sets."""
    if not given:
        raise UsageError("E_NOSOURCE", "no source was given", hint="give a file, a database table or a frame")
    tables = [read_table(source, options or ReadOptions()) for source in given]
    if roles.winner is not None:
        tables = [judged_pair(table, roles) for table in tables]
    return _Scores(tables, roles).predictions(kind)


def read_score_table(
    kind: type[SomePredictions], given: Sequence[Any], said: dict[str, Any], options: ReadOptions | None
) -> SomePredictions:
    """The same from keywords of Python."""
    return read_scores(kind, given, ScoreRoles.of(**{k: v for k, v in said.items() if k != "task"}), options)


@dataclass(frozen=True, eq=False)
class _Scores:
    """The scores of all models, and what each is the score of."""

    tables: Sequence[Table]
    roles: ScoreRoles

    @cached_property
    def columns(self) -> list[ScoreColumn]:
        if self.roles.winner is not None:
            return [*judged_columns(self.tables, self.roles)]
        if self.roles.score_column is not None:
            return [*long_columns(self.tables, self.roles)]
        return [*wide_columns(self._sources, self._named, self.roles)]

    @cached_property
    def _sources(self) -> list[AlignedTable]:
        return [AlignedTable(table) for table in self.tables]

    @cached_property
    def _named(self) -> Roles:
        return with_id_like(self._sources, self.roles.of_columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(column.model for column in self.columns))

    def _keys(self, table: Table) -> Array:
        """What each row of a table is the score of."""
        columns = self.roles.key_columns
        if not columns and self.roles.score_column is not None:
            what = {"items": "--id COL", "folds": "--fold COL", "datasets": "--dataset COL"}[self.roles.kind]
            raise UsageError(
                "E_NOID", f"which column says what a score belongs to? A long table of {self.roles.kind} needs one",
                hint=f"use {what}; the columns are {listed(table.columns.column_names)}",
            )  # fmt: skip
        if not columns and len(self.tables) > 1:
            raise UsageError("E_NOID", "which column matches the rows of several sources?", hint="use --id COL")
        if not columns:
            return np.arange(1, table.rows + 1).astype(str).astype(object)
        parts = [texts(table, name).tolist() for name in columns]
        return np.array([BETWEEN.join(part) for part in zip(*parts, strict=True)], object)

    @cached_property
    def _coded(self) -> tuple[list[str], dict[int, Array]]:
        """All keys in the order of their first row, and for each table the key of each of its rows."""
        keys = [self._keys(table) for table in self.tables]
        distinct, first, codes = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        ends = np.cumsum([len(each) for each in keys])[:-1]
        of_tables = np.split(place[codes.reshape(-1)], ends)
        return distinct[order].tolist(), dict(enumerate(of_tables))

    def _codes(self, table: Table) -> Array:
        place = next(place for place, other in enumerate(self.tables) if other is table)
        return self._coded[1][place]

    @cached_property
    def keys(self) -> list[str]:
        return self._coded[0]

    @cached_property
    def samples(self) -> dict[str, Samples]:
        """Each model's scores, gathered by what they are scores of."""
        return {name: self._gathered(self._columns_of(name)) for name in self.names}

    def _columns_of(self, name: str) -> list[ScoreColumn]:
        return [column for column in self.columns if column.model == name]

    def _gathered(self, columns: Sequence[ScoreColumn]) -> Samples:
        codes = np.concatenate([self._codes(column.table)[column.rows] for column in columns])
        values = np.concatenate([column.values for column in columns])
        return Samples(codes, values, len(self.keys), self._seeds_of(columns))

    @cached_property
    def _repeated(self) -> list[Notice]:
        return RepeatedScores(self.roles, self.samples, self._called, self._places).notices()

    def _places(self, name: str) -> list[tuple[Table, int]]:
        return [(column.table, int(row) + 1) for column in self._columns_of(name) for row in column.rows]

    @cached_property
    def _coded_seeds(self) -> tuple[tuple[str, ...], dict[int, Array]]:
        return seed_codes(self.tables, self.roles.seed_column or "")

    def _seeds_of(self, columns: Sequence[ScoreColumn]) -> Array | None:
        if self.roles.seed_column is None:
            return None
        return np.concatenate([self._coded_seeds[1][id(column.table)][column.rows] for column in columns])

    @cached_property
    def seed_table(self) -> SeedTable | None:
        """The scores by item and seed, where there are several seeds."""
        if self.roles.seed_column is None or len(self._coded_seeds[0]) < 2:
            return None
        return SeedTable(self._coded_seeds[0], self.samples, self.roles.on_missing == "drop")

    def _called(self, code: int) -> str:
        unit = {"items": "item", "folds": "fold", "datasets": "data set"}[self.roles.kind]
        return f"{unit} {self.keys[code].replace(BETWEEN, ', ')}"

    @cached_property
    def kept(self) -> Array:
        """Of what every model has a score."""
        has = {name: self._has(name) for name in self.samples}
        everywhere = np.logical_and.reduce(list(has.values()))
        for name, there in has.items():
            if self.roles.on_missing == "error" and not there.all():
                lacking = np.flatnonzero(~there)
                more = f" ({len(lacking):,} such)" if len(lacking) > 1 else ""
                what = f"{name!r} has no score for {self._lacking(name, lacking[0])}{more}"
                raise InputError("E_ALIGN", f"{self.tables[0].name}: {what}", hint=DROP)
        if not everywhere.any():
            raise InputError("E_NOROWS", f"{self.tables[0].name}: no item has a score from every model")
        return np.flatnonzero(everywhere)

    def _has(self, name: str) -> Array:
        """Of what a model has a score; with every seed, where there are several."""
        return self.samples[name].counts > 0 if self.seed_table is None else self.seed_table.complete(name)

    def _lacking(self, name: str, code: int) -> str:
        seeds = "" if self.seed_table is None else f" with seed {self.seed_table.missing_seed(name, code)}"
        return f"{self._called(code)}{seeds}"

    def units(self, column: str) -> Units:
        """A column that has one value for each key."""
        named: dict[int, tuple[str, Table, int]] = {}
        for table in self.tables:
            if column not in table.columns.column_names:
                continue
            for row, (code, text) in enumerate(zip(self._codes(table).tolist(), texts(table, column), strict=True), 1):
                known = named.setdefault(code, (text, table, row))
                if known[0] != text:
                    where = f"rows {known[1].row_number(known[2])} and {table.row_number(row)}"
                    raise InputError(
                        "E_GROUPS",
                        f"{table.name}: column {column!r}: {self._called(code)} is {known[0]!r} and {text!r} ({where})",
                    )
        if not named:
            names = [name for table in self.tables for name in table.columns.column_names]
            raise UsageError(
                "E_NOCOL", f"{self.tables[0].name} has no column {column!r}; {did_you_mean(column, names)}"
            )
        codes, distinct = coded(read_table({column: [named[code][0] for code in self.kept.tolist()]}), column)
        return Units(codes, distinct)

    def predictions(self, kind: type[SomePredictions]) -> SomePredictions:
        repeated, roles, rows = self._repeated, self.roles, len(self.kept)
        single = {name: self.units(name) for name in roles.single_columns}
        slices = {name: single[name] for name in roles.by}
        data_set, folds = None, dict[str, Any]()
        if roles.kind == "datasets":
            data_set = roles.dataset or roles.id or "data set"
            slices[data_set] = self._data_sets(data_set)
            folds["group"] = slices[data_set] if len(slices[data_set]) < rows else None
        elif roles.kind == "folds":
            folds = self._splits()
        else:
            folds = {"group": single.get(roles.group or ""), "fold": single.get(roles.fold or "")}
            folds["time"] = None if roles.time is None else self._instants(roles.time, single[roles.time])
        models = tuple(self._model(name) for name in self.names)
        return kind(
            task="scores",
            truth=np.zeros(rows),
            models=models,
            scored=replace(
                self._scored(rows, data_set, folds),
                of_models={model.name: np.asarray(model.values) for model in models},
            ),
            slices=slices,
            source=self.tables[0].name,
            notices=(*self._id_like(), *repeated, *self._dropped()),
            notes=tuple(self._notes()),
            account=self._account(),
            **folds,
        )

    def _instants(self, column: str, units: Units) -> Instants:
        for table in self.tables:
            if column in table.columns.column_names:
                times(table, column)  # whose errors name the row
        distinct = replace(read_table({column: list(units.names)}), name=self.tables[0].name, text=True)
        return Instants.of(times(distinct, column)[units.codes])

    def _data_sets(self, name: str) -> Units:
        if name in self.tables[0].columns.column_names:
            return self.units(name)
        return Units(np.arange(len(self.kept)), tuple(self.keys[code] for code in self.kept))

    def _splits(self) -> dict[str, Units | None]:
        """Folds and repeats; without a column of folds, each row is one."""
        roles = self.roles
        if roles.fold is None and roles.repeat is None:
            names = tuple(self.keys[code] for code in self.kept)
            return {"fold": Units(np.arange(len(names)), names)}
        return {role: self.units(name) for role, name in (("fold", roles.fold), ("repeat", roles.repeat)) if name}

    def _scored(self, rows: int, data_set: str | None, units: dict[str, Any]) -> ScoredRows:
        n_train, n_test = self.roles.sizes(rows)
        scored = ScoredRows(self.roles.kind, self.roles.better, data_set, n_train, n_test, seeds=self._seeds)
        if scored.kind == "items":
            return scored
        folds, repeats = (self._how_many(name) for name in (self.roles.fold, self.roles.repeat))
        sets = len(units["group"]) if units.get("group") else 1
        if scored.kind == "folds" and self.roles.fold is None and self.roles.repeat is None:
            folds = rows
        known = cross_validated(folds, repeats, rows // sets, scored.overlap)
        return replace(scored, folds=folds, repeats=repeats) if known else scored

    @cached_property
    def _seeds(self) -> Seeds | None:
        seeds = None if self.seed_table is None else self.seed_table.seeds(self.kept)
        return None if seeds is None or len(seeds) < 2 else seeds

    def _how_many(self, column: str | None) -> int:
        return 1 if column is None else len(set().union(*(texts(table, column).tolist() for table in self.tables)))

    def _model(self, name: str) -> Model:
        column = next(column for column in self.columns if column.model == name)
        seeds = self._seeds
        values = self.samples[name].means[self.kept] if seeds is None else seeds.scores[name].mean(axis=1)
        return Model(name, values=values, columns=(column.name,), source=column.table.name)

    def _id_like(self) -> list[Notice]:
        wide = self.roles.winner is None and self.roles.score_column is None
        return id_like_notices(self._sources[0], self._named) if wide else []

    def _dropped(self) -> list[Notice]:
        of_seeds = [] if self.roles.seed_column is None else seed_notices(self._coded_seeds[0], self._seeds)
        lost = len(self.keys) - len(self.kept)
        if not lost:
            return of_seeds
        said = f"{counted(lost, self.roles.kind.rstrip('s'))} that some model has no score for"
        return [*of_seeds, Notice("W_DROPPED", f"{said} {'was' if lost == 1 else 'were'} left out, as requested")]

    def _notes(self) -> Iterator[str]:
        yield from (f"{table.name}: {note}" for table in self.tables for note in table.notes)
        yield from self._account().notes()
        if shares := self._sampled:
            counts = np.concatenate([samples.counts[self.kept] for samples in self.samples.values()])
            fewest, most = int(counts.min()), int(counts.max())
            each = f"{most}" if fewest == most else f"{fewest} to {most}"
            said = ", ".join(f"{name} {100 * share:.0f}%" for name, share in shares.items())
            yield (f"{each} samples of each item were averaged; share of the items' variance due to sampling: {said}")

    @cached_property
    def _sampled(self) -> dict[str, float]:
        """Of each model: the share of the variance of items that drawing their samples again would change."""
        if self.roles.kind != "items" or self._seeds is not None:
            return {}
        shares = {name: samples.part(self.kept).share_of_sampling for name, samples in self.samples.items()}
        return {name: share for name, share in shares.items() if share is not None}

    def _account(self) -> Account:
        roles = self.roles
        said = {"item": roles.id, "data set": roles.dataset, "model": roles.model_column, "fold": roles.fold}
        said |= {"repeat": roles.repeat, "group": roles.group, "time": roles.time, "seed": roles.seed_column} | {
            f"slice {name}": name for name in roles.by
        }
        columns: dict[str, dict[str, Any]] = {name: {"as": role} for role, name in said.items() if name}
        for column in self.columns:
            of_model = {"model": column.model} if roles.score_column is None and roles.winner is None else {}
            columns[column.name] = {"as": "score"} | of_model | column.account
        wide = roles.score_column is None and roles.winner is None
        left_out = (
            dict.fromkeys(self._unused(), "it holds no numbers") | dict(self._named.id_like or {}) if wide else {}
        )
        return Account(columns, columns_left_out=left_out, rows_are=roles.kind, sampling=self._sampled)

    def _unused(self) -> list[str]:
        return unused_columns(self._sources, find_models(self._sources, self._named), self._named)
