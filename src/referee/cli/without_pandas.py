"""A start without pandas, which takes longer to load than most commands to run."""

from __future__ import annotations

import sys
from typing import Any


class _NoPandas:
    """Finds nothing else, either."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("not needed", name=name)


def keep_pandas_out() -> None:
    """PyArrow would load pandas with the first number, to know its objects; the command line is never given one."""
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.scalar(0)
    finally:
        sys.meta_path.remove(_NoPandas)
