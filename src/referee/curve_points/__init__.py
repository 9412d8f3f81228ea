"""Curves: what a model's scores can do at every threshold, as points to draw."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
