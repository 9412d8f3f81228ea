"""Write query_rankings.csv, rankings of two made-up systems, and query_rankings.json: what trec_eval and ranx find.

Run it where both are installed (values of pytrec_eval-terrier 0.5.11, ranx 0.3.21, NumPy 2.4.6).
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_suffix(".csv")
SYSTEMS = ("bm25", "neural")
TREC = ("map", "map_cut_5", "ndcg", "ndcg_cut_5", "recip_rank")
RANX = ("map", "map@5", "mrr", "mrr@3", "ndcg", "ndcg@5", "ndcg_burges", "ndcg_burges@5")


def write_rankings():
    """Forty queries with relevant items and others, and no ties: how these are broken is each program's own."""
    draw = np.random.default_rng(20)
    rows = [("query", "item", "relevance", *SYSTEMS)]
    for query in range(40):
        items = int(draw.integers(3, 16))
        relevance = draw.choice([0, 0, 0, 1, 2, 3], items)
        relevance[:2] = 0, 1
        scores = [draw.permutation(items) + 3 * weight * relevance for weight in (0.7, 0.2)]
        scores = [np.argsort(np.argsort(one + draw.random(items))) for one in scores]
        rows += [
            (f"q{query:02}", f"i{item}", int(relevance[item]), *(int(one[item]) for one in scores))
            for item in range(items)
        ]
    with FILE.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def read_rankings():
    rows = list(csv.DictReader(FILE.open()))
    judged, ranked = {}, {system: {} for system in SYSTEMS}
    for row in rows:
        judged.setdefault(row["query"], {})[row["item"]] = int(row["relevance"])
        for system in SYSTEMS:
            ranked[system].setdefault(row["query"], {})[row["item"]] = float(row[system])
    return judged, ranked


def found_by_trec_eval(judged, ranking):
    import pytrec_eval

    found = pytrec_eval.RelevanceEvaluator(judged, {"map", "map_cut.5", "ndcg", "ndcg_cut.5", "recip_rank"})
    each = found.evaluate(ranking)
    return {name: [each[query][name] for query in judged] for name in TREC}


def found_by_ranx(judged, ranking):
    from ranx import Qrels, Run, evaluate

    qrels, run = Qrels(judged), Run(ranking)
    means = evaluate(qrels, run, list(RANX))
    return {name: float(means[name]) for name in RANX}


if __name__ == "__main__":
    write_rankings()
    judged, ranked = read_rankings()
    found = {
        system: {"trec_eval": found_by_trec_eval(judged, ranked[system]), "ranx": found_by_ranx(judged, ranked[system])}
        for system in SYSTEMS
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")
