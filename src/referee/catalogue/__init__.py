"""What all catalogues share: entries that are found by their file names, and the way that people write them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
