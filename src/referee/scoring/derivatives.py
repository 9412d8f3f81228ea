"""Derivatives by moving numbers: for formulas that the tape cannot follow."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

TINY = 1e-30
STEP = 1e-5
EPSILON = 4 * float(np.finfo(float).eps)


def derivative(function: Callable[[Array], Array], at: Array) -> Array:
    """How much the function changes with its argument, element by element.

    By a step into the complex plane, which is exact to rounding (Squire and Trapp, 1998); by a small real step where
    the formula takes an absolute value or another path that the complex plane does not have.

    >>> derivative(lambda x: x**3, np.array([1.0, 2.0]))
    array([ 3., 12.])
    >>> derivative(lambda x: abs(x), np.array([-1.0, 2.0])).round(9)
    array([-1.,  1.])
    """
    at = np.asarray(at, float)
    step = STEP * _sizes(at)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # A formula that makes its numbers real is found out by comparing.
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        below, here, above = (np.asarray(function(at + shift), float) for shift in (-step, 0 * step, step))
        real = (above - below) / (2 * step)
        try:
            exact = np.imag(function(at + 1j * TINY)) / TINY
        except TypeError:
            return real
        rounding = 1e-6 * np.max(np.abs(real), initial=0, where=np.isfinite(real)) + EPSILON * np.abs(here) / step
        # On one side the step may meet the end of what a value can be.
        agrees = [
            np.abs(exact - slope) <= 1e-3 * np.abs(slope) + rounding for slope in _slopes(below, here, above, step)
        ]
        return np.where(np.any(agrees, axis=0), exact, real)


def _sizes(at: Array) -> Array:
    """How large each number is, whatever its unit; nothing is as small as the smallest that is something."""
    size = np.abs(at)
    return np.where(size > 0, size, size.min(initial=1e-3, where=size > 0))


def _slopes(below: Array, here: Array, above: Array, step: Array) -> tuple[Array, Array, Array]:
    """To both sides, and to each of them."""
    return (above - below) / (2 * step), (above - here) / step, (here - below) / step


def gradient(function: Callable[[Array], Array], at: Array) -> Array:
    """The derivative by each of several numbers; the function takes many such points at once: (point, number).

    >>> gradient(lambda points: points[:, 0] * points[:, 1], np.array([2.0, 3.0]))
    array([3., 2.])
    """
    at = np.asarray(at, float)

    def moved(values: Array) -> Array:
        points = np.repeat(at[None].astype(values.dtype), len(at), axis=0)
        np.fill_diagonal(points, values)
        return function(points)

    return derivative(moved, at) if len(at) else at


def window(weight: float, row_weight: float) -> float:
    """How far to look to both sides of a place in a ranking, in weight: `rows**0.6` rows."""
    # A little more, so that rounding does not decide whether a row at its end belongs to it.
    return row_weight * (weight / row_weight) ** 0.6 * (1 + 1e-9)
