"""A hash of all that a store gives back, to see whether two hold the same."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np


def digest_of(store, without=()):
    """In the order of the keys, but for the fields named (times differ from run to run)."""
    whole = blake2b(digest_size=16)
    for key in store.keys():  # noqa: SIM118 (a store is no dict)
        for name, value in sorted(store.load(key).items()):
            if name not in without:
                content = (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value
                whole.update(repr((key, name, content)).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()
