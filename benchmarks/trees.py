"""C4.5's trees against Weka's J48 (Debian's package weka).

A Java program is started for each of Weka's trees; what ZeroR takes of the same file, start and reading, is taken off:
both are the seconds of growing and pruning.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Workload, children_clock, command, least_by_turns, rows_of
from referee.fitting import Feature, learners

JAR = Path("/usr/share/java/weka.jar")
PEER, TARGET, ROUNDS = "Weka's J48", 1.0, 3
SPEC = "tree(like=c45, prune=true)"
SHAPES = {"2,000 x 16 numbers": (2000, 16, 0), "3,000 x 6 numbers and 8 categories": (3000, 6, 8)}


def drawn(rows, numbers, categories):
    """Numbers as coarse as those of the study's data, and codes of up to 14 categories."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=(rows, numbers)).round(1)
    codes = [np.digitize(draw.normal(size=rows) + x[:, place % numbers], np.linspace(-2, 2, 6 + place))
             for place in range(categories)]  # fmt: skip
    signal = x[:, :4].sum(axis=1) + (codes[0] - 3 if codes else x[:, 4] * x[:, 5])
    y = (signal + draw.normal(size=rows) > 0).astype(int)
    features = [Feature(f"x{place}") for place in range(numbers)]
    features += [Feature(f"c{place}", "categorical", tuple(map(str, range(7 + place)))) for place in range(categories)]
    return features, np.column_stack([x, *codes]), y


def arff(features, x, y):
    """The same rows for Weka."""
    kinds = [f"{{{','.join(feature.categories)}}}" if feature.is_categorical else "numeric" for feature in features]
    head = [f"@attribute {feature.name} {kind}" for feature, kind in zip(features, kinds, strict=True)]
    rows = [",".join([*(f"{cell:g}" for cell in cells), str(label)]) for cells, label in zip(x, y, strict=True)]
    return "\n".join(["@relation drawn", *head, "@attribute y {0,1}", "@data", *rows, ""])


def results():
    for size, shape in SHAPES.items():
        features, x, y = drawn(*shape)
        call = f'learners["{SPEC}"].estimator(...).fit(X, y)'

        def fitted(features=features, x=x, y=y):
            return learners[SPEC].estimator(features, "binary").fit(x, y)

        seconds = least_by_turns({"referee": fitted}, ROUNDS)
        if shutil.which("java") and JAR.exists():
            seconds[PEER] = weka_seconds(arff(features, x, y), fitted())
        yield from rows_of(Workload(call, size, None, {PEER: None}, {PEER: TARGET}), seconds)


def weka_seconds(text, own):
    """Of J48 without those of ZeroR, after a look that both trees have the same leaves and nodes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.arff")
        path.write_text(text)
        java = ("java", "-XX:+UseSerialGC", "-cp", str(JAR))
        names = {"ZeroR": "weka.classifiers.rules.ZeroR", "J48": "weka.classifiers.trees.J48"}
        runs = {name: command(*java, kind, "-t", str(path), "-no-cv", "-v") for name, kind in names.items()}
        leaves, nodes = re.search(r"Leaves\D+(\d+)\s+Size\D+(\d+)", runs["J48"]()).groups()
        assert (own.get_n_leaves(), own.size) == (int(leaves), int(nodes)), (own.size, nodes)
        spent = least_by_turns(runs, ROUNDS, children_clock)
        return spent["J48"] - spent["ZeroR"]
