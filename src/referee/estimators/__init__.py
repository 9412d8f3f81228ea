"""Estimators of our own, as scikit-learn knows estimators; imported only when a learner is made."""
