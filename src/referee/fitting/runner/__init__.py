"""Runs work units in processes that may fail, and keeps what they gave where it cannot be lost.

It knows nothing of models or data: a unit is any small hashable value with a readable `str`.
"""
