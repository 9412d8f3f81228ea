"""One file per kind of curve; the file's name is its name, and nothing else lists them."""

import sys

from referee.curve_points.kind import kinds

kinds.become_package(sys.modules[__name__])
