"""A Spark of this machine for the tests: two cores, loopback, and as little of its own work as can be."""

from __future__ import annotations

import shutil
import warnings
from contextlib import contextmanager
from importlib.util import find_spec

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    # Nothing runs long enough here to be worth more than the quick compiler, or collectors on several cores.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    # Of a few rows, compiling a query would take longer than running it.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def what_is_missing():
    """What keeps Spark from starting here; None if nothing does."""
    if find_spec("pyspark") is None:
        return "there is no PySpark here: pip install 'referee[spark]', or `make spark`"
    return None if shutil.which("java") else "there is no Java here: install Debian's package openjdk-17-jre-headless"


@contextmanager
def spark_session():
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas' version
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()
