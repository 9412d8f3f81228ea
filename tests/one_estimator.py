"""The one estimator that a SPEC names."""

from __future__ import annotations

from referee.fitting import estimators_of


def estimator_of(spec, features, task, **options):
    (found,) = estimators_of(spec, features, task, **options).values()
    return found
