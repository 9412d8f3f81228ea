"""What autorank 1.3, scikit-posthocs 0.17.1 and baycomp 1.0.3 say of their own examples: `python rankings.py`.

autorank's is that of its README; scikit-posthocs' that of its functions for blocks; baycomp's is the comparison of two
models on one data set and on several, for which Weka's Experimenter scores are taken.
"""

import csv
import json
from collections import defaultdict
from pathlib import Path

import baycomp
import numpy as np
import pandas as pd
import scikit_posthocs
from autorank import autorank

HERE = Path(__file__).parent
BLOCKS = [[31, 27, 24], [31, 28, 31], [45, 29, 46], [21, 18, 48], [42, 36, 46], [32, 17, 40]]


def autoranked():
    np.random.seed(42)
    means = [0.2, 0.3, 0.5, 0.8, 0.85, 0.9]
    data = pd.DataFrame(
        {f"pop_{place}": np.random.normal(mean, 0.3, 50).clip(0, 1) for place, mean in enumerate(means)}
    )
    found = autorank(data, alpha=0.05, verbose=False)
    return {
        "data": data.to_dict("list"), "omnibus": found.omnibus, "p": found.pvalue, "posthoc": found.posthoc,
        "critical_difference": found.cd, "mean_ranks": found.rankdf["meanrank"].to_dict(),
    }  # fmt: skip


def scores():
    """Of each data set and model, in the order of runs and folds."""
    found = defaultdict(list)
    with (HERE / "weka/experimenter_10x10_scores.csv").open() as file:
        for row in csv.DictReader(file):
            found[row["dataset"], row["scheme"]].append(float(row["percent_correct"]))
    return found


def on_single(found):
    sets = sorted({name for name, _ in found})
    pairs = {name: (np.array(found[name, "NaiveBayes"]), np.array(found[name, "J48"])) for name in sets}
    return {name: list(baycomp.two_on_single(*pair, rope=1, runs=10)) for name, pair in pairs.items()}


def main():
    found = {
        "autorank": autoranked(),
        "scikit_posthocs": {
            "blocks": BLOCKS,
            "nemenyi": scikit_posthocs.posthoc_nemenyi_friedman(np.array(BLOCKS)).to_numpy().tolist(),
        },
        "baycomp": {"naive_bayes_j48": on_single(scores())},
    }
    (HERE / "rankings.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
