"""Write j48_splits.json: the trees of Weka's J48 on the folds of weka/ and on splits of the paper's data sets.

    python -m tests.reference.j48_splits DATA REFERENCE

Run it where Debian's packages weka (3.6.14) and a JDK are installed; DATA is the folder of the data sets, REFERENCE
that of Weka's own cross-validations, which the trees of the folds must agree with.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from hashlib import blake2b
from pathlib import Path

import numpy as np

from referee.fitting import read_dataset
from referee.paper.datasets import NAMES, load

JAR = "/usr/share/java/weka.jar"
OPTIONS = {"J48": "", "J48-U": "-U"}
FOLDS = {"credit-g": "more/credit-g", "page-blocks": "uci/page-blocks"}
SPLITS, FEW_ROWS = 2, 1000
"""Two splits of each; a tenth of the rows is trained on, as in the paper, and half of few ones."""
DECLARED_ONLY = {"purpose": 1, "personal_status": 1}
"""Categories that Weka's file of credit-g declares and no row has: a trip, and single women."""
DIGITS = 9
"""Of the shares that are hashed."""
SAMPLE = 20
JAVA = """
import java.io.*;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.Utils;
public class Splits {
  public static void main(String[] a) throws Exception {
    Instances data = new Instances(new BufferedReader(new FileReader(a[0])));
    data.setClassIndex(data.numAttributes() - 1);
    BufferedReader splits = new BufferedReader(new FileReader(a[1]));
    for (String line; (line = splits.readLine()) != null; ) {
      Instances train = new Instances(data, 0);
      for (int i = 0; i < line.length(); i++) if (line.charAt(i) == '1') train.add(data.instance(i));
      J48 tree = new J48();
      tree.setOptions(Utils.splitOptions(a[2]));
      tree.buildClassifier(train);
      System.out.println((int) tree.measureNumLeaves() + " " + (int) tree.measureTreeSize());
      for (int i = 0; i < line.length(); i++) {
        if (line.charAt(i) == '1') continue;
        StringBuilder shares = new StringBuilder();
        for (double p : tree.distributionForInstance(data.instance(i))) shares.append(p).append(' ');
        System.out.println(shares);
      }
    }
  }
}
"""


def data_and_splits(folder, reference, name):
    """A data set, the extra categories of its columns, and for each split which rows are trained on."""
    if name.endswith(" folds"):
        plain = name.removesuffix(" folds")
        task = "binary" if plain == "credit-g" else "multiclass"
        data = read_dataset(folder / f"{FOLDS[plain]}.parquet", "class", task=task)
        rows = list(csv.DictReader((reference / f"{plain}.J48.csv").read_text().splitlines()))
        fold = np.empty(data.rows, int)
        fold[[int(row["row"]) for row in rows]] = [int(row["fold"]) for row in rows]
        return data, DECLARED_ONLY if plain == "credit-g" else {}, [fold != number for number in range(10)]
    data = read_dataset(folder / "more/breast-w.parquet", "class") if name == "breast-w" else load(name, folder / "uci")
    chosen = [np.zeros(data.rows, bool) for _ in range(SPLITS)]
    for seed, trained in enumerate(chosen):
        order = np.random.default_rng([seed, *name.encode()]).permutation(data.rows)
        trained[order[: data.rows // (2 if data.rows < FEW_ROWS else 10)]] = True
    return data, {}, chosen


CASES = {
    "credit-g folds": ("J48", "J48-U"),
    "page-blocks folds": ("J48",),
    **dict.fromkeys((*NAMES, "breast-w"), tuple(OPTIONS)),
}
"""Data sets and the options of each: of folds, those that Weka's cross-validations in weka/ have."""


def digest(shares):
    """Of all rows' shares of the classes, rounded."""
    return blake2b(np.round(np.asarray(shares) + 0.0, DIGITS).tobytes(), digest_size=16).hexdigest()


def sampled(shares):
    """The share of the last class in rows that are spread over all."""
    return [float(row[-1]) for row in np.asarray(shares)[:: max(1, len(shares) // SAMPLE)][:SAMPLE]]


def arff(data, extra):
    lines = ["@relation data"]
    for place, feature in enumerate(data.features):
        size = len(feature.categories) + extra.get(feature.name, 0)
        kind = f"{{{','.join(map(str, range(size)))}}}" if feature.is_categorical else "numeric"
        lines.append(f"@attribute a{place} {kind}")
    lines += [f"@attribute class {{{','.join(map(str, range(len(data.classes))))}}}", "@data"]
    for row, klass in zip(data.X, data.target, strict=True):
        cells = (
            "?" if np.isnan(value) else str(int(value)) if feature.is_categorical else repr(float(value))
            for value, feature in zip(row, data.features, strict=True)
        )
        lines.append(",".join([*cells, str(klass)]))
    return "\n".join(lines) + "\n"


def grown_by_weka(place, data, extra, splits, options):
    """Of each split: leaves, size, and the shares of the classes in every row that was not trained on."""
    (place / "data.arff").write_text(arff(data, extra))
    (place / "splits.txt").write_text("".join("".join(map(str, each.astype(int))) + "\n" for each in splits))
    call = ["java", "-Xmx1g", "-cp", f"{place}:{JAR}", "Splits", place / "data.arff", place / "splits.txt", options]
    lines = iter(subprocess.run(call, capture_output=True, text=True, check=True).stdout.splitlines())
    for trained in splits:
        leaves, size = map(int, next(lines).split())
        yield leaves, size, np.array([[float(share) for share in next(lines).split()] for _ in range((~trained).sum())])


def must_agree(reference, name, option, data, split, shares):
    """The trees of a fold with what Weka's own cross-validation says there."""
    rows = list(csv.DictReader((reference / f"{name.removesuffix(' folds')}.{option}.csv").read_text().splitlines()))
    said = {int(row["row"]): [float(row[f"p_{klass}"]) for klass in data.classes] for row in rows}
    assert np.allclose(shares, [said[row] for row in np.flatnonzero(~split)], rtol=0, atol=1e-12), (name, option)


def main(folder, reference):
    trees = {}
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "Splits.java").write_text(JAVA)
        subprocess.run(["javac", "-cp", JAR, place / "Splits.java"], check=True)
        for case, options in CASES.items():
            data, extra, splits = data_and_splits(folder, reference, case)
            for option in options:
                grown = grown_by_weka(place, data, extra, splits, OPTIONS[option])
                for number, (split, (leaves, size, shares)) in enumerate(zip(splits, grown, strict=True)):
                    if case.endswith(" folds"):
                        must_agree(reference, case, option, data, split, shares)
                    trees[f"{case}, {option}, {number}"] = {
                        "leaves": leaves, "size": size, "rows": len(shares), "digest": digest(shares),
                        "sample": sampled(shares),
                    }  # fmt: skip
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(tree)}" for key, tree in trees.items())
    Path(__file__).with_suffix(".json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
