"""Runs work units in processes that may fail, and keeps what they gave where it cannot be lost.

It knows nothing of models or data: a unit is any small hashable value with a readable `str`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
