"""A calibration as Markdown: the sentence and the goal in sight, the rest folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document.markdown import escaped, folded_away, listed_items, table
from referee.report.calibration.tables import change_lines, measure_lines, signs_in_words
from referee.wording import message_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.calibration import Calibration
    from referee.report.calibration.tables import Line


def to_markdown(found: Calibration, saved: str | None) -> str:
    """Everything that was found."""
    headings = [found.model, *found.fitted]
    lines = [f"**{escaped(found.sentence)}**", ""]
    lines += [escaped(found.headline), ""] if found.headline else []
    lines += [escaped(f"{found.predictions.rows:,} rows, {found.how}. {signs_in_words(found)}."), ""]
    lines += _table(headings, change_lines(found))
    lines += listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in found.notices)
    each = [found.diagnoses[name][0] if name in found.diagnoses else None for name in found.predictions.names]
    lines += folded_away("Calibration", _table(headings, measure_lines(each)))
    assumed = [f"{one.method.name}: {one.method.assumes}; {one.effect}" for one in found.fitted.values()]
    lines += folded_away("What each method assumes", list(listed_items(assumed)))
    lines += ["", escaped(f"{saved}: {found.best}")] if saved else []
    return "\n".join(lines).rstrip() + "\n"


def _table(headings: Sequence[str], rows: Iterable[Line]) -> list[str]:
    return table(["", *headings], [[line.name, *line.cells] for line in rows])
