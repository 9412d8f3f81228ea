"""One file per learner; the file's name is the learner's name, and nothing else lists them."""

import sys

from referee.fitting import learners

learners.become_package(sys.modules[__name__])
