"""A page: one self-contained HTML file, built from sections, tables and charts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
