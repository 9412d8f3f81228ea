"""What random tables found, and is mended."""

from __future__ import annotations

FIXED = (
    "a compressed file that is cut off or damaged ended in E_BUG where it was asked whether it describes itself",
    "`calibrate` ended in E_BUG where a class with a name had only one row",
    "a margin of 1e300 overflowed in the number of rows to separate two models",
    "frequency weights of 1e300 were counted as rows; now those beyond 2^53 are refused",
    "`calibrate` ended in E_BUG where a row without weight had the lowest forecast",
    "`plan` ended in E_BUG where a pilot lacks a class, or its models have no quantiles for the goal",
    "a slice whose rows have next to no weight ended in E_BUG in `evaluate`, a fold of such rows in `threshold`",
    "differences of 1e150 or 1e-150 in time, or beyond all numbers in a bar on the screen, ended in E_BUG",
    "weights from 1e-300 to 1e300 raised warnings of NumPy in curves and calibration, columns of 1e300 while reading",
    "blocks of the isotonic regression were joined where products of weights of 1e160 and more overflowed",
    "curves of lift and of precision-recall gain had no values where products of weights overflowed",
    "a damaged header of a NumPy file ended in E_BUG",
    "`plan` searched without end for a quantile of t with 1e30 and more degrees of freedom",
    "a standard error of 1e155 and more ended in E_BUG in `compare`: its square was too large",
    "`compare` of more than 20 models ended in E_BUG where the best had no answer with another one",
    "two infinite changes of a value, means of 1e308 and a variance rounded below 0 made NumPy warn",
    "a damaged footer of a Parquet file ended the process within Arrow, where sizes in it contradict each other",
    "a Parquet file with a column that is there twice was said to be damaged",
    "the intercept of a calibration was 0 for forecasts of 1e-30 and less",
    "a bin whose rows weigh 1e-300 made the expected calibration error NaN",
    "memory that ran out, such as under `ulimit -v`, ended in E_BUG; now it is E_TOOBIG, and that limit counts",
    "the interval of sign flips was searched for without end where squares of what groups add are nothing",
)
