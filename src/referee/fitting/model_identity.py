"""Identity and size of models: a hash of all that decides what they do, and how large they are once fitted."""

from __future__ import annotations

import copyreg
import inspect
import pickle
from hashlib import blake2b
from types import CodeType, EllipsisType, FunctionType, ModuleType, NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PLAIN = (bool, int, float, complex, str, bytes, NoneType, EllipsisType)


def identity_of(value: Any) -> str:
    """Hash a model with its parameters, however long, and with the code of its class and of functions in it.

    An object is what pickle would keep of it; addresses and the places of files have no part in it.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> deep, same, shallow = (identity_of(DecisionTreeClassifier(max_depth=depth)) for depth in (9, 9, 1))
    >>> deep == same, deep == shallow
    (True, False)
    """
    return _Walk().hashed(value).hex()


class _Walk:
    """One way through an object and all that it holds; what was met before is not walked again."""

    def __init__(self) -> None:
        # The objects stay alive with it, so that no other one can get their address.
        self._met: dict[int, tuple[Any, bytes]] = {}

    def hashed(self, value: Any) -> bytes:
        if isinstance(value, PLAIN):
            return _hash(_name(type(value)), repr(value).encode("utf-8", "surrogatepass"))
        if id(value) not in self._met:
            self._met[id(value)] = value, b"inside itself"
            self._met[id(value)] = value, _hash(_name(type(value)), *self._parts(value))
        return self._met[id(value)][1]

    def _parts(self, value: Any) -> Iterable[bytes]:
        ways: dict[Any, Callable[[Any], Iterable[bytes]]] = {
            dict: self._of_dict,
            (set, frozenset): lambda members: sorted(map(self.hashed, members)),
            (list, tuple): lambda members: map(self.hashed, members),
            np.ndarray: self._of_array,
            type: self._of_class,
            FunctionType: self._of_function,
            CodeType: lambda code: map(self.hashed, (code.co_code, code.co_names, code.co_consts)),
            ModuleType: lambda module: [module.__name__.encode()],
        }
        return next((way for kind, way in ways.items() if isinstance(value, kind)), self._kept)(value)

    def _of_dict(self, value: dict[Any, Any]) -> list[bytes]:
        return sorted(self.hashed(key) + self.hashed(member) for key, member in value.items())

    def _of_array(self, value: Any) -> list[bytes]:
        content = self.hashed(value.tolist()) if value.dtype.hasobject else value.tobytes()
        return [repr((value.dtype, value.shape)).encode(), content]

    def _of_class(self, value: type) -> list[bytes]:
        """What is written in it and in those that it inherits from: a model that was edited is another one."""
        return [part for kind in value.__mro__ for part in (_name(kind), self.hashed(_written_in(kind)))]

    def _of_function(self, value: FunctionType) -> list[bytes]:
        around = [_content(cell) for cell in value.__closure__ or ()]
        return [_name(value), *map(self.hashed, (value.__code__, value.__defaults__, value.__kwdefaults__, around))]

    def _kept(self, value: Any) -> list[bytes]:
        """What pickle would keep; of what cannot be pickled, its kind only."""
        reduce = copyreg.dispatch_table.get(type(value))
        try:
            kept: Any = reduce(value) if reduce is not None else value.__reduce_ex__(4)
        except Exception:
            return [self.hashed(type(value))]
        if isinstance(kept, str):
            return [f"{getattr(value, '__module__', '')}.{kept}".encode()]
        return [self.hashed(list(part) if hasattr(part, "__next__") else part) for part in kept]


def _written_in(kind: type) -> dict[str, Any]:
    """The code of a class's own methods, and its own plain settings."""
    if kind is object:
        return {}
    members = {name: inspect.unwrap(getattr(member, "__func__", member)) for name, member in vars(kind).items()}
    methods = {name: member.__code__ for name, member in members.items() if isinstance(member, FunctionType)}
    settings = {
        name: member for name, member in members.items() if isinstance(member, PLAIN) and not name.startswith("__")
    }
    return methods | settings


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing is in it yet
        return None


def _name(value: Any) -> bytes:
    return f"{value.__module__}.{value.__qualname__}".encode()


def _hash(*parts: bytes) -> bytes:
    """Of each part by itself, so that moving a byte from one to its neighbour changes something."""
    whole = blake2b(digest_size=16)
    for part in parts:
        whole.update(blake2b(part, digest_size=16).digest())
    return whole.digest()


def size_of(estimator: Any) -> dict[str, int]:
    """Measure a fitted estimator: leaves, trees, coefficients, support vectors, stored rows; and bytes as pickled.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> size_of(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))["leaves"]
    2
    """
    last = _last_step(estimator)
    measures = {
        "leaves": _leaves(last),
        "trees": _trees(last),
        "coefficients": _coefficients(last),
        "support_vectors": _counted(getattr(last, "n_support_", None)),
        "stored_rows": _stored_rows(last),
        "bytes": _bytes(estimator),
    }
    return {name: amount for name, amount in measures.items() if amount is not None}


def _last_step(estimator: Any) -> Any:
    while hasattr(estimator, "steps"):
        estimator = estimator.steps[-1][1]
    return estimator


def _members(model: Any) -> list[Any] | None:
    """The trees of an ensemble, whatever it calls them."""
    members = getattr(model, "_predictors", None) or getattr(model, "estimators_", None)
    if members is None:
        return None
    return [tree for row in members for tree in (row if isinstance(row, list | np.ndarray) else [row])]


def _trees(model: Any) -> int | None:
    members = _members(model)
    return None if members is None or _leaves(members[0]) is None else len(members)


def _leaves(model: Any) -> int | None:
    if hasattr(model, "get_n_leaf_nodes"):
        return int(model.get_n_leaf_nodes())
    if hasattr(model, "get_n_leaves"):
        return int(model.get_n_leaves())
    if hasattr(model, "tree_"):
        return _leaves(model.tree_)
    each = [_leaves(tree) for tree in _members(model) or ()]
    return sum(leaves or 0 for leaves in each) if any(each) else None


def _coefficients(model: Any) -> int | None:
    weights = getattr(model, "coef_", None)
    if weights is None:
        return None
    return int(np.size(weights) + np.size(getattr(model, "intercept_", ())))


def _counted(counts: Any) -> int | None:
    return None if counts is None else int(np.sum(counts))


def _stored_rows(model: Any) -> int | None:
    rows = getattr(model, "n_samples_fit_", None)
    return None if rows is None else int(rows)


def _bytes(estimator: Any) -> int | None:
    try:
        return len(pickle.dumps(estimator, protocol=5))
    except Exception:
        return None
