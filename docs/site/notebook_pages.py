"""A notebook as Markdown: its words, its code, and what that showed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def notebook_text(notebook: str) -> str:
    r"""The cells below each other.

    >>> cell = {"cell_type": "code", "source": "print(1)", "outputs": [{"output_type": "stream", "text": "1"}]}
    >>> notebook_text(json.dumps({"cells": [cell]}))
    '```python\nprint(1)\n```\n\n```text\n1\n```\n'
    """
    return "\n\n".join(part for cell in json.loads(notebook)["cells"] for part in _parts(cell)) + "\n"


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            yield f"```text\n{''.join(output['text']).rstrip()}\n```"
        elif picture := output.get("data", {}).get("image/svg+xml"):
            yield f'<div class="drawn">{_on_one_line("".join(picture))}</div>'


def _on_one_line(svg: str) -> str:
    """An empty line would end the HTML, and an XML head does not belong into it."""
    return re.sub(r"\s*\n\s*", " ", re.sub(r"<\?xml.*?\?>", "", svg)).strip()
