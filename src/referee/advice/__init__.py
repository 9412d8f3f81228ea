"""Which goal metric, and why; and whether a prediction that knows nothing does better on it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
