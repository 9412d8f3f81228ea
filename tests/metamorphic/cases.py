"""Made-up tables for every task, as columns with roles; metrics are told by the catalogue which of them they fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import referee

ROWS = 96
KINDS = (None, "probability", "frequency")
"""Of weights."""
LEVELS = (0.1, 0.5, 0.9)


@dataclass(frozen=True)
class Case:
    """Columns, and what they mean."""

    columns: dict[str, Any]
    roles: dict[str, Any]

    def with_columns(self, **roles: Any) -> Case:
        """The same with columns that have a role: weight=[...]; None takes one away."""
        names = {role: f"the {role}" for role in roles}
        kept = {name: values for name, values in self.columns.items() if name not in names.values()}
        added = {names[role]: np.asarray(values) for role, values in roles.items() if values is not None}
        said = {role: name for role, name in self.roles.items() if role not in roles and role != "weight_kind"}
        return Case(kept | added, said | {role: names[role] for role in roles if names[role] in added})

    def with_roles(self, **roles: Any) -> Case:
        return replace(self, roles=self.roles | roles)

    @property
    def weight(self) -> Any:
        return self.columns.get("the weight")

    @property
    def pieces(self) -> list[Any]:
        """The places of each row, or of each query's items."""
        if "query" not in self.roles:
            return [[place] for place in range(self.height)]
        queries = self.columns["query"]
        return [np.flatnonzero(queries == name) for name in dict.fromkeys(queries)]

    @property
    def height(self) -> int:
        return len(next(iter(self.columns.values())))

    def take(self, pieces: Any) -> Case:
        """Rows, or queries, by their numbers; a query that stands twice is two queries."""
        places = self.pieces
        chosen = np.concatenate([places[number] for number in pieces])
        columns = {name: np.asarray(values)[chosen] for name, values in self.columns.items()}
        if "query" in self.roles:
            times = np.repeat(np.arange(len(pieces)), [len(places[number]) for number in pieces])
            columns["query"] = np.array([f"query {number}" for number in times])
        return replace(self, columns=columns)


def weighted(case: Case, kind: str | None) -> Case:
    """The case with weights of a kind; every sixth row weighs nothing."""
    if kind is None:
        return case
    pieces = case.pieces
    drawn = np.random.default_rng(5).integers(1, 5, len(pieces)) * (np.arange(len(pieces)) % 6 > 0)
    weight = np.zeros(case.height, np.int64)
    for places, heavy in zip(pieces, drawn, strict=True):
        weight[places] = heavy
    return case.with_columns(weight=weight if kind == "frequency" else weight * 0.37).with_roles(weight_kind=kind)


BESIDE = {
    "fold": np.random.default_rng(10).permutation(np.arange(ROWS) % 4),
    "group": np.random.default_rng(11).permutation(np.arange(ROWS) // 4),
    "time": np.random.default_rng(12).permutation(ROWS),
}
"""Columns that say how rows belong together."""


def with_beside(case: Case, role: str | None) -> Case:
    return case if role is None else case.with_columns(**{role: BESIDE[role]})


def odd_shares(draw: Any, logits: Any) -> Any:
    """Probabilities near the sigmoid of logits, as odd multiples of 1/1024: 1 - p is exact, and none is 0.5."""
    shares = 1 / (1 + np.exp(-(logits + draw.normal(size=logits.shape))))
    return (2 * np.floor(shares * 512).clip(0, 511) + 1) / 1024


def binary() -> Case:
    draw = np.random.default_rng(1)
    truth = draw.permutation(np.arange(ROWS) % 3 == 0)
    columns = {"y": np.where(truth, "yes", "no"), "region": draw.permutation(REGIONS)}
    columns |= {name: odd_shares(draw, slope * (2.0 * truth - 1)) for name, slope in (("a", 1.2), ("b", 0.7))}
    return Case(columns, {"truth": "y", "models": ["a", "b"], "positive": "yes"})


REGIONS = np.array(["north", "south"])[np.arange(ROWS) * 5 // 8 % 2]


def multiclass() -> Case:
    draw = np.random.default_rng(2)
    truth = draw.permutation(np.arange(ROWS) % 3)
    columns = {"y": np.array(["ant", "bee", "cat"])[truth], "region": draw.permutation(REGIONS)}
    for name, slope in (("m", 1.4), ("n", 0.8)):
        logits = slope * np.eye(3)[truth] + draw.normal(size=(ROWS, 3))
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        columns |= {f"{name}:{label}": shares[:, place] for place, label in enumerate(("ant", "bee", "cat"))}
    models = {"m": "m:{class}", "n": "n:{class}"}
    return Case(columns, {"truth": "y", "models": models, "classes": ["ant", "bee", "cat"]})


def regression() -> Case:
    draw = np.random.default_rng(3)
    truth = draw.normal(20, 4, ROWS).round(3)
    columns = {"y": truth, "region": draw.permutation(REGIONS)}
    columns |= {name: (truth + draw.normal(0, size, ROWS)).round(3) for name, size in (("near", 1), ("far", 1.5))}
    return Case(columns, {"truth": "y", "models": ["near", "far"]})


def quantiles() -> Case:
    numbers, draw = regression(), np.random.default_rng(4)
    columns = {name: numbers.columns[name] for name in ("y", "region")}
    for name, size in (("low", 1.0), ("wide", 2.0)):
        middle = columns["y"] + draw.normal(0, size, ROWS)
        columns |= {f"{name}:{level}": middle + (level - 0.5) * 3 * size for level in LEVELS}
    return Case(columns, {"truth": "y", "models": ["low", "wide"]})


def ranking() -> Case:
    draw = np.random.default_rng(6)
    items = 4 * (ROWS // 2)
    relevance = np.concatenate([draw.permutation([0, 1, *draw.integers(0, 4, 2)]) for _ in range(ROWS // 2)])
    columns = {"y": relevance, "query": np.repeat([f"query {number}" for number in range(ROWS // 2)], 4)}
    columns |= {name: draw.permutation(items) / items + slope * relevance for name, slope in (("a", 0.3), ("b", 0.2))}
    return Case(columns, {"truth": "y", "models": ["a", "b"], "query": "query", "task": "ranking"})


def multilabel() -> Case:
    draw = np.random.default_rng(7)
    truth = draw.integers(0, 2, (ROWS, 3))
    columns = {f"y:{label}": truth[:, place] for place, label in enumerate("uvw")}
    for name, slope in (("a", 1.2), ("b", 0.7)):
        shares = odd_shares(draw, slope * (2.0 * truth - 1))
        columns |= {f"{name}:{label}": shares[:, place] for place, label in enumerate("uvw")}
    models = {"a": "a:{label}", "b": "b:{label}"}
    return Case(columns, {"truth": "y:{label}", "models": models, "task": "multilabel"})


def scores() -> Case:
    draw = np.random.default_rng(8)
    shared = draw.normal(size=ROWS)
    columns = {name: (shared + draw.normal(lead, 1, ROWS)).round(3) for name, lead in (("a", 0.4), ("b", 0.0))}
    return Case(columns, {"task": "scores", "models": ["a", "b"]})


MAKE = {
    "binary": binary,
    "multiclass": multiclass,
    "regression": regression,
    "quantiles": quantiles,
    "ranking": ranking,
    "multilabel": multilabel,
    "scores": scores,
}


def kinds_for(task: str) -> tuple[str | None, ...]:
    """Scores without a truth have no weights."""
    return (None,) if task == "scores" else KINDS


def tasks_of(metric: Any) -> list[str]:
    """The cases that a metric can be asked of."""
    return ["quantiles"] if metric.needs == "quantiles" else list(metric.tasks)


def metrics_for(task: str) -> list[str]:
    return [name for name, metric in referee.metrics.items() if task in tasks_of(metric)]
