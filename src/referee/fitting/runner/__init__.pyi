from .pool import Failure, Progress, run
from .store import Store

__all__ = ["Failure", "Progress", "Store", "run"]
