"""Thresholds: from which score on a row is called positive, chosen for a goal and judged on other rows."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
