"""One file per metric; the file's name is the metric's name, and nothing else lists them."""

import sys

from referee.scoring import metrics

metrics.become_package(sys.modules[__name__])
