"""One file per significance test; the file's name is the test's name, and nothing else lists them."""

import sys

from referee.comparing import tests

tests.become_package(sys.modules[__name__])
