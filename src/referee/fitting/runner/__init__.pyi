from .pool import Failure, run
from .progress import Progress
from .store import Store

__all__ = ["Failure", "Progress", "Store", "run"]
