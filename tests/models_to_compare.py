"""Models for every significance test, in the form that it takes them, with what it does not run without."""

from __future__ import annotations

from referee.comparing import tests

NAMES = list(tests)
BY_TAKES = {takes: [name for name in NAMES if tests[name].takes == takes] for takes in ("units", "rows", "many")}

A = [0.81, 0.79, 0.84, 0.9, 0.77, 0.83, 0.86, 0.8, 0.82, 0.85]
B = [0.78, 0.8, 0.8, 0.84, 0.76, 0.8, 0.81, 0.78, 0.775, 0.82]
TRUTH = [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0]
SCORES_A = [0.9, 0.2, 0.8, 0.4, 0.7, 0.1, 0.6, 0.3, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.1]
SCORES_B = [0.6, 0.7, 0.3, 0.6, 0.4, 0.2, 0.9, 0.8, 0.4, 0.2, 0.6, 0.7, 0.3, 0.1, 0.4, 0.6]
DECISIONS_A, DECISIONS_B = [1] * 14 + [0, 1], [0] * 12 + [1, 1, 1, 0]
MANY = {"a": A, "b": B, "c": [0.7, 0.72, 0.69, 0.74, 0.71, 0.7, 0.75, 0.73, 0.76, 0.72]}


def required(test):
    """What the test does not run without."""
    options = {"margin": 0.05} if "margin" in test.defaults else {}
    if test.designs == ("splits",):
        options |= {"n_train": 90, "n_test": 10}
    if test.takes == "folds":
        options["test_fraction"] = 0.1
    if test.takes in ("rows", "refits") and test.metrics is None:
        options["metric"] = "brier"
    return options | (LEFT_OUT if test.takes == "refits" else {})


LEFT_OUT = {
    "id": list(range(16)) * 3,
    "repeat": [1] * 16 + [2] * 16 + [3] * 16,
    "fold": [1] * 8 + [2] * 8 + ([1] * 4 + [2] * 4) * 2 + [1] * 4 + [2] * 8 + [1] * 4,
}
"""Four groups of four rows, of which every two were left out together once."""


def run(name, *data, **options):
    test = tests[name]
    return test(*data, **required(test) | options)


FOLDS_A, FOLDS_B = ([values[:4], values[3:7], values[6:]] for values in (A, B))
PAIRS = {
    "units": (A, B),
    "folds": (FOLDS_A, FOLDS_B),
    "decisions": (DECISIONS_A, DECISIONS_B),
    "rows": (SCORES_A, SCORES_B),
    "refits": (SCORES_A + SCORES_B + SCORES_A, SCORES_B + SCORES_A[::-1] + SCORES_B),
}


def of_two(name, first=0, second=1, **options):
    """The test on two models of those above, in the form that it takes them."""
    takes = tests[name].takes
    truth = {"rows": [TRUTH], "refits": [TRUTH * 3]}.get(takes, [])
    return run(name, *truth, PAIRS[takes][first], PAIRS[takes][second], **options)


def of_any(name, **options):
    return run(name, MANY, **options) if tests[name].takes == "many" else of_two(name, **options)
