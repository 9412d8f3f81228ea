"""Verdicts that pages are made of, and a reader of HTML that knows what belongs into what."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np

from referee.comparing import compare
from referee.predictions import Predictions

VOID = {"meta", "br", "input", "img", "link", "hr"}


class Page(HTMLParser):
    """The elements of a page with their attributes and texts; what is not closed in order is an error."""

    def __init__(self, text):
        super().__init__()
        self.elements, self._open = [], []
        self.feed(text)
        assert not self._open, self._open

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"an attribute twice: {tag} {attrs}"
        found = {"tag": tag, "text": "", **dict(attrs)}
        self.elements.append(found)
        if tag not in VOID:
            self._open.append(found)

    def handle_endtag(self, tag):
        assert self._open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self._open:
            element["text"] += data

    def all(self, tag, **attributes):
        return [e for e in self.elements if e["tag"] == tag and all(e.get(k) == v for k, v in attributes.items())]

    def one(self, tag, **attributes):
        (found,) = self.all(tag, **attributes)
        return found

    @property
    def sections(self):
        return [element["id"] for element in self.all("section")]

    @property
    def data(self):
        return json.loads(self.one("script", id="data")["text"])


def scores_of_rows(rows=400, models=("good", "fair", "poor"), seed=7):
    """A truth of which a third is positive, and probabilities that know it better or worse."""
    generator = np.random.default_rng(seed)
    truth = (generator.random(rows) < 1 / 3).astype(int)
    signal = generator.normal(size=rows) + 1.6 * truth - 1.2
    noise = np.linspace(0.2, 3.0, len(models))
    return truth, {
        name: 1 / (1 + np.exp(-(signal + size * generator.normal(size=rows))))
        for name, size in zip(models, noise, strict=True)
    }


def binary(goal="roc_auc", **options):
    truth, models = scores_of_rows()
    return compare(Predictions.from_arrays(truth, models), goal, **options)


def sliced(**options):
    truth, models = scores_of_rows()
    region = np.array(["north", "south"])[np.arange(len(truth)) % 2]
    return compare(Predictions.from_arrays(truth, models, by={"region": region}), "accuracy", by="region", **options)


def multiclass():
    generator = np.random.default_rng(3)
    truth = generator.integers(0, 4, 300)
    models = {}
    for name, weight in (("sharp", 3.0), ("dull", 0.7)):
        raw = np.exp(generator.normal(size=(300, 4)) + weight * np.eye(4)[truth])
        models[name] = raw / raw.sum(axis=1, keepdims=True)
    return compare(Predictions.from_arrays(truth, models, task="multiclass"), "accuracy")


def regression():
    generator = np.random.default_rng(5)
    truth = generator.normal(10, 4, 250)
    models = {name: truth + generator.normal(bias, size, 250) for name, bias, size in (("near", 0, 1), ("far", 1, 3))}
    return compare(Predictions.from_arrays(truth, models, task="regression"), "rmse")
