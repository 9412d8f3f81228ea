"""Compare C4.5's trees with Weka's J48 on the same splits, and write trees.md.

    python docs/study/trees.py [DATA]

J48's values are committed (tests/reference/j48_splits.json); DATA is the folder of the data sets.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.fitting import estimators_of

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHARED = ROOT / "../shared"
SPECS = {"J48": "tree(like=c45, prune=true)", "J48-U": "tree(like=c45)"}


class Compared(NamedTuple):
    case: str
    option: str
    split: int
    j48: tuple[int, int]
    """Leaves and nodes."""
    ours: tuple[int, int]
    rows: int
    is_same: bool
    """Whether all rows have the same probabilities."""
    declared_only: int
    """Splits on a column for which Weka's file declares a category that no row has."""


def compared(folder: Path, reference: Path) -> Iterator[Compared]:
    sys.path.insert(0, str(ROOT))
    from tests.reference.j48_splits import CASES, data_and_splits, digest

    by_weka = json.loads((ROOT / "tests/reference/j48_splits.json").read_text())
    for case, options in CASES.items():
        data, extra, splits = data_and_splits(folder, reference, case)
        for option in options:
            (model,) = estimators_of(SPECS[option], data.features, data.task).values()
            for number, trained in enumerate(splits):
                tree = model.fit(data.X[trained], data.target[trained])
                known = by_weka[f"{case}, {option}, {number}"]
                shares = tree.predict_proba(data.X[~trained])
                tests = sum(extra.get(data.features[column].name, 0) for column in split_columns(tree.tree_))
                yield Compared(
                    case, option, number, (known["leaves"], known["size"]), (tree.get_n_leaves(), tree.size),
                    len(shares), digest(shares) == known["digest"], tests,
                )  # fmt: skip


def split_columns(node: Any) -> Iterator[int]:
    if node.split is not None:
        yield node.split.column
        for child in node.children:
            yield from split_columns(child)


def reason(one: Compared) -> str:
    if one.j48 == one.ours and one.is_same:
        return ""
    empty = one.declared_only
    if one.is_same and one.j48 == tuple(number + empty for number in one.ours):
        return f"{empty} split{'s' * (empty != 1)} on purpose or personal_status"
    return "**unexplained**"


def page(trees: list[Compared]) -> str:
    same = sum(one.is_same for one in trees)
    equal = sum(one.j48 == one.ours for one in trees)
    explained = [one for one in trees if reason(one) and "unexplained" not in reason(one)]
    left = sum("unexplained" in reason(one) for one in trees)
    lines = [
        "# C4.5 and Weka's J48, tree by tree",
        "Made by [trees.py](trees.py). `tree(like=c45, prune=true)` is compared with J48 of Weka 3.6.14, and "
        "`tree(like=c45)` with `J48 -U`, grown on the",
        "same rows: the ten folds of Weka's own cross-validations (credit-g, page-blocks), and two splits of each of "
        "the paper's data sets (10% of the rows are",
        "trained on) and of breast-w (50%; it has missing values). J48's values were written down by "
        "tests/reference/j48_splits.py.",
        "",
        f"- predictions: the probabilities of all classes are the same, to nine digits, for every row that was not "
        f"trained on, in {same} of {len(trees)} trees ({sum(one.rows for one in trees):,} rows)",
        f"- leaves and nodes: equal in {equal} of {len(trees)} trees; {len(explained)} differ for the reason stated "
        f"beside them, {left} for no known reason",
        "- the reason: Weka's file of credit-g declares one category of `purpose` and one of `personal_status` that no "
        "row has. J48 counts an empty leaf for each of",
        "  them at every split on these columns; referee knows the categories that occur. Told of them, it grows trees "
        "with J48's numbers of leaves and nodes",
        "  (tests/fitting/test_trees_against_j48.py).",
        "",
        "| data | options | split | rows predicted | J48: leaves, nodes | referee: leaves, nodes | predictions | "
        "reason |",
        "|---|---|--:|--:|--:|--:|---|---|",
    ]
    for one in trees:
        sizes = (f"{leaves:,}, {nodes:,}" for leaves, nodes in (one.j48, one.ours))
        told = "the same" if one.is_same else "**differ**"
        lines.append(
            f"| {one.case} | {one.option} | {one.split + 1} | {one.rows:,} | {' | '.join(sizes)} | {told} | "
            f"{reason(one)} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    folder = Path(sys.argv[1]) if sys.argv[1:] else SHARED / "data"
    trees = list(compared(folder, SHARED / "reference/weka"))
    (HERE / "trees.md").write_text(page(trees))


if __name__ == "__main__":
    main()
