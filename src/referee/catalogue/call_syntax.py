"""Names with parameters as users write them: `f_beta(beta=2)`, lists of them, and calls as Python writes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from inspect import signature
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable


CALL = re.compile(r"\s*(?P<name>[\w.:-]+(?:[ \t]+[\w.:-]+)*)\s*(?:\((?P<arguments>.*)\))?\s*", re.DOTALL)
AT = re.compile(r"\s*(?P<name>\w+)@(?P<k>[0-9]+)\s*")
"""As rankings are cut: ndcg@10."""
OPENING, CLOSING = "([{", ")]}"
FIRST = ""
"""The name of a parameter that was given as a value only."""


def split_list(text: str) -> list[str]:
    """Split at commas outside quotes and brackets.

    >>> split_list("knn(k=5, weights=distance),tree")
    ['knn(k=5, weights=distance)', 'tree']
    >>> split_list('"com,ma",b')
    ['com,ma', 'b']
    """
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        depth += (not quote) * ((character in OPENING) - (character in CLOSING))
        if character == "," and not quote and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if quote or depth:
        raise UsageError("E_SYNTAX", f"unbalanced {'quote' if quote else 'bracket'} in {text!r}")
    return [unquoted(part.strip()) for part in parts if part.strip()]


def parse_call(text: str) -> tuple[str, dict[str, object]]:
    """Read a name and its parameters; a value without a name is the first one's.

    >>> parse_call("f_beta(beta=2, average=macro)"), parse_call("share_above(4)"), parse_call("ndcg@10")
    (('f_beta', {'beta': 2, 'average': 'macro'}), ('share_above', {'': 4}), ('ndcg', {'': 10}))
    """
    if at := AT.fullmatch(text):
        return at["name"], {FIRST: int(at["k"])}
    match = CALL.fullmatch(text)
    if match is None:
        raise UsageError("E_SYNTAX", f"{text!r} is not a name with parameters", hint="write f_beta(beta=2)")
    arguments, settings = split_list(match["arguments"] or ""), {}
    if arguments and "=" not in arguments[0]:
        settings[FIRST] = parse_value(arguments.pop(0))
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or not key.strip().isidentifier():
            raise UsageError("E_SYNTAX", f"{argument!r} in {text!r} is not of the form name=value")
        if key.strip() in settings:
            raise UsageError("E_SYNTAX", f"{key.strip()!r} is given more than once in {text!r}")
        settings[key.strip()] = parse_value(value.strip())
    return match["name"], settings


def parse_value(text: str) -> object:
    """Read a number, true, false, none, a list, a quoted text or a bare word.

    >>> [parse_value(text) for text in ("2", "0.5", "true", "none", "[[0, 1], [5, 0]]", "macro")]
    [2, 0.5, True, None, [[0, 1], [5, 0]], 'macro']
    """
    words = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    except (TypeError, RecursionError, MemoryError) as error:  # {[]: 1}, or brackets without end
        raise UsageError("E_SYNTAX", f"{text!r} is not a value", hint="write a number, a word or a list") from error


def write_call(name: str, settings: Mapping[str, object]) -> str:
    """Write a name with parameters so that it reads back.

    >>> write_call("f_beta", {"beta": 2, "average": "macro"})
    'f_beta(beta=2, average=macro)'
    """
    if not settings:
        return name
    return f"{name}({', '.join(f'{key}={write_value(value)}' for key, value in settings.items())})"


def write_value(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value if parse_value(value) == value and value.isidentifier() else repr(value)
    return format(value, ".17g") if isinstance(value, float) and float(repr(value)) != value else repr(value)


def plain_value(value: Any) -> Any:
    """A parameter as Python's own numbers and lists, whatever container it came in.

    >>> import numpy
    >>> plain_value(numpy.float64(2)), plain_value(numpy.eye(2, dtype=int)), plain_value((numpy.int64(1), "a"))
    (2.0, [[1, 0], [0, 1]], [1, 'a'])
    """
    if hasattr(value, "tolist"):
        return value.tolist()
    return [plain_value(item) for item in value] if isinstance(value, list | tuple) else value


def unquoted(text: str) -> str:
    return (
        text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text.count(text[0]) == 2 else text
    )


def python_call(function: Callable[..., Any], *data: str, **given: Any) -> str:
    """A call with what was given to it and is not the default; `data` are the names of what is too long to write.

    >>> from referee import evaluate, metrics
    >>> python_call(evaluate, "predictions", metrics=[metrics["f_beta(beta=2)"], "mcc"], by=(), alpha=0.1)
    "referee.evaluate(predictions, metrics=['f_beta(beta=2)', 'mcc'], alpha=0.1)"
    """
    defaults = _defaults(function)
    texts = {name: written(value) for name, value in given.items()}
    options = [f"{name}={text}" for name, text in texts.items() if text != defaults.get(name, "None")]
    return f"referee.{function.__name__}({', '.join([*data, *options])})"


@cache
def _defaults(function: Callable[..., Any]) -> dict[str, str]:
    return {name: written(parameter.default) for name, parameter in signature(function).parameters.items()}


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
