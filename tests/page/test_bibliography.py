"""Every work that is cited has its authors, year and title in BibTeX that others can read."""

from __future__ import annotations

import re

import pytest

from referee import metrics, schemes
from referee.comparing import tests
from referee.fitting import learners
from referee.page import significance_methods as methods
from referee.page.bibliography import bibliography, work_of
from referee.thresholds import kinds

WANTED = {
    "misc": {"author", "year", "title", "howpublished"},
    "article": {"author", "title", "journal", "volume", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "phdthesis": {"author", "title", "school", "year"},
}
"""What BibTeX asks for of each type; articles have a volume, too."""
ENTRY = re.compile(r"@(\w+)\{([a-z0-9-]+),\n((?:  \w+ = \{.*\},\n)+)\}")
NAME = re.compile(r"(?:[A-Z]\. )*(?:van )?[^\W\d_][^\d.,()]*")


def references():
    catalogues = (metrics, tests, schemes, learners, kinds)
    entries = [catalogue[name] for catalogue in catalogues for name in catalogue]
    own = [*methods.OF_ADJUSTMENTS.values(), methods.CONFIDENCE_SET, methods.WELCH]
    return sorted({reference for entry in entries for reference in entry.references} | set(own))


def read(text):
    """BibTeX as a strict reader takes it: type, key and fields; braces are balanced, and nothing is left over."""
    found = {}
    for entry in text.split("\n\n"):
        match = ENTRY.fullmatch(entry)
        assert match, entry
        fields = dict(re.findall(r"  (\w+) = \{(.*)\},\n", match[3]))
        for value in fields.values():
            assert balanced(re.sub(r"\\[{}]", "", value)), value
            assert not re.search(r"(?<!\\)[&%#_~]|(?<!\$)\^|[^\x00-\x7f]", re.sub(r"\\.\{", "", value)), value
        assert match[2] not in found, f"{match[2]} twice"
        found[match[2]] = (match[1], fields)
    return found


def balanced(text):
    depth = 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    return depth == 0


@pytest.mark.parametrize("reference", references())
def test_every_reference_is_read(reference):
    kind, fields = work_of(reference)
    assert set(fields) >= WANTED[kind], f"not of the form in bibliography.py: {reference}"
    assert set(fields) <= WANTED[kind] | {"pages", "edition"}
    for name in fields["author"].removesuffix(" and others").split(" and "):
        assert NAME.fullmatch(name), name
    assert len(fields["title"].split()) > 1
    assert not re.search(r"\d{4}|\bIn\b|, \d", fields["title"].replace("CONSORT 2010", "")), fields["title"]
    assert not re.search(r"\d", fields.get("journal", "") + fields.get("publisher", ""))


def test_all_at_once_have_keys_of_their_own_and_each_work_stands_there_once():
    found = read(bibliography(references()))
    titles = [fields["title"] for _, fields in found.values()]
    assert len(titles) == len(set(titles)) == len({work_of(line).fields["title"] for line in references()}) + 1
    assert found["referee"][0] == "misc"


def test_those_that_were_false_before():
    found = read(bibliography(references()))
    assert found["delong1988"] == ("article", {
        "author": "E. R. DeLong and D. M. DeLong and D. L. Clarke-Pearson",
        "title": "Comparing the areas under two or more correlated receiver operating characteristic curves: a "
        "nonparametric approach",
        "journal": "Biometrics", "volume": "44", "pages": "837--845", "year": "1988",
    })  # fmt: skip
    assert found["vanrijsbergen1979"] == ("book", {
        "author": "C. J. van Rijsbergen", "title": "Information Retrieval", "edition": "2nd",
        "publisher": "Butterworths", "year": "1979",
    })  # fmt: skip
    assert found["benavoli2017"][1]["author"] == r"A. Benavoli and G. Corani and J. Dem{\v{s}}ar and M. Zaffalon"
    assert found["benavoli2014"][1]["title"].startswith("A {Bayesian} {Wilcoxon} signed-rank test")
    assert found["fagerland2013"][1]["title"].startswith("The {McNemar} test for binary matched-pairs data")


def test_two_works_of_a_year_have_two_keys():
    lines = ["A. Author (2001). One thing. Journal 1, 2-3", "A. Author (2001). Another thing. Journal 1, 4"]
    assert list(read(bibliography([*lines, lines[0] + ". With a remark"]))) == ["author2001", "author2001-2", "referee"]


def test_a_line_of_another_form_is_quoted_and_not_guessed_at():
    line = "Somebody & others, 100% true, J. Results_2 (2001): see {there}"
    (note, _) = read(bibliography([line])).values()
    assert note == ("misc", {"note": r"Somebody \& others, 100\% true, J. Results\_2 (2001): see \{there\}"})
    address = work_of("A. Author (2001). A page of some kind. https://example.org/a")
    assert address.kind == "misc" and address.fields["howpublished"] == "https://example.org/a"


def test_accents_are_written_for_every_bibtex():
    line = "É. Ørsted, Ł. Çelik and J. Müller-Åström (1999). A measure of R². Journal 3, 1"
    ((_, fields), _) = read(bibliography([line])).values()
    assert fields["author"] == r"{\'{E}}. {\O}rsted and {\L}. {\c{C}}elik and J. M{\"{u}}ller-{\r{A}}str{\"{o}}m"
    assert fields["title"] == "A measure of {R$^2$}"
