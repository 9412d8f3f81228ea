"""One file per kind of thing that tables are read from; its name is the source's name, and nothing else lists them."""

import sys

from referee.predictions import sources

sources.become_package(sys.modules[__name__])
