"""The paper's experiment: its data, its tables, and the same question asked of any data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
