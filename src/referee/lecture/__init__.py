"""The lecture on performance evaluation, section by section: with its own numbers, and with the user's."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
