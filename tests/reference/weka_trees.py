"""Write weka_trees.json: the trees that Weka's J48 grows on mixed data with missing values, and what they say.

Run it where Debian's packages weka (3.6.14) and a JDK are installed. The data are drawn here from a seed, so that the
tests can draw them again.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

JAR = "/usr/share/java/weka.jar"
OPTIONS = {
    "pruned": "",
    "unpruned": "-U",
    "laplace": "-A",
    "five in a leaf": "-M 5",
    "little confidence": "-C 0.05",
}
SEEDS = (1, 2, 3, 4)
JAVA = """
import java.io.FileReader;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.Utils;
public class Trees {
  public static void main(String[] a) throws Exception {
    Instances train = new Instances(new FileReader(a[0])), test = new Instances(new FileReader(a[1]));
    train.setClassIndex(train.numAttributes() - 1);
    test.setClassIndex(test.numAttributes() - 1);
    J48 tree = new J48();
    tree.setOptions(Utils.splitOptions(a[2]));
    tree.buildClassifier(train);
    System.out.println((int) tree.measureNumLeaves() + " " + (int) tree.measureTreeSize());
    for (int i = 0; i < test.numInstances(); i++) {
      StringBuilder line = new StringBuilder();
      for (double p : tree.distributionForInstance(test.instance(i))) line.append(p).append(' ');
      System.out.println(line);
    }
  }
}
"""


def drawn(seed, rows=360):
    """Three numbers and three codes of categories, NaN where missing, and a class; 300 rows are for training."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(rows, 2))
    numbers = np.column_stack([hidden[:, 0], hidden.sum(axis=1), random.normal(size=rows)]).round(1)
    codes = np.column_stack(
        [
            np.digitize(hidden[:, 1], [-0.8, 0.0, 0.8]),
            random.integers(0, 3, rows),
            (hidden[:, 0] + random.normal(size=rows) > 0).astype(int),
        ]
    )
    values = np.where(random.random((rows, 6)) < (seed - 1) * 0.06, np.nan, np.column_stack([numbers, codes]))
    noisy = hidden[:, 0] + hidden[:, 1] ** 2 + 0.6 * random.normal(size=rows)
    return values, np.digitize(noisy, [0.2, 1.2])


def arff(values, classes):
    lines = ["@relation drawn", *(f"@attribute number{i} numeric" for i in range(3))]
    lines += [f"@attribute category{i} {{{','.join(map(str, range(size)))}}}" for i, size in enumerate((4, 3, 2))]
    lines += ["@attribute class {0,1,2}", "@data"]
    for row, klass in zip(values, classes, strict=True):
        cells = ["?" if np.isnan(x) else (f"{x:.1f}" if i < 3 else str(int(x))) for i, x in enumerate(row)]
        lines.append(",".join([*cells, str(klass)]))
    return "\n".join(lines) + "\n"


def grown_by_weka(folder, seed, options):
    values, classes = drawn(seed)
    for name, part in (("train", slice(300)), ("test", slice(300, None))):
        (folder / f"{name}.arff").write_text(arff(values[part], classes[part]))
    call = ["java", "-cp", f"{folder}:{JAR}", "Trees", folder / "train.arff", folder / "test.arff", options]
    first, *rest = subprocess.run(call, capture_output=True, text=True, check=True).stdout.splitlines()
    leaves, size = map(int, first.split())
    return {"leaves": leaves, "size": size, "shares": [[float(share) for share in line.split()] for line in rest]}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "Trees.java").write_text(JAVA)
        subprocess.run(["javac", "-cp", JAR, folder / "Trees.java"], check=True)
        trees = {
            f"{seed} {words}": grown_by_weka(folder, seed, options)
            for seed in SEEDS
            for words, options in OPTIONS.items()
        }
    Path(__file__).with_suffix(".json").write_text(json.dumps(trees) + "\n")
