"""AIC and BIC of linear and logistic regressions without a penalty on the weights, by statsmodels.

Written by `python tests/reference/statsmodels_penalties.py` with statsmodels 0.15.0, which no test needs.
"""

from __future__ import annotations

import json
from pathlib import Path

import statsmodels.api as sm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.preprocessing import scale


def criteria(fitted):
    return {"log_likelihood": fitted.llf, "aic": fitted.aic, "bic": fitted.bic}


if __name__ == "__main__":
    x, y = load_diabetes(return_X_y=True)
    binary, sick = load_breast_cancer(return_X_y=True)
    wine, grower = load_wine(return_X_y=True)
    values = {
        "ols_diabetes": criteria(sm.OLS(y, sm.add_constant(x)).fit()),
        "mean_diabetes": criteria(sm.OLS(y, sm.add_constant(x)[:, :1]).fit()),
        "logit_breast_cancer_2": criteria(
            sm.Logit(sick, sm.add_constant(scale(binary[:, :2]))).fit(disp=0, tol=1e-12, maxiter=200)
        ),
        "mnlogit_wine_2": criteria(
            sm.MNLogit(grower, sm.add_constant(scale(wine[:, :2]))).fit(disp=0, tol=1e-12, maxiter=200)
        ),
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(values, indent=1) + "\n")
