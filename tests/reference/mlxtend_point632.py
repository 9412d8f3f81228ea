"""Write mlxtend_point632.json: what mlxtend's bootstrap_point632_score finds in each of its bootstrap samples.

Run it where mlxtend is installed (values of mlxtend 0.25.0, scikit-learn 1.9.1, NumPy 2.4.6).
"""

from __future__ import annotations

import json
from pathlib import Path

from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

RUNS = {
    "iris": (load_iris, KNeighborsClassifier(n_neighbors=3)),
    "breast_cancer": (load_breast_cancer, GaussianNB()),
}
METHODS = {"oob": "bootstrap", ".632": "bootstrap_632", ".632+": "bootstrap_632_plus"}
SEED, SAMPLES = 1, 20


def found_by_mlxtend(load, model):
    from mlxtend.evaluate import bootstrap_point632_score

    x, y = load(return_X_y=True)
    return {
        scheme: bootstrap_point632_score(model, x, y, n_splits=SAMPLES, method=method, random_seed=SEED).tolist()
        for method, scheme in METHODS.items()
    }


if __name__ == "__main__":
    found = {data: found_by_mlxtend(*run) for data, run in RUNS.items()}
    Path(__file__).with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")
