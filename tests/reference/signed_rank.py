"""What baycomp's Bayesian signed-rank test says of two models on many data sets: `python signed_rank.py`.

The scores are those of autorank's own example (`rankings.json`), 50 data sets; 200,000 draws from the posterior.
"""

import json
from importlib.metadata import version
from pathlib import Path

import baycomp
import numpy as np

HERE = Path(__file__).parent
PAIRS = [("pop_3", "pop_4"), ("pop_4", "pop_5"), ("pop_2", "pop_3")]
ROPES = [0, 0.01, 0.05, 0.1]


def main():
    data = json.loads((HERE / "rankings.json").read_text())["autorank"]["data"]
    found = [
        {"a": a, "b": b, "rope": rope, "probabilities": probabilities(np.array(data[a]), np.array(data[b]), rope)}
        for a, b in PAIRS
        for rope in ROPES
    ]
    text = json.dumps({"baycomp": version("baycomp"), "found": found}, indent=1)
    (HERE / "signed_rank.json").write_text(text + "\n")


def probabilities(a, b, rope):
    """Of a better, no difference that matters, b better; without a region there are two."""
    found = baycomp.SignedRankTest.probs(a, b, rope=rope, nsamples=200_000, random_state=0)
    return list(found) if rope else [found[0], 0.0, found[1]]


main()
