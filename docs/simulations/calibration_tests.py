"""How often tests of calibration err, and what they find: running this file writes calibration_tests.md."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtrc, expit, ndtr

from referee.calibration import calibrate
from referee.calibration.diagnosis import diagnose
from referee.comparing import adjusted, tests
from referee.predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

REPEATS = 1000
REPEATS_OF_POWER = 1000
REPEATS_OF_MAPS = 500
METHODS = ("temperature", "beta", "platt")
CASES = {"right": (300, 1.0), "right, more rows": (3000, 1.0), "too extreme by 1.5": (300, 1.5)}
"""Rows, and what the log odds of right forecasts are multiplied by."""
GROUPS = (5, 10, 20, 40)
ROWS_OF_GROUP = 10
DEPENDENCE = {"none": 0.0, "correlation 0.5": 0.5}
"""Of the outcomes of a group, on the scale of the normal distribution."""

WRONG: dict[str, Callable[[Array], Array]] = {
    "right": lambda z: z,
    "too extreme: slope 1.5": lambda z: 1.5 * z,
    "too high: shift 0.3": lambda z: z + 0.2,
    "bent": lambda z: z + 0.225 * (z**2 - 1),
}
"""What is said instead of the standard normal part z of the log odds 1.5 z, in units of 1.5."""
CENTRES = {"as many as not": 0.0, "1 in 100": -5.5}
"""The log odds in the middle."""


def findings(wrong: Callable[[Array], Array], centre: float, rows: int, repeats: int = REPEATS_OF_POWER) -> Array:
    """How often each test has p below 0.05, and how often the smallest p after Holm's adjustment of all three."""
    draw = np.random.default_rng([rows, int(-10 * centre)])
    found = []
    for _ in range(repeats):
        z = draw.normal(size=rows)
        truth = (draw.random(rows) < expit(centre + 1.5 * z)).astype(int)
        said = expit(centre + 1.5 * wrong(z))
        (one,) = diagnose(Predictions.from_arrays(truth, {"m": said}, classes=[0, 1], positive=1), "m")
        each = [1.0 if p is None else p for p in (one.recalibration.p, one.spiegelhalter.p, one.error.p)]
        found.append([*each, min(adjusted(each, "holm"))])
    return 100 * (np.array(found) < 0.05).mean(axis=0)


def outcomes_of_cross_fitting(rows: int, sharpness: float, repeats: int = REPEATS_OF_MAPS) -> Array:
    """How often each method's log loss is called worse, and better: (method, plain or corrected, which), per cent."""
    draw = np.random.default_rng([rows, int(10 * sharpness)])
    found = np.zeros((len(METHODS), 2, 2))
    for _ in range(repeats):
        signal = 1.5 * draw.normal(size=rows)
        truth = (draw.random(rows) < expit(signal)).astype(int)
        predictions = Predictions.from_arrays(truth, {"m": expit(sharpness * signal)})
        calibrated = calibrate(predictions, method=METHODS, metrics=["log_loss"])
        before, *after = calibrated.predictions.models
        for place, (method, one) in enumerate(zip(METHODS, after, strict=True)):
            plain = tests["influence"](calibrated.predictions.truth, one.scores, before.scores, metric="log_loss")
            corrected = calibrated.change("log_loss", method).comparison
            for which, comparison in enumerate((plain, corrected)):
                found[place, which] += [comparison.outcome == "b", comparison.outcome == "a"]
    return 100 * found / repeats


def false_alarms_of_groups(groups: int, correlation: float, repeats: int = REPEATS) -> Array:
    """How often intercept and slope, then Spiegelhalter, are significant: with chi-squared and normal, and as it is."""
    draw = np.random.default_rng([groups, int(10 * correlation)])
    group = np.repeat(np.arange(groups), ROWS_OF_GROUP)
    found = []
    while len(found) < repeats:
        said = expit(draw.normal(size=len(group)))
        common, own = draw.normal(size=groups)[group], draw.normal(size=len(group))
        truth = (ndtr(correlation**0.5 * common + (1 - correlation) ** 0.5 * own) < said).astype(int)
        (one,) = diagnose(Predictions.from_arrays(truth, {"m": said}, classes=[0, 1], group=group), "m")
        hotelling, t = one.recalibration, one.spiegelhalter
        if hotelling.p is None or t.p is None:
            continue
        wald = hotelling.statistic * 2 * (groups - 1) / (groups - 2)
        z = t.statistic * (groups / (groups - 1 + t.statistic**2)) ** 0.5
        found.append([chdtrc(2, wald), hotelling.p, 2 * ndtr(-abs(z)), t.p])
    return 100 * (np.array(found) < 0.05).mean(axis=0)


def page() -> str:
    lines = [
        "# Tests of calibration",
        "In the first two parts every forecast is right: what happens is drawn from it.",
        f"In per cent of {REPEATS_OF_MAPS} draws (groups: {REPEATS}), at 5%. Written by",
        "`docs/simulations/calibration_tests.py`.",
        "",
        "## Before and after, cross-fitted in 10 folds",
        "How often the log loss after calibration is called worse, and better: by the row test as it is, and as it is",
        "used, where a difference against the map has a variance that is corrected for maps that share their rows. A",
        "map that is fitted to right forecasts is a little worse than none, so not every *worse* is wrong; Platt",
        "scaling has no map that leaves probabilities as they are, and is worse by more.",
        "",
        "| forecasts | rows | method | worse, row test | worse, as used | better, row test | better, as used |",
        "|---|--:|---|--:|--:|--:|--:|",
    ]
    for name, (rows, sharpness) in CASES.items():
        for method, (plain, corrected) in zip(METHODS, outcomes_of_cross_fitting(rows, sharpness), strict=True):
            cells = (plain[0], corrected[0], plain[1], corrected[1])
            lines.append(f"| {name} | {rows:,} | {method} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")
    lines += [
        "",
        f"## Groups of {ROWS_OF_GROUP} rows",
        "How often right forecasts are called miscalibrated: by the limits for many groups (chi-squared, normal), and",
        "by those that are used (Hotelling, Student's t).",
        "",
        "| dependence in a group | groups | slope, chi-squared | slope, Hotelling | Spiegelhalter, normal | t |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, correlation in DEPENDENCE.items():
        for groups in GROUPS:
            found = " | ".join(f"{share:.1f}" for share in false_alarms_of_groups(groups, correlation))
            lines.append(f"| {name} | {groups} | {found} |")
    lines += [
        "",
        "## Which test speaks",
        f"In per cent of {REPEATS_OF_POWER:,} draws, how often each test is significant: the likelihood ratio test of",
        "intercept and slope, Spiegelhalter's, the calibration error in 10 bins, and the three together with Holm's",
        "adjustment. Log odds of what is true are normal with a standard deviation of 1.5. The test of intercept and",
        "slope is the best in most cases and never far behind but where the line is right and the forecasts are bent,",
        "so it decides what the headline says; where another test disagrees with it, the headline names that too.",
        "",
        "| events | rows | forecasts | intercept and slope | Spiegelhalter | ECE | Holm |",
        "|---|--:|---|--:|--:|--:|--:|",
    ]
    for often, centre in CENTRES.items():
        for rows in (300, 1000):
            for name, wrong in WRONG.items():
                cells = " | ".join(f"{share:.1f}" for share in findings(wrong, centre, rows))
                lines.append(f"| {often} | {rows:,} | {name} | {cells} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page())
