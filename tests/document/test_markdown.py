"""Markdown for pull requests: names are shown as they are, and tables stay whole, whoever renders them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import cmarkgfm
import numpy as np
import pytest
from cmarkgfm.cmark import Options
from markdown_it import MarkdownIt

from referee.comparing import compare, gate
from referee.document import Document, Part, markdown_text, name_cell, table
from referee.document.markdown import escaped, folded_away, listed_items
from referee.predictions import Predictions
from referee.scoring import evaluate

NAMES = [
    "a|b", r"a\|b", "a\\", "~~struck~~", "&lt;b&gt;", "&copy", "<b>bold</b>", "`code`", "*x*", "**y**", "__z__",
    "a_b_c", "[x](http://a.b)", "![i](u)", "{x}", "$x^2$", "@octocat", "#12", "owner/repo#12", ":smile:", "a::b:c:d",
    "http://a_b.c/d_e", "www.a_b.c", "x_y@a_b.org", "1. one", "2) two", "- minus", "+ plus", "-", "# head", "> quote",
    "<!-- no -->", "|", "--- | ---", "模型 🎉",
]  # fmt: skip


class Text(HTMLParser):
    """The text of a page's elements of some kinds."""

    def __init__(self, *kinds):
        super().__init__()
        self.kinds, self.found, self.depth = kinds, [], 0

    def handle_starttag(self, tag, _attributes):
        if tag in self.kinds:
            self.depth += 1
            self.found.append("")

    def handle_endtag(self, tag):
        self.depth -= tag in self.kinds

    def handle_data(self, data):
        if self.depth:
            self.found[-1] += data


def by_markdown_it(text):
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)


def by_cmark(text):
    """GitHub's own renderer."""
    extensions = ["table", "strikethrough", "autolink"]
    return cmarkgfm.markdown_to_html_with_extensions(text, Options.CMARK_OPT_UNSAFE, extensions)


def texts(html, *kinds):
    reader = Text(*kinds)
    reader.feed(html)
    return [text.strip() for text in reader.found]


@pytest.fixture(params=[by_markdown_it, by_cmark])
def render(request):
    return request.param


def test_names_are_shown_as_they_are_in_tables_lists_sentences_and_titles(render):
    rows = table("names", ["model", "value"], [[name_cell(name), "1"] for name in NAMES])
    html = render(markdown_text(Document("test", "", (Part("Names", (rows,)),))))
    assert texts(html, "td") == [cell for name in NAMES for cell in (name, "1")]
    assert texts(render("\n".join(listed_items(NAMES))), "li") == NAMES
    assert [texts(render(f"**{escaped(name)} wins**"), "strong") for name in NAMES] == [[f"{n} wins"] for n in NAMES]
    for name in NAMES:
        assert texts(render("\n".join(folded_away(name, ["inside"]))), "summary") == [name]


def test_nothing_in_a_name_becomes_an_element(render):
    html = render("\n".join(listed_items(NAMES))) + render(escaped(" ".join(NAMES)))
    assert set(re.findall(r"<(\w+)", html)) <= {"ul", "li", "p", "span"}


@pytest.mark.parametrize("mark", ["$x$", "@you", "#1", ":tada:", "https://a.b", "www.a.b"])
@pytest.mark.parametrize("show", [escaped, lambda text: "\n".join(folded_away(text, []))])
def test_what_github_finds_in_text_is_taken_apart(mark, show):
    """GitHub looks for these in pieces of text after Markdown was rendered, where no escape is left."""
    pieces = re.split(r"<[^>]*>", by_markdown_it(show(mark)))
    found = [piece for piece in pieces if re.search(r"\$.+\$|[@#]\w|:\w+:|://|www\.", piece)]
    assert not found


def hostile_predictions():
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 120)
    names = ["a|b ~~c~~", r"&lt;i&gt; \| $x_1$", "@octocat"]
    scores = {name: np.clip(truth * 0.3 + draw.uniform(size=120) * 0.7, 0, 1) for name in names}
    return Predictions.from_arrays(truth, scores)


@pytest.mark.parametrize("what", ["scores", "verdict", "gate"])
def test_whole_documents(what, render):
    predictions = hostile_predictions()
    first, second, third = predictions.names
    if what == "scores":
        text = evaluate(predictions).to_markdown()
    elif what == "verdict":
        text = compare(predictions, "roc_auc").to_markdown()
    else:
        text = gate(predictions, "roc_auc", production=first, candidate=second, margin=0.1).to_markdown()
    html = render(text)
    for rows in re.findall(r"<table>(.*?)</table>", html, re.DOTALL):
        widths = {len(re.findall(r"<t[hd]\b", row)) for row in rows.split("</tr>")[:-1]}
        assert len(widths) == 1
        assert widths != {1}
    shown = texts(html, "th", "td")
    assert all(name in shown for name in ([first, second] if what == "gate" else [first, second, third]))
    assert "<s>" not in html and "<del>" not in html and "<i>" not in html


def test_every_score_stands_beside_its_own_interval():
    """Also where it is far from the middle of it, which a single half-width would hide."""
    truth = [1] * 6 + [0] * 94
    scores = [0.9, 0.8, 0.7, 0.6, 0.2, 0.1] + [0.85, 0.55] + [0.05] * 92
    found = evaluate(Predictions.from_arrays(truth, {"a": scores}), ["average_precision", "accuracy"])
    cells = texts(by_markdown_it(found.to_markdown()), "td")
    for metric in ("average_precision", "accuracy"):
        place = next(k for k, cell in enumerate(cells) if cell.startswith(metric))
        place = cells.index("a", place)
        value, low, high = (float(n) for cell in cells[place + 1 : place + 3] for n in re.findall(r"[\d.]+", cell))
        score = found["a", metric]
        assert (value, low, high) == pytest.approx((score.value, score.low, score.high), abs=5e-5)
        assert low < value < high
    assert "95% interval" in found.to_markdown()
