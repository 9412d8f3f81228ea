"""`python -m benchmarks.additions`: what the house has grown by since it was rebuilt, for docs/decisions/0037."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

REBUILT, COUNTED = "ad0a2f3", "8ce14bf"
FEATURES = {
    "--explain and the lecture": r"explained|worked|lecture",
    "tables of scores, seeds, judgements; wins over data sets": (
        r"score|seed|judgements|data_set|share_above|median\.|/mean\.|win_rate|hierarchical"
    ),
    "Python's door: arrays, fitted models, cross-validation, others' words": (
        r"/given|fitted_models|wrong_calls|keywords|search_refit|npy|npz|question"
    ),
    "files of other programs, which say what they hold": r"arff|inspect|lm_eval|mlflow|weka|spark|told",
    "looks at one test set again, and its ledger": r"looks|ledger|boundaries|anytime|row_prints|history",
    "leaderboards: tiers and ranks of many models": r"leaderboard|all_pairs|waiting",
    "rows in time": r"time|diebold|pieces",
    "plans: how many rows": r"plan|power",
    "comparisons inside a database": r"database|pair_moments|summed_contender|row_needs|distributions",
    "procedures: groups left out in pairs": r"left_out|leave_two",
    "queries, labels and intervals: rows that are lists": (
        r"lists|query|label_rows|ndcg|reciprocal|average_precision|multilabel|hamming|subset_acc|interval_|weighted_kappa"
    ),
    "a page whose reader chooses, and its methods": r"page/",
    "C4.5 and IBk as in Weka; how close the study is": r"c45|neighbour_kernels|deviations|learner_cards",
    "speed: records, kernels, moments, a start without pandas": (
        r"records|without_pandas|moments|counted_changes|ranked_columns|unit_summary|arrow_functions"
    ),
}
"""Where a new file belongs: the first that it fits."""


def main():
    sys.stdout.write("\n".join(table()) + "\n")


def table():
    before, after = lines_at(REBUILT), lines_at(COUNTED)
    added = {file: lines for file, lines in after.items() if file not in before}
    removed = [lines for file, lines in before.items() if file not in after]
    grown = sum(after[file] - before[file] for file in before.keys() & after.keys())
    yield from ("| what | lines | files |", "|---|--:|--:|", f"| rebuilt | {sum(before.values()):,} | {len(before)} |")
    for feature, pattern in FEATURES.items():
        files = [file for file in added if re.search(pattern, file)]
        yield f"| {feature} | +{sum(map(added.pop, files)):,} | +{len(files)} |"
    yield f"| other new files | +{sum(added.values()):,} | +{len(added)} |"
    yield f"| files that were joined or are gone | -{sum(removed):,} | -{len(removed)} |"
    yield f"| in files that there were | +{grown:,} | |"
    yield f"| counted | {sum(after.values()):,} | {len(after)} |"


def lines_at(revision):
    """The lines of each file."""
    listed = git("grep", "-c", "", revision, "--", "src/referee/*.py").splitlines()
    counted = (line.removeprefix(f"{revision}:").rsplit(":", 1) for line in listed)
    return {file: int(lines) for file, lines in counted}


def git(*arguments):
    told = subprocess.run(["git", *arguments], cwd=Path(__file__).parent.parent, capture_output=True, check=True)
    return told.stdout.decode()


if __name__ == "__main__":
    main()
