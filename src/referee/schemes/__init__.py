"""One file per scheme; the file's name is the scheme's name, and nothing else lists them."""

import sys

from referee.fitting import schemes

schemes.become_package(sys.modules[__name__])
