"""Small fixed inputs: `python -m tests.golden.fixed_inputs` made the files of inputs/."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "inputs"
ERRORS, SPREADS = {"x": 0.2, "z": 0.4}, {"p": 0.7, "q": 1.5, "r": 2}


def write(name, **columns):
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    (FOLDER / f"{name}.csv").write_text("\n".join(lines) + "\n")


def scores(draw, truth, spread):
    return (1 / (1 + np.exp(-(1.6 * truth - 0.8 + spread * draw.normal(size=len(truth)))))).round(3)


def main():
    draw = np.random.default_rng(2026)
    truth = draw.integers(0, 2, 120)
    models = {name: scores(draw, truth, spread) for name, spread in (("good", 0.8), ("fair", 1.2), ("poor", 2.5))}
    fold = np.arange(120) % 4
    region = draw.choice(["north", "south"], 120)
    roles = {"region": region, "fold": fold, "person": np.arange(120) // 6, "weight": draw.integers(1, 4, 120)}
    write("binary", id=[f"r{row}" for row in range(120)], y=truth, **models, **roles)
    write("folds", y=truth, a=models["good"], b=models["fair"], fold=fold)
    place = draw.integers(0, 3, 90)
    names = np.array(["ant", "bee", "cat"])
    told = {name: (place + (draw.random(90) < wrong) * draw.integers(1, 3, 90)) % 3 for name, wrong in ERRORS.items()}
    write("classes", kind=names[place], **{name: names[labels] for name, labels in told.items()})
    level = draw.normal(10, 3, 100).round(2)
    write("numbers", price=level, steady=(level + draw.normal(0, 1, 100)).round(2),
          rough=(level + draw.normal(0, 1.6, 100)).round(2))  # fmt: skip
    sets = np.repeat(["iris", "wine", "glass", "heart", "sonar", "zoo"], 20)
    answer = draw.integers(0, 2, 120)
    write("data_sets", d=sets, y=answer, **{name: scores(draw, answer, spread) for name, spread in SPREADS.items()})
    features = draw.normal(size=(80, 3)).round(3)
    target = np.where(features[:, 0] + draw.normal(0, 0.7, 80) > 0, "yes", "no")
    write("table", age=features[:, 0], size=features[:, 1], colour=draw.choice(["red", "blue"], 80), outcome=target)
    score_tables()


def score_tables():
    """Scores without a truth: answers to questions of passages, each asked twice, and folds of data sets."""
    draw = np.random.default_rng(7)
    question = np.repeat(np.arange(60), 2)
    hard = draw.normal(size=60)[question] + draw.normal(size=20)[question // 3]
    answers = {name: (hard + gain + draw.normal(size=120)).round(2) for name, gain in (("old", 0), ("new", 0.8))}
    passage, topic = [f"p{one // 3}" for one in question], [("law", "art")[one % 2] for one in question]
    write("answers", question=[f"q{one}" for one in question], passage=passage, topic=topic, **answers)
    rows = [(s, f, m) for s in range(8) for f in range(5) for m in ("tree", "svm", "knn")]
    better = {"tree": 0.0, "svm": 0.05, "knn": 0.01}
    accuracy = [round(0.7 + 0.02 * s + better[m] + 0.01 * float(draw.normal()), 4) for s, f, m in rows]
    names = {"set": [f"d{s}" for s, _, _ in rows], "fold": [f + 1 for _, f, _ in rows], "model": [m for *_, m in rows]}
    write("set_folds", **names, accuracy=accuracy)
    runs()


def runs():
    """Two models that answer each question with five seeds."""
    draw = np.random.default_rng(8)
    rows = [(q, s, m) for q in range(30) for s in range(5) for m in (0, 1)]
    hard, luck = draw.normal(0, 0.2, 30), draw.normal(0, 0.03, (5, 2))
    score = [round(0.5 + 0.04 * m + hard[q] + luck[s, m] + 0.1 * float(draw.normal()), 3) for q, s, m in rows]
    names = {"question": [f"q{q}" for q, _, _ in rows], "seed": [s + 1 for _, s, _ in rows]}
    write("runs", **names, model=[("old", "new")[m] for *_, m in rows], score=score)


if __name__ == "__main__":
    main()
