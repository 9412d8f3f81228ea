"""A page inside another, as a notebook shows it."""

from __future__ import annotations

from markupsafe import Markup

from referee.wording import message_line

FRAME = Markup(
    '<p>{}</p><iframe title="{}" sandbox="allow-scripts allow-downloads" width="100%" height="780" srcdoc="{}">'
    "</iframe>"
)


def in_notebook(title: str, sentence: str, text: str) -> str:
    """A page in a frame: nothing of it can reach the notebook, and the sentence is there without it.

    >>> in_notebook("The verdict", "a wins", "<h1>A & B</h1>").partition("srcdoc=")[2]
    '"&lt;h1&gt;A &amp; B&lt;/h1&gt;"></iframe>'
    """
    return str(FRAME.format(message_line(sentence), title, text))
