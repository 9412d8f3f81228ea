"""Planning: how many rows it takes to find a difference, from a pilot or from two guesses."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
