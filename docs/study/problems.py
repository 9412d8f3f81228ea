"""The problems of the regret map: 34 that the prior is learned from, and 14 of other packages that test it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
from rda import frames_of

from referee.fitting import DataSet
from referee.paper import Problem, bundled_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Columns = Mapping[str, np.ndarray]

    Rule = tuple[str, Callable[[np.ndarray], np.ndarray]]
    """The target, and which of its values are positive."""

PACKAGES = ("r-cran-kernlab", "r-cran-mlbench", "r-cran-aer", "r-cran-caret")
"""Of Debian: the first two are learned from, the others were added to test what was learned."""


def problems(data: Path, packages: Path | None) -> tuple[dict[str, Problem], dict[str, Problem]]:
    """Those that are learned from, and those that no part of this project was built on; packages may be unpacked."""
    if packages is not None:
        known = dict(_of_files(data)) | bundled_problems() | dict(_of_debian(packages, LEARNED_FROM))
        return known, dict(_of_debian(packages, HELD_OUT))
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["apt-get", "download", *PACKAGES], cwd=place, check=True)
        for package in Path(place).glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, place], check=True)
        return problems(data, Path(place))


def _of_files(folder: Path) -> Iterator[tuple[str, Problem]]:
    def read(name: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
        table = pq.read_table(folder / f"{name}.parquet")
        columns = {
            name: column.to_numpy(zero_copy_only=False)
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
        return columns, columns.pop(table.column_names[-1])

    def texts(values: np.ndarray) -> np.ndarray:
        return np.array([str(value).strip() for value in values])

    columns, label = read("uci/adult")
    yield "adult", _problem("adult", columns, texts(label) == ">50K")
    women = texts(columns["sex"]) == "Female"
    others = {name: column for name, column in columns.items() if name not in ("sex", "relationship")}
    yield "adult-sex", _problem("adult", others, women)
    columns, label = read("uci/kr-vs-kp")
    yield "kr-vs-kp", _problem("kr-vs-kp", columns, texts(label) == "nowin")
    columns, label = read("uci/letter")
    for name, letters in (("letter-a-to-j", "ABCDEFGHIJ"), ("letter-vowels", "AEIOU")):
        yield name, _problem("letter", columns, np.isin(texts(label), list(letters)))
    columns, label = read("uci/page-blocks")
    yield "page-blocks", _problem("page-blocks", columns, texts(label) != "1")
    columns, label = read("uci/pen-digits")
    for name, digits in (("pen-012", "012"), ("pen-odd", "13579")):
        yield name, _problem("pen-digits", columns, np.isin(texts(label), list(digits)))
    columns, label = read("more/optdigits")
    for name, digits in (("optdigits-odd", "13579"), ("optdigits-8", "8")):
        yield name, _problem("optdigits", columns, np.isin(texts(label), list(digits)))
    columns, label = read("more/credit-g")
    yield "credit-g", _problem("credit-g", columns, texts(label) == "bad")
    columns, label = read("more/breast-w")
    names, counts = np.unique(texts(label), return_counts=True)
    yield "breast-w", _problem("breast-w", columns, texts(label) == names[counts.argmin()])
    columns, rings = read("more/abalone")
    for name, more_than in (("abalone-11", 11), ("abalone-9", 9)):
        yield name, _problem("abalone", columns, rings > more_than)


LEARNED_FROM: dict[str, Rule] = {
    "spam": ("type", lambda label: label == "spam"),
    "ticdata": ("CARAVAN", lambda label: label == "insurance"),
    "musk": ("Class", lambda label: label == "1"),
    "income": ("INCOME", lambda label: np.isin(label, ("[40.000-50.000)", "[50.000-75.000)", "[75.000-"))),
    "Satellite": ("classes", lambda label: np.array(["grey soil" in text for text in label])),
    "PimaIndiansDiabetes": ("diabetes", lambda label: label == "pos"),
    "Ionosphere": ("Class", lambda label: label == "bad"),
    "HouseVotes84": ("Class", lambda label: label == "republican"),
    "DNA": ("Class", lambda label: label != "n"),
    "Vehicle": ("Class", lambda label: np.isin(label, ("saab", "opel"))),
    "Vowel": ("Class", lambda label: np.isin(label, ("hid", "hId", "hEd", "hAd"))),
    "BostonHousing": ("medv", lambda value: value > 21.2),
    "Ozone": ("V4", lambda value: value > 10),
    "Soybean": ("Class", lambda label: np.array(["spot" in text for text in label])),
}
HELD_OUT: dict[str, Rule] = {
    "Affairs": ("affairs", lambda number: number > 0),
    "CPS1988": ("wage", lambda dollars: dollars > 515),
    "CollegeDistance": ("education", lambda years: years >= 16),
    "CreditCard": ("card", lambda label: label == "no"),
    "DoctorVisits": ("visits", lambda number: number > 0),
    "Fertility2": ("morekids", lambda label: label == "yes"),
    "HMDA": ("deny", lambda label: label == "yes"),
    "HealthInsurance": ("insurance", lambda label: label == "no"),
    "NMES1988": ("visits", lambda number: number > 5),
    "PSID1976": ("participation", lambda label: label == "no"),
    "SmokeBan": ("smoker", lambda label: label == "yes"),
    "SwissLabor": ("participation", lambda label: label == "yes"),
    "cars": ("Price", lambda dollars: dollars > 20_000),
    "dhfr": ("Y", lambda label: label == "inactive"),
}
TELL_ALL = {"CreditCard": ("expenditure", "share"), "PSID1976": ("hours", "wage", "repwage")}
"""Columns from which the target follows."""


def _of_debian(folder: Path, rules: Mapping[str, Rule]) -> Iterator[tuple[str, Problem]]:
    files = {path.stem: path for path in sorted(folder.rglob("*")) if path.suffix in (".rda", ".RData")}
    for name, (target, is_positive) in rules.items():
        columns = frames_of(files[name])[name]
        label = columns.pop(target)
        known = np.array([value is not None and not (isinstance(value, float) and np.isnan(value)) for value in label])
        kept = {column: values[known] for column, values in columns.items() if column not in TELL_ALL.get(name, ())}
        yield name.lower(), _problem(name.lower(), kept, is_positive(label[known]))
        if name == "Satellite":
            yield "satellite-crop", _problem("satellite", kept, label[known] == "cotton crop")


def _problem(source: str, columns: Columns, positive: np.ndarray) -> Problem:
    return Problem(DataSet.from_arrays(dict(columns), np.asarray(positive, bool), positive=True), source)
