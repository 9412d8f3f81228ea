"""Predictions of three models on data that ship with scikit-learn."""

from __future__ import annotations

from referee.predictions import Predictions


def demo_predictions(seed: int = 0) -> Predictions:
    """Fit on one half of the breast cancer data, predict the other.

    >>> demo_predictions().names
    ('logistic', 'naive_bayes', 'tree')
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    data = load_breast_cancer()
    diagnosis = data.target_names[data.target]
    x, x_test, y, y_test = train_test_split(data.data, diagnosis, test_size=0.5, stratify=diagnosis, random_state=seed)
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "naive_bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=seed),
    }
    malignant = {name: model.fit(x, y).predict_proba(x_test)[:, 1] for name, model in models.items()}
    return Predictions.from_arrays(y_test, malignant, positive="malignant")
