"""Reverse-mode derivatives: what a formula does to arrays is written down, and gone through backwards."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.scoring.derivatives import derivative

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

    Back = Callable[[Array], Array]
    """From the slope of a result to that of one of the numbers it was made of."""
    Parents = tuple[tuple["Var", Back], ...]
    Partial = float | Callable[..., Array]


class Tape(list["Var"]):
    """All that was made of the numbers by which a formula is differentiated, in order.

    Who has read the slopes clears it, so that its arrays make room at once.
    """

    def __init__(self, depth: int = 0) -> None:
        super().__init__()
        self.depth = depth
        """A tape inside another one is deeper, and what is made of numbers of both stands on it."""

    def leaf(self, value: Any) -> Var:
        return Var(np.asarray(value, float), self)


def _operator(ufunc: np.ufunc) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """With the other number behind and before: going through NumPy's dispatch would take as long again."""
    return lambda self, other: _made_by(ufunc, self, other), lambda self, other: _made_by(ufunc, other, self)


class Var:
    """An array that knows what it was made of; comparisons, and what is asked of its shape, are plain.

    >>> x = Tape().leaf([1.0, 2.0])
    >>> backward((x**3 / 2).sum())
    []
    >>> x.slope
    array([1.5, 6. ])
    """

    __slots__ = ("by_element", "parents", "slope", "tape", "value")
    __hash__ = object.__hash__

    def __init__(self, value: Array, tape: Tape, parents: Parents = (), *, by_element: bool = False) -> None:
        self.value, self.tape, self.parents = value, tape, parents
        self.by_element = by_element
        """Whether each element was made of those at the same place."""
        self.slope: Array | None = None
        tape.append(self)

    shape = property(lambda self: self.value.shape)
    ndim = property(lambda self: self.value.ndim)
    dtype = property(lambda self: self.value.dtype)
    size = property(lambda self: self.value.size)
    real = property(lambda self: self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __array__(self, *_: Any, **__: Any) -> Array:
        raise TypeError("a number that is moved is not a plain array")

    __add__, __radd__ = _operator(np.add)
    __sub__, __rsub__ = _operator(np.subtract)
    __mul__, __rmul__ = _operator(np.multiply)
    __truediv__, __rtruediv__ = _operator(np.true_divide)
    __pow__, __rpow__ = _operator(np.power)
    __matmul__, __rmatmul__ = _operator(np.matmul)
    __gt__, __lt__ = _operator(np.greater)
    __ge__, __le__ = _operator(np.greater_equal)
    __eq__, __ne__ = _operator(np.equal)[0], _operator(np.not_equal)[0]

    def __neg__(self) -> Var:
        return _made_by(np.negative, self)

    def __pos__(self) -> Var:
        return self

    def __abs__(self) -> Var:
        return _made_by(np.absolute, self)

    def __getitem__(self, place: Any) -> Var:
        def back(slope: Array) -> Array:
            if isinstance(place, np.ndarray) and self.value.ndim == 1:
                cells = np.arange(len(self.value))[place]
                return np.bincount(cells.reshape(-1), slope.reshape(-1), len(self.value))
            full = np.zeros(self.value.shape)
            np.add.at(full, place, slope) if isinstance(place, np.ndarray) else full.__setitem__(place, slope)
            return full

        return made(np.asarray(self.value[place]), (self, back))

    def sum(self, axis: Any = None, *, where: Any = True, keepdims: bool = False) -> Var:
        total = np.add.reduce(self.value, axis=axis, where=where, keepdims=True)

        def back(slope: Array) -> Array:
            return np.where(where, slope.reshape(total.shape), np.zeros(self.value.shape))

        return made(total if keepdims else total.squeeze(axis), (self, back))

    def mean(self, axis: Any = None) -> Var:
        total = self.sum(axis)
        return total / (self.value.size / total.value.size)

    def cumsum(self) -> Var:
        return made(np.cumsum(self.value), (self, lambda slope: np.cumsum(slope[::-1])[::-1]))

    def added_up(self, place: Array, size: int) -> Var:
        """In cells, of which each number has its place in one."""
        return made(np.bincount(place, self.value, size), (self, lambda slope: slope[place]))

    def clip(self, low: Any, high: Any) -> Var:
        inside = (self.value >= low) & (self.value <= high)
        return made(np.clip(self.value, low, high), (self, lambda slope: slope * inside))

    def astype(self, *_: Any, **__: Any) -> Var:
        return self

    def reshape(self, *shape: Any) -> Var:
        return made(self.value.reshape(*shape), (self, lambda slope: slope.reshape(self.value.shape)))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **options: Any) -> Any:
        if method != "__call__" or options.keys() - {"out", "where"}:
            return NotImplemented
        return _made_by(ufunc, *given, **options)

    def __array_function__(self, function: Any, _: Any, given: Any, options: Any) -> Any:
        return FUNCTIONS[function](*given, **options) if function in FUNCTIONS else NotImplemented


def plain(value: Any) -> Any:
    """Without the knowledge of what it was made of."""
    return value.value if isinstance(value, Var) else value


def made(value: Array, *parents: tuple[Var, Back], by_element: bool = False) -> Var:
    tape = parents[0][0].tape
    for parent, _ in parents[1:]:
        if parent.tape.depth > tape.depth:
            tape = parent.tape
    return Var(np.asarray(value), tape, parents, by_element=by_element)


def slope_of(leaf: Var) -> Array:
    """0 where the result does not hang on it."""
    return np.zeros(leaf.value.shape) if leaf.slope is None else leaf.slope


def backward(result: Var, seed: Any = 1.0, *, careful: bool = False) -> list[tuple[Var, Array]]:
    """Give every number on the tape its slope; the slopes of numbers on tapes outside are handed back."""
    result.slope = np.full(result.value.shape, seed, float)
    outside = []
    for node in reversed(result.tape):
        if node.slope is None:
            continue
        for parent, back in node.parents:
            slope = back(node.slope)
            if careful and node.by_element:
                # What a formula leaves out does not count, even where it is not a number.
                slope = np.where(node.slope == 0, 0.0, slope)
            if slope.shape != parent.value.shape:
                slope = _as_shaped(slope, parent.value.shape)
            if parent.tape is not result.tape:
                outside.append((parent, slope))
            else:
                parent.slope = slope if parent.slope is None else parent.slope + slope
    if careful or all(_is_finite(node) for node in result.tape if not node.parents):
        return outside
    for node in result.tape:
        node.slope = None
    return backward(result, seed, careful=True)


def _is_finite(leaf: Var) -> bool:
    return leaf.slope is None or isfinite(leaf.slope.sum())


def _as_shaped(slope: Array, shape: tuple[int, ...]) -> Array:
    """Added up over what was broadcast."""
    if slope.size == 1 or slope.ndim < len(shape):
        return np.broadcast_to(slope.reshape(()) if slope.size == 1 else slope, shape)
    leading = slope.ndim - len(shape)
    slope = slope.sum(axis=tuple(range(leading))) if leading else slope
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and slope.shape[axis] != 1)
    return np.asarray(slope.sum(axis=stretched, keepdims=True) if stretched else slope)


PARTIALS: dict[np.ufunc, tuple[Partial, ...]] = {
    np.add: (1.0, 1.0),
    np.subtract: (1.0, -1.0),
    np.negative: (-1.0,),
    np.positive: (1.0,),
    np.multiply: (lambda _, b, __: b, lambda a, _, __: a),
    np.true_divide: (lambda _, b, __: 1 / b, lambda _, b, result: -result / b),
    np.power: (lambda a, b, _: b * a ** (b - 1), lambda a, _, result: result * np.log(a)),
    np.square: (lambda a, _: 2 * a,),
    np.sqrt: (lambda _, result: 0.5 / result,),
    np.exp: (lambda _, result: result,),
    np.log: (lambda a, _: 1 / a,),
    np.absolute: (lambda a, _: np.sign(a),),
    np.sign: (0.0,),
    # Halfway where both are equal, as a step to both sides would show.
    np.maximum: (lambda a, b, _: _share(a > b, a < b), lambda a, b, _: _share(b > a, b < a)),
    np.minimum: (lambda a, b, _: _share(a < b, a > b), lambda a, b, _: _share(b < a, b > a)),
}


def _share(ahead: Array, behind: Array) -> Array:
    return np.where(ahead, 1.0, np.where(behind, 0.0, 0.5))


def _made_by(ufunc: np.ufunc, *given: Any, **options: Any) -> Any:
    """What a function of elements makes; by one that is not known here, its argument is moved."""
    values = [number.value if isinstance(number, Var) else number for number in given]
    if "out" in options:
        options["out"] = tuple(np.array(plain(target)) for target in options["out"])
    result = ufunc(*values, **options)
    if result.dtype.kind == "b":
        return result
    if ufunc is np.matmul:
        return _product(result, *given)
    rules = PARTIALS.get(ufunc) or [_by_moving(ufunc, place) for place in range(len(given))]
    where = options.get("where", True)
    parents = [
        (number, _back(rule, values, result, where))
        for number, rule in zip(given, rules, strict=True)
        if isinstance(number, Var)
    ]
    return made(result, *parents, by_element=True)


def _by_moving(ufunc: np.ufunc, place: int) -> Partial:
    def partial(*given: Any) -> Array:
        values = given[:-1]
        return derivative(lambda moved: ufunc(*values[:place], moved, *values[place + 1 :]), values[place])

    return partial


def _unchanged(slope: Array) -> Array:
    return slope


def _back(rule: Partial, values: list[Any], result: Array, where: Any) -> Back:
    if rule == 1.0 and where is True:
        return _unchanged

    def back(slope: Array) -> Array:
        moved = slope * (rule if isinstance(rule, float) else rule(*values, result))
        return moved if where is True else np.where(where, moved, 0.0)

    return back


def _product(result: Array, a: Any, b: Any) -> Var:
    """Of matrices, of which one may be moved."""
    x, y = plain(a), plain(b)
    parents: list[tuple[Var, Back]] = []
    if isinstance(a, Var):
        parents.append((a, lambda slope: slope @ np.swapaxes(y, -1, -2)))
    if isinstance(b, Var):
        parents.append((b, lambda slope: np.swapaxes(x, -1, -2) @ slope))
    return made(result, *parents)


def _where(condition: Any, a: Any, b: Any) -> Var:
    chosen = plain(condition)
    sides: list[tuple[Any, Back]] = [
        (a, lambda slope: np.where(chosen, slope, 0.0)),
        (b, lambda slope: np.where(chosen, 0.0, slope)),
    ]
    result = np.where(chosen, plain(a), plain(b))
    parents = [(side, back) for side, back in sides if isinstance(side, Var)]
    return made(result, *parents) if parents else result


def _diagonal(matrix: Var, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Var:
    assert (offset, axis1, axis2) == (0, 1, 2)
    eye = np.eye(matrix.value.shape[1])
    return made(
        np.diagonal(matrix.value, axis1=1, axis2=2),
        (matrix, lambda slope: slope[:, :, None] * eye),
    )


def _stack(several: Any, axis: int = 0) -> Var:
    """Side by side."""
    result = np.stack([plain(part) for part in several], axis)
    parents = [
        (part, lambda slope, place=place: np.take(slope, place, axis))
        for place, part in enumerate(several)
        if isinstance(part, Var)
    ]
    return made(result, *parents)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.clip: lambda value, low, high: value.clip(low, high),
    np.sum: lambda value, axis=None, **more: value.sum(axis, **more),
    np.mean: lambda value, axis=None: value.mean(axis),
    np.cumsum: lambda value: value.cumsum(),
    np.diagonal: _diagonal,
    np.trace: lambda value, **axes: _diagonal(value, **axes).sum(axis=1),
    np.stack: _stack,
    np.real: lambda value: value.value,
    np.zeros_like: lambda value: np.zeros_like(value.value),
    np.ones_like: lambda value: np.ones_like(value.value),
    np.shape: lambda value: value.shape,
    np.ndim: lambda value: value.ndim,
}
