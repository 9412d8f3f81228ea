"""A gate as JUnit XML: a test case for the goal, and one for each guard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.comparing.gates import Gate

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file may have, not even escaped."""


def junit_text(gate: Gate) -> str:
    """What stops the candidate is a failure; what is left open and lets it pass is skipped."""
    cases = [*_cases(gate)]
    counts = {kind: str(sum(case.find(kind) is not None for case in cases)) for kind in ("failure", "skipped")}
    suite = Xml.Element(
        "testsuite", name="referee gate", tests=str(len(cases)), failures=counts["failure"], errors="0",
        skipped=counts["skipped"],
    )  # fmt: skip
    suite.extend(cases)
    Xml.indent(suite)
    return Xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _cases(gate: Gate) -> Iterator[Xml.Element]:
    pair = f"{gate.candidate} vs {gate.production}"
    yield _case(pair, gate.verdict.goal_name, gate.outcome, gate.sentence, stops=not gate.passed)
    for guard in gate.guards:
        stops = guard.outcome == "fail" or (guard.outcome == "inconclusive" and guard.slice is None and not gate.passed)
        yield _case(pair, f"guard {guard.place}", guard.outcome, guard.words, stops=stops)


def _case(pair: str, name: str, outcome: str, said: str, *, stops: bool) -> Xml.Element:
    case = Xml.Element("testcase", classname=_plain(pair), name=_plain(name))
    if stops:
        Xml.SubElement(case, "failure", message=_plain(said), type=outcome)
    elif outcome != "pass":
        Xml.SubElement(case, "skipped", message=_plain(said))
    else:
        Xml.SubElement(case, "system-out").text = _plain(said)
    return case


def _plain(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
