"""How often one of two equal learning procedures wins when two groups are left out: writes procedure_tests.md.

    python docs/simulations/procedure_tests.py RESULTS.jsonl run [MINUTES]      adds sets until the grid is complete
    python docs/simulations/procedure_tests.py RESULTS.jsonl check [SETS]       the same sets by referee.select
    python docs/simulations/procedure_tests.py RESULTS.jsonl table              writes procedure_tests.md

The grid, its sizes and seeds and what counts as a failure were written down before the first set was drawn, and the
constants of the test (procedure_kernel.py) come from other data. A run that is stopped goes on where it was.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import procedure_kernel as kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    Array = np.ndarray[Any, Any]

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
DEALS, GROUPS = 3, 6
SEED = 20261118
LIMIT, LEAST_SETS, LEAST_CELLS, AGAIN = 7.0, 400, 20, 1000
"""A cell (a setting and a metric) fails where it has more than 7% false winners by more than two standard errors; or
more than 7% in so many fresh sets that are drawn where its first round was above 7% by less. The test is confirmed if
no cell with at least 400 sets fails, none still waits for its second round, and at least 20 cells have run."""
BINARY, CLASSES, NUMBERS = ("accuracy", "roc_auc", "brier", "log_loss", "f1"), ("accuracy", "log_loss", "f1"), (
    "rmse", "mae",
)  # fmt: skip


class Drawn(NamedTuple):
    """A data set with two tables of features, which are exchangeable given the truth: neither is better."""

    a: Array
    b: Array
    truth: Array


def heavy(random: Generator, rows: int, *, share: float = 0.5, columns: int = 5, shift: float = 0.7) -> Drawn:
    """Two classes, skewed and heavy-tailed features that depend on each other, within a table and between the two."""
    truth = (random.random(rows) < share).astype(int)
    shared = random.standard_normal((rows, columns))
    tables = []
    for _ in range(2):
        noise = random.standard_t(5, (rows, columns)) + 0.5 * shared + 0.7 * random.standard_normal((rows, 1))
        noise[:, -1] = np.exp(0.5 * noise[:, -1])
        tables.append(noise + shift * truth[:, None] * np.linspace(1, 0, columns))
    return Drawn(*tables, truth)


def rings(random: Generator, rows: int, *, share: float = 0.5) -> Drawn:
    """Two classes at different distances from the middle, and two columns of noise."""
    truth = (random.random(rows) < share).astype(int)
    tables = []
    for _ in range(2):
        angle, radius = random.random(rows) * 2 * np.pi, 1 + truth + 0.45 * random.standard_normal(rows)
        noise = 0.6 * random.standard_normal((rows, 2))
        tables.append(np.column_stack([radius * np.cos(angle), radius * np.sin(angle), noise]))
    return Drawn(*tables, truth)


def three(random: Generator, rows: int) -> Drawn:
    """Three classes of different shares and spreads."""
    truth = random.choice(3, rows, p=[0.5, 0.3, 0.2])
    middle = np.array([[0, 0, 0, 0], [1.2, 0.3, 0, 0], [0.2, 1.2, 0.6, 0]])
    tables = [middle[truth] + (0.8 + 0.2 * truth[:, None]) * random.standard_normal((rows, 4)) for _ in range(2)]
    return Drawn(*tables, truth)


def curve(random: Generator, rows: int) -> Drawn:
    """A number that hangs on both tables alike, not linearly, with an error that grows."""
    a, b = random.standard_normal((2, rows, 4))
    signal = sum(one[:, 0] + np.sin(2 * one[:, 1]) + 0.5 * one[:, 2] ** 2 for one in (a, b))
    return Drawn(a, b, signal + 0.5 * np.exp(0.3 * signal) * random.standard_normal(rows))


def _file(name: str, *, keep: tuple[str, ...] = ()) -> tuple[Array, Array]:
    """The numeric columns of a large data set, standardised, and the class or number of each row."""
    import pyarrow.parquet as pq

    table = pq.read_table(DATA / f"{name}.parquet")
    *features, target = table.schema.names
    numeric = [one for one in features if str(table.schema.field(one).type) in ("int32", "double")]
    x = np.column_stack([table[one].to_numpy().astype(float) for one in numeric])
    y = np.array(table[target].to_pylist())
    rows = np.isin(y, keep) if keep else np.ones(len(y), bool)
    x, y = x[rows], y[rows]
    coded = np.unique(y, return_inverse=True)[1] if y.dtype.kind in "USO" else y.astype(float)
    return (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-9), coded


FILES: dict[str, tuple[Array, Array]] = {}


def sampled(random: Generator, rows: int, *, name: str, keep: tuple[str, ...] = (), noise: float = 0.7) -> Drawn:
    """Rows of a large data set, whose columns either learner sees through noise of its own."""
    if name not in FILES:
        FILES[name] = _file(name, keep=keep)
    x, y = FILES[name]
    if name.endswith("page-blocks"):
        y = (y > 0).astype(int)
    chosen = random.integers(len(y), size=rows)
    a, b = (x[chosen] + noise * random.standard_normal((rows, x.shape[1])) for _ in range(2))
    return Drawn(a, b, y[chosen])


def estimator_of(name: str, classes: int) -> Any:
    """Scikit-learn's trees, alone or many of them."""
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if name == "forest of 10":
        return RandomForestClassifier(10, random_state=0)
    if name == "boosting":
        return GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0)
    depth = 1 if name == "stump" else 3
    return (DecisionTreeClassifier if classes else DecisionTreeRegressor)(max_depth=depth, random_state=0)


def fitted(estimator: Any, *, as_labelled: bool = False) -> Callable[..., Array]:
    """`as_labelled`: an exact half is moved to the side on which scikit-learn's `predict` sees it, mostly below."""

    def learn(table: Array, truth: Array, train: Array, test: Array) -> Array:
        estimator.fit(table[train], truth[train])
        if not hasattr(estimator, "predict_proba"):
            return np.asarray(estimator.predict(table[test]))
        shares = estimator.predict_proba(table[test])
        if shares.shape[1] > 2:
            return np.asarray(shares)
        negative, positive = shares.T
        if not as_labelled:
            return np.asarray(positive)
        return np.where(positive > negative, np.maximum(positive, 0.5), np.minimum(positive, np.nextafter(0.5, 0)))

    return learn


def of_trees(name: str, classes: int) -> Callable[..., Array]:
    return fitted(estimator_of(name, classes))


def neighbours(k: int, classes: int = 2) -> kernel.Neighbours:
    return kernel.Neighbours(k, classes)


class Setting(NamedTuple):
    """A learner, data, and how many sets of them; `other` is a second learner on the same table."""

    learner: str
    data: str
    rows: int
    sets: int = 500
    other: str = ""

    @property
    def name(self) -> str:
        return f"{self.learner}{' vs ' if self.other else ''}{self.other}, {self.data}, {self.rows}"

    @property
    def metrics(self) -> tuple[str, ...]:
        return NUMBERS if self.data in ("curve", "abalone") else CLASSES if self.data in ("three", "letter") else BINARY


TREES = ("stump", "tree of depth 3", "forest of 10", "boosting")
LEARNERS: dict[str, Callable[[int], Callable[..., Array]]] = {
    "logistic": lambda _: kernel.logistic,
    "LDA": lambda _: kernel.discriminant,
    "naive Bayes": lambda _: kernel.bayes,
    "ridge": lambda _: kernel.ridge,
    "1-NN": lambda classes: neighbours(1, classes),
    "5-NN": lambda classes: neighbours(5, classes),
    "15-NN": lambda classes: neighbours(15, classes),
    **{name: partial(of_trees, name) for name in TREES},
}
SOURCES: dict[str, Callable[[Generator, int], Drawn]] = {
    "heavy": heavy,
    "heavy, 25% positive": lambda random, rows: heavy(random, rows, share=0.25, shift=1.0),
    "rings": rings,
    "three": three,
    "curve": curve,
    "adult": lambda random, rows: sampled(random, rows, name="uci/adult"),
    "page-blocks": lambda random, rows: sampled(random, rows, name="uci/page-blocks", noise=0.3),
    "letter": lambda random, rows: sampled(random, rows, name="uci/letter", keep=("A", "H", "R"), noise=1.2),
    "abalone": lambda random, rows: sampled(random, rows, name="more/abalone", noise=0.3),
}
GRID = (
    Setting("5-NN", "rings", 200),
    Setting("15-NN", "heavy", 150),
    Setting("logistic", "heavy", 150),
    Setting("ridge", "curve", 150),
    Setting("1-NN", "rings", 150),
    Setting("LDA", "three", 180),
    Setting("stump", "heavy", 150),
    Setting("15-NN", "adult", 200),
    Setting("naive Bayes", "heavy, 25% positive", 200),
    Setting("5-NN", "letter", 200),
    Setting("5-NN", "curve", 150),
    Setting("tree of depth 3", "rings", 200),
    Setting("LDA", "adult", 200),
    Setting("logistic", "heavy, 25% positive", 200, other="15-NN"),
    Setting("15-NN", "rings", 120),
    Setting("tree of depth 3", "curve", 150),
    Setting("naive Bayes", "page-blocks", 300),
    Setting("5-NN", "heavy, 25% positive", 300),
    Setting("ridge", "abalone", 150),
    Setting("logistic", "adult", 400),
    Setting("LDA", "heavy", 100),
    Setting("1-NN", "letter", 150),
    Setting("ridge", "curve", 150, other="5-NN"),
    Setting("stump", "adult", 200),
    Setting("forest of 10", "heavy", 150, 200),
    Setting("boosting", "rings", 150, 200),
    Setting("5-NN", "rings", 500, 400),
)


def draw(setting: Setting, number: int) -> tuple[Drawn, Array]:
    """One data set by its number, and the groups of its deals; sets without six rows of a class are drawn again."""
    random = np.random.default_rng([SEED, *setting.name.encode(), number])
    while True:
        drawn = SOURCES[setting.data](random, setting.rows)
        classes = drawn.truth if drawn.truth.dtype.kind in "iu" else np.zeros(setting.rows, int)
        if np.bincount(classes).min() >= GROUPS:
            break
    return drawn, np.stack([_dealt(classes, random) for _ in range(DEALS)])


def _dealt(classes: Array, random: Generator) -> Array:
    group = np.empty(len(classes), int)
    shuffled = random.permutation(len(classes))
    group[shuffled[np.argsort(classes[shuffled], kind="stable")]] = np.arange(len(classes)) % GROUPS
    return group


def judge(setting: Setting, drawn: Drawn, group: Array) -> dict[str, list[list[float]]]:
    """Of each metric: the first procedure, the second, and their difference."""
    classes = int(drawn.truth.max()) + 1 if drawn.truth.dtype.kind in "iu" else 0
    tables = (drawn.a, drawn.a if setting.other else drawn.b)
    learners = [LEARNERS[name](classes) for name in (setting.learner, setting.other or setting.learner)]
    said = [kernel.out_of_pairs(one, table, drawn.truth, group) for one, table in zip(learners, tables, strict=True)]
    found = {}
    for metric in setting.metrics:
        (a, whole_a), (b, whole_b) = (kernel.judged(metric, drawn.truth, one, group) for one in said)
        strata = kernel.strata_of(metric, drawn.truth)
        three = ((a, whole_a), (b, whole_b), (a - b, whole_a - whole_b))
        found[metric] = [list(kernel.estimate(*one, group, strata)) for one in three]
    return found


def run(results: Path, minutes: float) -> None:
    """The first round of every setting, and then the second of those with a cell above the limit, but not clearly."""
    until = time.monotonic() + 60 * minutes
    for sets_of in (lambda setting: setting.sets, lambda setting: setting.sets + AGAIN * _is_open(results, setting)):
        for setting in GRID:
            done = len(found_of(results, setting))
            with results.open("a") as file:
                for number in range(done, sets_of(setting)):
                    if time.monotonic() > until:
                        return
                    line = {"setting": setting.name, "set": number, "found": judge(setting, *draw(setting, number))}
                    file.write(json.dumps(line) + "\n")
                    file.flush()


def _is_open(results: Path, setting: Setting) -> bool:
    first = found_of(results, setting)[: setting.sets]
    rates = [false_winners(first, setting, metric) for metric in setting.metrics]
    return any(LIMIT < rate <= LIMIT + 2 * error_of(rate, len(first)) for rate in rates)


def error_of(rate: float, sets: int) -> float:
    """Of a rate in %, by chance."""
    return float(np.sqrt(rate * (100 - rate) / sets))


def false_winners(found: list[dict[str, Any]], setting: Setting, metric: str) -> float:
    """In %; of two different learners, how often their mean difference over all sets is rejected."""
    each = [kernel.Estimate(*one[metric][2]) for one in found]
    truth = float(np.mean([one.value for one in each])) if setting.other else 0.0
    return round(100 * float(np.mean([one._replace(value=one.value - truth).p < 0.05 for one in each])), 9)


def found_of(results: Path, setting: Setting) -> list[dict[str, Any]]:
    """What was found in each set of a setting, in the order of their numbers; the last line may have been cut off."""
    lines = results.read_text().splitlines() if results.exists() else []
    return [
        one["found"] for line in lines if line.endswith("}") and (one := json.loads(line))["setting"] == setting.name
    ]


if __name__ == "__main__":
    path, what, *more = sys.argv[1:]
    if what == "run":
        run(Path(path), float(more[0]) if more else float("inf"))
    else:
        import procedure_report

        procedure_report.write(Path(path), what, int(more[0]) if more else 50)
