"""A call as Python writes it: what a page says of how to make it again where nothing was typed."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from referee.catalogue.call_syntax import plain_value

if TYPE_CHECKING:
    from collections.abc import Callable


def python_call(function: Callable[..., Any], *data: str, **given: Any) -> str:
    """A call with what was given to it and is not the default; `data` are the names of what is too long to write.

    >>> from referee import evaluate, metrics
    >>> python_call(evaluate, "predictions", metrics=[metrics["f_beta(beta=2)"], "mcc"], by=(), alpha=0.1)
    "referee.evaluate(predictions, metrics=['f_beta(beta=2)', 'mcc'], alpha=0.1)"
    """
    defaults = {name: written(parameter.default) for name, parameter in signature(function).parameters.items()}
    texts = {name: written(value) for name, value in given.items()}
    options = [f"{name}={text}" for name, text in texts.items() if text != defaults.get(name, "None")]
    return f"referee.{function.__name__}({', '.join([*data, *options])})"


def written(value: Any) -> str:
    """A value as it can be typed: entries of catalogues by their names, other objects as they show themselves."""
    if isinstance(name := getattr(value, "full_name", None), str):
        return repr(name)
    if isinstance(value, PathLike):
        return repr(fspath(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{written(key)}: {written(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    text = " ".join(repr(plain_value(value)).split()) if not isinstance(value, str) else repr(value)
    # An address says nothing, and is another one the next time.
    return f"{type(value).__name__}(...)" if " at 0x" in text and not isinstance(value, str) else text
