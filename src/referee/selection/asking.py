"""What is asked of a selection beside the goal, as users write it: rates of noise, and sizes of training sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.call_syntax import split_list
from referee.errors import UsageError
from referee.selection.weighing.corruption import DEFAULT_RATES, Corruption

DEFAULT_SHARES = (0.125, 0.25, 0.5)


def corruptions_of(given: Any) -> tuple[Corruption, ...]:
    """Kinds of noise with their rates: a text as on the command line, or a dict; none if nothing is asked.

    >>> [str(one) for one in corruptions_of("label_noise=0.1,0.2,missing")]
    ['label_noise=0.1', 'label_noise=0.2', 'missing=0.1']
    >>> corruptions_of({"missing": [0.3]})
    (Corruption(kind='missing', rate=0.3),)
    >>> len(corruptions_of("default"))
    3
    """
    if given is None:
        return ()
    if given == "default":
        given = DEFAULT_RATES
    if isinstance(given, str):
        given = _rates_by_kind(given)
    if not isinstance(given, Mapping) or not given:
        hint = 'label_noise=0.1,0.2 on the command line, {"label_noise": [0.1, 0.2]} in Python'
        raise UsageError("E_PARAMETER", "--robustness: no kind of noise with its rates", hint=hint)
    found = [
        Corruption(kind, _number(rate, "--robustness")) for kind, rates in given.items() for rate in _listed(rates)
    ]
    return tuple(dict.fromkeys(found))


def _rates_by_kind(text: str) -> dict[str, list[Any]]:
    """A kind without a rate has the usual one; a rate without a kind is one more of the kind before."""
    rates: dict[str, list[Any]] = {}
    kind = ""
    for word in split_list(text):
        name, equals, rate = (part.strip() for part in word.partition("="))
        if equals:
            kind = name
            rates.setdefault(kind, []).append(rate)
        elif kind and _is_number(word):
            rates[kind].append(word)
        else:
            kind = name
            rates.setdefault(kind, []).append(DEFAULT_RATES.get(kind, 0.1))
    return rates


def sizes_of(given: Any) -> tuple[float, ...]:
    """Sizes of training sets, smallest first: shares up to 1, or rows; none if nothing is asked.

    >>> sizes_of("100, 0.5"), sizes_of("default"), sizes_of(None)
    ((0.5, 100.0), (0.125, 0.25, 0.5), ())
    """
    if given is None:
        return ()
    if isinstance(given, str):
        given = DEFAULT_SHARES if given == "default" else split_list(given)
    sizes = sorted({_number(size, "--learning-curve") for size in _listed(given)})
    wrong = [size for size in sizes if size <= 0 or (size > 1 and not size.is_integer())]
    if wrong or sizes in ([], [1.0]):
        what = (
            f"{wrong[0]:g} is neither a share of the training rows nor a number of rows" if wrong else "no size below 1"
        )
        raise UsageError("E_PARAMETER", f"--learning-curve: {what}", hint="shares such as 0.25,0.5 or rows such as 100")
    return tuple(size for size in sizes if size != 1)


def _listed(given: Any) -> list[Any]:
    return [given] if isinstance(given, str | int | float) else list(given)


def _number(given: Any, option: str) -> float:
    if isinstance(given, bool) or not _is_number(given):
        raise UsageError("E_PARAMETER", f"{option}: {given!r} is no number")
    return float(given)


def _is_number(given: Any) -> bool:
    try:
        return abs(float(given)) < float("inf")
    except (TypeError, ValueError):
        return False
