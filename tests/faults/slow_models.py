"""A model that takes its time without work, so that a run lasts long enough to be killed."""

from __future__ import annotations

import time

from sklearn.naive_bayes import GaussianNB


class SlowBayes(GaussianNB):
    def fit(self, X, y):  # noqa: N803
        time.sleep(0.05)
        return super().fit(X, y)
