from referee.wording import *  # noqa: F403
