"""For test suites: assertions about models, and the contract of metrics, for people who add their own."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
