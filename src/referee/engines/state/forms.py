"""Forms: what is made of row terms, as numbers that the kept variables of each row are multiplied by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.predictions import term_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array


class Form:
    """A linear form of 1, the terms without their centres, and products of two of these.

    Plain arithmetic makes others of it, as it does of columns, up to products of two terms.
    """

    def __init__(self, numbers: Array, terms: int) -> None:
        self.numbers, self.terms = numbers, terms

    @classmethod
    def of_terms(cls, names: Sequence[str], centres: Array) -> dict[str, Form]:
        """The terms themselves."""
        size = 1 + len(names) + len(term_pairs(len(names)))
        forms = {}
        for place, name in enumerate(names):
            numbers = np.zeros(size)
            numbers[0], numbers[1 + place] = centres[place], 1.0
            forms[name] = cls(numbers, len(names))
        return forms

    def __add__(self, other: Form | float) -> Form:
        return Form(self.numbers + self._numbers(other), self.terms)

    __radd__ = __add__

    def __sub__(self, other: Form | float) -> Form:
        return Form(self.numbers - self._numbers(other), self.terms)

    def __mul__(self, other: Form | float) -> Form:
        if isinstance(other, Form):
            return self._times(other)
        return Form(self.numbers * other, self.terms)

    __rmul__ = __mul__

    def _numbers(self, other: Form | float) -> Array:
        return other.numbers if isinstance(other, Form) else other * np.eye(1, len(self.numbers))[0]

    def _times(self, other: Form) -> Form:
        linear = slice(1, 1 + self.terms)
        if any(form.numbers[1 + self.terms :].any() for form in (self, other)) or not term_pairs(self.terms):
            raise TypeError("a state holds no products of these terms")
        a, b = self.numbers[linear], other.numbers[linear]
        product: Any = np.zeros(len(self.numbers))
        product[0] = self.numbers[0] * other.numbers[0]
        product[linear] = self.numbers[0] * b + other.numbers[0] * a
        for place, (i, j) in enumerate(term_pairs(self.terms)):
            product[1 + self.terms + place] = a[i] * b[j] + (a[j] * b[i] if i != j else 0.0)
        return Form(product, self.terms)
